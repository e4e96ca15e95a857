/* A restart of a search by L-BFGS.
 *
 * A step is refused that leaves more than 1.1 times the cost before. Where the cost stagnates, the remembered
 * steps are forgotten once; a second time ends the restart. */
#include <math.h>

#include "search/invert.h"
#include "hook.h"

enum { INNER = 20, HISTORY = 100, PATIENCE = 5 };
static const double guard = 1.1;
/* The cost has moved when it fell to this share. */
static const double progress = 0.98;

typedef struct descent {
    search *s;
    int32_t restart;
    gnt_status status;
} descent;

static double cost_of(void *context, const float *q, float *grad) {
    descent *d = context;
    double cost = NAN;
    if (d->status == GNT_OK && gnt_host_should_stop(d->s->self->host))
        d->status = GNT_STOPPED;
    if (d->status == GNT_OK)
        d->status = search_evaluate(d->s, q, &cost, grad);
    if (d->status != GNT_OK)
        return NAN;
    search_keep(d->s, d->restart, q, cost);
    return cost;
}

/* Takes steps of L-BFGS until the evaluations are spent or the cost stops falling, even after its history
 * was reset. */
static gnt_status descend(descent *d, gnt_lbfgs *lbfgs, int64_t steps, float *q) {
    search *s = d->s;
    double mark = INFINITY;
    int since = 0, forgotten = 0;
    for (int64_t spent = 0; spent < steps;) {
        const int64_t left = steps - spent, before = spent;
        const double cost =
            gnt_lbfgs_step(lbfgs, q, 1, (int32_t)(left < INNER ? left : INNER), guard, cost_of, d, &spent);
        if (d->status != GNT_OK)
            return d->status;
        s->done += spent - before;
        if (s->answer)
            s->answer->cost(s->answer->context, d->restart, before, cost);
        gnt_host_progress(s->self->host, fmin((double)s->done, (double)s->total), (double)s->total);
        s->early |= spent < steps && (!isfinite(cost) || cost == 0);
        if (!isfinite(cost) || cost == 0)
            return GNT_OK;
        since = cost < progress * mark ? 0 : since + 1;
        mark = since == 0 ? cost : mark;
        if (since < PATIENCE)
            continue;
        s->early |= spent < steps && forgotten;
        if (forgotten++)
            return GNT_OK;
        gnt_lbfgs_reset(lbfgs);
        since = 0;
    }
    return GNT_OK;
}

gnt_status search_descend(search *s, int32_t restart, int64_t steps, float *q) {
    descent d = {.s = s, .restart = restart};
    gnt_lbfgs *lbfgs = gnt_lbfgs_new(search_size(s), HISTORY);
    TRY(hook_memory(s->self->host, lbfgs != NULL));
    const gnt_status status = descend(&d, lbfgs, steps, q);
    gnt_lbfgs_free(lbfgs);
    return status;
}
