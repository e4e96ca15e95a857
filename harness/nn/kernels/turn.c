#include "nn/kernels/turn.h"

#include "nn/kernels/cpu.h"

int gnt_turn(float *to, int64_t to_step, const float *from, int64_t from_step, int64_t rows,
             int64_t columns) {
#ifdef __x86_64__
    if (gnt_cpu_has_avx512())
        gnt_turn_avx512(to, to_step, from, from_step, rows, columns);
    else if (gnt_cpu_has_avx2())
        gnt_turn_avx2(to, to_step, from, from_step, rows, columns);
    else
        return 0;
    return 1;
#else
    (void)to, (void)to_step, (void)from, (void)from_step, (void)rows, (void)columns;
    return 0;
#endif
}
