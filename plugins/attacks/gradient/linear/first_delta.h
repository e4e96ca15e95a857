/* first_delta: the δ of each unit where there is no noise to average: what its bias's gradient says, or the
 * range that pruning leaves. */
#ifndef GRADIENT_FIRST_DELTA_H
#define GRADIENT_FIRST_DELTA_H

#include "linear/rank_one.h"

/* Sets delta and variance of a round. Where the gradient of a unit's bias was pruned, δ follows from inputs
 * that the unit's survivors have in common with units whose δ is known. Units that are linked to no bias have
 * a factor in common: so large that every |δ| lies below its bound, and above what the loudest survivor
 * |δ x̃| of its unit asks for, as x lies in [0, 1]. Of the two signs that is taken under which the survivors
 * agree better with the prior, or the other where the round says so. 0 when scratch memory ran out. */
int first_delta(rank_one_round *r, const gnt_host *host, const rank_one_input *in, const sample_prior *prior);

#endif
