#include "gate/evidence.h"

#include <math.h>

#include "base/mem.h"
#include "metric/stats.h"

enum { EXACT_UNITS = 20 };
static const double most_f = 10; /* what one comparison may add to the mean of its task */

static double normal_above(double z) {
    return 0.5 * erfc(z / sqrt(2));
}

/* ---- the sign-flip test ---- */

/* Patterns in Gray's order: each differs from the one before in one sign. */
static double flip_all(const double *a, size_t n, double seen, double size) {
    double sum = size, slack = 1e-9 * size;
    uint32_t patterns = (uint32_t)1 << n, extreme = sum >= seen - slack;
    for (uint32_t i = 1; i < patterns; i++) {
        int bit = __builtin_ctz(i);
        sum += (i ^ i >> 1) >> bit & 1 ? -2 * a[bit] : 2 * a[bit];
        extreme += sum >= seen - slack;
    }
    return (double)extreme / (double)patterns;
}

/* Of Σ ±a: the cumulant generating function, its first and second derivative. */
static void cumulants(const double *a, size_t n, double t, double k[3]) {
    k[0] = k[1] = k[2] = 0;
    for (size_t i = 0; i < n; i++) {
        double at = a[i] * t, th = tanh(at);
        k[0] += at + log1p(exp(-2 * at)) - log(2);
        k[1] += a[i] * th;
        k[2] += a[i] * a[i] * (1 - th) * (1 + th);
    }
}

/* Lugannani and Rice's formula for P(Σ ±a ≥ seen), 0 < seen < Σa; all a > 0. */
static double saddlepoint(const double *a, size_t n, double seen, double size) {
    double low = 0, high = 1 / size, k[3];
    for (cumulants(a, n, high, k); k[1] < seen && high < 1e300; cumulants(a, n, high, k))
        high *= 2;
    for (int i = 0; i < 80; i++) {
        double t = (low + high) / 2;
        cumulants(a, n, t, k);
        if (k[1] < seen)
            low = t;
        else
            high = t;
    }
    cumulants(a, n, low, k);
    double r = sqrt(fmax(2 * (low * seen - k[0]), 0)), v = low * sqrt(k[2]);
    if (r < 1e-4 || !(v > 0))
        return r < 1e-4 ? 0.5 : ldexp(1, -(int)n);
    double p = normal_above(r) + exp(-r * r / 2) / sqrt(2 * acos(-1)) * (1 / v - 1 / r);
    return fmin(fmax(p, ldexp(1, -(int)n)), 1);
}

double gnt_flip_tail(const double *x, size_t n) {
    double *a = gnt_array(n ? n : 1, sizeof *a), seen = 0, size = 0;
    size_t m = 0;
    if (!a)
        return 1;
    for (size_t i = 0; i < n; i++) {
        seen += x[i];
        size += fabs(x[i]);
        if (x[i] != 0)
            a[m++] = fabs(x[i]);
    }
    double p;
    if (m <= EXACT_UNITS)
        p = flip_all(a, m, seen, size);
    else if (seen >= size * (1 - 1e-12))
        p = ldexp(1, -(int)(m < 1000 ? m : 1000));
    else if (seen > 0)
        p = saddlepoint(a, m, seen, size);
    else
        p = seen <= -size * (1 - 1e-12) ? 1 : seen < 0 ? 1 - saddlepoint(a, m, -seen, size) : 0.5;
    gnt_free(a);
    return p;
}

/* ---- one comparison ---- */

/* One-way analysis of variance of units inside seeds; those of one seed stand together. */
static double spread_ratio(const double *d, const int64_t *seed, size_t n, double all, size_t *seeds) {
    double between = 0, within = 0;
    *seeds = 0;
    for (size_t i = 0, end; i < n; i = end, ++*seeds) {
        double mean = 0;
        for (end = i; end < n && seed[end] == seed[i]; end++)
            mean += d[end];
        mean /= (double)(end - i);
        for (size_t k = i; k < end; k++)
            within += (d[k] - mean) * (d[k] - mean);
        between += (double)(end - i) * (mean - all) * (mean - all);
    }
    if (*seeds < 2 || n == *seeds)
        return NAN;
    between /= (double)(*seeds - 1);
    within /= (double)(n - *seeds);
    double rounding = 1e-18 * all * all;
    return between <= rounding ? 0 : within <= rounding ? INFINITY : between / within;
}

