/* What cells have in common: those of one training run the same utility, by round too, the same marks and
 * the same control; those of a task and seed the same undefended utility. */
#include <math.h>
#include <string.h>

#include "base/mem.h"
#include "check/check_impl.h"
#include "metric/map.h"

/* Returns TASK/DEFENSE@STRENGTH/sSEED of a cell's id; the caller frees. */
static char *training_of(const gnt_outcome *cell) {
    const char *id = cell->id, *seed = strrchr(id, '/');
    const size_t head = strlen(cell->task), tail = strlen(cell->attack) + 1;
    const char *defense = strlen(id) > head + 1 ? strchr(id + head + 1, '/') : NULL;
    if (!seed || !defense || seed < defense || (size_t)(seed - defense) < tail)
        return NULL;
    return gnt_format("%s%.*s%s", cell->task, (int)((size_t)(seed - defense) - tail), defense, seed);
}

static int is_undefended(const check *c, const char *defense) {
    for (size_t i = 0; i < c->of->defenses.n; i++) {
        const gnt_result_defense *one = &c->of->defenses.at[i];
        if (strcmp(one->label, defense) == 0)
            return one->members.n == 1 && strcmp(one->members.at[0].id, "none") == 0;
    }
    return 0;
}

static double measured_by(const gnt_round_utility *round, const char *measure) {
    return strcmp(measure, "accuracy") == 0                   ? round->accuracy
           : strcmp(measure, "loss") == 0                     ? round->loss
           : strcmp(measure, gnt_map_names[GNT_MAP_IOU]) == 0 ? round->iou
                                                              : NAN;
}

/* Checks that a training run's utility is that after its last round; only a task with utility.curve has
 * rounds. The reader has checked that rounds rise. */
static int check_by_round(const check *c, const gnt_outcome *cell, const char *path) {
    const check_says says = {.of = c, .because = "the training ends with"};
    const gnt_rounds *list = &cell->utility.by_round;
    const gnt_result_task *task = check_task(c, cell);
    const gnt_path at =
        gnt_path_key(path, gnt_fields_name(&gnt_cell_utility_fields, offsetof(gnt_utility, by_round)));
    if (!list->at)
        return 0;
    if (task && task->curve < 0)
        return gnt_fail(c->err, "%s: %s is there, but the task does not ask for it by utility.curve", c->file,
                        at.text);
    const gnt_round_utility *last = list->n ? &list->at[list->n - 1] : NULL;
    if (!last || (task && last->round != task->rounds))
        return gnt_fail(c->err, "%s: %s does not end with the last round of the task", c->file, at.text);
    return check_number(&says, gnt_path_key(path, "value").text, cell->utility.value,
                        measured_by(last, cell->utility.measure));
}

/* Checks that the correctly classified samples of all values add up to the accuracy. */
static int check_by_value(const check *c, const char *path, const gnt_utility *utility) {
    const gnt_values *list = &utility->by_value;
    char number[GNT_NUMBER_SIZE];
    double n = 0, right = 0;
    if (!list->at || strcmp(utility->measure, "accuracy") != 0)
        return 0;
    for (size_t i = 0; i < list->n; i++) {
        n += (double)list->at[i].n;
        right += (double)list->at[i].right;
    }
    if (check_close(utility->value, right / n, 0))
        return 0;
    gnt_number_text(utility->value, number);
    return gnt_fail(
        c->err, "%s: %s gives an accuracy of %.6g, but %s is %s", c->file,
        gnt_path_key(path, gnt_fields_name(&gnt_cell_utility_fields, offsetof(gnt_utility, by_value))).text,
        right / n, gnt_path_key(path, "value").text, number);
}

static const gnt_other_utility *other_of(const gnt_utility *utility, const char *name) {
    for (size_t i = 0; i < utility->others.n; i++)
        if (strcmp(utility->others.at[i].name, name) == 0)
            return &utility->others.at[i];
    return NULL;
}

/* Checks that the F-score of pooled pixels follows from the IoU. */
static int check_others(const check *c, const char *path, const gnt_utility *utility) {
    const gnt_path at = gnt_path_key(gnt_path_key(path, "beside").text, gnt_map_names[GNT_MAP_F]);
    const gnt_other_utility *of_iou = other_of(utility, gnt_map_names[GNT_MAP_IOU]),
                            *of_f = other_of(utility, gnt_map_names[GNT_MAP_F]);
    const double iou = of_iou ? of_iou->value : utility->value, should = 2 * iou / (1 + iou);
    const double f = of_f ? of_f->value : NAN;
    if (!utility->others.at || check_close(f, should, 0))
        return 0;
    return gnt_fail(c->err, "%s: %s is %.6g, but of an IoU of %.6g it is %.6g", c->file, at.text, f, iou,
                    should);
}

