/* direct: convolution in float without im2col, for small layers in rows. One image at a time, over copies of
 * its planes in which every window entry is a contiguous vector.
 *
 * Strips. For each channel and each column of the window there is a strip: the image's columns under this
 * window column, row after row, `width` entries a row, zeros in the padding. Result place f = row·width +
 * column then has window entry (i, j) at strip[c, j][i·width + f]: all places of a result plane are one run,
 * and the rows of the window are shifts of it. With stride 2 the even rows come first and the odd ones after
 * them. A strip repeats the image once for each column of the window; im2col would do so for each entry.
 *
 * conv adds up weight·strip over channels and window entries ("taps"). conv_dx is the same over dy with the
 * window reversed; with stride 2 once for each parity of the image's rows and columns, each of which has its
 * own taps. conv_dw has no strips: in a copy of the image with the channels last, the entries under a row of
 * the window are one run, which it adds up over all places, times dy.
 *
 * Every sum runs in an order fixed by the shape, in short pieces that are added up in turn: the error of a
 * long sum in float grows with the length of its pieces. */
#include <string.h>

#include "nn/conv/backends.h"
#include "nn/kernels/vec.h"

enum {
    HIGH = WIDE ? 6 : 4,   /* outputs of a tile */
    ACROSS = WIDE ? 4 : 3, /* vectors of a tile */
    MOST_TAPS = 64,
    MOST_STRIPS = 1 << 21,
    NEAR_TAPS = 128,
    LEAST_PLACES = 16,
    FEW_PLACES = 64,
    MANY_WEIGHTS = 1 << 16
};

/* The source of strips: rows row0, row0 + step, … of the image, and for window column j the columns col0 +
 * j·turn, + step, … */
typedef struct strips {
    int64_t planes, h, w; /* the image */
    int64_t row0, col0, turn, step;
    int64_t rows, columns, width; /* image rows under the window, window columns, entries of a row */
} strips;

static int64_t strip_size(const strips *s) {
    return s->rows * s->width;
}

static int64_t strips_size(const strips *s) {
    return s->planes * s->columns * strip_size(s);
}

/* Returns the place of a row: the rows of one parity come before those of the next. */
static int64_t row_place(const strips *s, int64_t row) {
    if (s->step == 1)
        return row;
    return row % 2 ? (s->rows + 1) / 2 + row / 2 : row / 2;
}

/* Writes one vector of rows first … last of the strips of one window column, plane by plane: the entries from
 * q on, V at most. The masks are the same for all rows. `line`: the vector in row row0 of the first plane's
 * image. */
static void strip_column(float *d, const float *line, const strips *s, int64_t at, int64_t q, int64_t first,
                         int64_t last) {
    const int64_t from = at + q * s->step, half = (s->rows + 1) / 2, width = s->width, w = s->w;
    const int64_t plane = s->h * w, strips_of_plane = s->columns * strip_size(s);
    const vec_mask read = vec_lanes(-from, w - from), more = vec_lanes(-from - V, w - from - V);
    line += from;
    d += q;
    for (int64_t c = 0; c < s->planes; c++, line += plane, d += strips_of_plane) {
        int64_t row = first;
        if (s->step == 1) {
            for (; width == V / 2 && row + 2 <= last; row += 2) /* two rows are one vector */
                vec_store(d + row * width, vec_load_halves(read, line + row * w, line + (row + 1) * w));
            for (; row < last; row++)
                vec_store_first(d + row * width, vec_load_lanes(read, line + row * w), width - q);
            continue;
        }
        for (; width == V / 2 && row + 4 <= last; row += 4) /* rows two apart are one vector */
            for (int64_t r = row; r < row + 2; r++)
                vec_store(
                    d + (r / 2 + (r & 1) * half) * width,
                    vec_even(vec_load_lanes(read, line + r * w), vec_load_lanes(read, line + (r + 2) * w)));
        for (; width - q <= V / 2 && row < last; row++) { /* all of them are in one vector */
            const vec v = vec_load_lanes(read, line + row * w);
            vec_store_first(d + (row / 2 + (row & 1) * half) * width, vec_even(v, v), width - q);
        }
        for (; row < last; row++) {
            const vec v =
                vec_even(vec_load_lanes(read, line + row * w), vec_load_lanes(more, line + row * w + V));
            vec_store_first(d + (row / 2 + (row & 1) * half) * width, v, width - q);
        }
    }
}

