/* The JSON files of a run. results.json depends on nothing but the suite, the build and the machine's
 * arithmetic: no time, no order of ending. Times and facts of the host have a file of their own. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "base/file.h"
#include "base/mem.h"
#include "derive/derive.h"
#include "judge/equal_utility.h"
#include "run/run_impl.h"

static int write_file(const run *r, const char *name, const char *text, gnt_err *err) {
    char *path = gnt_format("%s/%s", r->options->folder, name);
    int rc = path && text ? gnt_file_write(path, text, strlen(text), err)
                          : gnt_fail(err, "out of memory for %s", name);
    gnt_free(path);
    return rc;
}

/* Takes the value over. */
static int write_json(const run *r, const char *name, json_t *value, gnt_err *err) {
    char *text = value ? json_dumps(value, JSON_INDENT(1) | JSON_REAL_PRECISION(9)) : NULL;
    json_decref(value);
    int rc = write_file(r, name, text, err);
    gnt_free(text);
    return rc;
}

int run_write_plan(const run *r, gnt_err *err) {
    char *text = gnt_plan_json(r->plan, r->suite);
    int rc = write_file(r, "plan.json", text, err);
    gnt_free(text);
    return rc == 0 ? write_file(r, "suite.json", r->suite->text, err) : -1;
}

/* ---- results.json ---- */

/* Returns what the same training leaves if it has public data alone, at each seed; null if nobody made
 * one. */
static gnt_public_onlys public_of(const run *r, size_t task, gnt_arena *arena) {
    gnt_public_only *list = gnt_arena_array(arena, r->suite->n_seeds, sizeof *list);
    size_t n = 0;
    for (size_t i = 0; list && i < r->suite->n_seeds; i++) {
        const uint64_t seed = r->suite->seeds[i];
        run_job *j = run_public_made(&r->requests, task, seed);
        double error = 0;
        const double utility = j ? run_utility(r, j, &error) : NAN;
        if (isfinite(utility))
            list[n++] = (gnt_public_only){(int64_t)seed, utility, error};
    }
    return (gnt_public_onlys){n ? list : NULL, n};
}

/* Adds the numbers of a model, which are in its bundle; none for one that no cell needed, or that failed. */
static void add_model(const run *r, size_t i, gnt_result_model *m, gnt_arena *arena) {
    const run_job *j = run_model_made(&r->requests, i);
    const gnt_result_model of = *m;
    json_t *all = j ? run_metadata(r, j, "model") : NULL;
    if (all && gnt_fields_decode(&gnt_model_fields, m, all, arena, "", NULL) == 0) {
        m->id = of.id;
        m->model = of.model;
        m->data = of.data;
        m->weights_given = of.weights_given;
    } else
        *m = of;
    json_decref(all);
}

/* Adds what was measured of tasks and models, in addition to cells. */
static void add_measured(const run *r, gnt_result *all) {
    for (size_t i = 0; i < all->tasks.n; i++)
        ((gnt_result_task *)(uintptr_t)all->tasks.at)[i].public_only = public_of(r, i, &all->memory);
    for (size_t i = 0; i < all->models.n; i++)
        add_model(r, i, (gnt_result_model *)(uintptr_t)&all->models.at[i], &all->memory);
}

/* ---- matches ---- */

static const char *verdict_of(const run_search *s) {
    if (!s->settled || s->reason)
        return "n/a";
    if (s->step.what != GNT_MATCH_MATCHED)
        return "unmatched";
    return s->step.saturated ? "saturated" : "matched";
}

/* Counts the training runs that chose the strength, and those that confirmed it. */
static gnt_confirmation confirmation_of(const run_search *s) {
    size_t confirming = 0;
    for (size_t i = 0; i < s->n; i++)
        confirming += s->history[i].seed >= s->spec.most_seeds;
    return (gnt_confirmation){.mean = s->step.confirm,
                              .standard_error = s->step.confirm_error,
                              .t = s->step.confirm_t,
                              .trainings = (int64_t)s->step.confirming,
                              .failed = (int64_t)confirming - (int64_t)s->step.confirming,
                              .searching = (int64_t)(s->n - confirming)};
}

