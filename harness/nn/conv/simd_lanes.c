/* lanes: convolutions in float for small layers over many samples, in GNT_LAYOUT_SAMPLES; weights and
 * their gradients are in rows. The lanes of a vector are samples at one entry of an image, so a weight is
 * multiplied with a whole vector whatever the stride and the place of the window: nothing is computed in
 * the padding, and no entry is copied. Two vectors go together: of two groups of sixteen samples, or of
 * one. With x[g, c, row, column] such a vector g:
 *
 *   conv     y[g, o, place] = Σ w[o, c, i, j]·x[g, c, place·stride + (i, j) − pad]
 *   conv_dx  the same over dy: the place that has window entry (i, j) on the pixel
 *   conv_dw  dw[o, c, i, j] = Σ_g Σ_place dy[g, o, place]·x[g, c, …], lane by lane; the lanes are added up
 *            at the end
 *
 * Every sum runs in an order fixed by the shape, in pieces that are added up in turn. */
#include <string.h>

#include "nn/conv/backends.h"
#include "nn/kernels/turn.h"
#include "nn/kernels/vec.h"

enum {
    LANES = GNT_NN_LANES,   /* a multiple of V */
    HIGH = WIDE ? 12 : 6,   /* most outputs of a tile of conv and dx */
    DW_HIGH = WIDE ? 4 : 2, /* of a tile of dw with more than NARROW columns of the window */
    NARROW = 3,
    MOST_TAPS = 64,
    PIECE = 128,            /* terms of a sum that are added up at once */
    NEAR = 1 << 12,         /* entries of dy that conv_dw keeps in the L1 cache */
    MOST_WEIGHTS = 1 << 16, /* each is read once for every place */
    MOST_ENTRIES = 1 << 19  /* of two groups: they stay in the L2 cache */
};

static int64_t least(int64_t a, int64_t b) {
    return a < b ? a : b;
}

/* ---- conv and dx: from a source of `ins` channels to a result of `outs` ---- */

typedef struct product {
    int64_t outs, ins, rows, columns; /* of the result */
    int64_t h, w;                     /* of the source */
    int64_t kh, kw, stride, pad;
    int turned; /* dx */
} product;

/* Along one axis: the n window entries `first`, first + step, … that are on the source for one result place,
 * and the source entry under the first; the others are each one after or, `turned`, one before it. */
typedef struct meeting {
    int64_t first, n, source;
} meeting;

static meeting meet(const product *p, int64_t at, int64_t taps, int64_t size) {
    int64_t s = p->stride, first, last;
    if (!p->turned) {
        first = at * s < p->pad ? p->pad - at * s : 0;
        last = least(taps, size + p->pad - at * s);
        return (meeting){first, last > first ? last - first : 0, at * s + first - p->pad};
    }
    first = (at + p->pad) % s;
    if (at + p->pad - first > (size - 1) * s)
        first += at + p->pad - first - (size - 1) * s;
    last = least(taps - 1, at + p->pad);
    return (meeting){first, last >= first ? (last - first) / s + 1 : 0, (at + p->pad - first) / s};
}

/* Sums of T results in one place over the terms of `part` channels. */
typedef struct part {
    int64_t channels, rows, columns;             /* of the source */
    int64_t x_channel, x_row, x_column, x_group; /* steps of the source */
    int64_t w_channel, w_row, w_column;          /* of the weights, whose outputs are neighbours */
    int64_t y_step, y_group; /* of the result, from one output or vector of samples to the next */
    int adds;
} part;

/* Computes T outputs over G vectors of samples. */
VEC_INLINE void tile(const int T, const int G, float *y, const float *x, const float *w, const part *p) {
    vec sum[12][2], v[2];
    for (int t = 0; t < T; t++)
        for (int g = 0; g < G; g++)
            sum[t][g] = vec_zero();
    for (int64_t c = 0; c < p->channels; c++, x += p->x_channel, w += p->w_channel) {
        const float *x_row = x, *w_row = w;
        for (int64_t i = 0; i < p->rows; i++, x_row += p->x_row, w_row += p->w_row) {
            const float *x_at = x_row, *w_at = w_row;
            for (int64_t j = 0; j < p->columns; j++, x_at += p->x_column, w_at += p->w_column) {
                for (int g = 0; g < G; g++)
                    v[g] = vec_load(x_at + g * p->x_group);
                for (int t = 0; t < T; t++) {
                    vec a = vec_all(w_at[t]);
                    for (int g = 0; g < G; g++)
                        sum[t][g] = vec_fma(a, v[g], sum[t][g]);
                }
            }
        }
    }
    for (int t = 0; t < T; t++)
        for (int g = 0; g < G; g++) {
            float *to = y + t * p->y_step + g * p->y_group;
            vec_store(to, p->adds ? vec_load(to) + sum[t][g] : sum[t][g]);
        }
}

