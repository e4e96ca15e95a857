/* The searches of ggl in the space of latents: CMA-ES as published, and Adam. */
#include <math.h>
#include <string.h>

#include "defense/common_rows.h"
#include "search/cma.h"
#include "ggl/ggl.h"
#include "hook.h"

gnt_status ggl_cost_open(ggl_cost *c, ggl *self, const generator_shape *s, const gnt_observation *seen,
                         const gnt_answer *answer) {
    const gnt_host *host = self->host;
    static const int32_t kinds[] = {GNT_COST_COSINE, GNT_COST_SCALE_FREE, GNT_COST_L2};
    static const match_scale scales[] = {MATCH_DIRECTION, MATCH_SHARE, MATCH_SIZE};
    int32_t masked = 0;
    double squares;
    *c = (ggl_cost){
        .self = self, .shape = *s, .weight = self->weight, .pixels = generator_pixels(s), .answer = answer};
    c->args = hook_args(seen, NULL, NULL, hook_rates(host, seen));
    TRY(hook_memory(host, c->args.rates != NULL));
    gnt_observation matched;
    TRY(common_rows_off(&matched, host, seen, self->choice.outliers));
    TRY(match_bind(&c->args, host, &matched, self->choice, scales[self->cost], &c->apart, &masked, &squares));
    /* cosine distances are relative by themselves */
    c->scale = self->cost == GGL_COSINE ? 1 : 1 / squares;
    const uint32_t by = self->search == GGL_GRADIENT ? GNT_WRT_X : 0;
    TRY(granted_distance_open(&c->granted, host, &matched, kinds[self->cost], self->choice.mask_zeros,
                              self->choice.outliers));
    if (c->granted.kind == GRANTED_NONE)
        return match_prepare(&self->match, host, seen, kinds[self->cost], by, masked);
    c->scale = 1;
    return match_prepare_update(&self->match, host, seen, by);
}

/* Computes the cost of w and its image x; *d_x, unless d_x is NULL: the derivative by x, the penalty on
 * ‖w‖² left out. */
static gnt_status ggl_cost_of(ggl_cost *c, const float *w, const float *x, double *cost, const float **d_x) {
    const gnt_host *host = c->self->host;
    const gnt_views *out;
    const gnt_gradient *g;
    double squares = 0;
    const int is_here = c->granted.kind != GRANTED_NONE;
    c->args.x = x;
    TRY(hook_eval(host, c->self->match.function, &c->args, &out));
    const double distance = is_here ? granted_distance_of(&c->granted, out, c->args.observed, c->args.mask)
                                    : c->scale * (double)out->view[0].data[0];
    for (int64_t j = 0; j < c->shape.latents; j++)
        squares += (double)w[j] * (double)w[j];
    *cost = distance + c->weight * squares / (double)c->shape.latents;
    if (!d_x)
        return GNT_OK;
    TRY(hook_vjp(host, c->self->match.function, is_here ? c->granted.d_u : NULL, &g));
    *d_x = g->x;
    return GNT_OK;
}

static void keep(ggl_cost *c, const float *x, double cost, int32_t restart) {
    if (!(cost < c->found.cost))
        return;
    memcpy(c->found.x, x, (size_t)c->pixels * sizeof *x);
    c->found.cost = cost;
    c->found.restart = restart;
}

/* Reports the cost at about a hundred of all steps. */
static void report(const ggl_cost *c, int32_t restart, int64_t step, int64_t steps, double cost) {
    if (step % (steps / 100 + 1) == 0)
        c->answer->cost(c->answer->context, restart, step, cost);
}

/* ---- CMA-ES ---- */

/* Draws one population, evaluates the costs of its images and passes them to CMA-ES. *least: the least cost
 * of the population. */
static gnt_status next_population(ggl_cost *c, cma *search, generator *g, double *w, double *cost,
                                  int32_t restart, double *least) {
    const gnt_host *host = c->self->host;
    const int64_t d = c->shape.latents;
    cma_ask(search, w);
    for (int64_t k = 0; k < g->n * d; k++)
        g->w[k] = (float)w[k];
    const float *x = generator_draw(g);
    if (!x)
        return gnt_host_fail(host, "its generator could not be run");
    *least = INFINITY;
    for (int64_t k = 0; k < g->n; k++) {
        TRY(may_go_on(host));
        TRY(ggl_cost_of(c, g->w + k * d, x + k * c->pixels, &cost[k], NULL));
        keep(c, x + k * c->pixels, cost[k], restart);
        *least = fmin(*least, cost[k]);
    }
    cma_tell(search, cost);
    return GNT_OK;
}

