/* likelihood: what a defense of known noise makes an observed update worth.
 *
 * dp-gaussian and dp-laplace send o = s(u)·u + μ + noise, s(u) = min(1, C/‖u‖) of the whole update or of each
 * tensor. For an attacker that is granted the defense, how well a candidate's update u fits is −log p(o | u),
 * with the clip inside: Σ r²/(2σ²) or Σ |r|/b over the entries of r = s(u)·u + μ − o. */
#ifndef GRADIENT_LIKELIHOOD_H
#define GRADIENT_LIKELIHOOD_H

#include "gauntlet/plugin.h"

enum { NOISE_NONE, NOISE_GAUSSIAN, NOISE_LAPLACE };
enum { NOISE_CLIP_GLOBAL, NOISE_CLIP_PER_TENSOR, NOISE_CLIP_NONE };

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

/* What the grant tells of the noise: the member dp-gaussian or dp-laplace among `defense` (ids joined by
 * '+'). NOISE_NONE where there is none, more than one, or NULL. */
noise_law noise_law_of(const char *defense, const gnt_value *values, int64_t n_values);

/* Standard deviation of the noise in an entry. */
double noise_deviation(const noise_law *law);

/* −log p(observed | u) up to a constant, over the entries whose mask is 1 (NULL: all). d_u, one tensor for
 * each of u's, becomes its derivative by u, the clip's included. |r| is smoothed to √(r² + (b/10)²) − b/10.
 */
double noise_cost(const noise_law *law, const gnt_views *u, const float *const *observed,
                  const float *const *mask, float *const *d_u);

/* Does to u what the law says, noise included: `unit` holds one draw for each entry, tensor after tensor, of
 * the law with mean 0 and deviation (or scale) 1. */
void noise_apply(const noise_law *law, const gnt_views *u, const float *unit, float *const *out);

#endif
