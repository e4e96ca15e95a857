/* pairs: convolutions in float with windows of 5×5 and a stride of 1, in rows, over a few samples at once.
 * Two neighbouring columns of the result take 7 products for each row of the window, where direct sums take
 * 10: with weights g and the six columns d under the two windows,
 *
 *   y0 = g0·d0 + g1·d1 + g2·d2 + g3·d3 + g4·d4
 *   y1 = g0·d1 + g1·d2 + g2·d3 + g3·d4 + g4·d5
 *
 *   s0 = g0·(d0 − d2) + g3·(d3 − d4)                       y0 = s0 + s1 + s2
 *   s1 = (g0 + g1 + g2)/2·(d1 + d2) + (g3 + g4)·d4         y1 = s1 − s2 − s3
 *   s2 = (g0 − g1 + g2)/2·(d2 − d1)
 *   s3 = g2·(d1 − d3) + g4·(d4 − d5)
 *
 * which is F(2, 3) of g0 … g2 and F(2, 2) of g3 and g4. Its sums are as long as direct ones, and round as
 * they do.
 *
 * A plane has one factor of the products for each channel, row, sample and pair of columns, in this order, so
 * that the places of a row are one run over all samples, and a row of the window is a shift of it:
 *
 *   conv     s[o, place] = Σ u[c, i, o]·plane[c, place + i·run], for each product; its y of the sums
 *   conv_dx  the same over dy, with the weights reversed
 *   conv_dw  u[o, c, i] = Σ_place t[o, place]·plane[c, place + i·run], where t is dy0, dy0 + dy1,
 *            dy0 − dy1 or −dy1 for the four sums; dw of u as in the transposed formulas
 *
 * Every sum runs in an order fixed by the shape, in pieces that are added up in turn. */
#include <string.h>

#include "nn/conv/backends.h"
#include "nn/kernels/turn.h"
#include "nn/kernels/vec.h"

enum {
    SIZE = 5, /* of the window */
    TERMS = 7,
    SUMS = 4,
    HIGH = WIDE ? 6 : 4,    /* outputs of a tile of conv and dx */
    ACROSS = WIDE ? 4 : 3,  /* its vectors */
    DW_HIGH = WIDE ? 4 : 2, /* outputs of a tile of dw */
    PIECE = 64,             /* terms of a sum that are added up at once */
    LONG_RUN = 128,         /* places of a row over the samples that are computed at once, unless of one */
    NEAR = 1 << 13,         /* entries of sums that are kept until they become results */
    LEAST_RUN = 32,
    MOST_PAIRS = 32,
    FEW = 4,
    MOST_WEIGHTS = 1 << 12, /* channels times outputs */
    MOST_SUMS = 1 << 10,    /* the same for dw, which keeps a vector for each product */
    MOST_ENTRIES = 1 << 17  /* of the planes of a term: all of them stay in the L2 cache */
};

/* The terms of sum s are first_term[s] … first_term[s + 1] − 1. */
static const int first_term[SUMS + 1] = {0, 2, 4, 5, TERMS};

static int64_t least(int64_t a, int64_t b) {
    return a < b ? a : b;
}

static int64_t whole(int64_t n) {
    return (n + V - 1) / V * V;
}

/* ---- from images to planes ---- */

/* Planes of some samples, [term][channel][row][sample][pair]. `above` rows of the padding come first, and the
 * image is `left` columns from the first window's. */
typedef struct planes {
    int64_t samples, channels, rows, pairs;
    int64_t h, w, above, left; /* of the image */
} planes;

static int64_t run_of(const planes *p) {
    return p->samples * p->pairs;
}

/* Returns the entries from one term's planes to the next's: in between is what vectors reach beyond them. */
static int64_t term_step(const planes *p) {
    return p->channels * p->rows * run_of(p) + V;
}

/* The columns under the windows of V pairs, each V of them in two vectors; or of V/2 pairs of two rows. */
typedef struct reach {
    vec_mask low[SIZE + 1], high[SIZE + 1];
} reach;

static reach reach_of(const planes *p, int64_t q, int64_t apart) {
    reach r;
    for (int k = 0; k <= SIZE; k++) {
        const int64_t at = 2 * q - p->left + k;
        r.low[k] = vec_lanes(-at, p->w - at);
        r.high[k] = vec_lanes(-at - apart, p->w - at - apart);
    }
    return r;
}

