#include "finished/audit.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/json.h"
#include "base/mem.h"
#include "base/random.h"
#include "finished/rerun.h"
#include "run/engine.h"
#include "run/identity.h"

enum { MOST_IMAGES = 1 << 30, MOST_PATH = 200, MOST_DEPTH = 40 };

typedef struct audit {
    const gnt_suite *suite;
    const gnt_plan *plan;
    const gnt_audit_options *options;
    gnt_audit_counts *counts;
    void (*sink)(void *user, const char *line);
    void *user;
    /* A flag of each cell of the plan. */
    uint8_t *wanted;
    /* NULL: what searches find. */
    double *strength;
    char *scratch;
} audit;

__attribute__((format(printf, 2, 3))) static void say(const audit *a, const char *format, ...) {
    gnt_err line; /* cut to fit and without control characters, as sentences are */
    va_list args;
    va_start(args, format);
    gnt_vfail(&line, format, args);
    va_end(args);
    a->sink(a->user, line.text);
}

/* ---- which cells ---- */

/* True if the cells differ in nothing but the seed. */
static int is_same_cell(const gnt_cell *a, const gnt_cell *b) {
    return a->task == b->task && a->stage == b->stage && a->defense == b->defense && a->attack == b->attack &&
           a->mode == b->mode && a->bracket == b->bracket &&
           (a->mode == GNT_MODE_MATCHED || a->mode == GNT_MODE_NONE || a->bracket ||
            a->strength == b->strength);
}

/* Adds cell i and, with another seed, those of its other seeds that are ok. */
static void want(audit *a, const json_t *cells, size_t i) {
    if (a->wanted[i])
        return;
    a->wanted[i] = 1;
    a->counts->chosen++;
    for (size_t k = 0; a->options->redrawn && k < a->plan->n; k++)
        if (is_same_cell(&a->plan->cell[i], &a->plan->cell[k]) && rerun_ok(json_array_get(cells, k)))
            a->wanted[k] = 1;
}

/* Chooses the cells that are named, then draws others. A named one that is not ok is run too, to see whether
 * it had to fail; but not with another seed, with which it has nothing to be compared. */
static void want_named(audit *a, const json_t *cells) {
    for (size_t i = 0; a->options->named && i < a->plan->n; i++)
        if (a->options->named[i] && !a->plan->cell[i].reason &&
            (!a->options->redrawn || rerun_ok(json_array_get(cells, i))))
            want(a, cells, i);
}

static int is_drawn(const audit *a, size_t i) {
    const char *defense = a->suite->defense[a->plan->cell[i].defense].label;
    return !a->options->defense || strcmp(a->options->defense, defense) == 0;
}

static int choose_cells(audit *a, const json_t *cells, gnt_err *err) {
    uint32_t *ok = gnt_array(a->plan->n, sizeof *ok);
    size_t n = 0;
    a->wanted = gnt_array(a->plan->n, 1);
    if (!ok || !a->wanted) {
        gnt_free(ok);
        return gnt_fail(err, "out of memory for the choice of cells");
    }
    for (size_t i = 0; i < a->plan->n; i++)
        if (is_drawn(a, i) && rerun_ok(json_array_get(cells, i)))
            ok[n++] = (uint32_t)i;
    gnt_key key = gnt_key_of_seed(a->options->seed);
    gnt_stream stream = gnt_stream_open(&key, "audit");
    gnt_random_shuffle(&stream, ok, n);
    want_named(a, cells);
    const size_t most = a->counts->chosen + a->options->cells;
    for (size_t i = 0; i < n && a->counts->chosen < most; i++)
        want(a, cells, ok[i]);
    gnt_free(ok);
    if (n == 0 && a->options->defense && a->counts->chosen == 0)
        return gnt_fail(err, "%s: no cell of the defense \"%.60s\" is ok, or there is no such defense",
                        a->options->folder, a->options->defense);
    return a->counts->chosen
               ? 0
               : gnt_fail(err, "%s: no cell of it is ok: there is nothing to run again", a->options->folder);
}

/* ---- what could explain a difference ---- */

static const char *digest_now(const gnt_suite_member *m, const char *id) {
    return m->info && strcmp(m->info->id, id) == 0 ? m->info->digest : NULL;
}

static const char *plugin_now(const gnt_suite *s, const char *id) {
    const char *digest = NULL;
    for (size_t d = 0; !digest && d < s->n_defenses; d++)
        for (size_t m = 0; !digest && m < s->defense[d].n_members; m++)
            digest = digest_now(&s->defense[d].member[m], id);
    for (size_t i = 0; !digest && i < s->n_attacks; i++)
        if (!(digest = digest_now(&s->attack[i].first, id)))
            digest = digest_now(&s->attack[i].member, id);
    return digest;
}

