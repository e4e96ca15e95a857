/* Keeps of a run the members that tables read. One entry of a list is on one line, so
 * that a new run differs from the last in the lines that changed. */
#include "scores.h"

#include <math.h>
#include <string.h>

#include "base/json.h"
#include "base/mem.h"
#include "differences.h"
#include "judge/bounds.h"
#include "judge/curve.h"

#define COUNT(a) (sizeof(a) / sizeof *(a))

static const char *const of_root[] = {"format", "suite", "title", "suite_digest", "scale"};
static const char *const of_task[] = {"id",      "digest",       "data",         "model",   "utility",
                                      "surface", "observe_from", "rounds",       "targets", "stages",
                                      "batch",   "local_steps",  "stages_drawn", "width",   "attribute",
                                      "weights", "seed_public",  "public_only",  "adequate"};
static const char *const of_plugin[] = {"label", "plugin"};
static const char *const of_member[] = {"id", "families"};
static const char *const of_group[] = {"task",   "stage",   "defense", "strength", "mode",   "attack",
                                       "status", "n_cells", "n_ok",    "matched",  "utility"};
static const char *const of_cell[] = {"task", "stage",    "defense", "attack",
                                      "mode", "strength", "seed",    "status"};
/* the first ones always, each of the others where a table of the suite's own shows it */
static const char *const of_stat[] = {"mean", "low", "high", "deviation", "worst", "median"};
enum { PLAIN_STATS = 3 };
static const char *const of_equal[] = {"task",    "stage",   "defense", "attack", "measure",
                                       "leakage", "utility", "low",     "high",   "strengths"};
static const char *const measures[] = {"psnr", "identification", "attribute_balanced",
                                       "attribute_relabelled"};
static const char *const facts[] = {
    "similarity_auc", "similarity_auc_visible", "assigned", "weight_correlation", "psnr_quartile_1",
    "psnr_median",    "psnr_quartile_3",        "psnr_16",  "information"};

/* The members of `from` that are listed; NULL when out of memory. */
static json_t *some(const json_t *from, const char *const *keys, size_t n) {
    json_t *to = json_object();
    for (size_t i = 0; to && i < n; i++) {
        json_t *value = json_object_get(from, keys[i]);
        if (value && json_object_set(to, keys[i], value)) {
            json_decref(to);
            to = NULL;
        }
    }
    return to;
}

/* 1 where a line of a table names what is wanted, of any attack or of this one. */
static int names(const json_t *line, const char *key, const char *wanted, const char *attack) {
    const char *name = json_string_value(json_object_get(line, key));
    const char *only = json_string_value(json_object_get(line, "attack"));
    return name && !strcmp(name, wanted) && (!attack || !only || !strcmp(only, attack));
}

/* 1 where a table of the suite's own names a measure or a fact: all of it, a row or a column.
 * attack: NULL for cells of any. */
static int is_shown(const json_t *tables, const char *key, const char *wanted, const char *attack) {
    static const char *const parts[] = {"rows", "columns"};
    for (size_t i = 0; i < json_array_size(tables); i++) {
        const json_t *table = json_array_get(tables, i);
        if (names(table, key, wanted, attack))
            return 1;
        for (size_t part = 0; part < COUNT(parts); part++) {
            const json_t *lines = json_object_get(table, parts[part]);
            for (size_t k = 0; k < json_array_size(lines); k++)
                if (names(json_array_get(lines, k), key, wanted, attack))
                    return 1;
        }
    }
    return 0;
}

static int is_kept(const json_t *tables, const char *measure) {
    for (size_t i = 0; i < COUNT(measures); i++)
        if (!strcmp(measure, measures[i]))
            return 1;
    return is_shown(tables, "measure", measure, NULL);
}

/* Returns what is kept of a measure's numbers over targets; NULL when out of memory. */
static json_t *keep_stat(const json_t *tables, const json_t *stat) {
    const char *shown[COUNT(of_stat)];
    size_t n = 0;
    for (size_t i = 0; i < COUNT(of_stat); i++)
        if (i < PLAIN_STATS || is_shown(tables, "show", of_stat[i], NULL))
            shown[n++] = of_stat[i];
    return some(stat, shown, n);
}

