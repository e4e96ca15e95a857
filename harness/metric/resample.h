/* resample: intervals and tests by drawing anew from the scores themselves. Deterministic: every draw comes
 * from the stream of the key that the caller gives. */
#ifndef GNT_METRIC_RESAMPLE_H
#define GNT_METRIC_RESAMPLE_H

#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/random.h"
#include "metric/stats.h"

enum { GNT_METRIC_RESAMPLES = 2000 };

typedef struct gnt_metric_resample {
    gnt_key key;
    int draws;    /* 0: GNT_METRIC_RESAMPLES */
    double level; /* of intervals; 0: 0.95 */
} gnt_metric_resample;

typedef struct gnt_metric_bootstrap {
    double mean, low, high;
    size_t clusters; /* with few (below about 5) the interval is too narrow: say how many there were */
} gnt_metric_bootstrap;

/* Percentile bootstrap interval of the mean score of targets inside seeds: each draw takes as many seeds as
 * there are, with replacement, and of each seed as many of its targets as it has, with replacement.
 * cluster[i] names the seed of x[i]; NULL: all one seed, and the interval is over targets alone. With several
 * seeds of one target each it is over seeds alone. */
int gnt_metric_bootstrap_mean(gnt_metric_bootstrap *out, const double *x, const int64_t *cluster, size_t n,
                              const gnt_metric_resample *how, gnt_err *err);

/* The same for balanced accuracy: each draw takes seeds with replacement and, of each class inside a seed, as
 * many of its samples as it has, with replacement, so that no draw loses a class. The mean, and the number of
 * a draw, is the mean over its seeds of the balanced accuracy of each. A class with one sample in every seed
 * adds no width. A told value outside the classes is wrong. */
int gnt_metric_bootstrap_balanced(gnt_metric_bootstrap *out, const int32_t *truth, const int32_t *told,
                                  const int64_t *cluster, size_t n, const gnt_metric_resample *how,
                                  gnt_err *err);

typedef enum gnt_metric_side { GNT_METRIC_TWO_SIDED, GNT_METRIC_GREATER, GNT_METRIC_LESS } gnt_metric_side;

typedef struct gnt_metric_flip {
    double mean;  /* of the differences */
    double p;     /* never 0 */
    int exact;    /* all sign patterns were tried */
    size_t units; /* how many signs there are to flip */
} gnt_metric_flip;

/* Paired sign-flip test: is the mean of the differences (new − old of one target and seed) above 0 (GREATER),
 * below, or either? Under the null hypothesis every unit's sign is as likely + as −; `unit` names what flips
 * together, such as the seed whose training all its targets share (NULL: each difference by itself). Up to 14
 * units every pattern is tried; beyond, how->draws random ones, and p = (1 + as extreme)/(1 + draws). */
int gnt_metric_sign_flip(gnt_metric_flip *out, const double *difference, const int64_t *unit, size_t n,
                         gnt_metric_side side, const gnt_metric_resample *how, gnt_err *err);

#endif
