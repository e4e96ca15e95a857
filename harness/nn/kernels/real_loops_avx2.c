/* real_loops_avx2: the loops for processors with AVX2 and FMA. */
#include "nn/kernels/loops.h"
#include "nn/kernels/squares.h"

#include <math.h>
#include <string.h>

#ifdef GNT_LOOPS_X86
#pragma GCC target("avx2,fma")
#define LOOPS NAME(loops_avx2)
#ifndef GNT_REAL_F64
#define MAX_OF_SQUARES gnt_max_of_squares_avx2
#endif
#include "nn/kernels/loops_body.h"
#endif
