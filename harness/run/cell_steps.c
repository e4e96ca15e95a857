/* A cell gets the jobs that it needs and, once they have ended, its status. */
#include <math.h>
#include <string.h>

#include "base/mem.h"
#include "run/run_impl.h"

static void settle(run *r, run_cell *c, run_status status, const char *reason, int *moved) {
    c->status = status;
    c->reason = reason ? gnt_strdup(reason) : NULL;
    r->progress.finished++;
    *moved = 1;
    run_show_cell(r, c);
}

/* Returns the status of a cell whose job ended with this verdict. */
static run_status status_of(const char *verdict) {
    if (strcmp(verdict, "unsupported") == 0)
        return RUN_CELL_NA;
    if (strcmp(verdict, "crashed") == 0)
        return RUN_CELL_CRASHED;
    return strcmp(verdict, "timeout") == 0 || strcmp(verdict, "stopped") == 0 ? RUN_CELL_TIMEOUT
                                                                              : RUN_CELL_FAILED;
}

/* True if the job ended well. Settles the cell if it ended badly. */
static int ended_well(run *r, run_cell *c, const run_job *j, int *moved) {
    if (j->state == RUN_ENDED) {
        c->failed = run_job_origin(j);
        settle(r, c, status_of(j->ending.verdict), j->ending.reason, moved);
    }
    return j->state == RUN_OK;
}

static run_search *search_of(run *r, const gnt_cell *c) {
    return &r->search[c->task * r->suite->n_defenses + c->defense];
}

/* Finds the strength next to the one that a search found. False if there is none, and the cell is settled. */
static int find_bracket(run *r, run_cell *c, const run_search *s, int *moved) {
    const int stronger = c->cell->bracket == GNT_BRACKET_STRONGER;
    const int beyond = s->step.reason == GNT_MATCH_TOO_WEAK || s->step.saturated;
    gnt_err err = {""};
    if (r->options->strength) {
        c->strength = r->options->strength[GNT_BRACKETS * (size_t)(s - r->search) + (size_t)c->cell->bracket];
        return 1;
    }
    if (!beyond &&
        gnt_match_bracket(&c->strength, &s->spec, s->history, s->n, s->step.strength, stronger, &err) != 0)
        settle(r, c, RUN_CELL_FAILED, err.text, moved);
    else if (beyond)
        settle(r, c, RUN_CELL_NA, "no strength meets the target, so that none lies on either side", moved);
    else if (isnan(c->strength))
        settle(r, c, RUN_CELL_NA, "the strength that was found is at this end of its range", moved);
    return c->status == RUN_CELL_UNFINISHED;
}

/* Finds the strength of the cell. False while it is not known, or if there is none and the cell is
 * settled. */
static int find_strength(run *r, run_cell *c, int *moved) {
    const gnt_cell *cell = c->cell;
    if (cell->mode == GNT_MODE_FIXED || (cell->mode == GNT_MODE_SWEEP && !cell->bracket))
        c->strength = cell->strength;
    if (cell->mode != GNT_MODE_MATCHED && !cell->bracket)
        return 1;
    const run_search *s = search_of(r, cell);
    if (!s->settled)
        return 0;
    if (s->reason) {
        gnt_err text;
        gnt_fail(&text, "the search for its strength could not go on: %s", s->reason);
        c->failed = s->failed;
        settle(r, c, RUN_CELL_FAILED, text.text, moved);
        return 0;
    }
    if (cell->bracket)
        return find_bracket(r, c, s, moved);
    c->strength = s->step.strength;
    c->matched = s->step.what == GNT_MATCH_MATCHED;
    return 1;
}

/* Adds facts as reals: the store returns 1.0 as 1, by which results must not differ. */
static void add_facts(json_t *all, json_t *facts) {
    const char *name;
    json_t *value;
    json_object_foreach(facts, name, value)
        json_object_set_new(all, name, json_real(json_number_value(value)));
}

/* Adds the facts of the prepare hooks whose artefacts a job reads, then those of the job. NULL: no job. */
static void add_job_facts(json_t *all, const run_job *j) {
    for (size_t i = 0; j && i < j->n_inputs; i++)
        if (strncmp(j->input[i].name, "artefacts", strlen("artefacts")) == 0)
            add_facts(all, json_object_get(j->input[i].from->stored.record, "facts"));
    if (j)
        add_facts(all, json_object_get(j->stored.record, "facts"));
}

int run_wants(const run *r, size_t cell) {
    return !r->options->wanted || r->options->wanted[cell];
}

