#include "metric/compare.h"

#include <math.h>

#include "base/mem.h"
#include "metric/stats.h"

/* Results are written with nine digits. */
static const double rounding = 2e-8;

typedef struct pair {
    size_t a, b;
    /* of a − b over the common training runs */
    double mean;
    int unknown;
} pair;

static int is_same(double x, double y) {
    return fabs(x - y) <= rounding * fmax(fabs(x), fabs(y));
}

/* Selects the training runs that both have a number of; values equal up to rounding are made equal.
 * Returns their number. */
static size_t common(double *x, double *y, const double *a, const double *b, size_t trainings) {
    size_t n = 0;
    for (size_t s = 0; s < trainings; s++)
        if (!isnan(a[s]) && !isnan(b[s])) {
            x[n] = a[s];
            y[n++] = is_same(a[s], b[s]) ? a[s] : b[s];
        }
    return n;
}

static size_t numbers(double *x, const double *a, size_t trainings) {
    size_t n = 0;
    for (size_t s = 0; s < trainings; s++)
        if (!isnan(a[s]))
            x[n++] = a[s];
    return n;
}

static int check(const double *value, size_t k, size_t trainings, double level, gnt_err *err) {
    if (!(level > 0 && level < 1))
        return gnt_fail(err, "the level of a comparison is %g; a number between 0 and 1 is expected", level);
    for (size_t i = 0; i < k * trainings; i++)
        if (isinf(value[i]))
            return gnt_fail(err, "defense %zu has an infinite number in training %zu", i / trainings,
                            i % trainings);
    return 0;
}

/* Fills one pair and its p before correction; x, y: scratch, one entry for each training. */
static int test(pair *at, double *p, double *x, double *y, const double *value, size_t trainings,
                gnt_err *err) {
    gnt_metric_difference d;
    const double *a = value + at->a * trainings, *b = value + at->b * trainings;
    const size_t n = common(x, y, a, b, trainings);
    const size_t na = n ? n : numbers(x, a, trainings), nb = n ? n : numbers(y, b, trainings);
    *p = 1;
    at->unknown = na < GNT_METRIC_COMPARE_LEAST || nb < GNT_METRIC_COMPARE_LEAST;
    if (at->unknown)
        return 0;
    if ((n ? gnt_metric_paired(&d, x, y, n, err) : gnt_metric_welch(&d, x, na, y, nb, err)) != 0)
        return -1;
    at->mean = d.mean;
    *p = d.p;
    return 0;
}

static void write(gnt_metric_compare_result *out, const pair *at, const double *p, size_t pairs, size_t k,
                  double level) {
    for (size_t a = 0; a < k; a++) {
        if (out->p)
            out->p[a * k + a] = 1;
        if (out->surely_less)
            out->surely_less[a * k + a] = 0;
        if (out->unknown)
            out->unknown[a * k + a] = 0;
        if (out->place)
            out->place[a] = 1;
    }
    for (size_t i = 0; i < pairs; i++) {
        const size_t ab = at[i].a * k + at[i].b, ba = at[i].b * k + at[i].a;
        const int sure = !at[i].unknown && p[i] <= level, less = sure && at[i].mean < 0,
                  more = sure && at[i].mean > 0;
        if (out->p)
            out->p[ab] = out->p[ba] = p[i];
        if (out->unknown)
            out->unknown[ab] = out->unknown[ba] = at[i].unknown;
        if (out->surely_less) {
            out->surely_less[ab] = less;
            out->surely_less[ba] = more;
        }
        if (out->place) {
            out->place[at[i].b] += (size_t)less;
            out->place[at[i].a] += (size_t)more;
        }
    }
}

int gnt_metric_compare(gnt_metric_compare_result *out, const double *value, size_t k, size_t trainings,
                       double level, gnt_err *err) {
    if (check(value, k, trainings, level, err) != 0)
        return -1;
    const size_t pairs = k ? k * (k - 1) / 2 : 0;
    pair *at = gnt_array(pairs + 1, sizeof *at);
    double *p = gnt_array(pairs + 1, sizeof *p), *x = gnt_array(trainings + 1, sizeof *x),
           *y = gnt_array(trainings + 1, sizeof *y);
    int rc = at && p && x && y ? 0 : gnt_fail(err, "out of memory while comparing %zu defenses", k);
    size_t n = 0;
    for (size_t a = 0; rc == 0 && a < k; a++)
        for (size_t b = a + 1; rc == 0 && b < k; b++, n++) {
            at[n] = (pair){.a = a, .b = b};
            rc = test(&at[n], &p[n], x, y, value, trainings, err);
        }
    if (rc == 0)
        rc = gnt_metric_holm(p, pairs, err);
    if (rc == 0)
        write(out, at, p, pairs, k, level);
    gnt_free(at);
    gnt_free(p);
    gnt_free(x);
    gnt_free(y);
    return rc;
}

/* Returns the mean of an attack's numbers outside training run s; NAN if there is none. */
static double mean_without(const double *of_attack, size_t trainings, size_t s) {
    double sum = 0;
    size_t n = 0;
    for (size_t i = 0; i < trainings; i++)
        if (i != s && !isnan(of_attack[i])) {
            sum += of_attack[i];
            n++;
        }
    return n ? sum / (double)n : NAN;
}

/* Returns the attack that is highest in training run s, by its mean over the others or (apart 0) by its
 * number in s. */
static size_t strongest(const double *value, size_t attacks, size_t trainings, size_t s, int apart) {
    size_t best = attacks;
    double most = NAN;
    for (size_t a = 0; a < attacks; a++) {
        const double *of_attack = value + a * trainings;
        const double by =
            isnan(of_attack[s]) || !apart ? of_attack[s] : mean_without(of_attack, trainings, s);
        if (isnan(by) || (best < attacks && by <= most))
            continue;
        best = a;
        most = by;
    }
    return best;
}

double gnt_metric_cross_fit(double *out, size_t *chosen, size_t *plain, const double *value, size_t attacks,
                            size_t trainings) {
    double sum = 0;
    size_t n = 0, not_apart = 0;
    for (size_t s = 0; s < trainings; s++) {
        size_t best = strongest(value, attacks, trainings, s, 1);
        if (best == attacks) {
            best = strongest(value, attacks, trainings, s, 0);
            not_apart += best < attacks;
        }
        out[s] = best < attacks ? value[best * trainings + s] : NAN;
        if (chosen)
            chosen[s] = best;
        if (best < attacks) {
            sum += out[s];
            n++;
        }
    }
    if (plain)
        *plain = not_apart;
    return n ? sum / (double)n : NAN;
}
