#include "metric/interpolate.h"

#include <math.h>

#include "base/arena.h"
#include "metric/stats.h"

/* Means at the strengths that have a training. */
typedef struct curve {
    double *x, *y, *fitted, *weight;
    /* the caller's number of each strength; scratch of the fit */
    size_t *strength, *pooled;
    size_t n;
} curve;

static curve curve_make(gnt_arena *a, size_t n) {
    return (curve){.x = gnt_arena_array(a, n, sizeof(double)),
                   .y = gnt_arena_array(a, n, sizeof(double)),
                   .fitted = gnt_arena_array(a, n, sizeof(double)),
                   .weight = gnt_arena_array(a, n, sizeof(double)),
                   .strength = gnt_arena_array(a, n, sizeof(size_t)),
                   .pooled = gnt_arena_array(a, n, sizeof(size_t))};
}

static int is_there(const gnt_equal_point *p) {
    return isfinite(p->x) && isfinite(p->y);
}

/* Fills a curve with means over all seeds but one (n_seeds: over all). */
static void fill(curve *c, const gnt_equal_point *point, size_t n_strengths, size_t n_seeds, size_t without) {
    c->n = 0;
    for (size_t k = 0; k < n_strengths; k++) {
        double x = 0, y = 0;
        size_t n = 0;
        for (size_t s = 0; s < n_seeds; s++) {
            const gnt_equal_point *p = &point[k * n_seeds + s];
            if (s == without || !is_there(p))
                continue;
            n++;
            x += (p->x - x) / (double)n;
            y += (p->y - y) / (double)n;
        }
        if (!n)
            continue;
        c->x[c->n] = x;
        c->y[c->n] = y;
        c->strength[c->n++] = k;
    }
}

/* Fits by least squares among the sequences that never rise (sign −1) or never fall (+1). Returns the
 * residual. */
static double fit(curve *c, int sign) {
    double left = 0;
    for (size_t i = 0; i < c->n; i++) {
        c->fitted[i] = c->x[i];
        c->weight[i] = 1;
    }
    gnt_metric_isotonic(c->fitted, c->weight, c->pooled, c->n, sign);
    for (size_t i = 0; i < c->n; i++)
        left += (c->x[i] - c->fitted[i]) * (c->x[i] - c->fitted[i]);
    return left;
}

static double between(const curve *c, size_t i, double at) {
    const double part = (at - c->fitted[i]) / (c->fitted[i + 1] - c->fitted[i]);
    return c->y[i] + part * (c->y[i + 1] - c->y[i]);
}

/* Returns y at x = at, and the segments in which the curve crosses it: two if it does so at a strength. NAN
 * if it does not. */
static double cross(const curve *c, double at, size_t *first, size_t *last) {
    size_t n = 0;
    double sum = 0;
    for (size_t i = 0; i + 1 < c->n; i++) {
        const double a = c->fitted[i] - at, b = c->fitted[i + 1] - at;
        if (a == b || (a > 0 && b > 0) || (a < 0 && b < 0))
            continue;
        if (!n++)
            *first = i;
        *last = i;
        sum += between(c, i, at);
    }
    return n ? sum / (double)n : NAN;
}

/* Returns y at x = at as `cross` does; if the curve misses it, by extending the nearest segment. */
static double cross_or_prolong(const curve *c, double at) {
    size_t first, last, best = 0;
    const double y = cross(c, at, &first, &last);
    double nearest = INFINITY;
    if (!isnan(y))
        return y;
    for (size_t i = 0; i + 1 < c->n; i++) {
        const double off = fmin(fabs(c->fitted[i] - at), fabs(c->fitted[i + 1] - at));
        if (c->fitted[i] != c->fitted[i + 1] && off < nearest) {
            nearest = off;
            best = i;
        }
    }
    return isfinite(nearest) ? between(c, best, at) : NAN;
}

static int has_seed(const gnt_equal_point *point, size_t n_strengths, size_t n_seeds, size_t seed) {
    for (size_t k = 0; k < n_strengths; k++)
        if (is_there(&point[k * n_seeds + seed]))
            return 1;
    return 0;
}

/* Sets, for each seed with both training runs of segment i, how far they lie off the curve at the answer.
 * Returns the error of their mean: that of the answer if the segment were known. NAN for fewer than two. */
