/* network_fit: what the network would have sent of a sample, compared with a pruned update.
 *
 * The cost of a sample is the squared distance of its update from all those of which pruning leaves what was
 * observed: Σ (u − o)² over the entries that survived, and Σ max(0, |u| − t)² over the others, t the least
 * survivor of their tensor (survivors.h); u is clipped as a granted clip does. The label is the granted one,
 * else the one of least cost. */
#ifndef GRADIENT_NETWORK_FIT_H
#define GRADIENT_NETWORK_FIT_H

#include "defense/noise_law.h"
#include "defense/outliers.h"
#include "gauntlet/plugin.h"

typedef struct network_fit {
    const gnt_host *host;
    const gnt_observation *seen;
    const outliers *apart;
    const noise_law *clip;
    int64_t b_at;       /* the first layer's bias */
    int64_t last_at;    /* out: the last tensor, if it is a bias; −1: it is not */
    const float *bound; /* of each tensor, as survivors_bounds has it */
    gnt_function *function;
    float *x, *y, *rates;
    double *delta, *tried; /* out: the bias's entries of the update of least cost; units */
    double cost;           /* out */
    /* out: the factor by which the survivors of the last layer's bias, the loss's derivatives, exceed
     * those of the update of least cost; 1 if none survived */
    double loudness, loudness_tried;
} network_fit;

/* Prepares the model's function; members before `function` are set. To be closed after a failure too.
 * GNT_OK, or a status after host->fail. */
gnt_status network_fit_open(network_fit *f);
void network_fit_close(network_fit *f);

/* Computes cost and delta at x (features, of one sample). GNT_OK, GNT_STOPPED, or a status after
 * host->fail. */
gnt_status network_fit_at(network_fit *f, const double *x);

#endif