static void fill_match(const run *r, const run_search *s, gnt_match_row *m, gnt_arena *arena) {
    const int ended = s->settled && !s->reason;
    char why[GNT_MATCH_REASON_SIZE] = "";
    if (ended && s->step.what == GNT_MATCH_UNMATCHED)
        gnt_match_write_reason(&s->step, &s->spec, why);
    gnt_fields_clear(&gnt_match_fields, m);
    m->task = r->suite->task[s->task].id;
    m->defense = r->suite->defense[s->defense].label;
    m->verdict = verdict_of(s);
    m->reason = s->reason ? s->reason : *why ? gnt_arena_text(arena, why) : gnt_no_text;
    m->target = s->spec.target;
    m->tolerance = s->spec.tolerance;
    m->strength = s->step.strength;
    m->utility = s->step.utility;
    m->utility_none = s->none;
    m->confirmed = ended && s->step.what == GNT_MATCH_MATCHED;
    m->confirmation = confirmation_of(s);
    gnt_fields_mark(&gnt_match_fields, m, &m->confirmation);
    m->history = gnt_arena_array(arena, s->n, sizeof *m->history);
    m->n_history = m->history ? s->n : 0;
    for (size_t i = 0; i < m->n_history; i++)
        m->history[i] = (gnt_attempt){s->history[i].strength, s->history[i].utility, s->history[i].noise,
                                      (int64_t)s->history[i].seed};
}

static void add_matches(const run *r, gnt_result *all) {
    const size_t most = r->suite->n_tasks * r->suite->n_defenses;
    all->matches.at = gnt_arena_array(&all->memory, most, sizeof *all->matches.at);
    for (size_t i = 0; all->matches.at && i < most; i++)
        if (r->search[i].has_target || r->search[i].reason)
            fill_match(r, &r->search[i], &all->matches.at[all->matches.n++], &all->memory);
}

/* ---- cells ---- */

/* Copies a cell's pictures next to the results; *to is their name there, or none. */
static int copy_images(const run *r, const run_cell *c, const char **to, gnt_arena *arena, gnt_err *err) {
    size_t index = (size_t)(c - r->cell), size;
    if (!c->jobs.score || !gnt_store_digest(c->jobs.score->stored.record, "images"))
        return 0;
    char *name = gnt_format("images/cell-%05zu.safetensors", index);
    char *path = name ? gnt_format("%s/%s", r->options->folder, name) : NULL;
    uint8_t *bytes = NULL;
    int rc = path ? gnt_store_read(r->store, &c->jobs.score->stored.key, c->jobs.score->stored.record,
                                   "images", &bytes, &size, err)
                  : gnt_fail(err, "out of memory");
    if (rc == 0)
        rc = gnt_file_write(path, bytes, size, err);
    *to = gnt_arena_text(arena, name);
    gnt_free(bytes);
    gnt_free(name);
    gnt_free(path);
    return rc;
}

static void fill_utility(const run *r, const run_cell *c, gnt_utility *u, gnt_arena *arena) {
    const gnt_suite_task *t = &r->suite->task[c->cell->task];
    if (!isfinite(c->utility))
        return;
    u->measure = gnt_utility_names[t->utility];
    u->value = c->utility;
    u->error = c->utility_error;
    u->none = c->utility_none;
    if (c->jobs.train)
        run_fill_utility(r, c->jobs.train,
                         t->observe.attribute >= 0 ? t->facts.attr[t->observe.attribute].name : NULL, u,
                         arena);
}

/* Returns the points of a score, with the names of the attribute's values, if these have names. */
static gnt_points *points_of(const gnt_points *score, const gnt_data_attr *attribute, gnt_arena *arena) {
    const size_t n = attribute->value_name ? (size_t)attribute->values : 0;
    gnt_points *points = score ? gnt_arena_copy(arena, score, 1, sizeof *score) : NULL;
    if (points)
        points->names = (gnt_texts){gnt_arena_copy(arena, attribute->value_name, n, sizeof(char *)), n};
    return points;
}

static int fill_cell(const run *r, const run_cell *c, gnt_outcome *out, gnt_arena *arena, gnt_err *err) {
    const gnt_suite_task *t = &r->suite->task[c->cell->task];
    const gnt_outcome *found = &c->found;
    if (gnt_derive_cell(out, r->suite, c->cell, arena, err) != 0)
        return -1;
    out->strength = c->strength;
    out->status = c->status;
    out->reason = c->reason ? c->reason : gnt_no_text;
    out->matched = c->matched;
    fill_utility(r, c, &out->utility, arena);
    out->measures = found->measures;
    out->floors = found->floors;
    out->chance = found->chance;
    out->targets = found->targets;
    out->quarter = found->quarter;
    out->convergence = found->convergence;
    out->ended = found->ended;
    if (found->silent > 0)
        out->silent = found->silent;
    out->secret = found->secret;
    out->facts = found->facts;
    if (t->observe.attribute >= 0)
        out->points = points_of(found->points, &t->facts.attr[t->observe.attribute], arena);
    out->marks = found->marks;
    if (found->unmeasured.n > 0)
        out->unmeasured = found->unmeasured;
    if (found->scored_against)
        out->scored_against = found->scored_against;
    return copy_images(r, c, &out->images, arena, err);
}

