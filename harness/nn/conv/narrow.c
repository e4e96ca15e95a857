/* narrow: convolution in float on AVX-512 over few places and many weights, such as 512 channels of 4×4,
 * where reading the weights takes the time. One vector of 16 has all places of a result's channel over the
 * batch, so the weights, in rows, are read once, in order, one entry for each vector:
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
#include "nn/kernels/cpu.h"

#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__)

#include <immintrin.h>

#pragma GCC push_options
#pragma GCC target("avx512f,avx512dq,avx512bw,avx512vl,avx2,fma")
#pragma GCC optimize("O3")

enum { V = 16, LEAST_PLACES = 4, MOST_TAPS = 64, MOST_PIXELS = 1024, MANY_WEIGHTS = 1 << 16, PIECE = 256 };

static int64_t window(const gnt_conv *s) {
    return s->kh * s->kw;
}

static int64_t depth(const gnt_conv *s) {
    return s->c * window(s);
}

static __mmask16 first_lanes(int64_t n) {
    return (__mmask16)(n >= V ? 0xffff : (1u << n) - 1);
}

/* ---- places ---- */

/* Computes which entry of x, from channel 0 on, is under window entry (i, j) at each place; −1 in the
 * padding. */
static void under_window(int32_t at[V], const gnt_conv *s, int64_t i, int64_t j) {
    for (int32_t p = 0; p < V; p++)
        at[p] = -1;
    for (int64_t n = 0, p = 0; n < s->n; n++)
        for (int64_t y = 0; y < s->oh; y++)
            for (int64_t x = 0; x < s->ow; x++, p++) {
                int64_t row = y * s->stride + i - s->pad, column = x * s->stride + j - s->pad;
                if (row >= 0 && row < s->h && column >= 0 && column < s->w)
                    at[p] = (int32_t)(n * s->c * s->h * s->w + row * s->w + column);
            }
}

static __m512 gather(const float *x, __m512i at) {
    __mmask16 inside = _mm512_cmpge_epi32_mask(at, _mm512_setzero_si512());
    return _mm512_mask_i32gather_ps(_mm512_setzero_ps(), inside, at, x, 4);
}

static void make_columns(float *col, const float *x, const gnt_conv *s) {
    int64_t taps = window(s);
    for (int64_t t = 0; t < taps; t++) {
        int32_t at[V];
        under_window(at, s, t / s->kw, t % s->kw);
        __m512i index = _mm512_loadu_si512(at);
        for (int64_t c = 0; c < s->c; c++)
            _mm512_storeu_ps(col + (c * taps + t) * V, gather(x + c * s->h * s->w, index));
    }
}

/* Loads channel o of dy over the batch as one vector. */
static __m512 load_places(const float *y, const gnt_conv *s, int64_t o) {
    int64_t area = s->oh * s->ow;
    float v[V] = {0};
    if (s->n == 1)
        return _mm512_maskz_loadu_ps(first_lanes(area), y + o * area);
    for (int64_t n = 0; n < s->n; n++)
        memcpy(v + n * area, y + (n * s->o + o) * area, (size_t)area * sizeof *v);
    return _mm512_loadu_ps(v);
}

static void store_places(float *y, const gnt_conv *s, int64_t o, __m512 sum) {
    int64_t area = s->oh * s->ow;
    float v[V];
    _mm512_storeu_ps(v, sum);
    for (int64_t n = 0; n < s->n; n++)
        memcpy(y + (n * s->o + o) * area, v + n * area, (size_t)area * sizeof *v);
}

/* ---- y = w ∗ x ---- */

static inline __attribute__((always_inline)) void conv_tile(const int T, float *y, const float *col,
                                                            const float *w, const gnt_conv *s, int64_t o) {
    int64_t k = depth(s);
    __m512 total[12], sum[12];
    for (int t = 0; t < T; t++)
        total[t] = _mm512_setzero_ps();
    w += o * k;
    for (int64_t from = 0; from < k; from += PIECE) {
        int64_t to = k - from < PIECE ? k : from + PIECE;
        for (int t = 0; t < T; t++)
            sum[t] = _mm512_setzero_ps();
        for (int64_t q = from; q < to; q++) {
            __m512 v = _mm512_loadu_ps(col + q * V);
            for (int t = 0; t < T; t++)
                sum[t] = _mm512_fmadd_ps(_mm512_set1_ps(w[t * k + q]), v, sum[t]);
        }
        for (int t = 0; t < T; t++)
            total[t] = _mm512_add_ps(total[t], sum[t]);
    }
    for (int t = 0; t < T; t++)
        store_places(y, s, o + t, total[t]);
}