VEC_INLINE void factors(vec out[TERMS], const float *low, const float *high, const reach *r) {
    vec d[SIZE + 1];
    for (int k = 0; k <= SIZE; k++)
        d[k] = vec_even(vec_load_lanes(r->low[k], low + k), vec_load_lanes(r->high[k], high + k));
    out[0] = d[0] - d[2];
    out[1] = d[3] - d[4];
    out[2] = d[1] + d[2];
    out[3] = d[4];
    out[4] = d[2] - d[1];
    out[5] = d[1] - d[3];
    out[6] = d[4] - d[5];
}

/* Writes one row of all samples, `two` of them at a time. Vectors reach beyond a sample's pairs, where what
 * is next is written later. */
VEC_INLINE void row_of_planes(const int two, float *to, const float *x, int64_t sample, const planes *p,
                              const reach r[MOST_PAIRS / V]) {
    const int64_t step = term_step(p);
    vec out[TERMS];
    int64_t n = 0;
    x -= p->left;
    for (; two && n + 2 <= p->samples; n += 2, x += 2 * sample, to += 2 * p->pairs) {
        factors(out, x, x + sample, r);
        for (int t = 0; t < TERMS; t++)
            vec_store_halves(to + t * step, to + t * step + p->pairs, out[t]);
    }
    for (; n < p->samples; n++, x += sample, to += p->pairs)
        for (int64_t q = 0; q < p->pairs; q += V) {
            factors(out, x + 2 * q, two ? x : x + 2 * q + V, &r[q / V]);
            for (int t = 0; t < TERMS; t++)
                vec_store(to + t * step + q, out[t]);
        }
}

VEC_INLINE void rows_of_planes(const int two, float *to, const float *x, const planes *p,
                               const reach r[MOST_PAIRS / V]) {
    const int64_t run = run_of(p), area = p->h * p->w;
    for (int64_t c = 0; c < p->channels; c++)
        for (int64_t row = 0; row < p->rows; row++) {
            float *d = to + (c * p->rows + row) * run;
            if (row >= p->above && row < p->above + p->h)
                row_of_planes(two, d, x + c * area + (row - p->above) * p->w, p->channels * area, p, r);
            else
                for (int t = 0; t < TERMS; t++)
                    memset(d + t * term_step(p), 0, (size_t)run * sizeof *d);
        }
}

/* Writes all planes of `x`, whose samples have p->channels images. */
static void write_planes(float *to, const float *x, const planes *p) {
    reach r[MOST_PAIRS / V];
    const int two = p->pairs <= V / 2;
    for (int64_t q = 0; q < p->pairs; q += V)
        r[q / V] = reach_of(p, q, two ? 0 : V);
    for (int t = 1; t <= TERMS; t++)
        memset(to + t * term_step(p) - V, 0, V * sizeof *to);
    if (two)
        rows_of_planes(1, to, x, p, r);
    else
        rows_of_planes(0, to, x, p, r);
}

/* ---- conv and dx: from a source of `ins` channels to a result of `outs` ---- */

typedef struct product {
    int64_t outs, ins, oh, ow; /* of the result */
    int64_t h, w, pad;         /* of the source */
} product;

/* Writes u[term][in][row of the window][out] from w[in][row][column][out]. */
static void weights_of_terms(float *u, const float *w, const product *p, int reversed) {
    const int64_t outs = p->outs, n = p->ins * SIZE, step = n * outs, last = reversed ? SIZE * SIZE - 1 : 0,
                  way = reversed ? -1 : 1;
    for (int64_t o = 0; o < outs; o += V) {
        const int64_t left = outs - o;
        const vec_mask m = vec_lanes(0, left);
        for (int64_t k = 0; k < n; k++) {
            const float *at = w + (k / SIZE * SIZE * SIZE + last + way * (k % SIZE) * SIZE) * outs + o;
            float *to = u + k * outs + o;
            vec g[SIZE];
            for (int64_t j = 0; j < SIZE; j++)
                g[j] = vec_load_lanes(m, at + way * j * outs);
            const vec even = vec_all(0.5f) * (g[0] + g[2]), odd = vec_all(0.5f) * g[1];
            vec_store_first(to, g[0], left);
            vec_store_first(to + step, g[3], left);
            vec_store_first(to + 2 * step, even + odd, left);
            vec_store_first(to + 3 * step, g[3] + g[4], left);
            vec_store_first(to + 4 * step, even - odd, left);
            vec_store_first(to + 5 * step, g[2], left);
            vec_store_first(to + 6 * step, g[4], left);
        }
    }
}

