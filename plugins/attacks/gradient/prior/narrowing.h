/* narrowing: by how much evidence narrows a prior, as a function of the evidence's precision.
 *
 * V(a) = ½ log det(1 + C·a·diag(unit)), C the covariance of a sample_prior. It is tabulated over log₂ a,
 * each node when it is first needed, with cubic interpolation between nodes. */
#ifndef GRADIENT_NARROWING_H
#define GRADIENT_NARROWING_H

#include "prior/sample_prior.h"

enum { NARROWING_NODES = 96 };

typedef struct narrowing {
    const sample_prior *prior;
    const double *unit; /* features: precision at a = 1 */
    double *precision;
    prior_room *room;
    double node[NARROWING_NODES]; /* NaN: not computed yet */
} narrowing;

/* Prepares an empty table; borrows prior and unit. Memory is the hook's scratch. Returns 0 when it ran
 * out. */
int narrowing_make(narrowing *v, const gnt_host *host, const sample_prior *prior, const double *unit);

/* Returns V(a); *slope: its derivative by a. Below 2⁻²⁴ and above 2⁶⁸ it counts as constant. */
double narrowing_at(narrowing *v, double a, double *slope);

#endif
