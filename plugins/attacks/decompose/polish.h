/* polish: images and weights together, by Adam on the mean of (|e| − |W·P|)², from where EM left them. For
 * encodings of private images alone: public partners would be fitted as if they were private. */
#ifndef DECOMPOSE_POLISH_H
#define DECOMPOSE_POLISH_H

#include "mix.h"

/* Weights that are 0 stay 0. The better of start and end, by that mean, is kept.
 * *before and *after: the mean. */
gnt_status dec_polish(dec_mix *x, const dec_law *law, int64_t steps, double rate, double *before,
                      double *after);

#endif
