/* exact_batch: the samples of a batch, or of several local steps, behind a first dense layer, solved for
 * where the update determines them.
 *
 * The rows of the update span as many dimensions as there are samples (row_space.h). After ReLU the columns
 * of single samples are found by their zeros (sparse_columns.h, column_choice.h); samples are also found one
 * by one, by rows that agree and by pixels that are exactly 0 or 1 (single_samples.h). No rate has to be
 * known, and momentum changes nothing: an update is still a sum of δ x̃ᵀ. Weight decay adds a share of the
 * broadcast weights, which follows from the announced rates, or if these were not the client's, is where the
 * rows span the fewest dimensions.
 *
 * The noise is what the row space leaves, so an error can be given with each sample, and what is hidden in
 * noise is not taken for exact. */
#ifndef GRADIENT_EXACT_BATCH_H
#define GRADIENT_EXACT_BATCH_H

#include "linear/linear_layer.h"

/* Sets `found`, and the first found × features entries of x to the samples that the update determines, as
 * images. x: seen->n × features. Does nothing for one sample, for as many as the layer has units or more
 * than it has inputs, and where it has outliers. Reports the facts `samples_exact`, those of 50 dB or more
 * by their error, `update_rank`, and `decay_share`, if there is one. GNT_OK, GNT_STOPPED, or a status after
 * host->fail. */
gnt_status exact_batch_find(const linear_layer *s, const gnt_observation *seen, const dense_layer *l,
                            int64_t features, float *x, int64_t *found);

#endif
