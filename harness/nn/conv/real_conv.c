/* real_conv: matrix products and the three faces of convolution, as im2col and BLAS; in float the shapes that fit go
 * to narrow.c and direct.c, and those in other layouts to lanes.c, winograd.c and four.c.
 *
 * For one image: col is (c·kh·kw) × (oh·ow), the entries of x under the window at each place, zeros in the
 * padding. y = w·col          dx = col2im(wᵀ·dy)          dw = Σ_n dy·colᵀ */
#include <string.h>

#include <cblas.h>

#include "nn/conv/direct.h"
#include "nn/conv/four.h"
#include "nn/conv/narrow.h"
#include "nn/kernels/real.h"
#include "nn/conv/lanes.h"
#include "nn/conv/winograd.h"

#ifdef GNT_REAL_F64
#define BLAS_GEMM cblas_dgemm
#define DIRECT(op, samples, winograd, four, narrow, direct) ((void)0)
#else
#define BLAS_GEMM cblas_sgemm
#define DIRECT(op, samples, winograd, four, narrow, direct)                                                  \
    do {                                                                                                     \
        if (s->way == GNT_CONV_SAMPLES) {                                                                    \
            samples;                                                                                         \
            return;                                                                                          \
        }                                                                                                    \
        if (s->way == GNT_CONV_WINOGRAD) {                                                                   \
            winograd;                                                                                        \
            return;                                                                                          \
        }                                                                                                    \
        if (s->way == GNT_CONV_FOUR) {                                                                       \
            four;                                                                                            \
            return;                                                                                          \
        }                                                                                                    \
        if (gnt_narrow_fits(s)) {                                                                            \
            narrow;                                                                                          \
            return;                                                                                          \
        }                                                                                                    \
        if (gnt_direct_fits(op, s)) {                                                                        \
            direct;                                                                                          \
            return;                                                                                          \
        }                                                                                                    \
    } while (0)
#endif

static void gemm(int ta, int tb, int64_t m, int64_t n, int64_t k, const real *a, int64_t lda, const real *b,
                 int64_t ldb, real beta, real *c) {
    BLAS_GEMM(CblasRowMajor, ta ? CblasTrans : CblasNoTrans, tb ? CblasTrans : CblasNoTrans, (blasint)m,
              (blasint)n, (blasint)k, 1, a, (blasint)lda, b, (blasint)ldb, beta, c, (blasint)n);
}

void NAME(gemm)(void *c, const void *a, const void *b, const gnt_gemm *s) {
    gemm(s->ta, s->tb, s->m, s->n, s->k, a, s->ta ? s->m : s->k, b, s->tb ? s->k : s->n, 0, c);
}

/* A 1×1 window with stride 1 sees the image itself. */
static int pointwise(const gnt_conv *s) {
    return s->kh == 1 && s->kw == 1 && s->stride == 1 && s->pad == 0;
}

size_t NAME(conv_scratch)(int op, const gnt_conv *s) {
#ifndef GNT_REAL_F64
    if (s->way == GNT_CONV_SAMPLES)
        return gnt_lanes_scratch(op, s);
    if (s->way == GNT_CONV_WINOGRAD)
        return gnt_winograd_scratch(s);
    if (s->way == GNT_CONV_FOUR)
        return 0;
    if (gnt_narrow_fits(s))
        return gnt_narrow_scratch(s);
    if (gnt_direct_fits(op, s))
        return gnt_direct_scratch(op, s);
#endif
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

void NAME(conv)(void *y_all, const void *x_all, const void *w, void *scratch, const gnt_conv *s) {
    DIRECT(GNT_OP_CONV, gnt_lanes_conv(y_all, x_all, w, scratch, s),
           gnt_winograd_conv(y_all, x_all, w, scratch, s), gnt_four_conv(y_all, x_all, w, s),
           gnt_narrow_conv(y_all, x_all, w, scratch, s), gnt_direct_conv(y_all, x_all, w, scratch, s));
    int64_t k = s->c * s->kh * s->kw, places = s->oh * s->ow;
    real *y = y_all;
    const real *x = x_all;
    for (int64_t i = 0; i < s->n; i++, y += s->o * places, x += s->c * s->h * s->w) {
        const real *col = x;
        if (!pointwise(s)) {
            im2col(scratch, x, s);
            col = scratch;
        }
        gemm(0, 0, s->o, places, k, w, k, col, places, 0, y);
    }
}

void NAME(conv_dx)(void *dx_all, const void *dy_all, const void *w, void *scratch, const gnt_conv *s) {
    DIRECT(GNT_OP_CONV_DX, gnt_lanes_conv_dx(dx_all, dy_all, w, scratch, s),
           gnt_winograd_conv_dx(dx_all, dy_all, w, scratch, s), gnt_four_conv_dx(dx_all, dy_all, w, s),
           gnt_narrow_conv_dx(dx_all, dy_all, w, scratch, s),
           gnt_direct_conv_dx(dx_all, dy_all, w, scratch, s));
    int64_t k = s->c * s->kh * s->kw, places = s->oh * s->ow;
    real *dx = dx_all;
    const real *dy = dy_all;
    for (int64_t i = 0; i < s->n; i++, dy += s->o * places, dx += s->c * s->h * s->w) {
        gemm(1, 0, k, places, s->o, w, k, dy, places, 0, pointwise(s) ? dx : scratch);
        if (!pointwise(s))
            col2im(dx, scratch, s);
    }
}

void NAME(conv_dw)(void *dw, const void *x_all, const void *dy_all, void *scratch, const gnt_conv *s) {
    DIRECT(GNT_OP_CONV_DW, gnt_lanes_conv_dw(dw, x_all, dy_all, scratch, s), (void)0, (void)0,
           gnt_narrow_conv_dw(dw, x_all, dy_all, scratch, s),
           gnt_direct_conv_dw(dw, x_all, dy_all, scratch, s));
    int64_t k = s->c * s->kh * s->kw, places = s->oh * s->ow;
    const real *x = x_all, *dy = dy_all;
    for (int64_t i = 0; i < s->n; i++, dy += s->o * places, x += s->c * s->h * s->w) {
        const real *col = x;
        if (!pointwise(s)) {
            im2col(scratch, x, s);
            col = scratch;
        }
        gemm(0, 1, s->o, k, places, dy, places, col, places, i > 0, dw);
    }
}