static void explain_differences(const audit *a) {
    gnt_doc doc;
    gnt_err err;
    if (rerun_load(&doc, a->options->folder, "host.json", NULL) != 0) {
        say(a, "note: there is no host.json to read: what machine and plugins the run had is not known");
        return;
    }
    char *now = gnt_run_identity(&err);
    const char *was = json_string_value(json_object_get(doc.root, "identity"));
    if (now && was && strcmp(now, was) != 0)
        say(a,
            "note: the run was made by another build or on another kind of machine, whose rounding may "
            "differ: %s",
            was);
    gnt_free(now);
    const json_t *plugin, *plugins = json_object_get(json_object_get(doc.root, "provenance"), "plugins");
    size_t i;
    json_array_foreach(plugins, i, plugin) {
        const char *id = json_string_value(json_object_get(plugin, "id"));
        const char *digest = json_string_value(json_object_get(plugin, "digest"));
        const char *here = id ? plugin_now(a->suite, id) : NULL;
        if (here && digest && strcmp(here, digest) != 0)
            say(a, "note: the plugin %s here is another file than the run's", id);
    }
    gnt_doc_free(&doc);
}

static int is_listed(const json_t *list, const json_t *entry) {
    size_t i;
    const json_t *one;
    json_array_foreach(list, i, one) if (json_equal(one, entry)) return 1;
    return 0;
}

/* Says which data sets, as the new run's host.json lists them, have another content than the run's. */
static void explain_data(const audit *a, const json_t *fresh) {
    gnt_doc doc;
    const json_t *set;
    size_t i;
    if (rerun_load(&doc, a->options->folder, "host.json", NULL) != 0)
        return;
    const json_t *was = json_object_get(json_object_get(doc.root, "provenance"), "data");
    json_array_foreach(json_object_get(json_object_get(fresh, "provenance"), "data"), i,
                       set) if (json_is_array(was) && !is_listed(was, set))
        say(a, "note: the data set %s here has another content than the run's",
            json_string_value(json_object_get(set, "name")));
    gnt_doc_free(&doc);
}

/* ---- what cannot be compared ---- */

/* Refuses if a cell that was ok has no outcome here because its data could not be read: `fresh` is the new
 * run's host.json, `now` its cells. */
static int check_data_was_read(const audit *a, const json_t *fresh, const json_t *cells, const json_t *now,
                               gnt_err *err) {
    const json_t *failure;
    size_t k;
    json_array_foreach(json_object_get(fresh, "failures"), k, failure) {
        const char *cell = json_string_value(json_object_get(failure, "cell"));
        const char *by = json_string_value(json_object_get(failure, "by"));
        for (size_t i = 0; cell && by && strncmp(by, "data ", 5) == 0 && i < a->plan->n; i++)
            if (strcmp(a->plan->cell[i].id, cell) == 0 && rerun_ok(json_array_get(cells, i)))
                return gnt_fail(
                    err,
                    "%s cannot be compared, for its data could not be read: %.300s; expected --data "
                    "DIR, the folder of data files",
                    cell, json_string_value(json_object_get(json_array_get(now, i), "reason")));
    }
    return 0;
}

/* ---- comparing ---- */

/* Sets `path` to the first member that differs, in the order of a's members, and
 * returns 1; 0 when all is equal. */
static int first_difference(const json_t *a, const json_t *b, char path[MOST_PATH], int depth,
                            const json_t **at_a, const json_t **at_b) {
    size_t n = strlen(path), i;
    const char *name;
    json_t *value;
    if (json_equal(a, b))
        return 0;
    *at_a = a;
    *at_b = b;
    if (json_is_object(a) && json_is_object(b) && depth < MOST_DEPTH) {
        json_object_foreach((json_t *)(uintptr_t)a, name, value) {
            snprintf(path + n, MOST_PATH - n, "%s%s", n ? "." : "", name);
            if (first_difference(value, json_object_get(b, name), path, depth + 1, at_a, at_b))
                return 1;
        }
        json_object_foreach((json_t *)(uintptr_t)b, name, value) {
            snprintf(path + n, MOST_PATH - n, "%s%s", n ? "." : "", name);
            if (first_difference(json_object_get(a, name), value, path, depth + 1, at_a, at_b))
                return 1;
        }
    }
    if (json_is_array(a) && json_is_array(b) && depth < MOST_DEPTH)
        for (i = 0; i < json_array_size(a) || i < json_array_size(b); i++) {
            snprintf(path + n, MOST_PATH - n, "[%zu]", i);
            if (first_difference(json_array_get(a, i), json_array_get(b, i), path, depth + 1, at_a, at_b))
                return 1;
        }
    path[n] = 0;
    return 1;
}

static const char *shown(const json_t *value, gnt_shown *text) {
    if (!value)
        return "not there";
    *text = gnt_show(value);
    return text->text;
}

