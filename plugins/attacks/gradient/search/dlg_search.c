/* One run of a recipe: opens its parts, lets the search run, and gives the answer. */
#include <math.h>
#include <string.h>

#include "dlg.h"
#include "label/soft_labels.h"
#include "hook.h"

static double in_units(const dlg_search *s, double cost) {
    return cost * s->objective.units / s->objective.scale;
}

double dlg_step(dlg_search *s, int32_t restart, int64_t k) {
    const dlg *p = s->self;
    double cost =
        gnt_lbfgs_step(s->lbfgs, s->z, p->rate, (int32_t)p->inner, p->guard, dlg_cost, &s->objective, NULL);
    if (s->objective.stopped || s->objective.failed)
        return cost;
    s->step++;
    s->answer->cost(s->answer->context, restart, k, in_units(s, cost));
    gnt_host_progress(p->host, (double)s->step, (double)s->steps);
    return cost;
}

void dlg_start(dlg_search *s, int32_t restart, float scale) {
    const dlg_objective *o = &s->objective;
    const float *given = GNT_HAS(gnt_observation, s->seen, start_x) ? s->seen->start_x : NULL;
    if (given && restart == 0) {
        memcpy(s->z, given, (size_t)o->unknowns * sizeof *s->z);
        if (dlg_searches_labels(o))
            memcpy(s->z + o->unknowns, s->seen->start_y, (size_t)(o->n * o->classes) * sizeof *s->z);
        return;
    }
    gnt_host_normal(s->self->host, "start", o->size, s->z);
    for (int64_t i = 0; i < o->unknowns; i++)
        s->z[i] *= scale;
}

/* Fails if the labels are searched but the granted start has none for them. */
static gnt_status check_start(const dlg_search *s) {
    if (!GNT_HAS(gnt_observation, s->seen, start_y) || !s->seen->start_x || s->seen->start_y ||
        s->self->parts->label->find)
        return GNT_OK;
    return gnt_host_fail(s->self->host, "its starting points lack the tensor \"y\": logits of the labels");
}

static int32_t why_ended(const dlg_search *s) {
    return s->matched ? GNT_ENDED_TOLERANCE : s->step < s->steps ? GNT_ENDED_STALL : GNT_ENDED_BUDGET;
}

static gnt_status give_answer(dlg_search *s, const float *scores) {
    dlg_objective *o = &s->objective;
    const gnt_answer *answer = s->answer;
    const gnt_host *host = s->self->host;
    const size_t size = (size_t)(o->n * o->features);
    float *x = gnt_host_scratch(host, size, sizeof *x);
    const float *found = s->self->parts->prior->image(o, s->winner);
    TRY(hook_memory(host, x && found));
    memcpy(x, found, size * sizeof *x);
    if (dlg_searches_labels(o)) {
        soft_labels_set(GNT_OUTPUT_CLASSES, s->winner + o->unknowns, o->n, o->classes, o->y);
        scores = o->y;
    }
    gnt_project_box(x, (int64_t)size, 0, 1);
    answer->chosen(answer->context, s->chosen, in_units(s, s->least));
    gnt_answer_ended(answer, why_ended(s), s->step);
    TRY(answer->reconstruction(answer->context, o->n, x));
    return answer->labels(answer->context, o->n, (int32_t)o->classes, scores);
}

static gnt_status search_all(dlg_search *s, const float *scores) {
    const gnt_host *host = s->self->host;
    dlg_objective *o = &s->objective;
    s->z = gnt_host_scratch(host, o->size, sizeof *s->z);
    s->winner = gnt_host_scratch(host, o->size, sizeof *s->winner);
    TRY(hook_memory(host, s->z && s->winner));
    s->self->parts->search[s->self->reference]->run(s);
    if (o->stopped)
        return GNT_STOPPED;
    if (o->failed)
        return gnt_host_fail(host, gnt_host_last_error(host));
    if (!isfinite(s->least))
        return gnt_host_fail(host, "its cost was never finite, from any start");
    return give_answer(s, scores);
}

/* Finds the labels, then opens the prior and searches. */
static gnt_status run_opened(dlg_search *s, const gnt_artefacts *own) {
    const gnt_host *host = s->self->host;
    dlg_objective *o = &s->objective;
    const label_part *label = s->self->parts->label;
    float *scores = gnt_host_scratch(host, o->classes, sizeof *scores);
    TRY(!scores ? hook_no_memory(host) : label->find ? label->find(s, scores) : GNT_OK);
    TRY(dlg_objective_open_prior(o, own));
    s->lbfgs = gnt_lbfgs_new(o->size, (int32_t)s->self->history);
    TRY(have_memory(host, s->lbfgs != NULL, "no memory for the history of L-BFGS: take a shorter one"));
    gnt_status status = search_all(s, scores);
    gnt_host_fact(host, "outer_steps", (double)s->step);
    gnt_lbfgs_free(s->lbfgs);
    return status;
}

gnt_status recipe_run(void *self, const gnt_observation *seen, const gnt_artefacts *own,
                      const gnt_answer *answer) {
    dlg_search s = {.self = self, .seen = seen, .answer = answer, .least = INFINITY};
    s.steps = seen->budget > 0 ? seen->budget : s.self->steps;
    if (s.self->parts->label->find && seen->n != 1) {
        return unsupported(s.self->host,
                           "it reads one label off the gradient: it needs a batch of one sample");
    }
    TRY(check_start(&s));
    TRY(dlg_objective_open(&s.objective, self, seen));
    gnt_status status = run_opened(&s, own);
    dlg_objective_close(&s.objective);
    return status;
}