static double off_segment(const curve *c, const gnt_equal_point *point, size_t n_seeds, size_t i, double at,
                          double *off) {
    const double part = (at - c->fitted[i]) / (c->fitted[i + 1] - c->fitted[i]);
    const double slope = (c->y[i + 1] - c->y[i]) / (c->fitted[i + 1] - c->fitted[i]);
    double mean = 0, squares = 0;
    size_t n = 0;
    for (size_t s = 0; s < n_seeds; s++) {
        const gnt_equal_point *a = &point[c->strength[i] * n_seeds + s];
        const gnt_equal_point *b = &point[c->strength[i + 1] * n_seeds + s];
        off[s] = NAN;
        if (!is_there(a) || !is_there(b))
            continue;
        off[s] = (1 - part) * (a->y - slope * a->x) + part * (b->y - slope * b->x);
        const double step = off[s] - mean;
        mean += step / (double)++n;
        squares += step * (off[s] - mean);
    }
    for (size_t s = 0; s < n_seeds; s++)
        off[s] -= mean;
    return n < 2 ? NAN : sqrt(squares / (double)((n - 1) * n));
}

/* Leaves out one seed at a time. If a curve without one cannot be read, the error is unknown. */
static void jackknife(gnt_equal *out, curve *c, const gnt_equal_point *point, size_t n_strengths,
                      size_t n_seeds, double at, int sign) {
    double mean = 0, squares = 0;
    size_t n = 0;
    for (size_t s = 0; s < n_seeds; s++) {
        if (!has_seed(point, n_strengths, n_seeds, s))
            continue;
        fill(c, point, n_strengths, n_seeds, s);
        fit(c, sign);
        const double y = c->n == out->strengths ? cross_or_prolong(c, at) : NAN;
        const double step = y - mean;
        mean += step / (double)++n;
        squares += step * (y - mean);
    }
    if (n < 2 || isnan(squares)) {
        out->error = NAN;
        return;
    }
    out->error = fmax(out->error, sqrt(squares * (double)(n - 1) / (double)n));
    const double t = gnt_metric_student_quantile(0.975, (double)(n - 1));
    out->low = out->value - t * out->error;
    out->high = out->value + t * out->error;
}

/* Reads the curve with all seeds; by_seed: n_seeds entries. */
static void read_off(gnt_equal *out, curve *c, const gnt_equal_point *point, size_t n_strengths,
                     size_t n_seeds, double at, double *by_seed) {
    size_t first = 0, last = 0;
    const int sign = fit(c, -1) <= fit(c, 1) ? -1 : 1;
    fit(c, sign);
    out->value = cross(c, at, &first, &last);
    out->verdict = !isnan(out->value)  ? GNT_EQUAL_FOUND
                   : c->fitted[0] > at ? GNT_EQUAL_ALL_ABOVE
                                       : GNT_EQUAL_ALL_BELOW;
    if (out->verdict != GNT_EQUAL_FOUND)
        return;
    out->from = c->strength[first < last ? last : first];
    out->to = c->strength[first < last ? last : first + 1];
    const double of_segment = off_segment(c, point, n_seeds, last, at, by_seed);
    out->error = of_segment;
    jackknife(out, c, point, n_strengths, n_seeds, at, sign);
    const double wider = out->error > of_segment && of_segment > 0 ? out->error / of_segment : 1;
    for (size_t s = 0; s < n_seeds; s++)
        by_seed[s] = out->value + wider * by_seed[s];
}

int gnt_metric_equal(gnt_equal *out, const gnt_equal_point *point, size_t n_strengths, size_t n_seeds,
                     double at, double *by_seed, gnt_err *err) {
    gnt_arena a = {0};
    curve c = curve_make(&a, n_strengths);
    *out = (gnt_equal){.verdict = GNT_EQUAL_NO_CURVE, .value = NAN, .error = NAN, .low = NAN, .high = NAN};
    by_seed = by_seed ? by_seed : gnt_arena_array(&a, n_seeds, sizeof *by_seed);
    if (a.failed) {
        gnt_arena_free(&a);
        return gnt_fail(err, "out of memory for a curve of %zu strengths", n_strengths);
    }
    for (size_t s = 0; s < n_seeds; s++) {
        out->seeds += (size_t)has_seed(point, n_strengths, n_seeds, s);
        by_seed[s] = NAN;
    }
    fill(&c, point, n_strengths, n_seeds, n_seeds);
    out->strengths = c.n;
    if (c.n >= 2 && isfinite(at))
        read_off(out, &c, point, n_strengths, n_seeds, at, by_seed);
    gnt_arena_free(&a);
    return 0;
}

const char *gnt_equal_reason(gnt_equal_verdict verdict, int is_utility) {
    switch (verdict) {
    case GNT_EQUAL_NO_CURVE:
        return "only one strength was measured";
    case GNT_EQUAL_ALL_ABOVE:
        return is_utility ? "every strength tried leaves a higher utility"
                          : "every strength tried scores higher";
    case GNT_EQUAL_ALL_BELOW:
        return is_utility ? "every strength tried leaves a lower utility"
                          : "every strength tried scores lower";
    default:
        return "";
    }
}
