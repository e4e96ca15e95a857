/* law: the published mixing law, and encodings of public images made by it, on which the networks are
 * trained. */
#include "law.h"

#include <math.h>
#include <string.h>

/* Draws k weights, those of the private images first. */
static void dec_draw_weights(const gnt_host *host, const dec_law *law, double *w) {
    float draw[DEC_MOST_K];
    double sum, own, most;
    for (int tries = 0; tries < 10000; tries++) {
        gnt_host_normal(host, "weights", law->k, draw);
        sum = own = most = 0;
        for (int32_t j = 0; j < law->k; j++)
            sum += w[j] = fabs((double)draw[j]);
        for (int32_t j = 0; j < law->k; j++) {
            w[j] /= sum;
            own += j < law->own ? w[j] : 0;
            most = w[j] > most ? w[j] : most;
        }
        if (sum > 0 && most <= law->most && own >= law->least_own)
            return;
    }
    for (int32_t j = 0; j < law->k; j++)
        w[j] = 1.0 / law->k;
}

/* Draws `own` distinct places among the originals, then others of the n images. */
static void draw_members(const gnt_host *host, const dec_law *law, const int64_t *original, int32_t originals,
                         int64_t n, int64_t *member, int32_t *place) {
    for (int32_t j = 0; j < law->k; j++) {
        int again;
        do {
            if (j < law->own) {
                place[j] = (int32_t)gnt_host_below(host, "members", (uint64_t)originals);
                member[j] = original[place[j]];
            } else {
                member[j] = (int64_t)gnt_host_below(host, "partners", (uint64_t)n);
            }
            again = 0;
            for (int32_t i = 0; i < j; i++)
                again |= member[i] == member[j];
            for (int32_t i = 0; j >= law->own && i < originals; i++)
                again |= original[i] == member[j];
        } while (again);
    }
}

/* Adds an image x in [0, 1] as 2x − 1, mirrored left to right if `flip`. */
static void add_image(float *e, const gnt_samples *from, int64_t row, double weight, int flip) {
    int64_t w = from->dim[2], lines = from->features / w;
    const float *x = from->x + row * from->features;
    for (int64_t l = 0; l < lines; l++)
        for (int64_t i = 0; i < w; i++)
            e[l * w + i] += (float)weight * (2 * x[l * w + (flip ? w - 1 - i : i)] - 1);
}

void dec_make_batch(const gnt_host *host, const dec_law *law, const gnt_samples *from, int32_t originals,
                    int32_t count, dec_batch *out) {
    int64_t original[DEC_MOST_ORIGINALS], member[DEC_MOST_K];
    int32_t place[DEC_MOST_K], flip[DEC_MOST_ORIGINALS];
    double w[DEC_MOST_K];
    for (int32_t i = 0, again; i < originals; i++) {
        do {
            original[i] = (int64_t)gnt_host_below(host, "originals", (uint64_t)from->n);
            again = 0;
            for (int32_t j = 0; j < i; j++)
                again |= original[j] == original[i];
        } while (again);
        flip[i] = (int32_t)gnt_host_below(host, "flips", 2);
    }
    memset(out->e, 0, (size_t)(count * from->features) * sizeof *out->e);
    memset(out->weight, 0, (size_t)count * (size_t)originals * sizeof *out->weight);
    for (int32_t i = 0; i < count; i++) {
        float *e = out->e + i * from->features;
        draw_members(host, law, original, originals, from->n, member, place);
        dec_draw_weights(host, law, w);
        for (int32_t j = 0; j < law->k; j++) {
            add_image(e, from, member[j], w[j], j < law->own && flip[place[j]]);
            if (j < law->own)
                out->weight[i * originals + place[j]] = (float)w[j];
        }
    }
}

void dec_shared(const float *weight, int32_t count, int32_t originals, float *shared) {
    for (int32_t i = 0; i < count; i++)
        for (int32_t j = 0; j < count; j++) {
            float s = 0;
            for (int32_t o = 0; o < originals; o++)
                s += weight[i * originals + o] * weight[j * originals + o];
            shared[i * count + j] = s;
        }
}
