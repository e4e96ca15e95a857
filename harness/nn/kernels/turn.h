/* turn: transposition of a table of floats, in squares of as many vectors as a vector has entries. */
#ifndef GNT_NN_TURN_H
#define GNT_NN_TURN_H

#include <stdint.h>

/* Computes to[j·to_step + i] = from[i·from_step + j], i < rows, j < columns. Returns 0 without doing so where
 * kernels use no vectors of 256 bits or more. */
int gnt_turn(float *to, int64_t to_step, const float *from, int64_t from_step, int64_t rows, int64_t columns);

/* The same by one instruction set, which the processor must have. */
typedef void gnt_turn_kernel(float *to, int64_t to_step, const float *from, int64_t from_step, int64_t rows,
                             int64_t columns);
gnt_turn_kernel gnt_turn_avx512, gnt_turn_avx2, gnt_turn_any;

#endif
