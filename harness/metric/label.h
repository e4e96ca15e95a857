/* label: how well labels or private attributes were inferred, and how well they can be guessed without an
 * observation.
 *
 * Values are 0 … classes−1. A prediction outside that range, or drawn from scores with a NaN, is no answer:
 * it is GNT_METRIC_NO_LABEL, is never right, and keeps a column of its own in the confusion matrix.
 *  - plain accuracy: share of all samples predicted right;
 *  - balanced accuracy (macro recall): mean over the classes that occur in the truth of the share of each
 * predicted right. */
#ifndef GNT_METRIC_LABEL_H
#define GNT_METRIC_LABEL_H

#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

enum { GNT_METRIC_NO_LABEL = -1, GNT_METRIC_MOST_CLASSES = 65536 };

/* counts[truth * (classes + 1) + predicted]; column `classes` counts samples without an answer. */
typedef struct gnt_metric_confusion {
    int32_t classes;
    int64_t samples;
    int64_t *counts; /* owned; freed by gnt_metric_confusion_free */
} gnt_metric_confusion;

/* Counts pairs of true and predicted classes. Fails if a true class is outside the range. */
int gnt_metric_confusion_make(gnt_metric_confusion *out, const int32_t *truth, const int32_t *predicted,
                              size_t n, int32_t classes, gnt_err *err);
void gnt_metric_confusion_free(gnt_metric_confusion *c);

/* Computes the class with the highest score for each of n samples, scores n × classes; ties go to the lowest
 * class. +infinity is a score; a row with a NaN, or one of −infinity alone, is no answer. */
void gnt_metric_labels_of_scores(int32_t *predicted, const float *scores, size_t n, int32_t classes);

typedef struct gnt_metric_rates {
    double plain, balanced; /* 0 for an empty truth */
} gnt_metric_rates;

gnt_metric_rates gnt_metric_accuracy(const gnt_metric_confusion *c);
/* Returns the recall of a class; NaN if it does not occur. */
double gnt_metric_recall(const gnt_metric_confusion *c, int32_t class_);

/* The rates of the attacker and of guesses that need no observation, all on the same test samples. */
typedef struct gnt_metric_chance {
    gnt_metric_rates attacker;
    gnt_metric_rates majority; /* always the most frequent class of the training samples */
    /* the best single class in hindsight: its share of the test samples; 1/classes present */
    gnt_metric_rates constant;
    int32_t majority_class;
} gnt_metric_chance;

/* Computes the scores of guesses. train_counts: how often each class occurs in the attacker's training
 * samples; NULL: the majority is left at 0 and class GNT_METRIC_NO_LABEL. */
void gnt_metric_with_chance(gnt_metric_chance *out, const gnt_metric_confusion *test,
                            const int64_t *train_counts);

/* Renames the answers, each by the n − 1 others: an attack that is reliably wrong still carries information.
 * An answer gets the name of the class with the largest share of its own samples so answered, leaving out the
 * sample itself; ties go to the answer's own name, then to the lowest class. What was no answer is renamed
 * like any other. An answer that no other sample has keeps its name. */
int gnt_metric_relabel(int32_t *renamed, const int32_t *truth, const int32_t *answer, size_t n,
                       int32_t classes, gnt_err *err);

/* Scores labels recovered for a whole batch, in no order, by the share of the n true labels that the
 * answers cover, counted with multiplicity; at most n answers count, in their order. */
int gnt_metric_batch_labels(double *share, const int32_t *truth, size_t n, const int32_t *answer,
                            size_t n_answers, int32_t classes, gnt_err *err);

#endif
