/* Each cell by itself: its id from its coordinates, its status, and its numbers from the scores of its
 * targets. */
#include <math.h>
#include <string.h>

#include "base/mem.h"
#include "derive/derive.h"
#include "metric/image.h"
#include "metric/label.h"
#include "metric/measure.h"
#include "tally/tally_impl.h"

static int is(const json_t *cell, const char *key, const char *text) {
    return strcmp(tally_text(cell, key), text) == 0;
}

/* ---- coordinates ---- */

/* The strength as the id of this cell tells it; the caller frees. */
static char *strength_in_id(const json_t *cell) {
    const char *id = tally_text(cell, "cell");
    char *before = gnt_format("%s/r%lld/%s@", tally_text(cell, "task"),
                              (long long)json_integer_value(json_object_get(cell, "stage")),
                              tally_text(cell, "defense"));
    char *after = gnt_format("/%s/s%lld", tally_text(cell, "attack"),
                             (long long)json_integer_value(json_object_get(cell, "seed")));
    const size_t n = strlen(id), b = before ? strlen(before) : 0, a = after ? strlen(after) : 0;
    char *found = NULL;
    if (before && after && n > a + b && strncmp(id, before, b) == 0 && strcmp(id + n - a, after) == 0)
        found = gnt_format("%.*s", (int)(n - a - b), id + b);
    gnt_free(before);
    gnt_free(after);
    return found;
}

/* The strength that `baseline` names for the cell's task and defense; digits beyond the ninth are not
 * there. */
static int check_baseline(const tally *t, const char *path, const json_t *cell) {
    const json_t *list = json_object_get(t->root, "baseline"), *entry;
    const double strength = tally_number(cell, "strength");
    double should = NAN;
    size_t i;
    json_array_foreach(list, i, entry) {
        if (is(entry, "task", tally_text(cell, "task")) && is(entry, "defense", tally_text(cell, "defense")))
            should = tally_number(entry, "strength");
    }
    if (isfinite(strength) ? gnt_tally_close(strength, should, 0) : !tally_is_ok(cell))
        return 0;
    return gnt_fail(t->err, "%s: %s is %s, but by its id it is the one of its defense in \"baseline\"",
                    t->file, gnt_path_key(path, "strength").text,
                    gnt_show(json_object_get(cell, "strength")).text);
}

static int check_id(const tally *t, const char *path, const json_t *cell, json_t *seen) {
    static const char *const fixed[] = {"none", "matched"};
    const gnt_path at = gnt_path_key(path, "cell");
    char number[GNT_NUMBER_SIZE], *told = strength_in_id(cell);
    const double strength = tally_number(cell, "strength");
    int rc = 0;
    if (!told)
        rc = gnt_fail(t->err,
                      "%s: %s is %s, but the cell's other members are not these coordinates; expected "
                      "TASK/rSTAGE/DEFENSE@STRENGTH/ATTACK/sSEED",
                      t->file, at.text, gnt_show(json_object_get(cell, "cell")).text);
    else if (json_object_get(seen, tally_text(cell, "cell")))
        rc = gnt_fail(t->err, "%s: %s is %s, as another cell's is; each has its own", t->file, at.text,
                      gnt_show(json_object_get(cell, "cell")).text);
    for (size_t i = 0; rc == 0 && i < 2; i++)
        if (is(cell, "mode", fixed[i]) != (strcmp(told, fixed[i]) == 0))
            rc =
                gnt_fail(t->err, "%s: %s is %s, but the strength in its id is \"%.40s\"", t->file,
                         gnt_path_key(path, "mode").text, gnt_show(json_object_get(cell, "mode")).text, told);
    /* what lies beside a matched strength follows from its search, a baseline's strength from "baseline" */
    const int beside = rc == 0 && is(cell, "mode", "sweep") &&
                       (strcmp(told, gnt_bracket_names[GNT_BRACKET_WEAKER]) == 0 ||
                        strcmp(told, gnt_bracket_names[GNT_BRACKET_STRONGER]) == 0);
    const int at_baseline = rc == 0 && is(cell, "mode", "sweep") && strcmp(told, gnt_baseline_name) == 0;
    if (at_baseline)
        rc = check_baseline(t, path, cell);
    const int by_id =
        rc == 0 && !beside && !at_baseline && !is(cell, "mode", "none") && !is(cell, "mode", "matched");
    if (rc == 0 && is(cell, "mode", "none") && isfinite(strength))
        rc = gnt_fail(t->err, "%s: %s is %s, but a cell of this mode has none", t->file,
                      gnt_path_key(path, "strength").text, gnt_show(json_object_get(cell, "strength")).text);
    /* digits beyond the ninth are not in the file */
    if (by_id && (isfinite(strength) ? !gnt_tally_close(strength, strtod(told, NULL), 0) : tally_is_ok(cell)))
        rc = gnt_fail(t->err, "%s: %s is %s, but the strength in its id is %.40s", t->file,
                      gnt_path_key(path, "strength").text,
                      isfinite(strength) ? gnt_number_text(strength, number) : "null", told);
    if (rc == 0)
        json_object_set_new(seen, tally_text(cell, "cell"), json_true());
    gnt_free(told);
    return rc;
}

