#include "prior/prior_choice.h"
#include "hook.h"

#include <math.h>

enum { LEAST_SAMPLES = 8, MOST_SAMPLES = 200, HALVES = 2 };

static const prior_setting candidates[] = {{1, 0.3, 2, 0},
                                           {0, 0.3, 2, 0},
                                           {1, 0.1, 2, 0},
                                           {1, 0.6, 2, 0},
                                           {2, 0.3, 2, 0},
                                           {1, 0.6, 4, 0},
                                           [PRIOR_BY_DISTANCE] = {0, 0.3, 2, 500}};
enum { CANDIDATES = sizeof candidates / sizeof *candidates };

prior_setting prior_candidate(int index) {
    return candidates[index >= 0 && index < CANDIDATES ? index : 0];
}

int prior_level(double variance, int levels) {
    const double level = round(log2(fmax(variance, 1e-300)) / 2) + levels / 2.0;
    return (int)fmin(levels - 1, fmax(0, level));
}

typedef struct judged {
    const gnt_host *host;
    const sample_shape *shape;
    const float *x;
    int64_t n;
    double *noise, *off; /* features */
    uint8_t *kept;       /* n */
} judged;

/* Computes the log densities of the samples, each under the prior of the half that it is not in. */
static gnt_status judge(const judged *j, prior_setting setting, double *density) {
    const int64_t d = j->shape->features;
    for (int half = 0; half < HALVES; half++) {
        sample_prior prior;
        for (int64_t i = 0; i < j->n; i++)
            j->kept[i] = i % HALVES != half;
        gnt_status status = sample_prior_sketch(&prior, j->host, j->shape, j->x, j->n, j->kept, setting);
        prior_room *room = status == GNT_OK ? prior_room_make(j->host, &prior) : NULL;
        if (status != GNT_OK)
            return status;
        TRY(hook_memory(j->host, room != NULL));
        const int open = sample_prior_density_open(&prior, 1, j->noise, room) == 0;
        for (int64_t i = half; i < j->n; i += HALVES) {
            TRY(may_go_on(j->host));
            for (int64_t k = 0; k < d; k++)
                j->off[k] = (double)j->x[i * d + k] - prior.mean[k];
            density[i] = open ? sample_prior_density_at(&prior, j->off, room) : (double)NAN;
        }
    }
    return GNT_OK;
}

/* Returns by how much `a` is better than `b` on average, less two standard errors. */
static double advantage(const double *a, const double *b, int64_t n) {
    double sum = 0, squares = 0;
    for (int64_t i = 0; i < n; i++) {
        sum += a[i] - b[i];
        squares += (a[i] - b[i]) * (a[i] - b[i]);
    }
    const double mean = sum / (double)n, variance = squares / (double)n - mean * mean;
    return mean - 2 * sqrt(fmax(variance, 0) / (double)(n - 1));
}

gnt_status prior_choose(int *best, const gnt_host *host, const sample_shape *shape, const float *x, int64_t n,
                        double variance) {
    const int64_t used = n < MOST_SAMPLES ? n : MOST_SAMPLES;
    const size_t bytes = (size_t)shape->features * sizeof(double);
    double most = 0;
    *best = 0;
    if (used < LEAST_SAMPLES)
        return GNT_OK;
    judged j = {host,
                shape,
                x,
                used,
                gnt_host_scratch(host, bytes, 1),
                gnt_host_scratch(host, bytes, 1),
                gnt_host_scratch(host, (size_t)used, 1)};
    double *preset = gnt_host_scratch(host, used, sizeof *preset);
    double *other = gnt_host_scratch(host, used, sizeof *other);
    TRY(hook_memory(host, j.noise && j.off && j.kept && preset && other));
    for (int64_t k = 0; k < shape->features; k++)
        j.noise[k] = variance;
    TRY(judge(&j, candidates[0], preset));
    for (int c = 1; c < PRIOR_BY_DISTANCE; c++) {
        TRY(judge(&j, candidates[c], other));
        const double by = advantage(other, preset, used);
        *best = by > most ? c : *best;
        most = fmax(most, by);
    }
    return GNT_OK;
}
