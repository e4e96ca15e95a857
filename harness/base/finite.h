/* finite: finds a value of an array that is not finite, at the speed of memory. */
#ifndef GNT_BASE_FINITE_H
#define GNT_BASE_FINITE_H

#include <stdint.h>

/* Returns the index of the first of n values that is NaN or infinite; n if all are finite. */
int64_t gnt_first_not_finite(const float *x, int64_t n);

#endif
