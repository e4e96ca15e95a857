/* feature_inverse: images of features, by what public images and their features have in common.
 *
 * Ridge regression of pixels on features: x̂ = x̄ + Σ_i α_i k(f_i, f), over public images i, with the ridge
 * that predicts each public image best from the others. */
#ifndef GRADIENT_FEATURE_INVERSE_H
#define GRADIENT_FEATURE_INVERSE_H

#include "cost/known_features.h"

enum { FEATURE_INVERSE_LEAST = 8 }; /* public images */

/* Sets images, k->n × pixels, to those of the features wanted, of samples without to the mean of the public
 * images x, `count` × pixels; at least FEATURE_INVERSE_LEAST. GNT_OK, GNT_STOPPED, or a status after
 * host->fail. */
gnt_status feature_inverse(known_features *k, const float *x, int64_t count, int64_t pixels, float *images);

#endif
