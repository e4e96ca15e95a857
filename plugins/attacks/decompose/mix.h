/* mix: the state of the recovery, and its linear steps. e ≈ ± W·P: encodings (M × F), weights (M × m) and
 * images (m × F) in units of p = 2x − 1; the signs are hidden for InstaHide, all + for MixUp. */
#ifndef DECOMPOSE_MIX_H
#define DECOMPOSE_MIX_H

#include <stdint.h>

#include "factor.h"
#include "law.h"
#include "whiten.h"

typedef struct dec_mix {
    const gnt_host *host;
    int64_t encodings, originals, c, h, w, features;
    const float *e; /* encodings × features: |e| for InstaHide */
    float *weight;  /* encodings × originals, ≥ 0; 0 if not in the encoding */
    float *p;       /* originals × features */
    float *noise;   /* encodings: 1 / variance of the residual of W·P in one pixel */
    float *solver;  /* originals × encodings: result of dec_ridge */
} dec_mix;

/* Allocates the state for images of the shape of `like`; borrows e. Memory is the hook's scratch. */
gnt_status dec_mix_open(dec_mix *x, const gnt_host *host, const gnt_samples *like, int64_t encodings,
                        int64_t originals, const float *e);

/* Computes weights from scores: each original has a mean of 1/k over its members, and each row that has all
 * its own members sums to 1 if it contains only private images. */
void dec_weights_of_scores(const dec_groups *g, const dec_law *law, float *weight);

/* Computes x->solver = (Wᵀ N W + 1/spread)⁻¹ Wᵀ N with N = diag(noise): signed encodings to images, under a
 * prior variance `spread` of a pixel. */
gnt_status dec_ridge(dec_mix *x, double spread);

/* Fits the weights again, from signed encodings (M × F) and x->p, both whitened: the best nonnegative row
 * over all originals, its `own` largest entries kept and fitted once more, scaled by the law. */
gnt_status dec_refit_weights(dec_mix *x, dec_whitener *white, const dec_law *law, const float *signed_e);

#endif
