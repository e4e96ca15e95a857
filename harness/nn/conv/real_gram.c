/* real_gram: convolutions by a weight gradient g = conv_dw(x, dy), without computing g. With X the
 * entries of x under the window at each place, places × (c·kh·kw), and D the entries of dy, places × o, g
 * is Dᵀ·X, so
 *
 *   gram     conv(x, g)     = (X·Xᵀ)·D
 *   gram_dx  conv_dx(dy, g) = col2im((D·Dᵀ)·X)
 *
 * X itself is never made. X·Xᵀ at two places is the sum, over the window, of products of pixels (over
 * their channels); and col2im((D·Dᵀ)·X) is a matrix between pixels applied to x: entry (p, q) of D·Dᵀ
 * counts for the two pixels under each window entry at the places p and q. */
#include <string.h>

#include "nn/conv/backends.h"
#include "nn/kernels/real.h"

static int64_t pixels(const gnt_conv *s) {
    return s->n * s->h * s->w;
}

static int64_t places(const gnt_conv *s) {
    return s->n * s->oh * s->ow;
}

/* Returns the bytes of both matrices and, for a batch, copies of x, dy and the larger result with channels
 * first. */
size_t NAME(gram_scratch)(const gnt_conv *s) {
    int64_t r = pixels(s), p = places(s), x = s->c * r, y = s->o * p;
    int64_t copies = s->n > 1 ? x + y + (x > y ? x : y) : 0;
    return (size_t)(r * r + p * p + copies) * sizeof(real);
}

/* Returns n × c × area as c × (n·area); x itself where n is 1. */
static const real *channels_first(real *to, const real *x, int64_t n, int64_t c, int64_t area) {
    if (n == 1)
        return x;
    for (int64_t i = 0; i < n; i++)
        for (int64_t j = 0; j < c; j++)
            memcpy(to + (j * n + i) * area, x + (i * c + j) * area, (size_t)area * sizeof *x);
    return to;
}

static void channels_back(real *x, const real *from, int64_t n, int64_t c, int64_t area) {
    for (int64_t i = 0; i < n; i++)
        for (int64_t j = 0; j < c; j++)
            memcpy(x + (i * c + j) * area, from + (j * n + i) * area, (size_t)area * sizeof *x);
}

/* Computes aᵀ·a, m × m; a is k × m. */
static void products(real *y, const real *a, int64_t m, int64_t k) {
    gnt_gemm s = {1, 0, m, m, k};
    NAME(gemm)(y, a, a, &s);
}

/* Computes a·b; a is k × m, b m × m. */
static void apply(real *y, const real *a, const real *b, int64_t m, int64_t k) {
    gnt_gemm s = {0, 0, k, m, m};
    NAME(gemm)(y, a, b, &s);
}

/* Adds up the runs of places and pixels under window entry (i, j) for place p = (…, py, px) of pixel `at`. */
static void meet_row(real *place, real *pixel, int to_places, const gnt_conv *s, int64_t i, int64_t j) {
    for (int64_t n = 0; n < s->n; n++)
        for (int64_t y = 0; y < s->oh; y++, place += s->ow) {
            int64_t row = y * s->stride + i - s->pad;
            if (row < 0 || row >= s->h)
                continue;
            real *line = pixel + (n * s->h + row) * s->w;
            for (int64_t x = 0; x < s->ow; x++) {
                int64_t column = x * s->stride + j - s->pad;
                if (column < 0 || column >= s->w)
                    continue;
                if (to_places)
                    place[x] += line[column];
                else
                    line[column] += place[x];
            }
        }
}

/* Adds, for every window entry and any two places, the entry of the two pixels under it to that of the two
 * places, or the other way round. */
static void meet(real *place, real *pixel, int to_places, const gnt_conv *s) {
    int64_t p = places(s), r = pixels(s);
    for (int64_t i = 0; i < s->kh; i++)
        for (int64_t j = 0; j < s->kw; j++)
            for (int64_t at = 0; at < p; at++) {
                int64_t row = at / s->ow % s->oh * s->stride + i - s->pad,
                        column = at % s->ow * s->stride + j - s->pad;
                if (row < 0 || row >= s->h || column < 0 || column >= s->w)
                    continue;
                int64_t under = (at / (s->oh * s->ow) * s->h + row) * s->w + column;
                meet_row(place + at * p, pixel + under * r, to_places, s, i, j);
            }
}

/* Computes y (n × o × oh × ow) from x (n × c × h × w) and dy (n × o × oh × ow). */
void NAME(gram)(void *y, const void *x, const void *dy, void *scratch, const gnt_conv *s) {
    int64_t r = pixels(s), p = places(s);
    real *pixel = scratch, *place = pixel + r * r, *copy_x = place + p * p, *copy_y = copy_x + s->c * r,
         *result = s->n > 1 ? copy_y + s->o * p : y;
    products(pixel, channels_first(copy_x, x, s->n, s->c, s->h * s->w), r, s->c);
    memset(place, 0, (size_t)(p * p) * sizeof *place);
    meet(place, pixel, 1, s);
    apply(result, channels_first(copy_y, dy, s->n, s->o, s->oh * s->ow), place, p, s->o);
    if (s->n > 1)
        channels_back(y, result, s->n, s->o, s->oh * s->ow);
}

/* Computes dx (n × c × h × w) from x (n × c × h × w) and dy (n × o × oh × ow). */
void NAME(gram_dx)(void *dx, const void *x, const void *dy, void *scratch, const gnt_conv *s) {
    int64_t r = pixels(s), p = places(s);
    real *pixel = scratch, *place = pixel + r * r, *copy_x = place + p * p, *copy_y = copy_x + s->c * r,
         *result = s->n > 1 ? copy_y + s->o * p : dx;
    products(place, channels_first(copy_y, dy, s->n, s->o, s->oh * s->ow), p, s->o);
    memset(pixel, 0, (size_t)(r * r) * sizeof *pixel);
    meet(place, pixel, 0, s);
    apply(result, channels_first(copy_x, x, s->n, s->c, s->h * s->w), pixel, r, s->c);
    if (s->n > 1)
        channels_back(dx, result, s->n, s->c, s->h * s->w);
}
