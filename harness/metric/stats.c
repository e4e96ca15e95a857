#include "metric/stats.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/sort.h"

static int check(const double *x, size_t n, size_t least, gnt_err *err) {
    if (n < least)
        return gnt_fail(err, "%zu scores were given where at least %zu are needed", n, least);
    for (size_t i = 0; i < n; i++)
        if (!isfinite(x[i]))
            return gnt_fail(err, "score %zu of %zu is not a finite number", i, n);
    return 0;
}

double gnt_metric_quantile(const double *sorted, size_t n, double p) {
    double at = p * (double)(n - 1);
    size_t i = (size_t)at;
    if (i + 1 >= n)
        return sorted[n - 1];
    return sorted[i] + (at - (double)i) * (sorted[i + 1] - sorted[i]);
}

void gnt_metric_moments(const double *x, size_t n, double *mean, double *variance) {
    double sum = 0, squares = 0, rest = 0;
    for (size_t i = 0; i < n; i++)
        sum += x[i];
    *mean = sum / (double)n;
    for (size_t i = 0; i < n; i++) {
        double d = x[i] - *mean;
        squares += d * d;
        rest += d;
    }
    *mean += rest / (double)n;
    squares -= rest * rest / (double)n;
    *variance = n > 1 && squares > 0 ? squares / (double)(n - 1) : 0;
}

void gnt_metric_isotonic(double *x, double *weight, size_t *size, size_t n, int sign) {
    size_t blocks =
        0; /* x, weight, size: of each block its mean, its weight, and how many numbers it holds */
    for (size_t i = 0; i < n; i++) {
        x[blocks] = x[i];
        weight[blocks] = weight[i];
        size[blocks++] = 1;
        for (; blocks > 1 && sign * (x[blocks - 1] - x[blocks - 2]) < 0; blocks--) {
            const double sum = weight[blocks - 2] + weight[blocks - 1];
            x[blocks - 2] += (x[blocks - 1] - x[blocks - 2]) * (weight[blocks - 1] / sum);
            weight[blocks - 2] = sum;
            size[blocks - 2] += size[blocks - 1];
        }
    }
    for (size_t end = n; blocks-- > 0;) { /* from the end, so that nothing is overwritten before it is read */
        const double mean = x[blocks];
        for (size_t i = 0; i < size[blocks]; i++)
            x[--end] = mean;
    }
}

int gnt_metric_summarize(gnt_metric_summary *out, const double *x, size_t n, gnt_err *err) {
    if (check(x, n, 1, err) != 0)
        return -1;
    double *sorted = gnt_array(n, sizeof *sorted);
    if (!sorted)
        return gnt_fail(err, "out of memory while sorting %zu scores", n);
    memcpy(sorted, x, n * sizeof *x);
    gnt_sort_reals(sorted, n);
    double mean,
        variance; /* in sorted order, so that the order of the scores does not matter to the last bit */
    gnt_metric_moments(sorted, n, &mean, &variance);
    *out = (gnt_metric_summary){.n = n,
                                .mean = mean,
                                .deviation = sqrt(variance),
                                .least = sorted[0],
                                .quartile1 = gnt_metric_quantile(sorted, n, 0.25),
                                .median = gnt_metric_quantile(sorted, n, 0.5),
                                .quartile3 = gnt_metric_quantile(sorted, n, 0.75),
                                .most = sorted[n - 1]};
    gnt_free(sorted);
    return 0;
}

double gnt_metric_normal_quantile(double p) {
    if (!(p >= 0 && p <= 1))
        return NAN;
    if (p == 0 || p == 1)
        return p == 0 ? -INFINITY : INFINITY;
    double tail = p < 0.5 ? p : 1 - p, low = 0, high = 40; /* P(Z > z) falls over 0 … 40 */
    for (int i = 0; i < 100; i++) {
        double z = (low + high) / 2;
        if (0.5 * erfc(z / sqrt(2)) > tail)
            low = z;
        else
            high = z;
    }
    return p < 0.5 ? -high : high;
}

gnt_metric_interval gnt_metric_wilson(double successes, double n, double level) {
    double z = gnt_metric_normal_quantile(0.5 + level / 2), rate = successes / n, z2 = z * z;
    double middle = (rate + z2 / (2 * n)) / (1 + z2 / n);
    double half = z / (1 + z2 / n) * sqrt(rate * (1 - rate) / n + z2 / (4 * n * n));
    /* against rounding: the interval holds the rate and ends at 0 and 1 */
    return (gnt_metric_interval){fmax(fmin(middle - half, rate), 0), fmin(fmax(middle + half, rate), 1)};
}

/* Computes the continued fraction of the incomplete beta function (Abramowitz and Stegun 26.5.8) by Lentz's
 * method; it converges quickly for x < (a + 1)/(a + b + 2). */
