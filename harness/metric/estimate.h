/* estimate: the mean of the scores of targets in several training runs, with an interval.
 *
 * Targets of one training share a model and are no independent draws. So each training counts once, by the
 * mean of its targets, however many these are; the mean is that of the training runs' means, and its
 * interval is Student's, by how these scatter. It covers other training runs as well as other targets. With
 * a single training the interval is over its targets: it covers that training alone.
 *
 * Nothing is drawn at random, and the order of the scores does not matter to the last bit. Every function
 * here gives an error for no scores or one that is not finite. Simulated coverage: docs/measures.md. */
#ifndef GNT_METRIC_ESTIMATE_H
#define GNT_METRIC_ESTIMATE_H

#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

/* What the scatter is of that an interval is made from. */
typedef enum gnt_interval_over {
    /* no interval: one score, or all are equal; both ends are the mean */
    GNT_INTERVAL_NONE,
    /* the targets of one training */
    GNT_INTERVAL_TARGETS,
    GNT_INTERVAL_TRAININGS
} gnt_interval_over;

typedef struct gnt_estimate {
    double mean, low, high;
    size_t trainings;
    gnt_interval_over over;
} gnt_estimate;

/* What a score can be; −INFINITY, INFINITY where there is no bound. An interval ends there. */
typedef struct gnt_score_bounds {
    double least, most;
} gnt_score_bounds;

/* Estimates a mean. training[i] names the training run of x[i]; NULL: all are of one. At 95 %: mean ±
 * t·√(s²/k), by the means of k training runs and k − 1 degrees of freedom, or by the k targets of one
 * training run. */
int gnt_estimate_mean(gnt_estimate *out, const double *x, const int64_t *training, size_t n,
                      gnt_score_bounds bounds, gnt_err *err);

/* Estimates a share from scores between 0 and 1, such as 1 for a target that was identified and 0 for
 * another. It is Wilson's interval of a share of as many independent scores as determine it as well: of one
 * training run, n; of k, p(1 − p)/(s²/k), at most as if targets of a training run were correlated by 0.05,
 * and less by (z/t)² with t of k − 1 degrees of freedom (Korn and Graubard 1998). There is always an
 * interval: 16 of 16 of one training run are [81 %, 100 %]. Rationale: s² of a few training runs is often too
 * small, and 0 if all scores are equal. The correlation of 0.05 keeps the coverage of five training runs, as
 * simulated, and costs little. */
int gnt_estimate_share(gnt_estimate *out, const double *x, const int64_t *training, size_t n, gnt_err *err);

/* Estimates balanced accuracy: the mean over training runs of the mean over classes of the share predicted
 * correctly. With several training runs it is Student's interval by their values. With one, and if all
 * training runs have one value, Wilson's interval of each class, joined as Zou and Donner (2008) do: the
 * squared distances to the ends, each over the squared number of classes, add up. A predicted value outside
 * the classes is wrong. */
int gnt_estimate_balanced(gnt_estimate *out, const int32_t *truth, const int32_t *predicted,
                          const int64_t *training, size_t n, gnt_err *err);

/* Returns a single number, which has no interval. */
gnt_estimate gnt_estimate_single(double value);

#endif
