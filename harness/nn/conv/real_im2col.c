/* real_im2col: the three faces of convolution as im2col and OpenBLAS, for any sizes, of general
 * convolutions and as the back-end that fits every plain one.
 *
 * For one group of one image: col is (c/groups·kh·kw) × (oh·ow), the entries of x under the window at each
 * place, zeros in the padding. y = w·col          dx = col2im(wᵀ·dy)          dw = Σ_n dy·colᵀ */
#include <string.h>

#include "nn/conv/backends.h"
#include "nn/kernels/real.h"

/* A 1×1 window with stride 1 sees the image itself. */
static int pointwise(const gnt_general_conv *s) {
    return s->kh == 1 && s->kw == 1 && s->sh == 1 && s->sw == 1 && s->ph == 0 && s->pw == 0;
}

size_t NAME(columns_scratch)(const gnt_general_conv *s) {
    return pointwise(s) ? 0 : (size_t)(s->c / s->groups * s->kh * s->kw * s->oh * s->ow) * sizeof(real);
}

/* Places j of an output row for which j·stride + at lies inside [0, w): [*from, *to). */
static void inside(int64_t at, int64_t stride, int64_t w, int64_t n, int64_t *from, int64_t *to) {
    *from = at >= 0 ? 0 : (-at + stride - 1) / stride;
    *to = at >= w ? 0 : (w - 1 - at) / stride + 1;
    if (*to > n)
        *to = n;
    if (*from > *to)
        *from = *to;
}

/* One tap of a window that moves by one place over rows as long as those of its result: what lies under it, for
 * all places, is the image itself, `shift` entries on. Of places [first, last) in rows [top, bottom) the tap
 * lies on the image, or on the end of a neighbouring row; there, at places [0, from) and [to, ow) of each row,
 * it lies in the padding. */
typedef struct tap {
    int64_t shift, first, last, top, bottom, from, to;
} tap;

static int keeps_rows(const gnt_general_conv *s) {
    return s->sh == 1 && s->sw == 1 && s->ow == s->w;
}

static tap tap_of(const gnt_general_conv *s, int64_t i, int64_t j) {
    const int64_t down = i * s->dh - s->ph, at = j * s->dw - s->pw, pixels = s->h * s->w;
    tap t = {.shift = down * s->w + at};
    inside(down, 1, s->h, s->oh, &t.top, &t.bottom);
    inside(at, 1, s->w, s->ow, &t.from, &t.to);
    if (t.from == t.to)
        t.bottom = t.top;
    t.first = t.top * s->w;
    t.last = t.bottom * s->w;
    if (t.first < -t.shift)
        t.first = -t.shift < t.last ? -t.shift : t.last;
    if (t.last > pixels - t.shift)
        t.last = pixels - t.shift > t.first ? pixels - t.shift : t.first;
    return t;
}

/* Zeros where the tap lies beside the image. */
static void clear_sides(real *col, const tap *t, int64_t ow) {
    for (int64_t row = t->top; row < t->bottom; row++) {
        for (int64_t q = 0; q < t->from; q++)
            col[row * ow + q] = 0;
        for (int64_t q = t->to; q < ow; q++)
            col[row * ow + q] = 0;
    }
}

static void take_tap(real *col, const real *x, const gnt_general_conv *s, int64_t i, int64_t j) {
    const tap t = tap_of(s, i, j);
    memset(col, 0, (size_t)t.first * sizeof *col);
    memcpy(col + t.first, x + t.first + t.shift, (size_t)(t.last - t.first) * sizeof *col);
    memset(col + t.last, 0, (size_t)(s->oh * s->ow - t.last) * sizeof *col);
    clear_sides(col, &t, s->ow);
}

/* col is overwritten. */
static void add_tap(real *restrict x, real *restrict col, const gnt_general_conv *s, int64_t i, int64_t j) {
    const tap t = tap_of(s, i, j);
    clear_sides(col, &t, s->ow);
    for (int64_t q = t.first; q < t.last; q++)
        x[q + t.shift] += col[q];
}

static void take_rows(real *col, const real *x, const gnt_general_conv *s, int64_t i, int64_t j) {
    int64_t from, to, at = j * s->dw - s->pw;
    inside(at, s->sw, s->w, s->ow, &from, &to);
    for (int64_t row = 0; row < s->oh; row++, col += s->ow) {
        int64_t y = row * s->sh + i * s->dh - s->ph;
        if (y < 0 || y >= s->h || from == to) {
            memset(col, 0, (size_t)s->ow * sizeof *col);
            continue;
        }
        const real *line = x + y * s->w + at;
        for (int64_t q = 0; q < from; q++)
            col[q] = 0;
        if (s->sw == 1)
            memcpy(col + from, line + from, (size_t)(to - from) * sizeof *col);
        else
            for (int64_t q = from; q < to; q++)
                col[q] = line[q * s->sw];
        for (int64_t q = to; q < s->ow; q++)
            col[q] = 0;
    }
}

static void add_rows(real *x, const real *col, const gnt_general_conv *s, int64_t i, int64_t j) {
    int64_t from, to, at = j * s->dw - s->pw;
    inside(at, s->sw, s->w, s->ow, &from, &to);
    for (int64_t row = 0; row < s->oh; row++, col += s->ow) {
        int64_t y = row * s->sh + i * s->dh - s->ph;
        if (y < 0 || y >= s->h || from == to)
            continue;
        real *line = x + y * s->w;
        for (int64_t q = from; q < to; q++)
            line[q * s->sw + at] += col[q];
    }
}

