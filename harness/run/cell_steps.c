/* A cell gets the jobs that it needs and, once they have ended, its status. */
#include <math.h>
#include <string.h>

#include "base/mem.h"
#include "run/run_impl.h"

static void settle(run *r, run_cell *c, gnt_cell_status status, const char *reason) {
    c->status = status;
    c->reason = reason ? gnt_strdup(reason) : NULL;
    r->progress.finished++;
    r->progress.bad += (size_t)run_is_bad(status);
    run_show_cell(r, c);
}

/* Returns the status of a cell whose job ended with this verdict. */
static gnt_cell_status status_of(const char *verdict) {
    if (strcmp(verdict, "unsupported") == 0)
        return GNT_CELL_NA;
    if (strcmp(verdict, "crashed") == 0)
        return GNT_CELL_CRASHED;
    return strcmp(verdict, "timeout") == 0 || strcmp(verdict, "stopped") == 0 ? GNT_CELL_TIMEOUT
                                                                              : GNT_CELL_FAILED;
}

/* True if the job has ended, well or badly; else the cell waits for it. */
static int has_ended(run_cell *c, run_job *j) {
    if (!run_job_has_ended(j))
        run_wait_for(&c->waiter, &j->waiters);
    return run_job_has_ended(j);
}

/* True if the job ended well. Settles the cell if it ended badly. */
static int ended_well(run *r, run_cell *c, run_job *j) {
    if (!has_ended(c, j))
        return 0;
    if (j->state == RUN_ENDED) {
        c->failed = run_job_origin(j);
        settle(r, c, status_of(j->ending.verdict), j->ending.reason);
    }
    return j->state == RUN_OK;
}

static run_search *search_of(run *r, const gnt_cell *c) {
    return &r->search[c->task * r->suite->n_defenses + c->defense];
}

/* Finds the strength next to the one that a search found. False if there is none, and the cell is settled. */
static int find_bracket(run *r, run_cell *c, const run_search *s) {
    const int stronger = c->cell->bracket == GNT_BRACKET_STRONGER;
    const int beyond =
        s->step.reason == GNT_MATCH_TOO_WEAK || s->step.reason == GNT_MATCH_NOT_PASSED || s->step.saturated;
    gnt_err err = {""};
    if (r->options->strength) {
        c->strength = r->options->strength[GNT_BRACKETS * (size_t)(s - r->search) + (size_t)c->cell->bracket];
        return 1;
    }
    if (!beyond &&
        gnt_match_bracket(&c->strength, &s->spec, s->history, s->n, s->step.strength, stronger, 0, &err) != 0)
        settle(r, c, GNT_CELL_FAILED, err.text);
    else if (beyond)
        settle(r, c, GNT_CELL_NA, "no strength meets the target, so that none lies on either side");
    else if (isnan(c->strength))
        settle(r, c, GNT_CELL_NA, "the strength that was found is at this end of its range");
    return c->status == GNT_CELL_UNFINISHED;
}

/* Sets the strength that the suite gives; NaN of one that a search finds. */
static void set_given_strength(run_cell *c) {
    const gnt_cell *cell = c->cell;
    if (cell->mode == GNT_MODE_FIXED || (cell->mode == GNT_MODE_SWEEP && !cell->bracket))
        c->strength = cell->strength;
}

/* Finds the strength of the cell. False while it is not known, or if there is none and the cell is
 * settled. */
static int find_strength(run *r, run_cell *c) {
    const gnt_cell *cell = c->cell;
    set_given_strength(c);
    if (cell->mode != GNT_MODE_MATCHED && !cell->bracket)
        return 1;
    run_search *s = search_of(r, cell);
    if (!s->settled) {
        run_wait_for(&c->waiter, &s->waiters);
        return 0;
    }
    if (s->reason) {
        gnt_err text;
        gnt_fail(&text, "the search for its strength could not go on: %s", s->reason);
        c->failed = s->failed;
        settle(r, c, GNT_CELL_FAILED, text.text);
        return 0;
    }
    if (cell->bracket)
        return find_bracket(r, c, s);
    c->strength = s->step.strength;
    c->matched = s->step.what == GNT_MATCH_MATCHED;
    return 1;
}

typedef struct facts {
    gnt_named_real *at;
    size_t n;
    gnt_arena *arena;
} facts;

