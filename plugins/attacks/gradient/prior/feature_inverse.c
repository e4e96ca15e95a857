#include "prior/feature_inverse.h"

#include <math.h>
#include <string.h>

#include "gauntlet/nn.h"
#include "hook.h"

typedef struct inverse {
    const known_features *k;
    const float *x;
    int64_t n, pixels;
    double *mean_x;          /* pixels */
    float *f, *mean_f;       /* n × features, less their mean; features */
    double *kernel, *weight; /* n × n; n × pixels: α */
    double *factor, *unit;   /* n × n each */
} inverse;

/* Sets f and mean_f from the images' features. */
static void set_features(inverse *v, const float *from) {
    const int64_t width = v->k->features;
    for (int64_t j = 0; j < width; j++) {
        double sum = 0;
        for (int64_t i = 0; i < v->n; i++)
            sum += (double)from[i * width + j];
        v->mean_f[j] = (float)(sum / (double)v->n);
        for (int64_t i = 0; i < v->n; i++)
            v->f[i * width + j] = from[i * width + j] - v->mean_f[j];
    }
}

static double dot(const float *a, const float *b, int64_t n) {
    double sum = 0;
    for (int64_t k = 0; k < n; k++)
        sum += (double)(a[k] * b[k]);
    return sum;
}

static void set_kernel(inverse *v) {
    const int64_t width = v->k->features;
    for (int64_t i = 0; i < v->n; i++)
        for (int64_t j = 0; j <= i; j++)
            v->kernel[i * v->n + j] = v->kernel[j * v->n + i] =
                dot(v->f + i * width, v->f + j * width, width);
    for (int64_t p = 0; p < v->pixels; p++) {
        double sum = 0;
        for (int64_t i = 0; i < v->n; i++)
            sum += (double)v->x[i * v->pixels + p];
        v->mean_x[p] = sum / (double)v->n;
    }
}

/* Sets `weight` for this ridge. Returns the sum of squares by which each image differs from what the others
 * predict; infinite if the kernel is singular. */
static double solve(inverse *v, double ridge) {
    const int64_t n = v->n;
    double sum = 0;
    memcpy(v->factor, v->kernel, (size_t)(n * n) * sizeof *v->factor);
    memset(v->unit, 0, (size_t)(n * n) * sizeof *v->unit);
    for (int64_t i = 0; i < n; i++) {
        v->factor[i * (n + 1)] += ridge;
        v->unit[i * (n + 1)] = 1;
        for (int64_t p = 0; p < v->pixels; p++)
            v->weight[i * v->pixels + p] = (double)v->x[i * v->pixels + p] - v->mean_x[p];
    }
    if (gnt_cholesky(v->factor, n))
        return INFINITY;
    gnt_cholesky_solve(v->factor, n, v->weight, v->pixels);
    gnt_cholesky_solve(v->factor, n, v->unit, n);
    for (int64_t i = 0; i < n; i++)
        for (int64_t p = 0; p < v->pixels; p++) {
            const double apart = v->weight[i * v->pixels + p] / v->unit[i * (n + 1)];
            sum += apart * apart;
        }
    return sum;
}

/* Finds the ridge that predicts each image best from the others, in units of the mean of the kernel's
 * diagonal; 0 if the kernel is singular. */
static gnt_status find_ridge(inverse *v, double mean, double *best) {
    double least = INFINITY;
    *best = 0;
    for (double ridge = 1e-4; ridge < 2; ridge *= 10) {
        TRY(may_go_on(v->k->host));
        const double apart = solve(v, ridge * mean);
        if (apart < least) {
            least = apart;
            *best = ridge;
        }
    }
    return GNT_OK;
}

/* Solves with the best ridge, which is found at the first step. */
static gnt_status fit(inverse *v, int64_t step, double *ridge) {
    double mean = 0;
    for (int64_t i = 0; i < v->n; i++)
        mean += v->kernel[i * (v->n + 1)] / (double)v->n;
    if (step == 0)
        TRY(find_ridge(v, mean, ridge));
    if (*ridge > 0)
        solve(v, *ridge * mean);
    else
        memset(v->weight, 0, (size_t)(v->n * v->pixels) * sizeof *v->weight);
    return GNT_OK;
}

static void predict(const inverse *v, const float *wanted, float *f, double *image) {
    const int64_t width = v->k->features;
    memcpy(image, v->mean_x, (size_t)v->pixels * sizeof *image);
    for (int64_t j = 0; j < width; j++)
        f[j] = wanted[j] - v->mean_f[j];
    for (int64_t i = 0; i < v->n; i++) {
        const double near = dot(v->f + i * width, f, width);
        for (int64_t p = 0; p < v->pixels; p++)
            image[p] += near * v->weight[i * v->pixels + p];
    }
}

gnt_status feature_inverse(const known_features *k, const float *x, const float *f, int64_t n, int64_t pixels,
                           float *images) {
    const gnt_host *host = k->host;
    const int64_t width = k->features;
    inverse v = {.k = k, .x = x, .n = n, .pixels = pixels};
    v.f = gnt_host_scratch(host, (n + 2) * width, sizeof *v.f);
    v.mean_x = gnt_host_scratch(host, (n + 2) * pixels, sizeof *v.mean_x);
    v.kernel = gnt_host_scratch(host, 3 * n * n, sizeof *v.kernel);
    TRY(hook_memory(host, v.f && v.mean_x && v.kernel));
    v.mean_f = v.f + n * width;
    v.weight = v.mean_x + pixels;
    v.factor = v.kernel + n * n;
    v.unit = v.factor + n * n;
    double *image = v.weight + n * pixels, ridge = 0;
    for (int64_t step = 0; step < k->steps; step++) {
        TRY(may_go_on(host));
        set_features(&v, f + step * n * width);
        set_kernel(&v);
        TRY(fit(&v, step, &ridge));
        for (int64_t i = 0; i < k->n; i++) {
            if (known_features_step(k, i) != step)
                continue;
            if (k->known[i])
                predict(&v, k->wanted + i * width, v.mean_f + width, image);
            else
                memcpy(image, v.mean_x, (size_t)pixels * sizeof *image);
            for (int64_t p = 0; p < pixels; p++)
                images[i * pixels + p] = (float)fmin(fmax(image[p], 0), 1);
        }
    }
    return GNT_OK;
}
