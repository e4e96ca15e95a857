/* loops: the elementwise functions and the sums on one contiguous block, compiled for several instruction
 * sets. There is a table for each; the best one that this processor supports is chosen when a program runs.
 * Blocks may overlap only by being the same block. */
#ifndef GNT_NN_LOOPS_H
#define GNT_NN_LOOPS_H

#include "nn/kernels/real.h"

enum { GNT_LOOP_BLOCK = 32, GNT_LOOP_SQUARES = 16 };

typedef void (*NAME(loop))(real *y, const real *a, const real *b, int64_t n, real pa, real pb);

typedef struct NAME(loops) {
    NAME(loop) op[GNT_OP_COUNT]; /* by elementwise primitive; unary ones ignore b */
    void (*fill)(real *y, real value, int64_t n);
    double (*sum)(const real *x, int64_t n);
    double (*dot)(const real *a, const real *b, int64_t n);
    void (*add_to)(double *s, const real *x, int64_t n);                        /* s += x */
    void (*add_product_to)(double *s, const real *a, const real *b, int64_t n); /* s += a·b */
    /* Entry i of n belongs to entry i % low of the small side; low is 8 or 16 and divides n. */
    void (*tile)(real *y, const real *small, int64_t n, int64_t low);
    void (*add_tiles)(double *s, const real *a, const real *b, int64_t n, int64_t low); /* s += a, or a·b */
    /* y[q] += Σ w[i·kw + j]·x[q + i·down + j·right] over i < kh, j < kw, for q < n, a multiple of
     * GNT_LOOP_BLOCK. */
    void (*add_window)(real *y, const real *x, const real *w, int64_t kh, int64_t kw, int64_t down,
                       int64_t right, int64_t n);
    /* y[q]: the index into x of the greatest of its entries at, at + 1, at + down, at + down + 1, where `at`
     * grows by 2 from q to q + 1, for q < n. Ties go to the lowest index, and a NaN is the greatest. beyond:
     * where n is no multiple of GNT_LOOP_SQUARES, entries up to the next one are there too: to be read of x,
     * and of y to be overwritten. */
    void (*max_of_squares)(int32_t *y, const real *x, int32_t at, int32_t down, int64_t n, int beyond);
} NAME(loops);

extern const NAME(loops) NAME(loops_base);
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__)
#define GNT_LOOPS_X86 1
extern const NAME(loops) NAME(loops_avx2), NAME(loops_avx512);
#endif

const NAME(loops) * NAME(loops_best)(void);

#endif