/* Computes the rows of the strips that are on the image: first … last. */
static void rows_of_image(const strips *s, int64_t *first, int64_t *last) {
    *first = s->row0 < 0 ? -s->row0 : 0;
    *last = s->h - s->row0 < s->rows ? s->h - s->row0 : s->rows;
}

/* Clears the rows in the padding, which are the same for all images. */
static void clear_padding(float *d, const strips *s) {
    int64_t size = strip_size(s), first, last;
    rows_of_image(s, &first, &last);
    for (int64_t row = 0; row < s->rows; row++)
        if (row < first || row >= last)
            for (int64_t k = 0; k < s->planes * s->columns; k++)
                for (int64_t q = 0; q < s->width; q += V)
                    vec_store_first(d + k * size + row_place(s, row) * s->width + q, vec_zero(),
                                    s->width - q);
}

static void make_strips(float *d, const float *x, const strips *s) {
    int64_t size = strip_size(s), first, last;
    rows_of_image(s, &first, &last);
    for (int64_t j = 0; j < s->columns; j++, d += size)
        for (int64_t q = 0; q < s->width; q += V)
            strip_column(d, x + s->row0 * s->w, s, s->col0 + j * s->turn, q, first, last);
}

/* The start of each window entry's run within a channel's strips, and its weight within the channel's
 * window. */
typedef struct taps {
    int64_t n, d_step, w_step; /* from one channel to the next */
    int32_t d[MOST_TAPS], w[MOST_TAPS];
} taps;

/* Computes y[t·yt + f] (+)= Σ_k w[t·wt + wk[k]]·d[dk[k] + f], t < OT, f < V·VT; the last vector has
 * `tail`. */
VEC_INLINE void tile(const int OT, const int VT, float *y, int64_t yt, const float *d, const float *w,
                     int64_t wt, int64_t n, const int32_t *dk, const int32_t *wk, int64_t tail, int adds) {
    vec sum[HIGH][ACROSS];
    for (int t = 0; t < OT; t++)
        for (int v = 0; v < VT; v++)
            sum[t][v] = vec_zero();
    for (int64_t k = 0; k < n; k++) {
        const float *dv = d + dk[k], *wv = w + wk[k];
        vec x[ACROSS];
        for (int v = 0; v < VT; v++)
            x[v] = vec_load(dv + v * V);
        for (int t = 0; t < OT; t++) {
            vec a = vec_all(wv[t * wt]);
            for (int v = 0; v < VT; v++)
                sum[t][v] = vec_fma(a, x[v], sum[t][v]);
        }
    }
    for (int t = 0; t < OT; t++)
        for (int v = 0; v < VT; v++) {
            const int64_t n_lanes = v == VT - 1 ? tail : V;
            float *to = y + t * yt + v * V;
            vec s = adds ? sum[t][v] + vec_load_lanes(vec_lanes(0, n_lanes), to) : sum[t][v];
            vec_store_first(to, s, n_lanes);
        }
}

typedef void (*tile_fn)(float *y, int64_t yt, const float *d, const float *w, int64_t wt, int64_t n,
                        const int32_t *dk, const int32_t *wk, int64_t tail, int adds);
#define TILE(OT, VT)                                                                                         \
    static void tile_##OT##_##VT(float *y, int64_t yt, const float *d, const float *w, int64_t wt,           \
                                 int64_t n, const int32_t *dk, const int32_t *wk, int64_t tail, int adds) {  \
        tile(OT < HIGH ? OT : HIGH, VT < ACROSS ? VT : ACROSS, y, yt, d, w, wt, n, dk, wk, tail, adds);      \
    }
