/* kept_prior: priors of the same public samples, made once and kept for all observations of an instance. */
#ifndef GRADIENT_KEPT_PRIOR_H
#define GRADIENT_KEPT_PRIOR_H

#include "prior/sample_prior.h"

enum { KEPT_PRIORS = 8, PRIOR_LEVELS = 32 };

/* All 0: nothing is kept yet. What it points to is its own; kept_prior_clear frees it. */
typedef struct kept_prior {
    uint64_t samples; /* a digest of the public samples behind the rest */
    /* by candidate of prior_choice.h */
    sample_prior of[KEPT_PRIORS];
    /* by level of noise: 1 + the candidate that was chosen; 0: not yet */
    uint8_t chosen[PRIOR_LEVELS];
} kept_prior;

/* Clears what was made from other samples than these: n rows of `features` entries. */
void kept_prior_begin(kept_prior *k, const float *x, int64_t n, int64_t features);
void kept_prior_clear(kept_prior *k);

/* Sets *p to the prior of candidate `index`, in memory that is kept until it begins with other samples or
 * is cleared. GNT_OK, or a status after host->fail. */
gnt_status kept_prior_get(kept_prior *k, sample_prior *p, const gnt_host *host, const sample_shape *shape,
                          const float *x, int64_t n, int index);
/* Sets *index to the candidate for noise of that variance (prior_choose). GNT_OK, GNT_STOPPED, or a status
 * after host->fail. */
gnt_status kept_prior_choose(kept_prior *k, int *index, const gnt_host *host, const sample_shape *shape,
                             const float *x, int64_t n, double variance);

#endif