/* ---- numbers ---- */

/* What the attribute of each observation was, what was told, and that renamed. */
typedef struct attributes {
    int32_t *truth, *told, *renamed, values;
    size_t n;
} attributes;

static void read_attributes(attributes *a, const json_t *targets, int64_t batch) {
    const size_t n = json_array_size(targets);
    *a = (attributes){.truth = gnt_array(n + 1, sizeof *a->truth),
                      .told = gnt_array(n + 1, sizeof *a->told),
                      .renamed = gnt_array(n + 1, sizeof *a->renamed)};
    for (size_t i = 0; a->truth && a->told && i < n; i += (size_t)batch) {
        const json_t *one = json_array_get(targets, i), *was = json_object_get(one, "attribute_truth");
        if (!json_is_integer(was))
            continue;
        a->truth[a->n] = (int32_t)json_integer_value(was);
        a->told[a->n] = (int32_t)json_integer_value(json_object_get(one, "attribute_told"));
        a->values = a->truth[a->n] >= a->values ? a->truth[a->n] + 1 : a->values;
        a->values = a->told[a->n] >= a->values ? a->told[a->n] + 1 : a->values;
        a->n++;
    }
}

/* Balanced accuracy is of the cell as a whole: of each observation's attribute. */
static json_t *balanced(const attributes *a, const int32_t *told) {
    gnt_estimate e;
    if (a->n == 0 || gnt_estimate_balanced(&e, a->truth, told, NULL, a->n, NULL) != 0)
        return NULL;
    const gnt_stat stat = gnt_measure_stat_whole(&e, e.mean, a->n);
    return gnt_fields_encode(&gnt_stat_fields, &stat, GNT_FIELDS_ALL);
}

static void add_attributes(const json_t *targets, int64_t batch, json_t *should) {
    const char *const plain = gnt_measure_of(GNT_MEASURE_ATTRIBUTE_BALANCED)->name;
    const char *const relabelled = gnt_measure_of(GNT_MEASURE_ATTRIBUTE_RELABELLED)->name;
    attributes a;
    json_t *stat;
    read_attributes(&a, targets, batch);
    if (a.truth && a.told && a.renamed && (stat = balanced(&a, a.told)) != NULL) {
        json_object_set_new(should, plain, stat);
        if (gnt_metric_relabel(a.renamed, a.truth, a.told, a.n, a.values, NULL) == 0)
            json_object_set_new(should, relabelled, balanced(&a, a.renamed));
    }
    gnt_free(a.truth);
    gnt_free(a.told);
    gnt_free(a.renamed);
}

