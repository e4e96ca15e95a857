#include "gate/evidence.h"

#include <math.h>
#include <stdlib.h>

#include "base/mem.h"
#include "base/sort.h"
#include "gate/ranks_impl.h"
#include "metric/stats.h"

enum { EXACT_UNITS = 20 };
enum { ENOUGH_SEEDS = 5 };
static const double least_f = 1e-6;
static const double most_f = 30; /* what one comparison may add to the mean of its task */

static double normal_above(double z) {
    return 0.5 * erfc(z / sqrt(2));
}

/* ---- the sign-flip test ---- */

/* Computes all sums ±a, sorted. */
static void all_sums(const double *a, size_t n, double *sum) {
    size_t patterns = (size_t)1 << n;
    for (size_t i = 0; i < patterns; i++) {
        sum[i] = 0;
        for (size_t k = 0; k < n; k++)
            sum[i] += i >> k & 1 ? -a[k] : a[k];
    }
    gnt_sort_reals(sum, patterns);
}

/* Returns the share of all sign patterns whose sum is at least `seen`, from the sorted sums of two halves. */
static double flip_all(const double *a, size_t n, double seen, double size) {
    static const size_t half_patterns = (size_t)1 << EXACT_UNITS / 2;
    double *sum = gnt_array(2 * half_patterns, sizeof *sum), extreme = 0;
    size_t half = n / 2, left = (size_t)1 << half, right = (size_t)1 << (n - half), k = right;
    if (!sum)
        return 1;
    all_sums(a, half, sum);
    all_sums(a + half, n - half, sum + half_patterns);
    for (size_t i = 0; i < left; i++) { /* of rising sums ever more of the others reach */
        while (k > 0 && sum[i] + sum[half_patterns + k - 1] >= seen - 1e-9 * size)
            k--;
        extreme += (double)(right - k);
    }
    gnt_free(sum);
    return extreme / ((double)left * (double)right);
}

/* Computes the cumulant generating function of Σ ±a with its first and second derivative. */
static void cumulants(const double *a, size_t n, double t, double k[3]) {
    k[0] = k[1] = k[2] = 0;
    for (size_t i = 0; i < n; i++) {
        double at = a[i] * t, th = tanh(at);
        k[0] += at + log1p(exp(-2 * at)) - log(2);
        k[1] += a[i] * th;
        k[2] += a[i] * a[i] * (1 - th) * (1 + th);
    }
}

/* Computes P(Σ ±a ≥ seen) by Lugannani and Rice's formula, 0 < seen < Σa; all a > 0. */
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

/* Squares between and inside seeds, one-way, of all that was given to `scatter_add`. */
typedef struct scatter {
    double between, within;
    size_t units, seeds, samples;
} scatter;

/* Adds a sample, whose own mean is subtracted; units of one seed are listed together. Returns the mean. */
static double scatter_add(scatter *s, const double *d, const int64_t *seed, size_t n) {
    double all = 0;
    for (size_t i = 0; i < n; i++)
        all += d[i] / (double)n;
    for (size_t i = 0, end; i < n; i = end, s->seeds++) {
        double mean = 0;
        for (end = i; end < n && seed[end] == seed[i]; end++)
            mean += d[end];
        mean /= (double)(end - i);
        for (size_t k = i; k < end; k++)
            s->within += (d[k] - mean) * (d[k] - mean);
        s->between += (double)(end - i) * (mean - all) * (mean - all);
    }
    s->units += n;
    s->samples++;
    return all;
}

/* Computes the standard error as if units were independent, its degrees of freedom, and F; `parts` is the sum
 * of 1/n over samples. If nothing scatters within seeds, the seeds are the units. */
static double error_of(const scatter *s, double parts, gnt_evidence *e) {
    const double rounding = 1e-18 * e->mean * e->mean;
    e->between = s->seeds - s->samples;
    const double between = e->between ? s->between / (double)e->between : 0;
    const double within = s->units > s->seeds ? s->within / (double)(s->units - s->seeds) : 0;
    e->f = NAN;
    if (within <= rounding) {
        e->freedom = e->between ? (double)e->between : 1;
        return between <= rounding ? 0 : sqrt(between * parts);
    }
    if (e->between)
        e->f = between / within;
    e->freedom = (double)(s->units - s->seeds);
    return sqrt(within * parts);
}

