/* similar: the similarity of every pair of encodings. */
#include <math.h>
#include <string.h>

#include "decompose.h"
#include "shared/try.h"

static double correlation(const float *a, const float *b, int64_t n) {
    double sum[4] = {0};
    for (int64_t i = 0; i + 4 <= n; i += 4)
        for (int k = 0; k < 4; k++)
            sum[k] += (double)a[i + k] * (double)b[i + k];
    return (sum[0] + sum[1] + sum[2] + sum[3]) / (double)n;
}

/* Subtracts the mean of all encodings. */
static void centre(float *e, int64_t n, int64_t f) {
    for (int64_t k = 0; k < f; k++) {
        double mean = 0;
        for (int64_t i = 0; i < n; i++)
            mean += (double)e[i * f + k] / (double)n;
        for (int64_t i = 0; i < n; i++)
            e[i * f + k] -= (float)mean;
    }
}

/* Computes similarities by correlation: products of whitened pixels are 0 on average unless an image is in
 * both, Σ w w′ ‖whitened image‖². */
static gnt_status correlate(const dec_settings *s, const dec_learnt *own, const gnt_samples *like,
                            const float *e, int64_t n, float *similarity) {
    const gnt_host *host = s->host;
    int64_t f = like->features;
    dec_whitener white = {0};
    float *z = gnt_host_scratch(host, n * f, sizeof *z);
    TRY(have_memory(host, z != NULL, "no memory for whitened encodings"));
    gnt_status status = dec_whiten_open(&white, host, like->dim[0], like->dim[1], like->dim[2], own->filter);
    if (status == GNT_OK)
        dec_whiten(&white, e, n, z);
    centre(z, n, f); /* after whitening, which is linear */
    for (int64_t i = 0; status == GNT_OK && i < n; i++) {
        for (int64_t j = 0; j <= i; j++)
            similarity[i * n + j] = similarity[j * n + i] = (float)correlation(z + i * f, z + j * f, f);
        if (gnt_host_should_stop(host))
            status = GNT_STOPPED;
    }
    dec_whiten_close(&white);
    return status;
}

static void make_up(const gnt_host *host, int64_t n, float *similarity) {
    for (int64_t i = 0; i < n; i++) {
        gnt_host_normal(host, "blind", i + 1, similarity + i * n);
        for (int64_t j = 0; j < i; j++)
            similarity[j * n + i] = similarity[i * n + j];
    }
}

gnt_status dec_similar(const dec_settings *s, const dec_law *law, const dec_learnt *own,
                       const gnt_samples *like, const float *e, int64_t encodings, float *similarity) {
    dec_net net;
    if (s->start == DEC_BLIND) {
        make_up(s->host, encodings, similarity);
        return GNT_OK;
    }
    if (!law->instahide)
        return correlate(s, own, like, e, encodings, similarity);
    dec_net_plan(&net, like->dim[0], like->dim[1], like->dim[2]);
    return dec_learn_score(s->host, &net, own->network, own->filter, e, encodings, similarity);
}