static int add_cells(const run *r, gnt_result *all, gnt_err *err) {
    all->cells.at = gnt_arena_array(&all->memory, r->plan->n, sizeof *all->cells.at);
    if (!all->cells.at)
        return gnt_fail(err, "out of memory for the results");
    all->cells.n = r->plan->n;
    for (size_t i = 0; i < r->plan->n; i++)
        if (fill_cell(r, &r->cell[i], &all->cells.at[i], &all->memory, err) != 0)
            return -1;
    return gnt_derive_groups(&all->groups, &all->cells, &all->tasks, &all->memory, err);
}

/* ---- the whole ---- */

/* Adds what the curves give at one utility and at one leakage, computed from the numbers that a reader of the
 * file sees. */
static int add_curves(const run *r, gnt_result *all, gnt_err *err) {
    gnt_results view;
    gnt_fields_round(&gnt_result_fields, all);
    if (gnt_result_join(all, err) != 0)
        return -1;
    if (gnt_results_view(&view, "results.json", all, err) != 0) {
        run_show_warning(r, "%s", err->text);
        return 0;
    }
    const int rc = gnt_equal_fill(all, &view, err);
    gnt_results_free(&view);
    return rc;
}

int run_write_results(const run *r, gnt_err *err) {
    gnt_result all;
    char *images = gnt_format("%s/images", r->options->folder), *text = NULL;
    int rc = images ? gnt_make_dirs(images, err) : gnt_fail(err, "out of memory for the results");
    gnt_free(images);
    gnt_result_clear(&all);
    if (rc == 0)
        rc = gnt_derive_suite(&all, r->suite, &all.memory, err);
    if (rc == 0) {
        add_measured(r, &all);
        add_matches(r, &all);
        rc = add_cells(r, &all, err);
    }
    if (rc == 0 && all.memory.failed)
        rc = gnt_fail(err, "out of memory for the results");
    if (rc == 0)
        rc = add_curves(r, &all, err);
    if (rc == 0)
        rc = write_file(r, "results.json", text = gnt_result_text(&all, 1), err);
    gnt_free(text);
    gnt_result_free(&all);
    return rc;
}

/* ---- host.json ---- */

static json_t *job_json(const run_job *j) {
    json_t *one = json_pack("{s:s, s:b, s:f, s:f, s:I, s:s, s:s}", "job", j->name, "stored", j->stored.cached,
                            "seconds", j->cost.wall_seconds, "cpu_seconds", j->cost.cpu_seconds, "peak_bytes",
                            (json_int_t)j->cost.peak, "sandbox", j->sandbox ? j->sandbox : "", "verdict",
                            j->state == RUN_OK  ? "ok"
                            : j->ending.verdict ? j->ending.verdict
                                                : "not run");
    if (one && j->ending.stderr_tail) {
        json_object_set_new(one, "exit_code",
                            j->ending.signal ? json_null() : json_integer(j->ending.exit_code));
        json_object_set_new(one, "signal", j->ending.signal ? json_integer(j->ending.signal) : json_null());
        json_object_set_new(one, "stderr", json_string(j->ending.stderr_tail));
    }
    if (one && json_array_size(j->cost.hooks) > 0) {
        json_object_set_new(one, "defense", j->defense ? json_string(j->defense) : json_null());
        json_object_set_new(one, "attack", j->attack ? json_string(j->attack) : json_null());
        json_object_set(one, "hooks", j->cost.hooks);
    }
    return one;
}

/* Lists which job each failed cell failed by. */
static json_t *failures_json(const run *r) {
    json_t *list = json_array();
    for (size_t i = 0; i < r->plan->n; i++)
        if (r->cell[i].failed)
            json_array_append_new(
                list, json_pack("{s:s, s:s}", "cell", r->plan->cell[i].id, "by", r->cell[i].failed->name));
    return list;
}

int run_write_host(const run *r, gnt_err *err) {
    json_t *jobs = json_array();
    double cpu = 0, peak = 0;
    size_t cached = 0;
    for (size_t i = 0; i < r->jobs.n; i++) {
        const run_job *j = r->jobs.at[i];
        cpu += j->stored.cached ? 0 : j->cost.cpu_seconds;
        peak = fmax(peak, j->stored.cached ? 0 : (double)j->cost.peak);
        cached += (size_t)j->stored.cached;
        json_array_append_new(jobs, job_json(j));
    }
    const double wall = gnt_clock() - r->progress.start;
    return write_json(r, "host.json",
                      json_pack("{s:i, s:s, s:s*, s:o, s:f, s:f, s:f, s:i, s:I, s:o, s:o}", "format", 1,
                                "identity", r->host, "scripts", r->scripts, "provenance", run_provenance(r),
                                "seconds", wall, "cpu_seconds", cpu, "peak_bytes", peak, "jobs_at_once",
                                r->options->jobs, "jobs_from_store", (json_int_t)cached, "failures",
                                failures_json(r), "jobs", jobs),
                      err);
}
