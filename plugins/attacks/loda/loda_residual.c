#include "loda_residual.h"

#include <stdlib.h>
#include <string.h>

#include "shared/try.h"

gnt_status residual_open(residual *r, const features *g, int64_t n) {
    int64_t all = 0;
    for (int32_t l = 0; l < g->n_layers; l++)
        all += g->width[l];
    *r = (residual){.g = g, .n = n};
    r->encoded = calloc((size_t)(n * g->pixels), sizeof *r->encoded);
    r->room = calloc((size_t)(2 * n * all), sizeof *r->room);
    if (!r->encoded || !r->room)
        return gnt_host_fail(g->host, "out of memory: set \"batch\" lower");
    float *at = r->room;
    for (int32_t l = 0; l < g->n_layers; l++) {
        r->goal[l] = at;
        r->gap[l] = at + n * g->width[l];
        at += 2 * n * g->width[l];
    }
    TRY(feature_map_open(&r->there, g, n, 1));
    return feature_map_open(&r->here, g, n, 0);
}

void residual_close(residual *r) {
    feature_map_close(&r->there);
    feature_map_close(&r->here);
    free(r->encoded);
    free(r->room);
    *r = (residual){0};
}

gnt_status residual_set(residual *r, const float *encoded) {
    const features *g = r->g;
    const gnt_views *at;
    memcpy(r->encoded, encoded, (size_t)(r->n * g->pixels) * sizeof *encoded);
    TRY(feature_map_at(&r->there, r->encoded, &at));
    for (int32_t l = 0; l < g->n_layers; l++)
        memcpy(r->goal[l], at->view[l].data, (size_t)(r->n * g->width[l]) * sizeof(float));
    return GNT_OK;
}

gnt_status residual_at(residual *r, const float *x, double c, float *out) {
    const features *g = r->g;
    const gnt_views *at;
    const float *back, *u[FEATURES_LAYERS];
    TRY(feature_map_at(&r->here, x, &at));
    for (int32_t l = 0; l < g->n_layers; l++) {
        const float *now = at->view[l].data, *goal = r->goal[l];
        float *gap = r->gap[l];
        for (int64_t k = 0; k < r->n * g->width[l]; k++)
            gap[k] = goal[k] - now[k];
        u[l] = gap;
    }
    TRY(feature_map_vjp(&r->there, u, &back));
    for (int64_t k = 0; k < r->n * g->pixels; k++)
        out[k] = back[k] - (float)c * (r->encoded[k] - x[k]);
    return GNT_OK;
}

gnt_status residual_back(residual *r, const float *e, double c, float *out) {
    const features *g = r->g;
    const gnt_views *forth;
    const float *back, *u[FEATURES_LAYERS];
    TRY(feature_map_jvp(&r->there, e, &forth));
    for (int32_t l = 0; l < g->n_layers; l++)
        u[l] = forth->view[l].data;
    TRY(feature_map_vjp(&r->here, u, &back));
    for (int64_t k = 0; k < r->n * g->pixels; k++)
        out[k] = (float)c * e[k] - back[k];
    return GNT_OK;
}
