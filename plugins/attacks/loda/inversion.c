#include "inversion.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "shared/try.h"

gnt_status inversion_open(inversion *v, const known *k, int64_t n) {
    const features *g = &k->g;
    const gnt_model_info *info = g->extractor->service->info;
    size_t size = (size_t)(n * g->pixels);
    v->known = k;
    v->n = n;
    memcpy(v->dim, info->dim, sizeof v->dim);
    if (info->rank != 3)
        return gnt_host_fail(g->host, "the extractor reads no images");
    v->r = calloc(size, sizeof *v->r);
    v->half = calloc(size, sizeof *v->half);
    v->scale = calloc((size_t)n, sizeof *v->scale);
    if (!v->r || !v->half || !v->scale)
        return gnt_host_fail(g->host, "out of memory: set \"batch\" lower");
    for (size_t i = 0; i < size; i++)
        v->half[i] = 0.5f;
    return residual_open(&v->residual, g, n);
}

void inversion_close(inversion *v) {
    residual_close(&v->residual);
    free(v->r);
    free(v->half);
    free(v->scale);
    *v = (inversion){0};
}

/* Replaces r by e; square: ‖e‖² of each image. */
static void keep_violations(inversion *v, double *square) {
    const int64_t pixels = v->known->g.pixels;
    const float low = (float)v->edge, high = (float)(1 - v->edge);
    for (int64_t i = 0; i < v->n; i++) {
        float *r = v->r + i * pixels;
        const float *encoded = v->residual.encoded + i * pixels;
        square[i] = 0;
        for (int64_t k = 0; k < pixels; k++) {
            int on_edge = v->kkt && ((encoded[k] <= low && r[k] > 0) || (encoded[k] >= high && r[k] < 0));
            r[k] = on_edge ? 0 : r[k];
            square[i] += (double)r[k] * (double)r[k];
        }
    }
}

gnt_status inversion_set(inversion *v, const float *encoded) {
    gnt_status s = residual_set(&v->residual, encoded);
    for (int64_t i = 0; i < v->n; i++)
        v->scale[i] = 1;
    if (s != GNT_OK || !v->kkt)
        return s;
    s = residual_at(&v->residual, v->half, v->c, v->r);
    if (s == GNT_OK)
        keep_violations(v, v->scale);
    for (int64_t i = 0; i < v->n; i++)
        v->scale[i] = v->scale[i] > 0 ? v->scale[i] : 1;
    return s;
}

/* Adds weight × the gradient of the mean over neighbours of √(d² + 1e-6), d their difference. Returns that
 * mean. */
static double variation(const int64_t dim[3], const float *x, double weight, float *grad) {
    const int64_t h = dim[1], w = dim[2], pairs = dim[0] * (h * (w - 1) + (h - 1) * w);
    double sum = 0;
    for (int64_t at = 0; pairs > 0 && at < dim[0] * h * w; at++) {
        const int64_t column = at % w, row = at / w % h;
        const int64_t next[2] = {column + 1 < w ? at + 1 : -1, row + 1 < h ? at + w : -1};
        for (int k = 0; k < 2; k++) {
            if (next[k] < 0)
                continue;
            double d = (double)(x[next[k]] - x[at]), size = sqrt(d * d + 1e-6);
            float slope = (float)(weight * d / size / (double)pairs);
            sum += size;
            grad[next[k]] += slope;
            grad[at] -= slope;
        }
    }
    return pairs > 0 ? sum / (double)pairs : 0;
}

gnt_status inversion_cost(void *context, const float *x, double *cost, float *grad) {
    inversion *v = context;
    const int64_t pixels = v->known->g.pixels;
    TRY(residual_at(&v->residual, x, v->c, v->r));
    keep_violations(v, cost);
    TRY(residual_back(&v->residual, v->r, v->c, grad));
    for (int64_t i = 0; i < v->n; i++) {
        float by = (float)(2 / v->scale[i]);
        cost[i] /= v->scale[i];
        for (int64_t k = 0; k < pixels; k++)
            grad[i * pixels + k] *= by;
        if (v->kkt && v->tv > 0)
            cost[i] += v->tv * variation(v->dim, x + i * pixels, v->tv, grad + i * pixels);
    }
    return GNT_OK;
}
