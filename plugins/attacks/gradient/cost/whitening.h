/* whitening: how well a candidate's update fits an observed one whose layers have noise of different
 * strength.
 *
 * If layer l was clipped to C_l and then got N(0, s_l²) in every entry, −log p(o | u) is Σ_l ‖clip_l(u_l) −
 * o_l‖² / (2·s_l²) up to a constant: the noisier a layer, the less it counts. C_l and s_l are known if the
 * defense that adds the noise was granted:
 *  - dp-gaussian, dp-laplace, clip: by their law (noise_law.h).
 *  - fedre, uniform: C, and s_l = C·√(2·T·ln(L/δ))/ε_l, with ε_l = ε/L, or with the scores S_l that fedre
 *    made public ε_l = ε·(1/S_l)/Σ_k(1/S_k). No grant gives the number T of rounds: it is estimated from
 *    the layers whose observed spread is least in proportion to s_l, since the gradient adds least to it
 *    there. With `sensitivity` sample or
 *    `preferences` s_l has a factor of the client's own, and √T times that is estimated in the same way.
 *  - fedre-sample: the same, with √T and the factor of steps and batches as one. C is that of one gradient
 *    of one sample; of other updates the clip is of what they are made of, and is left out.
 *  - blur-lus, where it is read: one C and one s for the whole update, s = C·√(2·T·ln(1/δ))/ε, and the
 *    candidate's update is made as sparse before.
 *  - fedre whose scores stay with the client: C alone.
 *  - dp-gaussian, dp-laplace with `layers`: their law in these layers (covered.h), and in the others a
 *    deviation of a thousandth of their entries' root mean square.
 * What is not known is estimated from the update (layer_noise.h), and again from the residual once a
 * candidate is near: the maximum-likelihood s_l given x is the root mean square of clip_l(u_l(x)) − o_l. */
#ifndef GRADIENT_WHITENING_H
#define GRADIENT_WHITENING_H

#include "cost/kept_entries.h"
#include "defense/covered.h"
#include "defense/layer_noise.h"
#include "defense/noise_law.h"

/* Tensors with one law: all those that are clipped together, or some of them. */
typedef struct whitening_part {
    int64_t first, n;
    noise_law law;
} whitening_part;

typedef struct whitening {
    int64_t n;
    whitening_part *part;
    int is_known;      /* s_l of all layers were granted */
    int has_noise;     /* they were, or entries of some layer are distributed like noise */
    double floor;      /* of an s_l that is not */
    covered_part some; /* the layers that dp-* clip and noise, if they name layers; in no part */
    kept_entries kept; /* of a candidate's update */
} whitening;

/* Returns the scores that fedre made public, one for each layer; NULL if it made none. */
const float *whitening_scores(const gnt_observation *seen, int64_t layers);

/* Finds the law of each layer. plain: models an attacker who ignores clipping and takes the noise to be the
 * same in all layers. Reports the facts `noise_known`, 1 if a grant gave the noise, and `noise_least` and
 * `noise_most`, the smallest and the largest s_l. Scratch of the hook. GNT_OK, or a status after
 * host->fail. */
gnt_status whitening_open(whitening *w, const gnt_host *host, const gnt_observation *seen,
                          const granted_defense *granted, int plain);

/* Sets each s_l that is not known to the root mean square of the residual that the update u of a candidate
 * leaves, at least the floor. d_u: room, a tensor for each of u's. */
void whitening_refit(whitening *w, const gnt_views *u, const float *const *observed, const float *const *mask,
                     float *const *d_u);

/* Sums noise_cost over the parts: returns −log p(observed | u) up to a constant, and sets d_u to its
 * derivative by u. */
double whitening_cost(whitening *w, const gnt_views *u, const float *const *observed,
                      const float *const *mask, float *const *d_u);

#endif
