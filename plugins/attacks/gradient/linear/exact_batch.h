/* exact_batch: the samples of a batch, or of several local steps, behind a first dense layer, solved for
 * where the update determines them. Behind convolutions its inputs are the samples' features, which local
 * steps change: each sample has those of the step that used it, if one alone did.
 *
 * The rows of the update span as many dimensions as there are samples (row_space.h). After ReLU the
 * columns of single samples are found by their zeros (sparse_columns.h, column_choice.h); samples are
 * also found one by one, by rows that agree and by pixels that are exactly 0 or 1 (single_samples.h). No
 * rate has to be known, and momentum changes nothing: an update is still a sum of δ x̃ᵀ. Weight decay
 * adds a share of the broadcast weights, which follows from the announced rates, or if these were not the
 * client's, is where the rows span the fewest dimensions.
 *
 * The noise is what the row space leaves, so an error can be given with each sample, and what is hidden
 * in noise is not taken for exact. */
#ifndef GRADIENT_EXACT_BATCH_H
#define GRADIENT_EXACT_BATCH_H

#include "linear/input_range.h"
#include "linear/linear_layer.h"
#include "linear/row_space.h"

typedef struct exact_batch {
    const gnt_host *host;
    const gnt_observation *seen;
    const dense_layer *layer;
    input_range range;
    int64_t features; /* entries of a sample */
    double
        *delta; /* seen->n, or `most`, × units: what each sample found added to the units; NULL: not wanted */
    int64_t units;            /* of the layer */
    double effort;            /* most operations of the search, 1e9; 0: none */
    double spent;             /* of these, about, by all searches */
    int64_t most;             /* samples that there may be where the update says one; 0: seen->n */
    const gnt_samples *known; /* samples of which some may be in the batch, such as public ones; NULL: none */
    const float *alike; /* n_alike × features: inputs of the same kind, such as those of public samples */
    int64_t n_alike;
    int64_t found, exact; /* samples, and those of 50 dB or more by their error */
    int64_t rank;
    layer_rows rows; /* the update's, without what weight decay had of it; units 0: nothing was solved for */
} exact_batch;

/* Sets `found`, `exact`, `rank` and `units`, the first found × units entries of delta, and the first
 * found × features entries of x to the samples that the update determines, in their range and without
 * the normalisation. x: seen->n × features, or `most`, as delta has rows. Finds nothing of one sample,
 * of as many as the layer has units or more than it has inputs, and where it has outliers; with `most`
 * neither where the rank is so large, or is not far below the number of rows. Reports the facts
 * `update_rank`, and `decay_share`, if there is one. GNT_OK, GNT_STOPPED, or a status after host->fail. */
gnt_status exact_batch_find(exact_batch *e, float *x);

/* Does the same for an update of at most n samples with the same layer, without facts. rows: as after
 * exact_batch_find, or less samples that are known; weight and bias at the first step of those left. */
gnt_status exact_batch_solve(exact_batch *e, const layer_rows *rows, int64_t n, float *x);

/* True if a sample found, `features` entries, is one of the known ones; these may be NULL. */
int exact_batch_is_known(const gnt_samples *known, const float *x, int64_t features);

#endif
