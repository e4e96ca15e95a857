/* first_delta: initial δ of each unit if there is no noise to average: given by its bias's gradient, or
 * chosen within the range that pruning leaves. */
#ifndef GRADIENT_FIRST_DELTA_H
#define GRADIENT_FIRST_DELTA_H

#include "linear/rank_one.h"

/* Sets delta and variance of a round. If the gradient of a unit's bias was pruned, δ follows from inputs
 * that the unit's survivors share with units whose δ is known. Units that are linked to no bias have a
 * common factor: small enough that every |δ| is below its bound, and large enough to explain the largest
 * survivor |δ x̃| of each unit, as x lies in [0, 1]. Of the two signs the one is chosen for which the
 * survivors agree better with the prior, or the other if the round says so (against_prior). Returns 0 if
 * scratch memory ran out. */
int first_delta(rank_one_round *r, const gnt_host *host, const rank_one_input *in, const sample_prior *prior);

#endif