/* x: the channels of one group. */
static void im2col(real *col, const real *x, const gnt_general_conv *s) {
    const int64_t places = s->oh * s->ow;
    for (int64_t c = 0; c < s->c / s->groups; c++, x += s->h * s->w)
        for (int64_t i = 0; i < s->kh; i++)
            for (int64_t j = 0; j < s->kw; j++, col += places)
                if (keeps_rows(s))
                    take_tap(col, x, s, i, j);
                else
                    take_rows(col, x, s, i, j);
}

/* col is overwritten. */
static void col2im(real *x, real *col, const gnt_general_conv *s) {
    const int64_t places = s->oh * s->ow;
    memset(x, 0, (size_t)(s->c / s->groups * s->h * s->w) * sizeof *x);
    for (int64_t c = 0; c < s->c / s->groups; c++, x += s->h * s->w)
        for (int64_t i = 0; i < s->kh; i++)
            for (int64_t j = 0; j < s->kw; j++, col += places)
                if (keeps_rows(s))
                    add_tap(x, col, s, i, j);
                else
                    add_rows(x, col, s, i, j);
}

/* Entries of one group: of a row of w (k), of x, of y, of w; and places. */
typedef struct part {
    int64_t k, x, y, w, places;
} part;

static part part_of(const gnt_general_conv *s) {
    int64_t k = s->c / s->groups * s->kh * s->kw, places = s->oh * s->ow, o = s->o / s->groups;
    return (part){k, s->c / s->groups * s->h * s->w, o * places, o * k, places};
}

/* y: n × o × oh × ow; x: n × c × h × w; w: o × c/groups × kh × kw. */
void NAME(columns_conv)(void *y_all, const void *x_all, const void *w_all, void *scratch,
                        const gnt_general_conv *s) {
    part p = part_of(s);
    real *y = y_all;
    const real *x = x_all, *w = w_all;
    for (int64_t i = 0; i < s->n * s->groups; i++, y += p.y, x += p.x) {
        const real *col = x;
        if (!pointwise(s)) {
            im2col(scratch, x, s);
            col = scratch;
        }
        NAME(multiply)(0, 0, s->o / s->groups, p.places, p.k, w + i % s->groups * p.w, col, 0, y);
    }
}

/* dx: n × c × h × w; dy: n × o × oh × ow; w: o × c/groups × kh × kw. */
void NAME(columns_conv_dx)(void *dx_all, const void *dy_all, const void *w_all, void *scratch,
                           const gnt_general_conv *s) {
    part p = part_of(s);
    real *dx = dx_all;
    const real *dy = dy_all, *w = w_all;
    for (int64_t i = 0; i < s->n * s->groups; i++, dy += p.y, dx += p.x) {
        NAME(multiply)
        (1, 0, p.k, p.places, s->o / s->groups, w + i % s->groups * p.w, dy, 0, pointwise(s) ? dx : scratch);
        if (!pointwise(s))
            col2im(dx, scratch, s);
    }
}

/* dw: o × c/groups × kh × kw; x: n × c × h × w; dy: n × o × oh × ow. */
void NAME(columns_conv_dw)(void *dw_all, const void *x_all, const void *dy_all, void *scratch,
                           const gnt_general_conv *s) {
    part p = part_of(s);
    real *dw = dw_all;
    const real *x = x_all, *dy = dy_all;
    for (int64_t i = 0; i < s->n * s->groups; i++, dy += p.y, x += p.x) {
        const real *col = x;
        if (!pointwise(s)) {
            im2col(scratch, x, s);
            col = scratch;
        }
        NAME(multiply)
        (0, 1, s->o / s->groups, p.k, p.places, dy, col, i >= s->groups, dw + i % s->groups * p.w);
    }
}

/* ---- the back-end of plain convolutions ---- */

static gnt_general_conv general(const gnt_conv *s) {
    return (gnt_general_conv){s->n,  s->c,      s->h,      s->w,   s->o,   s->kh, s->kw, s->oh,
                              s->ow, s->stride, s->stride, s->pad, s->pad, 1,     1,     1};
}

static int fits(const gnt_conv_case *q) {
    (void)q;
    return 1;
}

static size_t scratch_bytes(int op, const gnt_conv *s) {
    gnt_general_conv z = general(s);
    (void)op;
    return NAME(columns_scratch)(&z);
}

static void conv(void *y, const void *x, const void *w, void *scratch, const gnt_conv *s) {
    gnt_general_conv z = general(s);
    NAME(columns_conv)(y, x, w, scratch, &z);
}

static void conv_dx(void *dx, const void *dy, const void *w, void *scratch, const gnt_conv *s) {
    gnt_general_conv z = general(s);
    NAME(columns_conv_dx)(dx, dy, w, scratch, &z);
}

static void conv_dw(void *dw, const void *x, const void *dy, void *scratch, const gnt_conv *s) {
    gnt_general_conv z = general(s);
    NAME(columns_conv_dw)(dw, x, dy, scratch, &z);
}

const gnt_conv_backend NAME(conv_im2col) = {.name = "im2col",
                                            .activations = GNT_LAYOUT_ROWS,
                                            .weights = GNT_LAYOUT_ROWS,
                                            .fits = fits,
                                            .scratch = scratch_bytes,
                                            .forward = conv,
                                            .dx = conv_dx,
                                            .dw = conv_dw};