/* Some channels and rows of the window of one of the four sums, for T outputs and some vectors of places. */
typedef struct part {
    int64_t terms, channels, rows;
    int64_t x_term, x_channel, x_row;
    int64_t w_term, w_channel, w_row; /* outputs are neighbours */
    int64_t sum_step;                 /* from one output to the next */
    int adds;
} part;

VEC_INLINE void tile(const int T, const int A, float *to, const float *x, const float *w, const part *p) {
    vec sum[HIGH][ACROSS], v[ACROSS];
    for (int t = 0; t < T; t++)
        for (int a = 0; a < A; a++)
            sum[t][a] = vec_zero();
    for (int64_t c = 0; c < p->channels; c++, x += p->x_channel, w += p->w_channel)
        for (int64_t k = 0; k < p->terms; k++) {
            const float *x_at = x + k * p->x_term, *w_at = w + k * p->w_term;
            for (int64_t i = 0; i < p->rows; i++, x_at += p->x_row, w_at += p->w_row) {
                for (int a = 0; a < A; a++)
                    v[a] = vec_load(x_at + a * V);
                for (int t = 0; t < T; t++) {
                    vec g = vec_all(w_at[t]);
                    for (int a = 0; a < A; a++)
                        sum[t][a] = vec_fma(g, v[a], sum[t][a]);
                }
            }
        }
    for (int t = 0; t < T; t++)
        for (int a = 0; a < A; a++) {
            float *at = to + t * p->sum_step + a * V;
            vec_store(at, p->adds ? vec_load(at) + sum[t][a] : sum[t][a]);
        }
}

typedef void (*tile_fn)(float *to, const float *x, const float *w, const part *p);
#define TILE(T, A)                                                                                           \
    static void tile_##T##_##A(float *to, const float *x, const float *w, const part *p) {                   \
        tile(T < HIGH ? T : HIGH, A < ACROSS ? A : ACROSS, to, x, w, p);                                     \
    }
