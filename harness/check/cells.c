/* Each cell by itself: its id from its coordinates, its status, and its numbers from the scores of its
 * targets. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "check/check_impl.h"
#include "derive/derive.h"
#include "metric/image.h"
#include "metric/label.h"
#include "suite/suite.h"

static gnt_shown shown(double x) {
    gnt_shown out = {"null"};
    if (isfinite(x))
        gnt_number_text(x, out.text);
    return out;
}

/* ---- coordinates ---- */

/* Returns the strength in the id of this cell; the caller frees. */
static char *strength_in_id(const gnt_outcome *cell) {
    char *before = gnt_format("%s/%c%lld/%s@", cell->task, cell->round < 0 ? 'r' : 'd',
                              (long long)cell->stage, cell->defense);
    char *after = gnt_format("/%s/s%lld", cell->attack, (long long)cell->seed);
    const size_t n = strlen(cell->id), b = before ? strlen(before) : 0, a = after ? strlen(after) : 0;
    char *found = NULL;
    if (before && after && n > a + b && strncmp(cell->id, before, b) == 0 &&
        strcmp(cell->id + n - a, after) == 0)
        found = gnt_format("%.*s", (int)(n - a - b), cell->id + b);
    gnt_free(before);
    gnt_free(after);
    return found;
}

/* Compares the cell's strength with the one that `baseline` names for its task and defense, to nine
 * digits. */
static int check_baseline(const check *c, const char *path, const gnt_outcome *cell) {
    double should = NAN;
    for (size_t i = 0; i < c->of->baseline.n; i++) {
        const gnt_result_strength *one = &c->of->baseline.at[i];
        if (strcmp(one->task, cell->task) == 0 && strcmp(one->defense, cell->defense) == 0)
            should = one->strength;
    }
    if (isfinite(cell->strength) ? check_close(cell->strength, should, 0) : !check_is_ok(cell))
        return 0;
    return gnt_fail(c->err, "%s: %s is %s, but by its id it is the one of its defense in \"baseline\"",
                    c->file, gnt_path_key(path, "strength").text, shown(cell->strength).text);
}

static int is_bracket(const char *strength) {
    return strcmp(strength, gnt_bracket_names[GNT_BRACKET_WEAKER]) == 0 ||
           strcmp(strength, gnt_bracket_names[GNT_BRACKET_STRONGER]) == 0;
}

static int has_no_strength(const gnt_outcome *cell) {
    return cell->mode == GNT_ROW_NONE || cell->mode == GNT_ROW_AS_IS;
}

/* Checks the strength: that next to a matched one follows from its search, a baseline's from "baseline", any
 * other from the id. */
static int check_strength(const check *c, const char *path, const gnt_outcome *cell, const char *in_id) {
    const int swept = cell->mode == GNT_ROW_SWEEP;
    const gnt_path at = gnt_path_key(path, "strength");
    if (swept && strcmp(in_id, gnt_baseline_name) == 0)
        return check_baseline(c, path, cell);
    if (has_no_strength(cell) && isfinite(cell->strength))
        return gnt_fail(c->err, "%s: %s is %s, but a cell of this mode has none", c->file, at.text,
                        shown(cell->strength).text);
    if ((swept && is_bracket(in_id)) || has_no_strength(cell) || cell->mode == GNT_ROW_MATCHED)
        return 0;
    if (isfinite(cell->strength) ? check_close(cell->strength, strtod(in_id, NULL), 0) : !check_is_ok(cell))
        return 0;
    return gnt_fail(c->err, "%s: %s is %s, but the strength in its id is %.40s", c->file, at.text,
                    shown(cell->strength).text, in_id);
}

