/* squares: max_of_squares of loops.h in float, by one instruction set, which the processor must have. */
#ifndef GNT_NN_SQUARES_H
#define GNT_NN_SQUARES_H

#include <stdint.h>

typedef void gnt_squares_kernel(int32_t *y, const float *x, int32_t at, int32_t down, int64_t n, int beyond);
gnt_squares_kernel gnt_max_of_squares_avx512, gnt_max_of_squares_avx2, gnt_max_of_squares_any;

#endif
