#include "judge/trainings.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/sort.h"
#include "metric/compare.h"
#include "metric/estimate.h"
#include "metric/interpolate.h"
#include "judge/curve.h"
#include "judge/group_roles.h"
#include "judge/section.h"

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

size_t gnt_list_measured(gnt_measured *out, const gnt_results *r, const char *task, int64_t stage,
                         const char *defense, const gnt_measure *m) {
    int64_t stages[GNT_MOST_STAGES] = {stage};
    const size_t n_stages = stage == GNT_EVERY_STAGE ? gnt_stages(r, task, stages) : 1;
    size_t n = 0;
    for (size_t a = 0; a < r->n_attack; a++)
        for (size_t i = 0; i < n_stages; i++) {
            const gnt_outcome *g = gnt_representative(r, task, stages[i], defense, r->attack[a]);
            if (gnt_number_of(g, m->name))
                out[n++] = (gnt_measured){r, g};
        }
    return n;
}

/* ---- training runs as they are ---- */

/* Reads the means of a group's cells by seed, with the sign by which a greater number leaks more. */
static void fill(double *value, const gnt_measured *of, const int64_t *seed, size_t n_seeds,
                 const gnt_measure *m) {
    for (size_t s = 0; s < n_seeds; s++)
        value[s] = NAN;
    const gnt_indices own = gnt_cells_of(of->results, of->group->task, of->group->defense);
    for (size_t i = 0; i < own.n; i++) {
        const gnt_outcome *c = &of->results->cell[own.at[i]];
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
    const gnt_indices own = gnt_cells_of(of->results, of->group->task, of->group->defense);
    for (size_t i = 0; i < own.n; i++) {
        const gnt_outcome *c = &of->results->cell[own.at[i]];
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
    const gnt_indices own = gnt_cells_of(r, of->group->task, of->group->defense);
    const gnt_outcome **cell = gnt_array(own.n + 1, sizeof *cell);
    *n = 0;
    for (size_t i = 0; cell && i < own.n; i++) {
        const gnt_outcome *c = &r->cell[own.at[i]];
        if (gnt_on_curve(c) && gnt_is_at(c, of->group->task, of->group->stage) &&
            !strcmp(c->attack, of->group->attack))
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

/* Where a curve is read: what was found, and the leakage of each seed there; NAN: unknown. */
typedef struct reading {
    gnt_equal found;
    double *by_seed;
} reading;

/* In tolerances: how far the utilities of two neighbours on a curve may lie apart for it to be read between
 * them. A bracket's lie 3 apart. */
static const double widest = 4;

/* Reads the curve at one of its strengths; x: its mean utility. */
static void read_strength(reading *out, double *x, const gnt_curve *c, size_t strength) {
    const gnt_score_bounds any = {-INFINITY, INFINITY};
    gnt_estimate e = {.mean = NAN, .low = NAN, .high = NAN};
    size_t n = 0;
    *x = 0;
    for (size_t s = 0; s < c->n_seeds; s++) {
        const gnt_equal_point *p = &c->point[strength * c->n_seeds + s];
        if (!isfinite(p->x) || !isfinite(p->y))
            continue;
        out->by_seed[n++] = p->y;
        *x += (p->x - *x) / (double)n;
    }
    if (n && gnt_estimate_mean(&e, out->by_seed, NULL, n, any, NULL) == 0) {
        out->found.value = e.mean;
        out->found.low = n > 1 ? e.low : NAN;
        out->found.high = n > 1 ? e.high : NAN;
    }
    for (size_t s = 0; s < c->n_seeds; s++) {
        const gnt_equal_point *p = &c->point[strength * c->n_seeds + s];
        out->by_seed[s] = isfinite(p->x) ? p->y : NAN;
    }
}

/* Replaces what was found in the middle of a jump, where the defense was not measured: it may leak all as
 * long as it is useful, and nothing where it is useless. It counts at the strength within a tolerance of the
 * target, else at the one that leaks more; at what was found if that is more. `end` has room for a reading.
 */
static void keep_off_jump(reading *r, reading *end, const gnt_curve *c, double target, double tolerance,
                          const gnt_measure *m) {
    const size_t at[] = {r->found.from, r->found.to};
    double x[2];
    reading chosen = *r;
    for (int i = 0; i < 2; i++)
        read_strength(end, &x[i], c, at[i]);
    if (!(fabs(x[0] - x[1]) > widest * tolerance)) /* NAN: no */
        return;
    const int is_near = fabs(x[0] - target) <= tolerance || fabs(x[1] - target) <= tolerance;
    for (int i = 0; i < 2; i++) {
        if (is_near && fabs(x[i] - target) > tolerance)
            continue;
        read_strength(end, &x[i], c, at[i]);
        if (!gnt_leaks_more(m, end->found.value, chosen.found.value))
            continue;
        chosen.found.value = end->found.value;
        chosen.found.low = end->found.low;
        chosen.found.high = end->found.high;
        memcpy(chosen.by_seed, end->by_seed, c->n_seeds * sizeof *end->by_seed);
    }
    *r = chosen;
}

/* Reads the curve at exactly the target; r->by_seed has an entry for each seed of the curve. */
static int read_curve(reading *r, const gnt_curve *c, const gnt_measured *of, const gnt_measure *m) {
    const double target = gnt_target_utility(of->results, of->group->task);
    reading end = {.by_seed = gnt_array(c->n_seeds + 1, sizeof *end.by_seed)};
    int rc =
        end.by_seed ? gnt_metric_equal(&r->found, c->point, c->n, c->n_seeds, target, r->by_seed, NULL) : -1;
    if (rc == 0 && r->found.verdict != GNT_EQUAL_FOUND)
        rc = -1;
    if (rc == 0)
        keep_off_jump(r, &end, c, target, gnt_target_tolerance(of->results, of->group->task), m);
    gnt_free(end.by_seed);
    return rc;
}

/* Reads the values as `fill` does, at exactly the target; −1 if the curve does not pass it. */
static int fill_at_target(double *value, const gnt_measured *of, const int64_t *seed, size_t n_seeds,
                          const gnt_measure *m) {
    gnt_curve c;
    int rc = make_curve(&c, of, m);
    reading at = {.by_seed = gnt_array(c.n_seeds + 1, sizeof *at.by_seed)};
    if (rc == 0)
        rc = at.by_seed ? read_curve(&at, &c, of, m) : -1;
    for (size_t s = 0; s < n_seeds; s++) {
        value[s] = NAN;
        for (size_t k = 0; rc == 0 && k < c.n_seeds; k++)
            if (seed[s] == c.seed[k])
                value[s] = m->leak * at.by_seed[k];
    }
    gnt_free(at.by_seed);
    gnt_curve_free(&c);
    return rc;
}

/* True for measures that lie between 0 and 1. */
static int is_rate(const gnt_measure *m) {
    return m->share || m->recovers == GNT_RECOVERS_ATTRIBUTE;
}

int gnt_read_at_target(gnt_stat *out, const gnt_measured *of, const gnt_measure *m) {
    gnt_curve c;
    const int is_made = make_curve(&c, of, m) == 0;
    reading at = {.by_seed = gnt_array(c.n_seeds + 1, sizeof *at.by_seed)};
    const int is_read = is_made && at.by_seed && read_curve(&at, &c, of, m) == 0;
    if (is_read) /* the interval of a rate ends where rates do */
        *out = (gnt_stat){.mean = at.found.value,
                          .low = is_rate(m) ? fmax(at.found.low, 0) : at.found.low,
                          .high = is_rate(m) ? fmin(at.found.high, 1) : at.found.high,
                          .deviation = NAN,
                          .worst = NAN,
                          .median = NAN,
                          .trainings = (int64_t)at.found.seeds,
                          .over = GNT_INTERVAL_TRAININGS};
    gnt_free(at.by_seed);
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

/* Turns a signed leakage into the measure's own units, no less than the floor; NAN stays. */
static double above_floor(const gnt_measure *m, double signed_leak, double floor) {
    const double x = m->leak * signed_leak;
    return !isnan(x) && gnt_leaks_more(m, floor, x) ? floor : x;
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
        out[s] = above_floor(m, out[s], floor);
        n += !isnan(out[s]);
    }
    gnt_free(value);
    return n;
}

/* ---- without the attack that decides ---- */

static const char *attack_of(const gnt_measured *of) {
    const char *repeated = gnt_result_influence_of(of->results->file, of->group->attack);
    return repeated ? repeated : of->group->attack;
}

/* The groups whose attack leaks most in each training run (n_groups: none), and what leaks there. */
typedef struct choice {
    size_t *group;
    double *leak;
} choice;

/* Removes the numbers of an attack. */
static void remove_attack(double *value, const gnt_measured *group, size_t n_groups, size_t n_seeds,
                          const char *attack) {
    for (size_t g = 0; g < n_groups; g++)
        for (size_t s = 0; s < n_seeds && !strcmp(attack_of(&group[g]), attack); s++)
            value[g * n_seeds + s] = NAN;
}

/* Fills the training runs that an attack decides; `less` was chosen without it. */
static void fill_decided(gnt_decided *out, const choice *all, const choice *less, const gnt_measured *group,
                         size_t n_groups, size_t n_seeds, const char *attack, const gnt_measure *m,
                         double floor) {
    for (size_t s = 0; s < n_seeds; s++) {
        if (all->group[s] == n_groups || strcmp(attack_of(&group[all->group[s]]), attack) != 0)
            continue;
        const int any = less->group[s] < n_groups;
        out[s] = (gnt_decided){.attack = attack,
                               .next = any ? attack_of(&group[less->group[s]]) : NULL,
                               .leaked = above_floor(m, all->leak[s], floor),
                               .without = any ? above_floor(m, less->leak[s], floor) : floor};
    }
}

int gnt_decide_trainings(gnt_decided *out, const gnt_measured *group, size_t n_groups, const int64_t *seed,
                         size_t n_seeds, const gnt_measure *m, double floor) {
    const size_t size = n_groups * n_seeds;
    double *value = gnt_array(2 * size + 1, sizeof *value), *left = value ? value + size : NULL;
    choice all = {gnt_array(n_seeds + 1, sizeof *all.group), gnt_array(n_seeds + 1, sizeof *all.leak)},
           less = {gnt_array(n_seeds + 1, sizeof *less.group), gnt_array(n_seeds + 1, sizeof *less.leak)};
    gnt_leak_place place;
    const int rc = value && all.group && all.leak && less.group && less.leak ? 0 : -1;
    if (rc == 0) {
        fill_all(value, group, n_groups, seed, n_seeds, m, &place);
        gnt_metric_cross_fit(all.leak, all.group, NULL, value, n_groups, n_seeds);
    }
    for (size_t s = 0; rc == 0 && s < n_seeds; s++)
        out[s] = (gnt_decided){.leaked = NAN, .without = NAN};
    for (size_t g = 0; rc == 0 && g < n_groups; g++) {
        memcpy(left, value, size * sizeof *left);
        remove_attack(left, group, n_groups, n_seeds, attack_of(&group[g]));
        gnt_metric_cross_fit(less.leak, less.group, NULL, left, n_groups, n_seeds);
        fill_decided(out, &all, &less, group, n_groups, n_seeds, attack_of(&group[g]), m, floor);
    }
    gnt_free(value);
    gnt_free(all.group);
    gnt_free(all.leak);
    gnt_free(less.group);
    gnt_free(less.leak);
    return rc;
}
