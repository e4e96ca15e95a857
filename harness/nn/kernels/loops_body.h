/* loops_body: the loops themselves, written so that the compiler turns them into vector code. Included once
 * for each instruction set, after the target pragma; defines the table LOOPS.
 *
 * The order of a sum is fixed by n alone, whatever the width of the vectors: LANES running sums, added up
 * pairwise. In float each running sum takes at most STRETCH entries before it moves into a double. */

#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC optimize("O3")
#define INDEPENDENT _Pragma("GCC ivdep")
#else
#define INDEPENDENT
#endif

#include "nn/kernels/loops_math.h"

#define UNARY(name, expression)                                                                              \
    static void name(real *y, const real *x, const real *unused, int64_t n, real pa, real pb) {              \
        (void)unused, (void)pa, (void)pb;                                                                    \
        INDEPENDENT                                                                                          \
        for (int64_t i = 0; i < n; i++) {                                                                    \
            real v = x[i];                                                                                   \
            y[i] = (expression);                                                                             \
        }                                                                                                    \
    }

#define BINARY(name, expression)                                                                             \
    static void name(real *y, const real *a, const real *b, int64_t n, real pa, real pb) {                   \
        (void)pa, (void)pb;                                                                                  \
        INDEPENDENT                                                                                          \
        for (int64_t i = 0; i < n; i++) {                                                                    \
            real u = a[i], v = b[i];                                                                         \
            y[i] = (expression);                                                                             \
        }                                                                                                    \
    }

UNARY(loop_affine, pa *v + pb)
UNARY(loop_exp, real_exp(v))
UNARY(loop_log, real_log(v))
UNARY(loop_sqrt, real_sqrt(v + pa))
UNARY(loop_sigmoid, real_sigmoid(v))
UNARY(loop_tanh, real_tanh(v))
UNARY(loop_erf, real_erf(v))
UNARY(loop_softplus, real_softplus(v))
UNARY(loop_relu, v <= 0 ? 0 : v)
UNARY(loop_leaky_relu, v <= 0 ? pa * v : v)
UNARY(loop_step, v > 0 ? (real)1 : (real)0)
UNARY(loop_sign, (v > 0 ? (real)1 : (real)0) - (v < 0 ? (real)1 : (real)0))
UNARY(loop_abs, v < 0 ? -v : v + 0)
BINARY(loop_add, u + v)
BINARY(loop_sub, u - v)
BINARY(loop_mul, u *v)
BINARY(loop_div, u / v)

static void loop_fill(real *y, real value, int64_t n) {
    for (int64_t i = 0; i < n; i++)
        y[i] = value;
}

enum { LANES = 32, STRETCH = 32 };

static double fold(const double *s) {
    double t[LANES];
    for (int l = 0; l < LANES; l++)
        t[l] = s[l];
    for (int half = LANES / 2; half > 0; half /= 2)
        for (int l = 0; l < half; l++)
            t[l] += t[l + half];
    return t[0];
}

/* TERM is summand i. */
#define SUM_BODY(TERM)                                                                                       \
    double total[LANES] = {0}, rest = 0;                                                                     \
    int64_t i0 = 0;                                                                                          \
    while (n - i0 >= LANES) {                                                                                \
        int64_t rounds = (n - i0) / LANES;                                                                   \
        real s[LANES] = {0};                                                                                 \
        if (rounds > STRETCH)                                                                                \
            rounds = STRETCH;                                                                                \
        for (int64_t k = 0; k < rounds; k++, i0 += LANES)                                                    \
            for (int l = 0; l < LANES; l++) {                                                                \
                int64_t i = i0 + l;                                                                          \
                s[l] += (TERM);                                                                              \
            }                                                                                                \
        for (int l = 0; l < LANES; l++)                                                                      \
            total[l] += (double)s[l];                                                                        \
    }                                                                                                        \
    for (int64_t i = i0; i < n; i++)                                                                         \
        rest += (double)(TERM);                                                                              \
    return fold(total) + rest

static double loop_sum(const real *x, int64_t n) {
    SUM_BODY(x[i]);
}

static double loop_dot(const real *a, const real *b, int64_t n) {
    SUM_BODY(a[i] * b[i]);
}

static void loop_add_to(double *s, const real *x, int64_t n) {
    INDEPENDENT
    for (int64_t i = 0; i < n; i++)
        s[i] += (double)x[i];
}

static void loop_add_product_to(double *s, const real *a, const real *b, int64_t n) {
    INDEPENDENT
    for (int64_t i = 0; i < n; i++)
        s[i] += (double)(a[i] * b[i]);
}

static void loop_tile(real *y, const real *small, int64_t n, int64_t low) {
    real v[16];
    for (int l = 0; l < 16; l++)
        v[l] = small[l % low];
    int64_t i = 0;
    for (; i + 16 <= n; i += 16)
        for (int l = 0; l < 16; l++)
            y[i + l] = v[l];
    for (int l = 0; i < n; i++, l++)
        y[i] = v[l];
}