/* Makes the jobs that a cell in the round is judged by in addition to its score. False when out of memory. */
static int make_controls(run *r, run_cell *c) {
    const gnt_cell *cell = c->cell;
    const int records = c->jobs.train->request.train.record && c->jobs.train->n_plugins > 0;
    c->jobs.replay = run_replay_job(&r->requests, cell->task, (int)cell->defense, c->strength, cell->seed);
    if (cell->mode == GNT_MODE_SWEEP || c->jobs.train->n_plugins == 0)
        return c->jobs.replay || !records;
    c->jobs.shuffled =
        run_shuffled_job(&r->requests, cell->task, (int)cell->defense, c->strength, cell->seed);
    c->jobs.shuffled_none =
        c->jobs.shuffled ? run_shuffled_job(&r->requests, cell->task, RUN_PLAIN, NAN, cell->seed) : NULL;
    return (c->jobs.replay || !records) && (!c->jobs.shuffled || c->jobs.shuffled_none);
}

/* Makes the jobs up to the score; −1 when out of memory. */
static int make_jobs(run *r, run_cell *c, gnt_err *err) {
    const gnt_cell *cell = c->cell;
    c->jobs.train = run_train_job(&r->requests, cell->task, (int)cell->defense, c->strength, cell->seed);
    if (!r->suite->task[cell->task].observe.probe && c->jobs.train && !make_controls(r, c))
        return gnt_fail(err, "out of memory for the cell %s", cell->id);
    if (r->suite->attack[cell->attack].first.info)
        c->jobs.first_attack = run_first_attack_job(&r->requests, cell, c->strength);
    c->jobs.attack = run_attack_job(&r->requests, cell, c->strength);
    c->jobs.score = c->jobs.attack ? run_score_job(&r->requests, cell, c->strength, c->jobs.attack) : NULL;
    return c->jobs.train && c->jobs.score ? 0 : gnt_fail(err, "out of memory for the cell %s", cell->id);
}

/* True if the jobs other than the score have ended, well or badly. NULL: not needed. */
static int others_have_ended(const run_cell *c) {
    const run_job *const others[] = {c->jobs.none, c->jobs.replay, c->jobs.public_only, c->jobs.shuffled,
                                     c->jobs.shuffled_none};
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (others[i] && !run_job_has_ended(others[i]))
            return 0;
    return 1;
}

/* Returns the facts that the jobs reported. A later one replaces an earlier one of the same name: those of
 * the training, over many updates, those of the observation; those of the score, every plugin's. */
static json_t *facts_of(const run_cell *c) {
    json_t *all = json_object();
    add_job_facts(all, run_job_input(c->jobs.score, "seen"));
    add_job_facts(all, c->jobs.train);
    add_job_facts(all, c->jobs.first_attack);
    add_job_facts(all, c->jobs.attack);
    add_facts(all, json_object_get(c->score, "facts"));
    return all;
}

/* Reads everything that results.json has on a cell whose jobs have ended, and settles it. */
static void take_results(run *r, run_cell *c, int *moved) {
    c->utility = run_utility(r, c->jobs.train, &c->utility_error);
    c->utility_none = c->jobs.none->state == RUN_OK ? run_utility(r, c->jobs.none, NULL) : NAN;
    c->score = run_metadata(r, c->jobs.score, "score");
    if (c->score && !run_score_is_valid(c->score)) {
        json_decref(c->score);
        c->score = NULL;
    }
    c->facts = facts_of(c);
    c->marks = run_marks_of(r, c);
    if (c->score)
        settle(r, c, RUN_CELL_OK, NULL, moved);
    else
        settle(r, c, RUN_CELL_FAILED, "the score cannot be read back from the store", moved);
}

int run_step_cell(run *r, run_cell *c, int *moved, gnt_err *err) {
    const gnt_cell *cell = c->cell;
    if (c->status != RUN_CELL_UNFINISHED || !run_wants(r, (size_t)(c - r->cell)))
        return 0;
    if (cell->reason) {
        settle(r, c, RUN_CELL_NA, cell->reason, moved);
        return 0;
    }
    if (!c->jobs.score) {
        if (!find_strength(r, c, moved))
            return 0;
        if (make_jobs(r, c, err) != 0)
            return -1;
        *moved = 1;
    }
    if (!c->jobs.none) { /* made once: a large plan has as many steps as jobs */
        c->jobs.none = run_none_job(&r->requests, cell->task, cell->seed);
        if (!c->jobs.none)
            return gnt_fail(err, "out of memory for the cell %s", cell->id);
        c->jobs.public_only = run_public_job(&r->requests, cell->task, cell->seed);
        *moved = 1;
    }
    if (!ended_well(r, c, c->jobs.score, moved) || !others_have_ended(c))
        return 0;
    if (r->options->share == GNT_SHARE_WORK) /* the run that gathers reads them */
        settle(r, c, RUN_CELL_OK, NULL, moved);
    else
        take_results(r, c, moved);
    return 0;
}
