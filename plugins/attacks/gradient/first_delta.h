/* first_delta: the δ of each unit where there is no noise to average: what its bias's gradient says, or the
 * range that pruning leaves. */
#ifndef GRADIENT_FIRST_DELTA_H
#define GRADIENT_FIRST_DELTA_H

#include "rank_one.h"

/* Sets delta and variance of a round. Where the bias's gradient of a unit was pruned, |δ| lies below its
 * bound, and above what the unit's loudest survivor |δ x̃| asks for, as x lies in [0, 1]. Of the two signs
 * that is taken under which the survivors agree better with the prior. */
void first_delta(rank_one_round *r, const rank_one_input *in, const sample_prior *prior);

#endif