/* SUM_BODY without adding up the running sums: sum l is of entries l, l + LANES, … */
#define TILES_BODY(TERM)                                                                                     \
    int64_t i0 = 0;                                                                                          \
    while (n - i0 >= LANES) {                                                                                \
        int64_t rounds = (n - i0) / LANES;                                                                   \
        real t[LANES] = {0};                                                                                 \
        if (rounds > STRETCH)                                                                                \
            rounds = STRETCH;                                                                                \
        for (int64_t k = 0; k < rounds; k++, i0 += LANES)                                                    \
            for (int l = 0; l < LANES; l++) {                                                                \
                int64_t i = i0 + l;                                                                          \
                t[l] += (TERM);                                                                              \
            }                                                                                                \
        for (int l = 0; l < LANES; l++)                                                                      \
            total[l] += (double)t[l];                                                                        \
    }                                                                                                        \
    for (int64_t i = i0; i < n; i++)                                                                         \
    total[i - i0] += (double)(TERM)

static void sum_tiles(double *total, const real *a, int64_t n) {
    TILES_BODY(a[i]);
}

static void dot_tiles(double *total, const real *a, const real *b, int64_t n) {
    TILES_BODY(a[i] * b[i]);
}

static void loop_add_tiles(double *s, const real *a, const real *b, int64_t n, int64_t low) {
    double total[LANES] = {0};
    if (b)
        dot_tiles(total, a, b, n);
    else
        sum_tiles(total, a, n);
    for (int64_t l = 0; l < LANES; l++)
        s[l % low] += total[l];
}

static void loop_add_window(real *y, const real *x, const real *w, int64_t kh, int64_t kw, int64_t down,
                            int64_t right, int64_t n) {
    for (int64_t q = 0; q < n; q += GNT_LOOP_BLOCK) {
        real s[GNT_LOOP_BLOCK];
        for (int l = 0; l < GNT_LOOP_BLOCK; l++)
            s[l] = y[q + l];
        for (int64_t i = 0; i < kh; i++)
            for (int64_t j = 0; j < kw; j++) {
                const real *a = x + q + i * down + j * right;
                real tap = w[i * kw + j];
                for (int l = 0; l < GNT_LOOP_BLOCK; l++)
                    s[l] += tap * a[l];
            }
        for (int l = 0; l < GNT_LOOP_BLOCK; l++)
            y[q + l] = s[l];
    }
}

#ifndef MAX_OF_SQUARES
#define MAX_OF_SQUARES loop_max_of_squares

/* Selects of_v if v is greater than u, else of_u; of equal ones u's. */
#define OF_GREATER(u, v, of_u, of_v) ((u) != (u) ? (of_u) : (v) > (u) || (v) != (v) ? (of_v) : (of_u))

enum { SQUARES = GNT_LOOP_SQUARES };

/* Computes SQUARES entries of y. Branches on such values cannot be predicted; the compiler makes none in this
 * form, but for entries that are left over of a vector, of which a fixed number leaves none. */
static void find_squares(int32_t *y, const real *above, const real *below, int32_t at, int32_t down) {
    INDEPENDENT
    for (int32_t q = 0; q < SQUARES; q++) {
        const real a = above[2 * q], b = above[2 * q + 1], c = below[2 * q], d = below[2 * q + 1];
        const int32_t here = at + 2 * q, under = here + down;
        const real u = OF_GREATER(a, b, a, b), v = OF_GREATER(c, d, c, d);
        const int32_t i = OF_GREATER(a, b, here, here + 1), j = OF_GREATER(c, d, under, under + 1);
        y[q] = OF_GREATER(u, v, i, j);
    }
}

static void loop_max_of_squares(int32_t *y, const real *x, int32_t at, int32_t down, int64_t n, int beyond) {
    const real *above = x + at, *below = above + down;
    for (; n >= SQUARES || (beyond && n > 0); n -= SQUARES, y += SQUARES, at += 2 * SQUARES) {
        find_squares(y, above, below, at, down);
        above += 2 * SQUARES;
        below += 2 * SQUARES;
    }
    if (n > 0) {
        real rest[2][2 * SQUARES] = {{0}};
        int32_t last[SQUARES];
        memcpy(rest[0], above, (size_t)n * 2 * sizeof **rest);
        memcpy(rest[1], below, (size_t)n * 2 * sizeof **rest);
        find_squares(last, rest[0], rest[1], at, down);
        memcpy(y, last, (size_t)n * sizeof *y);
    }
}
#endif

const NAME(loops) LOOPS = {
    .op = {[GNT_OP_AFFINE] = loop_affine,
           [GNT_OP_EXP] = loop_exp,
           [GNT_OP_LOG] = loop_log,
           [GNT_OP_SQRT] = loop_sqrt,
           [GNT_OP_SIGMOID] = loop_sigmoid,
           [GNT_OP_TANH] = loop_tanh,
           [GNT_OP_ERF] = loop_erf,
           [GNT_OP_SOFTPLUS] = loop_softplus,
           [GNT_OP_RELU] = loop_relu,
           [GNT_OP_LEAKY_RELU] = loop_leaky_relu,
           [GNT_OP_STEP] = loop_step,
           [GNT_OP_SIGN] = loop_sign,
           [GNT_OP_ABS] = loop_abs,
           [GNT_OP_ADD] = loop_add,
           [GNT_OP_SUB] = loop_sub,
           [GNT_OP_MUL] = loop_mul,
           [GNT_OP_DIV] = loop_div},
    .fill = loop_fill,
    .sum = loop_sum,
    .dot = loop_dot,
    .add_to = loop_add_to,
    .add_product_to = loop_add_product_to,
    .tile = loop_tile,
    .add_tiles = loop_add_tiles,
    .add_window = loop_add_window,
    .max_of_squares = MAX_OF_SQUARES,
};
