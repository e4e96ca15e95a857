/* thin: products of matrices in float where one axis is a batch of a few samples: of a dense layer, with
 * weights w (outs × ins), x (batch × ins) and dy (batch × outs)
 *
 *   y = x·wᵀ        dx = dy·w        dw = dyᵀ·x
 *
 * Weights are read where they are; a library would copy them into another order first. */
#ifndef GNT_NN_THIN_H
#define GNT_NN_THIN_H

#include <stddef.h>

#include "nn/kernels/kernels.h"

/* Returns the bytes of scratch for a product of this kind, 0 where it is not one or a library is faster. */
size_t gnt_thin_scratch(const gnt_gemm *s);
/* Computes c (m × n) from op(a) (m × k) and op(b) (k × n). `scratch` is aligned to 64. */
void gnt_thin_product(float *c, const float *a, const float *b, void *scratch, const gnt_gemm *s);

/* The same by one instruction set, which the processor must have. */
typedef size_t gnt_thin_scratch_kernel(const gnt_gemm *s);
typedef void gnt_thin_kernel(float *c, const float *a, const float *b, void *scratch, const gnt_gemm *s);
gnt_thin_scratch_kernel gnt_thin_scratch_avx512, gnt_thin_scratch_avx2;
gnt_thin_kernel gnt_thin_product_avx512, gnt_thin_product_avx2;

#endif