typedef void (*tile_fn)(float *y, const float *x, const float *w, const part *p);
#define TILE(T, G)                                                                                           \
    static void tile_##T##_##G(float *y, const float *x, const float *w, const part *p) {                    \
        tile(T < HIGH ? T : HIGH, G, y, x, w, p);                                                            \
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

/* Computes one row of the result, with the source's rows of r, from channel c on. */
static void multiply_row(float *y, const float *x, const float *w, const product *p, const meeting *r,
                         int64_t c, part *m, int64_t vectors) {
    int64_t places = p->rows * p->columns, tiles = (p->outs + HIGH - 1) / HIGH, high;
    m->rows = r->n;
    m->adds = c > 0;
    for (int64_t o = 0; o < p->outs; o += high) {
        high = (p->outs - o + tiles - 1) / tiles; /* as even as may be */
        tiles--;
        tile_fn run = tile_of[high - 1][vectors - 1];
        for (int64_t q = 0; q < p->columns; q++) {
            meeting k = meet(p, q, p->kw, p->w);
            m->columns = k.n;
            run(y + (o * places + q) * LANES, x + ((c * p->h + r->source) * p->w + k.source) * LANES,
                w + ((c * p->kh + r->first) * p->kw + k.first) * p->outs + o, m);
        }
    }
}

/* Returns the step from one vector of samples to the next, of images of `size` entries. */
static int64_t next_samples(int64_t size) {
    const int64_t step = V;
    return step < LANES ? step : size * LANES;
}

/* Computes one or two vectors of samples; w[in][tap][out]. */
static void multiply(float *y, const float *x, const float *w, const product *p, int64_t vectors) {
    int64_t tap = p->turned ? p->stride : 1, way = p->turned ? -LANES : LANES, places = p->rows * p->columns;
    int64_t met = ((p->kh + tap - 1) / tap) * ((p->kw + tap - 1) / tap), portion = PIECE / met;
    part m = {.x_channel = p->h * p->w * LANES,
              .x_row = way * p->w,
              .x_column = way,
              .x_group = next_samples(p->ins * p->h * p->w),
              .w_channel = p->kh * p->kw * p->outs,
              .w_row = tap * p->kw * p->outs,
              .w_column = tap * p->outs,
              .y_step = places * LANES,
              .y_group = next_samples(p->outs * places)};
    for (int64_t row = 0; row < p->rows; row++) {
        meeting r = meet(p, row, p->kh, p->h);
        for (int64_t c = 0; c < p->ins; c += portion) {
            m.channels = least(portion, p->ins - c);
            multiply_row(y + row * p->columns * LANES, x, w, p, &r, c, &m, vectors);
        }
    }
}

static void run_product(float *y, const float *x, const float *w, const product *p, int64_t n) {
    int64_t x_size = p->ins * p->h * p->w, y_size = p->outs * p->rows * p->columns;
    for (int64_t from = 0; from < n; from += 2 * V) {
        int64_t group = from / LANES * LANES, lane = from % LANES;
        multiply(y + group * y_size + lane, x + group * x_size + lane, w, p, least(2 * V, n - from) / V);
    }
}

/* Computes y (n/16 × o × oh × ow × 16) from x (n/16 × c × h × w × 16) and w (o × c × kh × kw). */
static void conv(void *y, const void *x, const void *w, void *scratch, const gnt_conv *s) {
    int64_t taps = s->kh * s->kw;
    product p = {s->o, s->c, s->oh, s->ow, s->h, s->w, s->kh, s->kw, s->stride, s->pad, 0};
    SIMD(gnt_turn)(scratch, s->o, w, s->c * taps, s->o, s->c * taps);
    run_product(y, x, scratch, &p, s->n);
}

