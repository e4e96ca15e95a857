/* A run of dlg or idlg: opens the search, has it made in the mode asked for, and gives the answer. */
#include <math.h>
#include <string.h>

#include "dlg.h"
#include "label/label.h"
#include "label/soft_labels.h"

static double told(const dlg_search *s, double cost) {
    return cost * s->objective.units / s->objective.scale;
}

double dlg_step(dlg_search *s, int32_t restart, int64_t k) {
    const dlg *p = s->self;
    const gnt_host *host = p->host;
    double cost =
        gnt_lbfgs_step(s->lbfgs, s->z, p->rate, (int32_t)p->inner, p->guard, dlg_cost, &s->objective, NULL);
    if (s->objective.stopped || s->objective.failed)
        return cost;
    s->step++;
    s->answer->cost(s->answer->context, restart, k, told(s, cost));
    host->progress(host->context, (double)s->step, (double)s->steps);
    return cost;
}

void dlg_start(dlg_search *s, int32_t restart, float scale) {
    const dlg_objective *o = &s->objective;
    const gnt_host *host = s->self->host;
    const float *given = GNT_HAS(gnt_observation, s->seen, start_x) ? s->seen->start_x : NULL;
    int64_t pixels = o->n * o->features;
    if (given && restart == 0) {
        memcpy(s->z, given, (size_t)pixels * sizeof *s->z);
        if (!s->self->fixed_label)
            memcpy(s->z + pixels, s->seen->start_y, (size_t)(o->n * o->classes) * sizeof *s->z);
        return;
    }
    host->normal(host->context, "start", o->size, s->z);
    for (int64_t i = 0; i < pixels; i++)
        s->z[i] *= scale;
}

/* A start for the labels as well where they are searched. */
static gnt_status check_start(const dlg_search *s) {
    const gnt_host *host = s->self->host;
    if (!GNT_HAS(gnt_observation, s->seen, start_y) || !s->seen->start_x || s->seen->start_y ||
        s->self->fixed_label)
        return GNT_OK;
    return host->fail(host->context, "its starting points lack the tensor \"y\": logits of the labels");
}

static gnt_status give_answer(dlg_search *s, const float *scores) {
    dlg_objective *o = &s->objective;
    const gnt_answer *answer = s->answer;
    int64_t pixels = o->n * o->features;
    if (!s->self->fixed_label) {
        soft_labels_set(GNT_OUTPUT_CLASSES, s->winner + pixels, o->n, o->classes, o->y);
        scores = o->y;
    }
    gnt_project_box(s->winner, pixels, 0, 1);
    gnt_status status = answer->reconstruction(answer->context, o->n, s->winner);
    if (status == GNT_OK)
        status = answer->labels(answer->context, o->n, (int32_t)o->classes, scores);
    answer->chosen(answer->context, s->chosen, told(s, s->least));
    return status;
}

static gnt_status search_all(dlg_search *s, const gnt_observation *seen) {
    const gnt_host *host = s->self->host;
    dlg_objective *o = &s->objective;
    float *scores = host->scratch(host->context, (size_t)o->classes * sizeof *scores);
    s->z = host->scratch(host->context, (size_t)o->size * sizeof *s->z);
    s->winner = host->scratch(host->context, (size_t)o->size * sizeof *s->winner);
    if (!s->z || !s->winner || !scores)
        return match_no_memory(host);
    gnt_status status = s->self->fixed_label ? label_scores(host, seen, &o->residual.apart, scores) : GNT_OK;
    if (status != GNT_OK)
        return status;
    if (s->self->fixed_label)
        label_one_hot(scores, o->classes, o->y);
    if (s->self->reference)
        dlg_search_as_published(s);
    else
        dlg_search_guarded(s);
    if (o->stopped)
        return GNT_STOPPED;
    if (o->failed)
        return host->fail(host->context, host->last_error(host->context));
    if (!isfinite(s->least))
        return host->fail(host->context, "its cost was never finite, from any start");
    return give_answer(s, scores);
}

gnt_status dlg_run(void *self, const gnt_observation *seen, const gnt_artefacts *own,
                   const gnt_answer *answer) {
    dlg_search s = {.self = self, .seen = seen, .answer = answer, .least = INFINITY};
    const gnt_host *host = s.self->host;
    (void)own;
    s.steps = seen->budget > 0 ? seen->budget : s.self->steps;
    if (s.self->fixed_label && seen->n != 1) {
        host->fail(host->context, "it reads one label off the gradient: it needs a batch of one sample");
        return GNT_UNSUPPORTED;
    }
    gnt_status status = check_start(&s);
    if (status == GNT_OK)
        status = dlg_objective_open(&s.objective, self, seen);
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
