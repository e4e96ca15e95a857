/* whole_update: the sample behind one or more rounds' whole updates, where their noise is known.
 *
 * Beginning at an estimate from the first layer alone, it looks for the mode of the posterior
 *   −log p(x) + Σ over rounds and entries of −log noise(observed − clip(update(x, y)))
 * under a sample_prior and a wall at the ends of [0, 1], by L-BFGS in coordinates (z, e) in which the prior
 * is white: x = mean + F z + √rest·e. The label y is one of the classes: the few that fit best at the
 * beginning are tried. */
#ifndef GRADIENT_WHOLE_UPDATE_H
#define GRADIENT_WHOLE_UPDATE_H

#include "outliers.h"
#include "sample_prior.h"
#include "update_noise.h"

typedef struct whole_round { /* of a single sample */
    const gnt_observation *seen;
    outliers apart;
    int64_t w_at, b_at; /* the first layer's tensors */
    double layer_cost;  /* out: their share of the cost at x */
} whole_round;

typedef struct whole_fit {
    double cost;   /* −log posterior, without constants */
    int32_t label; /* −1 where labels were granted */
    int64_t evaluations;
} whole_fit;

/* x: features entries, image space; the beginning, then the mode. GNT_OK, GNT_STOPPED, or a status after
 * host->fail. */
gnt_status whole_update_fit(whole_fit *fit, const gnt_host *host, whole_round *round, int64_t rounds,
                            const update_noise *noise, const sample_prior *prior, double *x);

#endif
