/* dense_features: the features of the samples of a batch, or of local steps that use each sample once,
 * the inputs of the first dense layer behind others; which labels the samples have, and in which step
 * each was used.
 *
 * The update of that layer is a sum of δ f̃ᵀ as that of a first dense layer is, and its inputs are solved
 * for in the same way (exact_batch.h), each as it was in the step of its sample. Label and step follow
 * from features and δ (dense_head.h), without the rates: the scale of δ shows them. */
#ifndef GRADIENT_DENSE_FEATURES_H
#define GRADIENT_DENSE_FEATURES_H

#include "defense/outliers.h"
#include "gauntlet/plugin.h"

typedef struct dense_features {
    const gnt_host *host;
    const gnt_observation *seen;
    int32_t layer; /* whose output the features are */
    int64_t features;
    int64_t found;         /* samples, at most seen->n; the first so many of what follows */
    float *f;              /* × features */
    int64_t *label, *step; /* label −1: it is not known */
    double *apart;         /* share of the squares of δ that does not follow from features, label and step */
} dense_features;

/* Binds one observation: sets layer and features; features 0 if there is nothing to be found, as where other
 * layers than ReLU and dense ones follow, or each sample was used more than once. The update is whole
 * (update.h). */
void dense_features_open(dense_features *d, const gnt_host *host, const gnt_observation *seen);

/* Finds what the update determines. alike: n_alike × features of other samples at the broadcast
 * weights, which lead the search; may be NULL. effort: most operations of the search, 1e9. Reports the
 * fact `features_exact`. GNT_OK, GNT_STOPPED, or a status after host->fail. */
gnt_status dense_features_find(dense_features *d, const outliers *apart, double effort, const float *alike,
                               int64_t n_alike);

#endif
