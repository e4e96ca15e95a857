/* limits: the best rates of this core, measured now; for judging times, never for results. */
#ifndef GNT_NN_LIMITS_H
#define GNT_NN_LIMITS_H

#include <stddef.h>

/* Returns the best rate of multiply-adds in float in registers, with the CPU's widest vectors: no code is
 * faster. In flops a second, two for a multiply-add; takes about `seconds`. */
double gnt_limit_flops(double seconds);
/* Returns the best rate of a few matrix products of OpenBLAS in float (512³), in flops a second; takes about
 * `seconds`. Not a limit: it depends on the kernels that OpenBLAS chose. 0 when out of memory or
 * without OpenBLAS. */
double gnt_limit_product(double seconds);
/* Returns the best rate of copies within `bytes` of memory (half read, half written), in bytes read and
 * written a second. */
double gnt_limit_bytes(size_t bytes, double seconds);

#endif