static int check_mode(const check *c, const char *path, const gnt_outcome *cell, const char *in_id) {
    const struct {
        int is_so;
        const char *in_id;
    } words[] = {{has_no_strength(cell), "none"}, {cell->mode == GNT_ROW_MATCHED, "matched"}};
    for (size_t i = 0; i < 2; i++)
        if (words[i].is_so != (strcmp(in_id, words[i].in_id) == 0))
            return gnt_fail(c->err, "%s: %s is \"%s\", but the strength in its id is \"%.40s\"", c->file,
                            gnt_path_key(path, "mode").text, gnt_row_mode_name(cell->mode), in_id);
    return 0;
}

static int check_id(const check *c, size_t i, const char *path, json_t *seen) {
    const gnt_outcome *cell = &c->of->cells.at[i];
    const gnt_path at = gnt_path_key(path, "cell");
    char *in_id = strength_in_id(cell);
    int rc = 0;
    if (!in_id)
        rc = gnt_fail(c->err,
                      "%s: %s is %s, but the cell's other members are not these coordinates; expected "
                      "TASK/rSTAGE/DEFENSE@STRENGTH/ATTACK/sSEED",
                      c->file, at.text, gnt_show_text(cell->id).text);
    else if (check_first_of(seen, gnt_strdup(cell->id), i) != i)
        rc = gnt_fail(c->err, "%s: %s is %s, as another cell's is; each has its own", c->file, at.text,
                      gnt_show_text(cell->id).text);
    if (rc == 0)
        rc = check_mode(c, path, cell, in_id) || check_strength(c, path, cell, in_id) ? -1 : 0;
    gnt_free(in_id);
    return rc;
}

/* ---- numbers ---- */

/* The attribute of each observation, the answer, and that renamed. */
typedef struct attributes {
    int32_t *truth, *answer, *renamed, values;
    size_t n;
} attributes;

static void read_attributes(attributes *a, const gnt_targets *targets, int64_t batch) {
    *a = (attributes){.truth = gnt_array(targets->n + 1, sizeof *a->truth),
                      .answer = gnt_array(targets->n + 1, sizeof *a->answer),
                      .renamed = gnt_array(targets->n + 1, sizeof *a->renamed)};
    for (size_t i = 0; a->truth && a->answer && i < targets->n; i += (size_t)batch) {
        const gnt_target *one = &targets->at[i];
        if (!gnt_fields_has(&gnt_target_fields, one, &one->attribute_truth))
            continue;
        a->truth[a->n] = (int32_t)one->attribute_truth;
        a->answer[a->n] = (int32_t)one->attribute_told;
        a->values = a->truth[a->n] >= a->values ? a->truth[a->n] + 1 : a->values;
        a->values = a->answer[a->n] >= a->values ? a->answer[a->n] + 1 : a->values;
        a->n++;
    }
}

static void add_stat(gnt_named_stats *to, gnt_measure_id id, gnt_stat stat) {
    ((gnt_named_stat *)(uintptr_t)to->at)[to->n++] = (gnt_named_stat){gnt_measure_of(id)->name, stat};
}

/* Adds balanced accuracy of the cell as a whole: of each observation's attribute. */
static void add_balanced(gnt_named_stats *to, gnt_measure_id id, const attributes *a, const int32_t *answer) {
    gnt_estimate e;
    if (a->n && gnt_estimate_balanced(&e, a->truth, answer, NULL, a->n, NULL) == 0)
        add_stat(to, id, gnt_measure_stat_whole(&e, e.mean, a->n));
}

static void add_attributes(gnt_named_stats *to, const gnt_targets *targets, int64_t batch) {
    attributes a;
    read_attributes(&a, targets, batch);
    if (a.truth && a.answer && a.renamed) {
        add_balanced(to, GNT_MEASURE_ATTRIBUTE_BALANCED, &a, a.answer);
        if (a.n && gnt_metric_relabel(a.renamed, a.truth, a.answer, a.n, a.values, NULL) == 0)
            add_balanced(to, GNT_MEASURE_ATTRIBUTE_RELABELLED, &a, a.renamed);
    }
    gnt_free(a.truth);
    gnt_free(a.answer);
    gnt_free(a.renamed);
}

