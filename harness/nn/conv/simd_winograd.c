/* winograd: 3×3 convolutions with stride 1 in float, by F(2×2, 3×3), with activations in blocks of V channels
 * and weights that were rewritten before. Squares of 2×2 places of the result, each from
 * the 4×4 entries of the source under its windows (A. Lavin, S. Gray, Fast Algorithms for Convolutional
 * Neural Networks, 2016, section 4.1):
 *
 *   v = Bᵀ d B     u = G w Gᵀ     m[point] = Σ_channel u[point]·v[point]     y = Aᵀ m A
 *
 *        1  0 −1  0         1   0   0
 *   Bᵀ = 0  1  1  0     G = ½   ½   ½     Aᵀ = 1  1  1  0
 *        0 −1  1  0         ½  −½   ½          0  1 −1 −1
 *        0  1  0 −1         0   0   1
 *
 * that is 16 multiplications for 36. Some squares at a time, as many as stay in the L2 cache:
 * v[point][square][channel] of them, then for each point a product with u[point][block of
 * outputs][channel][V outputs], then y.
 *
 * conv_dx is the same over dy with windows reversed, channels exchanged and 2 − pad. conv_dw is the adjoint
 * in u: with d of the source and e of the result's derivative at each square,
 *
 *   dw = Gᵀ (Σ_square (A e Aᵀ)∘(Bᵀ d B)) G
 *
 * where the sums over the squares are products of the same kind, for each point and pair of channels.
 *
 * Its factors are 0, ±1 and ±1/2 and its sums are shorter than the direct ones, so its rounding error is
 * no larger than theirs, and forward passes may take it as well. */
#include <string.h>

#include "nn/conv/backends.h"
#include "nn/kernels/vec.h"

enum {
    POINTS = 16,
    MOST_SQUARES = WIDE ? 16 : 12,  /* of a tile of one block of outputs, whose weights are then read once */
    SQUARES_OF_TWO = WIDE ? 12 : 6, /* of one of two blocks */
    HAS_LARGER = V == 16,           /* whether oneDNN has F(4×4, 3×3) */
    /* where that takes longer: gradients by x of fewer pairs of channels, by the weights of as many */
    FEW_PAIRS = 64 * 64,
    MANY_PAIRS = 128 * 128,
    LEAST_PLACES = 16,  /* on weights that are rewritten once */
    MANY_PLACES = 1024, /* on others */
    /* entries of u that are prefetched: a page, at which the processor's own prefetching ends */
    AHEAD = 1 << 10,
    PIECE = 128,           /* channels that are added up at once */
    CHUNK = 1 << 12,       /* squares at a time × channels, where u stays in the L2 cache */
    LARGE_CHUNK = 1 << 14, /* where it does not, so that it is read fewer times */
    LARGE = 1 << 16        /* pairs of channels of such a u */
};

typedef struct shape {
    int64_t n, ins, outs; /* channels of the source and of the result */
    int64_t h, w, oh, ow, pad;
    int64_t down, across; /* squares of a plane */
    int64_t chunk;        /* squares at a time */
    /* from one point to the next; not powers of two, so that they do not share sets of the cache */
    int64_t v_step, m_step;
} shape;

static int64_t least(int64_t a, int64_t b) {
    return a < b ? a : b;
}

static shape shape_of(int op, const gnt_conv *s) {
    shape z = {s->n, s->c, s->o, s->h, s->w, s->oh, s->ow, s->pad, 0, 0, 0, 0, 0};
    if (op == GNT_OP_CONV_DX)
        z = (shape){s->n, s->o, s->c, s->oh, s->ow, s->h, s->w, 2 - s->pad, 0, 0, 0, 0, 0};
    z.down = (z.oh + 1) / 2;
    z.across = (z.ow + 1) / 2;
    int64_t chunk = z.ins * z.outs < LARGE ? CHUNK : LARGE_CHUNK;
    z.chunk = least(chunk / (z.ins > z.outs ? z.ins : z.outs), z.n * z.down * z.across);
    z.chunk = z.chunk > 0 ? z.chunk : 1;
    z.v_step = z.chunk * z.ins + V;
    z.m_step = z.chunk * z.outs + V;
    return z;
}

