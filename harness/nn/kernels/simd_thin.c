/* thin: products with a batch of a few samples, as in thin.h.
 *
 * y and dx: the lanes of a vector are samples. With x turned, t[i][sample], outputs o take
 *   u[o][sample] = Σ_i w(o, i)·t[i][sample]
 * where w(o, i) is broadcast from where it is; u is turned at the end. Sums run in pieces that are added up
 * in turn.
 *
 * dw: the lanes are neighbouring weights of an output, a sum over the batch. */
#include <string.h>

#include "nn/kernels/thin.h"
#include "nn/kernels/turn.h"
#include "nn/kernels/vec.h"

enum {
    LEAST_BATCH = 8,
    MOST_BATCH = 32,
    HIGH = WIDE ? 12 : 6, /* outputs of a tile of one or two vectors of samples */
    DW_HIGH = WIDE ? 6 : 4,
    DW_ACROSS = WIDE ? 4 : 3,
    PIECE = 64,        /* terms of a sum that are added up at once */
    SIDE_BY_SIDE = 48, /* outputs whose weights are copied together: a multiple of HIGH and of a cache line */
    PAGE = 1024,       /* entries: vectors so far apart are in the same places of the L1 cache */
    LEAST_AXIS = 64,
    LEAST_WEIGHTS = 1 << 14,
    MOST_OF_BLAS = 1000000 /* products for which OpenBLAS has kernels without copies, with AVX-512 */
};

static int64_t least(int64_t a, int64_t b) {
    return a < b ? a : b;
}

static int64_t whole(int64_t n) {
    return (n + V - 1) / V * V;
}

/* ---- y and dx ---- */

/* Where w(o, i) is: at o·output + i·input. */
typedef struct weights {
    const float *w;
    int64_t output, input;
} weights;

/* Computes T outputs of G vectors of samples over n terms; u and t have `step` entries for each output and
 * input. */
VEC_INLINE void tile(const int T, const int G, float *u, const float *t, int64_t step, const float *w,
                     const weights *p, int64_t n, int adds) {
    vec sum[HIGH][2], v[2];
    for (int o = 0; o < T; o++)
        for (int g = 0; g < G; g++)
            sum[o][g] = vec_zero();
    for (int64_t i = 0; i < n; i++, t += step, w += p->input) {
        for (int g = 0; g < G; g++)
            v[g] = vec_load(t + g * V);
        for (int o = 0; o < T; o++) {
            const vec a = vec_all(w[o * p->output]);
            for (int g = 0; g < G; g++)
                sum[o][g] = vec_fma(a, v[g], sum[o][g]);
        }
    }
    for (int o = 0; o < T; o++)
        for (int g = 0; g < G; g++) {
            float *to = u + o * step + g * V;
            vec_store(to, adds ? vec_load(to) + sum[o][g] : sum[o][g]);
        }
}

typedef void (*tile_fn)(float *u, const float *t, int64_t step, const float *w, const weights *p, int64_t n,
                        int adds);
#define TILE(T, G)                                                                                           \
    static void tile_##T##_##G(float *u, const float *t, int64_t step, const float *w, const weights *p,     \
                               int64_t n, int adds) {                                                        \
        tile(T < HIGH ? T : HIGH, G, u, t, step, w, p, n, adds);                                             \
    }
