#include "region/region_denoise.h"

#include <math.h>
#include <string.h>

#include "linear/small_matrix.h"
#include "region/known_region.h"
#include "hook.h"

enum { MOST_TOGETHER = 512, MOST_PUBLIC = 1000 };

typedef struct denoising {
    const gnt_host *host;
    const gnt_samples *open;
    int64_t channels, height, width, features;
    double variance; /* of the noise */
    int64_t n, rows; /* entries of the region, and public ones that show one */
    int64_t *entry;  /* features */
    float *image;    /* features: a stretched example */
    float *example;  /* rows × n */
    double *mean;    /* features */
    double *matrix;  /* 2 × n × n; NULL: pixel by pixel */
} denoising;

static gnt_status open_denoising(denoising *d, const gnt_host *host, const gnt_observation *seen,
                                 double sigma) {
    const gnt_model_info *info = host->model->info;
    *d = (denoising){.host = host,
                     .open = seen->public_data,
                     .channels = info->dim[0],
                     .height = info->dim[1],
                     .width = info->dim[2],
                     .variance = sigma * sigma};
    d->features = d->channels * d->height * d->width;
    const int64_t most = d->open->n < MOST_PUBLIC ? d->open->n : MOST_PUBLIC;
    d->entry = gnt_host_scratch(host, d->features, sizeof *d->entry);
    d->image = gnt_host_scratch(host, d->features, sizeof *d->image);
    d->mean = gnt_host_scratch(host, d->features, sizeof *d->mean);
    d->example = gnt_host_scratch(host, (most + 1) * d->features, sizeof *d->example);
    d->matrix = gnt_host_scratch(host, 2 * MOST_TOGETHER * MOST_TOGETHER, sizeof *d->matrix);
    return hook_memory(host, d->entry && d->image && d->mean && d->example && d->matrix);
}

static void read_entries(denoising *d, const uint8_t *mask) {
    const int64_t plane = d->height * d->width;
    d->n = 0;
    for (int64_t i = 0; i < d->features; i++)
        if (!mask || mask[i % plane])
            d->entry[d->n++] = i;
}

/* Stretches the regions of public images to this one, and takes their mean off. */
static void read_examples(denoising *d, const uint8_t *mask) {
    const gnt_samples *s = d->open;
    const int64_t plane = d->height * d->width, most = s->n < MOST_PUBLIC ? s->n : MOST_PUBLIC;
    d->rows = 0;
    memset(d->mean, 0, (size_t)d->n * sizeof *d->mean);
    for (int64_t i = 0; i < most; i++) {
        const uint8_t *from = s->mask ? s->mask + i * plane : mask;
        region_box box;
        if (!region_box_of(from, d->height, d->width, &box))
            continue;
        region_paste(d->image, mask, s->x + i * d->features, from, d->channels, d->height, d->width);
        for (int64_t k = 0; k < d->n; k++)
            d->mean[k] += (double)(d->example[d->rows * d->n + k] = d->image[d->entry[k]]);
        d->rows++;
    }
    for (int64_t k = 0; k < d->n; k++)
        d->mean[k] /= (double)(d->rows > 0 ? d->rows : 1);
    for (int64_t i = 0; i < d->rows * d->n; i++)
        d->example[i] = (float)((double)d->example[i] - d->mean[i % d->n]);
}

static double covariance(const denoising *d, int64_t a, int64_t b) {
    double sum = 0;
    for (int64_t i = 0; i < d->rows; i++)
        sum += (double)d->example[i * d->n + a] * (double)d->example[i * d->n + b];
    return sum / (double)(d->rows - 1);
}

static float cut(double v) {
    return (float)fmin(1, fmax(0, v));
}

static void take_pixels(const denoising *d, float *x) {
    for (int64_t k = 0; k < d->n; k++) {
        const double of = covariance(d, k, k), found = (double)x[d->entry[k]];
        x[d->entry[k]] = cut(found - d->variance / (of + d->variance) * (found - d->mean[k]));
    }
}

/* Returns 0 if the matrix is singular. */
static int take_together(const denoising *d, float *x) {
    const int64_t n = d->n;
    double *m = d->matrix, *inverse = d->matrix + n * n, trace = 0;
    const double towards = (double)n / (double)(n + d->rows);
    for (int64_t a = 0; a < n; a++)
        for (int64_t b = 0; b <= a; b++)
            m[a * n + b] = m[b * n + a] = (1 - towards) * covariance(d, a, b);
    for (int64_t a = 0; a < n; a++)
        trace += m[a * n + a] / (1 - towards) / (double)n;
    for (int64_t a = 0; a < n; a++)
        m[a * n + a] += towards * trace + d->variance;
    if (!small_invert(m, inverse, n))
        return 0;
    for (int64_t a = 0; a < n; a++) /* m is lost: its first row has the difference */
        m[a] = (double)x[d->entry[a]] - d->mean[a];
    for (int64_t a = 0; a < n; a++)
        x[d->entry[a]] = cut((double)x[d->entry[a]] - d->variance * small_dot(inverse + a * n, m, n));
    return 1;
}

gnt_status region_denoise(const gnt_host *host, const gnt_observation *seen, double sigma, float *images) {
    const gnt_samples *outside = seen->outside;
    denoising d;
    if (!seen->public_data || seen->public_data->n < 2 || !(sigma > 0))
        return GNT_OK;
    TRY(open_denoising(&d, host, seen, sigma));
    for (int64_t i = 0; i < seen->n; i++) {
        const uint8_t *mask = outside && outside->mask ? outside->mask + i * d.height * d.width : NULL;
        TRY(may_go_on(host));
        read_entries(&d, mask);
        read_examples(&d, mask);
        if (d.rows > 1 && (d.n > MOST_TOGETHER || !take_together(&d, images + i * d.features)))
            take_pixels(&d, images + i * d.features);
    }
    gnt_host_fact(host, "denoised", d.rows > 1);
    return GNT_OK;
}