/* ---- weights ---- */

/* Rewrites V pairs of channels at once: w[3][3] → u[4][4]. */
static void rewrite_pairs(vec u[POINTS], const vec w[9]) {
    const vec half = vec_all(0.5f);
    vec t[4][3];
    for (int j = 0; j < 3; j++) {
        vec outer = w[j] + w[6 + j];
        t[0][j] = w[j];
        t[1][j] = half * (outer + w[3 + j]);
        t[2][j] = half * (outer - w[3 + j]);
        t[3][j] = w[6 + j];
    }
    for (int i = 0; i < 4; i++) {
        vec outer = t[i][0] + t[i][2];
        u[4 * i] = t[i][0];
        u[4 * i + 1] = half * (outer + t[i][1]);
        u[4 * i + 2] = half * (outer - t[i][1]);
        u[4 * i + 3] = t[i][2];
    }
}

/* Writes u: 16 × outs/V × ins × V, from w: o × c × 3 × 3. */
static void rewrite(int op, float *u, const float *w, int64_t o, int64_t c) {
    int turned = op == GNT_OP_CONV_DX;
    int64_t ins = turned ? o : c, outs = turned ? c : o, point = ins * outs;
    int64_t out_step = turned ? 9 : c * 9, in_step = turned ? c * 9 : 9;
    int32_t lane[V];
    for (int32_t l = 0; l < V; l++)
        lane[l] = l * (int32_t)out_step;
    const vec_index lanes = vec_index_load(lane);
    for (int64_t i = 0; i < outs; i += V)
        for (int64_t j = 0; j < ins; j++) {
            const float *from = w + i * out_step + j * in_step;
            vec in[9], out[POINTS];
            for (int k = 0; k < 9; k++)
                in[turned ? 8 - k : k] = vec_gather(from + k, lanes);
            rewrite_pairs(out, in);
            for (int k = 0; k < POINTS; k++)
                vec_store(u + k * point + i * ins + j * V, out[k]);
        }
}

/* ---- source and result ---- */

VEC_INLINE void combine_four(vec *a, vec *b, vec *c, vec *d) {
    vec first = *a - *c, second = *b + *c, third = *c - *b;
    *d = *b - *d;
    *a = first;
    *b = second;
    *c = third;
}

/* Computes v at one square in one block of channels, of the plane x from entry (row, column) on. */
VEC_INLINE void source_square(float *v, const float *x, const shape *z, int64_t row, int64_t column) {
    vec d[4][4];
    if (row >= 0 && column >= 0 && row + 4 <= z->h && column + 4 <= z->w) {
        for (int i = 0; i < 4; i++)
            for (int j = 0; j < 4; j++)
                d[i][j] = vec_load(x + ((row + i) * z->w + column + j) * V);
    } else {
        for (int i = 0; i < 4; i++)
            for (int j = 0; j < 4; j++) {
                int64_t r = row + i, c = column + j;
                int inside = r >= 0 && r < z->h && c >= 0 && c < z->w;
                d[i][j] = inside ? vec_load(x + (r * z->w + c) * V) : vec_zero();
            }
    }
    for (int i = 0; i < 4; i++)
        combine_four(&d[i][0], &d[i][1], &d[i][2], &d[i][3]);
    for (int j = 0; j < 4; j++)
        combine_four(&d[0][j], &d[1][j], &d[2][j], &d[3][j]);
    for (int i = 0; i < 4; i++)
        for (int j = 0; j < 4; j++)
            vec_store(v + (4 * i + j) * z->v_step, d[i][j]);
}

