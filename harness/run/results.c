/* The JSON files of a run. results.json depends on nothing but the suite, the build and the machine's
 * arithmetic: no time, no order of ending. Times and facts of the host have a file of their own. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "base/file.h"
#include "base/json.h"
#include "base/mem.h"
#include "results/equal_utility.h"
#include "run/run_impl.h"
#include "tally/asked.h"
#include "tally/groups.h"

static json_t *text_or_null(const char *text) {
    return text ? json_string(text) : json_null();
}

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

/* What the same training leaves that has public data alone, at each seed; null where nobody made one. */
static json_t *public_json(const run *r, size_t task) {
    json_t *list = json_array();
    for (size_t i = 0; i < r->suite->n_seeds; i++) {
        const uint64_t seed = r->suite->seeds[i];
        run_job *j = run_public_made(&r->requests, task, seed);
        double error = 0;
        const double utility = j ? run_utility(r, j, &error) : NAN;
        if (isfinite(utility))
            json_array_append_new(list,
                                  json_pack("{s:I, s:o, s:o}", "seed", (json_int_t)seed, "utility",
                                            gnt_json_real(utility), "standard_error", gnt_json_real(error)));
    }
    if (json_array_size(list) > 0)
        return list;
    json_decref(list);
    return json_null();
}

/* What was measured on a task beside its cells. */
static void add_measured(const run *r, json_t *tasks) {
    for (size_t i = 0; i < r->suite->n_tasks; i++)
        json_object_set_new(json_array_get(tasks, i), "public_only", public_json(r, i));
}

/* The numbers of a model stand in its bundle; null for one that no cell needed, or that failed. */
static json_t *models_json(const run *r) {
    static const char *const numbers[] = {"samples",        "epochs", "accuracy",
                                          "accuracy_error", "loss",   "loss_error"},
                             *const of_maps[] = {"iou", "iou_error"};
    json_t *list = json_array();
    for (size_t i = 0; i < r->suite->n_models; i++) {
        const gnt_suite_task *m = &r->suite->model[i].of;
        const run_job *j = run_model_made(&r->requests, i);
        json_t *all = j ? run_metadata(r, j, "model") : NULL;
        json_t *one = json_pack("{s:s, s:s, s:s, s:b}", "id", m->id, "model", m->model, "data", m->data,
                                "weights_given", m->weights != NULL);
        for (size_t k = 0; k < sizeof numbers / sizeof *numbers; k++) {
            json_t *value = json_object_get(all, numbers[k]);
            json_object_set_new(one, numbers[k], json_is_number(value) ? json_incref(value) : json_null());
        }
        for (size_t k = 0; k < sizeof of_maps / sizeof *of_maps; k++)
            if (json_object_get(all, of_maps[k]))
                json_object_set(one, of_maps[k], json_object_get(all, of_maps[k]));
        json_decref(all);
        json_array_append_new(list, one);
    }
    return list;
}

static json_t *history_json(const run_search *s) {
    json_t *list = json_array();
    for (size_t i = 0; i < s->n; i++)
        json_array_append_new(
            list, json_pack("{s:o, s:o, s:o, s:I}", "strength", gnt_json_real(s->history[i].strength),
                            "utility", gnt_json_real(s->history[i].utility), "standard_error",
                            gnt_json_real(s->history[i].noise), "seed", (json_int_t)s->history[i].seed));
    return list;
}

static const char *verdict_of(const run_search *s) {
    if (!s->settled || s->reason)
        return "n/a";
    if (s->step.what != GNT_MATCH_MATCHED)
        return "unmatched";
    return s->step.saturated ? "saturated" : "matched";
}

/* Of the trainings that chose the strength, and of those that confirmed it. */
static json_t *confirmation_json(const run_search *s) {
    size_t confirming = 0;
    for (size_t i = 0; i < s->n; i++)
        confirming += s->history[i].seed >= s->spec.most_seeds;
    return json_pack("{s:o, s:o, s:o, s:I, s:I, s:I}", "mean", gnt_json_real(s->step.confirm),
                     "standard_error", gnt_json_real(s->step.confirm_error), "t",
                     gnt_json_real(s->step.confirm_t), "trainings", (json_int_t)s->step.confirming, "failed",
                     (json_int_t)confirming - (json_int_t)s->step.confirming, "searching",
                     (json_int_t)(s->n - confirming));
}

