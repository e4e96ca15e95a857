/* narrow: convolution in float over few places and many weights, such as 512 channels of 4×4, where reading
 * the weights takes the time. One vector of 16, or two of 8, have all places of a result's channel over the
 * batch, so the weights, in rows, are read once, in order, one entry for each place:
 *
 *   col[k]   the entries of x under window entry k = (channel, i, j), one for each place; zeros in the
 *            padding
 *   conv     y[o] = Σ_k w[o, k]·col[k]
 *   conv_dx  dcol[k] = Σ_o w[o, k]·dy[o], then every entry of dx is the sum of its entries in dcol
 *   conv_dw  dw[o, k] = Σ_place dy[o, place]·colᵀ[place, k]
 *
 * BLAS copies such weights before it multiplies, and blocked layouts copy them as well: either costs more
 * than the product. Every sum runs in an order fixed by the shape, in pieces of PIECE terms that are added
 * up in turn. */
#include <string.h>

#include "nn/conv/backends.h"
#include "nn/kernels/turn.h"
#include "nn/kernels/vec.h"

enum {
    PLACES = 16,          /* at most; columns have as many entries */
    VECTORS = PLACES / V, /* of places */
    LEAST_PLACES = 4,
    HIGH = WIDE ? 12 : 6, /* outputs of a tile of conv */
    DW_HIGH = WIDE ? 8 : 4,
    DX_HIGH = 16,
    MOST_TAPS = 64,
    MOST_PIXELS = 1024,
    MANY_WEIGHTS = 1 << 16,
    PIECE = 256
};

static int64_t window(const gnt_conv *s) {
    return s->kh * s->kw;
}

static int64_t depth(const gnt_conv *s) {
    return s->c * window(s);
}

/* ---- places ---- */

/* Computes which entry of x, from channel 0 on, is under window entry (i, j) at each place; −1 in the
 * padding. */
static void under_window(int32_t at[PLACES], const gnt_conv *s, int64_t i, int64_t j) {
    for (int32_t p = 0; p < PLACES; p++)
        at[p] = -1;
    for (int64_t n = 0, p = 0; n < s->n; n++)
        for (int64_t y = 0; y < s->oh; y++)
            for (int64_t x = 0; x < s->ow; x++, p++) {
                int64_t row = y * s->stride + i - s->pad, column = x * s->stride + j - s->pad;
                if (row >= 0 && row < s->h && column >= 0 && column < s->w)
                    at[p] = (int32_t)(n * s->c * s->h * s->w + row * s->w + column);
            }
}

static void make_columns(float *col, const float *x, const gnt_conv *s) {
    int64_t taps = window(s);
    for (int64_t t = 0; t < taps; t++) {
        int32_t at[PLACES];
        under_window(at, s, t / s->kw, t % s->kw);
        for (int64_t v = 0; v < PLACES; v += V) {
            const vec_index index = vec_index_load(at + v);
            for (int64_t c = 0; c < s->c; c++)
                vec_store(col + (c * taps + t) * PLACES + v, vec_gather_some(x + c * s->h * s->w, index));
        }
    }
}

/* Loads channel o of dy over the batch. */
static void load_places(vec to[VECTORS], const float *y, const gnt_conv *s, int64_t o) {
    int64_t area = s->oh * s->ow;
    float v[PLACES] = {0};
    for (int64_t n = 0; n < s->n && s->n > 1; n++)
        memcpy(v + n * area, y + (n * s->o + o) * area, (size_t)area * sizeof *v);
    for (int q = 0; q < VECTORS; q++)
        to[q] =
            s->n > 1 ? vec_load(v + q * V) : vec_load_lanes(vec_lanes(0, area - q * V), y + o * area + q * V);
}

static void store_places(float *y, const gnt_conv *s, int64_t o, const vec sum[VECTORS]) {
    int64_t area = s->oh * s->ow;
    float v[PLACES];
    for (int q = 0; q < VECTORS; q++)
        vec_store(v + q * V, sum[q]);
    for (int64_t n = 0; n < s->n; n++)
        memcpy(y + (n * s->o + o) * area, v + n * area, (size_t)area * sizeof *v);
}

/* ---- y = w ∗ x ---- */

VEC_INLINE void conv_tile(const int T, float *y, const float *col, const float *w, const gnt_conv *s,
                          int64_t o) {
    int64_t k = depth(s);
    vec total[HIGH][VECTORS], sum[HIGH][VECTORS], v[VECTORS];
    for (int t = 0; t < T; t++)
        for (int q = 0; q < VECTORS; q++)
            total[t][q] = vec_zero();
    w += o * k;
    for (int64_t from = 0; from < k; from += PIECE) {
        int64_t to = k - from < PIECE ? k : from + PIECE;
        for (int t = 0; t < T; t++)
            for (int q = 0; q < VECTORS; q++)
                sum[t][q] = vec_zero();
        for (int64_t e = from; e < to; e++) {
            for (int q = 0; q < VECTORS; q++)
                v[q] = vec_load(col + e * PLACES + q * V);
            for (int t = 0; t < T; t++) {
                vec a = vec_all(w[t * k + e]);
                for (int q = 0; q < VECTORS; q++)
                    sum[t][q] = vec_fma(a, v[q], sum[t][q]);
            }
        }
        for (int t = 0; t < T; t++)
            for (int q = 0; q < VECTORS; q++)
                total[t][q] += sum[t][q];
    }
    for (int t = 0; t < T; t++)
        store_places(y, s, o + t, total[t]);
}