static gnt_status by_cmaes(ggl_cost *c, generator *g, int64_t steps, int32_t restart) {
    const gnt_host *host = c->self->host;
    const int64_t d = c->shape.latents;
    cma search;
    double least = INFINITY;
    double *start = gnt_host_scratch(host, d, sizeof *start);
    double *w = gnt_host_scratch(host, g->n * d, sizeof *w);
    double *cost = gnt_host_scratch(host, g->n, sizeof *cost);
    TRY(hook_memory(host, start && w && cost));
    TRY(cma_open(&search, host, d, g->n, start, 0.5, "cma"));
    for (int64_t step = 0; step < steps; step++) {
        TRY(next_population(c, &search, g, w, cost, restart, &least));
        report(c, restart, step, steps, least);
    }
    return GNT_OK;
}

/* ---- Adam ---- */

static gnt_status by_adam(ggl_cost *c, generator *g, gnt_adam *adam, int64_t steps, int32_t restart) {
    const gnt_host *host = c->self->host;
    const int64_t d = c->shape.latents;
    float *w = gnt_host_scratch(host, d, sizeof *w);
    float *grad = gnt_host_scratch(host, d, sizeof *grad);
    double cost;
    TRY(hook_memory(host, w && grad));
    if (restart > 0)
        gnt_host_normal(host, "start", d, w);
    for (int64_t step = 0; step < steps; step++) {
        const float *d_x, *d_w, *x;
        TRY(may_go_on(host));
        memcpy(g->w, w, (size_t)d * sizeof *w);
        if (!(x = generator_draw(g)))
            return gnt_host_fail(host, "its generator could not be run");
        TRY(ggl_cost_of(c, w, x, &cost, &d_x));
        keep(c, x, cost, restart);
        report(c, restart, step, steps, cost);
        for (int64_t i = 0; i < c->pixels; i++)
            g->pulled[i] = (float)c->scale * d_x[i];
        if (!(d_w = generator_pull(g)))
            return gnt_host_fail(host, "its generator could not be run");
        for (int64_t j = 0; j < d; j++)
            grad[j] = d_w[j] + (float)(2 * c->weight / (double)d) * w[j];
        gnt_adam_step(adam, w, grad, gnt_rate_cosine(c->self->rate, step, steps));
    }
    return GNT_OK;
}

/* ---- either ---- */

static gnt_status all_restarts(ggl_cost *c, generator *g, gnt_adam *adam, int64_t steps) {
    const gnt_host *host = c->self->host;
    const int64_t restarts = c->self->restarts, each = steps / restarts > 0 ? steps / restarts : 1;
    for (int32_t r = 0; r < restarts; r++) {
        gnt_adam_reset(adam);
        TRY(c->self->search == GGL_GRADIENT ? by_adam(c, g, adam, each, r) : by_cmaes(c, g, each, r));
        gnt_host_progress(host, r + 1, (double)restarts);
    }
    if (!isfinite(c->found.cost))
        return gnt_host_fail(host, "its cost was never finite, for any latents");
    gnt_answer_ended(c->answer, GNT_ENDED_BUDGET, each * restarts);
    return GNT_OK;
}

gnt_status ggl_search(ggl_cost *c, const generator_learnt *learnt, int64_t label, int64_t steps) {
    const gnt_host *host = c->self->host;
    const int64_t n = c->self->search == GGL_GRADIENT ? 1 : c->self->population;
    generator g;
    c->found = (ggl_found){.cost = INFINITY};
    c->found.x = gnt_host_scratch(host, c->pixels, sizeof *c->found.x);
    gnt_adam *adam = gnt_adam_new(c->shape.latents, 0.9, 0.999, 1e-8);
    gnt_status status =
        c->found.x && adam ? generator_open(&g, host, &c->shape, learnt, label, n) : hook_no_memory(host);
    if (status == GNT_OK) {
        status = all_restarts(c, &g, adam, steps);
        generator_close(&g);
    }
    gnt_adam_free(adam);
    return status;
}