static json_t *match_json(const run *r, const run_search *s) {
    const gnt_suite *suite = r->suite;
    const int ended = s->settled && !s->reason;
    char why[GNT_MATCH_REASON_SIZE] = "";
    if (ended && s->step.what == GNT_MATCH_UNMATCHED)
        gnt_match_write_reason(&s->step, &s->spec, why);
    return json_pack(
        "{s:s, s:s, s:o, s:o, s:s, s:o, s:o, s:o, s:o, s:b, s:o, s:o}", "task", suite->task[s->task].id,
        "defense", suite->defense[s->defense].label, "target", gnt_json_real(s->spec.target), "tolerance",
        gnt_json_real(s->spec.tolerance), "verdict", verdict_of(s), "reason",
        text_or_null(s->reason ? s->reason
                     : *why    ? why
                               : NULL),
        "strength", gnt_json_real(s->step.strength), "utility", gnt_json_real(s->step.utility),
        "utility_none", gnt_json_real(s->none), "confirmed", ended && s->step.what == GNT_MATCH_MATCHED,
        "confirmation", confirmation_json(s), "history", history_json(s));
}

static json_t *matches_json(const run *r) {
    json_t *list = json_array();
    for (size_t i = 0; i < r->suite->n_tasks * r->suite->n_defenses; i++)
        if (isfinite(r->search[i].none) || r->search[i].reason)
            json_array_append_new(list, match_json(r, &r->search[i]));
    return list;
}

/* Copies a cell's pictures beside the results and returns their name there, or null. */
static json_t *copy_images(const run *r, const run_cell *c, gnt_err *err, int *rc) {
    size_t index = (size_t)(c - r->cell);
    if (!c->jobs.score || !gnt_store_digest(c->jobs.score->stored.record, "images"))
        return json_null();
    char *name = gnt_format("images/cell-%05zu.safetensors", index);
    char *to = name ? gnt_format("%s/%s", r->options->folder, name) : NULL;
    uint8_t *bytes = NULL;
    size_t size;
    *rc = to ? gnt_store_read(r->store, &c->jobs.score->stored.key, c->jobs.score->stored.record, "images",
                              &bytes, &size, err)
             : gnt_fail(err, "out of memory");
    if (*rc == 0)
        *rc = gnt_file_write(to, bytes, size, err);
    json_t *text = json_string(name);
    gnt_free(bytes);
    gnt_free(name);
    gnt_free(to);
    return text;
}

/* What the score has, and how the attribute's values are named, where they have names. */
static json_t *points_json(const gnt_data_attr *attribute, const json_t *score) {
    json_t *points = json_copy(json_object_get(score, "points")), *names = json_array();
    for (int32_t v = 0; attribute->value_name && v < attribute->values; v++)
        json_array_append_new(names, json_string(attribute->value_name[v]));
    json_object_set_new(points, "names", names);
    return points;
}

static json_t *cell_json(const run *r, const run_cell *c, gnt_err *err, int *rc) {
    const gnt_cell *cell = c->cell;
    const gnt_suite_task *t = &r->suite->task[cell->task];
    json_t *utility = isfinite(c->utility)
                          ? json_pack("{s:s, s:o, s:o, s:o}", "measure", gnt_utility_names[t->utility],
                                      "value", gnt_json_real(c->utility), "standard_error",
                                      gnt_json_real(c->utility_error), "none", gnt_json_real(c->utility_none))
                          : json_null();
    if (json_is_object(utility) && c->jobs.train && c->jobs.train->measured.by_round)
        json_object_set(utility, "by_round", c->jobs.train->measured.by_round);
    if (json_is_object(utility) && t->observe.attribute >= 0 && c->jobs.train)
        json_object_set(
            utility, "by_value",
            json_object_get(c->jobs.train->measured.by_value, t->facts.attr[t->observe.attribute].name));
    if (json_is_object(utility) && c->jobs.train && c->jobs.train->measured.others)
        json_object_set(utility, "beside", c->jobs.train->measured.others);
    json_t *one = gnt_asked_cell(r->suite, cell);
    json_object_set_new(one, "strength", gnt_json_real(c->strength));
    json_object_set_new(one, "status", json_string(run_status_name(c->status)));
    json_object_set_new(one, "reason", text_or_null(c->reason));
    json_object_set_new(one, "matched", json_boolean(c->matched));
    json_object_set_new(one, "utility", utility);
    static const char *const parts[] = {"measures", "floors", "chance", "targets", "convergence"};
    for (size_t i = 0; c->score && i < sizeof parts / sizeof *parts; i++)
        json_object_set(one, parts[i], json_object_get(c->score, parts[i]));
    if (c->facts)
        json_object_set(one, "facts", c->facts);
    if (json_object_get(c->score, "points"))
        json_object_set_new(one, "points", points_json(&t->facts.attr[t->observe.attribute], c->score));
    if (json_array_size(c->marks) > 0)
        json_object_set(one, "marks", c->marks);
    if (json_object_size(json_object_get(c->score, "unmeasured")) > 0)
        json_object_set(one, "unmeasured", json_object_get(c->score, "unmeasured"));
    json_object_set_new(one, "images", copy_images(r, c, err, rc));
    return one;
}

