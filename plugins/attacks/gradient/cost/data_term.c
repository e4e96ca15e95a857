#include "cost/data_term.h"

#include "cost/clipped_cosine.h"
#include "defense/common_rows.h"
#include "hook.h"

const char *const data_term_costs[] = {"auto", "cosine", "l2", "l1", "scale_free", "likelihood", NULL};

static int32_t match_cost(int cost) {
    switch (cost) {
    case DATA_L2:
        return GNT_COST_L2;
    case DATA_L1:
        return GNT_COST_L1;
    case DATA_SCALE_FREE:
        return GNT_COST_SCALE_FREE;
    default:
        return GNT_COST_COSINE;
    }
}

static match_scale scale_of(int cost) {
    return cost == DATA_COSINE ? MATCH_DIRECTION : cost == DATA_SCALE_FREE ? MATCH_SHARE : MATCH_SIZE;
}

static gnt_status open_clip(data_term *d, const granted_defense *granted, const gnt_views *update) {
    const gnt_status status = seen_clip_open(&d->clip, d->host, granted, update);
    d->clipped = status == GNT_OK && seen_clip_turns(&d->clip);
    if (d->clipped)
        gnt_host_fact(d->host, "clip_inside", 1);
    return status;
}

static int is_whitened(const data_term *d) {
    return d->cost == DATA_WHITENED || d->cost == DATA_PLAIN;
}

static int is_computed_here(const data_term *d) {
    return d->cost == DATA_LIKELIHOOD || d->clipped || is_whitened(d);
}

gnt_status data_term_open(data_term *d, data_function *of, const gnt_host *host, const gnt_observation *seen,
                          match_choice choice, int cost, const granted_defense *granted) {
    int32_t masked = 0;
    double squares;
    *d = (data_term){.host = host, .of = of, .cost = cost};
    d->law = granted->noise;
    d->rates = hook_rates(host, seen);
    d->args = hook_args(seen, NULL, NULL, d->rates);
    TRY(hook_memory(host, d->rates != NULL));
    gnt_observation matched = *seen;
    if (!granted->layered.is_whole) /* what was dropped is 0 only as it was sent */
        TRY(common_rows_off(&matched, host, seen, choice.outliers));
    gnt_status status =
        match_bind(&d->args, host, &matched, choice, scale_of(cost), &d->apart, &masked, &squares);
    if (status != GNT_OK)
        return status;
    uint32_t by = of->by_rates && seen->steps > 0 ? GNT_WRT_X | GNT_WRT_RATES : GNT_WRT_X;
    if (of->by_labels && is_whitened(d))
        by |= GNT_WRT_Y;
    if (cost == DATA_COSINE)
        status = open_clip(d, granted, seen->update);
    else if (is_whitened(d))
        status = whitening_open(&d->white, host, &matched, granted, cost == DATA_PLAIN);
    if (status != GNT_OK)
        return status;
    if (!is_computed_here(d))
        return match_prepare(&of->distance, host, seen, match_cost(cost), by, masked);
    d->d_u = hook_tensors(host, seen->update);
    TRY(hook_memory(host, d->d_u != NULL));
    return match_prepare_update(&of->update, host, seen, by);
}

/* Leaves the derivative by the update in d_u where the cost is computed here. */
gnt_status data_term_cost(data_term *d, const float *x, double *cost) {
    const gnt_views *out;
    gnt_function *f = is_computed_here(d) ? d->of->update.function : d->of->distance.function;
    d->args.x = x;
    TRY(hook_eval(d->host, f, &d->args, &out));
    if (d->clipped)
        *cost = clipped_cosine(&d->clip, out, d->args.observed, d->args.mask, d->d_u);
    else if (is_whitened(d))
        *cost = whitening_cost(&d->white, out, d->args.observed, d->args.mask, d->d_u);
    else
        *cost = is_computed_here(d) ? noise_cost(&d->law, out, d->args.observed, d->args.mask, d->d_u)
                                    : (double)out->view[0].data[0];
    return GNT_OK;
}

gnt_status data_term_refit(data_term *d, const float *x) {
    const gnt_views *out;
    if (!is_whitened(d) || d->white.is_known)
        return GNT_OK;
    d->args.x = x;
    TRY(hook_eval(d->host, d->of->update.function, &d->args, &out));
    whitening_refit(&d->white, out, d->args.observed, d->args.mask, d->d_u);
    return GNT_OK;
}

gnt_status data_term_eval(data_term *d, const float *x, double *cost, const float **d_x) {
    const gnt_gradient *g;
    const int here = is_computed_here(d);
    TRY(data_term_cost(d, x, cost));
    gnt_function *f = here ? d->of->update.function : d->of->distance.function;
    TRY(hook_vjp(d->host, f, here ? d->d_u : NULL, &g));
    *d_x = g->x;
    d->d_rates = g->rates;
    d->d_y = g->y;
    return GNT_OK;
}
