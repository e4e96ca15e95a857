#include "results/paired.h"

#include <math.h>
#include <string.h>

#include "base/mem.h"
#include "metric/estimate.h"

const gnt_outcome *gnt_group_of_attack(const gnt_results *r, const gnt_outcome *group, const char *attack) {
    for (size_t i = 0; i < r->n_group; i++) {
        gnt_outcome wanted = *group;
        wanted.attack = attack;
        if (gnt_is_of_group(&r->group[i], &wanted))
            return &r->group[i];
    }
    return NULL;
}

static const gnt_outcome *cell_of_seed(const gnt_results *r, const gnt_outcome *group, int64_t seed) {
    for (size_t i = 0; i < r->n_cell; i++)
        if (r->cell[i].seed == seed && gnt_is_of_group(&r->cell[i], group))
            return &r->cell[i];
    return NULL;
}

static const json_t *target_of_id(const gnt_outcome *cell, const json_t *id) {
    for (size_t i = 0; i < json_array_size(cell->targets); i++) {
        const json_t *one = json_array_get(cell->targets, i);
        if (id && json_equal(json_object_get(one, "id"), id))
            return one;
    }
    return NULL;
}

static double number_of(const json_t *target, const gnt_measure *m) {
    const json_t *value = json_object_get(target, m->name);
    return json_is_number(value) ? json_number_value(value) : NAN;
}

typedef struct pairs {
    double *x;
    int64_t *training;
    size_t n;
} pairs;

/* The pairs of two cells of one seed; those without two finite numbers are left out. 0, −1 out of memory. */
static int add_pairs(pairs *p, const gnt_outcome *a, const gnt_outcome *b, const gnt_measure *m) {
    const size_t wanted = p->n + json_array_size(a->targets);
    double *x = gnt_resize(p->x, wanted + 1, sizeof *x);
    p->x = x ? x : p->x;
    int64_t *training = gnt_resize(p->training, wanted + 1, sizeof *training);
    p->training = training ? training : p->training;
    if (!x || !training)
        return -1;
    for (size_t i = 0; i < json_array_size(a->targets); i++) {
        const json_t *one = json_array_get(a->targets, i);
        const double d = number_of(one, m) - number_of(target_of_id(b, json_object_get(one, "id")), m);
        if (!isfinite(d))
            continue;
        p->x[p->n] = d;
        p->training[p->n++] = a->seed;
    }
    return 0;
}

int gnt_paired_difference(gnt_stat *out, const gnt_results *r, const gnt_outcome *a, const gnt_outcome *b,
                          const gnt_measure *m) {
    const gnt_score_bounds any = {-INFINITY, INFINITY};
    pairs p = {0};
    gnt_estimate e;
    int rc = 0;
    for (size_t i = 0; rc == 0 && i < r->n_cell; i++) {
        const gnt_outcome *c = &r->cell[i];
        const gnt_outcome *other = gnt_is_of_group(c, a) ? cell_of_seed(r, b, c->seed) : NULL;
        if (other)
            rc = add_pairs(&p, c, other, m);
    }
    rc = rc == 0 && p.n > 0 ? gnt_estimate_mean(&e, p.x, p.training, p.n, any, NULL) : -1;
    if (rc == 0)
        *out = (gnt_stat){.mean = e.mean,
                          .deviation = NAN,
                          .worst = NAN,
                          .median = NAN,
                          .low = e.low,
                          .high = e.high,
                          .n = (int64_t)p.n,
                          .trainings = (int64_t)e.trainings,
                          .over = e.over};
    gnt_free(p.x);
    gnt_free(p.training);
    return rc;
}