/* Computes y (n × o × oh × ow) from x (n × c × h × w) and w (o × c × kh × kw). */
static void conv(void *y, const void *x, const void *w, void *scratch, const gnt_conv *s) {
    int64_t o = 0;
    make_columns(scratch, x, s);
    for (; o + HIGH <= s->o; o += HIGH)
        conv_tile(HIGH, y, scratch, w, s, o);
    for (; o + 4 <= s->o; o += 4)
        conv_tile(4, y, scratch, w, s, o);
    for (; o < s->o; o++)
        conv_tile(1, y, scratch, w, s, o);
}

/* ---- dx ---- */

/* Adds T outputs from o on to K entries of dcol, so that T rows of weights are read in parallel, each in
 * order. */
VEC_INLINE void dx_tile(const int T, const int K, float *dcol, vec dy[DX_HIGH][VECTORS], const float *w,
                        int64_t row, int adds) {
    vec sum[4][VECTORS];
    for (int k = 0; k < K; k++)
        for (int q = 0; q < VECTORS; q++)
            sum[k][q] = adds ? vec_load(dcol + k * PLACES + q * V) : vec_zero();
    for (int t = 0; t < T; t++)
        for (int k = 0; k < K; k++) {
            vec a = vec_all(w[t * row + k]);
            for (int q = 0; q < VECTORS; q++)
                sum[k][q] = vec_fma(a, dy[t][q], sum[k][q]);
        }
    for (int k = 0; k < K; k++)
        for (int q = 0; q < VECTORS; q++)
            vec_store(dcol + k * PLACES + q * V, sum[k][q]);
}

VEC_INLINE void dx_rows(const int T, float *dcol, const float *dy, const float *w, const gnt_conv *s,
                        int64_t o) {
    int64_t k = 0, row = depth(s);
    vec v[DX_HIGH][VECTORS];
    for (int t = 0; t < T; t++)
        load_places(v[t], dy, s, o + t);
    w += o * row;
    for (; k + 4 <= row; k += 4)
        dx_tile(T, 4, dcol + k * PLACES, v, w + k, row, o > 0);
    for (; k < row; k++)
        dx_tile(T, 1, dcol + k * PLACES, v, w + k, row, o > 0);
}

/* Computes the place that has window entry (i, j) on each of V pixels of image n from `first` on, or −1. */
static void over_pixels(int32_t at[V], const gnt_conv *s, int64_t n, int64_t first, int64_t i, int64_t j) {
    for (int64_t p = 0; p < V; p++) {
        int64_t row = (first + p) / s->w + s->pad - i, column = (first + p) % s->w + s->pad - j;
        int64_t y = row / s->stride, x = column / s->stride;
        at[p] = -1;
        if (first + p < s->h * s->w && row >= 0 && column >= 0 && y * s->stride == row &&
            x * s->stride == column && y < s->oh && x < s->ow)
            at[p] = (int32_t)((n * s->oh + y) * s->ow + x);
    }
}

/* Computes V pixels of image n in all channels. */
static void add_up(float *dx, const float *dcol, const gnt_conv *s, int64_t n, int64_t first) {
    int64_t taps = window(s), area = s->h * s->w;
    int32_t at[MOST_TAPS][V];
    for (int64_t t = 0; t < taps; t++)
        over_pixels(at[t], s, n, first, t / s->kw, t % s->kw);
    dx += n * s->c * area + first;
    for (int64_t c = 0; c < s->c; c++, dx += area, dcol += taps * PLACES) {
        vec sum = vec_zero();
        for (int64_t t = 0; t < taps; t++)
            sum += vec_pick_some(dcol + t * PLACES, vec_index_load(at[t]));
        vec_store_first(dx, sum, area - first);
    }
}

/* Computes dx (n × c × h × w) from dy (n × o × oh × ow) and w (o × c × kh × kw). */
static void conv_dx(void *dx, const void *dy, const void *w, void *scratch, const gnt_conv *s) {
    float *dcol = scratch;
    int64_t o = 0;
    for (; o + DX_HIGH <= s->o; o += DX_HIGH)
        dx_rows(DX_HIGH, dcol, dy, w, s, o);
    for (; o + 4 <= s->o; o += 4)
        dx_rows(4, dcol, dy, w, s, o);
    for (; o < s->o; o++)
        dx_rows(1, dcol, dy, w, s, o);
    for (int64_t n = 0; n < s->n; n++)
        for (int64_t first = 0; first < s->h * s->w; first += V)
            add_up(dx, dcol, s, n, first);
}