/* Computes y at one square in one block of channels. */
VEC_INLINE void result_square(float *y, const float *m, const shape *z, int64_t row, int64_t column) {
    vec t[2][4], sum[2][2];
    for (int j = 0; j < 4; j++) {
        vec a = vec_load(m + j * z->m_step), b = vec_load(m + (4 + j) * z->m_step),
            c = vec_load(m + (8 + j) * z->m_step), d = vec_load(m + (12 + j) * z->m_step);
        t[0][j] = a + (b + c);
        t[1][j] = b - c - d;
    }
    for (int i = 0; i < 2; i++) {
        sum[i][0] = t[i][0] + (t[i][1] + t[i][2]);
        sum[i][1] = t[i][1] - t[i][2] - t[i][3];
    }
    for (int i = 0; i < 2 && row + i < z->oh; i++)
        for (int j = 0; j < 2 && column + j < z->ow; j++)
            vec_store(y + ((row + i) * z->ow + column + j) * V, sum[i][j]);
}

/* Computes v at the squares `from` … `to` in all channels. */
static void source_squares(float *v, const float *x, const shape *z, int64_t from, int64_t to) {
    int64_t blocks = z->ins / V, plane = z->h * z->w * V;
    for (int64_t b = 0; b < blocks; b++)
        for (int64_t q = from; q < to; q++) {
            int64_t n = q / (z->down * z->across), row = q / z->across % z->down, column = q % z->across;
            source_square(v + (q - from) * z->ins + b * V, x + (n * blocks + b) * plane, z, 2 * row - z->pad,
                          2 * column - z->pad);
        }
}

static void result_squares(float *y, const float *m, const shape *z, int64_t from, int64_t to) {
    int64_t blocks = z->outs / V, plane = z->oh * z->ow * V;
    for (int64_t b = 0; b < blocks; b++)
        for (int64_t q = from; q < to; q++) {
            int64_t n = q / (z->down * z->across), row = q / z->across % z->down, column = q % z->across;
            result_square(y + (n * blocks + b) * plane, m + (b * z->chunk + q - from) * V, z, 2 * row,
                          2 * column);
        }
}

/* ---- products ---- */

/* Computes m[b][t] = Σ_k u[b][k]·v[t][k], b < B blocks of outputs, t < T squares; in pieces, because the
 * error of a sum in float grows with its length. */
VEC_INLINE void tile(const int B, const int T, float *m, int64_t m_block, const float *u, const float *v,
                     int64_t ins) {
    vec sum[2][MOST_SQUARES], w[2];
    for (int64_t from = 0; from < ins; from += PIECE) {
        int64_t to = least(ins, from + PIECE);
        for (int b = 0; b < B; b++)
            for (int t = 0; t < T; t++)
                sum[b][t] = vec_zero();
        for (int64_t k = from; k < to; k++) {
            for (int b = 0; b < B; b++) {
                w[b] = vec_load(u + (b * ins + k) * V);
                if (V == 16 || b == k % B) /* a line of the cache has 16 entries */
                    __builtin_prefetch(u + (b * ins + k) * V + AHEAD, 0, 2);
            }
            for (int t = 0; t < T; t++) {
                vec a = vec_all(v[t * ins + k]);
                for (int b = 0; b < B; b++)
                    sum[b][t] = vec_fma(w[b], a, sum[b][t]);
            }
        }
        for (int b = 0; b < B; b++)
            for (int t = 0; t < T; t++) {
                float *to_m = m + b * m_block + t * V;
                vec_store(to_m, from > 0 ? vec_load(to_m) + sum[b][t] : sum[b][t]);
            }
    }
}

typedef void (*tile_fn)(float *m, int64_t m_block, const float *u, const float *v, int64_t ins);
#define MOST(B) (B == 1 ? MOST_SQUARES : SQUARES_OF_TWO)
#define TILE(B, T)                                                                                           \
    static void tile_##B##_##T(float *m, int64_t m_block, const float *u, const float *v, int64_t ins) {     \
        tile(B, T < MOST(B) ? T : MOST(B), m, m_block, u, v, ins);                                           \
    }
#define TILES(T) TILE(1, T) TILE(2, T)
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
TILE(1, 13)
TILE(1, 14)
TILE(1, 15)
TILE(1, 16)
static const tile_fn tile_of_one[16] = {tile_1_1,  tile_1_2,  tile_1_3,  tile_1_4,  tile_1_5,  tile_1_6,
                                        tile_1_7,  tile_1_8,  tile_1_9,  tile_1_10, tile_1_11, tile_1_12,
                                        tile_1_13, tile_1_14, tile_1_15, tile_1_16};
