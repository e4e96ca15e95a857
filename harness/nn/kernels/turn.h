/* turn: transposition of a table of floats, in squares of sixteen vectors. */
#ifndef GNT_NN_TURN_H
#define GNT_NN_TURN_H

#include <stdint.h>

/* to[j·to_step + i] = from[i·from_step + j], i < rows, j < columns. 0 where the processor has no AVX-512:
 * nothing is done then. */
int gnt_turn(float *to, int64_t to_step, const float *from, int64_t from_step, int64_t rows, int64_t columns);

#endif
