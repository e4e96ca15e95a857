/* What results.json repeats of the suite, and the cells of its plan: none left out, none added, none with
 * other coordinates. */
#include <math.h>
#include <string.h>

#include "base/mem.h"
#include "check/check_impl.h"
#include "derive/derive.h"
#include "plugin/params.h"

#define COUNT(list) (sizeof(list) / sizeof *(list))

static const char gives[] = "suite.json beside it gives";

static int same_size(const check *c, const char *list, size_t is, size_t should) {
    return is == should
               ? 0
               : gnt_fail(c->err, "%s: %s has %zu entries, but %s %zu", c->file, list, is, gives, should);
}

/* ---- the head ---- */

static int check_head(const check *c) {
    static const size_t members[] = {offsetof(gnt_result, suite),        offsetof(gnt_result, title),
                                     offsetof(gnt_result, suite_digest), offsetof(gnt_result, scale),
                                     offsetof(gnt_result, check),        offsetof(gnt_result, tables),
                                     offsetof(gnt_result, baseline),     offsetof(gnt_result, facts),
                                     offsetof(gnt_result, points),       offsetof(gnt_result, run_class)};
    const check_says says = {.of = c, .because = gives};
    return check_members(&says, &gnt_result_fields, "", c->of, c->should, members, COUNT(members));
}

/* ---- tasks, models, defenses, attacks ---- */

/* True for a data set of files that are not here, or need not be those of the run: that the digest differs
 * proves nothing. */
static int is_assumed(const check *c, const gnt_suite_task *task) {
    return json_object_get(c->assumed, task->data) ||
           (task->public_set.data && json_object_get(c->assumed, task->public_set.data)) ||
           (task->prior_set.data && json_object_get(c->assumed, task->prior_set.data));
}

/* Notes that drawn rounds could not be checked without the run key, but that each lies in its part of the
 * training and that all cells of a training run agree. */
static void note_drawn(const check *c) {
    int any = 0;
    for (size_t i = 0; i < c->suite->n_tasks; i++)
        any |= c->suite->task[i].stages_drawn > 0;
    if (any && c->suite->key_unknown)
        check_note(
            c, "cells.round: which rounds were drawn could not be checked: the file that the suite names as "
               "key_file is not here; give it as --key FILE");
}

static int check_tasks(const check *c) {
    const check_says says = {.of = c, .because = gives};
    const gnt_result_tasks *list = &c->of->tasks;
    int rc = same_size(c, "tasks", list->n, c->suite->n_tasks);
    if (rc == 0)
        note_drawn(c);
    for (size_t i = 0; rc == 0 && i < list->n; i++) {
        const gnt_result_task *is = &list->at[i];
        gnt_result_task should = c->should->tasks.at[i];
        should.public_only = is->public_only; /* which was measured */
        if (is_assumed(c, &c->suite->task[i]) && strcmp(is->digest, should.digest) != 0) {
            should.digest = is->digest;
            should.targets = is->targets;
            c->out->unproven[c->out->n_unproven++] = is->id;
            check_note(c,
                       "tasks[%zu].digest could not be checked: the files of %s are not here, or not those "
                       "of the run",
                       i, is->data);
        }
        rc = check_same(&says, &gnt_task_fields, gnt_path_item("tasks", i).text, is, &should);
    }
    return rc;
}

static int check_models(const check *c) {
    static const size_t members[] = {offsetof(gnt_result_model, id), offsetof(gnt_result_model, model),
                                     offsetof(gnt_result_model, data),
                                     offsetof(gnt_result_model, weights_given)};
    const check_says says = {.of = c, .because = gives};
    int rc = same_size(c, "models", c->of->models.n, c->should->models.n);
    for (size_t i = 0; rc == 0 && i < c->of->models.n; i++)
        rc = check_members(&says, &gnt_model_fields, gnt_path_item("models", i).text, &c->of->models.at[i],
                           &c->should->models.at[i], members, COUNT(members));
    return rc;
}

/* Takes away the parameters of a stand-in that have its defaults: what it has where the suite says nothing is
 * what the first entry that names it has, and proves nothing of another. */
static const char *without_defaults(const char *params, const gnt_plugin_info *info, gnt_arena *arena) {
    gnt_params values;
    const char *name;
    json_t *value;
    if (gnt_params_read(&values, info->parameters, info->n_parameters, NULL, "", NULL, NULL) != 0)
        return params;
    char *text = gnt_params_canonical(&values);
    json_t *defaults = text ? json_loads(text, 0, NULL) : NULL, *left = json_loads(params, 0, NULL);
    json_object_foreach(defaults, name, value) if (json_equal(json_object_get(left, name), value))
        json_object_del(left, name);
    char *rest = json_dumps(left, JSON_COMPACT | JSON_REAL_PRECISION(15));
    const char *copy = gnt_arena_text(arena, rest);
    gnt_free(rest);
    gnt_free(text);
    json_decref(left);
    json_decref(defaults);
    gnt_params_free(&values);
    return copy;
}

/* Replaces what cannot be checked of plugins that are not here by what the run says: flags, hooks, families,
 * and parameters that the suite does not give. */
static gnt_result_members expected_members(const gnt_result_members *is, const gnt_result_members *should,
                                           const gnt_plugin_info *const *info, gnt_arena *arena) {
    gnt_result_member *list = gnt_arena_copy(arena, should->at, should->n, sizeof *list);
    for (size_t i = 0; list && i < should->n && i < is->n; i++)
        if (check_is_standin(info[i])) {
            list[i].flags = is->at[i].flags;
            list[i].hooks = is->at[i].hooks;
            list[i].families = is->at[i].families;
            list[i].params = without_defaults(list[i].params, info[i], arena);
        }
    return (gnt_result_members){list, should->n};
}

