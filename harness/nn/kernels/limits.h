/* limits: what this core can do at best, measured now: for judging times, never for results. */
#ifndef GNT_NN_LIMITS_H
#define GNT_NN_LIMITS_H

#include <stddef.h>

/* The best of loops of multiply-adds in float that live in registers, of the widest vectors that the CPU
 * has: no code computes faster. In flops a second, two to a multiply-add; about `seconds` long. */
double gnt_limit_flops(double seconds);
/* The best of a few matrix products of OpenBLAS in float (512³), in flops a second; about `seconds` long.
 * It is no limit: it depends on the kernels that OpenBLAS chose. 0 out of memory. */
double gnt_limit_product(double seconds);
/* The best of copies within `bytes` of memory (half is read, half is written), in bytes read and written a
 * second. */
double gnt_limit_bytes(size_t bytes, double seconds);

#endif
