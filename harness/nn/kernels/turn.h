/* turn: transposition of a table of floats, in squares of sixteen vectors. */
#ifndef GNT_NN_TURN_H
#define GNT_NN_TURN_H

#include <stdint.h>

/* Computes to[j·to_step + i] = from[i·from_step + j], i < rows, j < columns. Returns 0 without doing so where
 * the processor has no AVX-512. */
int gnt_turn(float *to, int64_t to_step, const float *from, int64_t from_step, int64_t rows, int64_t columns);

#endif
