/* principal: fewer rows that say nearly as much, by subspace iteration. */
#ifndef GRADIENT_PRINCIPAL_H
#define GRADIENT_PRINCIPAL_H

#include "gauntlet/plugin.h"

/* The first m of the n rows a (d entries each) become m rows b with bᵀb nearly the best approximation of aᵀa
 * that m rows can give; the others stay. m ≤ n. Where fewer than m are independent, or one is not finite, all
 * stay. GNT_OK, or a status after host->fail. */
gnt_status principal_rows(const gnt_host *host, float *a, int64_t n, int64_t d, int64_t m);

#endif
