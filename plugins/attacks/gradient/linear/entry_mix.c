#include "linear/entry_mix.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { PARTNERS = 4, PILES = 3, ROUNDS = 3 };
static const double rounding = 2e-5;      /* relative, of quotients of entries in single precision */
static const double least_pile = 0.04;    /* share of the quotients of two rows */
static const double least_share = 0.1;    /* of the entries of a row or column that must agree on its value */
static const double least_entries = 0.04; /* share of all entries that a matrix must have */

static int by_value(const void *a, const void *b) {
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static int is_near(double a, double b) {
    return fabs(a - b) <= rounding * fmax(fabs(a), fabs(b));
}

/* Sorts the n values; returns the middle of the longest run of those that are equal up to rounding, and how
 * many they are. */
static double most_common(double *value, int64_t n, int64_t *count) {
    double best = NAN;
    *count = 0;
    qsort(value, (size_t)n, sizeof *value, by_value);
    for (int64_t first = 0, last = 0; first < n; first++) {
        last = last < first ? first : last;
        while (last < n && is_near(value[last], value[first]))
            last++;
        if (last - first > *count) {
            *count = last - first;
            best = value[first + *count / 2];
        }
    }
    return best;
}

static int agrees(int64_t count, int64_t n) {
    return count >= 3 && (double)count >= least_share * (double)n;
}

static double entry(const entry_mix *e, int64_t i, int64_t j) {
    const int64_t at = i * e->columns + j;
    return e->left[at] ? e->m[at] : 0;
}

static void fit_rows(entry_mix *e) {
    for (int64_t i = 0; i < e->rows; i++) {
        int64_t n = 0, count;
        for (int64_t j = 0; j < e->columns; j++)
            if (isfinite(e->vs[j]) && e->vs[j] != 0 && entry(e, i, j) != 0)
                e->value[n++] = entry(e, i, j) / e->vs[j];
        const double found = most_common(e->value, n, &count);
        e->us[i] = agrees(count, n) ? found : (double)NAN;
    }
}

/* A column in which most rows have no entry, and no others agree, is 0 throughout. */
static void fit_columns(entry_mix *e) {
    for (int64_t j = 0; j < e->columns; j++) {
        int64_t n = 0, zeros = 0, count;
        for (int64_t i = 0; i < e->rows; i++) {
            if (!isfinite(e->us[i]) || e->us[i] == 0)
                continue;
            if (e->m[i * e->columns + j] == 0)
                zeros++;
            else if (entry(e, i, j) != 0)
                e->value[n++] = entry(e, i, j) / e->us[i];
        }
        const double found = most_common(e->value, n, &count);
        e->vs[j] = agrees(count, n) ? found : agrees(zeros, n + zeros) ? 0 : (double)NAN;
    }
}

static int fits(const entry_mix *e, int64_t i, int64_t j) {
    const double m = entry(e, i, j);
    return m != 0 && isfinite(e->us[i]) && isfinite(e->vs[j]) && is_near(m, e->us[i] * e->vs[j]);
}

static int64_t count_fitting(const entry_mix *e) {
    int64_t n = 0;
    for (int64_t i = 0; i < e->rows; i++)
        for (int64_t j = 0; j < e->columns; j++)
            n += fits(e, i, j);
    return n;
}

/* Returns the row not in `used` with most entries left, or −1. */
static int64_t fullest_row(const entry_mix *e, const int64_t *used, int64_t n_used) {
    int64_t best = -1, most = 0;
    for (int64_t i = 0; i < e->rows; i++) {
        int64_t n = 0;
        for (int64_t k = 0; k < n_used; k++)
            n -= used[k] == i ? e->columns : 0;
        for (int64_t j = 0; j < e->columns; j++)
            n += entry(e, i, j) != 0;
        if (n > most) {
            most = n;
            best = i;
        }
    }
    return best;
}

/* Starts a fit from the columns in which the quotient of rows i and r is `pile`. */
static void start_at(entry_mix *e, int64_t r, int64_t i, double pile) {
    for (int64_t j = 0; j < e->columns; j++) {
        const double a = entry(e, r, j), b = entry(e, i, j);
        e->vs[j] = a != 0 && b != 0 && is_near(b / a, pile) ? a : (double)NAN;
    }
}

/* Fills `pile` with the values at which most quotients of rows i and r pile up; returns their number. */
static int find_piles(entry_mix *e, int64_t r, int64_t i, double pile[PILES]) {
    int found = 0;
    int64_t all = 0;
    for (; found < PILES; found++) {
        int64_t n = 0, count;
        for (int64_t j = 0; j < e->columns; j++) {
            const double a = entry(e, r, j), b = entry(e, i, j);
            int is_new = a != 0 && b != 0;
            for (int p = 0; is_new && p < found; p++)
                is_new = !is_near(b / a, pile[p]);
            if (is_new)
                e->value[n++] = b / a;
        }
        all = found == 0 ? n : all;
        pile[found] = most_common(e->value, n, &count);
        if (count < 4 || (double)count < least_pile * (double)all)
            break;
    }
    return found;
}

/* Keeps the best fit of those that start at two rows as the next matrix; returns its number of entries. */
static int64_t find_one(entry_mix *e, int (*may_go_on)(void *user), void *user) {
    double *u = e->u + e->n * e->rows, *v = e->v + e->n * e->columns, pile[PILES];
    int64_t used[PARTNERS + 1], most = 0;
    used[0] = fullest_row(e, NULL, 0);
    for (int p = 1; p <= PARTNERS && used[0] >= 0; p++) {
        used[p] = fullest_row(e, used, p);
        if (used[p] < 0)
            break;
        const int piles = find_piles(e, used[0], used[p], pile);
        for (int k = 0; k < piles; k++) {
            start_at(e, used[0], used[p], pile[k]);
            for (int round = 0; round < ROUNDS; round++) {
                if (!may_go_on(user))
                    return 0;
                fit_rows(e);
                fit_columns(e);
            }
            const int64_t n = count_fitting(e);
            if (n <= most)
                continue;
            most = n;
            memcpy(u, e->us, (size_t)e->rows * sizeof *u);
            memcpy(v, e->vs, (size_t)e->columns * sizeof *v);
        }
    }
    memcpy(e->us, u, (size_t)e->rows * sizeof *u);
    memcpy(e->vs, v, (size_t)e->columns * sizeof *v);
    return most;
}

void entry_mix_find(entry_mix *e, int (*may_go_on)(void *user), void *user) {
    const int64_t all = e->rows * e->columns;
    int64_t entries = 0, explained = 0;
    memset(e->left, 1, (size_t)all);
    for (int64_t at = 0; at < all; at++)
        entries += e->m[at] != 0;
    e->explained = 0;
    for (e->n = 0; e->n < ENTRY_MIX_MOST && explained < entries; e->n++) {
        const int64_t n = find_one(e, may_go_on, user);
        if (n == 0 || (double)n < least_entries * (double)entries)
            break;
        for (int64_t i = 0; i < e->rows; i++)
            for (int64_t j = 0; j < e->columns; j++)
                e->left[i * e->columns + j] &= !fits(e, i, j);
        explained += n;
    }
    e->explained = entries ? (double)explained / (double)entries : 0;
}
