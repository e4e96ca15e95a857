/* ranks: does one sample lie above another? The rank sum test (Wilcoxon, Biometrics Bulletin 1, 1945; Mann
 * and Whitney 1947): if both are draws of the same thing, every choice of ranks for the first is as likely as
 * any other. No law of the scores is assumed. */
#ifndef GNT_GATE_RANKS_IMPL_H
#define GNT_GATE_RANKS_IMPL_H

#include "gate/evidence.h"

/* Computes P(the rank sum of `now` is at least the observed one), after the scores of `now` are moved by
 * `tolerance` towards those of `before`: down for sign 1, to test if now lies above; up for sign −1, to test
 * if it lies below. Ties get the mean of their ranks. Exact up to 50 scores in all; beyond that the normal
 * law with the variance that the ties leave, and a correction for continuity. −1 when out of memory. */
int gnt_rank_sum_tail(const gnt_sample *now, const gnt_sample *before, double tolerance, int sign, double *p);
/* Returns the smallest possible p: one over the number of choices. */
double gnt_rank_sum_least(size_t n, size_t m);

#endif
