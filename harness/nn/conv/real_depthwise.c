/* real_depthwise: the three faces of a convolution whose groups have one channel each and whose window moves
 * by one pixel. As products of matrices they would have one row, and im2col would write each pixel kh·kw
 * times.
 *
 * The image is copied into a frame with its padding, `wide` entries a row. There tap (i, j) of a result at
 * p·wide + q is at p·wide + q + i·dh·wide + j·dw: one distance for all results, which are computed in one
 * run over the frame. Entries between the end of a row of results and the next are computed too and ignored.
 *   conv    y[t]  = Σ w[i, j]·frame(x)[t + at(i, j)]
 *   conv_dx dx[t] = Σ w[i, j]·frame(dy)[t + last − at(i, j)], a frame of as much padding as taps may reach
 *   conv_dw dw[i, j] = Σ frame(x)[t + at(i, j)]·dy[t], zeros between the rows of dy */
#include <string.h>

#include "nn/conv/backends.h"
#include "nn/kernels/loops.h"

/* An image of h × w in a frame of tall × wide, the first pixel at (top, left); a run covers results. */
typedef struct frame {
    int64_t h, w, tall, wide, top, left, run;
} frame;

static int64_t in_blocks(int64_t n) {
    return (n + GNT_LOOP_BLOCK - 1) / GNT_LOOP_BLOCK * GNT_LOOP_BLOCK;
}

/* Returns the entries of the frame and those after it that a run in blocks reads. */
static int64_t frame_size(const frame *f) {
    return f->tall * f->wide + GNT_LOOP_BLOCK;
}

static frame frame_of_x(const gnt_general_conv *s) {
    int64_t wide = s->w + 2 * s->pw;
    return (frame){s->h, s->w, s->h + 2 * s->ph, wide, s->ph, s->pw, in_blocks((s->oh - 1) * wide + s->ow)};
}

static frame frame_of_dy(const gnt_general_conv *s) {
    int64_t down = (s->kh - 1) * s->dh, right = (s->kw - 1) * s->dw, wide = s->w + right;
    return (frame){
        s->oh, s->ow, s->h + down, wide, down - s->ph, right - s->pw, in_blocks((s->h - 1) * wide + s->w)};
}

/* Returns the bytes of a frame and a run of results; conv_dw has all of dy there, in rows as wide as the
 * frame. */
size_t NAME(depthwise_scratch)(const gnt_general_conv *s) {
    frame x = frame_of_x(s), dy = frame_of_dy(s);
    int64_t one = frame_size(&x) + s->oh * x.wide + GNT_LOOP_BLOCK, two = frame_size(&dy) + dy.run;
    return (size_t)(one > two ? one : two) * sizeof(real);
}

static void put(real *to, const real *image, const frame *f) {
    memset(to, 0, (size_t)frame_size(f) * sizeof *to);
    for (int64_t i = 0; i < f->h; i++)
        memcpy(to + (f->top + i) * f->wide + f->left, image + i * f->w, (size_t)f->w * sizeof *to);
}

static void take(real *image, const real *run, int64_t h, int64_t w, int64_t wide) {
    for (int64_t i = 0; i < h; i++)
        memcpy(image + i * w, run + i * wide, (size_t)w * sizeof *run);
}

/* Computes y (n × o × oh × ow) from x (n × c × h × w) and w (o × 1 × kh × kw). */
void NAME(depthwise_conv)(void *y_all, const void *x_all, const void *w_all, void *scratch,
                          const gnt_general_conv *s) {
    const NAME(loops) *loops = NAME(loops_best)();
    frame f = frame_of_x(s);
    int64_t each = s->o / s->c, taps = s->kh * s->kw;
    real *y = y_all, *run = (real *)scratch + frame_size(&f);
    const real *x = x_all;
    for (int64_t i = 0; i < s->n * s->c; i++, x += s->h * s->w) {
        const real *w = (const real *)w_all + i % s->c * each * taps;
        put(scratch, x, &f);
        for (int64_t k = 0; k < each; k++, y += s->oh * s->ow, w += taps) {
            memset(run, 0, (size_t)f.run * sizeof *run);
            loops->add_window(run, scratch, w, s->kh, s->kw, s->dh * f.wide, s->dw, f.run);
            take(y, run, s->oh, s->ow, f.wide);
        }
    }
}

/* Computes dx (n × c × h × w) from dy (n × o × oh × ow) and w (o × 1 × kh × kw). */
void NAME(depthwise_conv_dx)(void *dx_all, const void *dy_all, const void *w_all, void *scratch,
                             const gnt_general_conv *s) {
    const NAME(loops) *loops = NAME(loops_best)();
    frame f = frame_of_dy(s);
    int64_t each = s->o / s->c, taps = s->kh * s->kw, down = s->dh * f.wide;
    int64_t last = (s->kh - 1) * down + (s->kw - 1) * s->dw;
    real *dx = dx_all, *run = (real *)scratch + frame_size(&f);
    const real *dy = dy_all;
    for (int64_t i = 0; i < s->n * s->c; i++, dx += s->h * s->w) {
        const real *w = (const real *)w_all + i % s->c * each * taps;
        memset(run, 0, (size_t)f.run * sizeof *run);
        for (int64_t k = 0; k < each; k++, dy += s->oh * s->ow, w += taps) {
            put(scratch, dy, &f);
            loops->add_window(run, (real *)scratch + last, w, s->kh, s->kw, -down, -s->dw, f.run);
        }
        take(dx, run, s->h, s->w, f.wide);
    }
}

/* Computes dw (o × 1 × kh × kw) from x (n × c × h × w) and dy (n × o × oh × ow). */
void NAME(depthwise_conv_dw)(void *dw_all, const void *x_all, const void *dy_all, void *scratch,
                             const gnt_general_conv *s) {
    const NAME(loops) *loops = NAME(loops_best)();
    frame f = frame_of_x(s), rows = {s->oh, s->ow, s->oh, f.wide, 0, 0, 0};
    int64_t each = s->o / s->c, taps = s->kh * s->kw, n = (s->oh - 1) * f.wide + s->ow;
    real *spread = (real *)scratch + frame_size(&f);
    const real *x = x_all, *dy = dy_all;
    memset(dw_all, 0, (size_t)(s->o * taps) * sizeof(real));
    for (int64_t i = 0; i < s->n * s->c; i++, x += s->h * s->w) {
        real *dw = (real *)dw_all + i % s->c * each * taps;
        put(scratch, x, &f);
        for (int64_t k = 0; k < each; k++, dy += s->oh * s->ow, dw += taps) {
            put(spread, dy, &rows);
            for (int64_t t = 0; t < taps; t++) {
                const real *under = (real *)scratch + t / s->kw * s->dh * f.wide + t % s->kw * s->dw;
                dw[t] += (real)loops->dot(under, spread, n);
            }
        }
    }
}