#define TILES(T) TILE(T, 1) TILE(T, 2) TILE(T, 3) TILE(T, 4)
TILES(1)
TILES(2)
TILES(3)
TILES(4)
TILES(5)
TILES(6)
#define ROW(T)                                                                                               \
    { tile_##T##_1, tile_##T##_2, tile_##T##_3, tile_##T##_4 }
static const tile_fn tile_of[6][4] = {ROW(1), ROW(2), ROW(3), ROW(4), ROW(5), ROW(6)};

/* Computes sum s of all outputs over n vectors of places. */
static void add_up(float *sums, const float *x, const float *u, int64_t outs, int64_t ins, int64_t n,
                   part *m) {
    const int64_t portion = PIECE / (SIZE * m->terms);
    for (int64_t v = 0, across; v < n; v += across) {
        int64_t tiles = (n - v + ACROSS - 1) / ACROSS; /* as even as may be */
        across = (n - v + tiles - 1) / tiles;
        for (int64_t c = 0; c < ins; c += portion) {
            m->channels = least(portion, ins - c);
            m->adds = c > 0;
            for (int64_t o = 0, high; o < outs; o += high) {
                tiles = (outs - o + HIGH - 1) / HIGH;
                high = (outs - o + tiles - 1) / tiles;
                tile_of[high - 1][across - 1](sums + o * m->sum_step + v * V, x + c * m->x_channel + v * V,
                                              u + c * m->w_channel + o, m);
            }
        }
    }
}

/* Writes one row of the result of one sample, of `vectors` vectors of pairs; `half`: one, half full. `sums`
 * begins at its first pair; `step`: from one sum to the next. */
VEC_INLINE void row_of_result(const int half, float *y, const float *sums, int64_t step, int64_t vectors,
                              int64_t ow) {
    for (int64_t q = 0; q < vectors; q++, sums += V, y += 2 * V, ow -= 2 * V) {
        const vec s0 = vec_load(sums), s1 = vec_load(sums + step), s2 = vec_load(sums + 2 * step),
                  s3 = vec_load(sums + 3 * step), y0 = s0 + s1 + s2, y1 = s1 - s2 - s3;
        vec_store_first(y, vec_merge_low(y0, y1), ow);
        if (!half && ow > V)
            vec_store_first(y + V, vec_merge_high(y0, y1), ow - V);
    }
}

/* The same for `rows` rows of all outputs and samples; `sum`: from one output's sums to the next. */
VEC_INLINE void rows_of_result(const int half, const int one, float *y, const float *sums, int64_t sum,
                               int64_t rows, const product *p, const planes *from) {
    const int64_t step = p->outs * sum, area = p->oh * p->ow, vectors = one ? 1 : whole(from->pairs) / V;
    for (int64_t o = 0; o < p->outs; o++)
        for (int64_t r = 0; r < rows; r++) {
            float *to = y + o * area + r * p->ow;
            const float *at = sums + o * sum + r * run_of(from);
            for (int64_t n = 0; n < from->samples; n++, to += p->outs * area, at += from->pairs)
                row_of_result(half, to, at, step, vectors, p->ow);
        }
}

static void write_result(float *y, const float *sums, int64_t sum, int64_t rows, const product *p,
                         const planes *from) {
    if (from->pairs <= V / 2)
        rows_of_result(1, 1, y, sums, sum, rows, p, from);
    else if (from->pairs <= V)
        rows_of_result(0, 1, y, sums, sum, rows, p, from);
    else
        rows_of_result(0, 0, y, sums, sum, rows, p, from);
}

/* The rows of a result that have the same rows of the window on the source: first … first + window − 1, from
 * row `source` of the source on. */
typedef struct band {
    int64_t rows, first, window, source;
} band;

static band band_at(const product *p, int64_t row, int64_t most) {
    band b = {.rows = 1, .first = p->pad > row ? p->pad - row : 0};
    const int64_t last = least(SIZE, p->h + p->pad - row);
    b.window = last > b.first ? last - b.first : 0;
    b.source = row + b.first - p->pad;
    while (b.rows < most && row + b.rows < p->oh && b.first == 0 && row >= p->pad &&
           row + b.rows + SIZE - p->pad <= p->h)
        b.rows++;
    return b;
}

static int64_t rows_at_once(const product *p, int64_t run) {
    const int64_t rows = NEAR / (SUMS * p->outs * run);
    return rows > 1 ? rows : 1;
}

/* Computes the results of some samples from their planes. */
static void multiply(float *y, float *sums, const float *x, const float *u, const product *p,
                     const planes *from) {
    const int64_t run = run_of(from), most = rows_at_once(p, run), length = whole(most * run),
                  step = p->outs * length;
    part m = {.x_term = term_step(from),
              .x_channel = p->h * run,
              .x_row = run,
              .w_term = p->ins * SIZE * p->outs,
              .w_channel = SIZE * p->outs,
              .w_row = p->outs,
              .sum_step = length};
    for (int64_t row = 0; row < p->oh;) {
        const band b = band_at(p, row, most);
        m.rows = b.window;
        for (int s = 0; s < SUMS; s++) {
            m.terms = first_term[s + 1] - first_term[s];
            add_up(sums + s * step, x + first_term[s] * m.x_term + b.source * run,
                   u + first_term[s] * m.w_term + b.first * p->outs, p->outs, p->ins, whole(b.rows * run) / V,
                   &m);
        }
        write_result(y + row * p->ow, sums, length, b.rows, p, from);
        row += b.rows;
    }
}

/* Returns how many samples are computed at once. */
static int64_t samples_at_once(int64_t n, int64_t pairs) {
    const int64_t most = LONG_RUN / pairs > 1 ? LONG_RUN / pairs : 1, parts = (n + most - 1) / most;
    return (n + parts - 1) / parts;
}

static planes planes_of(const product *p, int64_t n) {
    const int64_t pairs = (p->ow + 1) / 2;
    return (planes){samples_at_once(n, pairs), p->ins, p->h, pairs, p->h, p->w, 0, p->pad};
}

/* Computes y of n samples; w[in][row][column][out] are in `scratch`. */
static void run_product(float *y, const float *x, float *scratch, const product *p, int64_t n, int reversed) {
    planes from = planes_of(p, n);
    const int64_t at_once = from.samples, weights = p->ins * p->outs * SIZE;
    float *u = scratch + weights * SIZE, *plane = u + weights * TERMS,
          *sums = plane + TERMS * term_step(&from);
    weights_of_terms(u, scratch, p, reversed);
    for (int64_t k = 0; k < n; k += at_once) {
        from.samples = least(at_once, n - k);
        write_planes(plane, x + k * p->ins * p->h * p->w, &from);
        multiply(y + k * p->outs * p->oh * p->ow, sums, plane, u, p, &from);
    }
}

static product product_of(const gnt_conv *s, int op) {
    return op == GNT_OP_CONV_DX ? (product){s->c, s->o, s->h, s->w, s->oh, s->ow, SIZE - 1 - s->pad}
                                : (product){s->o, s->c, s->oh, s->ow, s->h, s->w, s->pad};
}

/* Computes y (n × o × oh × ow) from x (n × c × h × w) and w (o × c × 5 × 5). */
static void conv(void *y, const void *x, const void *w, void *scratch, const gnt_conv *s) {
    const product p = product_of(s, GNT_OP_CONV);
    const int64_t entries = s->c * SIZE * SIZE;
    SIMD(gnt_turn)(scratch, s->o, w, entries, s->o, entries);
    run_product(y, x, scratch, &p, s->n, 0);
}

/* Computes dx (n × c × h × w) from dy (n × o × oh × ow) and w (o × c × 5 × 5). */
static void conv_dx(void *dx, const void *dy, const void *w_all, void *scratch, const gnt_conv *s) {
    const product p = product_of(s, GNT_OP_CONV_DX);
    const int64_t taps = SIZE * SIZE, entries = s->c * taps;
    const float *w = w_all;
    float *turned = scratch;
    for (int64_t o = 0; o < s->o; o++)
        SIMD(gnt_turn)(turned + o * entries, s->c, w + o * entries, taps, s->c, taps);
    run_product(dx, dy, scratch, &p, s->n, 1);
}

/* ---- dw ---- */

VEC_INLINE void dw_factors(vec out[SUMS], const float *low, const float *high, const reach *r) {
    const vec dy0 = vec_even(vec_load_lanes(r->low[0], low), vec_load_lanes(r->high[0], high)),
              dy1 = vec_even(vec_load_lanes(r->low[1], low + 1), vec_load_lanes(r->high[1], high + 1));
    out[0] = dy0;
    out[1] = dy0 + dy1;
    out[2] = dy0 - dy1;
    out[3] = vec_zero() - dy1;
}

/* Writes one row of all samples; `step`: from one sum to the next. */
VEC_INLINE void row_of_factors(const int two, float *to, int64_t step, const float *dy, int64_t sample,
                               const planes *p, const reach r[MOST_PAIRS / V]) {
    vec out[SUMS];
    int64_t n = 0;
    for (; two && n + 2 <= p->samples; n += 2, dy += 2 * sample, to += 2 * p->pairs) {
        dw_factors(out, dy, dy + sample, r);
        for (int k = 0; k < SUMS; k++)
            vec_store_halves(to + k * step, to + k * step + p->pairs, out[k]);
    }
    for (; n < p->samples; n++, dy += sample, to += p->pairs)
        for (int64_t q = 0; q < p->pairs; q += V) {
            dw_factors(out, dy + 2 * q, two ? dy : dy + 2 * q + V, &r[q / V]);
            for (int k = 0; k < SUMS; k++)
                vec_store(to + k * step + q, out[k]);
        }
}

VEC_INLINE void rows_of_factors(const int two, float *to, const float *dy, const gnt_conv *s, const planes *p,
                                int64_t length, const reach r[MOST_PAIRS / V]) {
    const int64_t area = s->oh * s->ow, step = s->o * length, run = run_of(p);
    for (int64_t o = 0; o < s->o; o++, to += length) {
        for (int64_t row = 0; row < s->oh; row++)
            row_of_factors(two, to + row * run, step, dy + o * area + row * s->ow, s->o * area, p, r);
        for (int k = 0; k < SUMS; k++)
            memset(to + k * step + s->oh * run, 0, (size_t)(length - s->oh * run) * sizeof *to);
    }
}

/* Writes t[sum][output][row][sample][pair] from dy of some samples; `length`: entries of an output, with a
 * vector that the last row reaches into. */
static void write_factors(float *to, const float *dy, const gnt_conv *s, const planes *p, int64_t length) {
    reach r[MOST_PAIRS / V];
    const planes of_dy = {.w = s->ow};
    const int two = p->pairs <= V / 2;
    for (int64_t q = 0; q < p->pairs; q += V)
        r[q / V] = reach_of(&of_dy, q, two ? 0 : V);
    if (two)
        rows_of_factors(1, to, dy, s, p, length, r);
    else
        rows_of_factors(0, to, dy, s, p, length, r);
}

/* Sums of T outputs and the rows of the window over n vectors of places. */
VEC_INLINE void dw_tile(const int T, float *sum, int64_t sum_step, const float *t, int64_t t_step,
                        const float *x, int64_t run, int64_t n, int adds) {
    vec u[DW_HIGH][SIZE];
    for (int o = 0; o < T; o++)
        for (int i = 0; i < SIZE; i++)
            u[o][i] = vec_zero();
    for (int64_t v = 0; v < n; v++, t += V, x += V) {
        vec a[DW_HIGH];
        for (int o = 0; o < T; o++)
            a[o] = vec_load(t + o * t_step);
        for (int i = 0; i < SIZE; i++) {
            const vec b = vec_load(x + i * run);
            for (int o = 0; o < T; o++)
                u[o][i] = vec_fma(a[o], b, u[o][i]);
        }
    }
    for (int o = 0; o < T; o++)
        for (int i = 0; i < SIZE; i++) {
            float *to = sum + o * sum_step + i * V;
            vec_store(to, adds ? vec_load(to) + u[o][i] : u[o][i]);
        }
}

typedef void (*dw_fn)(float *sum, int64_t sum_step, const float *t, int64_t t_step, const float *x,
                      int64_t run, int64_t n, int adds);
#define DW(T)                                                                                                \
    static void dw_##T(float *sum, int64_t sum_step, const float *t, int64_t t_step, const float *x,         \
                       int64_t run, int64_t n, int adds) {                                                   \
        dw_tile(T < DW_HIGH ? T : DW_HIGH, sum, sum_step, t, t_step, x, run, n, adds);                       \
    }
