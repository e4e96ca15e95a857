/* both_signs: δ x̃ equals (−δ)·(−x̃). If inputs are normalised about 0, only the biases, the prior and the
 * rest of the update distinguish the two, and a solve ends at the sign at which it began. */
#ifndef GRADIENT_BOTH_SIGNS_H
#define GRADIENT_BOTH_SIGNS_H

#include "linear/rank_one.h"

/* A cost by which estimates x (features) are compared; NaN if an estimate cannot be judged. x is that of fit,
 * which the judge may move to another scale, with the rounds' δ. */
typedef struct sign_judge {
    double (*cost)(void *context, const double *x);
    void *context;
} sign_judge;

/* Solves again, after rank_one_solve and with its arguments, from the estimate's negative, or if rounds
 * begin at their biases from the signs that first_delta did not choose, and leaves the solution of lower
 * cost in fit and rounds. Does nothing if no input can be negative, or if without noise a bias that was
 * not pruned gives the sign. GNT_OK, GNT_STOPPED, or a status after host->fail. */
gnt_status both_signs(rank_one_fit *fit, const gnt_host *host, rank_one_round *const *round, int64_t rounds,
                      const rank_one_input *input, const sample_prior *prior, prior_room *room,
                      sign_judge judge);

/* A judge's context: −log of the noise's and the prior's densities, without constants. */
typedef struct layer_densities {
    rank_one_round *const *round;
    int64_t rounds;
    const rank_one_input *input;
    const noise_law *noise; /* there is some */
    const sample_prior *prior;
    prior_room *room;
    double *vectors; /* room for 2 × features */
} layer_densities;

double layer_densities_cost(void *layer_densities_, const double *x);

#endif
