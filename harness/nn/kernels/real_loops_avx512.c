/* real_loops_avx512: the loops for processors with AVX-512 F, DQ, BW and VL. */
#include "nn/kernels/loops.h"
#include "nn/kernels/squares.h"

#include <math.h>
#include <string.h>

#ifdef GNT_LOOPS_X86
#pragma GCC target("avx512f,avx512dq,avx512bw,avx512vl,avx2,fma,prefer-vector-width=512")
#define LOOPS NAME(loops_avx512)
#ifndef GNT_REAL_F64
#define MAX_OF_SQUARES gnt_max_of_squares_avx512
#endif
#include "nn/kernels/loops_body.h"
#endif
