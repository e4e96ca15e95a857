/* A cell pulls the jobs it needs, one after another, until it has a status. */
#include <math.h>
#include <string.h>

#include "base/mem.h"
#include "run/run_impl.h"

static void settle(run *r, run_cell *c, const char *status, const char *reason, int *moved) {
    c->status = status;
    c->reason = reason ? gnt_strdup(reason) : NULL;
    r->finished++;
    *moved = 1;
    run_show_cell(r, c);
}

/* The status of a cell whose job ended with this verdict. */
static const char *status_of(const char *verdict) {
    if (strcmp(verdict, "unsupported") == 0)
        return "n/a";
    if (strcmp(verdict, "crashed") == 0 || strcmp(verdict, "timeout") == 0)
        return verdict;
    return strcmp(verdict, "stopped") == 0 ? "timeout" : "failed";
}

/* 1 when the job is done well; settles the cell when it is not going to be. */
static int done(run *r, run_cell *c, const run_job *j, int *moved) {
    if (j->state == RUN_ENDED) {
        c->failed = run_origin(j);
        settle(r, c, status_of(j->verdict), j->reason, moved);
    }
    return j->state == RUN_OK;
}

static int has_ended(const run_job *j) {
    return j->state == RUN_OK || j->state == RUN_ENDED;
}

static run_search *search_of(run *r, const gnt_cell *c) {
    return &r->search[c->task * r->suite->n_defenses + c->defense];
}

/* The strength of the cell; 0 while it is not known yet. */
static int resolve(run *r, run_cell *c, int *moved) {
    const gnt_cell *cell = c->cell;
    if (cell->mode == GNT_MODE_FIXED || cell->mode == GNT_MODE_SWEEP)
        c->strength = cell->strength;
    if (cell->mode != GNT_MODE_MATCHED)
        return 1;
    const run_search *s = search_of(r, cell);
    if (!s->settled)
        return 0;
    if (s->reason) {
        gnt_err text;
        gnt_fail(&text, "the search for its strength could not go on: %s", s->reason);
        c->failed = s->failed;
        settle(r, c, "failed", text.text, moved);
        return 0;
    }
    c->strength = s->step.strength;
    c->matched = s->step.what == GNT_MATCH_MATCHED;
    return 1;
}

/* As reals, for a store gives 1.0 back as 1 and the results must not tell. */
static void add_facts(json_t *all, json_t *facts) {
    const char *name;
    json_t *value;
    json_object_foreach(facts, name, value)
        json_object_set_new(all, name, json_real(json_number_value(value)));
}

/* The job that made what the attack saw. */
static const run_job *seen_by(const run_cell *c) {
    size_t i = 0;
    while (strcmp(c->score_job->input[i].name, "seen") != 0)
        i++;
    return c->score_job->input[i].from;
}

int run_wants(const run *r, size_t cell) {
    return !r->options->wanted || r->options->wanted[cell];
}

/* What a cell in the round is judged by beside its score. A job that is not needed is NULL. */
static int ask_for_controls(run *r, run_cell *c) {
    const gnt_cell *cell = c->cell;
    const int records = c->train->request.train.record && c->train->n_plugins > 0;
    c->replay = run_replay_job(r, cell->task, (int)cell->defense, c->strength, cell->seed);
    if (cell->mode == GNT_MODE_SWEEP || c->train->n_plugins == 0)
        return c->replay || !records;
    c->shuffled = run_shuffled_job(r, cell->task, (int)cell->defense, c->strength, cell->seed);
    c->shuffled_none = c->shuffled ? run_shuffled_job(r, cell->task, RUN_PLAIN, NAN, cell->seed) : NULL;
    return (c->replay || !records) && (!c->shuffled || c->shuffled_none);
}

int run_step_cell(run *r, run_cell *c, int *moved, gnt_err *err) {
    const gnt_cell *cell = c->cell;
    if (c->status || !run_wants(r, (size_t)(c - r->cell)))
        return 0;
    if (cell->reason) {
        settle(r, c, "n/a", cell->reason, moved);
        return 0;
    }
    if (!c->score_job && !resolve(r, c, moved))
        return 0;
    if (!c->score_job) {
        c->train = run_train_job(r, cell->task, (int)cell->defense, c->strength, cell->seed);
        if (!r->suite->task[cell->task].observe.probe && c->train && !ask_for_controls(r, c))
            return gnt_fail(err, "out of memory for the cell %s", cell->id);
        if (r->suite->attack[cell->attack].first.info)
            c->first = run_first_job(r, cell, c->strength);
        c->attack = run_attack_job(r, cell, c->strength);
        c->score_job = c->attack ? run_score_job(r, cell, c->strength, c->attack) : NULL;
        if (!c->train || !c->score_job)
            return gnt_fail(err, "out of memory for the cell %s", cell->id);
        *moved = 1;
    }
    run_job *none = run_none_job(r, cell->task, cell->seed);
    if (!none)
        return gnt_fail(err, "out of memory for the cell %s", cell->id);
    run_job *public_job = run_public_job(r, cell->task, cell->seed);
    if (!done(r, c, c->score_job, moved) || !has_ended(none) || (c->replay && !has_ended(c->replay)) ||
        (public_job && !has_ended(public_job)) || (c->shuffled && !has_ended(c->shuffled)) ||
        (c->shuffled_none && !has_ended(c->shuffled_none)))
        return 0;
    c->utility = run_utility(r, c->train, &c->utility_error);
    c->utility_none = none->state == RUN_OK ? run_utility(r, none, NULL) : NAN;
    c->score = run_metadata(r, c->score_job, "score");
    if (c->score && !run_score_holds(c->score)) {
        json_decref(c->score);
        c->score = NULL;
    }
    c->facts = json_object();
    add_facts(c->facts, json_object_get(seen_by(c)->record, "facts"));
    add_facts(c->facts,
              json_object_get(c->train->record, "facts")); /* over many updates, before those observed */
    if (c->first)
        add_facts(c->facts, json_object_get(c->first->record, "facts"));
    add_facts(c->facts, json_object_get(c->attack->record, "facts"));
    add_facts(c->facts, json_object_get(c->score, "facts")); /* last: no plugin speaks for the score */
    c->marks = run_marks_of(r, c);
    if (c->score)
        settle(r, c, "ok", NULL, moved);
    else
        settle(r, c, "failed", "the score cannot be read back from the store", moved);
    return 0;
}
