/* The search: outer steps of L-BFGS from random starts. A restart that diverges or stagnates before it has
 * matched the update gives way to the next; the winner is the least cost seen anywhere. */
#include <math.h>
#include <string.h>

#include "label.h"
#include "dlg.h"

static const double progress = 0.9; /* the cost has moved when it fell to this share */
/* Below this share of what an empty update costs a search is on its way to the image: where it stagnates,
 * stale curvature is forgotten, but the iterate is not. */
static const double nearly = 1e-4;

typedef struct search {
    dlg *self;
    dlg_objective objective;
    const gnt_answer *answer;
    gnt_lbfgs *lbfgs;
    float *z, *winner; /* the iterate; the best of all restarts */
    double least;      /* cost of the winner */
    int32_t chosen;
    int64_t step, steps; /* outer steps taken and allowed, over all restarts */
} search;

/* Has the search come below this share of what an empty update costs? */
static int below(const search *s, double cost, double share) {
    return cost <= share * s->objective.observed;
}

static double told(const search *s, double cost) {
    return cost * s->objective.units / s->objective.scale;
}

/* One restart; takes steps until it is solved, hopeless or the budget is spent. */
static void climb_down(search *s, int32_t restart) {
    dlg *p = s->self;
    dlg_objective *o = &s->objective;
    const gnt_host *host = p->host;
    double mark = INFINITY; /* least cost when progress was last seen */
    int64_t since = 0;
    int last = restart == p->restarts;
    host->normal(host->context, "start", o->size, s->z);
    gnt_lbfgs_reset(s->lbfgs);
    o->least = INFINITY;
    for (int64_t k = 0; s->step < s->steps; k++) {
        int64_t calls = 0;
        double cost =
            gnt_lbfgs_step(s->lbfgs, s->z, p->rate, (int32_t)p->inner, p->guard, dlg_cost, o, &calls);
        if (o->stopped || o->failed)
            return;
        s->step++;
        s->answer->cost(s->answer->context, restart, k, told(s, cost));
        host->progress(host->context, (double)s->step, (double)s->steps);
        since = o->least < progress * mark ? 0 : since + 1;
        if (since == 0)
            mark = o->least;
        if (!isfinite(cost) || below(s, o->least, p->tolerance))
            break;
        if (since < p->patience || !p->relative)
            continue;
        if (!last && !below(s, o->least, nearly))
            break;
        gnt_lbfgs_reset(s->lbfgs);
        since = 0;
    }
    if (o->least < s->least) {
        s->least = o->least;
        s->chosen = restart;
        memcpy(s->winner, o->best, (size_t)o->size * sizeof *s->winner);
    }
}

static gnt_status give_answer(search *s, const float *scores) {
    dlg_objective *o = &s->objective;
    const gnt_answer *answer = s->answer;
    int64_t pixels = o->n * o->features;
    if (!s->self->fixed_label) {
        dlg_softmax(s->winner + pixels, o->n, o->classes, o->y);
        scores = o->y;
    }
    gnt_project_box(s->winner, pixels, 0, 1);
    gnt_status status = answer->reconstruction(answer->context, o->n, s->winner);
    if (status == GNT_OK)
        status = answer->labels(answer->context, o->n, (int32_t)o->classes, scores);
    answer->chosen(answer->context, s->chosen, told(s, s->least));
    return status;
}

static gnt_status search_all(search *s, const gnt_observation *seen) {
    const gnt_host *host = s->self->host;
    dlg_objective *o = &s->objective;
    float *scores = host->scratch(host->context, (size_t)o->classes * sizeof *scores);
    s->z = host->scratch(host->context, (size_t)o->size * sizeof *s->z);
    s->winner = host->scratch(host->context, (size_t)o->size * sizeof *s->winner);
    if (!s->z || !s->winner || !scores)
        return host->fail(host->context, "no memory for the search: the limit on scratch memory is too low");
    gnt_status status = s->self->fixed_label ? label_scores(host, seen, &o->residual.apart, scores) : GNT_OK;
    if (status != GNT_OK)
        return status;
    if (s->self->fixed_label)
        label_one_hot(scores, o->classes, o->y);
    for (int32_t r = 0; r <= s->self->restarts && s->step < s->steps; r++) {
        climb_down(s, r);
        if (o->stopped)
            return GNT_STOPPED;
        if (o->failed)
            return host->fail(host->context, host->last_error(host->context));
        if (below(s, s->least, nearly))
            break;
    }
    if (!isfinite(s->least))
        return host->fail(host->context, "its cost was never finite, from any start");
    return give_answer(s, scores);
}

gnt_status dlg_run(void *self, const gnt_observation *seen, const gnt_artefacts *own,
                   const gnt_answer *answer) {
    search s = {.self = self, .answer = answer, .least = INFINITY};
    const gnt_host *host = s.self->host;
    (void)own;
    s.steps = seen->budget > 0 ? seen->budget : s.self->steps;
    if (s.self->fixed_label && seen->n != 1) {
        host->fail(host->context, "it reads one label off the gradient: it needs a batch of one sample");
        return GNT_UNSUPPORTED;
    }
    gnt_status status = dlg_objective_open(&s.objective, self, seen);
    if (status != GNT_OK)
        return status;
    s.lbfgs = gnt_lbfgs_new(s.objective.size, (int32_t)s.self->history);
    if (!s.lbfgs)
        return host->fail(host->context, "no memory for the history of L-BFGS: take a shorter one");
    status = search_all(&s, seen);
    host->fact(host->context, "outer_steps", (double)s.step);
    gnt_lbfgs_free(s.lbfgs);
    return status;
}
