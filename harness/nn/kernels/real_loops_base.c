/* real_loops_base: the loops for any processor, and the choice among the others. */
#include "nn/kernels/loops.h"

#include <math.h>

#define LOOPS NAME(loops_base)
#include "nn/kernels/loops_body.h"

const NAME(loops) * NAME(loops_best)(void) {
#ifdef GNT_LOOPS_X86
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
        __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl"))
        return &NAME(loops_avx512);
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))
        return &NAME(loops_avx2);
#endif
    return &NAME(loops_base);
}