static int keep_group(const json_t *tables, const json_t *group, json_t *to) {
    json_t *stats = json_object(), *floors = json_object(), *chance = json_object(), *value;
    const json_t *floor = json_object_get(group, "floors"), *by_chance = json_object_get(group, "chance");
    const char *name;
    int failed = json_object_set_new(to, "measures", stats) | json_object_set_new(to, "floors", floors) |
                 json_object_set_new(to, "chance", chance);
    json_object_foreach(json_object_get(group, "measures"), name, value) {
        if (failed || !is_kept(tables, name))
            continue;
        failed |= json_object_set_new(stats, name, keep_stat(tables, value));
        if (json_object_get(floor, name))
            failed |= json_object_set(floors, name, json_object_get(floor, name));
        if (json_object_get(by_chance, name))
            failed |= json_object_set(chance, name, json_object_get(by_chance, name));
    }
    return failed ? -1 : 0;
}

/* ---- cells: most are joined in their group, and left out ---- */

/* 1 where a cell is the first of its training, whose utility is compared with that of public data alone. */
static int is_first_of_training(const gnt_results *r, size_t at) {
    const gnt_outcome *c = &r->cell[at];
    if ((c->mode != GNT_ROW_NONE && c->mode != GNT_ROW_MATCHED) || isnan(c->utility.value))
        return 0;
    for (size_t i = 0; i < at; i++) {
        const gnt_outcome *o = &r->cell[i];
        if (o->seed == c->seed && o->mode == c->mode && !isnan(o->utility.value) &&
            !strcmp(o->task, c->task) && !strcmp(o->defense, c->defense))
            return 0;
    }
    return 1;
}

/* Keeps the MSE of each target where targets are counted; its id and numbers where differences need them. */
static int keep_targets(const json_t *cell, const differences *w, int counted, json_t *to) {
    const char *keys[2 + GNT_MEASURES];
    const json_t *targets = json_object_get(cell, "targets");
    const json_t *labels = json_object_get(json_object_get(cell, "measures"), "label_accuracy");
    json_t *list = json_array();
    size_t n = 0;
    int failed = json_object_set_new(to, "targets", list);
    if (counted)
        keys[n++] = "mse";
    if (w->measures)
        keys[n++] = "id";
    for (size_t m = 0; m < GNT_MEASURES; m++)
        if (w->measure[m])
            keys[n++] = gnt_measure_at(m)->name;
    for (size_t i = 0; i < json_array_size(targets); i++)
        failed |= json_array_append_new(list, some(json_array_get(targets, i), keys, n));
    if (counted && labels)
        failed |= json_object_set_new(
            to, "measures", json_pack("{s:o}", "label_accuracy", some(labels, of_stat, PLAIN_STATS)));
    return failed ? -1 : 0;
}

/* One target that stands for all: its numbers are their means. */
static int keep_mean_target(const json_t *cell, const differences *w, json_t *to) {
    const json_t *targets = json_object_get(cell, "targets");
    const size_t n = json_array_size(targets);
    json_t *one = json_pack("{s:i}", "id", 0);
    int failed = json_object_set_new(to, "targets", json_pack("[o]", one));
    for (size_t m = 0; !failed && m < GNT_MEASURES; m++) {
        double sum = 0;
        for (size_t i = 0; w->measure[m] && i < n; i++)
            sum += json_number_value(json_object_get(json_array_get(targets, i), gnt_measure_at(m)->name));
        if (w->measure[m])
            failed |= json_object_set_new(one, gnt_measure_at(m)->name, json_real(sum / (double)n));
    }
    return failed ? -1 : 0;
}

/* All of a training's first cell; else the number, and what bounds and differences need in addition. */
static int keep_utility(const json_t *cell, const differences *w, int first, int bounds, json_t *to) {
    const char *keys[4] = {"measure", "value"};
    const json_t *utility = json_object_get(cell, "utility");
    size_t n = 2;
    if (bounds)
        keys[n++] = "by_value";
    if (w->other)
        keys[n++] = "beside";
    return first ? json_object_set(to, "utility", (json_t *)(uintptr_t)utility)
                 : json_object_set_new(to, "utility", some(utility, keys, n));
}

