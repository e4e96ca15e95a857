#include "results/trainings.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "metric/compare.h"
#include "results/groups.h"

static int rising(const void *a, const void *b) {
    const int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

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
    qsort(seed, n, sizeof *seed, rising);
    return n;
}

/* The means of a group's cells, by seed; more leaks more. */
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

size_t gnt_leak_by_training(double *out, const gnt_measured *group, size_t n_groups, const int64_t *seed,
                            size_t n_seeds, const gnt_measure *m, double floor) {
    double *value = gnt_array(n_groups * n_seeds + 1, sizeof *value);
    size_t n = 0;
    if (!value)
        return 0;
    for (size_t g = 0; g < n_groups; g++)
        fill(value + g * n_seeds, &group[g], seed, n_seeds, m);
    gnt_metric_cross_fit(out, NULL, NULL, value, n_groups, n_seeds);
    for (size_t s = 0; s < n_seeds; s++) {
        const double x = m->leak * out[s];
        out[s] = !isnan(x) && gnt_leaks_more(m, floor, x) ? floor : x;
        n += !isnan(x);
    }
    gnt_free(value);
    return n;
}
