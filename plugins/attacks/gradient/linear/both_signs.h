/* both_signs: δ x̃ is also −δ times −x̃. Where inputs are normalised about 0, only the biases, the prior and
 * the rest of the update tell these apart, and a solve ends at that of the two where it began. */
#ifndef GRADIENT_BOTH_SIGNS_H
#define GRADIENT_BOTH_SIGNS_H

#include "linear/rank_one.h"

/* What an estimate x (features) is judged by; NaN where it cannot be told. */
typedef struct sign_judge {
    double (*cost)(void *context, const double *x);
    void *context;
} sign_judge;

/* After rank_one_solve of the same: solves again from the estimate's negative, or where rounds begin at
 * their biases from the signs that first_delta did not choose, and leaves in fit and rounds what costs less.
 * Nothing is tried where no input can be negative, or where a bias that was not pruned tells the sign without
 * noise. GNT_OK, GNT_STOPPED, or a status after host->fail. */
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