static const tile_fn tile_of_two[12] = {tile_2_1, tile_2_2, tile_2_3, tile_2_4,  tile_2_5,  tile_2_6,
                                        tile_2_7, tile_2_8, tile_2_9, tile_2_10, tile_2_11, tile_2_12};

static void multiply(float *m, const float *u, const float *v, const shape *z, int64_t squares) {
    int64_t two = squares > MOST_SQUARES, most = two ? SQUARES_OF_TWO : MOST_SQUARES;
    for (int64_t point = 0; point < POINTS; point++, v += z->v_step, m += z->m_step)
        for (int64_t o = 0, high; o < z->outs; o += high * V, u += high * V * z->ins) {
            high = two ? least(2, (z->outs - o) / V) : 1;
            for (int64_t t = 0, wide, tiles = (squares + most - 1) / most; t < squares; t += wide, tiles--) {
                wide = (squares - t + tiles - 1) / tiles; /* as even as may be */
                const tile_fn fn = high == 2 ? tile_of_two[wide - 1] : tile_of_one[wide - 1];
                fn(m + (o / V * z->chunk + t) * V, z->chunk * V, u, v + t * z->ins, z->ins);
            }
        }
}

static void run(float *y, const float *x, const float *u, float *scratch, const shape *z) {
    float *v = scratch, *m = scratch + POINTS * z->v_step;
    int64_t all = z->n * z->down * z->across;
    for (int64_t from = 0; from < all; from += z->chunk) {
        int64_t to = least(all, from + z->chunk);
        source_squares(v, x, z, from, to);
        multiply(m, u, v, z, to - from);
        result_squares(y, m, z, from, to);
    }
}

/* ---- dw ---- */

enum {
    DW_HIGH = 3,        /* blocks of outputs of a tile */
    DW_WIDE = 4,        /* its channels of the source; divides V */
    DW_CHUNK = 1 << 14, /* squares at a time × channels */
    DW_SQUARES = 32     /* at least: fewer do not pay for the sums of all points */
};

static shape dw_shape(const gnt_conv *s) {
    shape z = shape_of(GNT_OP_CONV, s);
    z.chunk = least(DW_CHUNK / (z.ins > z.outs ? z.ins : z.outs), z.n * z.down * z.across);
    z.v_step = z.chunk * z.ins + V;
    z.m_step = z.chunk * z.outs + V;
    return z;
}

/* Computes A e Aᵀ at one square in one block of channels, of the plane dy. */
VEC_INLINE void derivative_square(float *m, const float *dy, const shape *z, int64_t row, int64_t column) {
    vec e[2][2], t[4][2];
    for (int i = 0; i < 2; i++)
        for (int j = 0; j < 2; j++) {
            int inside = row + i < z->oh && column + j < z->ow;
            e[i][j] = inside ? vec_load(dy + ((row + i) * z->ow + column + j) * V) : vec_zero();
        }
    for (int j = 0; j < 2; j++) {
        t[0][j] = e[0][j];
        t[1][j] = e[0][j] + e[1][j];
        t[2][j] = e[0][j] - e[1][j];
        t[3][j] = -e[1][j];
    }
    for (int i = 0; i < 4; i++) {
        float *to = m + 4 * i * z->m_step;
        vec_store(to, t[i][0]);
        vec_store(to + z->m_step, t[i][0] + t[i][1]);
        vec_store(to + 2 * z->m_step, t[i][0] - t[i][1]);
        vec_store(to + 3 * z->m_step, -t[i][1]);
    }
}

static void derivative_squares(float *m, const float *dy, const shape *z, int64_t from, int64_t to) {
    int64_t blocks = z->outs / V, plane = z->oh * z->ow * V;
    for (int64_t b = 0; b < blocks; b++)
        for (int64_t q = from; q < to; q++) {
            int64_t n = q / (z->down * z->across), row = q / z->across % z->down, column = q % z->across;
            derivative_square(m + (b * z->chunk + q - from) * V, dy + (n * blocks + b) * plane, z, 2 * row,
                              2 * column);
        }
}