static const gnt_stat *stat_of(const gnt_outcome *cell, gnt_measure_id id) {
    for (size_t i = 0; i < cell->measures.n; i++)
        if (strcmp(cell->measures.at[i].measure, gnt_measure_of(id)->name) == 0)
            return &cell->measures.at[i].stat;
    return NULL;
}

/* Adds measures of a cell as a whole. The order of clients' contributions is that of vectors of which
 * results.json has the first entries alone; balanced accuracy of sets is of the sets, which targets do not
 * distinguish. */
static void add_whole(const check *c, const gnt_outcome *cell, gnt_named_stats *to) {
    static const gnt_measure_id of_sets[] = {GNT_MEASURE_ATTRIBUTE_BALANCED,
                                             GNT_MEASURE_ATTRIBUTE_RELABELLED};
    const gnt_result_task *task = check_task(c, cell);
    const gnt_stat *rank = stat_of(cell, GNT_MEASURE_CONTRIBUTION_RANK), *stat;
    const gnt_estimate r = gnt_estimate_single(rank ? rank->mean : NAN);
    if (isfinite(r.mean) && fabs(r.mean) <= 1 + check_rounding)
        add_stat(to, GNT_MEASURE_CONTRIBUTION_RANK, gnt_measure_stat_whole(&r, r.mean, cell->targets.n));
    if (!task || task->set < 0)
        add_attributes(to, &cell->targets, task && task->batch > 0 ? task->batch : 1);
    else
        for (size_t i = 0; i < 2; i++)
            if ((stat = stat_of(cell, of_sets[i])))
                add_stat(to, of_sets[i], *stat);
}

/* Checks that a target's PSNR follows from its MSE. */
static int check_target(const check *c, const char *path, const gnt_target *target) {
    static const gnt_measure_id pairs[][2] = {{GNT_MEASURE_MSE, GNT_MEASURE_PSNR},
                                              {GNT_MEASURE_REGION_MSE, GNT_MEASURE_REGION_PSNR}};
    for (size_t i = 0; i < 2; i++) {
        const double mse = target->score[pairs[i][0]], psnr = target->score[pairs[i][1]];
        int exact;
        if (!isfinite(mse) || !isfinite(psnr))
            continue;
        const double should = gnt_metric_psnr(mse, &exact);
        if (!check_close(psnr, should, 1e-7))
            return gnt_fail(c->err, "%s: %s is %s, but its MSE gives %s", c->file,
                            gnt_path_key(path, gnt_measure_of(pairs[i][1])->name).text, shown(psnr).text,
                            shown(should).text);
    }
    return 0;
}

static int check_each_target(const check *c, const char *path, const gnt_targets *targets) {
    for (size_t i = 0; i < targets->n; i++)
        if (check_target(c, gnt_path_item(path, i).text, &targets->at[i]) != 0)
            return -1;
    return 0;
}

/* Returns how many targets the attack of a cell observes: on influence there may be fewer. */
static int64_t targets_of(const check *c, const gnt_result_task *task, const gnt_outcome *cell) {
    return gnt_result_influence_of(c->of, cell->attack)
               ? gnt_suite_influences_of(task->targets, task->stages.n)
               : task->targets;
}

/* Returns how many observations a cell has; NAN where the task does not imply it. */
static double observations_of(const check *c, const gnt_outcome *cell) {
    const gnt_result_task *task = check_task(c, cell);
    const double n = task ? (double)targets_of(c, task, cell) : 0;
    return strcmp(cell->surface, "transcript") != 0 && task && task->set < 0 && n > 0 ? n : NAN;
}

