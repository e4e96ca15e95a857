/* model_utility: accuracy and loss of a model, gathered batch by batch over a test set.
 *
 * Accuracy: share of samples whose true class has the highest score (ties go to the lowest class, as
 * everywhere). Loss: mean cross entropy in nats through log-sum-exp, mean squared error, or, of a map, mean
 * binary cross entropy. A sample with a score that is not finite is wrong, is counted in `broken`, and makes
 * the loss infinite: a diverged training never looks like a mediocre one. */
#ifndef GNT_METRIC_MODEL_UTILITY_H
#define GNT_METRIC_MODEL_UTILITY_H

#include <stddef.h>
#include <stdint.h>

typedef struct gnt_metric_utility {
    int64_t samples, right, broken;
    double loss_sum, loss_squares; /* over samples that are not broken */
    float *row_right, *row_loss;   /* unless NULL: 1 or 0, and the loss, of each sample; room for all */
} gnt_metric_utility;

typedef struct gnt_metric_utility_result {
    double accuracy;       /* NaN without samples, and where there are no classes */
    double accuracy_error; /* standard error from the size of the test set, √(a (1 − a)/n) */
    double loss;           /* NaN without samples, infinite when any is broken */
    double loss_error;     /* standard error of the mean loss; NaN when the loss is not finite */
} gnt_metric_utility_result;

/* Adds n samples; start from {0}. logits: n × classes; label in 0 … classes−1 (others count as broken). */
void gnt_metric_utility_logits(gnt_metric_utility *u, const float *logits, const int32_t *label, size_t n,
                               int32_t classes);
/* Adds n samples whose loss is the mean over `outputs` of (y − x)², y the wanted values, x the outputs. label
 * (NULL: none): as above, by the highest x. Do not mix kinds in one accumulator. */
void gnt_metric_utility_values(gnt_metric_utility *u, const float *y, const float *x, const int32_t *label,
                               size_t n, size_t outputs);
/* Adds n samples whose loss is the mean over `outputs` of log(1 + eᶻ) − y·z. */
void gnt_metric_utility_map(gnt_metric_utility *u, const float *y, const float *z, size_t n, size_t outputs);
gnt_metric_utility_result gnt_metric_utility_end(const gnt_metric_utility *u, int has_accuracy);

#endif
