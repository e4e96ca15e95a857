/* What results.json repeats of the suite, and the cells of its plan: none left out, none added, none with
 * other coordinates. */
#include <string.h>

#include "base/mem.h"
#include "plugin/params.h"
#include "derive/derive.h"
#include "tally/tally_impl.h"

static json_t *requested(const tally *t, const char *list) {
    gnt_result all;
    json_t *root = NULL;
    gnt_result_clear(&all);
    if (gnt_derive_suite(&all, t->suite, &all.memory, NULL) == 0)
        root = gnt_fields_encode(&gnt_result_fields, &all, GNT_FIELDS_ALL);
    json_t *one = json_incref(json_object_get(root, list));
    json_decref(root);
    gnt_result_free(&all);
    return one;
}

static json_t *requested_cell(const tally *t, const gnt_cell *cell) {
    static const char *const drop[] = {"utility", "marks", "images"};
    gnt_outcome of;
    gnt_arena arena = {0};
    json_t *one = NULL;
    if (gnt_derive_cell(&of, t->suite, cell, &arena, NULL) == 0)
        one = gnt_fields_encode(&gnt_cell_fields, &of, GNT_FIELDS_ALL);
    for (size_t i = 0; i < 3; i++)
        json_object_del(one, drop[i]);
    gnt_arena_free(&arena);
    return one;
}

static const char gives[] = "suite.json beside it gives";

/* Members that files of earlier builds lack: where they are not there, nothing is said. A line for each. */
static const char *const newer[] = {"flags",   "observe_from", "stages_drawn", "seed_public",
                                    "surface", "adequate",     "equal_leakage"};
/* Members that stand there for some tasks and attacks alone: where the suite gives none, there is none. */
static const char *const optional[] = {"set", "epochs", "width", "public", "first_budget"};
enum { ALL_OF_IT, REST_WAS_MEASURED };
/* What only a descriptor says. */
static const char *const of_plugins[] = {"grants", "goals"};

#define COUNT(list) (sizeof(list) / sizeof *(list))

/* An entry of a list: all that the suite gives is there, and of what is optional nothing else. Takes `should`
 * over. */
static int same_entry(const tally *t, const char *path, const json_t *is, json_t *should, int rest) {
    const gnt_tally_says says = tally_says(t, gives);
    int rc = 0;
    for (size_t i = 0; i < COUNT(newer); i++)
        if (!json_object_get(is, newer[i]))
            json_object_del(should, newer[i]);
    for (size_t i = 0; rc == 0 && rest == ALL_OF_IT && i < COUNT(optional); i++)
        if (json_object_get(is, optional[i]) && !json_object_get(should, optional[i]))
            rc = gnt_tally_differs(&says, gnt_path_key(path, optional[i]).text,
                                   json_object_get(is, optional[i]), NULL);
    if (rc == 0)
        rc = gnt_tally_same(&says, path, is, should, 0, 0);
    json_decref(should);
    return rc;
}

static int same_size(const tally *t, const char *list, size_t should) {
    const json_t *is = json_object_get(t->root, list);
    if (json_is_array(is) && json_array_size(is) == should)
        return 0;
    return gnt_fail(t->err, "%s: %s has %zu entries, but %s %zu", t->file, list, json_array_size(is), gives,
                    should);
}

/* ---- the head ---- */

static json_t *read_json(const char *text) {
    return text ? json_loads(text, 0, NULL) : json_null();
}

static int check_head(const tally *t) {
    static const char *const keys[] = {"suite",  "title",    "suite_digest", "scale", "check",
                                       "tables", "baseline", "facts",        "points"};
    const gnt_suite *s = t->suite;
    const gnt_tally_says says = tally_says(t, gives);
    json_t *should =
        json_pack("{s:s, s:s, s:s, s:o, s:o, s:o}", keys[0], s->name, keys[1], s->title, keys[2], s->digest,
                  keys[4], read_json(s->check), keys[5], read_json(s->tables), keys[7], read_json(s->facts));
    if (s->scale)
        json_object_set_new(should, keys[3],
                            json_pack("{s:s, s:s}", "name", s->scale, "says", s->scale_says));
    if (s->baseline)
        json_object_set_new(should, keys[6], requested(t, "baseline"));
    if (s->points)
        json_object_set_new(should, keys[8], json_integer((json_int_t)s->points));
    int rc = should ? 0 : gnt_fail(t->err, "%s: out of memory", t->file);
    for (size_t i = 0; rc == 0 && i < COUNT(keys); i++)
        rc = gnt_tally_same(&says, keys[i], json_object_get(t->root, keys[i]),
                            json_object_get(should, keys[i]), 0, 1);
    json_decref(should);
    return rc;
}