/* Computes y (n × o × oh × ow) from x (n × c × h × w) and w (o × c × kh × kw). */
static void conv(void *y, const void *x, const void *w, void *scratch, const gnt_conv *s) {
    int64_t o = 0;
    make_columns(scratch, x, s);
    for (; o + 12 <= s->o; o += 12)
        conv_tile(12, y, scratch, w, s, o);
    for (; o + 4 <= s->o; o += 4)
        conv_tile(4, y, scratch, w, s, o);
    for (; o < s->o; o++)
        conv_tile(1, y, scratch, w, s, o);
}

/* ---- dx ---- */

/* Adds T outputs from o on to K entries of dcol, so that T rows of weights are read in parallel, each in
 * order. */
static inline __attribute__((always_inline)) void
dx_tile(const int T, const int K, float *dcol, const __m512 *dy, const float *w, int64_t row, int adds) {
    __m512 sum[4];
    for (int q = 0; q < K; q++)
        sum[q] = adds ? _mm512_loadu_ps(dcol + q * V) : _mm512_setzero_ps();
    for (int t = 0; t < T; t++)
        for (int q = 0; q < K; q++)
            sum[q] = _mm512_fmadd_ps(_mm512_set1_ps(w[t * row + q]), dy[t], sum[q]);
    for (int q = 0; q < K; q++)
        _mm512_storeu_ps(dcol + q * V, sum[q]);
}

static inline __attribute__((always_inline)) void dx_rows(const int T, float *dcol, const float *dy,
                                                          const float *w, const gnt_conv *s, int64_t o) {
    int64_t k = 0, row = depth(s);
    __m512 v[V];
    for (int t = 0; t < T; t++)
        v[t] = load_places(dy, s, o + t);
    w += o * row;
    for (; k + 4 <= row; k += 4)
        dx_tile(T, 4, dcol + k * V, v, w + k, row, o > 0);
    for (; k < row; k++)
        dx_tile(T, 1, dcol + k * V, v, w + k, row, o > 0);
}

/* Computes the place, as a lane, that has window entry (i, j) on each of the 16 pixels from `first` on of
 * image n. Returns the mask of pixels that have one. */
static __mmask16 over_pixels(int32_t lane[V], const gnt_conv *s, int64_t n, int64_t first, int64_t i,
                             int64_t j) {
    unsigned met = 0;
    for (int64_t p = 0; p < V; p++) {
        int64_t row = (first + p) / s->w + s->pad - i, column = (first + p) % s->w + s->pad - j;
        int64_t y = row / s->stride, x = column / s->stride;
        lane[p] = 0;
        if (first + p >= s->h * s->w || row < 0 || column < 0 || y * s->stride != row ||
            x * s->stride != column || y >= s->oh || x >= s->ow)
            continue;
        lane[p] = (int32_t)((n * s->oh + y) * s->ow + x);
        met |= 1u << p;
    }
    return (__mmask16)met;
}

/* Computes 16 pixels of image n in all channels. */
static void add_up(float *dx, const float *dcol, const gnt_conv *s, int64_t n, int64_t first) {
    int64_t taps = window(s), area = s->h * s->w;
    int32_t lane[MOST_TAPS][V];
    __mmask16 met[MOST_TAPS], write = first_lanes(area - first);
    for (int64_t t = 0; t < taps; t++)
        met[t] = over_pixels(lane[t], s, n, first, t / s->kw, t % s->kw);
    dx += n * s->c * area + first;
    for (int64_t c = 0; c < s->c; c++, dx += area, dcol += taps * V) {
        __m512 sum = _mm512_setzero_ps();
        for (int64_t t = 0; t < taps; t++)
            sum = _mm512_add_ps(sum, _mm512_maskz_permutexvar_ps(met[t], _mm512_loadu_si512(lane[t]),
                                                                 _mm512_loadu_ps(dcol + t * V)));
        _mm512_mask_storeu_ps(dx, write, sum);
    }
}

