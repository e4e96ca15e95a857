#include "judge/trainings.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/sort.h"
#include "metric/compare.h"
#include "metric/interpolate.h"
#include "judge/curve.h"
#include "judge/group_roles.h"

size_t gnt_seeds(const gnt_results *r, const char *task, int64_t seed[GNT_MOST_TRAININGS]) {
    size_t n = 0;
    for (size_t i = 0; i < r->n_cell && n < GNT_MOST_TRAININGS; i++) {
        size_t k = 0;
        if (strcmp(r->cell[i].task, task) != 0)
            continue;
        while (k < n && seed[k] != r->cell[i].seed)
            k++;
        if (k == n)
            seed[n++] = r->cell[i].seed;
    }
    gnt_sort_ints(seed, n);
    return n;
}

/* ---- training runs as they are ---- */

/* Reads the means of a group's cells by seed, with the sign by which a greater number leaks more. */
static void fill(double *value, const gnt_measured *of, const int64_t *seed, size_t n_seeds,
                 const gnt_measure *m) {
    for (size_t s = 0; s < n_seeds; s++)
        value[s] = NAN;
    for (size_t i = 0; i < of->results->n_cell; i++) {
        const gnt_outcome *c = &of->results->cell[i];
        const gnt_score *score = gnt_stands_for(c, of->group) ? gnt_number_of(c, m->name) : NULL;
        for (size_t s = 0; score && s < n_seeds; s++)
            if (seed[s] == c->seed)
                value[s] = m->leak * score->stat.mean;
    }
}

/* Returns the mean utility of a group's training runs less the target, negative if it is worse. Any one group
 * of a defense will do: the utility of a training run is the same under all attacks. */
static double surplus_of(const gnt_measured *of) {
    const double target = gnt_target_utility(of->results, of->group->task);
    double mean = 0;
    size_t n = 0;
    for (size_t i = 0; i < of->results->n_cell; i++) {
        const gnt_outcome *c = &of->results->cell[i];
        if (gnt_stands_for(c, of->group) && isfinite(c->utility.value))
            mean += (c->utility.value - mean) / (double)++n;
    }
    const int sign = gnt_utility_sign(of->group->utility.measure);
    if (isnan(target) && of->group->mode == GNT_ROW_AS_IS)
        return NAN;
    return n ? sign * (mean - (isnan(target) ? 0 : target)) : NAN;
}

/* ---- training runs at exactly the target ---- */

/* Returns the cells on the curve of a group's defense under its attack; gnt_free. NULL if memory ran out. */
static const gnt_outcome **cells_of_curve(const gnt_measured *of, size_t *n) {
    const gnt_results *r = of->results;
    const gnt_outcome **cell = gnt_array(r->n_cell + 1, sizeof *cell);
    *n = 0;
    for (size_t i = 0; cell && i < r->n_cell; i++) {
        const gnt_outcome *c = &r->cell[i];
        if (gnt_on_curve(c) && gnt_is_at(c, of->group->task, of->group->stage) &&
            !strcmp(c->defense, of->group->defense) && !strcmp(c->attack, of->group->attack))
            cell[(*n)++] = c;
    }
    return cell;
}

/* Makes the curve of a group's defense under its attack; −1 if there is none, or no target to read it at. */
static int make_curve(gnt_curve *c, const gnt_measured *of, const gnt_measure *m) {
    size_t n;
    *c = (gnt_curve){0};
    if (of->group->mode != GNT_ROW_MATCHED || isnan(gnt_target_utility(of->results, of->group->task)))
        return -1;
    const gnt_outcome **cell = cells_of_curve(of, &n);
    const int rc = cell ? gnt_curve_make(c, cell, n, m, NULL) : -1;
    gnt_free(cell);
    return rc;
}

/* Reads the curve at exactly the target. by_seed: an entry for each seed of the curve, or NULL. */
static int read_curve(gnt_equal *found, const gnt_curve *c, const gnt_measured *of, double *by_seed) {
    const double target = gnt_target_utility(of->results, of->group->task);
    const int rc = gnt_metric_equal(found, c->point, c->n, c->n_seeds, target, by_seed, NULL);
    return rc == 0 && found->verdict == GNT_EQUAL_FOUND ? 0 : -1;
}

