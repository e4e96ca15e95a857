/* whole_covariance: the estimate of a sample under the whole covariance of a sample_prior, of which that
 * keeps the principal columns alone.
 *
 * With the evidence's precision T and pull θ, the posterior's mean is μ + K y, (K + T⁻¹) y = T⁻¹θ − μ over
 * the entries with evidence. It is solved by conjugate gradients, with the principal columns as
 * preconditioner: K is a covariance of public samples and one by distance, and is only multiplied with. */
#ifndef GRADIENT_WHOLE_COVARIANCE_H
#define GRADIENT_WHOLE_COVARIANCE_H

#include "prior/sample_prior.h"
#include "prior/stationary.h"

typedef struct whole_covariance {
    int64_t n, features; /* public samples that count */
    const float *x;      /* n × features, the caller's */
    double weight;       /* of the covariance by distance */
    const double *mean;  /* features: of the n samples */
    stationary even;
    double *work[5]; /* features; the last one n */
} whole_covariance;

/* Binds n public images, more than 0, with the weights of a prior with `by_distance`. Scratch of the hook.
 * GNT_OK, GNT_STOPPED, or a status after host->fail. */
gnt_status whole_covariance_make(whole_covariance *c, const gnt_host *host, const sample_shape *shape,
                                 const float *x, int64_t n, double by_distance);

/* Computes the mean; `room`: that in which sample_prior_apply was last computed, with this evidence.
 * Allocates nothing. mean: features. GNT_OK, GNT_STOPPED, or a status after host->fail. */
gnt_status whole_covariance_apply(const whole_covariance *c, const gnt_host *host, const sample_prior *p,
                                  const evidence *e, prior_room *room, double *mean);

#endif