/* Computes dx (n/16 × c × h × w × 16) from dy (n/16 × o × oh × ow × 16) and w (o × c × kh × kw). */
static void conv_dx(void *dx, const void *dy, const void *w_all, void *scratch, const gnt_conv *s) {
    int64_t taps = s->kh * s->kw;
    const float *w = w_all;
    float *turned = scratch;
    product p = {s->c, s->o, s->h, s->w, s->oh, s->ow, s->kh, s->kw, s->stride, s->pad, 1};
    for (int64_t o = 0; o < s->o; o++)
        SIMD(gnt_turn)(turned + o * s->c * taps, s->c, w + o * s->c * taps, taps, s->c, taps);
    run_product(dx, dy, scratch, &p, s->n);
}

/* ---- dw ---- */

/* Some rows of places and one row of the window, of one vector of samples. */
typedef struct dw_part {
    int64_t rows, columns;
    int64_t o_step;        /* of dy, from one output to the next */
    int64_t x_row;         /* of x, from one row of places to the next */
    int64_t sum_step;      /* of the sums, from one output to the next */
    int64_t stride, at, w; /* the image's column under window column 0 at place 0; its columns */
} dw_part;

/* Adds sum[o][j] += Σ over places of dy[o]·x[j], o < T, window columns j < J. */
VEC_INLINE void dw_tile(const int T, const int J, float *sum, const float *dy, const float *x,
                        const dw_part *d) {
    vec t[4][5], v[5];
    for (int o = 0; o < T; o++)
        for (int j = 0; j < J; j++)
            t[o][j] = vec_zero();
    for (int64_t row = 0; row < d->rows; row++, x += d->x_row) {
        int64_t at = d->at;
        for (int64_t q = 0; q < d->columns; q++, at += d->stride, dy += LANES) {
            if (at >= 0 && at + J <= d->w)
                for (int j = 0; j < J; j++)
                    v[j] = vec_load(x + (at + j) * LANES);
            else
                for (int j = 0; j < J; j++)
                    v[j] = at + j >= 0 && at + j < d->w ? vec_load(x + (at + j) * LANES) : vec_zero();
            for (int o = 0; o < T; o++) {
                vec a = vec_load(dy + o * d->o_step);
                for (int j = 0; j < J; j++)
                    t[o][j] = vec_fma(a, v[j], t[o][j]);
            }
        }
    }
    for (int o = 0; o < T; o++)
        for (int j = 0; j < J; j++) {
            float *to = sum + o * d->sum_step + j * V;
            vec_store(to, vec_load(to) + t[o][j]);
        }
}

typedef void (*dw_fn)(float *sum, const float *dy, const float *x, const dw_part *d);
#define DW(T, J)                                                                                             \
    static void dw_##T##_##J(float *sum, const float *dy, const float *x, const dw_part *d) {                \
        dw_tile(J <= NARROW || T < DW_HIGH ? T : DW_HIGH, J, sum, dy, x, d);                                 \
    }
