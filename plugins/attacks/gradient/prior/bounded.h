/* bounded: a sample of which some entries are known and others lie between bounds, under a sample_prior.
 *
 * The posterior of a normal law within a box has no closed form. Expectation propagation (Minka, 2001)
 * approximates each entry's bounds by a normal factor, such that mean and variance of that entry are those
 * of the normal law of all other factors within the bounds; the mean of the product estimates the sample.
 * An entry's mean lies within its bounds, where projecting the unbounded mean onto them would put many at
 * an end. */
#ifndef GRADIENT_BOUNDED_H
#define GRADIENT_BOUNDED_H

#include "prior/projections.h"
#include "prior/whole_covariance.h"

/* Memory for estimates of samples of so many entries, scratch of the hook. */
typedef struct bounded_room {
    evidence evidence;
    double *variance;
} bounded_room;
int bounded_room_make(bounded_room *b, const gnt_host *host, int64_t features); /* 0: memory ran out */

/* Estimates the sample roughly: each interval counts as an observation of its middle, with the variance of
 * a uniform law (and of zeros and ones). x: features. Allocates nothing. Returns 0, or −1 if numbers are
 * not finite. */
int bounded_guess(const sample_prior *p, const entry_bounds *e, bounded_room *b, prior_room *room, double *x);

/* Estimates the sample as the head says, in a few rounds over all entries and projections (NULL: none); at
 * last under the whole covariance, unless that is NULL. Known entries of x are exact, the others within
 * their bounds. Allocates nothing. GNT_OK, GNT_STOPPED, or GNT_FAILED if numbers are not finite, after
 * host->fail. */
gnt_status bounded_estimate(const sample_prior *p, const whole_covariance *whole, const gnt_host *host,
                            const entry_bounds *e, projections *also, bounded_room *b, prior_room *room,
                            double *x);

#endif