/* Adds sum[b][t] += Σ_square m[b][square]·v[square][t], b < B blocks of outputs, t < DW_WIDE channels; in
 * pieces. */
VEC_INLINE void dw_tile(const int B, float *sum, const float *m, const float *v, const shape *z,
                        int64_t squares) {
    for (int64_t from = 0; from < squares; from += PIECE) {
        int64_t to = least(squares, from + PIECE);
        vec t[DW_HIGH][DW_WIDE], e[DW_HIGH];
        for (int b = 0; b < B; b++)
            for (int c = 0; c < DW_WIDE; c++)
                t[b][c] = vec_zero();
        for (int64_t q = from; q < to; q++) {
            for (int b = 0; b < B; b++)
                e[b] = vec_load(m + (b * z->chunk + q) * V);
            for (int c = 0; c < DW_WIDE; c++) {
                vec a = vec_all(v[q * z->ins + c]);
                for (int b = 0; b < B; b++)
                    t[b][c] = vec_fma(e[b], a, t[b][c]);
            }
        }
        for (int b = 0; b < B; b++)
            for (int c = 0; c < DW_WIDE; c++) {
                float *to_sum = sum + (b * z->ins + c) * V;
                vec_store(to_sum, vec_load(to_sum) + t[b][c]);
            }
    }
}

/* Adds the products of some squares to sum[point][block of outputs][channel][V outputs]. */
static void add_products(float *sum, const float *m, const float *v, const shape *z, int64_t squares) {
    for (int64_t point = 0; point < POINTS; point++, v += z->v_step, m += z->m_step)
        for (int64_t o = 0, high; o < z->outs; o += high * V, sum += high * V * z->ins) {
            const float *block = m + o * z->chunk;
            high = least(DW_HIGH, (z->outs - o) / V);
            for (int64_t c = 0; c < z->ins; c += DW_WIDE)
                if (high == DW_HIGH)
                    dw_tile(DW_HIGH, sum + c * V, block, v + c, z, squares);
                else if (high == 2)
                    dw_tile(2, sum + c * V, block, v + c, z, squares);
                else
                    dw_tile(1, sum + c * V, block, v + c, z, squares);
        }
}

/* Computes Gᵀ u G for V outputs and one channel, into dw[output][9], outputs `step` apart. */
static void write_weights(float *dw, int64_t step, const float *u, int64_t point) {
    const vec half = vec_all(0.5f);
    vec t[3][4];
    float taps[9][V];
    for (int j = 0; j < 4; j++) {
        const vec first = vec_load(u + j * point), last = vec_load(u + (12 + j) * point);
        const vec a = vec_load(u + (4 + j) * point), b = vec_load(u + (8 + j) * point);
        t[0][j] = first + half * (a + b);
        t[1][j] = half * (a - b);
        t[2][j] = half * (a + b) + last;
    }
    for (int i = 0; i < 3; i++) {
        vec_store(taps[3 * i], t[i][0] + half * (t[i][1] + t[i][2]));
        vec_store(taps[3 * i + 1], half * (t[i][1] - t[i][2]));
        vec_store(taps[3 * i + 2], half * (t[i][1] + t[i][2]) + t[i][3]);
    }
    for (int l = 0; l < V; l++)
        for (int k = 0; k < 9; k++)
            dw[l * step + k] = taps[k][l];
}

