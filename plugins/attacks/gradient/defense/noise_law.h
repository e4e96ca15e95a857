/* noise_law: how a defense whose noise is known changes an update, and the likelihood of an observed
 * update.
 *
 * dp-gaussian and dp-laplace send o = s(u)·u + μ + noise, with s(u) = min(1, C/‖u‖) over the whole update
 * or each tensor. An attacker who knows that law judges a candidate's update u by −log p(o | u), which
 * includes the clip: Σ r²/(2σ²) or Σ |r|/b over the entries of r = s(u)·u + μ − o. */
#ifndef GRADIENT_NOISE_LAW_H
#define GRADIENT_NOISE_LAW_H

#include "gauntlet/plugin.h"

enum { NOISE_NONE, NOISE_GAUSSIAN, NOISE_LAPLACE };
enum { NOISE_CLIP_NONE, NOISE_CLIP_GLOBAL, NOISE_CLIP_PER_TENSOR };

/* Zeros: no noise and no clip. */
typedef struct noise_law {
    int kind; /* NOISE_* */
    /* σ, or Laplace's b, above 0; and the mean μ: of the noise in every entry */
    double scale, mean;
    /* C, and what it bounds */
    double clip;
    int clip_mode;
    /* the norm is L1, else L2 */
    int l1;
} noise_law;

/* Returns the standard deviation of the noise in an entry. */
double noise_deviation(const noise_law *law);

/* Returns −log density of an entry's residual r, without its constant; *slope: its derivative by r. There
 * is noise. Laplace's |r| is smoothed to √(r² + (b/10)²) − b/10, so that it has a derivative that vanishes
 * at a match. */
double noise_entry_cost(const noise_law *law, double r, double *slope);

/* Returns how many of n tensors are clipped together: those from 0, from that number, from twice that
 * number … */
int64_t noise_clip_group(const noise_law *law, int64_t n);

/* s(u), and the norm that it comes from; 1 and 0 without a clip. */
typedef struct noise_clip {
    double factor, norm;
} noise_clip;

/* Returns the clip of n tensors that are clipped together. */
noise_clip noise_clip_of(const noise_law *law, const gnt_view *u, int64_t n);

/* Turns the derivatives d by s(u)·u into those by u: s·(d − ⟨d, u⟩/‖u‖ · ∂‖u‖/∂u), where ∂‖u‖/∂u is u/‖u‖,
 * or sign(u) of an L1 norm. Of n tensors that are clipped together; clip: noise_clip_of them. */
void noise_clip_vjp(const noise_law *law, noise_clip clip, const gnt_view *u, int64_t n, float *const *d);

/* Returns −log p(observed | u) up to a constant, over the entries whose mask is 1 (NULL: all). d_u, one
 * tensor for each of u's, becomes its derivative by u, the clip's included; NULL: none is wanted. */
double noise_cost(const noise_law *law, const gnt_views *u, const float *const *observed,
                  const float *const *mask, float *const *d_u);

/* Applies the law to u, noise included: `unit` has one draw for each entry, tensor after tensor, of the law
 * with mean 0 and deviation (or scale) 1. */
void noise_apply(const noise_law *law, const gnt_views *u, const float *unit, float *const *out);

#endif