/* Adds what the curves give at one utility and at one leakage, computed from the numbers that a reader of the
 * file sees, and writes it. A result that no reader would take is written all the same, without. */
static int write_with_curves(const run *r, json_t *all, gnt_err *err) {
    gnt_result of;
    gnt_results view;
    if (gnt_result_decode(&of, "results.json", all, err) != 0) {
        run_show_warning(r, "%s", err->text);
        return write_json(r, "results.json", all, err);
    }
    json_decref(all);
    gnt_fields_round(&gnt_result_fields, &of);
    int rc = gnt_result_join(&of, err);
    if (rc == 0 && gnt_results_view(&view, "results.json", &of, err) != 0)
        run_show_warning(r, "%s", err->text);
    else if (rc == 0) {
        rc = gnt_equal_fill(&of, &view, err);
        gnt_results_free(&view);
    }
    char *text = rc == 0 ? gnt_result_text(&of) : NULL;
    rc = rc == 0 ? write_file(r, "results.json", text, err) : rc;
    gnt_free(text);
    gnt_result_free(&of);
    return rc;
}

int run_write_results(const run *r, gnt_err *err) {
    char *images = gnt_format("%s/images", r->options->folder);
    int rc = images ? gnt_make_dirs(images, err) : gnt_fail(err, "out of memory for the results");
    gnt_free(images);
    json_t *cells = json_array();
    for (size_t i = 0; rc == 0 && i < r->plan->n; i++)
        json_array_append_new(cells, cell_json(r, &r->cell[i], err, &rc));
    if (rc != 0) {
        json_decref(cells);
        return -1;
    }
    const gnt_suite *s = r->suite;
    json_t *tasks = gnt_asked_tasks(s), *groups = gnt_groups(cells, tasks);
    add_measured(r, tasks);
    json_t *all =
        json_pack("{s:i, s:s, s:s, s:s, s:o, s:o, s:o, s:o, s:o, s:o, s:o}", "format", 1, "suite", s->name,
                  "title", s->title, "suite_digest", s->digest, "tasks", tasks, "models", models_json(r),
                  "defenses", gnt_asked_defenses(s), "attacks", gnt_asked_attacks(s), "matches",
                  matches_json(r), "groups", groups, "cells", cells);
    if (s->scale)
        json_object_set_new(all, "scale", json_pack("{s:s, s:s}", "name", s->scale, "says", s->scale_says));
    if (s->baseline)
        json_object_set_new(all, "baseline", gnt_asked_baseline(s));
    if (s->check)
        json_object_set_new(all, "check", json_loads(s->check, 0, NULL));
    if (s->facts)
        json_object_set_new(all, "facts", json_loads(s->facts, 0, NULL));
    if (s->points)
        json_object_set_new(all, "points", json_integer((json_int_t)s->points));
    if (s->tables)
        json_object_set_new(all, "tables", json_loads(s->tables, 0, NULL));
    return write_with_curves(r, all, err);
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

/* Which job a cell that failed has failed by. */
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
                      json_pack("{s:i, s:s, s:o, s:f, s:f, s:f, s:i, s:I, s:o, s:o}", "format", 1, "identity",
                                r->host, "provenance", run_provenance(r), "seconds", wall, "cpu_seconds", cpu,
                                "peak_bytes", peak, "jobs_at_once", r->options->jobs, "jobs_from_store",
                                (json_int_t)cached, "failures", failures_json(r), "jobs", jobs),
                      err);
}
