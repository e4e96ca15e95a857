/* feature_inverse: images of features, by what public images and their features have in common.
 *
 * Ridge regression of pixels on features: x̂ = x̄ + Σ_i α_i k(f_i, f), over public images i, with
 * the ridge that predicts each public image best from the others. */
#ifndef GRADIENT_FEATURE_INVERSE_H
#define GRADIENT_FEATURE_INVERSE_H

#include "cost/known_features.h"

enum { FEATURE_INVERSE_LEAST = 8, FEATURE_INVERSE_MOST = 400 }; /* public images */

/* Sets images, k->n × pixels, to those of the features wanted, of samples without to the mean of the n
 * public images x, n × pixels; FEATURE_INVERSE_LEAST to FEATURE_INVERSE_MOST. f: k->steps × n ×
 * k->features, theirs at each step. GNT_OK, GNT_STOPPED, or a status after host->fail. */
gnt_status feature_inverse(const known_features *k, const float *x, const float *f, int64_t n, int64_t pixels,
                           float *images);

#endif
