/* real_plain: convolution by plain loops that follow its definition. Slow and short, for tests to compare
 * with. */
#include "nn/conv/backends.h"
#include "nn/kernels/real.h"

/* Calls BODY for each (image n, in channel c, out channel o, window place i j, result place p q) whose image
 * place (h, w) is inside; X, W and Y are then the three offsets. */
#define TRILINEAR(s, BODY)                                                                                   \
    for (int64_t n = 0; n < (s)->n; n++)                                                                     \
        for (int64_t o = 0; o < (s)->o; o++)                                                                 \
            for (int64_t c = 0; c < (s)->c; c++)                                                             \
                for (int64_t i = 0; i < (s)->kh; i++)                                                        \
                    for (int64_t j = 0; j < (s)->kw; j++)                                                    \
                        for (int64_t p = 0; p < (s)->oh; p++)                                                \
                            for (int64_t q = 0; q < (s)->ow; q++) {                                          \
                                int64_t h = p * (s)->stride + i - (s)->pad,                                  \
                                        w = q * (s)->stride + j - (s)->pad;                                  \
                                if (h < 0 || h >= (s)->h || w < 0 || w >= (s)->w)                            \
                                    continue;                                                                \
                                int64_t X = ((n * (s)->c + c) * (s)->h + h) * (s)->w + w;                    \
                                int64_t W = ((o * (s)->c + c) * (s)->kh + i) * (s)->kw + j;                  \
                                int64_t Y = ((n * (s)->o + o) * (s)->oh + p) * (s)->ow + q;                  \
                                BODY;                                                                        \
                            }

static void zero(real *y, int64_t n) {
    for (int64_t i = 0; i < n; i++)
        y[i] = 0;
}

/* Computes y (n × o × oh × ow) from x (n × c × h × w) and w (o × c × kh × kw). */
static void conv(void *y_all, const void *x_all, const void *w_all, void *scratch, const gnt_conv *s) {
    real *y = y_all;
    const real *x = x_all, *weight = w_all;
    (void)scratch;
    zero(y, s->n * s->o * s->oh * s->ow);
    TRILINEAR(s, y[Y] += x[X] * weight[W])
}

/* Computes dx (n × c × h × w) from dy (n × o × oh × ow) and w (o × c × kh × kw). */
static void conv_dx(void *dx_all, const void *dy_all, const void *w_all, void *scratch, const gnt_conv *s) {
    real *dx = dx_all;
    const real *dy = dy_all, *weight = w_all;
    (void)scratch;
    zero(dx, s->n * s->c * s->h * s->w);
    TRILINEAR(s, dx[X] += dy[Y] * weight[W])
}

/* Computes dw (o × c × kh × kw) from x (n × c × h × w) and dy (n × o × oh × ow). */
static void conv_dw(void *dw_all, const void *x_all, const void *dy_all, void *scratch, const gnt_conv *s) {
    real *dw = dw_all;
    const real *x = x_all, *dy = dy_all;
    (void)scratch;
    zero(dw, s->o * s->c * s->kh * s->kw);
    TRILINEAR(s, dw[W] += x[X] * dy[Y])
}

static int fits(const gnt_conv_case *q) {
    (void)q;
    return 1;
}

const gnt_conv_backend NAME(conv_plain) = {.name = "plain",
                                           .activations = GNT_LAYOUT_ROWS,
                                           .weights = GNT_LAYOUT_ROWS,
                                           .fits = fits,
                                           .forward = conv,
                                           .dx = conv_dx,
                                           .dw = conv_dw};
