#include "finished/audit.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/json.h"
#include "base/mem.h"
#include "base/random.h"
#include "finished/pictures.h"
#include "finished/rerun.h"
#include "run/engine.h"
#include "run/identity.h"

enum { MOST_IMAGES = 1 << 30 };

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

static int is_ok(const gnt_outcome *cell) {
    return cell->status == GNT_CELL_OK;
}

/* True if the cells differ in nothing but the seed. */
static int is_same_cell(const gnt_cell *a, const gnt_cell *b) {
    return a->task == b->task && a->stage == b->stage && a->defense == b->defense && a->attack == b->attack &&
           a->mode == b->mode && a->bracket == b->bracket &&
           (a->mode == GNT_MODE_MATCHED || a->mode == GNT_MODE_NONE || a->bracket ||
            a->strength == b->strength);
}

/* Adds cell i and, with another seed, those of its other seeds that are ok. */
static void want(audit *a, const gnt_outcomes *cells, size_t i) {
    if (a->wanted[i])
        return;
    a->wanted[i] = 1;
    a->counts->chosen++;
    for (size_t k = 0; a->options->redrawn && k < a->plan->n; k++)
        if (is_same_cell(&a->plan->cell[i], &a->plan->cell[k]) && is_ok(&cells->at[k]))
            a->wanted[k] = 1;
}

/* Chooses the cells that are named, then draws others. A named one that is not ok is run too, to see whether
 * it had to fail; but not with another seed, with which it has nothing to be compared. */
static void want_named(audit *a, const gnt_outcomes *cells) {
    for (size_t i = 0; a->options->named && i < a->plan->n; i++)
        if (a->options->named[i] && !a->plan->cell[i].reason &&
            (!a->options->redrawn || is_ok(&cells->at[i])))
            want(a, cells, i);
}

static int is_drawn(const audit *a, size_t i) {
    const char *defense = a->suite->defense[a->plan->cell[i].defense].label;
    return !a->options->defense || strcmp(a->options->defense, defense) == 0;
}