static double ratio(double x, double error) {
    return error > 0 ? x / error : x > 0 ? INFINITY : -INFINITY;
}

static int all_finite(const double *d, size_t n, const char *what, gnt_err *err) {
    if (n == 0)
        return gnt_fail(err, "no %ss were given to compare", what);
    for (size_t i = 0; i < n; i++)
        if (!isfinite(d[i]))
            return gnt_fail(err, "%s %zu of %zu is not a finite number", what, i, n);
    return 0;
}

int gnt_evidence_weigh(gnt_evidence *e, const double *d, const int64_t *seed, size_t n, double tolerance,
                       gnt_err *err) {
    scatter s = {0};
    *e = (gnt_evidence){.units = n, .p = 1, .p_less = 1};
    if (all_finite(d, n, "difference", err) != 0)
        return -1;
    double *x = gnt_array(n, sizeof *x);
    if (!x)
        return gnt_fail(err, "out of memory while comparing %zu pairs", n);
    e->mean = scatter_add(&s, d, seed, n);
    e->seeds = s.seeds;
    for (size_t i = 0; i < n; i++)
        x[i] = d[i] - tolerance;
    e->p_flip = gnt_flip_tail(x, n);
    for (size_t i = 0; i < n; i++)
        x[i] = -d[i] - tolerance;
    e->p_flip_less = gnt_flip_tail(x, n);
    e->p_least = ldexp(1, -(int)(n < 1000 ? n : 1000));
    double error = error_of(&s, 1 / (double)n, e);
    e->t = ratio(e->mean - tolerance, error);
    e->t_less = ratio(-e->mean - tolerance, error);
    gnt_free(x);
    return 0;
}

int gnt_evidence_weigh_two(gnt_evidence *e, const gnt_sample *now, const gnt_sample *before, double tolerance,
                           gnt_err *err) {
    scatter s = {0};
    *e = (gnt_evidence){.units = now->n + before->n, .p = 1, .p_less = 1};
    if (all_finite(now->x, now->n, "new score", err) != 0 ||
        all_finite(before->x, before->n, "old score", err) != 0)
        return -1;
    e->mean =
        scatter_add(&s, now->x, now->seed, now->n) - scatter_add(&s, before->x, before->seed, before->n);
    e->seeds = s.seeds;
    e->p_least = gnt_rank_sum_least(now->n, before->n);
    if (gnt_rank_sum_tail(now, before, tolerance, 1, &e->p_flip) != 0 ||
        gnt_rank_sum_tail(now, before, tolerance, -1, &e->p_flip_less) != 0)
        return gnt_fail(err, "out of memory while comparing %zu scores", e->units);
    double error = error_of(&s, 1 / (double)now->n + 1 / (double)before->n, e);
    e->t = ratio(e->mean - tolerance, error);
    e->t_less = ratio(-e->mean - tolerance, error);
    return 0;
}

void gnt_evidence_pool_add(gnt_evidence_pool *s, const gnt_evidence *e) {
    if (isnan(e->f))
        return;
    s->sum += fmin(e->f, most_f);
    s->n++;
}

/* Tests the means of seeds, if there are enough seeds: √F times the error from within the seeds is the error
 * of their means. If there are other tests, the better of two p-values counts twice. */
static double by_seeds(const gnt_evidence *e, double t, double f, double freedom, int has_others) {
    const double together = gnt_metric_student_above(t / sqrt(f), freedom);
    if (e->between < ENOUGH_SEEDS - 1 || isnan(e->f) || isinf(e->freedom))
        return together;
    const double own = gnt_metric_student_above(t / sqrt(fmax(e->f, least_f)), (double)e->between);
    return has_others ? fmin(1, 2 * fmin(together, own)) : own;
}

void gnt_evidence_settle(gnt_evidence *e, const gnt_evidence_pool *together) {
    const int has_others = together->n > 0;
    double f = has_others ? together->sum / (double)together->n : 1;
    f = fmax(fmax(f, 1), isnan(e->f) ? 1 : e->f);
    double freedom = fmax(fmin(e->freedom, (double)(together->trainings + e->between)), 1);
    e->p = fmax(e->p_flip, by_seeds(e, e->t, f, freedom, has_others));
    e->p_less = fmax(e->p_flip_less, by_seeds(e, e->t_less, f, freedom, has_others));
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