#define TILES(OT) TILE(OT, 1) TILE(OT, 2) TILE(OT, 3) TILE(OT, 4)
TILES(1)
TILES(2)
TILES(3)
TILES(4)
TILES(5)
TILES(6)
#define ROW(OT)                                                                                              \
    { tile_##OT##_1, tile_##OT##_2, tile_##OT##_3, tile_##OT##_4 }
static const tile_fn tile_of[6][4] = {ROW(1), ROW(2), ROW(3), ROW(4), ROW(5), ROW(6)};

/* Computes all `outs` planes of `places` entries. Channels go in portions, so that the part of the strips
 * that a tile reads stays in the L1 cache for all outputs. */
static void multiply(float *y, int64_t outs, int64_t places, const float *d, int64_t channels, const float *w,
                     int64_t wt, const taps *p) {
    int64_t portion = NEAR_TAPS / p->n > 0 ? NEAR_TAPS / p->n : 1, n = 0;
    int32_t dk[NEAR_TAPS], wk[NEAR_TAPS];
    for (int64_t c = 0; c < portion && c < channels; c++)
        for (int64_t k = 0; k < p->n; k++, n++) {
            dk[n] = (int32_t)(c * p->d_step) + p->d[k];
            wk[n] = (int32_t)(c * p->w_step) + p->w[k];
        }
    for (int64_t f = 0, vectors; f < places; f += vectors * V) {
        int64_t left = (places - f + V - 1) / V, tiles = (left + ACROSS - 1) / ACROSS;
        vectors = (left + tiles - 1) / tiles; /* as even as may be */
        int64_t tail = places - f - (vectors - 1) * V;
        /* if one tile has all places, weights are read once, as a stream; otherwise strips stay in the
         * cache */
        int64_t run = places <= ACROSS * V ? HIGH : outs;
        for (int64_t from = 0; from < outs; from += run)
            for (int64_t c = 0; c < channels; c += portion) {
                int64_t part = channels - c < portion ? channels - c : portion;
                int64_t to = outs - from < run ? outs : from + run;
                for (int64_t o = from; o < to; o += HIGH) {
                    int64_t ot = to - o < HIGH ? to - o : HIGH;
                    tile_of[ot - 1][vectors - 1](y + o * places + f, places, d + c * p->d_step + f,
                                                 w + o * wt + c * p->w_step, wt, part * p->n, dk, wk, tail,
                                                 c > 0);
                }
            }
    }
}

/* ---- y = w ∗ x ---- */

static strips strips_of_image(const gnt_conv *s) {
    return (strips){s->c,  s->h, s->w, -s->pad, -s->pad, 1, s->stride, (s->oh - 1) * s->stride + s->kh,
                    s->kw, s->ow};
}

static void taps_of_image(const gnt_conv *s, const strips *m, taps *p) {
    p->n = s->kh * s->kw;
    p->d_step = s->kw * strip_size(m);
    p->w_step = p->n;
    for (int64_t i = 0; i < s->kh; i++)
        for (int64_t j = 0; j < s->kw; j++) {
            p->d[i * s->kw + j] = (int32_t)(j * strip_size(m) + row_place(m, i) * m->width);
            p->w[i * s->kw + j] = (int32_t)(i * s->kw + j);
        }
}

/* Computes y (n × o × oh × ow) from x (n × c × h × w) and w (o × c × kh × kw). */
static void conv(void *y_all, const void *x_all, const void *w, void *scratch, const gnt_conv *s) {
    float *y = y_all;
    const float *x = x_all;
    strips m = strips_of_image(s);
    taps p;
    taps_of_image(s, &m, &p);
    clear_padding(scratch, &m);
    for (int64_t n = 0; n < s->n; n++) {
        make_strips(scratch, x + n * s->c * s->h * s->w, &m);
        multiply(y + n * s->o * s->oh * s->ow, s->o, s->oh * s->ow, scratch, s->c, w, s->c * p.n, &p);
    }
}

/* ---- dx ---- */

/* Computes the image rows (or columns) h with h + pad = step·u + a: u from *first, *n of them; *taps: window
 * rows a, a + step, … */
static void parity(int64_t a, int64_t size, int64_t k, int64_t pad, int64_t step, int64_t *first, int64_t *n,
                   int64_t *window) {
    *first = pad <= a ? 0 : (pad - a + step - 1) / step;
    int64_t last = (size - 1 + pad - a) / step;
    *n = size - 1 + pad < a ? 0 : last - *first + 1;
    *window = k > a ? (k - a + step - 1) / step : 0;
}

/* Computes the strips of dy and the taps for image entries of row parity a and column parity b. Place (u, v)
 * has window entry (a + step·i, b + step·j) at dy (u − i, v − j). */
static void strips_of_parity(const gnt_conv *s, int64_t a, int64_t b, strips *m, taps *p, int64_t *rows,
                             int64_t *width) {
    int64_t u, v, high, wide;
    parity(a, s->h, s->kh, s->pad, s->stride, &u, rows, &high);
    parity(b, s->w, s->kw, s->pad, s->stride, &v, width, &wide);
    *m = (strips){s->o, s->oh, s->ow, u - (high - 1), v, -1, 1, *rows + high - 1, wide, *width};
    p->n = high * wide;
    p->d_step = wide * strip_size(m);
    p->w_step = s->c * s->kh * s->kw;
    for (int64_t i = 0; i < high; i++)
        for (int64_t j = 0; j < wide; j++) {
            p->d[i * wide + j] = (int32_t)(j * strip_size(m) + (high - 1 - i) * m->width);
            p->w[i * wide + j] = (int32_t)((a + s->stride * i) * s->kw + b + s->stride * j);
        }
}

/* Merges rows of even and odd columns, beginning with `even`, into a line of w. */
static void interleave(float *line, const float *even, const float *odd, int64_t w) {
    for (int64_t q = 0; q < w; q += 2 * V) {
        const vec e = vec_load_lanes(vec_lanes(0, (w - q + 1) / 2), even + q / 2);
        const vec o = vec_load_lanes(vec_lanes(0, (w - q) / 2), odd + q / 2);
        vec_store_first(line + q, vec_merge_low(e, o), w - q);
        vec_store_first(line + q + V, vec_merge_high(e, o), w - q - V);
    }
}

/* Computes dx of one image for row parity a from the two column parities; a parity without taps is zero. */
static void dx_rows(float *dx, const float *dy, const float *w, float *scratch, const gnt_conv *s, int64_t a,
                    int64_t d_size) {
    float *half[2] = {scratch + d_size,
                      scratch + d_size + s->c * ((s->h + 1) / 2 + 1) * ((s->w + 1) / 2 + 1)};
    int64_t rows = 0, width[2], first, window;
    for (int64_t b = 0; b < 2; b++) {
        strips m;
        taps p;
        strips_of_parity(s, a, b, &m, &p, &rows, &width[b]);
        if (p.n > 0 && rows > 0 && width[b] > 0) {
            clear_padding(scratch, &m);
            make_strips(scratch, dy, &m);
            multiply(half[b], s->c, rows * width[b], scratch, s->o, w, s->kh * s->kw, &p);
        } else {
            memset(half[b], 0, (size_t)(s->c * rows * width[b]) * sizeof *half[b]);
        }
    }
    parity(a, s->h, s->kh, s->pad, 2, &first, &rows, &window);
    int swapped = s->pad % 2; /* image column 0 has this parity */
    for (int64_t c = 0; c < s->c; c++)
        for (int64_t u = 0; u < rows; u++)
            interleave(dx + (c * s->h + 2 * (first + u) + a - s->pad) * s->w,
                       half[swapped] + (c * rows + u) * width[swapped],
                       half[!swapped] + (c * rows + u) * width[!swapped], s->w);
}

static int64_t dx_strips(const gnt_conv *s) {
    int64_t most = 0;
    for (int64_t a = 0; a < s->stride; a++)
        for (int64_t b = 0; b < s->stride; b++) {
            strips m;
            taps p;
            int64_t rows, width;
            strips_of_parity(s, a, b, &m, &p, &rows, &width);
            int64_t size = p.n > 0 && rows > 0 && width > 0 ? strips_size(&m) : 0;
            most = size > most ? size : most;
        }
    return most + 4 * V; /* the last vectors of a run may read beyond it */
}

/* Computes dx (n × c × h × w) from dy (n × o × oh × ow) and w (o × c × kh × kw). */
static void conv_dx(void *dx_all, const void *dy_all, const void *w, void *scratch, const gnt_conv *s) {
    float *dx = dx_all;
    const float *dy = dy_all;
    int64_t size = s->c * s->h * s->w, dy_size = s->o * s->oh * s->ow, d_size = dx_strips(s);
    for (int64_t n = 0; n < s->n && s->stride == 2; n++)
        for (int64_t a = 0; a < 2; a++)
            dx_rows(dx + n * size, dy + n * dy_size, w, scratch, s, a, d_size);
    if (s->stride == 2)
        return;
    strips m;
    taps p;
    int64_t rows, width;
    strips_of_parity(s, 0, 0, &m, &p, &rows, &width);
    clear_padding(scratch, &m);
    for (int64_t n = 0; n < s->n; n++) {
        make_strips(scratch, dy + n * dy_size, &m);
        multiply(dx + n * size, s->c, s->h * s->w, scratch, s->o, w, s->kh * s->kw, &p);
    }
}

/* ---- dw ---- */

/* Interleaves the entries of one to three channels, V places of a row at a time. */
static void interleave_channels(float *to, const float *x, const gnt_conv *s, int64_t rows, int64_t width) {
    int32_t first[3][V], second[3][V]; /* the first two channels; these and the third */
    for (int32_t e = 0; e < s->c * V; e++) {
        int32_t channel = e % (int32_t)s->c, place = e / (int32_t)s->c, v = e / V, l = e % V;
        first[v][l] = channel == 1 ? V + place : place;
        second[v][l] = channel == 2 ? V + place : l;
    }
    for (int64_t row = 0; row < rows; row++, x += s->w, to += width * s->c)
        for (int64_t q = 0; q < s->w; q += V) {
            const vec_mask m = vec_lanes(0, s->w - q);
            vec in[3] = {vec_zero(), vec_zero(), vec_zero()};
            for (int64_t c = 0; c < s->c; c++)
                in[c] = vec_load_lanes(m, x + c * s->h * s->w + q);
            for (int64_t v = 0; v < s->c; v++) {
                vec y = vec_pick(in[0], in[1], vec_index_load(first[v]));
                y = vec_pick(y, in[2], vec_index_load(second[v]));
                vec_store_first(to + q * s->c + v * V, y, (s->w - q) * s->c - v * V);
            }
        }
}

/* Copies the first rows of the image with its channels last: to[(row·width + column)·c + channel], within
 * padding that is already there. Under a row of the window are kw·c entries in a run. */
static void channels_last(float *to, const float *x, const gnt_conv *s, int64_t rows, int64_t width) {
    to += (s->pad * width + s->pad) * s->c;
    if (s->c <= 3) {
        interleave_channels(to, x, s, rows, width);
        return;
    }
    for (int64_t row = 0; row < rows; row++)
        for (int64_t c = 0; c < s->c; c += V)
            for (int64_t q = 0; q < s->w; q += V) {
                int64_t deep = s->c - c < V ? s->c - c : V, wide = s->w - q < V ? s->w - q : V;
                float *d = to + (row * width + q) * s->c + c;
                vec v[V];
                for (int64_t l = 0; l < V; l++)
                    v[l] = l < deep
                               ? vec_load_lanes(vec_lanes(0, wide), x + ((c + l) * s->h + row) * s->w + q)
                               : vec_zero();
                vec_turn_square(v);
                for (int64_t p = 0; p < wide; p++)
                    vec_store_first(d + p * s->c, v[p], deep);
            }
}

/* sum[o][V·v …] += Σ over places of dy[o, place]·(the vector at v.at[v] from the place's window), o < OT,
 * v < VT. */
typedef struct dw_vectors {
    int64_t at[ACROSS], step, row; /* from one place to the next, from one row of places to the next */
    int64_t first, last;           /* rows of places where some vector is on the image */
} dw_vectors;

VEC_INLINE void dw_tile(const int OT, const int VT, float *sum, int64_t sum_step, const float *dy,
                        const float *x, const gnt_conv *s, const dw_vectors *m) {
    int64_t area = s->oh * s->ow;
    vec t[HIGH][ACROSS], v[ACROSS];
    for (int o = 0; o < OT; o++)
        for (int q = 0; q < VT; q++)
            t[o][q] = vec_zero();
    x += m->first * m->row;
    dy += m->first * s->ow;
    for (int64_t row = m->first; row < m->last; row++, x += m->row) {
        const float *at[ACROSS];
        for (int q = 0; q < VT; q++)
            at[q] = x + m->at[q];
        for (int64_t p = 0, column = 0; column < s->ow; column++, p += m->step, dy++) {
            for (int q = 0; q < VT; q++)
                v[q] = vec_load(at[q] + p);
            for (int o = 0; o < OT; o++) {
                vec a = vec_all(dy[o * area]);
                for (int q = 0; q < VT; q++)
                    t[o][q] = vec_fma(a, v[q], t[o][q]);
            }
        }
    }
    for (int o = 0; o < OT; o++)
        for (int q = 0; q < VT; q++) {
            float *to = sum + o * sum_step + q * V;
            vec_store(to, vec_load(to) + t[o][q]);
        }
}

typedef void (*dw_fn)(float *sum, int64_t sum_step, const float *dy, const float *x, const gnt_conv *s,
                      const dw_vectors *m);
#define DW(OT, VT)                                                                                           \
    static void dw_##OT##_##VT(float *sum, int64_t sum_step, const float *dy, const float *x,                \
                               const gnt_conv *s, const dw_vectors *m) {                                     \
        dw_tile(OT < HIGH ? OT : HIGH, VT < ACROSS ? VT : ACROSS, sum, sum_step, dy, x, s, m);               \
    }
