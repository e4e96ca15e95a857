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

/* x: the channels of one group. */
static void im2col(real *col, const real *x, const gnt_general_conv *s) {
    for (int64_t c = 0; c < s->c / s->groups; c++, x += s->h * s->w)
        for (int64_t i = 0; i < s->kh; i++)
            for (int64_t j = 0; j < s->kw; j++) {
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
}

static void col2im(real *x, const real *col, const gnt_general_conv *s) {
    memset(x, 0, (size_t)(s->c / s->groups * s->h * s->w) * sizeof *x);
    for (int64_t c = 0; c < s->c / s->groups; c++, x += s->h * s->w)
        for (int64_t i = 0; i < s->kh; i++)
            for (int64_t j = 0; j < s->kw; j++) {
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