#define TILES(T) TILE(T, 1) TILE(T, 2)
TILES(1)
TILES(2)
TILES(3)
TILES(4)
TILES(5)
TILES(6)
TILES(7)
TILES(8)
TILES(9)
TILES(10)
TILES(11)
TILES(12)
#define ROW(T)                                                                                               \
    { tile_##T##_1, tile_##T##_2 }
static const tile_fn tile_of[12][2] = {ROW(1), ROW(2), ROW(3), ROW(4),  ROW(5),  ROW(6),
                                       ROW(7), ROW(8), ROW(9), ROW(10), ROW(11), ROW(12)};

/* Computes n terms of `outs` outputs over `step` samples. */
static void add_terms(float *u, const float *t, int64_t step, const float *w, const weights *p, int64_t outs,
                      int64_t n, int adds) {
    for (int64_t o = 0, high; o < outs; o += high) {
        const int64_t tiles = (outs - o + HIGH - 1) / HIGH; /* as even as may be */
        high = (outs - o + tiles - 1) / tiles;
        for (int64_t s = 0; s < step; s += 2 * V)
            tile_of[high - 1][least(step - s, 2 * V) / V - 1](u + o * step + s, t + s, step,
                                                              w + o * p->output, p, n, adds);
    }
}

/* Copies n rows of SIDE_BY_SIDE entries or fewer. */
static void copy_rows(float *to, const float *w, int64_t step, int64_t n, int64_t wide) {
    for (int64_t k = 0; k < n; k++, to += SIDE_BY_SIDE, w += step)
        if (wide < SIDE_BY_SIDE)
            memcpy(to, w, (size_t)wide * sizeof *w);
        else
            for (int64_t q = 0; q < SIDE_BY_SIDE; q += V)
                vec_store(to + q, vec_load(w + q));
}

/* Computes c (batch × outs) from a (batch × ins). Where rows of weights displace one another before the rest
 * of a cache line is read, they are read from a copy. */
static void forward(float *c, const float *a, const weights *p, float *scratch, int64_t batch, int64_t outs,
                    int64_t ins) {
    const int64_t step = whole(batch);
    float *t = scratch, *u = t + ins * step, *block = u + outs * step;
    const weights copied = {block, 1, SIDE_BY_SIDE};
    const int displaced = !WIDE && p->output == 1 && p->input % PAGE == 0;
    if (batch < step)
        memset(t, 0, (size_t)(ins * step) * sizeof *t);
    SIMD(gnt_turn)(t, step, a, ins, batch, ins);
    for (int64_t i = 0; i < ins; i += PIECE) {
        const int64_t n = least(PIECE, ins - i);
        const float *w = p->w + i * p->input;
        if (!displaced) {
            add_terms(u, t + i * step, step, w, p, outs, n, i > 0);
            continue;
        }
        for (int64_t o = 0; o < outs; o += SIDE_BY_SIDE) {
            const int64_t wide = least(SIDE_BY_SIDE, outs - o);
            copy_rows(block, w + o, p->input, n, wide);
            add_terms(u + o * step, t + i * step, step, block, &copied, wide, n, i > 0);
        }
    }
    SIMD(gnt_turn)(c, outs, u, step, outs, batch);
}

/* ---- dw ---- */

/* Computes T rows of A vectors of c: sums over `batch` of t[o][sample]·x[sample]. */
VEC_INLINE void dw_tile(const int T, const int A, float *c, int64_t n, const float *t, int64_t step,
                        const float *x, int64_t x_step, int64_t batch) {
    vec sum[DW_HIGH][DW_ACROSS], v[DW_ACROSS];
    for (int o = 0; o < T; o++)
        for (int a = 0; a < A; a++)
            sum[o][a] = vec_zero();
    for (int64_t s = 0; s < batch; s++, x += x_step) {
        for (int a = 0; a < A; a++)
            v[a] = vec_load(x + a * V);
        for (int o = 0; o < T; o++) {
            const vec d = vec_all(t[o * step + s]);
            for (int a = 0; a < A; a++)
                sum[o][a] = vec_fma(d, v[a], sum[o][a]);
        }
    }
    for (int o = 0; o < T; o++)
        for (int a = 0; a < A; a++)
            vec_store(c + o * n + a * V, sum[o][a]);
}

typedef void (*dw_fn)(float *c, int64_t n, const float *t, int64_t step, const float *x, int64_t x_step,
                      int64_t batch);
#define DW(T, A)                                                                                             \
    static void dw_##T##_##A(float *c, int64_t n, const float *t, int64_t step, const float *x,              \
                             int64_t x_step, int64_t batch) {                                                \
        dw_tile(T < DW_HIGH ? T : DW_HIGH, A < DW_ACROSS ? A : DW_ACROSS, c, n, t, step, x, x_step, batch);  \
    }
#define DWS(T) DW(T, 1) DW(T, 2) DW(T, 3) DW(T, 4)
DWS(1)
DWS(2)
DWS(3)
DWS(4)
DWS(5)
DWS(6)
#define DW_ROW(T)                                                                                            \
    { dw_##T##_1, dw_##T##_2, dw_##T##_3, dw_##T##_4 }
static const dw_fn dw_of[6][4] = {DW_ROW(1), DW_ROW(2), DW_ROW(3), DW_ROW(4), DW_ROW(5), DW_ROW(6)};

/* Computes c (outs × ins, a multiple of V) from a (batch × outs) and b (batch × ins). */
static void product_of_columns(float *c, const float *a, const float *b, float *scratch, int64_t batch,
                               int64_t outs, int64_t ins) {
    float *t = scratch, *x = t + outs * MOST_BATCH;
    SIMD(gnt_turn)(t, MOST_BATCH, a, outs, batch, outs);
    for (int64_t i = 0, across; i < ins; i += across * V) {
        const int64_t left = (ins - i) / V, parts = (left + DW_ACROSS - 1) / DW_ACROSS;
        across = (left + parts - 1) / parts;
        for (int64_t s = 0; s < batch; s++)
            memcpy(x + s * across * V, b + s * ins + i, (size_t)(across * V) * sizeof *x);
        for (int64_t o = 0, high; o < outs; o += high) {
            const int64_t tiles = (outs - o + DW_HIGH - 1) / DW_HIGH;
            high = (outs - o + tiles - 1) / tiles;
            dw_of[high - 1][across - 1](c + o * ins + i, ins, t + o * MOST_BATCH, MOST_BATCH, x, across * V,
                                        batch);
        }
    }
}

/* ---- supported shapes ---- */

/* Returns −1 where a product is none of these. */
static int64_t batch_of(const gnt_gemm *s) {
    const int64_t size = s->ta ? s->m * s->n : s->n * s->k;
    if ((s->ta && (s->tb || s->n % V)) || size < LEAST_WEIGHTS || s->n < LEAST_AXIS)
        return -1;
    return s->ta ? s->k : s->m;
}

size_t SIMD(gnt_thin_scratch)(const gnt_gemm *s) {
    const int64_t batch = batch_of(s);
    if (batch < LEAST_BATCH || batch > MOST_BATCH || (WIDE && s->m * s->n * s->k <= MOST_OF_BLAS))
        return 0;
    if (WIDE && !s->ta && !s->tb && batch < V) /* half of each vector would be empty */
        return 0;
    const int64_t n = s->ta ? s->m * MOST_BATCH + MOST_BATCH * DW_ACROSS * V
                            : (s->n + s->k) * whole(batch) + PIECE * SIDE_BY_SIDE;
    return (size_t)n * sizeof(float);
}

void SIMD(gnt_thin_product)(float *c, const float *a, const float *b, void *scratch, const gnt_gemm *s) {
    const weights p = {b, s->tb ? s->k : 1, s->tb ? 1 : s->n};
    if (s->ta)
        product_of_columns(c, a, b, scratch, s->k, s->m, s->n);
    else
        forward(c, a, &p, scratch, s->m, s->n, s->k);
}
