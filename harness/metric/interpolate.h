/* interpolate: the leakage of a defense at a utility that it was not run at exactly, read off its curve; or,
 * with the two exchanged, its utility at a given leakage.
 *
 * The curve runs through the strengths in their order. Each has the mean x (utility) and the mean y
 * (leakage) over training runs; the means of x are made monotone first, in the direction that fits them
 * better, by pooling adjacent violators, so that where x falls everywhere nothing is changed. Between
 * two strengths both are taken to be linear. The answer is y where the curve passes x = at. Beyond the
 * strengths that were tried there is no answer, and the verdict says so.
 *
 * The interval is that of a jackknife over seeds: all training runs of one seed, at every strength, are left
 * out together, which carries the scatter of utility, of leakage, and of both together into the answer.
 * It is value ± t · error, t being Student's 97.5 % quantile with one degree of freedom less than there
 * are seeds. A curve with a seed left out may just miss x = at: then its last segment that is not level
 * is prolonged. The error is never below that of the segment's two means with its slope as it is, since
 * a jackknife makes too little of the few ways in which five seeds can change which segment is crossed. */
#ifndef GNT_METRIC_INTERPOLATE_H
#define GNT_METRIC_INTERPOLATE_H

#include <stddef.h>

#include "base/err.h"

/* What one training at one strength left; y is the mean over its targets. NAN in either: it is left out. */
typedef struct gnt_equal_point {
    double x, y;
} gnt_equal_point;

typedef enum gnt_equal_verdict {
    GNT_EQUAL_FOUND,
    /* fewer than two strengths have a training */
    GNT_EQUAL_NO_CURVE,
    /* at every strength x is above the wanted one, or below */
    GNT_EQUAL_ALL_ABOVE,
    GNT_EQUAL_ALL_BELOW
} gnt_equal_verdict;

typedef struct gnt_equal {
    gnt_equal_verdict verdict;
    /* y at x = at; low … high: its interval. NAN where unknown: fewer than two seeds have no interval */
    double value, error, low, high;
    /* strengths and seeds with a training */
    size_t strengths, seeds;
    /* the strengths between which it lies, in the caller's order; equal where it is one of them */
    size_t from, to;
} gnt_equal;

/* Reads a curve at x = at. point[k * n_seeds + s]: strength k, seed s; strengths in rising or falling order.
 * by_seed (NULL, or n_seeds entries): each seed's value of the answer, so that two defenses can be compared
 * seed by seed: its two training runs next to the answer, moved to x = at along the curve's slope there.
 * Their mean is the answer; their scatter, that of both means and of the slope between them to first order,
 * is widened to `error` if that is more. NAN if a seed lacks one of the two, and without an answer. Fails
 * when out of memory. */
int gnt_metric_equal(gnt_equal *out, const gnt_equal_point *point, size_t n_strengths, size_t n_seeds,
                     double at, double *by_seed, gnt_err *err);

/* Returns why there is no answer, as a clause; "" if there is one. The clause calls the requested value
 * `x`. */
const char *gnt_equal_reason(gnt_equal_verdict verdict, int is_utility);

#endif
