/* polish: improves images and weights together, by Adam on the mean of (|e| − |W·P|)², starting from the
 * result of EM. Only for encodings of private images: public partners would be fitted as if they were
 * private. */
#ifndef DECOMPOSE_POLISH_H
#define DECOMPOSE_POLISH_H

#include "mix.h"

/* Polishes x; weights that are 0 stay 0. Keeps the better of start and end, by that mean. *before and *after:
 * the mean. */
gnt_status dec_polish(dec_mix *x, const dec_law *law, int64_t steps, double rate, double *before,
                      double *after);

#endif