/* Computes dw (o × c × 3 × 3) from x (n × c/V × h × w × V) and dy (n × o/V × oh × ow × V). */
static void conv_dw(void *dw_all, const void *x, const void *dy, void *scratch, const gnt_conv *s) {
    const shape z = dw_shape(s);
    float *dw = dw_all, *v = scratch, *m = v + POINTS * z.v_step, *sum = m + POINTS * z.m_step;
    const int64_t all = z.n * z.down * z.across, point = z.ins * z.outs;
    memset(sum, 0, (size_t)(POINTS * point) * sizeof *sum);
    for (int64_t from = 0; from < all; from += z.chunk) {
        int64_t to = least(all, from + z.chunk);
        source_squares(v, x, &z, from, to);
        derivative_squares(m, dy, &z, from, to);
        add_products(sum, m, v, &z, to - from);
    }
    for (int64_t o = 0; o < z.outs; o += V)
        for (int64_t c = 0; c < z.ins; c++)
            write_weights(dw + (o * z.ins + c) * 9, z.ins * 9, sum + o * z.ins + c * V, point);
}

/* ---- conv and dx ---- */

/* Computes y (n × o/V × oh × ow × V) from x (n × c/V × h × w × V) and u (16 × o/V × c × V). */
static void conv(void *y, const void *x, const void *u, void *scratch, const gnt_conv *s) {
    shape z = shape_of(GNT_OP_CONV, s);
    run(y, x, u, scratch, &z);
}

/* Computes dx (n × c/V × h × w × V) from dy (n × o/V × oh × ow × V) and u (16 × c/V × o × V). */
static void conv_dx(void *dx, const void *dy, const void *u, void *scratch, const gnt_conv *s) {
    shape z = shape_of(GNT_OP_CONV_DX, s);
    run(dx, dy, u, scratch, &z);
}

/* ---- supported shapes ---- */

static size_t scratch(int op, const gnt_conv *s) {
    const shape z = op == GNT_OP_CONV_DW ? dw_shape(s) : shape_of(op, s);
    const int64_t sums = op == GNT_OP_CONV_DW ? z.ins * z.outs : 0;
    return (size_t)(POINTS * (z.v_step + z.m_step + sums)) * sizeof(float);
}

/* Weights' gradients are in rows. */
static gnt_conv_fit prepare(const gnt_conv_case *q, gnt_conv_choice *c) {
    if (q->op == GNT_OP_CONV_DW)
        c->weights = GNT_LAYOUT_ROWS;
    return GNT_CONV_FITS;
}

/* Returns whether this algorithm is the faster one, by measurement: with 128 squares of 4×4 places oneDNN's
 * F(4×4, 3×3) is as fast or faster, with 64 of them it is not. Rewriting a weight takes as long as some 200
 * places save. Weights that are not an input change with every step, and are in blocks. */
static int fits(const gnt_conv_case *q) {
    const gnt_conv *s = &q->s;
    const int dw = q->op == GNT_OP_CONV_DW;
    if (!gnt_conv_suits_blocks(q) || q->block != V || (!dw && !q->given) ||
        (dw && HAS_LARGER && s->c * s->o < MANY_PAIRS))
        return 0;
    if (s->kh != 3 || s->kw != 3 || s->stride != 1 || s->pad > 1 || s->c % V || s->o % V || s->c > 4096 ||
        s->o > 4096)
        return 0;
    shape z = shape_of(q->op, s);
    int64_t places = s->n * z.oh * z.ow, squares = s->n * z.down * z.across,
            larger = s->n * ((z.oh + 3) / 4) * ((z.ow + 3) / 4);
    if (dw)
        return squares >= DW_SQUARES && 4 * places >= 3 * 4 * squares;
    if (HAS_LARGER && !q->exact && larger >= 128 && s->c * s->o >= FEW_PAIRS)
        return 0;
    return places >= (q->constant ? LEAST_PLACES : MANY_PLACES) && 4 * places >= 3 * 4 * squares;
}

const gnt_conv_backend SIMD(gnt_conv_winograd) = {.name = "Winograd",
                                                  .vectors = 32 * V,
                                                  .activations = GNT_LAYOUT_BLOCKS,
                                                  .weights = GNT_LAYOUT_OWN,
                                                  .own = POINTS,
                                                  .fits = fits,
                                                  .prepare = prepare,
                                                  .scratch = scratch,
                                                  .rewrite = rewrite,
                                                  .forward = conv,
                                                  .dx = conv_dx,
                                                  .dw = conv_dw};