/* Computes dx (n × c × h × w) from dy (n × o × oh × ow) and w (o × c × kh × kw). */
static void conv_dx(void *dx, const void *dy, const void *w, void *scratch, const gnt_conv *s) {
    float *dcol = scratch;
    int64_t o = 0;
    for (; o + V <= s->o; o += V)
        dx_rows(V, dcol, dy, w, s, o);
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
static inline __attribute__((always_inline)) void dw_tile(const int T, const int VT, float *dw,
                                                          const float *turned, const float *places, int64_t n,
                                                          int64_t row, int64_t wide, __mmask16 tail) {
    __m512 sum[8][3], v[3];
    for (int t = 0; t < T; t++)
        for (int q = 0; q < VT; q++)
            sum[t][q] = _mm512_setzero_ps();
    for (int64_t p = 0; p < n; p++, turned += wide) {
        for (int q = 0; q < VT; q++)
            v[q] = _mm512_loadu_ps(turned + q * V);
        for (int t = 0; t < T; t++) {
            __m512 a = _mm512_set1_ps(places[t * V + p]);
            for (int q = 0; q < VT; q++)
                sum[t][q] = _mm512_fmadd_ps(a, v[q], sum[t][q]);
        }
    }
    for (int t = 0; t < T; t++)
        for (int q = 0; q < VT; q++)
            _mm512_mask_storeu_ps(dw + t * row + q * V, q == VT - 1 ? tail : (__mmask16)0xffff, sum[t][q]);
}

static inline __attribute__((always_inline)) void dw_rows(const int T, float *dw, const float *turned,
                                                          const float *places, int64_t n, int64_t row,
                                                          int64_t wide) {
    int64_t k = 0;
    for (; k + 3 * V <= row; k += 3 * V)
        dw_tile(T, 3, dw + k, turned + k, places, n, row, wide, 0xffff);
    for (; k < row; k += V)
        dw_tile(T, 1, dw + k, turned + k, places, n, row, wide, first_lanes(row - k));
}

static void dw_8(float *dw, const float *turned, const float *places, int64_t n, int64_t row, int64_t wide) {
    dw_rows(8, dw, turned, places, n, row, wide);
}
static void dw_1(float *dw, const float *turned, const float *places, int64_t n, int64_t row, int64_t wide) {
    dw_rows(1, dw, turned, places, n, row, wide);
}

/* Transposes: turned[place·wide + k] = col[k·16 + place]. */
static void turn(float *turned, const float *col, int64_t n, int64_t all, int64_t wide) {
    const __m512i step =
        _mm512_setr_epi32(0, 16, 32, 48, 64, 80, 96, 112, 128, 144, 160, 176, 192, 208, 224, 240);
    for (int64_t k = 0; k < all; k += V)
        for (int64_t p = 0; p < n; p++)
            _mm512_storeu_ps(turned + p * wide + k,
                             _mm512_mask_i32gather_ps(_mm512_setzero_ps(), first_lanes(all - k), step,
                                                      col + k * V + p, 4));
}

static int64_t rounded(int64_t n) {
    return (n + V - 1) / V * V;
}

/* Computes dw (o × c × kh × kw) from x (n × c × h × w) and dy (n × o × oh × ow). */
static void conv_dw(void *dw_all, const void *x, const void *dy, void *scratch, const gnt_conv *s) {
    float *dw = dw_all;
    int64_t all = depth(s), wide = rounded(all), n = s->n * s->oh * s->ow, o = 0;
    float *col = scratch, *turned = col + all * V, *places = turned + wide * V;
    make_columns(col, x, s);
    turn(turned, col, n, all, wide);
    for (int64_t q = 0; q < s->o; q++)
        _mm512_storeu_ps(places + q * V, load_places(dy, s, q));
    for (; o + 8 <= s->o; o += 8)
        dw_8(dw + o * all, turned, places + o * V, n, all, wide);
    for (; o < s->o; o++)
        dw_1(dw + o * all, turned, places + o * V, n, all, wide);
}

#pragma GCC pop_options

/* ---- supported shapes ---- */

static int fits(const gnt_conv_case *q) {
    const gnt_conv *s = &q->s;
    int64_t places = s->n * s->oh * s->ow;
    return gnt_cpu_has_avx512() && places >= LEAST_PLACES && places <= V && window(s) <= MOST_TAPS &&
           s->h * s->w <= MOST_PIXELS && s->c <= 1 << 14 && s->o <= 1 << 14 && depth(s) <= 1 << 16 &&
           s->o * depth(s) > MANY_WEIGHTS;
}

static size_t scratch(int op, const gnt_conv *s) {
    (void)op;
    int64_t all = depth(s);
    return (size_t)((all + rounded(all) + s->o) * V) * sizeof(float);
}

const gnt_conv_backend gnt_conv_narrow = {.name = "narrow",
                                          .activations = GNT_LAYOUT_ROWS,
                                          .weights = GNT_LAYOUT_ROWS,
                                          .fits = fits,
                                          .scratch = scratch,
                                          .forward = conv,
                                          .dx = conv_dx,
                                          .dw = conv_dw};

#else

const gnt_conv_backend gnt_conv_narrow = {.name = "narrow", .fits = gnt_conv_never};

#endif
