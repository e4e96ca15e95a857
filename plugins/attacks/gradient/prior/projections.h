/* projections: what is known of linear combinations of a sample's entries, in addition to bounds of the
 * entries.
 *
 * s_j = ⟨row_j, x⟩ is known or lies between bounds, such as a hidden unit's input before ReLU. Under a
 * normal law of x with mean m and covariance Σ, normal factors N(pull_j/precision_j, 1/precision_j) on the
 * s_j change both to
 *   m' = m + G (ν − K (R m + M ν)),  Σ' = Σ − G K Gᵀ, R the rows, G = Σ Rᵀ, M = R G, T the precisions, ν
 *   the pulls, K = (T⁻¹ + M)⁻¹ (Woodbury). */
#ifndef GRADIENT_PROJECTIONS_H
#define GRADIENT_PROJECTIONS_H

#include "prior/entry_bounds.h"
#include "prior/sample_prior.h"

typedef struct projections {
    int64_t n, features;
    double *row;             /* n × features */
    entry_bounds bounds;     /* of s, n entries; zeros and ones are 0 */
    evidence evidence;       /* the normal factors, n */
    double *mean, *variance; /* n: of s under x's law, with all factors */
    double *spread;          /* n × features: Gᵀ */
    double *inner, *factor;  /* n × n: M; the Cholesky factor of 1 + T½ M T½ */
    double *room, *reduced;  /* n; n × features */
} projections;

/* Allocates n of them, scratch of the hook; all of `row` and of the bounds is 0. Returns 0 when memory ran
 * out. */
int projections_make(projections *p, const gnt_host *host, int64_t n, int64_t features);

/* Applies the factors to the mean x and, unless NULL, to each entry's variance that sample_prior_apply
 * computed from `e` in this room; sets the mean and variance of each s. Allocates nothing. Returns 0, or −1
 * if numbers are not finite. */
int projections_apply(projections *p, const sample_prior *prior, const evidence *e, prior_room *room,
                      double *x, double *variance);

/* Moves x, which meets bounds of its entries, towards the projections that are known, where the covariance
 * of the last projections_apply leaves room. */
void projections_meet(projections *p, double *x);

/* Applies them to another mean x, by the covariance of the last projections_apply. */
void projections_correct(projections *p, double *x);

#endif
