#include "judge/convergence.h"

#include <math.h>
#include <stdlib.h>

#include "base/mem.h"
#include "judge/group_roles.h"

static const double last_part = 0.1, still_falls = 0.9, is_done = 1e-6;

static double least_cost(const gnt_costs *curve, double until) {
    double least = INFINITY;
    for (size_t i = 0; i < curve->n; i++)
        if ((double)curve->at[i].step <= until)
            least = fmin(least, curve->at[i].cost);
    return least;
}

int gnt_convergence_is_done(const gnt_costs *curve) {
    return curve->n > 0 && least_cost(curve, INFINITY) <= is_done * fabs(curve->at[0].cost);
}

int gnt_convergence_is_starved(const gnt_costs *curve) {
    if (curve->n < GNT_CONVERGENCE_LEAST_POINTS)
        return 0;
    const double start = (double)curve->at[0].step, end = (double)curve->at[curve->n - 1].step;
    const double before = least_cost(curve, end - last_part * (end - start)), now = least_cost(curve, end);
    return isfinite(before) && before > 0 && now <= still_falls * before && !gnt_convergence_is_done(curve);
}

typedef struct search {
    int64_t target;
    double cost;
    const gnt_costs *curve;
} search;

/* Orders curves by target, the restart of least cost first. */
static int by_target(const void *a, const void *b) {
    const search *x = a, *y = b;
    if (x->target != y->target)
        return x->target < y->target ? -1 : 1;
    return (x->cost > y->cost) - (x->cost < y->cost);
}

/* Adds a cell's targets that have a curve, and how many of their best curves are starved. */
static void count(const gnt_restarts *list, size_t *targets, size_t *starved) {
    search *all = gnt_array(list->n + 1, sizeof *all);
    for (size_t i = 0; all && i < list->n; i++)
        all[i] = (search){list->at[i].target, least_cost(&list->at[i].points, INFINITY), &list->at[i].points};
    if (all)
        qsort(all, list->n, sizeof *all, by_target);
    for (size_t i = 0; all && i < list->n; i++)
        if (i == 0 || all[i].target != all[i - 1].target) {
            ++*targets;
            *starved += (size_t)gnt_convergence_is_starved(all[i].curve);
        }
    gnt_free(all);
}

/* Sets rise[i] to how much more each target leaks than with a quarter of the budget. Returns how many have
 * both numbers. */
static size_t rises_of(const gnt_outcome *cell, const gnt_measure *m, double *rise) {
    const gnt_measure_id id = gnt_measure_id_of(m);
    size_t n = 0;
    for (size_t i = 0; i < cell->targets.n && i < cell->quarter.n; i++) {
        const gnt_target *all = &cell->targets.at[i], *quarter = &cell->quarter.at[i];
        const double d = all->score[id] - quarter->score[id];
        if (all->id == quarter->id && isfinite(d))
            rise[n++] = m->leak * d;
    }
    return n;
}

/* True if the mean of n rises is beyond the margin, and, where n is large enough, beyond chance. */
static int is_a_rise(const gnt_measure *m, const double *rise, size_t n) {
    const gnt_score_bounds any = {-INFINITY, INFINITY};
    gnt_estimate e;
    return gnt_estimate_mean(&e, rise, NULL, n, any, NULL) == 0 && e.mean >= 2 * m->tolerance &&
           (n < GNT_RISE_LEAST_TARGETS || e.low > 0);
}

int gnt_leakage_still_rises(const gnt_outcome *cell) {
    double *rise = gnt_array(cell->targets.n + 1, sizeof *rise);
    int rises = 0;
    size_t n = 0;
    for (size_t i = 0; rise && n == 0 && i < GNT_MEASURES; i++) {
        const gnt_measure *m = gnt_measure_at(i);
        n = m->whole ? 0 : rises_of(cell, m, rise);
        rises = n > 0 && is_a_rise(m, rise, n);
    }
    gnt_free(rise);
    return rises;
}

int gnt_is_starved(const gnt_results *r, const gnt_outcome *group) {
    size_t targets = 0, starved = 0;
    const gnt_indices own = gnt_cells_of(r, group->task, group->defense);
    for (size_t i = 0; i < own.n; i++) {
        const gnt_outcome *c = &r->cell[own.at[i]];
        if (c->status != GNT_CELL_OK || !gnt_stands_for(c, group))
            continue;
        if (gnt_leakage_still_rises(c))
            return 1;
        count(&c->convergence, &targets, &starved);
    }
    return targets > 0 && 2 * starved >= targets;
}

int gnt_ended_of(const gnt_results *r, const gnt_outcome *group, gnt_ended *out) {
    int says = 0;
    *out = (gnt_ended){0};
    const gnt_indices own = gnt_cells_of(r, group->task, group->defense);
    for (size_t i = 0; i < own.n; i++) {
        const gnt_outcome *c = &r->cell[own.at[i]];
        if (c->status != GNT_CELL_OK || !c->ended || !gnt_stands_for(c, group))
            continue;
        out->budget += c->ended->budget;
        out->tolerance += c->ended->tolerance;
        out->stall += c->ended->stall;
        out->contradicted += c->ended->contradicted;
        out->unknown += c->ended->unknown;
        says = 1;
    }
    return says;
}