static double beta_fraction(double a, double b, double x) {
    const double tiny = 1e-300;
    double c = 1, d = 1 - (a + b) * x / (a + 1);
    d = 1 / (fabs(d) < tiny ? tiny : d);
    double f = d;
    for (int m = 1; m <= 10000; m++) {
        double even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m));
        double odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1));
        d = 1 + even * d;
        c = 1 + even / c;
        d = 1 / (fabs(d) < tiny ? tiny : d);
        c = fabs(c) < tiny ? tiny : c;
        f *= d * c;
        d = 1 + odd * d;
        c = 1 + odd / c;
        d = 1 / (fabs(d) < tiny ? tiny : d);
        c = fabs(c) < tiny ? tiny : c;
        f *= d * c;
        if (fabs(d * c - 1) < 1e-16)
            break;
    }
    return f;
}

/* Returns the regularized incomplete beta function. y = 1 − x is a parameter because it may be too small to
 * compute from x. */
static double beta_regularized(double a, double b, double x, double y) {
    if (x <= 0 || y <= 0)
        return x <= 0 ? 0 : 1;
    double front = exp(lgamma(a + b) - lgamma(a) - lgamma(b) + a * log(x) + b * log(y));
    if (x < (a + 1) / (a + b + 2))
        return front * beta_fraction(a, b, x) / a;
    return 1 - front * beta_fraction(b, a, y) / b;
}

double gnt_metric_student_above(double t, double freedom) {
    if (isnan(t) || !(freedom > 0))
        return NAN;
    if (isinf(freedom))
        return 0.5 * erfc(t / sqrt(2));
    double square = t * t;
    if (isinf(square))
        return t > 0 ? 0 : 1;
    double tail =
        0.5 * beta_regularized(freedom / 2, 0.5, freedom / (freedom + square), square / (freedom + square));
    return t >= 0 ? tail : 1 - tail;
}

double gnt_metric_student_quantile(double p, double freedom) {
    if (!(p >= 0 && p <= 1) || !(freedom > 0))
        return NAN;
    if (p == 0 || p == 1)
        return p == 0 ? -INFINITY : INFINITY;
    const double tail = p < 0.5 ? p : 1 - p;
    double low = 0, high = 1;
    while (high < 1e300 && gnt_metric_student_above(high, freedom) > tail)
        high *= 2;
    for (int i = 0; i < 100; i++) {
        const double t = (low + high) / 2;
        if (gnt_metric_student_above(t, freedom) > tail)
            low = t;
        else
            high = t;
    }
    return p < 0.5 ? -high : high;
}

static void finish(gnt_metric_difference *d) {
    if (d->error > 0)
        d->p = fmin(2 * gnt_metric_student_above(fabs(d->mean) / d->error, d->freedom), 1);
    else
        d->p = d->mean == 0;
}

int gnt_metric_welch(gnt_metric_difference *out, const double *a, size_t na, const double *b, size_t nb,
                     gnt_err *err) {
    double ma, va, mb, vb;
    if (check(a, na, 2, err) != 0 || check(b, nb, 2, err) != 0)
        return -1;
    gnt_metric_moments(a, na, &ma, &va);
    gnt_metric_moments(b, nb, &mb, &vb);
    va /= (double)na;
    vb /= (double)nb;
    double both = va + vb;
    double spread = va * va / (double)(na - 1) + vb * vb / (double)(nb - 1);
    *out = (gnt_metric_difference){.mean = ma - mb,
                                   .error = sqrt(both),
                                   .freedom = spread > 0 ? both * both / spread : (double)(na + nb - 2)};
    finish(out);
    return 0;
}

int gnt_metric_paired(gnt_metric_difference *out, const double *a, const double *b, size_t n, gnt_err *err) {
    if (check(a, n, 2, err) != 0 || check(b, n, 2, err) != 0)
        return -1;
    double *d = gnt_array(n, sizeof *d), mean, variance;
    if (!d)
        return gnt_fail(err, "out of memory while comparing %zu pairs", n);
    for (size_t i = 0; i < n; i++)
        d[i] = a[i] - b[i];
    gnt_metric_moments(d, n, &mean, &variance);
    gnt_free(d);
    *out = (gnt_metric_difference){
        .mean = mean, .error = sqrt(variance / (double)n), .freedom = (double)(n - 1)};
    finish(out);
    return 0;
}

typedef struct ranked {
    double p;
    size_t index;
} ranked;

static int by_p(const void *a, const void *b) {
    const ranked *x = a, *y = b;
    if (x->p != y->p)
        return x->p < y->p ? -1 : 1;
    return x->index < y->index ? -1 : x->index > y->index;
}

int gnt_metric_holm(double *p, size_t n, gnt_err *err) {
    for (size_t i = 0; i < n; i++)
        if (!(p[i] >= 0 && p[i] <= 1))
            return gnt_fail(err, "p-value %zu is %g; a number from 0 to 1 is expected", i, p[i]);
    ranked *order = gnt_array(n, sizeof *order);
    if (!order)
        return gnt_fail(err, "out of memory while correcting %zu p-values", n);
    for (size_t i = 0; i < n; i++)
        order[i] = (ranked){p[i], i};
    qsort(order, n, sizeof *order, by_p);
    double least = 0; /* adjusted values never fall along the order */
    for (size_t i = 0; i < n; i++) {
        least = fmax(least, fmin((double)(n - i) * order[i].p, 1));
        p[order[i].index] = least;
    }
    gnt_free(order);
    return 0;
}
