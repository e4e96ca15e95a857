/* Baselines and chance: the score of a guess without an observation. They depend on a task's targets and
 * public rows of a seed, not on the defense or the attack, so that all cells of a task and seed have the
 * same. In the round each stage has targets of its own; and if any member of a client's set, or any of its
 * rows, may be behind an answer, a guess has the same choice. */
#include <string.h>

#include "base/mem.h"
#include "check/check_impl.h"

/* Returns whether baselines are the same for all cells of a seed. They are not for a secure sum, where they
 * depend on what the defense makes clients contribute, nor for encoded sets, where they depend on which
 * samples were encoded. */
static int in_common(const check *c, const gnt_outcome *cell, const char *measure) {
    const gnt_result_task *task = check_task(c, cell);
    return strncmp(measure, "contribution_", 13) != 0 && !(task && task->set >= 0);
}

/* Returns the task and the defense of a cell in one text, which the caller frees; NULL: out of memory. */
static char *defended_task(const gnt_outcome *cell) {
    return gnt_format("%s/%s", cell->task, cell->defense);
}

static int is_by_members(const gnt_outcome *cell, const json_t *by_members) {
    char *name = defended_task(cell);
    const int found = name && json_object_get(by_members, name) != NULL;
    gnt_free(name);
    return found;
}

/* Returns a name of the targets of a cell, the same in all cells that have them; an attack on influence may
 * have fewer. The caller frees. */
static char *targets_of(const check *c, const gnt_outcome *cell, const json_t *by_members) {
    const gnt_result_task *task = check_task(c, cell);
    const int round = task && strcmp(task->observe_from, "round") == 0;
    const int members = gnt_is_of_all_rows(cell) ? 2 : is_by_members(cell, by_members);
    return gnt_format("%s/r%lld/s%lld/%d/%zu", cell->task, (long long)(round ? cell->stage : 0),
                      (long long)cell->seed, members, cell->targets.n);
}

/* True if the truth of a measure depends on the answer: labels and attributes are those of the members that
 * images were assigned to. */
static int is_of_answer(const gnt_outcome *cell, const char *measure, const json_t *by_members) {
    const gnt_measure *m = gnt_measure_find(measure);
    return m && (m->recovers == GNT_RECOVERS_LABEL || m->recovers == GNT_RECOVERS_ATTRIBUTE) &&
           is_by_members(cell, by_members);
}

/* Returns the index of the first cell with the same targets that has a value of a measure in this part. */
static size_t first_with(const check *c, size_t i, const char *part, const char *measure, json_t *seen,
                         const json_t *by_members) {
    const gnt_outcome *cell = &c->of->cells.at[i];
    const int common = in_common(c, cell, measure) && !is_of_answer(cell, measure, by_members);
    char *targets = common ? targets_of(c, cell, by_members) : NULL;
    char *key = targets ? gnt_format("%s/%s/%s", targets, part, measure) : NULL;
    gnt_free(targets);
    return check_first_of(seen, key, i);
}

static const gnt_named_floor *floor_of(const gnt_outcome *cell, const char *measure) {
    const gnt_named_floor *found = NULL;
    for (size_t i = 0; i < cell->floors.n; i++)
        if (strcmp(cell->floors.at[i].measure, measure) == 0)
            found = &cell->floors.at[i];
    return found;
}

static double chance_of(const gnt_outcome *cell, const char *measure) {
    double found = 0;
    for (size_t i = 0; i < cell->chance.n; i++)
        if (strcmp(cell->chance.at[i].name, measure) == 0)
            found = cell->chance.at[i].value;
    return found;
}

static int check_cell(const check *c, size_t i, json_t *seen, const json_t *by_members) {
    const check_says says = {.of = c, .because = "an earlier cell of the same targets has", .slack = 2e-9};
    const gnt_outcome *cell = &c->of->cells.at[i];
    const gnt_path at = gnt_path_item("cells", i), floors = gnt_path_key(at.text, "floors"),
                   chance = gnt_path_key(at.text, "chance");
    for (size_t k = 0; k < cell->floors.n; k++) {
        const gnt_named_floor *is = &cell->floors.at[k];
        const size_t first = first_with(c, i, "floors", is->measure, seen, by_members);
        if (check_same(&says, &gnt_floor_fields, gnt_path_key(floors.text, is->measure).text, is,
                       floor_of(&c->of->cells.at[first], is->measure)) != 0)
            return -1;
    }
    for (size_t k = 0; k < cell->chance.n; k++) {
        const gnt_named_real *is = &cell->chance.at[k];
        const size_t first = first_with(c, i, "chance", is->name, seen, by_members);
        if (check_number(&says, gnt_path_key(chance.text, is->name).text, is->value,
                         chance_of(&c->of->cells.at[first], is->name)) != 0)
            return -1;
    }
    return 0;
}

/* Notes the tasks and defenses where any member of a set may be behind an answer: some of their cells say
 * which. A defense may have sets on one task and none on another. */
static int note_members(const check *c, json_t *by_members) {
    for (size_t i = 0; i < c->of->cells.n; i++) {
        const gnt_outcome *cell = &c->of->cells.at[i];
        const gnt_target *first = cell->targets.at;
        if (!cell->targets.n || gnt_is_of_all_rows(cell) ||
            !gnt_fields_has(&gnt_target_fields, first, &first->member))
            continue;
        char *name = defended_task(cell);
        const int failed = !name || json_object_set_new(by_members, name, json_true()) != 0;
        gnt_free(name);
        if (failed)
            return gnt_fail(c->err, "%s: out of memory", c->file);
    }
    return 0;
}

int check_guesses(const check *c) {
    json_t *seen = json_object(), *by_members = json_object();
    int rc = seen && by_members ? 0 : gnt_fail(c->err, "%s: out of memory", c->file);
    if (rc == 0)
        rc = note_members(c, by_members);
    for (size_t i = 0; rc == 0 && i < c->of->cells.n; i++)
        rc = check_cell(c, i, seen, by_members);
    json_decref(seen);
    json_decref(by_members);
    return rc;
}