static int check_targets(const check *c, const char *path, const gnt_outcome *cell) {
    const gnt_targets *targets = &cell->targets;
    const gnt_result_task *task = check_task(c, cell);
    const gnt_path at = gnt_path_key(path, "targets");
    if (!targets->at)
        return gnt_fail(c->err,
                        "%s: %s is not there; expected a list: every cell that is ok has the scores of its "
                        "targets",
                        c->file, at.text);
    const double wanted = task ? observations_of(c, cell) * (double)task->batch : NAN;
    if (wanted > 0 && wanted != (double)targets->n)
        return gnt_fail(c->err, "%s: %s has %zu entries, but the task observes %.0f private samples", c->file,
                        at.text, targets->n, wanted);
    return check_each_target(c, at.text, targets);
}

/* Checks what the attack left with a quarter of its budget: scores of the same targets. */
static int check_quarter(const check *c, const char *path, const gnt_outcome *cell) {
    const gnt_path at = gnt_path_key(path, "quarter");
    if (cell->quarter.n > 0 && cell->quarter.n != cell->targets.n)
        return gnt_fail(c->err, "%s: %s has %zu entries, expected one for each of the cell's %zu targets",
                        c->file, at.text, cell->quarter.n, cell->targets.n);
    return check_each_target(c, at.text, &cell->quarter);
}

/* Checks the cost curves: each is of one of the cell's observations, in their order, and has points. */
static int check_convergence(const check *c, const char *path, const gnt_outcome *cell) {
    const double known = observations_of(c, cell), n = isnan(known) ? (double)cell->targets.n : known;
    const gnt_path list = gnt_path_key(path, "convergence");
    int64_t last = 0;
    for (size_t i = 0; i < cell->convergence.n; i++) {
        const gnt_restart *one = &cell->convergence.at[i];
        const gnt_path at = gnt_path_item(list.text, i);
        if (one->target < last || (double)one->target >= n)
            return gnt_fail(c->err, "%s: %s is %lld; expected a number from %lld to %.0f, in their order",
                            c->file, gnt_path_key(at.text, "target").text, (long long)one->target,
                            (long long)last, n - 1);
        if (one->points.n == 0)
            return gnt_fail(c->err, "%s: %s has no point", c->file, gnt_path_key(at.text, "points").text);
        last = one->target;
    }
    return 0;
}

/* Checks that a search is counted for each observation; where their number does not follow from the task, at
 * most one for each of the cell's targets. */
static int check_ended(const check *c, const char *path, const gnt_outcome *cell) {
    const gnt_path at = gnt_path_key(path, "ended");
    const gnt_ended *e = cell->ended;
    double sum = 0;
    if (!e)
        return 0;
    const int64_t count[] = {e->budget, e->tolerance, e->stall, e->contradicted, e->unknown};
    for (size_t i = 0; i < sizeof count / sizeof *count; i++) {
        if (count[i] < 0)
            return gnt_fail(c->err, "%s: %s has a count below 0", c->file, at.text);
        sum += (double)count[i];
    }
    const double n = observations_of(c, cell);
    if (sum > (double)cell->targets.n || (!isnan(n) && sum != n))
        return gnt_fail(c->err, "%s: %s counts %.0f searches, expected %s%.0f", c->file, at.text, sum,
                        isnan(n) ? "at most " : "", isnan(n) ? (double)cell->targets.n : n);
    return 0;
}

/* Checks that no more observations are said to be of nothing than there are. */
static int check_silent(const check *c, const char *path, const gnt_outcome *cell) {
    const double known = observations_of(c, cell), n = isnan(known) ? (double)cell->targets.n : known;
    if (cell->silent == -1 || (cell->silent > 0 && (double)cell->silent <= n))
        return 0;
    return gnt_fail(c->err, "%s: %s is %lld; expected a number from 1 to %.0f, or none", c->file,
                    gnt_path_key(path, "silent").text, (long long)cell->silent, n);
}