/* 1 when a cell is on the curve of a matched defense, by which it is read at the target utility. */
static int is_on_curve(const gnt_results *r, const gnt_outcome *c) {
    for (size_t i = 0; i < r->n_match; i++)
        if (!strcmp(r->match[i].task, c->task) && !strcmp(r->match[i].defense, c->defense))
            return gnt_on_curve(c);
    return 0;
}

/* A ranking compares defenses by the means of their training runs, under attacks that may know them. */
static int is_ranked(const gnt_results *r, const gnt_outcome *c) {
    return (c->mode != GNT_ROW_SWEEP || is_on_curve(r, c)) && c->status == GNT_CELL_OK && c->n_score > 0;
}

static int keep_means(const json_t *cell, json_t *to) {
    static const char *const mean[] = {"mean"};
    json_t *all = json_object_get(to, "measures"), *value;
    const json_t *grants = json_object_get(cell, "grants");
    const char *name;
    int failed = !all && json_object_set_new(to, "measures", json_object());
    all = json_object_get(to, "measures");
    json_object_foreach(json_object_get(cell, "measures"), name, value) {
        if (is_kept(NULL, name) && !json_object_get(all, name))
            failed |= json_object_set_new(all, name, some(value, mean, 1));
    }
    if (json_array_size(grants) > 0)
        failed |= json_object_set(to, "grants", (json_t *)(uintptr_t)grants);
    return failed ? -1 : 0;
}

/* The facts of a cell that tables show; NULL when out of memory. */
static json_t *keep_facts(const gnt_outcome *c, const json_t *cell, const json_t *tables) {
    const json_t *all = json_object_get(cell, "facts");
    json_t *found = some(all, facts, COUNT(facts)), *value;
    const char *name;
    json_object_foreach((json_t *)(uintptr_t)all, name, value) {
        if (found && is_shown(tables, "fact", name, c->attack) && json_object_set(found, name, value)) {
            json_decref(found);
            found = NULL;
        }
    }
    return found;
}

/* Appends what is kept of a cell, if anything is. */
static int keep_cell(const gnt_results *r, size_t at, const json_t *cell, const json_t *tables, int by_means,
                     json_t *list) {
    const gnt_outcome *c = &r->cell[at];
    json_t *found = keep_facts(c, cell, tables), *to = some(cell, of_cell, COUNT(of_cell));
    const int first = is_first_of_training(r, at), counted = scores_is_counted(r, c);
    const int has_facts = json_object_size(found) > 0, ranked = is_ranked(r, c),
              bounds = gnt_bounds_uses_cell(r, at);
    const differences w = differences_of(r, c);
    int failed = !found || !to;
    if (!failed && c->matched)
        failed |= json_object_set_new(to, "matched", json_true());
    if (!failed && (first || bounds || w.utility || (ranked && is_on_curve(r, c))))
        failed |= keep_utility(cell, &w, first, bounds, to);
    if (!failed && has_facts)
        failed |= json_object_set(to, "facts", found);
    if (!failed && c->marks.n > 0)
        failed |= json_object_set(to, "marks", json_object_get(cell, "marks"));
    if (!failed && w.measures && by_means && !counted)
        failed |= keep_mean_target(cell, &w, to);
    else if (!failed && (counted || w.measures))
        failed |= keep_targets(cell, &w, counted, to);
    if (!failed && ranked)
        failed |= keep_means(cell, to);
    if (!failed &&
        (first || bounds || has_facts || c->marks.n > 0 || counted || w.measures || w.utility || ranked))
        failed |= json_array_append(list, to);
    json_decref(found);
    json_decref(to);
    return failed ? -1 : 0;
}

/* ---- the file ---- */

static int add_line(gnt_text *out, const char *end, const json_t *value) {
    char *line = gnt_json_canonical(value);
    if (line)
        gnt_text_add(out, "%s%s", line, end);
    gnt_free(line);
    return line ? 0 : -1;
}

/* "NAME": a list with an entry a line; takes the list over. */
static int add_list(gnt_text *out, const char *name, json_t *list, int failed) {
    gnt_text_add(out, ",\n\"%s\": [", name);
    for (size_t i = 0; !failed && i < json_array_size(list); i++) {
        gnt_text_add(out, i ? ",\n" : "\n");
        failed |= add_line(out, "", json_array_get(list, i));
    }
    gnt_text_add(out, "]");
    json_decref(list);
    return failed;
}

