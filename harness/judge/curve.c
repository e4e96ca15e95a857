#include "judge/curve.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

/* Cells of one strength, that follow each other. */
typedef struct stretch {
    double strength;
    size_t first, n;
} stretch;

int gnt_on_curve(const gnt_outcome *cell) {
    return (cell->mode == GNT_ROW_MATCHED || cell->mode == GNT_ROW_SWEEP) && isfinite(cell->strength);
}

static int by_strength(const void *a, const void *b) {
    const stretch *x = a, *y = b;
    if (x->strength != y->strength)
        return x->strength < y->strength ? -1 : 1;
    return x->first < y->first ? -1 : x->first > y->first;
}

/* Finds stretches of adjacent cells of equal strength, sorts them, and returns how many strengths there are.
 * Seeds vary fastest in a plan, so the cells of a strength are adjacent. */
static size_t find_stretches(stretch *at, const gnt_outcome *const *cell, size_t n_cells) {
    size_t n = 0, kept = 0;
    for (size_t i = 0; i < n_cells; i++) {
        const stretch *last = n ? &at[n - 1] : NULL;
        if (last && last->strength == cell[i]->strength && cell[last->first]->mode == cell[i]->mode)
            at[n - 1].n++;
        else
            at[n++] = (stretch){cell[i]->strength, i, 1};
    }
    qsort(at, n, sizeof *at, by_strength);
    for (size_t i = 0; i < n; i++)
        if (!kept || at[kept - 1].strength != at[i].strength)
            at[kept++] = at[i];
    return kept;
}

static size_t seed_index(gnt_curve *c, int64_t seed) {
    size_t i = 0;
    while (i < c->n_seeds && c->seed[i] != seed)
        i++;
    if (i == c->n_seeds)
        c->seed[c->n_seeds++] = seed;
    return i;
}

static int has_numbers(const gnt_outcome *o, const gnt_measure *m) {
    return gnt_number_of(o, m->name) && isfinite(o->utility.value);
}

static void fill(gnt_curve *c, const stretch *at, const gnt_outcome *const *cell, const gnt_measure *m) {
    for (size_t i = 0; i < c->n * c->n_seeds; i++)
        c->point[i] = (gnt_equal_point){NAN, NAN};
    for (size_t k = 0; k < c->n; k++) {
        c->strength[k] = at[k].strength;
        for (size_t i = at[k].first; i < at[k].first + at[k].n; i++)
            if (has_numbers(cell[i], m))
                c->point[k * c->n_seeds + seed_index(c, cell[i]->seed)] =
                    (gnt_equal_point){cell[i]->utility.value, gnt_number_of(cell[i], m->name)->stat.mean};
    }
}

int gnt_curve_make(gnt_curve *out, const gnt_outcome *const *cell, size_t n, const gnt_measure *m,
                   gnt_err *err) {
    stretch *at = gnt_array(n + 1, sizeof *at);
    *out = (gnt_curve){.strength = gnt_array(n + 1, sizeof *out->strength),
                       .seed = gnt_array(n + 1, sizeof *out->seed)};
    if (at && out->strength && out->seed) {
        out->n = find_stretches(at, cell, n);
        for (size_t i = 0; i < n; i++)
            if (has_numbers(cell[i], m))
                seed_index(out, cell[i]->seed);
        out->point = gnt_array(out->n * out->n_seeds + 1, sizeof *out->point);
        if (out->point)
            fill(out, at, cell, m);
    }
    gnt_free(at);
    if (out->point)
        return 0;
    gnt_curve_free(out);
    return gnt_fail(err, "out of memory for a curve of %zu cells", n);
}

void gnt_curve_free(gnt_curve *c) {
    gnt_free(c->strength);
    gnt_free(c->point);
    gnt_free(c->seed);
    *c = (gnt_curve){0};
}

double gnt_target_utility(const gnt_results *r, const char *task) {
    for (size_t i = 0; i < r->n_match; i++)
        if (!strcmp(r->match[i].task, task) && isfinite(r->match[i].target))
            return r->match[i].target;
    return NAN;
}

double gnt_target_tolerance(const gnt_results *r, const char *task) {
    for (size_t i = 0; i < r->n_match; i++)
        if (!strcmp(r->match[i].task, task) && isfinite(r->match[i].tolerance))
            return r->match[i].tolerance;
    return NAN;
}

const gnt_match_row *gnt_match_of(const gnt_results *r, const char *task, const char *defense) {
    for (size_t i = 0; i < r->n_match; i++)
        if (!strcmp(r->match[i].task, task) && !strcmp(r->match[i].defense, defense))
            return &r->match[i];
    return NULL;
}

int gnt_is_saturated(const gnt_results *r, const char *task, const char *defense) {
    const gnt_match_row *m = gnt_match_of(r, task, defense);
    return m && !strcmp(m->verdict, "saturated");
}
