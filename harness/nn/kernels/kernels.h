/* kernels: all computation on entries except convolutions, behind one table for each precision. Buffers are
 * row-major and may have any alignment; sizes were checked when the graph was built. No kernel allocates:
 * scratch comes from the planner. `real` below is float or double, depending on the table. Outputs come
 * first, then inputs, then sizes. */
#ifndef GNT_NN_KERNELS_H
#define GNT_NN_KERNELS_H

#include <stddef.h>
#include <stdint.h>

#include "nn/graph/graph.h"

/* Computes y[to_at + Σ iₖ·to[k]] = x[from_at + Σ iₖ·from[k]] over all i below dim: expand (from 0), permute,
 * slice, pad and concat are all this. */
typedef struct gnt_move {
    int32_t rank;
    int64_t dim[GNT_NN_RANK], from[GNT_NN_RANK], to[GNT_NN_RANK];
    int64_t from_at, to_at;
} gnt_move;

/* A sum over the axes with reduced[k]; the others stay, in order. */
typedef struct gnt_reduce {
    int32_t rank;
    int64_t dim[GNT_NN_RANK];
    uint8_t reduced[GNT_NN_RANK];
} gnt_reduce;

/* c = op(a)·op(b), c is m×n, inner size k. */
typedef struct gnt_gemm {
    int32_t ta, tb;
    int64_t m, n, k;
} gnt_gemm;

/* planes × h × w → planes × oh × ow */
typedef struct gnt_pool {
    int64_t planes, h, w, oh, ow, kh, kw, sh, sw, ph, pw;
    int32_t count_pad;
} gnt_pool;

/* rows × n against rows × m */
typedef struct gnt_rows {
    int64_t rows, n, m;
} gnt_rows;

/* A chain: elementwise functions of one flat index, computed block by block so that intermediate values stay
 * in the L1 cache. Its operands are slots: whole vectors of n entries, single blocks of scratch, and the
 * sources and results of its two ways to change size. With a pattern (inner, mid, low), entry i of the vector
 * belongs to entry (i / inner) % mid · low + i % low of the small one; low is 1, or the 8 or 16 channels of a
 * block, and divides inner.
 *   SPREAD  y (scratch) = small a, repeated      SUM  small y = Σ a      DOT  small y = Σ a·b */
enum { GNT_FUSED_SPREAD = GNT_OP_COUNT, GNT_FUSED_SUM, GNT_FUSED_DOT };

typedef struct gnt_fused_op {
    int32_t op;      /* an elementwise gnt_op, or one of the above */
    int32_t y, a, b; /* slots; b −1 where there is none */
    double pa, pb;
    int64_t inner, mid, low;
    int64_t total; /* SUM, DOT: first of its running sums among the doubles of the scratch */
} gnt_fused_op;

typedef struct gnt_fused_slot {
    int32_t value;  /* of the program; −1: scratch */
    int32_t block;  /* scratch: which block */
    uint8_t moves;  /* 1: a vector of n entries, which is walked */
    uint8_t output; /* written here */
    int32_t first_op, last_op;
} gnt_fused_slot;

typedef struct gnt_fused_chain {
    int64_t n, block; /* entries in all, and at a time */
    int32_t n_ops, n_slots;
    gnt_fused_op *op;
    gnt_fused_slot *slot;
    int64_t totals; /* doubles of running sums, at the start of the scratch */
    int32_t blocks; /* blocks of scratch, after them */
} gnt_fused_chain;

typedef struct gnt_kernels {
    size_t size; /* of a real, in bytes */
    void (*fill)(void *y, double value, int64_t n);
    void (*load)(void *y, const double *x, int64_t n);
    void (*unary)(int op, void *y, const void *x, int64_t n, double a, double b);
    void (*binary)(int op, void *y, const void *a, const void *b, int64_t n);
    /* at: the values' entries; place: scratch for n_slots pointers */
    void (*chain)(const gnt_fused_chain *c, void *const *at, void **place, void *scratch);
    void (*move)(void *y, const void *x, const gnt_move *m);
    void (*sum)(void *y, const void *x, const gnt_reduce *r);
    void (*gemm)(void *c, const void *a, const void *b, const gnt_gemm *s);
    void (*max_index)(int32_t *y, const void *x, const gnt_pool *s);
    void (*avg_pool)(void *y, const void *x, const gnt_pool *s);
    void (*avg_pool_dx)(void *dx, const void *dy, const gnt_pool *s);
    void (*log_sum_exp)(void *y, const void *x, const gnt_rows *s);                   /* n → 1 */
    void (*argmax)(int32_t *y, const void *x, const gnt_rows *s);                     /* n → 1 */
    void (*gather)(void *y, const void *x, const int32_t *index, const gnt_rows *s);  /* n → m */
    void (*scatter)(void *y, const void *x, const int32_t *index, const gnt_rows *s); /* m → n */
    /* Plain loops that follow the definition, for tests to compare with. */
    void (*plain_gemm)(void *c, const void *a, const void *b, const gnt_gemm *s);
} gnt_kernels;

const gnt_kernels *gnt_kernels_f32(void);
const gnt_kernels *gnt_kernels_f64(void);

#endif
