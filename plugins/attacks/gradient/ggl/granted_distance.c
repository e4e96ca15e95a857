#include "ggl/granted_distance.h"

#include "cost/clipped_cosine.h"
#include "cost/update_match.h"
#include "hook.h"

gnt_status granted_distance_open(granted_distance *g, const gnt_host *host, const gnt_observation *seen,
                                 int32_t cost, int64_t mask_zeros, int64_t outlier_choice) {
    const granted_defense granted = granted_defense_of(seen);
    *g = (granted_distance){0};
    if (!seen->defense)
        return GNT_OK;
    TRY(granted_defense_check(host, &granted));
    if (cost == GNT_COST_L2) {
        TRY(residual_open(&g->residual, host, seen, mask_zeros, outlier_choice));
        g->d_u = g->residual.cotangent;
        g->kind = GRANTED_L2;
        return GNT_OK;
    }
    if (granted.layers)
        return unsupported(
            host, "cost compares directions, but the granted defense adds noise to some layers: leave "
                  "the grant defense out, or take \"l2\"");
    TRY(seen_clip_open(&g->clip, host, &granted, seen->update));
    if (!seen_clip_turns(&g->clip))
        return GNT_OK;
    g->d_u = hook_tensors(host, seen->update);
    g->kind = cost == GNT_COST_COSINE ? GRANTED_COSINE : GRANTED_COSINE_SQUARED;
    return hook_memory(host, g->d_u != NULL);
}

static void multiply(const gnt_views *u, float **d, double factor) {
    for (int64_t t = 0; t < u->n; t++)
        for (int64_t i = 0; i < u->view[t].count; i++)
            d[t][i] = (float)(factor * (double)d[t][i]);
}

double granted_distance_of(granted_distance *g, const gnt_views *u, const float *const *observed,
                           const float *const *mask) {
    if (g->kind == GRANTED_L2) {
        const double squares = residual_squares(&g->residual, u);
        multiply(u, g->d_u, 1 / g->residual.squares);
        return squares / g->residual.squares;
    }
    const double apart = clipped_cosine(&g->clip, u, observed, mask, g->d_u);
    if (g->kind == GRANTED_COSINE)
        return apart;
    multiply(u, g->d_u, 2 * (1 - apart));
    return 1 - (1 - apart) * (1 - apart);
}
