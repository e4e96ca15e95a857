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

/* By target, the restart of least cost first. */
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

int gnt_is_starved(const gnt_results *r, const gnt_outcome *group) {
    size_t targets = 0, starved = 0;
    for (size_t i = 0; i < r->n_cell; i++) {
        const gnt_outcome *c = &r->cell[i];
        if (c->status == GNT_CELL_OK && gnt_stands_for(c, group))
            count(&c->convergence, &targets, &starved);
    }
    return targets > 0 && 2 * starved >= targets;
}
