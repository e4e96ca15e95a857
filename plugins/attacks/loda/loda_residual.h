/* loda_residual: if x is the private image behind the encoding x′, half the gradient of LODA's objective at
 * x′ is
 *     r(x) = J(x′)ᵀ(g(x′) − g(x)) − c(x′ − x),
 * zero if the descent converged inside the box (Eq. 5). dr/dx = cI − J(x′)ᵀJ(x). */
#ifndef LODA_RESIDUAL_H
#define LODA_RESIDUAL_H

#include "shared/loda/layer_features.h"

typedef struct residual {
    const features *g;
    int64_t n;
    feature_map there, here;                                    /* around x′ and around x */
    float *encoded;                                             /* n × pixels: x′ */
    float *room, *goal[FEATURES_LAYERS], *gap[FEATURES_LAYERS]; /* g(x′); g(x′) − g(x) */
} residual;

/* Allocates for batches of n; *r is overwritten. residual_close frees it. */
gnt_status residual_open(residual *r, const features *g, int64_t n);
void residual_close(residual *r);
/* Copies n encodings and computes g around them. */
gnt_status residual_set(residual *r, const float *encoded);
/* Computes r(x), n × pixels; x must remain valid until residual_back. */
gnt_status residual_at(residual *r, const float *x, double c, float *out);
/* Computes (dr/dx)ᵀe = ce − J(x)ᵀJ(x′)e at the last x. */
gnt_status residual_back(residual *r, const float *e, double c, float *out);

#endif