static int add_some(gnt_text *out, const json_t *root, const char *name, const char *const *keys, size_t n) {
    const json_t *from = json_object_get(root, name);
    json_t *list = json_array();
    int failed = !list;
    for (size_t i = 0; i < json_array_size(from); i++)
        failed |= json_array_append_new(list, keys ? some(json_array_get(from, i), keys, n)
                                                   : json_incref(json_array_get(from, i)));
    return add_list(out, name, list, failed);
}

/* Defenses or attacks: labels, and of each member what a ranking needs. */
static int add_plugins(gnt_text *out, const json_t *root, const char *name) {
    const json_t *from = json_object_get(root, name);
    json_t *list = json_array();
    int failed = !list;
    for (size_t i = 0; !failed && i < json_array_size(from); i++) {
        const json_t *members = json_object_get(json_array_get(from, i), "members");
        json_t *to = some(json_array_get(from, i), of_plugin, COUNT(of_plugin)), *kept = json_array();
        failed |= !to || json_object_set(to, "members", kept) || json_array_append(list, to);
        for (size_t k = 0; !failed && k < json_array_size(members); k++)
            failed |=
                json_array_append_new(kept, some(json_array_get(members, k), of_member, COUNT(of_member)));
        json_decref(to);
        json_decref(kept);
    }
    return add_list(out, name, list, failed);
}

static int add_groups(gnt_text *out, const json_t *root) {
    const json_t *from = json_object_get(root, "groups"), *tables = json_object_get(root, "tables");
    json_t *list = json_array();
    int failed = !list;
    for (size_t i = 0; !failed && i < json_array_size(from); i++) {
        const json_t *group = json_array_get(from, i);
        json_t *to = some(group, of_group, COUNT(of_group));
        failed |= !to || keep_group(tables, group, to) | json_array_append(list, to);
        json_decref(to);
    }
    return add_list(out, "groups", list, failed);
}

/* Adds what defenses leave at the leakages that a suite lists. */
static int add_equal(gnt_text *out, const gnt_results *r, const json_t *root) {
    const json_t *from = json_object_get(root, "equal_leakage");
    json_t *list = json_array();
    int failed = !list;
    for (size_t i = 0; !failed && i < json_array_size(from); i++)
        if (scores_compares_leakages(r, i))
            failed |= json_array_append_new(list, some(json_array_get(from, i), of_equal, COUNT(of_equal)));
    if (!failed && json_array_size(list) == 0) {
        json_decref(list);
        return 0;
    }
    return add_list(out, "equal_leakage", list, failed);
}

static int add_cells(gnt_text *out, const gnt_results *r, const json_t *root) {
    const json_t *from = json_object_get(root, "cells"), *tables = json_object_get(root, "tables");
    const int by_means = differences_need_means(r);
    json_t *list = json_array();
    int failed = !list;
    for (size_t i = 0; !failed && i < r->n_cell; i++)
        failed |= keep_cell(r, i, json_array_get(from, i), tables, by_means, list);
    return add_list(out, "cells", list, failed);
}

int scores_keep(const scores *s, gnt_text *out, gnt_err *err) {
    json_t *root = gnt_fields_encode(&gnt_result_fields, s->results.file, GNT_FIELDS_ALL);
    json_t *head = some(root, of_root, COUNT(of_root));
    int failed = !head || json_object_set(head, "host", s->host);
    size_t n = 0;
    const char *name;
    json_t *value;
    json_object_foreach(head, name, value) {
        gnt_text_add(out, "%s\"%s\": ", n++ ? ",\n" : "{\n", name);
        failed |= add_line(out, "", value);
    }
    failed |= add_some(out, root, "tasks", of_task, COUNT(of_task));
    failed |= add_some(out, root, "models", NULL, 0);
    failed |= add_plugins(out, root, "defenses") | add_plugins(out, root, "attacks");
    failed |= add_some(out, root, "tables", NULL, 0);
    failed |= add_some(out, root, "matches", NULL, 0);
    failed |= add_equal(out, &s->results, root) | add_groups(out, root) | add_cells(out, &s->results, root);
    gnt_text_add(out, "\n}\n");
    json_decref(head);
    json_decref(root);
    return failed || out->failed ? gnt_fail(err, "out of memory for what is kept of a run") : 0;
}