DW(1)
DW(2)
DW(3)
DW(4)
static const dw_fn dw_of[4] = {dw_1, dw_2, dw_3, dw_4};

/* Adds the products of some samples to sum[term][output][channel][row of the window], vectors. */
static void add_samples(float *sum, const float *t, const float *x, const gnt_conv *s, const planes *p,
                        int64_t length, int adds) {
    const int64_t run = run_of(p), vectors = whole(s->oh * run) / V, channel = SIZE * V,
                  output = s->c * channel;
    for (int k = 0; k < SUMS; k++)
        for (int64_t o = 0, high; o < s->o; o += high) {
            const int64_t tiles = (s->o - o + DW_HIGH - 1) / DW_HIGH; /* as even as may be */
            high = (s->o - o + tiles - 1) / tiles;
            for (int term = first_term[k]; term < first_term[k + 1]; term++)
                for (int64_t c = 0; c < s->c; c++)
                    for (int64_t v = 0; v < vectors; v += PIECE)
                        dw_of[high - 1](sum + (term * s->o + o) * output + c * channel, output,
                                        t + (k * s->o + o) * length + v * V, length,
                                        x + term * term_step(p) + c * p->rows * run + v * V, run,
                                        least(PIECE, vectors - v), adds || v > 0);
        }
}

