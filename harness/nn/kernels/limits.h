/* limits: what this core can do at best, measured now: for judging times, never for results. */
#ifndef GNT_NN_LIMITS_H
#define GNT_NN_LIMITS_H

#include <stddef.h>

/* The best of a few matrix products of OpenBLAS in float, in flops a second; about `seconds` long. 0 out of memory. */
double gnt_limit_flops(double seconds);
/* The best of copies within `bytes` of memory (half is read, half is written), in bytes read and written a second. */
double gnt_limit_bytes(size_t bytes, double seconds);

#endif
