#include "judge/places.h"

#include <math.h>

#include "base/mem.h"
#include "metric/compare.h"
#include "metric/stats.h"

static const double level = 0.05; /* of all comparisons of a family together */

static gnt_rank_state *state_at(const gnt_rank_list *l, size_t i) {
    return (gnt_rank_state *)(void *)((char *)l->state + i * l->stride);
}

static gnt_leak_place *place_at(const gnt_rank_list *l, size_t i) {
    return (gnt_leak_place *)(void *)((char *)l->place + i * l->stride);
}

static size_t count(const gnt_rank_list *l, gnt_rank_state state) {
    size_t n = 0;
    for (size_t i = 0; i < l->n; i++)
        n += *state_at(l, i) == state;
    return n;
}

int gnt_has_rank(gnt_rank_state state) {
    return state <= GNT_RANKED_AS_NONE;
}

size_t gnt_rank_count(const gnt_rank_list *l) {
    size_t n = 0;
    while (n < l->n && gnt_has_rank(*state_at(l, n)))
        n++;
    return n;
}

/* True if leaking less counts for a against b: it does not where a left less utility and b might have been
 * made stronger for it. NAN: no. */
static int is_as_useful(const gnt_leak_place *a, const gnt_leak_place *b) {
    return b->exhausted || a->surplus >= b->surplus;
}

/* Compares two rows; *p: of the paired test, 1 where it cannot be made. True if a leaks less at the level of
 * one pair. */
static int leaks_less(const gnt_rank_list *l, size_t a, size_t b, double *pair, double *p, int *failed) {
    double both[4];
    int less[4] = {0};
    gnt_metric_compare_result result = {.p = both, .surely_less = less};
    for (size_t i = 0; i < l->trainings; i++) {
        pair[i] = l->measure->leak * l->value[a * l->trainings + i];
        pair[l->trainings + i] = l->measure->leak * l->value[b * l->trainings + i];
    }
    *failed |= gnt_metric_compare(&result, pair, 2, l->trainings, level, NULL) != 0;
    *p = *failed ? 1 : both[1];
    return less[1];
}

/* ---- the last rows ---- */

static int can_be_last(gnt_rank_state state) {
    return state == GNT_RANKED || state == GNT_UNRANKED_UNMET;
}

static size_t numbers_of(const gnt_rank_list *l, size_t row) {
    size_t n = 0;
    for (size_t i = 0; i < l->trainings; i++)
        n += !isnan(l->value[row * l->trainings + i]);
    return n;
}

/* Sets less[i] for rows that surely leak less than the row `none`, by Holm's method over the rows of the
 * first contributor and the row itself. */
static int compare_with_none(const gnt_rank_list *l, size_t none, int *less, double *p, double *pair) {
    int failed = 0;
    for (size_t i = 0; i < l->n; i++) {
        p[i] = 1;
        if (can_be_last(*state_at(l, i)))
            less[i] = leaks_less(l, i, none, pair, &p[i], &failed);
    }
    for (size_t i = 0; i < l->n; i++) { /* `pair` has room for a p of each row behind two rows' numbers */
        double *family = pair + 2 * l->trainings;
        size_t n = 1;
        family[0] = p[i];
        for (size_t k = 0; k < l->n; k++)
            if (k != i && can_be_last(*state_at(l, k)) && !place_at(l, k)->guest)
                family[n++] = p[k];
        failed |= gnt_metric_holm(family, n, NULL) != 0;
        less[i] &= family[0] <= level;
    }
    return failed ? -1 : 0;
}

/* True if every row of GNT_RANKED surely leaks less than row u. All have to, so that each pair is tested at
 * the level of one; `tests` rows are tried. */
static int is_behind_all(const gnt_rank_list *l, size_t u, size_t tests, double *pair, int *failed) {
    for (size_t i = 0; i < l->n; i++) {
        double p;
        if (*state_at(l, i) == GNT_RANKED &&
            (!leaks_less(l, i, u, pair, &p, failed) || p > level / (double)tests ||
             !is_as_useful(place_at(l, i), place_at(l, u))))
            return 0;
    }
    return 1;
}

static int settle(const gnt_rank_list *l, size_t none, int *less, double *p, double *pair) {
    const int is_known = none < l->n && numbers_of(l, none) >= GNT_METRIC_COMPARE_LEAST;
    int failed = is_known && compare_with_none(l, none, less, p, pair) != 0;
    for (size_t i = 0; is_known && i < l->n; i++)
        if (*state_at(l, i) == GNT_RANKED && !less[i])
            *state_at(l, i) = GNT_RANKED_AS_NONE;
    const size_t unmet = count(l, GNT_UNRANKED_UNMET);
    for (size_t i = 0; count(l, GNT_RANKED) && i < l->n; i++) {
        if (*state_at(l, i) != GNT_UNRANKED_UNMET)
            continue;
        if (is_known && !less[i])
            *state_at(l, i) = GNT_RANKED_AS_NONE;
        else if (is_behind_all(l, i, unmet, pair, &failed))
            *state_at(l, i) = GNT_RANKED_UNMET;
    }
    return failed ? -1 : 0;
}