/* Adds a fact, which replaces an earlier one of the same name. */
static void add_fact(facts *all, const char *name, double value) {
    size_t i = 0;
    while (i < all->n && strcmp(all->at[i].name, name) != 0)
        i++;
    if (i < all->n)
        all->at[i].value = value;
    else if (GNT_GROW(all->at, all->n) == 0)
        all->at[all->n++] = (gnt_named_real){gnt_arena_text(all->arena, name), value};
}

static void add_record_facts(facts *all, const json_t *record) {
    const char *name;
    json_t *value;
    json_object_foreach(json_object_get(record, "facts"), name, value)
        add_fact(all, name, json_number_value(value));
}

/* Adds those of a job, and before them those of the prepare hooks whose artefacts it reads. NULL: no job. */
static void add_job_facts(facts *all, const run_job *j) {
    for (size_t i = 0; j && i < j->n_inputs; i++)
        if (strncmp(j->input[i].name, "artefacts", strlen("artefacts")) == 0)
            add_record_facts(all, j->input[i].from->stored.record);
    if (j)
        add_record_facts(all, j->stored.record);
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
    c->jobs.secret = run_secret_job(&r->requests, cell->task, (int)cell->defense, c->strength, cell->seed);
    c->jobs.secret_none =
        c->jobs.secret ? run_secret_job(&r->requests, cell->task, RUN_PLAIN, NAN, cell->seed) : NULL;
    return (c->jobs.replay || !records) && (!c->jobs.shuffled || c->jobs.shuffled_none) &&
           (!r->suite->task[cell->task].secret || c->jobs.secret_none);
}

/* Makes the score at a quarter of the budget. False when out of memory. */
static int make_quarter(run *r, run_cell *c) {
    run_job *attack = run_quarter_attack_job(&r->requests, c->cell, c->strength);
    c->jobs.quarter = attack ? run_score_job(&r->requests, c->cell, c->strength, attack) : NULL;
    return c->jobs.quarter != NULL;
}

/* Makes the jobs up to the score. */
static int make_jobs(run *r, run_cell *c, gnt_err *err) {
    const gnt_cell *cell = c->cell;
    c->jobs.train = run_train_job(&r->requests, cell->task, (int)cell->defense, c->strength, cell->seed);
    if (!r->suite->task[cell->task].observe.probe && c->jobs.train && !make_controls(r, c))
        return gnt_fail(err, "out of memory for the cell %s", cell->id);
    if (r->suite->attack[cell->attack].first.info)
        c->jobs.first_attack = run_first_attack_job(&r->requests, cell, c->strength);
    c->jobs.attack = run_attack_job(&r->requests, cell, c->strength);
    c->jobs.score = c->jobs.attack ? run_score_job(&r->requests, cell, c->strength, c->jobs.attack) : NULL;
    const int has_all = c->jobs.train && c->jobs.score && (!cell->tries_quarter || make_quarter(r, c));
    return has_all ? 0 : gnt_fail(err, "out of memory for the cell %s", cell->id);
}

int run_make_cell_jobs(run *r, run_cell *c, gnt_err *err) {
    const gnt_cell *cell = c->cell;
    if (make_jobs(r, c, err) != 0)
        return -1;
    c->jobs.none = run_none_job(&r->requests, cell->task, cell->seed);
    c->jobs.public_only = run_public_job(&r->requests, cell->task, cell->seed);
    return c->jobs.none ? 0 : gnt_fail(err, "out of memory for the cell %s", cell->id);
}

/* True if the jobs other than the score have ended, well or badly. NULL: not needed. */
static int others_have_ended(run_cell *c) {
    run_job *const others[] = {c->jobs.none,     c->jobs.replay,        c->jobs.public_only,
                               c->jobs.shuffled, c->jobs.shuffled_none, c->jobs.quarter,
                               c->jobs.secret,   c->jobs.secret_none};
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (others[i] && !has_ended(c, others[i]))
            return 0;
    return 1;
}

/* Adds, for an attack on influence that learns from shadow updates, how these were made. */
static void add_shadow_fact(facts *all, const run *r, const run_cell *c) {
    const run_job *shadow = run_job_input(run_job_input(c->jobs.attack, "artefacts"), "shadow_seen");
    if (!shadow || !shadow->request.observe.influence)
        return;
    json_t *compared = run_metadata(r, shadow, "compared");
    add_fact(all, "shadow_without_hooks", json_is_true(json_object_get(compared, "without_hooks")));
    json_decref(compared);
}

