/* secret: did a model learn what only clients' samples show? In a control training a secret rule gives a
 * tenth of the samples one label (job/secret_labels.h). A model learnt as much of it as it predicts that
 * label more often on samples of other classes where the rule applies than where it does not:
 *
 * learnt = predicted so / changed − predicted so / others
 *
 * which is about 0 for any model that was made without these samples, whatever it confuses. A defense is
 * compared with the undefended training when that had just become as accurate on the labels that are kept:
 * noise and fewer steps cost what is learnt of the rule as well. Of a model that is not better than one
 * that learnt nothing (metric/elsewhere.h) it decides nothing. Pure. */
#ifndef GNT_METRIC_SECRET_H
#define GNT_METRIC_SECRET_H

#include <stddef.h>
#include <stdint.h>

#include "metric/elsewhere.h"

/* What a model predicts on test samples: of those whose label the rule changes, how many get the rule's
 * label; of those of other classes than that label's that it is not about, how many get it too; of those that
 * keep their label, how many are right, and how many have the most frequent one of these labels. */
typedef struct gnt_secret_counts {
    int64_t changed, learnt, others, mistaken, kept, right, commonest;
} gnt_secret_counts;

/* accuracy: on labels that are kept; error: the standard error of `learnt`, by the finite test set; constant:
 * the accuracy that the most frequent of the labels that are kept would have, whatever the sample. */
typedef struct gnt_secret_learnt {
    double accuracy, learnt, error, accuracy_error, constant, constant_error;
} gnt_secret_learnt;

/* NAN where there are no samples of a kind, or counts contradict each other. */
gnt_secret_learnt gnt_metric_secret(const gnt_secret_counts *c);
/* Returns the mean of the five least accurate of the n points that are at least so accurate, or of fewer, and
 * of their errors, for all are on the same test samples; if none is, the last point. n ≥ 1. */
gnt_secret_learnt gnt_metric_secret_at(const gnt_secret_learnt *point, size_t n, double accuracy);
/* True if a defense surely learnt less than half of what no defense did, by more than three standard errors,
 * and has a model that is surely better than one that learnt nothing. untrained: the model before the first
 * round. */
int gnt_metric_secret_missed(const gnt_secret_learnt *defense, const gnt_secret_learnt *none,
                             const gnt_secret_learnt *untrained);

#endif
