/* prior_choice: chooses the setting of sample_prior that suits the public samples at a level of noise. */
#ifndef GRADIENT_PRIOR_CHOICE_H
#define GRADIENT_PRIOR_CHOICE_H

#include "prior/sample_prior.h"

/* The candidate that mixes the covariance by distance in; it is not among those that are chosen from. */
enum { PRIOR_BY_DISTANCE = 6 };

/* Returns the level, 0 … levels − 1, of the noise's variance in an entry of x, by factors of 4. */
int prior_level(double variance, int levels);

/* Sets *best to 0, the preset, or to a better candidate (prior_candidate). Each half of the samples is judged
 * by a prior made of the other: by the log density of its samples under noise of that variance. A candidate
 * must beat the preset by two standard errors of the difference. n below 8: the preset. GNT_OK, or a status
 * after host->fail. */
gnt_status prior_choose(int *best, const gnt_host *host, const sample_shape *shape, const float *x, int64_t n,
                        double variance);
prior_setting prior_candidate(int index);

#endif