/* Writes the sums of the lanes of n vectors. */
static void add_lanes(float *to, const float *sum, int64_t n) {
    for (int64_t k = 0; k < n; k += V) {
        vec v[V];
        for (int64_t l = 0; l < V; l++)
            v[l] = k + l < n ? vec_load(sum + (k + l) * V) : vec_zero();
        vec_turn_square(v);
        for (int l = 1; l < V; l *= 2)
            for (int q = 0; q < V; q += 2 * l)
                v[q] += v[q + l];
        vec_store_first(to + k, v[0], n - k);
    }
}

static planes planes_of_dw(const gnt_conv *s) {
    const int64_t pairs = (s->ow + 1) / 2;
    return (planes){samples_at_once(s->n, pairs), s->c, s->oh + SIZE - 1, pairs, s->h, s->w, s->pad, s->pad};
}

/* Computes dw (o × c × 5 × 5) from x (n × c × h × w) and dy (n × o × oh × ow). */
static void conv_dw(void *dw_all, const void *x_all, const void *dy_all, void *scratch, const gnt_conv *s) {
    const float *x = x_all, *dy = dy_all;
    planes p = planes_of_dw(s);
    const int64_t at_once = p.samples, sums = s->c * s->o * SIZE;
    float *dw = dw_all, *sum = scratch, *u = sum + TERMS * sums * V, *plane = u + whole(TERMS * sums),
          *t = plane + TERMS * term_step(&p);
    for (int64_t k = 0; k < s->n; k += at_once) {
        p.samples = least(at_once, s->n - k);
        const int64_t length = whole(s->oh * run_of(&p)) + V;
        write_planes(plane, x + k * s->c * s->h * s->w, &p);
        write_factors(t, dy + k * s->o * s->oh * s->ow, s, &p, length);
        add_samples(sum, t, plane, s, &p, length, k > 0);
    }
    add_lanes(u, sum, TERMS * sums);
    for (int64_t k = 0; k < sums; k++, dw += SIZE) {
        const float *at = u + k;
        const float even = 0.5f * (at[2 * sums] + at[4 * sums]);
        dw[0] = at[0] + even;
        dw[1] = 0.5f * (at[2 * sums] - at[4 * sums]);
        dw[2] = even + at[5 * sums];
        dw[3] = at[sums] + at[3 * sums];
        dw[4] = at[3 * sums] + at[6 * sums];
    }
}

