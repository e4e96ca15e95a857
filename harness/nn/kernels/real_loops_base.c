/* real_loops_base: the loops for any processor, and the choice among the others. */
#include "nn/kernels/loops.h"

#include <math.h>
#include <string.h>

#include "nn/kernels/cpu.h"

#define LOOPS NAME(loops_base)
#include "nn/kernels/loops_body.h"

const NAME(loops) * NAME(loops_best)(void) {
#ifdef GNT_LOOPS_X86
    if (gnt_cpu_has_avx512())
        return &NAME(loops_avx512);
    if (gnt_cpu_has_avx2())
        return &NAME(loops_avx2);
#endif
    return &NAME(loops_base);
}