/* Compares with the first cell of the same training run, and with the first of the same task and seed. */
static int check_in_common(const check *c, size_t i, const char *path, json_t *trainings,
                           json_t *undefended) {
    const gnt_outcome *cell = &c->of->cells.at[i];
    const gnt_utility *u = &cell->utility;
    check_says says = {.of = c, .because = "an earlier cell of the same training has"};
    const gnt_outcome *first = &c->of->cells.at[check_first_of(trainings, training_of(cell), i)];
    static const size_t utility[] = {offsetof(gnt_outcome, utility)};
    if (check_members(&says, &gnt_cell_fields, gnt_path_item("cells", i).text, cell, first, utility, 1) != 0)
        return -1;
    first =
        &c->of->cells
             .at[check_first_of(undefended, gnt_format("%s/s%lld", cell->task, (long long)cell->seed), i)];
    const gnt_path none = gnt_path_key(path, "none");
    says.because = "an earlier cell of its task and seed has";
    if (check_number(&says, none.text, u->none, first->utility.none) != 0)
        return -1;
    says.because = "it is undefended, where its utility is";
    return isfinite(u->none) && is_undefended(c, cell->defense)
               ? check_number(&says, none.text, u->none, u->value)
               : 0;
}

/* Returns the marks that follow from a cell's training run, not from what was observed or scored. */
static gnt_marks of_training(const gnt_marks *all, gnt_arena *arena) {
    static const char *const others[] = {"probe-differs", "shadow-differs", "claims-differ"};
    gnt_mark *list = gnt_arena_array(arena, all->n, sizeof *list);
    size_t n = 0;
    for (size_t i = 0; list && i < all->n; i++) {
        size_t k = 0;
        while (k < sizeof others / sizeof *others && strcmp(all->at[i].what, others[k]) != 0)
            k++;
        if (k == sizeof others / sizeof *others)
            list[n++] = all->at[i];
    }
    return (gnt_marks){n ? list : NULL, n};
}

/* Compares marks and the control with those of the first cell of the same training run. */
static int check_found(const check *c, size_t i, json_t *marked) {
    static const size_t found[] = {offsetof(gnt_outcome, marks), offsetof(gnt_outcome, secret)};
    const check_says says = {.of = c, .because = "an earlier cell of the same training has"};
    const gnt_outcome *cell = &c->of->cells.at[i];
    gnt_arena arena = {0};
    gnt_outcome is = *cell, should = c->of->cells.at[check_first_of(marked, training_of(cell), i)];
    is.marks = of_training(&is.marks, &arena);
    should.marks = of_training(&should.marks, &arena);
    const int rc = arena.failed ? gnt_fail(c->err, "%s: out of memory", c->file)
                                : check_members(&says, &gnt_cell_fields, gnt_path_item("cells", i).text, &is,
                                                &should, found, sizeof found / sizeof *found);
    gnt_arena_free(&arena);
    return rc;
}

static int check_cell(const check *c, size_t i, json_t *trainings, json_t *undefended, json_t *marked) {
    const gnt_outcome *cell = &c->of->cells.at[i];
    const gnt_result_task *task = check_task(c, cell);
    const gnt_path at = gnt_path_key(gnt_path_item("cells", i).text, "utility");
    if (check_is_ok(cell) && check_found(c, i, marked) != 0)
        return -1;
    if (!check_has_utility(cell))
        return 0;
    if (!check_is_ok(cell))
        return gnt_fail(c->err, "%s: %s is there, but the cell is \"%s\", and only one that is ok has it",
                        c->file, at.text, gnt_status_name(cell->status));
    if (task && *task->utility && strcmp(task->utility, cell->utility.measure) != 0)
        return gnt_fail(c->err, "%s: %s is %s, but the task measures %s", c->file,
                        gnt_path_key(at.text, "measure").text, gnt_show_text(cell->utility.measure).text,
                        task->utility);
    return check_by_round(c, cell, at.text) || check_by_value(c, at.text, &cell->utility) ||
                   check_others(c, at.text, &cell->utility) ||
                   check_in_common(c, i, at.text, trainings, undefended)
               ? -1
               : 0;
}

int check_utilities(const check *c) {
    json_t *trainings = json_object(), *undefended = json_object(), *marked = json_object();
    int rc = trainings && undefended && marked ? 0 : gnt_fail(c->err, "%s: out of memory", c->file);
    for (size_t i = 0; rc == 0 && i < c->of->cells.n; i++)
        rc = check_cell(c, i, trainings, undefended, marked);
    json_decref(trainings);
    json_decref(undefended);
    json_decref(marked);
    return rc;
}