/* ---- tasks, models, defenses, attacks ---- */

/* A data set of files that are not here, or need not be those of the run: that the digest is another proves
 * nothing. */
static int is_assumed(const tally *t, const gnt_suite_task *task) {
    return json_object_get(t->assumed, task->data) ||
           (task->public_set.data && json_object_get(t->assumed, task->public_set.data));
}

static int check_tasks(const tally *t) {
    json_t *should = requested(t, "tasks");
    int rc = same_size(t, "tasks", t->suite->n_tasks);
    for (size_t i = 0; rc == 0 && i < t->suite->n_tasks; i++) {
        const json_t *is = json_array_get(t->tasks, i);
        json_t *one = json_incref(json_array_get(should, i));
        const gnt_suite_task *task = &t->suite->task[i];
        json_object_del(one, "public_only");
        if (is_assumed(t, task) && strcmp(tally_text(is, "digest"), task->digest) != 0) {
            json_object_del(one, "digest");
            json_object_del(one, "targets");
            t->out->unproven[t->out->n_unproven++] = tally_text(is, "id");
            tally_note(t,
                       "tasks[%zu].digest could not be checked: the files of %s are not here, or not those "
                       "of the run",
                       i, task->data);
        }
        rc = same_entry(t, gnt_path_item("tasks", i).text, is, one, ALL_OF_IT);
    }
    json_decref(should);
    return rc;
}

static int check_models(const tally *t) {
    const json_t *list = json_object_get(t->root, "models");
    int rc = t->suite->n_models || json_array_size(list) ? same_size(t, "models", t->suite->n_models) : 0;
    for (size_t i = 0; rc == 0 && i < t->suite->n_models; i++) {
        const gnt_suite_task *m = &t->suite->model[i].of;
        rc = same_entry(t, gnt_path_item("models", i).text, json_array_get(list, i),
                        json_pack("{s:s, s:s, s:s, s:b}", "id", m->id, "model", m->model, "data", m->data,
                                  "weights_given", m->weights != NULL),
                        REST_WAS_MEASURED);
    }
    return rc;
}

/* What a stand-in has where the suite says nothing is what the first entry that names it has, and proves
 * nothing of another. */
static void drop_defaults(json_t *params, const gnt_plugin_info *info) {
    gnt_params values;
    const char *name;
    json_t *value;
    if (gnt_params_read(&values, info->parameters, info->n_parameters, NULL, "", NULL, NULL) != 0)
        return;
    char *text = gnt_params_canonical(&values);
    json_t *defaults = text ? json_loads(text, 0, NULL) : NULL;
    json_object_foreach(defaults, name, value) if (json_equal(json_object_get(params, name), value))
        json_object_del(params, name);
    json_decref(defaults);
    gnt_free(text);
    gnt_params_free(&values);
}

/* Flags and families of a plugin that is not here, and parameters that the suite does not give it, are what
 * the run says of them. */
static void drop_standins(json_t *entry, const gnt_plugin_info *const *info, size_t n) {
    const json_t *members = json_object_get(entry, "members");
    for (size_t i = 0; i < n; i++)
        if (tally_is_standin(info[i])) {
            json_object_del(json_array_get(members, i), "flags");
            json_object_del(json_array_get(members, i), "families");
            drop_defaults(json_object_get(json_array_get(members, i), "params"), info[i]);
        }
}

/* Files of earlier builds say nothing of families. */
static void drop_families(const json_t *is, const json_t *should) {
    const json_t *members = json_object_get(is, "members"), *asked = json_object_get(should, "members");
    for (size_t i = 0; i < json_array_size(asked); i++)
        if (!json_object_get(json_array_get(members, i), "families"))
            json_object_del(json_array_get(asked, i), "families");
}

