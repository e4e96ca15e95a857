/* contribution: how well an attacker estimates what single clients gave to a secure sum.
 *
 * An estimate v̂ of an entry v is off by |v̂ − v|/|v|, counted up to 1, which answering 0 gets: an attacker
 * that is further off knows nothing. A missing or not finite estimate is off by 1. The rank correlation
 * does not depend on the scale: it measures whether clients were put in their order. */
#ifndef GNT_METRIC_CONTRIBUTION_H
#define GNT_METRIC_CONTRIBUTION_H

#include <stddef.h>

#include "base/err.h"

/* Returns the relative error, in [0, 1]. usual: the size that stands for |v| where v is 0, such as the
 * entry's mean size over clients. */
double gnt_metric_relative_error(double estimate, double truth, double usual);

/* Computes Spearman's correlation of estimate and truth, ties sharing their ranks; a value that is not
 * finite takes the middle rank. 0 if all estimates are equal. *out is NaN where all truths are equal, or n
 * < 2: then there is no order to be found. */
int gnt_metric_rank_correlation(double *out, const double *estimate, const double *truth, size_t n,
                                gnt_err *err);

#endif
