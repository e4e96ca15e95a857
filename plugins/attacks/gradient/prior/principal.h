/* principal: fewer rows that say nearly as much, by subspace iteration. */
#ifndef GRADIENT_PRINCIPAL_H
#define GRADIENT_PRINCIPAL_H

#include "gauntlet/plugin.h"

/* Replaces the first m ≤ n of the n rows a (d entries each) by rows b for which bᵀb is nearly the best
 * approximation of aᵀa of rank m; leaves the others. If fewer than m are independent, or one is not
 * finite, it leaves all. GNT_OK, or a status after host->fail. */
gnt_status principal_rows(const gnt_host *host, float *a, int64_t n, int64_t d, int64_t m);

#endif
