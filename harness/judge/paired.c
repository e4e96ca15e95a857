#include "judge/paired.h"

#include <math.h>
#include <string.h>

#include "base/fields.h"
#include "base/mem.h"
#include "metric/estimate.h"
#include "judge/measure_text.h"

/* What a table of the suite's own names in place of a group's: no text, −1 and NAN for what stays. */
typedef struct instead_of {
    const char *attack, *task, *defense;
    int64_t stage;
    double strength;
} instead_of;

static const gnt_field instead_rows[] = {
    {GNT_FIELD(instead_of, attack, TEXT)},
    {GNT_FIELD(instead_of, task, TEXT)},
    {GNT_FIELD(instead_of, defense, TEXT)},
    {GNT_FIELD(instead_of, stage, INT), .nullable = 1},
    {GNT_FIELD(instead_of, strength, REAL), .nullable = 1},
};
static const gnt_fields instead_fields = {
    .field = instead_rows, .n = 5, .size = sizeof(instead_of), .open = 1, .named = 1};

/* True if two groups have the same strength: both matched, or the same number or none. */
static int is_as_strong(const gnt_outcome *a, const gnt_outcome *b) {
    if (a->mode == GNT_ROW_MATCHED || b->mode == GNT_ROW_MATCHED)
        return a->mode == b->mode;
    return a->strength == b->strength || (isnan(a->strength) && isnan(b->strength));
}

/* Returns 2 if g has the requested strength, 1 if it has none, 0 if it has another strength. */
static int fits(const gnt_outcome *g, const gnt_outcome *group, double strength) {
    if (!isnan(strength))
        return fabs(g->strength - strength) <= 1e-9 * fabs(strength) ? 2 : 0;
    return is_as_strong(g, group) ? 2 : g->mode == GNT_ROW_NONE || g->mode == GNT_ROW_AS_IS;
}

static const gnt_outcome *find_group(const gnt_results *r, const gnt_outcome *group, const instead_of *x) {
    const char *attack = *x->attack ? x->attack : group->attack, *task = *x->task ? x->task : group->task;
    const char *defense = *x->defense ? x->defense : group->defense;
    const int64_t stage = x->stage >= 0 ? x->stage : group->stage;
    const gnt_outcome *found = NULL;
    int best = 0;
    for (size_t i = 0; i < r->n_group; i++) {
        const gnt_outcome *g = &r->group[i];
        if (!gnt_is_at(g, task, stage) || strcmp(g->defense, defense) != 0 || strcmp(g->attack, attack) != 0)
            continue;
        const int fit = fits(g, group, x->strength);
        if (fit > best) {
            best = fit;
            found = g;
        }
    }
    return found;
}

const gnt_outcome *gnt_group_instead(const gnt_results *r, const gnt_outcome *group, const json_t *instead) {
    gnt_arena arena = {0};
    instead_of x;
    const gnt_outcome *found = gnt_fields_decode(&instead_fields, &x, instead, &arena, "", NULL) == 0
                                   ? find_group(r, group, &x)
                                   : NULL;
    gnt_arena_free(&arena);
    return found;
}

static const gnt_outcome *cell_of_seed(const gnt_results *r, const gnt_outcome *group, int64_t seed) {
    for (size_t i = 0; i < r->n_cell; i++)
        if (r->cell[i].seed == seed && gnt_is_of_group(&r->cell[i], group))
            return &r->cell[i];
    return NULL;
}

/* Returns the number of a target; NAN if the cell lacks the target, or the target the measure. */
static double number_of(const gnt_outcome *cell, int64_t id, const gnt_measure *m) {
    for (size_t i = 0; i < cell->targets.n; i++)
        if (cell->targets.at[i].id == id)
            return cell->targets.at[i].score[gnt_measure_id_of(m)];
    return NAN;
}

typedef struct pairs {
    double *x;
    int64_t *training;
    size_t n;
} pairs;

/* Adds the pairs of two cells of one seed; those without two finite numbers are left out. Returns 0, −1 when
 * out of memory. */
static int add_pairs(pairs *p, const gnt_outcome *a, const gnt_outcome *b, const gnt_measure *m) {
    const size_t wanted = p->n + a->targets.n;
    double *x = gnt_resize(p->x, wanted + 1, sizeof *x);
    p->x = x ? x : p->x;
    int64_t *training = gnt_resize(p->training, wanted + 1, sizeof *training);
    p->training = training ? training : p->training;
    if (!x || !training)
        return -1;
    for (size_t i = 0; i < a->targets.n; i++) {
        const gnt_target *one = &a->targets.at[i];
        const double d = one->score[gnt_measure_id_of(m)] - number_of(b, one->id, m);
        if (!isfinite(d))
            continue;
        p->x[p->n] = d;
        p->training[p->n++] = a->seed;
    }
    return 0;
}

/* Takes the pairs over. 0; −1 without any, or out of memory. */
static int estimate(gnt_stat *out, pairs *p, int failed) {
    const gnt_score_bounds any = {-INFINITY, INFINITY};
    gnt_estimate e;
    const int rc = !failed && p->n > 0 ? gnt_estimate_mean(&e, p->x, p->training, p->n, any, NULL) : -1;
    if (rc == 0)
        *out = (gnt_stat){.mean = e.mean,
                          .deviation = NAN,
                          .worst = NAN,
                          .median = NAN,
                          .low = e.low,
                          .high = e.high,
                          .n = (int64_t)p->n,
                          .trainings = (int64_t)e.trainings,
                          .over = e.over};
    gnt_free(p->x);
    gnt_free(p->training);
    return rc;
}

int gnt_paired_difference(gnt_stat *out, const gnt_results *r, const gnt_outcome *a, const gnt_outcome *b,
                          const gnt_measure *m) {
    pairs p = {0};
    int rc = 0;
    for (size_t i = 0; rc == 0 && i < r->n_cell; i++) {
        const gnt_outcome *c = &r->cell[i];
        const gnt_outcome *other = gnt_is_of_group(c, a) ? cell_of_seed(r, b, c->seed) : NULL;
        if (other)
            rc = add_pairs(&p, c, other, m);
    }
    return estimate(out, &p, rc);
}

int gnt_paired_utility(gnt_stat *out, const gnt_results *r, const gnt_outcome *a, const gnt_outcome *b,
                       const char *name) {
    pairs p = {gnt_array(r->n_cell + 1, sizeof *p.x), gnt_array(r->n_cell + 1, sizeof *p.training), 0};
    for (size_t i = 0; p.x && p.training && i < r->n_cell; i++) {
        const gnt_outcome *c = &r->cell[i];
        const gnt_outcome *other = gnt_is_of_group(c, a) ? cell_of_seed(r, b, c->seed) : NULL;
        const double d = other ? gnt_utility_number(&c->utility, name).value -
                                     gnt_utility_number(&other->utility, name).value
                               : NAN;
        if (!isfinite(d))
            continue;
        p.x[p.n] = d;
        p.training[p.n++] = c->seed;
    }
    return estimate(out, &p, !p.x || !p.training);
}
