/* dense_features: the features of the samples of a batch, the inputs of the first dense layer behind others,
 * and which labels the samples have.
 *
 * The update of that layer is a sum of δ f̃ᵀ as that of a first dense layer is, and its inputs are solved for
 * in the same way (exact_batch.h). Several local steps change the features, so that there has to be one step.
 * If all features of the batch are known, so is what each sample adds to the update of the last layer, and
 * that raises one class alone, its label. */
#ifndef GRADIENT_DENSE_FEATURES_H
#define GRADIENT_DENSE_FEATURES_H

#include "defense/outliers.h"
#include "gauntlet/plugin.h"

typedef struct dense_features {
    const gnt_host *host;
    const gnt_observation *seen;
    int32_t layer; /* whose output the features are */
    int64_t features;
    float *f;       /* seen->n × features */
    int64_t *label; /* seen->n */
    int found;      /* 1: all of them are */
} dense_features;

/* Finds features and labels, if the update determines those of all samples, and only ReLU and dense layers
 * follow. The update is whole (update.h). effort: most
 * operations of the search, 1e9. GNT_OK, GNT_STOPPED, or a status after host->fail. */
gnt_status dense_features_find(dense_features *d, const gnt_host *host, const gnt_observation *seen,
                               const outliers *apart, double effort);

#endif