/* Measures of a cell as a whole. The order of clients' contributions is of vectors of which results.json has
 * the first entries alone; balanced accuracy of sets is of the sets, which targets do not tell apart. */
static void add_whole(const tally *t, const json_t *cell, json_t *should) {
    static const gnt_measure_id of_sets[] = {GNT_MEASURE_ATTRIBUTE_BALANCED,
                                             GNT_MEASURE_ATTRIBUTE_RELABELLED};
    const char *const rank = gnt_measure_of(GNT_MEASURE_CONTRIBUTION_RANK)->name;
    const json_t *task = tally_task(t, cell), *targets = json_object_get(cell, "targets");
    const json_t *measures = json_object_get(cell, "measures");
    const int64_t batch = json_integer_value(json_object_get(task, "batch"));
    const gnt_estimate r = gnt_estimate_single(tally_number(json_object_get(measures, rank), "mean"));
    const gnt_stat stat = gnt_measure_stat_whole(&r, r.mean, json_array_size(targets));
    if (isfinite(r.mean) && fabs(r.mean) <= 1 + gnt_tally_rounding)
        json_object_set_new(should, rank, gnt_fields_encode(&gnt_stat_fields, &stat, GNT_FIELDS_ALL));
    if (!json_object_get(task, "set"))
        add_attributes(targets, batch > 0 ? batch : 1, should);
    for (size_t i = 0; json_object_get(task, "set") && i < 2; i++) {
        const char *name = gnt_measure_of(of_sets[i])->name;
        json_t *told = json_object_get(measures, name);
        if (told)
            json_object_set(should, name, told);
    }
}

/* A PSNR is its MSE, written otherwise. */
static int check_target(const tally *t, const char *path, const json_t *target) {
    static const char *const prefix[] = {"", "region_"};
    if (!json_is_object(target))
        return gnt_fail(t->err, "%s: %s is %s; expected an object of scores", t->file, path,
                        gnt_show(target).text);
    for (size_t i = 0; i < 2; i++) {
        char mse_name[16], psnr_name[16];
        int exact;
        snprintf(mse_name, sizeof mse_name, "%smse", prefix[i]);
        snprintf(psnr_name, sizeof psnr_name, "%spsnr", prefix[i]);
        const double mse = tally_number(target, mse_name), psnr = tally_number(target, psnr_name);
        if (!isfinite(mse) || !isfinite(psnr))
            continue;
        const double should = gnt_metric_psnr(mse, &exact);
        if (!gnt_tally_close(psnr, should, 1e-7)) {
            char number[GNT_NUMBER_SIZE];
            return gnt_fail(
                t->err, "%s: %s is %s, but its MSE gives %s", t->file, gnt_path_key(path, psnr_name).text,
                gnt_show(json_object_get(target, psnr_name)).text, gnt_number_text(should, number));
        }
    }
    return 0;
}

static int check_targets(const tally *t, const char *path, const json_t *cell) {
    const json_t *targets = json_object_get(cell, "targets"), *task = tally_task(t, cell);
    const gnt_path at = gnt_path_key(path, "targets");
    const double wanted = tally_number(task, "targets") * tally_number(task, "batch");
    if (!json_is_array(targets))
        return gnt_fail(t->err,
                        "%s: %s is %s; expected a list: every cell that is ok has the scores of its "
                        "targets",
                        t->file, at.text, targets ? gnt_show(targets).text : "not there");
    if (strcmp(tally_text(cell, "surface"), "transcript") != 0 && !json_object_get(task, "set") &&
        isfinite(wanted) && wanted != (double)json_array_size(targets))
        return gnt_fail(t->err, "%s: %s has %zu entries, but the task observes %.0f private samples", t->file,
                        at.text, json_array_size(targets), wanted);
    for (size_t i = 0; i < json_array_size(targets); i++)
        if (check_target(t, gnt_path_item(at.text, i).text, json_array_get(targets, i)) != 0)
            return -1;
    return 0;
}