/* Returns the facts that the jobs reported. A later one replaces an earlier one of the same name: those of
 * the training, over many updates, those of the observation; those of the score, every plugin's. */
static gnt_named_reals facts_of(run *r, const run_cell *c) {
    facts all = {.arena = &r->memory};
    add_job_facts(&all, run_job_input(c->jobs.score, "seen"));
    add_job_facts(&all, c->jobs.train);
    add_job_facts(&all, c->jobs.first_attack);
    add_job_facts(&all, c->jobs.attack);
    for (size_t i = 0; i < c->found.facts.n; i++)
        add_fact(&all, c->found.facts.at[i].name, c->found.facts.at[i].value);
    add_shadow_fact(&all, r, c);
    const gnt_named_reals list = {gnt_arena_copy(&r->memory, all.at, all.n, sizeof *all.at), all.n};
    gnt_free(all.at);
    return list;
}

/* Reads a score from the store, which others may have written; −1: it has not the form of a score. */
static int read_score(run *r, run_job *j, gnt_outcome *out) {
    json_t *score = run_metadata(r, j, "score");
    const int rc = score ? gnt_fields_decode(&gnt_score_fields, out, score, &r->memory, "", NULL) : -1;
    if (rc != 0)
        gnt_fields_clear(&gnt_score_fields, out);
    json_decref(score);
    return rc;
}

/* Reads what the attack found with a quarter of its budget. Without it the cell does not say whether the
 * budget was enough, which is a warning. */
static void read_quarter(run *r, run_cell *c) {
    gnt_outcome found;
    if (c->jobs.quarter && c->jobs.quarter->state == RUN_OK && read_score(r, c->jobs.quarter, &found) == 0)
        c->found.quarter = found.targets;
    else if (c->jobs.quarter)
        run_show_warning(r, "%s: whether the attack's budget is enough is not known: %s", c->cell->id,
                         c->jobs.quarter->ending.reason ? c->jobs.quarter->ending.reason
                                                        : "the score at a quarter of it cannot be read back");
}

/* Sets what the control training with secret labels learnt. */
static void read_secret(run *r, run_cell *c) {
    run_secret of;
    if (!c->jobs.secret || c->jobs.secret->state != RUN_OK || c->jobs.secret_none->state != RUN_OK ||
        !run_secret_learnt(r, c->jobs.secret, c->jobs.secret_none, &of))
        return;
    const gnt_secret found = {of.own.accuracy, of.own.learnt, of.own.error, of.none.learnt, of.none.error};
    c->found.secret = gnt_arena_copy(&r->memory, &found, 1, sizeof found);
}

/* Reads everything that results.json has on a cell whose jobs have ended, and settles it. */
static void take_results(run *r, run_cell *c) {
    c->utility = run_utility(r, c->jobs.train, &c->utility_error);
    c->utility_none = c->jobs.none->state == RUN_OK ? run_utility(r, c->jobs.none, NULL) : NAN;
    const int has_score = read_score(r, c->jobs.score, &c->found) == 0;
    read_quarter(r, c);
    read_secret(r, c);
    c->found.facts = facts_of(r, c);
    c->found.marks = run_marks_of(r, c);
    if (has_score)
        settle(r, c, GNT_CELL_OK, NULL);
    else
        settle(r, c, GNT_CELL_FAILED, "the score cannot be read back from the store");
}

int run_step_cell(run *r, run_cell *c, gnt_err *err) {
    const gnt_cell *cell = c->cell;
    if (cell->reason) {
        set_given_strength(c);
        settle(r, c, GNT_CELL_NA, cell->reason);
        return 0;
    }
    if (!c->jobs.none) { /* made once */
        if (!find_strength(r, c))
            return 0;
        if (run_make_cell_jobs(r, c, err) != 0)
            return -1;
    }
    if (!ended_well(r, c, c->jobs.score) || !others_have_ended(c))
        return 0;
    if (r->options->share == GNT_SHARE_WORK) /* the run that gathers reads them */
        settle(r, c, GNT_CELL_OK, NULL);
    else
        take_results(r, c);
    return 0;
}