/* Reads the values as `fill` does, at exactly the target; −1 if the curve does not pass it. */
static int fill_at_target(double *value, const gnt_measured *of, const int64_t *seed, size_t n_seeds,
                          const gnt_measure *m) {
    gnt_curve c;
    gnt_equal found;
    int rc = make_curve(&c, of, m);
    double *by_seed = gnt_array(c.n_seeds + 1, sizeof *by_seed);
    if (rc == 0)
        rc = by_seed ? read_curve(&found, &c, of, by_seed) : -1;
    for (size_t s = 0; s < n_seeds; s++) {
        value[s] = NAN;
        for (size_t k = 0; rc == 0 && k < c.n_seeds; k++)
            if (seed[s] == c.seed[k])
                value[s] = m->leak * by_seed[k];
    }
    gnt_free(by_seed);
    gnt_curve_free(&c);
    return rc;
}

int gnt_read_at_target(gnt_stat *out, const gnt_measured *of, const gnt_measure *m) {
    gnt_curve c;
    gnt_equal found;
    const int is_read = make_curve(&c, of, m) == 0 && read_curve(&found, &c, of, NULL) == 0;
    if (is_read)
        *out = (gnt_stat){.mean = found.value,
                          .low = found.low,
                          .high = found.high,
                          .deviation = NAN,
                          .worst = NAN,
                          .median = NAN,
                          .trainings = (int64_t)found.seeds,
                          .over = GNT_INTERVAL_TRAININGS};
    gnt_curve_free(&c);
    return is_read;
}

static int is_exhausted(const gnt_measured *of, double surplus) {
    const double tolerance = gnt_target_tolerance(of->results, of->group->task);
    if (of->group->mode == GNT_ROW_AS_IS)
        return surplus > (isnan(tolerance) ? 0 : tolerance);
    return surplus > 0 && gnt_is_saturated(of->results, of->group->task, of->group->defense);
}

int gnt_is_comparable(const gnt_results *r, const char *task, gnt_group_kind kind,
                      const gnt_leak_place *place) {
    const double tolerance = gnt_target_tolerance(r, task);
    if (kind == GNT_GROUP_AS_IS)
        return place->surplus >= (isnan(tolerance) ? 0 : -tolerance);
    return kind == GNT_GROUP_MATCHED || (kind == GNT_GROUP_UNMATCHED && place->at_target);
}

/* Reads a defense in one way: if the curve under one attack does not cross the target, no curve is used. */
static void fill_all(double *value, const gnt_measured *group, size_t n_groups, const int64_t *seed,
                     size_t n_seeds, const gnt_measure *m, gnt_leak_place *place) {
    size_t g = 0;
    while (g < n_groups && fill_at_target(value + g * n_seeds, &group[g], seed, n_seeds, m) == 0)
        g++;
    place->at_target = n_groups && g == n_groups;
    place->surplus = place->at_target ? 0 : n_groups ? surplus_of(&group[0]) : NAN;
    place->exhausted = n_groups && is_exhausted(&group[0], place->surplus);
    for (g = 0; !place->at_target && g < n_groups; g++)
        fill(value + g * n_seeds, &group[g], seed, n_seeds, m);
}

size_t gnt_leak_by_training(double *out, const gnt_measured *group, size_t n_groups, const int64_t *seed,
                            size_t n_seeds, const gnt_measure *m, double floor, gnt_leak_place *place) {
    double *value = gnt_array(n_groups * n_seeds + 1, sizeof *value);
    size_t n = 0;
    if (!value)
        return 0;
    fill_all(value, group, n_groups, seed, n_seeds, m, place);
    gnt_metric_cross_fit(out, NULL, NULL, value, n_groups, n_seeds);
    for (size_t s = 0; s < n_seeds; s++) {
        const double x = m->leak * out[s];
        out[s] = !isnan(x) && gnt_leaks_more(m, floor, x) ? floor : x;
        n += !isnan(x);
    }
    gnt_free(value);
    return n;
}
