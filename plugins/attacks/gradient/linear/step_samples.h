/* step_samples: in which local step each sample was used, and its label, given the features of most of
 * them; and the features of others, once the update holds fewer.
 *
 * At the weights of its step a sample's features give its δ, which the update then has in its columns.
 * Those of the first step are found at the broadcast weights; with them the weights of the second step
 * are known, and so on. Each sample that is certain is taken from the update (update_columns.h), which
 * leaves fewer dimensions to search, and shows candidates that are mixtures with it. Where a step stays
 * incomplete, the weights of the later ones are only about right, and their samples are sorted by what
 * the others leave of the update. */
#ifndef GRADIENT_STEP_SAMPLES_H
#define GRADIENT_STEP_SAMPLES_H

#include "linear/dense_features.h"
#include "linear/dense_head.h"
#include "linear/exact_batch.h"

enum { CANDIDATES = 2 }; /* d has room for so many times the samples of the batch */

/* Finds labels and steps of the d->found samples, adds others to them, and drops those that are none.
 * batch: as exact_batch_find left it. GNT_OK, GNT_STOPPED, or a status after host->fail. */
gnt_status step_samples_find(dense_features *d, dense_head *head, exact_batch *batch);

#endif