/* ---- supported shapes ---- */

static int fits(const gnt_conv_case *q) {
    const gnt_conv *s = &q->s;
    if (s->kh != SIZE || s->kw != SIZE || s->stride != 1 || s->pad >= SIZE || s->oh > 256 ||
        s->ow > 2 * MOST_PAIRS || s->h > 256 || s->w > 2 * MOST_PAIRS ||
        s->o * s->c > (q->op == GNT_OP_CONV_DW ? MOST_SUMS : MOST_WEIGHTS))
        return 0;
    if (WIDE && gnt_conv_suits_blocks(q))
        return 0;
    /* sums over few channels cost less than what surrounds them */
    if (s->c < FEW && q->op != GNT_OP_CONV_DW)
        return 0;
    const product p = product_of(s, q->op);
    const planes from = q->op == GNT_OP_CONV_DW ? planes_of_dw(s) : planes_of(&p, s->n);
    return run_of(&from) >= LEAST_RUN && term_step(&from) <= MOST_ENTRIES;
}

static size_t scratch(int op, const gnt_conv *s) {
    const product p = product_of(s, op);
    const planes from = op == GNT_OP_CONV_DW ? planes_of_dw(s) : planes_of(&p, s->n);
    const int64_t run = run_of(&from), weights = s->o * s->c * SIZE;
    int64_t n = TERMS * term_step(&from);
    if (op == GNT_OP_CONV_DW)
        n += TERMS * weights * V + whole(TERMS * weights) + SUMS * s->o * (whole(s->oh * run) + V);
    else
        n += weights * (SIZE + TERMS) + SUMS * p.outs * whole(rows_at_once(&p, run) * run) + V;
    return (size_t)n * sizeof(float);
}

const gnt_conv_backend SIMD(gnt_conv_pairs) = {.name = "pairs of columns",
                                               .vectors = 32 * V,
                                               .activations = GNT_LAYOUT_ROWS,
                                               .weights = GNT_LAYOUT_ROWS,
                                               .fits = fits,
                                               .scratch = scratch,
                                               .forward = conv,
                                               .dx = conv_dx,
                                               .dw = conv_dw};