/* ---- dw ---- */

/* Computes dw[o … o + T) at VT vectors of window entries from k on; the last vector has `tail`. */
VEC_INLINE void dw_tile(const int T, const int VT, float *dw, const float *turned, const float *places,
                        int64_t n, int64_t row, int64_t wide, int64_t tail) {
    vec sum[DW_HIGH][3], v[3];
    for (int t = 0; t < T; t++)
        for (int q = 0; q < VT; q++)
            sum[t][q] = vec_zero();
    for (int64_t p = 0; p < n; p++, turned += wide) {
        for (int q = 0; q < VT; q++)
            v[q] = vec_load(turned + q * V);
        for (int t = 0; t < T; t++) {
            vec a = vec_all(places[t * PLACES + p]);
            for (int q = 0; q < VT; q++)
                sum[t][q] = vec_fma(a, v[q], sum[t][q]);
        }
    }
    for (int t = 0; t < T; t++)
        for (int q = 0; q < VT; q++)
            vec_store_first(dw + t * row + q * V, sum[t][q], q == VT - 1 ? tail : V);
}

VEC_INLINE void dw_rows(const int T, float *dw, const float *turned, const float *places, int64_t n,
                        int64_t row, int64_t wide) {
    int64_t k = 0;
    for (; k + 3 * V <= row; k += 3 * V)
        dw_tile(T, 3, dw + k, turned + k, places, n, row, wide, V);
    for (; k < row; k += V)
        dw_tile(T, 1, dw + k, turned + k, places, n, row, wide, row - k);
}

static void dw_high(float *dw, const float *turned, const float *places, int64_t n, int64_t row,
                    int64_t wide) {
    dw_rows(DW_HIGH, dw, turned, places, n, row, wide);
}
static void dw_1(float *dw, const float *turned, const float *places, int64_t n, int64_t row, int64_t wide) {
    dw_rows(1, dw, turned, places, n, row, wide);
}

/* Transposes: turned[place·wide + k] = col[k·16 + place], with zeros from `all` to `wide`. */
static void turn(float *turned, const float *col, int64_t n, int64_t all, int64_t wide) {
    SIMD(gnt_turn)(turned, wide, col, PLACES, all, n);
    for (int64_t p = 0; p < n; p++)
        memset(turned + p * wide + all, 0, (size_t)(wide - all) * sizeof *turned);
}

static int64_t rounded(int64_t n) {
    return (n + V - 1) / V * V;
}

/* Computes dw (o × c × kh × kw) from x (n × c × h × w) and dy (n × o × oh × ow). */
static void conv_dw(void *dw_all, const void *x, const void *dy, void *scratch, const gnt_conv *s) {
    float *dw = dw_all;
    int64_t all = depth(s), wide = rounded(all), n = s->n * s->oh * s->ow, o = 0;
    float *col = scratch, *turned = col + all * PLACES, *places = turned + wide * PLACES;
    make_columns(col, x, s);
    turn(turned, col, n, all, wide);
    for (int64_t q = 0; q < s->o; q++) {
        vec v[VECTORS];
        load_places(v, dy, s, q);
        for (int l = 0; l < VECTORS; l++)
            vec_store(places + q * PLACES + l * V, v[l]);
    }
    for (; o + DW_HIGH <= s->o; o += DW_HIGH)
        dw_high(dw + o * all, turned, places + o * PLACES, n, all, wide);
    for (; o < s->o; o++)
        dw_1(dw + o * all, turned, places + o * PLACES, n, all, wide);
}

/* ---- supported shapes ---- */

static int fits(const gnt_conv_case *q) {
    const gnt_conv *s = &q->s;
    int64_t places = s->n * s->oh * s->ow;
    return places >= LEAST_PLACES && places <= PLACES && window(s) <= MOST_TAPS &&
           s->h * s->w <= MOST_PIXELS && s->c <= 1 << 14 && s->o <= 1 << 14 && depth(s) <= 1 << 16 &&
           s->o * depth(s) > MANY_WEIGHTS;
}

static size_t scratch(int op, const gnt_conv *s) {
    (void)op;
    int64_t all = depth(s);
    return (size_t)((all + rounded(all) + s->o) * PLACES) * sizeof(float);
}

const gnt_conv_backend SIMD(gnt_conv_narrow) = {.name = "narrow",
                                                .vectors = 32 * V,
                                                .activations = GNT_LAYOUT_ROWS,
                                                .weights = GNT_LAYOUT_ROWS,
                                                .fits = fits,
                                                .scratch = scratch,
                                                .forward = conv,
                                                .dx = conv_dx,
                                                .dw = conv_dw};