#define DWS(T) DW(T, 1) DW(T, 2) DW(T, 3) DW(T, 4) DW(T, 5)
DWS(1)
DWS(2)
DWS(3)
DWS(4)
#define DW_ROW(T)                                                                                            \
    { dw_##T##_1, dw_##T##_2, dw_##T##_3, dw_##T##_4, dw_##T##_5 }
static const dw_fn dw_of[4][5] = {DW_ROW(1), DW_ROW(2), DW_ROW(3), DW_ROW(4)};

/* Adds the places in rows `from` … `to` of one vector of samples, outputs o … o + T. */
static void dw_rows(float *sum, const float *dy, const float *x, const gnt_conv *s, int64_t from, int64_t to,
                    int64_t o, int64_t T) {
    int64_t area = s->oh * s->ow, taps = s->kh * s->kw;
    dw_part d = {.columns = s->ow,
                 .o_step = area * LANES,
                 .x_row = s->stride * s->w * LANES,
                 .sum_step = s->c * taps * V,
                 .stride = s->stride,
                 .w = s->w};
    sum += o * d.sum_step;
    dy += o * d.o_step;
    for (int64_t c = 0; c < s->c; c++)
        for (int64_t i = 0; i < s->kh; i++) {
            /* rows of places that have window row i on the image */
            int64_t first = i >= s->pad ? 0 : (s->pad - i + s->stride - 1) / s->stride;
            int64_t last = s->h - 1 + s->pad < i ? 0 : (s->h - 1 + s->pad - i) / s->stride + 1;
            first = first > from ? first : from;
            d.rows = least(last, to) - first;
            if (d.rows <= 0)
                continue;
            for (int64_t j = 0; j < s->kw; j += 5) {
                d.at = j - s->pad;
                dw_of[T - 1][least(5, s->kw - j) - 1](
                    sum + ((c * s->kh + i) * s->kw + j) * V, dy + first * s->ow * LANES,
                    x + (c * s->h + first * s->stride + i - s->pad) * s->w * LANES, &d);
            }
        }
}

static void add_lanes(float *dw, const float *sum, int64_t n) {
    for (int64_t k = 0; k < n; k += V) {
        vec v[V];
        for (int64_t l = 0; l < V; l++)
            v[l] = k + l < n ? vec_load(sum + (k + l) * V) : vec_zero();
        vec_turn_square(v);
        for (int l = 1; l < V; l *= 2)
            for (int q = 0; q < V; q += 2 * l)
                v[q] += v[q + l];
        vec_store_first(dw + k, v[0], n - k);
    }
}

/* Computes dw (o × c × kh × kw) from x (n/16 × c × h × w × 16) and dy (n/16 × o × oh × ow × 16). */
static void conv_dw(void *dw, const void *x_all, const void *dy_all, void *scratch, const gnt_conv *s) {
    const float *x = x_all, *dy = dy_all;
    float *sum = scratch;
    int64_t weights = s->o * s->c * s->kh * s->kw, high = NEAR / (4 * s->ow * LANES),
            outs = s->kw > NARROW ? DW_HIGH : 4;
    high = high > 0 ? high : 1;
    memset(sum, 0, (size_t)(weights * V) * sizeof *sum);
    for (int64_t n = 0; n < s->n; n += V) {
        int64_t group = n / LANES * LANES, lane = n % LANES;
        for (int64_t row = 0; row < s->oh; row += high)
            for (int64_t o = 0; o < s->o; o += outs)
                dw_rows(sum, dy + group * s->o * s->oh * s->ow + lane, x + group * s->c * s->h * s->w + lane,
                        s, row, least(row + high, s->oh), o, least(outs, s->o - o));
    }
    add_lanes(dw, sum, weights);
}

/* ---- supported shapes ---- */

static int fits(const gnt_conv_case *q) {
    const gnt_conv *s = &q->s;
    if (gnt_conv_suits_blocks(q))
        return 0;
    if (s->n % LANES || s->kh * s->kw > MOST_TAPS || s->h > 256 || s->w > 256 || s->oh > 256 || s->ow > 256 ||
        s->c > 256 || s->o > 256)
        return 0;
    /* sums over few channels of the result wait for one another */
    if ((q->op == GNT_OP_CONV && s->o < 4) || (q->op == GNT_OP_CONV_DX && s->c < 4))
        return 0;
    return s->o * s->c * s->kh * s->kw <= MOST_WEIGHTS &&
           (s->c * s->h * s->w + s->o * s->oh * s->ow) * 2 * LANES <= MOST_ENTRIES;
}

static size_t scratch(int op, const gnt_conv *s) {
    return (size_t)(s->o * s->c * s->kh * s->kw * (op == GNT_OP_CONV_DW ? V : 1)) * sizeof(float);
}

const gnt_conv_backend SIMD(gnt_conv_lanes) = {.name = "samples as lanes",
                                               .vectors = 32 * V,
                                               .activations = GNT_LAYOUT_SAMPLES,
                                               .weights = GNT_LAYOUT_ROWS,
                                               .fits = fits,
                                               .scratch = scratch,
                                               .forward = conv,
                                               .dx = conv_dx,
                                               .dw = conv_dw};