static int check_defenses(const check *c, gnt_arena *arena) {
    const check_says says = {.of = c, .because = gives, .may_have_more = 1};
    int rc = same_size(c, "defenses", c->of->defenses.n, c->suite->n_defenses);
    for (size_t i = 0; rc == 0 && i < c->of->defenses.n; i++) {
        const gnt_suite_defense *d = &c->suite->defense[i];
        const gnt_result_defense *is = &c->of->defenses.at[i];
        const gnt_plugin_info *info[GNT_SUITE_MOST_MEMBERS];
        gnt_result_defense should = c->should->defenses.at[i];
        for (size_t k = 0; k < d->n_members; k++)
            info[k] = d->member[k].info;
        should.members = expected_members(&is->members, &should.members, info, arena);
        rc = check_same(&says, &gnt_defense_fields, gnt_path_item("defenses", i).text, is, &should);
    }
    return rc;
}

static int check_attacks(const check *c, gnt_arena *arena) {
    const check_says says = {.of = c, .because = gives, .may_have_more = 1};
    int rc = same_size(c, "attacks", c->of->attacks.n, c->suite->n_attacks);
    for (size_t i = 0; rc == 0 && i < c->of->attacks.n; i++) {
        const gnt_suite_attack *a = &c->suite->attack[i];
        const gnt_result_attack *is = &c->of->attacks.at[i];
        const gnt_plugin_info *info[] = {a->first.info ? a->first.info : a->member.info, a->member.info};
        gnt_result_attack should = c->should->attacks.at[i];
        should.members = expected_members(&is->members, &should.members, info, arena);
        rc = check_same(&says, &gnt_attack_fields, gnt_path_item("attacks", i).text, is, &should);
    }
    return rc;
}

/* ---- cells ---- */

/* Checks a cell's status. A cell that the plan leaves out did not run; it is "unfinished" in a part of a run.
 * A cell that the plan includes may still be n/a: a job found that, which the file cannot show. */
static int check_status(const check *c, const char *path, size_t i) {
    const char *reason = c->plan->cell[i].reason;
    const gnt_cell_status status = c->of->cells.at[i].status;
    c->out->na_shown[i] = reason != NULL;
    if (!reason || status == GNT_CELL_NA || status == GNT_CELL_UNFINISHED)
        return 0;
    return gnt_fail(c->err, "%s: %s is \"%s\", but by the plan of suite.json beside it the cell is n/a: %s",
                    c->file, gnt_path_key(path, "status").text, gnt_status_name(status), reason);
}

static int check_cell(const check *c, size_t i, gnt_arena *arena) {
    static const size_t members[] = {
        offsetof(gnt_outcome, id),    offsetof(gnt_outcome, task),    offsetof(gnt_outcome, stage),
        offsetof(gnt_outcome, round), offsetof(gnt_outcome, defense), offsetof(gnt_outcome, plugin),
        offsetof(gnt_outcome, mode),  offsetof(gnt_outcome, attack),  offsetof(gnt_outcome, attack_plugin),
        offsetof(gnt_outcome, seed),  offsetof(gnt_outcome, surface), offsetof(gnt_outcome, grants),
        offsetof(gnt_outcome, goals)};
    enum { OF_PLUGINS = 2 }; /* at the end of members: what only a descriptor says */
    const check_says says = {.of = c, .because = gives};
    const gnt_cell *cell = &c->plan->cell[i];
    const gnt_path at = gnt_path_item("cells", i);
    const int is_known = !check_unknown_defense(&c->suite->defense[cell->defense]) &&
                         !check_unknown_attack(&c->suite->attack[cell->attack]);
    gnt_outcome should;
    if (gnt_derive_cell(&should, c->suite, cell, arena, c->err) != 0 ||
        check_members(&says, &gnt_cell_fields, at.text, &c->of->cells.at[i], &should, members,
                      COUNT(members) - (is_known ? 0 : OF_PLUGINS)) != 0)
        return -1;
    return check_status(c, at.text, i);
}

static int check_planned_cells(const check *c) {
    int rc = 0;
    for (size_t i = 0; rc == 0 && i < c->plan->n && i < c->of->cells.n; i++) {
        gnt_arena arena = {0};
        rc = check_cell(c, i, &arena);
        gnt_arena_free(&arena);
    }
    return rc || same_size(c, "cells", c->of->cells.n, c->plan->n) ? -1 : 0;
}

static void note_standins(const check *c) {
    for (size_t i = 0; i < c->suite->n_defenses; i++)
        if (check_unknown_defense(&c->suite->defense[i]))
            check_note(
                c,
                "the plugin of defense %s is not here in the run's version: what its descriptor decides "
                "(grants, goals, whether attacks apply, an unmatched verdict) could not be checked",
                c->suite->defense[i].label);
    for (size_t i = 0; i < c->suite->n_attacks; i++)
        if (check_unknown_attack(&c->suite->attack[i]))
            check_note(
                c,
                "the plugin of attack %s is not here in the run's version: what its descriptor decides "
                "(grants, goals, whether it applies) could not be checked",
                c->suite->attack[i].label);
}

int check_plan(const check *c) {
    gnt_arena arena = {0};
    int rc = check_head(c) || check_tasks(c) || check_models(c) || check_defenses(c, &arena) ||
             check_attacks(c, &arena) || check_planned_cells(c);
    gnt_arena_free(&arena);
    if (rc == 0)
        note_standins(c);
    return rc ? -1 : 0;
}
