/* label_scores: the classes of a batch, read off the gradient of the last dense layer. */
#ifndef GRADIENT_LABEL_SCORES_H
#define GRADIENT_LABEL_SCORES_H

#include "gauntlet/plugin.h"
#include "defense/outliers.h"

/* The last dense layer that has a row for each class: its tensors in the update. */
typedef struct label_layer {
    const gnt_view *weight; /* classes × inputs */
    const gnt_view *bias;   /* classes; NULL where it has none */
    int64_t at_weight, at_bias;
    int bias_alone; /* the weights' entries are all 0, and there is a bias whose are not */
} label_layer;

/* Finds the last dense layer. Returns GNT_UNSUPPORTED, after host->fail, if the model has none or another
 * loss than cross entropy. */
gnt_status label_layer_find(label_layer *out, const gnt_host *host, const gnt_observation *seen);

/* Sets scores[c], one for each class, higher for likelier ones. Meant for a batch of one sample. With cross
 * entropy row c of the weight gradient is (p_c − y_c)·r, r the layer's input, and entry c of the bias
 * gradient p_c − y_c itself: negative for the true class alone.
 *  - If r is not negative (after ReLU, sigmoid, softplus) the score is minus the row's sum, as in iDLG
 *    (Zhao, Mopuri and Bilen, 2020): it accumulates what noise would hide in one entry.
 *  - If r has both signs (such as after tanh) the sign of a row's sum means nothing: the score is minus the
 *    bias's entry, if there is one. The same is done if a defense left nothing of the weights.
 * Outliers are left out: a row's sum is scaled up from the other entries, and since bias entries sum to 0,
 * one is minus the sum of the others. A weight delta is minus a sum of gradients, so its sign is reversed.
 * GNT_UNSUPPORTED, after host->fail, if the model has no dense layer with a row for each class. */
gnt_status label_scores(const gnt_host *host, const gnt_observation *seen, const outliers *apart,
                        float *scores);

/* Sets count[c] to the number of the batch's n samples that have class c; they sum to n. See label_batch.c
 * for how. Labels are judged no more often than the search after it takes steps, `most`. For one sample it is
 * the class of the highest score above. GNT_OK, or a status after host->fail. */
gnt_status label_counts(const gnt_host *host, const gnt_observation *seen, const outliers *apart,
                        int64_t most, int64_t *count);

/* Sets y (one row) to 1 at the highest score, the lowest such class, and 0 elsewhere. */
void label_one_hot(const float *scores, int64_t classes, float *y);

/* Sets y (n × classes, n the counts' sum) to one-hot rows, count[c] of class c, in the classes' order. */
void label_rows(const int64_t *count, int64_t classes, float *y);

/* Sets y (n × classes) to the labels of the batch: as granted, else read off the update, in the classes'
 * order; most: as above. GNT_OK, or a status after host->fail. */
gnt_status label_targets(const gnt_host *host, const gnt_observation *seen, const outliers *apart,
                         int64_t most, float *y);

#endif
