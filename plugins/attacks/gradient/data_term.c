#include "data_term.h"

#include "clipped_cosine.h"

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

static gnt_status open_cotangents(data_term *d, const gnt_views *update) {
    const gnt_host *host = d->host;
    d->d_u = host->scratch(host->context, (size_t)update->n * sizeof *d->d_u);
    for (int64_t t = 0; d->d_u && t < update->n; t++) {
        d->d_u[t] = host->scratch(host->context, (size_t)update->view[t].count * sizeof **d->d_u);
        if (!d->d_u[t])
            return match_no_memory(host);
    }
    return d->d_u ? GNT_OK : match_no_memory(host);
}

static gnt_status open_clip(data_term *d, const granted_defense *told, const gnt_views *update) {
    const gnt_status status = seen_clip_open(&d->clip, d->host, told, update);
    d->clipped = status == GNT_OK && seen_clip_turns(&d->clip);
    if (d->clipped)
        d->host->fact(d->host->context, "clip_inside", 1);
    return status;
}

static int is_computed_here(const data_term *d) {
    return d->cost == DATA_LIKELIHOOD || d->clipped;
}

gnt_status data_term_open(data_term *d, data_function *of, const gnt_host *host, const gnt_observation *seen,
                          match_choice choice, int cost, const granted_defense *told) {
    int32_t masked = 0;
    double squares;
    *d = (data_term){.host = host, .of = of, .cost = cost};
    d->args = (gnt_function_args){.size = sizeof d->args, .weights = seen->weights, .buffers = seen->buffers};
    d->law = told->noise;
    d->rates = host->scratch(host->context, ((size_t)seen->steps + 1) * sizeof *d->rates);
    if (!d->rates)
        return match_no_memory(host);
    for (int32_t i = 0; i < seen->steps; i++)
        d->rates[i] = seen->rates ? seen->rates[i] : (float)seen->rate;
    d->args.rates = d->rates;
    gnt_status status = match_bind(&d->args, host, seen, choice, &d->apart, &masked, &squares);
    if (status != GNT_OK)
        return status;
    const uint32_t by = of->by_rates && seen->steps > 0 ? GNT_WRT_X | GNT_WRT_RATES : GNT_WRT_X;
    if (cost == DATA_COSINE)
        status = open_clip(d, told, seen->update);
    if (status != GNT_OK)
        return status;
    if (!is_computed_here(d))
        return match_prepare(&of->distance, host, seen, match_cost(cost), by, masked);
    status = open_cotangents(d, seen->update);
    return status == GNT_OK ? match_prepare_update(&of->update, host, seen, by) : status;
}

static gnt_status no_result(const gnt_host *host) {
    return host->fail(host->context, host->last_error(host->context));
}

gnt_status data_term_eval(data_term *d, const float *x, double *cost, const float **d_x) {
    const gnt_host *host = d->host;
    const gnt_model_service *m = host->model;
    const gnt_views *out;
    const gnt_gradient *g;
    const int here = is_computed_here(d);
    gnt_function *f = here ? d->of->update.function : d->of->distance.function;
    d->args.x = x;
    if (m->eval(m->context, f, &d->args, &out) != GNT_OK)
        return no_result(host);
    if (d->clipped)
        *cost = clipped_cosine(&d->clip, out, d->args.observed, d->args.mask, d->d_u);
    else
        *cost = here ? noise_cost(&d->law, out, d->args.observed, d->args.mask, d->d_u)
                     : (double)out->view[0].data[0];
    if (m->vjp(m->context, f, here ? (const float *const *)d->d_u : NULL, &g) != GNT_OK)
        return no_result(host);
    *d_x = g->x;
    d->d_rates = g->rates;
    return GNT_OK;
}
