/* Honest servers that take no mean of the updates. */
#include <math.h>

#include "cheat.h"

static int by_value(const void *a, const void *b) {
    const float x = *(const float *)a, y = *(const float *)b;
    return (x > y) - (x < y);
}

static float step_of(const gnt_aggregate *in) {
    return in->is_gradient ? -(float)in->rate : 1;
}

/* The median of each entry. */
static gnt_status take_median(void *self, const gnt_aggregate *in, float *new_weights) {
    const int64_t n = in->n_clients;
    float *entry = malloc((size_t)n * sizeof *entry);
    (void)self;
    if (!entry)
        return GNT_FAILED;
    for (int64_t i = 0; i < in->n_params; i++) {
        for (int64_t k = 0; k < n; k++)
            entry[k] = in->update[k][i];
        qsort(entry, (size_t)n, sizeof *entry, by_value);
        new_weights[i] = in->old_weights[i] + step_of(in) * 0.5f * (entry[(n - 1) / 2] + entry[n / 2]);
    }
    free(entry);
    return GNT_OK;
}

/* The mean, of updates that are no longer than 1. */
static gnt_status limit_norms(void *self, const gnt_aggregate *in, float *new_weights) {
    (void)self;
    memcpy(new_weights, in->old_weights, (size_t)in->n_params * sizeof *new_weights);
    for (int64_t k = 0; k < in->n_clients; k++) {
        double square = 0;
        for (int64_t i = 0; i < in->n_params; i++)
            square += (double)in->update[k][i] * (double)in->update[k][i];
        const float scale = (float)(in->share[k] / fmax(1, sqrt(square)));
        for (int64_t i = 0; i < in->n_params; i++)
            new_weights[i] += step_of(in) * scale * in->update[k][i];
    }
    return GNT_OK;
}

#define ROBUST(name, what, hook)                                                                             \
    {                                                                                                        \
        .size = sizeof(gnt_descriptor), .kind = GNT_PLUGIN_DEFENSE, .id = name, .version = "1.0",            \
        .line = what, .licence = "MIT", .citation = "", .surfaces = GNT_SURFACE_UPDATE,                      \
        .data_kinds = GNT_KIND_ANY, .create = cheat_create, .destroy = cheat_destroy,                        \
        .defense = &(const gnt_defense) {                                                                    \
            .size = sizeof(gnt_defense), .aggregate = hook                                                   \
        }                                                                                                    \
    }

static const gnt_descriptor descriptors[] = {
    ROBUST("robust-median", "the median of each entry of the updates", take_median),
    ROBUST("robust-norms", "the mean of updates whose norms are limited", limit_norms),
};

CHEATS(descriptors)