static double deviate(double p) {
    return p >= 1 ? -INFINITY : -gnt_metric_normal_quantile(p);
}

int gnt_evidence_weigh(gnt_evidence *e, const double *d, const int64_t *seed, size_t n, double tolerance,
                       gnt_err *err) {
    *e = (gnt_evidence){.units = n, .p = 1, .p_less = 1, .p_least = 1};
    if (n == 0)
        return gnt_fail(err, "no pairs were given to compare");
    for (size_t i = 0; i < n; i++)
        if (!isfinite(d[i]))
            return gnt_fail(err, "difference %zu of %zu is not a finite number", i, n);
    double *x = gnt_array(n, sizeof *x);
    if (!x)
        return gnt_fail(err, "out of memory while comparing %zu pairs", n);
    for (size_t i = 0; i < n; i++) {
        e->mean += d[i] / (double)n;
        x[i] = d[i] - tolerance;
    }
    e->z = deviate(gnt_flip_tail(x, n));
    for (size_t i = 0; i < n; i++)
        x[i] = -d[i] - tolerance;
    e->z_less = deviate(gnt_flip_tail(x, n));
    e->p_least = ldexp(1, -(int)(n < 1000 ? n : 1000));
    e->f = spread_ratio(d, seed, n, e->mean, &e->seeds);
    e->per_seed = (double)n / (double)e->seeds;
    gnt_free(x);
    return 0;
}

void gnt_spread_add(gnt_spread *s, const gnt_evidence *e) {
    if (isnan(e->f))
        return;
    s->sum += fmin(e->f, most_f);
    s->n++;
}

/* A deviate below 0 is no evidence and stays as it is. */
static double settle(double z, double effect) {
    return z > 0 ? normal_above(z / sqrt(effect)) : normal_above(z);
}

void gnt_evidence_settle(gnt_evidence *e, const gnt_spread *together) {
    double own = isnan(e->f) ? 1 : e->f, f = fmax(together->n ? together->sum / (double)together->n : 1, 1);
    f = fmax(f, own);
    double effect = isinf(f) ? e->per_seed : f / (1 + (f - 1) / e->per_seed);
    e->p = settle(e->z, effect);
    e->p_less = settle(e->z_less, effect);
}

/* ---- many comparisons ---- */

static size_t able(const double *p_least, size_t n, double level) {
    size_t m = 0;
    for (size_t i = 0; i < n; i++)
        m += p_least[i] <= level;
    return m;
}

int gnt_evidence_family(double *p, const double *p_least, int *can_fail, size_t n, double alpha,
                        gnt_err *err) {
    size_t left = 1,
           m = 0; /* the smallest K such that at most K can reach alpha/K; how many can falls with K */
    for (size_t most = n ? n : 1; left < most;) {
        size_t k = left + (most - left) / 2;
        if (able(p_least, n, alpha / (double)k) <= k)
            most = k;
        else
            left = k + 1;
    }
    double *some = gnt_array(n ? n : 1, sizeof *some);
    if (!some)
        return gnt_fail(err, "out of memory while correcting %zu p-values", n);
    for (size_t i = 0; i < n; i++) {
        can_fail[i] = p_least[i] <= alpha / (double)left;
        if (can_fail[i])
            some[m++] = p[i];
    }
    int rc = gnt_metric_holm(some, m, err);
    m = 0;
    for (size_t i = 0; i < n; i++)
        p[i] = can_fail[i] ? some[m++] : 1;
    gnt_free(some);
    return rc;
}