#define DWS(OT) DW(OT, 1) DW(OT, 2) DW(OT, 3) DW(OT, 4)
DWS(1)
DWS(2)
DWS(3)
DWS(4)
DWS(5)
DWS(6)
#define DW_ROW(OT)                                                                                           \
    { dw_##OT##_1, dw_##OT##_2, dw_##OT##_3, dw_##OT##_4 }
static const dw_fn dw_of[6][4] = {DW_ROW(1), DW_ROW(2), DW_ROW(3), DW_ROW(4), DW_ROW(5), DW_ROW(6)};

static int64_t whole(int64_t n) {
    return (n + V - 1) / V * V;
}

static int64_t dw_width(const gnt_conv *s) {
    int64_t met = (s->ow - 1) * s->stride + s->kw, image = s->w + s->pad;
    return met > image ? met : image;
}

/* Computes the rows of places that have a row of the image under some of window rows i … j. */
static void rows_met(const gnt_conv *s, int64_t i, int64_t j, int64_t *first, int64_t *last) {
    int64_t from = s->pad - j, to = s->h - 1 + s->pad - i;
    *first = from <= 0 ? 0 : (from + s->stride - 1) / s->stride;
    *last = to < 0 ? 0 : to / s->stride + 1;
    *last = *last < s->oh ? *last : s->oh;
    *first = *first < *last ? *first : *last;
}

static int64_t dw_height(const gnt_conv *s) {
    return (s->oh - 1) * s->stride + s->kh;
}

/* Computes dw (o × c × kh × kw) from x (n × c × h × w) and dy (n × o × oh × ow). */
static void conv_dw(void *dw_all, const void *x_all, const void *dy_all, void *scratch, const gnt_conv *s) {
    float *dw = dw_all;
    const float *x = x_all, *dy = dy_all;
    int64_t width = dw_width(s), height = dw_height(s), wide = whole(s->kw * s->c);
    int64_t in_row = wide / V, vectors = s->kh * in_row;
    float *image = scratch, *sum = image + height * width * s->c + 5 * V;
    dw_vectors m = {.step = s->stride * s->c, .row = s->stride * width * s->c};
    int64_t rows = height - s->pad < s->h ? height - s->pad : s->h; /* the last ones may be under no window */
    memset(image, 0, (size_t)(height * width * s->c + V) * sizeof *image);
    memset(sum, 0, (size_t)(s->o * vectors * V) * sizeof *sum);
    for (int64_t n = 0; n < s->n; n++, x += s->c * s->h * s->w, dy += s->o * s->oh * s->ow) {
        channels_last(image, x, s, rows, width);
        for (int64_t q = 0, vt; q < vectors; q += vt) {
            int64_t tiles = (vectors - q + ACROSS - 1) / ACROSS; /* as even as may be */
            vt = (vectors - q + tiles - 1) / tiles;
            for (int64_t v = 0; v < vt; v++)
                m.at[v] = (q + v) / in_row * width * s->c + (q + v) % in_row * V;
            rows_met(s, q / in_row, (q + vt - 1) / in_row, &m.first, &m.last);
            for (int64_t o = 0; o < s->o; o += HIGH) {
                int64_t ot = s->o - o < HIGH ? s->o - o : HIGH;
                dw_of[ot - 1][vt - 1](sum + (o * vectors + q) * V, vectors * V, dy + o * s->oh * s->ow, image,
                                      s, &m);
            }
        }
    }
    for (int64_t o = 0; o < s->o; o++)
        for (int64_t c = 0; c < s->c; c++)
            for (int64_t i = 0; i < s->kh; i++)
                for (int64_t j = 0; j < s->kw; j++, dw++)
                    *dw = sum[(o * s->kh + i) * wide + j * s->c + c];
}

/* ---- supported shapes ---- */

static int fits(const gnt_conv_case *q) {
    const gnt_conv *s = &q->s;
    if (s->stride > 2 || s->kh * s->kw > MOST_TAPS || s->pad >= s->kh || s->pad >= s->kw)
        return 0;
    if (s->h > 256 || s->w > 256 || s->oh > 256 || s->ow > 256 || s->c > 4096 || s->o > 4096 ||
        s->oh * s->ow < LEAST_PLACES)
        return 0;
    /* few places and many weights: packing them, as BLAS does, is faster */
    if (s->oh * s->ow < FEW_PLACES && s->o * s->c * s->kh * s->kw > MANY_WEIGHTS)
        return 0;
    strips m = strips_of_image(s);
    int64_t size = q->op == GNT_OP_CONV_DX ? dx_strips(s) : strips_size(&m);
    return size <= MOST_STRIPS;
}

static size_t scratch(int op, const gnt_conv *s) {
    strips m = strips_of_image(s);
    int64_t n = strips_size(&m) + 4 * V;
    if (op == GNT_OP_CONV_DX)
        n = dx_strips(s) + 2 * s->c * ((s->h + 1) / 2 + 1) * ((s->w + 1) / 2 + 1);
    if (op == GNT_OP_CONV_DW)
        n = dw_height(s) * dw_width(s) * s->c + 5 * V + s->o * s->kh * whole(s->kw * s->c);
    return (size_t)n * sizeof(float);
}

const gnt_conv_backend SIMD(gnt_conv_direct) = {.name = "direct",
                                                .vectors = 32 * V,
                                                .activations = GNT_LAYOUT_ROWS,
                                                .weights = GNT_LAYOUT_ROWS,
                                                .fits = fits,
                                                .scratch = scratch,
                                                .forward = conv,
                                                .dx = conv_dx,
                                                .dw = conv_dw};
