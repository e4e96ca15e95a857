/* whitening: how well a candidate's update fits one whose layers hold noise of different strength.
 *
 * Where layer l holds N(0, s_l²) in every entry and was clipped to C_l before, −log p(o | u) is
 * Σ_l ‖clip_l(u_l) − o_l‖² / (2·s_l²) up to a constant: a layer counts by what its noise leaves of it. C_l
 * and s_l are known where the defense was granted that adds them:
 *  - dp-gaussian, dp-laplace, clip: their law (noise_law.h).
 *  - fedre, uniform: C, and s_l = C·√(2·T·ln(L/δ))/ε_l, with ε_l = ε/L, or with the scores S_l that fedre
 *    made public ε_l = ε·(1/S_l)/Σ_k(1/S_k). The number T of rounds is told by no grant: it is the one for
 *    which the layers' noise has their entries' spread, of the layers in which that is the least.
 *  - Of scores that a client keeps, C alone.
 * What is not known is read off the update (layer_noise.h), and once a candidate is near, off what it
 * leaves of each layer: the likeliest s_l given x is the root mean square of clip_l(u_l(x)) − o_l. */
#ifndef GRADIENT_WHITENING_H
#define GRADIENT_WHITENING_H

#include "defense/granted_defense.h"
#include "defense/layer_noise.h"
#include "defense/noise_law.h"

/* Tensors with one law, those that are clipped together or some of them. */
typedef struct whitening_part {
    int64_t first, n;
    noise_law law;
} whitening_part;

typedef struct whitening {
    int64_t n;
    whitening_part *part;
    int is_known; /* s_l of all layers were granted */
    double floor; /* of an s_l that is not */
} whitening;

/* The scores that fedre made public, one for each layer; NULL where it made none. */
const float *whitening_scores(const gnt_observation *seen, int64_t layers);

/* plain: as by an attacker who knows of no clip and takes the noise to be the same in all layers. Reports the
 * facts `noise_known`, 1 where a grant told it, `noise_least` and `noise_most`, the layers' s_l. Scratch of
 * the hook. GNT_OK, or a status after host->fail. */
gnt_status whitening_open(whitening *w, const gnt_host *host, const gnt_observation *seen,
                          const granted_defense *granted, int plain);

/* Takes for each s_l that is not known what the update u of a candidate leaves, at least the floor. d_u:
 * room, a tensor for each of u's. */
void whitening_refit(whitening *w, const gnt_views *u, const float *const *observed, const float *const *mask,
                     float *const *d_u);

/* As noise_cost of every part: −log p(observed | u) up to a constant, and its derivative d_u by u. */
double whitening_cost(const whitening *w, const gnt_views *u, const float *const *observed,
                      const float *const *mask, float *const *d_u);

#endif
