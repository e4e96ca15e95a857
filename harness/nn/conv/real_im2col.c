/* real_im2col: the three faces of convolution as im2col and OpenBLAS, for any sizes.
 *
 * For one image: col is (c·kh·kw) × (oh·ow), the entries of x under the window at each place, zeros in the
 * padding. y = w·col          dx = col2im(wᵀ·dy)          dw = Σ_n dy·colᵀ */
#include <string.h>

#include "nn/conv/backends.h"
#include "nn/kernels/real.h"

/* A 1×1 window with stride 1 sees the image itself. */
static int pointwise(const gnt_conv *s) {
    return s->kh == 1 && s->kw == 1 && s->stride == 1 && s->pad == 0;
}

static int fits(const gnt_conv_case *q) {
    (void)q;
    return 1;
}

static size_t scratch_bytes(int op, const gnt_conv *s) {
    (void)op;
    return pointwise(s) ? 0 : (size_t)(s->c * s->kh * s->kw * s->oh * s->ow) * sizeof(real);
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

static void im2col(real *col, const real *x, const gnt_conv *s) {
    for (int64_t c = 0; c < s->c; c++, x += s->h * s->w)
        for (int64_t i = 0; i < s->kh; i++)
            for (int64_t j = 0; j < s->kw; j++) {
                int64_t from, to;
                inside(j - s->pad, s->stride, s->w, s->ow, &from, &to);
                for (int64_t row = 0; row < s->oh; row++, col += s->ow) {
                    int64_t y = row * s->stride + i - s->pad;
                    if (y < 0 || y >= s->h || from == to) {
                        memset(col, 0, (size_t)s->ow * sizeof *col);
                        continue;
                    }
                    const real *line = x + y * s->w + j - s->pad;
                    for (int64_t q = 0; q < from; q++)
                        col[q] = 0;
                    if (s->stride == 1)
                        memcpy(col + from, line + from, (size_t)(to - from) * sizeof *col);
                    else
                        for (int64_t q = from; q < to; q++)
                            col[q] = line[q * s->stride];
                    for (int64_t q = to; q < s->ow; q++)
                        col[q] = 0;
                }
            }
}

static void col2im(real *x, const real *col, const gnt_conv *s) {
    memset(x, 0, (size_t)(s->c * s->h * s->w) * sizeof *x);
    for (int64_t c = 0; c < s->c; c++, x += s->h * s->w)
        for (int64_t i = 0; i < s->kh; i++)
            for (int64_t j = 0; j < s->kw; j++) {
                int64_t from, to;
                inside(j - s->pad, s->stride, s->w, s->ow, &from, &to);
                for (int64_t row = 0; row < s->oh; row++, col += s->ow) {
                    int64_t y = row * s->stride + i - s->pad;
                    if (y < 0 || y >= s->h || from == to)
                        continue;
                    real *line = x + y * s->w;
                    for (int64_t q = from; q < to; q++)
                        line[q * s->stride + j - s->pad] += col[q];
                }
            }
}

/* y: n × o × oh × ow; x: n × c × h × w; w: o × c × kh × kw. */
static void conv(void *y_all, const void *x_all, const void *w, void *scratch, const gnt_conv *s) {
    int64_t k = s->c * s->kh * s->kw, places = s->oh * s->ow;
    real *y = y_all;
    const real *x = x_all;
    for (int64_t i = 0; i < s->n; i++, y += s->o * places, x += s->c * s->h * s->w) {
        const real *col = x;
        if (!pointwise(s)) {
            im2col(scratch, x, s);
            col = scratch;
        }
        NAME(multiply)(0, 0, s->o, places, k, w, col, 0, y);
    }
}

/* dx: n × c × h × w; dy: n × o × oh × ow; w: o × c × kh × kw. */
static void conv_dx(void *dx_all, const void *dy_all, const void *w, void *scratch, const gnt_conv *s) {
    int64_t k = s->c * s->kh * s->kw, places = s->oh * s->ow;
    real *dx = dx_all;
    const real *dy = dy_all;
    for (int64_t i = 0; i < s->n; i++, dy += s->o * places, dx += s->c * s->h * s->w) {
        NAME(multiply)(1, 0, k, places, s->o, w, dy, 0, pointwise(s) ? dx : scratch);
        if (!pointwise(s))
            col2im(dx, scratch, s);
    }
}

/* dw: o × c × kh × kw; x: n × c × h × w; dy: n × o × oh × ow. */
static void conv_dw(void *dw, const void *x_all, const void *dy_all, void *scratch, const gnt_conv *s) {
    int64_t k = s->c * s->kh * s->kw, places = s->oh * s->ow;
    const real *x = x_all, *dy = dy_all;
    for (int64_t i = 0; i < s->n; i++, dy += s->o * places, x += s->c * s->h * s->w) {
        const real *col = x;
        if (!pointwise(s)) {
            im2col(scratch, x, s);
            col = scratch;
        }
        NAME(multiply)(0, 1, s->o, k, places, dy, col, i > 0, dw);
    }
}

const gnt_conv_backend NAME(conv_im2col) = {.name = "im2col",
                                            .activations = GNT_LAYOUT_ROWS,
                                            .weights = GNT_LAYOUT_ROWS,
                                            .fits = fits,
                                            .scratch = scratch_bytes,
                                            .forward = conv,
                                            .dx = conv_dx,
                                            .dw = conv_dw};
