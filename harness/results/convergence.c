#include "results/convergence.h"

#include <math.h>
#include <stdlib.h>

#include "base/mem.h"
#include "results/groups.h"

static const double last_part = 0.1, still_falls = 0.9, is_done = 1e-6;

int gnt_convergence_point(const json_t *points, size_t i, double *step, double *cost) {
    const json_t *pair = json_array_get(points, i);
    const json_t *x = json_array_get(pair, 0), *y = json_array_get(pair, 1);
    if (!json_is_number(x) || !json_is_number(y))
        return 0;
    *step = json_number_value(x);
    *cost = json_number_value(y);
    return 1;
}

static double least_cost(const json_t *points, double until) {
    double least = INFINITY, step, cost;
    for (size_t i = 0; i < json_array_size(points); i++)
        if (gnt_convergence_point(points, i, &step, &cost) && step <= until)
            least = fmin(least, cost);
    return least;
}

int gnt_convergence_is_done(const json_t *points) {
    double step, first;
    return gnt_convergence_point(points, 0, &step, &first) &&
           least_cost(points, INFINITY) <= is_done * fabs(first);
}

int gnt_convergence_is_starved(const json_t *points) {
    const size_t n = json_array_size(points);
    double first, start, last, end;
    if (n < GNT_CONVERGENCE_LEAST_POINTS || !gnt_convergence_point(points, 0, &start, &first) ||
        !gnt_convergence_point(points, n - 1, &end, &last))
        return 0;
    const double before = least_cost(points, end - last_part * (end - start)), now = least_cost(points, end);
    return isfinite(before) && before > 0 && now <= still_falls * before && !gnt_convergence_is_done(points);
}

typedef struct curve {
    int64_t target;
    double cost;
    const json_t *points;
} curve;

/* By target, the restart of least cost first. */
static int by_target(const void *a, const void *b) {
    const curve *x = a, *y = b;
    if (x->target != y->target)
        return x->target < y->target ? -1 : 1;
    return (x->cost > y->cost) - (x->cost < y->cost);
}

/* Of one cell: how many targets have a curve, and of how many the best one is starved. */
static void count(const json_t *list, size_t *targets, size_t *starved) {
    const size_t n = json_array_size(list);
    curve *all = gnt_array(n + 1, sizeof *all);
    for (size_t i = 0; all && i < n; i++) {
        const json_t *one = json_array_get(list, i), *points = json_object_get(one, "points");
        all[i] =
            (curve){json_integer_value(json_object_get(one, "target")), least_cost(points, INFINITY), points};
    }
    if (all)
        qsort(all, n, sizeof *all, by_target);
    for (size_t i = 0; all && i < n; i++)
        if (i == 0 || all[i].target != all[i - 1].target) {
            ++*targets;
            *starved += (size_t)gnt_convergence_is_starved(all[i].points);
        }
    gnt_free(all);
}

int gnt_is_starved(const gnt_results *r, const gnt_outcome *group) {
    size_t targets = 0, starved = 0;
    for (size_t i = 0; i < r->n_cell; i++) {
        const gnt_outcome *c = &r->cell[i];
        if (c->status == GNT_CELL_OK && c->json.convergence && gnt_stands_for(c, group))
            count(c->json.convergence, &targets, &starved);
    }
    return targets > 0 && 2 * starved >= targets;
}