int gnt_rank_settle_last(const gnt_rank_list *l, size_t none) {
    int *less = gnt_array(l->n + 1, sizeof *less);
    double *p = gnt_array(l->n + 1, sizeof *p);
    double *pair = gnt_array(2 * l->trainings + l->n + 1, sizeof *pair);
    const int rc = less && p && pair ? settle(l, none, less, p, pair) : -1;
    gnt_free(less);
    gnt_free(p);
    gnt_free(pair);
    return rc;
}

/* ---- ranks ---- */

/* Rows that are compared together, and their numbers. */
typedef struct family {
    size_t *row, n;
    double *leak;
    int *less;
} family;

static void add_to_family(family *f, const gnt_rank_list *l, size_t row) {
    for (size_t i = 0; i < l->trainings; i++)
        f->leak[f->n * l->trainings + i] = l->measure->leak * l->value[row * l->trainings + i];
    f->row[f->n++] = row;
}

/* Compares the rows of a family, and writes the pair of rows a and b into less, k × k, or all pairs if both
 * are k. */
static int compare_family(const gnt_rank_list *l, const family *f, size_t k, size_t a, size_t b, int *less) {
    gnt_metric_compare_result result = {.surely_less = f->less};
    if (gnt_metric_compare(&result, f->leak, f->n, l->trainings, level, NULL) != 0)
        return -1;
    for (size_t i = 0; i < f->n; i++)
        for (size_t o = 0; o < f->n; o++) {
            const size_t x = f->row[i], y = f->row[o];
            if (a == k || (x == a && y == b) || (x == b && y == a))
                less[x * k + y] = f->less[i * f->n + o];
        }
    return 0;
}

/* Compares the rows of the first contributor with each other, and every other pair as if it alone had been
 * added to them: otherwise a contributor with many rows could make the correction too strict to find any
 * difference. */
static int compare_by_family(const gnt_rank_list *l, family *f, size_t k, int *less) {
    for (size_t i = 0; i < k; i++)
        if (!place_at(l, i)->guest)
            add_to_family(f, l, i);
    const size_t first = f->n;
    int rc = compare_family(l, f, k, k, k, less);
    for (size_t a = 0; rc == 0 && a < k; a++)
        for (size_t b = 0; rc == 0 && b < a; b++) {
            if (!place_at(l, a)->guest && !place_at(l, b)->guest)
                continue;
            f->n = first;
            if (place_at(l, a)->guest)
                add_to_family(f, l, a);
            if (place_at(l, b)->guest)
                add_to_family(f, l, b);
            rc = compare_family(l, f, k, a, b, less);
        }
    return rc;
}

/* Compares the rows of GNT_RANKED; less: k × k. */
static int compare(const gnt_rank_list *l, size_t k, int *less) {
    family f = {.row = gnt_array(k + 1, sizeof *f.row),
                .leak = gnt_array(k * l->trainings + 1, sizeof *f.leak),
                .less = gnt_array(k * k + 1, sizeof *f.less)};
    const int rc = f.row && f.leak && f.less ? compare_by_family(l, &f, k, less) : -1;
    gnt_free(f.row);
    gnt_free(f.leak);
    gnt_free(f.less);
    return rc;
}

/* Says how a tie of two rows came about; `less`: a leaks less by the test alone, or b does. */
static void tie(gnt_leak_place *p, int less) {
    p->tied |= less ? GNT_TIED_BY_UTILITY : GNT_TIED_BY_CHANCE;
}

static void place_ranked(const gnt_rank_list *l, size_t k, const int *less, int *surely_less, size_t n) {
    for (size_t a = 0; a < k; a++)
        for (size_t b = 0; b < k; b++)
            surely_less[a * n + b] = less[a * k + b] && is_as_useful(place_at(l, a), place_at(l, b));
    for (size_t i = 0; i < k; i++) {
        gnt_leak_place *p = place_at(l, i);
        p->rank = 1;
        p->tied = GNT_NOT_TIED;
        for (size_t o = 0; o < k; o++) {
            p->rank += surely_less[o * n + i];
            if (o != i && !surely_less[o * n + i] && !surely_less[i * n + o])
                tie(p, less[o * k + i] || less[i * k + o]);
        }
        if (i && place_at(l, i - 1)->rank > p->rank)
            p->rank = place_at(l, i - 1)->rank;
    }
}

static void place_last(const gnt_rank_list *l, size_t k, int *surely_less, size_t n) {
    for (size_t i = k; i < n; i++) {
        gnt_leak_place *p = place_at(l, i);
        p->rank = (int)k + 1;
        p->tied = n - k > 1 || *state_at(l, i) == GNT_RANKED_AS_NONE ? GNT_TIED_BY_CHANCE : GNT_NOT_TIED;
        for (size_t a = 0; a < n; a++) {
            surely_less[a * n + i] = a < k;
            surely_less[i * n + a] = 0;
        }
    }
}

int gnt_rank_places(const gnt_rank_list *l, int *surely_less) {
    const size_t n = gnt_rank_count(l), k = count(l, GNT_RANKED);
    int *less = gnt_array(k * k + 1, sizeof *less);
    const int rc = less ? compare(l, k, less) : -1;
    if (rc == 0) {
        place_ranked(l, k, less, surely_less, n);
        place_last(l, k, surely_less, n);
    }
    gnt_free(less);
    return rc;
}
