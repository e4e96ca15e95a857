/* real: included by the real_*.c files, each compiled once for float and once for double (-DGNT_REAL_F64). */
#ifndef GNT_NN_REAL_H
#define GNT_NN_REAL_H

#include "nn/kernels/kernels.h"

#ifdef GNT_REAL_F64
typedef double real;
#define NAME(x) gnt_##x##_f64
#else
typedef float real;
#define NAME(x) gnt_##x##_f32
#endif

void NAME(fill)(void *y, double value, int64_t n);
void NAME(load)(void *y, const double *x, int64_t n);
void NAME(unary)(int op, void *y, const void *x, int64_t n, double a, double b);
void NAME(binary)(int op, void *y, const void *a, const void *b, int64_t n);
void NAME(fused_chain)(const gnt_fused_chain *c, void *const *at, void **place, void *scratch);
void NAME(move)(void *y, const void *x, const gnt_move *m);
void NAME(sum)(void *y, const void *x, const gnt_reduce *r);
/* Computes c = op(a)·op(b) + beta·c, as gnt_gemm. */
void NAME(multiply)(int ta, int tb, int64_t m, int64_t n, int64_t k, const real *a, const real *b, real beta,
                    real *c);
void NAME(gemm)(void *c, const void *a, const void *b, const gnt_gemm *s);
void NAME(max_index)(int32_t *y, const void *x, const gnt_pool *s);
void NAME(avg_pool)(void *y, const void *x, const gnt_pool *s);
void NAME(avg_pool_dx)(void *dx, const void *dy, const gnt_pool *s);
void NAME(log_sum_exp)(void *y, const void *x, const gnt_rows *s);
void NAME(argmax)(int32_t *y, const void *x, const gnt_rows *s);
void NAME(gather)(void *y, const void *x, const int32_t *index, const gnt_rows *s);
void NAME(scatter)(void *y, const void *x, const int32_t *index, const gnt_rows *s);
void NAME(plain_gemm)(void *c, const void *a, const void *b, const gnt_gemm *s);

#endif
