#include "prior/stationary.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "hook.h"

/* Vector code for the loops, with the same bits: no sum changes its order. */
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC optimize("O3")
#endif

typedef struct transform {
    int64_t height, width;
    double *rows, *columns; /* height × height and width × width: cosines at frequency × place */
    double *half;           /* height × width */
} transform;

static double *cosines(const gnt_host *host, int64_t n, double offset) {
    double *at = gnt_host_scratch(host, n * n, sizeof *at);
    for (int64_t k = 0; at && k < n; k++)
        for (int64_t i = 0; i < n; i++)
            at[k * n + i] = cos(M_PI * (double)k * ((double)i + offset) / (double)n);
    return at;
}

static int transform_make(transform *t, const gnt_host *host, const sample_shape *s, double offset) {
    *t = (transform){s->height, s->width, cosines(host, s->height, offset), cosines(host, s->width, offset),
                     gnt_host_scratch(host, s->height * s->width, sizeof(double))};
    return t->rows && t->columns && t->half;
}

/* Computes out(k, l) = Σ_ij rows(k, i) x(i, j) columns(l, j); `turned`: Σ_ij rows(i, k) x(i, j) columns(j,
 * l). */
static void apply(const transform *t, const double *x, int turned, double *out) {
    const int64_t h = t->height, w = t->width;
    for (int64_t k = 0; k < h; k++) {
        double *half = t->half + k * w;
        for (int64_t j = 0; j < w; j++)
            half[j] = 0;
        for (int64_t i = 0; i < h; i++) {
            const double by = turned ? t->rows[i * h + k] : t->rows[k * h + i];
            for (int64_t j = 0; j < w; j++)
                half[j] += by * x[i * w + j];
        }
        for (int64_t l = 0; l < w; l++) {
            double sum = 0;
            for (int64_t j = 0; j < w; j++)
                sum += (turned ? t->columns[j * w + l] : t->columns[l * w + j]) * half[j];
            out[k * w + l] = sum;
        }
    }
}

static void find_means(const stationary *s, const float *x, int64_t n) {
    const int64_t area = s->shape->height * s->shape->width, d = s->shape->features;
    for (int64_t c = 0; c < s->shape->channels; c++) {
        double sum = 0;
        for (int64_t i = 0; i < n; i++)
            for (int64_t k = 0; k < area; k++)
                sum += (double)x[i * d + c * area + k];
        s->mean[c] = sum / (double)(n * area);
    }
}

/* Adds each image's products of coefficients to by_distance, as the mean over images. */
static gnt_status add_products(const stationary *s, const gnt_host *host, const transform *t, const float *x,
                               int64_t n) {
    const int64_t channels = s->shape->channels, area = s->shape->height * s->shape->width;
    double *pixels = gnt_host_scratch(host, area, sizeof *pixels);
    double *of = gnt_host_scratch(host, channels * area, sizeof *of);
    TRY(hook_memory(host, pixels && of));
    for (int64_t i = 0; i < n; i++) {
        TRY(may_go_on(host));
        for (int64_t c = 0; c < channels; c++) {
            for (int64_t k = 0; k < area; k++)
                pixels[k] = ((double)x[(i * channels + c) * area + k] - s->mean[c]) / (double)area;
            apply(t, pixels, 0, of + c * area);
        }
        for (int64_t a = 0; a < channels; a++)
            for (int64_t b = 0; b < channels; b++)
                for (int64_t k = 0; k < area; k++)
                    s->by_distance[(a * channels + b) * area + k] +=
                        of[a * area + k] * of[b * area + k] / (double)n;
    }
    return GNT_OK;
}

gnt_status stationary_make(stationary *out, const gnt_host *host, const sample_shape *shape, const float *x,
                           int64_t n) {
    const int64_t channels = shape->channels, h = shape->height, w = shape->width;
    const size_t table = (size_t)(channels * channels * h * w);
    transform to = {0}, from = {0};
    *out = (stationary){shape, gnt_host_scratch(host, channels, sizeof(double)),
                        gnt_host_scratch(host, table, sizeof(double))};
    double *spectrum = gnt_host_scratch(host, h * w, sizeof *spectrum);
    TRY(hook_memory(host, out->mean && out->by_distance && spectrum &&
                              transform_make(&to, host, shape, 0.5) &&
                              transform_make(&from, host, shape, 0)));
    find_means(out, x, n);
    TRY(add_products(out, host, &to, x, n));
    for (int64_t pair = 0; pair < channels * channels; pair++) {
        double *of = out->by_distance + pair * h * w;
        for (int64_t k = 0; k < h; k++)
            for (int64_t l = 0; l < w; l++)
                spectrum[k * w + l] = of[k * w + l] * (k ? 2 : 1) * (l ? 2 : 1);
        apply(&from, spectrum, 1, of);
    }
    return GNT_OK;
}

void stationary_add_column(const stationary *s, int64_t k, double w, double *out) {
    const int64_t channels = s->shape->channels, height = s->shape->height, width = s->shape->width,
                  area = height * width, own = k / area, row = k % area / width, at = k % width;
    for (int64_t c = 0; c < channels; c++)
        for (int64_t i = 0; i < height; i++) {
            const double *of = s->by_distance + ((own * channels + c) * height + llabs(i - row)) * width;
            for (int64_t j = 0; j < width; j++)
                out[c * area + i * width + j] += w * of[llabs(j - at)];
        }
}