/* Checks that the values by which points of a picture are coloured are those of the first targets. */
static int check_points(const check *c, const char *path, const gnt_outcome *cell) {
    const gnt_path at = gnt_path_key(path, "points");
    const gnt_ints none = {0}, *value = cell->points ? &cell->points->value : &none;
    if (value->n > cell->targets.n)
        return gnt_fail(c->err, "%s: %s has %zu values, but the cell has %zu targets", c->file, at.text,
                        value->n, cell->targets.n);
    for (size_t i = 0; i < value->n; i++) {
        const gnt_target *target = &cell->targets.at[i];
        const int has = gnt_fields_has(&gnt_target_fields, target, &target->attribute_truth);
        if (!has || value->at[i] != target->attribute_truth)
            return gnt_fail(c->err, "%s: %s is %lld, but target %zu has %s", c->file,
                            gnt_path_item(gnt_path_key(at.text, "value").text, i).text,
                            (long long)value->at[i], i,
                            has ? shown((double)target->attribute_truth).text : "null");
    }
    return 0;
}

static int check_numbers(const check *c, const char *path, const gnt_outcome *cell) {
    const check_says says = {.of = c, .because = "the scores of its targets give"};
    gnt_err why = {""};
    gnt_arena arena = {0};
    gnt_named_stats should;
    int rc = gnt_derive_measures(&should, &cell->targets, &arena, &why);
    if (rc != 0)
        gnt_fail(c->err, "%s: %s: %s", c->file, gnt_path_key(path, "targets").text,
                 why.text[0] ? why.text : "its scores are too large to be summed");
    else {
        add_whole(c, cell, &should);
        rc = check_stats(&says, gnt_path_key(path, "measures").text, &cell->measures, &should);
    }
    gnt_arena_free(&arena);
    return rc;
}

/* ---- the whole ---- */

/* Checks that a cell that is not ok has no numbers. */
static int check_empty(const check *c, const char *path, const gnt_outcome *cell) {
    const struct {
        const char *name;
        int there;
    } parts[] = {{"measures", cell->measures.n > 0}, {"floors", cell->floors.n > 0},
                 {"chance", cell->chance.n > 0},     {"targets", cell->targets.n > 0},
                 {"quarter", cell->quarter.n > 0},   {"convergence", cell->convergence.n > 0},
                 {"secret", cell->secret != NULL},   {"images", cell->images != gnt_no_text},
                 {"points", cell->points != NULL},   {"ended", cell->ended != NULL},
                 {"silent", cell->silent != -1}};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        if (parts[i].there)
            return gnt_fail(c->err, "%s: %s is there, but the cell is \"%s\", and only one that is ok has it",
                            c->file, gnt_path_key(path, parts[i].name).text, gnt_status_name(cell->status));
    return 0;
}

static int check_cell(const check *c, size_t i, const char *path, json_t *seen) {
    const gnt_outcome *cell = &c->of->cells.at[i];
    if (check_id(c, i, path, seen) != 0)
        return -1;
    if (cell->matched && (cell->mode != GNT_ROW_MATCHED || isnan(cell->strength)))
        return gnt_fail(c->err, "%s: %s is true, but %s", c->file, gnt_path_key(path, "matched").text,
                        isnan(cell->strength) ? "the cell has no strength"
                                              : "its strength was not searched for");
    if (!check_is_ok(cell))
        return check_empty(c, path, cell);
    return check_targets(c, path, cell) || check_quarter(c, path, cell) || check_convergence(c, path, cell) ||
                   check_ended(c, path, cell) || check_silent(c, path, cell) ||
                   check_numbers(c, path, cell) || check_points(c, path, cell)
               ? -1
               : 0;
}

int check_cells(const check *c) {
    json_t *seen = json_object();
    int rc = seen ? 0 : gnt_fail(c->err, "%s: out of memory", c->file);
    for (size_t i = 0; rc == 0 && i < c->of->cells.n; i++)
        rc = check_cell(c, i, gnt_path_item("cells", i).text, seen);
    json_decref(seen);
    return rc;
}
