/* both_signs: δ x̃ is also −δ times −x̃. Where inputs are normalised about 0, only the biases and the
 * prior tell these apart, and a solve ends at that of the two where it began. */
#ifndef GRADIENT_BOTH_SIGNS_H
#define GRADIENT_BOTH_SIGNS_H

#include "rank_one.h"

/* After rank_one_solve of the same: solves again from the estimate's negative, and leaves in fit and rounds
 * what costs less, by the noise and by the prior. Nothing is tried where no input can be negative, or where
 * no law of noise is known. GNT_OK, GNT_STOPPED, or a status after host->fail. */
gnt_status both_signs(rank_one_fit *fit, const gnt_host *host, rank_one_round *const *round, int64_t rounds,
                      const rank_one_input *input, const noise_law *noise, const sample_prior *prior,
                      prior_room *room);

#endif
