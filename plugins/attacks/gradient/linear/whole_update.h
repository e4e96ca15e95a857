/* whole_update: the first layer's δ behind one or more rounds' whole updates, where their noise is known.
 *
 * Beginning at an estimate from the first layer alone, it minimises
 *   −log p(x) + Σ over rounds and entries of −log noise(observed − clip(update(x, y))) + V(a)
 * under a sample_prior and a wall at the ends of [0, 1], by L-BFGS in coordinates (z, e) in which the prior
 * is white: x = mean + F z + √rest·e. The label y is one of the classes: the few that fit best at the
 * beginning are tried.
 *
 * V (narrowing.h) is what the layer's gradients δ x̃ᵀ narrow x by, a the precision that they give its
 * entries: Σ δ²/σ², or Σ δ²/b² of Laplace noise. Without it this would be the mode in x, which prefers large
 * δ and small x, as x has many entries. With it, this is nearly the mode in δ with x integrated out. */
#ifndef GRADIENT_WHOLE_UPDATE_H
#define GRADIENT_WHOLE_UPDATE_H

#include "defense/noise_law.h"
#include "defense/outliers.h"
#include "linear/rank_one.h"
#include "prior/sample_prior.h"

typedef struct whole_round { /* of a single sample */
    const gnt_observation *seen;
    outliers apart;
    int64_t w_at, b_at; /* the first layer's tensors */
    double layer_cost;  /* out: their share of the cost at x */
    double *delta;      /* out: of each unit, at x, clipped as the weights are */
} whole_round;

typedef struct whole_fit {
    double cost;   /* as above, without constants */
    int32_t label; /* −1 where labels were granted */
    int64_t evaluations;
} whole_fit;

/* Minimises the cost above. x: features entries in image space; the starting point, then the minimum.
 * GNT_OK, GNT_STOPPED, or a status after host->fail. */
gnt_status whole_update_fit(whole_fit *fit, const gnt_host *host, whole_round *round, int64_t rounds,
                            const noise_law *noise, const sample_prior *prior, const rank_one_input *input,
                            double *x);

/* Computes the cost of x under the label that makes it least, without the prior's −log p(x). Returns the
 * same statuses. */
gnt_status whole_update_cost(double *cost, const gnt_host *host, whole_round *round, int64_t rounds,
                             const noise_law *noise, const sample_prior *prior, const rank_one_input *input,
                             const double *x);

#endif