/* True if both pictures are equal. The picture of a cell is images/cell-NNNNN.safetensors: if a run names
 * another file, its cell differs. */
static int same_images(const audit *a, const json_t *cell) {
    const char *name = json_string_value(json_object_get(cell, "images"));
    uint8_t *was = NULL, *now = NULL;
    size_t was_size = 0, now_size = 0;
    if (!name)
        return 1;
    char *old = gnt_format("%s/%s", a->options->folder, name), *fresh = gnt_format("%s/%s", a->scratch, name);
    int same = old && fresh && gnt_file_read(old, MOST_IMAGES, &was, &was_size, NULL) == 0 &&
               gnt_file_read(fresh, MOST_IMAGES, &now, &now_size, NULL) == 0 && was_size == now_size &&
               memcmp(was, now, was_size) == 0;
    gnt_free(was);
    gnt_free(now);
    gnt_free(old);
    gnt_free(fresh);
    return same;
}

static void compare_cell(const audit *a, const char *id, const json_t *was, const json_t *now) {
    char path[MOST_PATH] = "";
    const json_t *at_was, *at_now;
    gnt_shown left, right;
    const char *reason = json_string_value(json_object_get(now, "reason"));
    if (rerun_ok(was) && !rerun_ok(now))
        say(a, "different %s: it ends as %s%s%s", id, shown(json_object_get(now, "status"), &left),
            reason ? ": " : "", reason ? reason : "");
    else if (first_difference(was, now, path, 0, &at_was, &at_now))
        say(a, "different %s: %s is %s, the run says %s", id, path, shown(at_now, &right),
            shown(at_was, &left));
    else if (!same_images(a, now))
        say(a, "different %s: the bytes of %s", id, json_string_value(json_object_get(now, "images")));
    else {
        say(a, "same %s", id);
        return;
    }
    a->counts->different++;
}

static void compare_cells(const audit *a, const json_t *cells, const json_t *now) {
    for (size_t i = 0; i < a->plan->n; i++)
        if (a->wanted[i])
            compare_cell(a, a->plan->cell[i].id, json_array_get(cells, i), json_array_get(now, i));
}

/* ---- audit ---- */

static int run_and_compare(audit *a, const json_t *cells, gnt_err *err) {
    gnt_run_options how = {.folder = a->scratch,
                           .data_folder = a->options->data_folder,
                           .jobs = a->options->jobs,
                           .quiet = 1,
                           .wanted = a->wanted,
                           .sandbox = a->options->sandbox,
                           .strength = a->strength};
    gnt_run_counts counts = {0};
    gnt_doc fresh, host;
    if (gnt_run(a->suite, a->plan, &how, &counts, err) != 0)
        return -1;
    a->counts->interrupted = counts.interrupted;
    if (counts.interrupted)
        return 0;
    if (rerun_load(&host, a->scratch, "host.json", err) != 0)
        return -1;
    int rc = rerun_load(&fresh, a->scratch, "results.json", err);
    if (rc == 0) {
        const json_t *now = json_object_get(fresh.root, "cells");
        rc = check_data_was_read(a, host.root, cells, now, err);
        if (rc == 0)
            explain_data(a, host.root);
        if (rc == 0 && a->options->redrawn)
            rc = a->options->redrawn(a->user, a->scratch, err);
        else if (rc == 0)
            compare_cells(a, cells, now);
        gnt_doc_free(&fresh);
    }
    gnt_doc_free(&host);
    return rc;
}

gnt_key gnt_audit_new_key(uint64_t seed) {
    const gnt_key key = gnt_key_of_seed(seed);
    return gnt_key_derive(&key, "audit with another seed");
}

int gnt_audit(const gnt_suite *suite, const gnt_plan *plan, const gnt_audit_options *options,
              gnt_audit_counts *counts, void (*sink)(void *user, const char *line), void *user,
              gnt_err *err) {
    audit a = {
        .suite = suite, .plan = plan, .options = options, .counts = counts, .sink = sink, .user = user};
    gnt_doc doc;
    *counts = (gnt_audit_counts){0};
    if (rerun_results(&doc, options->folder, suite, plan, err) != 0)
        return -1;
    const json_t *cells = json_object_get(doc.root, "cells");
    int rc = choose_cells(&a, cells, err);
    if (rc == 0 && options->redrawn)
        rc = (a.strength = rerun_strengths(suite, plan, cells, a.wanted, err)) ? 0 : -1;
    if (rc == 0)
        rc = (a.scratch = rerun_scratch(err)) ? 0 : -1;
    if (rc == 0) {
        explain_differences(&a);
        rc = run_and_compare(&a, cells, err);
    }
    rerun_remove(a.scratch);
    gnt_free(a.wanted);
    gnt_free(a.strength);
    gnt_doc_free(&doc);
    return rc;
}
