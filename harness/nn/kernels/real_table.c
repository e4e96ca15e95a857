/* real_table: the kernel table of one precision. */
#include "nn/kernels/real.h"

static const gnt_kernels table = {
    .size = sizeof(real),
    .fill = NAME(fill),
    .load = NAME(load),
    .unary = NAME(unary),
    .binary = NAME(binary),
    .chain = NAME(fused_chain),
    .move = NAME(move),
    .sum = NAME(sum),
    .gemm = NAME(gemm),
    .max_index = NAME(max_index),
    .avg_pool = NAME(avg_pool),
    .avg_pool_dx = NAME(avg_pool_dx),
    .log_sum_exp = NAME(log_sum_exp),
    .argmax = NAME(argmax),
    .gather = NAME(gather),
    .scatter = NAME(scatter),
    .plain_gemm = NAME(plain_gemm),
};

const gnt_kernels *NAME(kernels)(void) {
    return &table;
}