/* The values that points of a picture are coloured by are those of the first targets. */
static int check_points(const tally *t, const char *path, const json_t *cell) {
    const json_t *targets = json_object_get(cell, "targets"), *points = json_object_get(cell, "points");
    const json_t *value = json_object_get(points, "value");
    if (json_array_size(value) > json_array_size(targets))
        return gnt_fail(t->err, "%s: %s has %zu values, but the cell has %zu targets", t->file,
                        gnt_path_key(path, "points").text, json_array_size(value), json_array_size(targets));
    for (size_t i = 0; i < json_array_size(value); i++) {
        const json_t *is_there = json_array_get(value, i);
        const json_t *should = json_object_get(json_array_get(targets, i), "attribute_truth");
        if (!json_equal(is_there, should))
            return gnt_fail(
                t->err, "%s: %s is %s, but target %zu has %s", t->file,
                gnt_path_item(gnt_path_key(gnt_path_key(path, "points").text, "value").text, i).text,
                gnt_show(is_there).text, i, gnt_show(should).text);
    }
    return 0;
}

static int check_numbers(const tally *t, const char *path, const json_t *cell) {
    const gnt_tally_says says = tally_says(t, "the scores of its targets give");
    const json_t *is_there = json_object_get(cell, "measures");
    gnt_err why = {""};
    gnt_arena arena = {0};
    gnt_outcome of;
    json_t *all = NULL, *should = NULL;
    int rc = gnt_fields_decode(&gnt_cell_fields, &of, cell, &arena, path, &why);
    if (rc == 0)
        rc = gnt_derive_measures(&of.measures, &of.targets, &arena, &why);
    if (rc == 0)
        all = gnt_fields_encode(&gnt_cell_fields, &of, GNT_FIELDS_ALL);
    gnt_arena_free(&arena);
    should = json_incref(json_object_get(all, "measures"));
    json_decref(all);
    if (rc != 0)
        gnt_fail(t->err, "%s: %s: %s", t->file, gnt_path_key(path, "targets").text,
                 why.text[0] ? why.text : "its scores are too large to be summed");
    else {
        add_whole(t, cell, should);
        rc = gnt_tally_same_measures(&says, gnt_path_key(path, "measures").text, is_there, should);
    }
    json_decref(should);
    return rc;
}

/* ---- the whole ---- */

static int check_cell(const tally *t, const char *path, const json_t *cell, json_t *seen) {
    static const char *const parts[] = {"measures",    "floors", "chance", "targets",
                                        "convergence", "images", "points"};
    const double strength = tally_number(cell, "strength");
    if (check_id(t, path, cell, seen) != 0)
        return -1;
    if (json_is_true(json_object_get(cell, "matched")) && (!is(cell, "mode", "matched") || isnan(strength)))
        return gnt_fail(t->err, "%s: %s is true, but %s", t->file, gnt_path_key(path, "matched").text,
                        isnan(strength) ? "the cell has no strength" : "its strength was not searched for");
    if (tally_is_ok(cell))
        return check_targets(t, path, cell) || check_numbers(t, path, cell) || check_points(t, path, cell)
                   ? -1
                   : 0;
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        const json_t *part = json_object_get(cell, parts[i]);
        if (part && !json_is_null(part) &&
            json_object_size(part) + json_array_size(part) + json_is_string(part))
            return gnt_fail(t->err, "%s: %s is there, but the cell is %s, and only one that is ok has it",
                            t->file, gnt_path_key(path, parts[i]).text,
                            gnt_show(json_object_get(cell, "status")).text);
    }
    return 0;
}

int tally_check_cells(const tally *t) {
    json_t *seen = json_object();
    int rc = seen ? 0 : gnt_fail(t->err, "%s: out of memory", t->file);
    for (size_t i = 0; rc == 0 && i < json_array_size(t->cells); i++)
        rc = check_cell(t, gnt_path_item("cells", i).text, json_array_get(t->cells, i), seen);
    json_decref(seen);
    return rc;
}
