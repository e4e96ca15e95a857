/* real_loops_avx2: the loops for processors with AVX2 and FMA. */
#include "nn/kernels/loops.h"

#include <math.h>
#include <string.h>

#ifdef GNT_LOOPS_X86
#pragma GCC target("avx2,fma")
#define LOOPS NAME(loops_avx2)
#include "nn/kernels/loops_body.h"
#endif