static int check_defenses(const tally *t) {
    json_t *should = requested(t, "defenses");
    int rc = same_size(t, "defenses", t->suite->n_defenses);
    for (size_t i = 0; rc == 0 && i < t->suite->n_defenses; i++) {
        const gnt_suite_defense *d = &t->suite->defense[i];
        const gnt_plugin_info *info[GNT_SUITE_MOST_MEMBERS];
        json_t *one = json_incref(json_array_get(should, i));
        for (size_t k = 0; k < d->n_members; k++)
            info[k] = d->member[k].info;
        drop_standins(one, info, d->n_members);
        drop_families(json_array_get(json_object_get(t->root, "defenses"), i), one);
        rc = same_entry(t, gnt_path_item("defenses", i).text,
                        json_array_get(json_object_get(t->root, "defenses"), i), one, ALL_OF_IT);
    }
    json_decref(should);
    return rc;
}

static int check_attacks(const tally *t) {
    json_t *should = requested(t, "attacks");
    int rc = same_size(t, "attacks", t->suite->n_attacks);
    for (size_t i = 0; rc == 0 && i < t->suite->n_attacks; i++) {
        const gnt_suite_attack *a = &t->suite->attack[i];
        const gnt_plugin_info *info[] = {a->first.info ? a->first.info : a->member.info, a->member.info};
        json_t *one = json_incref(json_array_get(should, i));
        drop_standins(one, info, a->first.info ? 2 : 1);
        drop_families(json_array_get(json_object_get(t->root, "attacks"), i), one);
        rc = same_entry(t, gnt_path_item("attacks", i).text,
                        json_array_get(json_object_get(t->root, "attacks"), i), one, ALL_OF_IT);
    }
    json_decref(should);
    return rc;
}

/* ---- cells ---- */

/* One that the plan leaves out is left out; "unfinished" in a part of a run. One that it runs may still not
 * apply: a job said so, which the file cannot show. */
static int check_status(const tally *t, const char *path, size_t i, const json_t *is) {
    const int planned_na = t->plan->cell[i].reason != NULL;
    const char *status = tally_text(is, "status");
    t->out->na_shown[i] = (uint8_t)planned_na;
    if (!planned_na || strcmp(status, "n/a") == 0 || strcmp(status, "unfinished") == 0)
        return 0;
    return gnt_fail(t->err, "%s: %s is %s, but by the plan of suite.json beside it the cell is n/a: %s",
                    t->file, gnt_path_key(path, "status").text, gnt_show(json_object_get(is, "status")).text,
                    t->plan->cell[i].reason);
}

static int check_cells(const tally *t) {
    static const char *const ran[] = {"strength", "status", "reason", "matched"};
    int rc = 0;
    for (size_t i = 0; rc == 0 && i < t->plan->n && i < json_array_size(t->cells); i++) {
        const gnt_cell *cell = &t->plan->cell[i];
        const json_t *is = json_array_get(t->cells, i);
        const gnt_path at = gnt_path_item("cells", i);
        json_t *should = requested_cell(t, cell);
        for (size_t k = 0; k < COUNT(ran); k++)
            json_object_del(should, ran[k]);
        for (size_t k = 0; k < COUNT(of_plugins); k++)
            if (tally_unknown_defense(&t->suite->defense[cell->defense]) ||
                tally_unknown_attack(&t->suite->attack[cell->attack]))
                json_object_del(should, of_plugins[k]);
        rc = same_entry(t, at.text, is, should, REST_WAS_MEASURED);
        if (rc == 0)
            rc = check_status(t, at.text, i, is);
    }
    return rc || same_size(t, "cells", t->plan->n) ? -1 : 0;
}

static void note_standins(const tally *t) {
    for (size_t i = 0; i < t->suite->n_defenses; i++)
        if (tally_unknown_defense(&t->suite->defense[i]))
            tally_note(
                t,
                "the plugin of defense %s is not here in the run's version: what its descriptor decides "
                "(grants, goals, whether attacks apply, an unmatched verdict) could not be checked",
                t->suite->defense[i].label);
    for (size_t i = 0; i < t->suite->n_attacks; i++)
        if (tally_unknown_attack(&t->suite->attack[i]))
            tally_note(
                t,
                "the plugin of attack %s is not here in the run's version: what its descriptor decides "
                "(grants, goals, whether it applies) could not be checked",
                t->suite->attack[i].label);
}

int tally_check_plan(const tally *t) {
    if (check_head(t) || check_tasks(t) || check_models(t) || check_defenses(t) || check_attacks(t) ||
        check_cells(t))
        return -1;
    note_standins(t);
    return 0;
}