static int choose_cells(audit *a, const gnt_outcomes *cells, gnt_err *err) {
    uint32_t *ok = gnt_array(a->plan->n, sizeof *ok);
    size_t n = 0;
    a->wanted = gnt_array(a->plan->n, 1);
    if (!ok || !a->wanted) {
        gnt_free(ok);
        return gnt_fail(err, "out of memory for the choice of cells");
    }
    for (size_t i = 0; i < a->plan->n; i++)
        if (is_drawn(a, i) && is_ok(&cells->at[i]))
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
    if (n > 0 && a->counts->chosen == 0) /* cells that decide were requested, and no others */
        return gnt_fail(
            err, "%s: no cell decides a rank: no defense of the run is matched; choose cells with --cells N",
            a->options->folder);
    return a->counts->chosen ? 0
                             : gnt_fail(err, "%s: no cell of the run is ok: there is nothing to run again",
                                        a->options->folder);
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
    gnt_digest program;
    if (rerun_load(&doc, a->options->folder, "host.json", NULL) != 0) {
        say(a, "note: there is no host.json to read: what machine and plugins the run had is not known");
        return;
    }
    char *now = gnt_run_identity(&program, &err);
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
static int check_data_was_read(const audit *a, const json_t *fresh, const gnt_outcomes *cells,
                               const gnt_outcomes *now, gnt_err *err) {
    const json_t *failure;
    size_t k;
    json_array_foreach(json_object_get(fresh, "failures"), k, failure) {
        const char *cell = json_string_value(json_object_get(failure, "cell"));
        const char *by = json_string_value(json_object_get(failure, "by"));
        for (size_t i = 0; cell && by && strncmp(by, "data ", 5) == 0 && i < a->plan->n; i++)
            if (strcmp(a->plan->cell[i].id, cell) == 0 && is_ok(&cells->at[i]))
                return gnt_fail(
                    err,
                    "%s cannot be compared, for its data could not be read: %.300s; expected --data "
                    "DIR, the folder of data files",
                    cell, now->at[i].reason);
    }
    return 0;
}

/* ---- comparing ---- */

/* True if both pictures are equal. The picture of a cell is images/cell-NNNNN.safetensors: if a run names
 * another file, its cell differs. */
static int same_images(const audit *a, const char *name) {
    uint8_t *was = NULL, *now = NULL;
    size_t was_size = 0, now_size = 0;
    if (!*name)
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

/* Compares a cell of the run with what it gives now, and says how it came out. */
static void compare_cell(const audit *a, const gnt_outcome *was, const gnt_outcome *now) {
    static const gnt_likeness exactly = {0};
    gnt_difference d;
    if (is_ok(was) && !is_ok(now))
        say(a, "different %s: it ends as \"%s\"%s%s", now->id, gnt_status_name(now->status),
            *now->reason ? ": " : "", now->reason);
    else if (gnt_fields_same(&gnt_cell_fields, "", now, was, &exactly, &d) != 0)
        say(a, "different %s: %s is %s, the run says %s", now->id, d.path.text, d.is.text, d.should.text);
    else if (*was->unknown)
        say(a, "different %s: %s is not there, the run has a key of that name", now->id, was->unknown);
    else if (!same_images(a, now->images))
        say(a, "different %s: the bytes of %s", now->id, now->images);
    else {
        say(a, "same %s", now->id);
        return;
    }
    a->counts->different++;
}

static void compare_cells(const audit *a, const gnt_outcomes *cells, const gnt_outcomes *now) {
    for (size_t i = 0; i < a->plan->n; i++)
        if (a->wanted[i])
            compare_cell(a, &cells->at[i], &now->at[i]);
}

/* Compares the pictures of all cells with the scores of their targets, which needs no rerun. */
static void compare_pictures(const audit *a, const gnt_outcomes *cells) {
    for (size_t i = 0; i < cells->n; i++) {
        gnt_err why = {""};
        a->counts->pictures += is_ok(&cells->at[i]) && *cells->at[i].images;
        if (!is_ok(&cells->at[i]) || gnt_picture_fits(a->options->folder, i, &cells->at[i], &why) == 0)
            continue;
        a->counts->pictures_different++;
        say(a, "different %s: %s: %s", cells->at[i].id, gnt_show_text(cells->at[i].images).text, why.text);
    }
}

/* ---- the training on public data alone ---- */

static const gnt_public_only *control_of(const gnt_result_task *task, int64_t seed) {
    for (size_t i = 0; i < task->public_only.n; i++)
        if (task->public_only.at[i].seed == seed)
            return &task->public_only.at[i];
    return NULL;
}

static int same_control(const gnt_public_only *a, const gnt_public_only *b) {
    return a->utility == b->utility && (isnan(a->error) ? isnan(b->error) : a->error == b->error);
}

/* Compares what public data alone give at the seeds of the cells: whether a defense is better depends on
 * it. */
static void compare_controls(const audit *a, const gnt_result_tasks *was, const gnt_result_tasks *now) {
    for (size_t t = 0; t < now->n && t < was->n; t++)
        for (size_t i = 0; i < now->at[t].public_only.n; i++) {
            const gnt_public_only *is = &now->at[t].public_only.at[i];
            const gnt_public_only *said = control_of(&was->at[t], is->seed);
            a->counts->controls++;
            if (said && same_control(is, said))
                continue;
            a->counts->controls_different++;
            say(a, "different %s, seed %lld: public data alone give %.9g, the run says %.9g", now->at[t].id,
                (long long)is->seed, is->utility, said ? said->utility : NAN);
        }
}

/* ---- the plugins ---- */

static int same_texts(const gnt_texts *a, const gnt_texts *b) {
    int same = a->n == b->n;
    for (size_t i = 0; same && i < a->n; i++)
        same = strcmp(a->at[i], b->at[i]) == 0;
    return same;
}

/* Compares what the run says of the plugins of a defense or an attack with what they say of themselves. */
static void compare_members(const audit *a, const char *label, const gnt_result_members *was,
                            const gnt_result_members *now) {
    for (size_t i = 0; i < now->n && i < was->n; i++) {
        const gnt_result_member *is = &now->at[i], *said = &was->at[i];
        if (strcmp(is->version, said->version) != 0)
            say(a, "different %s: the plugin %s has version %s here, the run says %s", label, is->id,
                gnt_show_text(is->version).text, gnt_show_text(said->version).text);
        else if (!same_texts(&is->hooks, &said->hooks) || !same_texts(&is->families, &said->families) ||
                 !same_texts(&is->flags, &said->flags))
            say(a, "different %s: the plugin %s has other hooks, families or flags here than the run says",
                label, is->id);
        else
            continue;
        a->counts->plugins_different++;
    }
}

static void compare_plugins(const audit *a, const gnt_result *was, const gnt_result *now) {
    for (size_t i = 0; i < now->defenses.n && i < was->defenses.n; i++)
        compare_members(a, now->defenses.at[i].label, &was->defenses.at[i].members,
                        &now->defenses.at[i].members);
    for (size_t i = 0; i < now->attacks.n && i < was->attacks.n; i++)
        compare_members(a, now->attacks.at[i].label, &was->attacks.at[i].members,
                        &now->attacks.at[i].members);
}

/* ---- audit ---- */

static int run_and_compare(audit *a, const gnt_result *of, gnt_err *err) {
    const gnt_outcomes *cells = &of->cells;
    gnt_run_options how = {.folder = a->scratch,
                           .data_folder = a->options->data_folder,
                           .jobs = a->options->jobs,
                           .quiet = 1,
                           .wanted = a->wanted,
                           .sandbox = a->options->sandbox,
                           .strength = a->strength};
    gnt_run_counts counts = {0};
    gnt_doc host;
    gnt_result fresh;
    if (gnt_run(a->suite, a->plan, &how, &counts, err) != 0)
        return -1;
    a->counts->interrupted = counts.interrupted;
    if (counts.interrupted)
        return 0;
    if (rerun_load(&host, a->scratch, "host.json", err) != 0)
        return -1;
    int rc = rerun_results(&fresh, a->scratch, a->suite, a->plan, err);
    if (rc == 0) {
        rc = check_data_was_read(a, host.root, cells, &fresh.cells, err);
        if (rc == 0)
            explain_data(a, host.root);
        if (rc == 0 && a->options->redrawn)
            rc = a->options->redrawn(a->user, a->scratch, err);
        else if (rc == 0) {
            compare_cells(a, cells, &fresh.cells);
            compare_controls(a, &of->tasks, &fresh.tasks);
            compare_plugins(a, of, &fresh);
        }
        gnt_result_free(&fresh);
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
    gnt_result of;
    *counts = (gnt_audit_counts){0};
    if (rerun_results(&of, options->folder, suite, plan, err) != 0)
        return -1;
    const gnt_outcomes *cells = &of.cells;
    int rc = choose_cells(&a, cells, err);
    if (rc == 0 && options->redrawn)
        rc = (a.strength = rerun_strengths(suite, plan, cells, a.wanted, err)) ? 0 : -1;
    if (rc == 0)
        rc = (a.scratch = rerun_scratch(err)) ? 0 : -1;
    if (rc == 0) {
        explain_differences(&a);
        compare_pictures(&a, cells);
        rc = run_and_compare(&a, &of, err);
    }
    rerun_remove(a.scratch);
    gnt_free(a.wanted);
    gnt_free(a.strength);
    gnt_result_free(&of);
    return rc;
}
