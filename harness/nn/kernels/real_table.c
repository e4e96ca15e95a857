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
    .conv_scratch = NAME(conv_scratch),
    .conv = NAME(conv),
    .conv_dx = NAME(conv_dx),
    .conv_dw = NAME(conv_dw),
    .gram_scratch = NAME(gram_scratch),
    .gram = NAME(gram),
    .gram_dx = NAME(gram_dx),
    .max_index = NAME(max_index),
    .avg_pool = NAME(avg_pool),
    .avg_pool_dx = NAME(avg_pool_dx),
    .log_sum_exp = NAME(log_sum_exp),
    .argmax = NAME(argmax),
    .gather = NAME(gather),
    .scatter = NAME(scatter),
    .plain_gemm = NAME(plain_gemm),
    .plain_conv = NAME(plain_conv),
    .plain_conv_dx = NAME(plain_conv_dx),
    .plain_conv_dw = NAME(plain_conv_dw),
};

const gnt_kernels *NAME(kernels)(void) {
    return &table;
}
