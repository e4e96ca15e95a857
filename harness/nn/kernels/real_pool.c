/* real_pool: pooling over planes, and kernels on rows of the last axis. */
#include <math.h>
#include <string.h>

#include "nn/kernels/loops.h"

/* Computes [*from, *to), the entries of an axis of n that window i covers; never empty. *whole: the window's
 * entries within the padded axis. */
static void window(int64_t i, int64_t k, int64_t stride, int64_t pad, int64_t n, int64_t *from, int64_t *to,
                   int64_t *whole) {
    int64_t start = i * stride - pad, end = start + k;
    *whole = (end < n + pad ? end : n + pad) - start;
    *from = start > 0 ? start : 0;
    *to = end < n ? end : n;
}

/* True if all windows are adjacent squares of 2 × 2 within the image. */
static int are_squares(const gnt_pool *s) {
    return s->kh == 2 && s->kw == 2 && s->sh == 2 && s->sw == 2 && s->ph == 0 && s->pw == 0 &&
           2 * s->oh <= s->h && 2 * s->ow <= s->w;
}

/* Computes y (planes × oh × ow) from x (planes × h × w). Ties go to the lowest index, and a NaN is the
 * greatest. */
void NAME(max_index)(int32_t *y, const void *x_all, const gnt_pool *s) {
    const NAME(loops) *loops = are_squares(s) ? NAME(loops_best)() : NULL;
    const real *x = x_all, *x_end = x + s->planes * s->h * s->w;
    const int32_t *y_end = y + s->planes * s->oh * s->ow;
    for (int64_t plane = 0; plane < s->planes; plane++, x += s->h * s->w)
        for (int64_t p = 0; p < s->oh; p++) {
            int64_t top, bottom, left, right, whole;
            if (loops) {
                const int64_t most = (s->ow + GNT_LOOP_SQUARES - 1) / GNT_LOOP_SQUARES * GNT_LOOP_SQUARES;
                const int beyond = most <= y_end - y && 2 * most <= x_end - (x + (2 * p + 1) * s->w);
                loops->max_of_squares(y, x, (int32_t)(2 * p * s->w), (int32_t)s->w, s->ow, beyond);
                y += s->ow;
                continue;
            }
            window(p, s->kh, s->sh, s->ph, s->h, &top, &bottom, &whole);
            for (int64_t q = 0; q < s->ow; q++) {
                window(q, s->kw, s->sw, s->pw, s->w, &left, &right, &whole);
                int64_t best = top * s->w + left;
                for (int64_t i = top; i < bottom; i++)
                    for (int64_t j = left; j < right; j++) {
                        real v = x[i * s->w + j], most = x[best];
                        if (v > most || (isnan(v) && !isnan(most)))
                            best = i * s->w + j;
                    }
                *y++ = (int32_t)best;
            }
        }
}

/* Computes y (planes × oh × ow) from x (planes × h × w). */
void NAME(avg_pool)(void *y_all, const void *x_all, const gnt_pool *s) {
    real *y = y_all;
    const real *x = x_all;
    for (int64_t plane = 0; plane < s->planes; plane++, x += s->h * s->w)
        for (int64_t p = 0; p < s->oh; p++)
            for (int64_t q = 0; q < s->ow; q++) {
                int64_t top, bottom, left, right, high, wide;
                window(p, s->kh, s->sh, s->ph, s->h, &top, &bottom, &high);
                window(q, s->kw, s->sw, s->pw, s->w, &left, &right, &wide);
                int64_t n = s->count_pad ? high * wide : (bottom - top) * (right - left);
                double sum = 0;
                for (int64_t i = top; i < bottom; i++)
                    for (int64_t j = left; j < right; j++)
                        sum += (double)x[i * s->w + j];
                *y++ = (real)(sum / (double)n);
            }
}

/* Computes dx (planes × h × w) from dy (planes × oh × ow). */
void NAME(avg_pool_dx)(void *dx_all, const void *dy_all, const gnt_pool *s) {
    real *dx = dx_all;
    const real *dy = dy_all;
    memset(dx, 0, (size_t)(s->planes * s->h * s->w) * sizeof *dx);
    for (int64_t plane = 0; plane < s->planes; plane++, dx += s->h * s->w)
        for (int64_t p = 0; p < s->oh; p++)
            for (int64_t q = 0; q < s->ow; q++) {
                int64_t top, bottom, left, right, high, wide;
                window(p, s->kh, s->sh, s->ph, s->h, &top, &bottom, &high);
                window(q, s->kw, s->sw, s->pw, s->w, &left, &right, &wide);
                int64_t n = s->count_pad ? high * wide : (bottom - top) * (right - left);
                real part = *dy++ / (real)n;
                for (int64_t i = top; i < bottom; i++)
                    for (int64_t j = left; j < right; j++)
                        dx[i * s->w + j] += part;
            }
}

/* Computes y (rows) from x (rows × n). */
void NAME(log_sum_exp)(void *y_all, const void *x_all, const gnt_rows *s) {
    real *y = y_all;
    const real *x = x_all;
    for (int64_t row = 0; row < s->rows; row++, x += s->n) {
        real most = x[0];
        for (int64_t j = 1; j < s->n; j++)
            most = x[j] > most ? x[j] : most;
        if (isinf(most)) { /* +∞ wins; all −∞ is the empty sum */
            y[row] = most;
            continue;
        }
        double sum = 0;
        for (int64_t j = 0; j < s->n; j++)
            sum += exp((double)x[j] - (double)most);
        y[row] = (real)((double)most + log(sum));
    }
}

/* Computes y (rows) from x (rows × n). Ties go to the lowest index, and a NaN is the greatest. */
void NAME(argmax)(int32_t *y, const void *x_all, const gnt_rows *s) {
    const real *x = x_all;
    for (int64_t row = 0; row < s->rows; row++, x += s->n) {
        int64_t best = 0;
        for (int64_t j = 1; j < s->n; j++)
            if (x[j] > x[best] || (isnan(x[j]) && !isnan(x[best])))
                best = j;
        y[row] = (int32_t)best;
    }
}

/* Computes y (rows × m) from x (rows × n) and index (rows × m, below n). */
void NAME(gather)(void *y_all, const void *x_all, const int32_t *index, const gnt_rows *s) {
    real *y = y_all;
    const real *x = x_all;
    for (int64_t row = 0; row < s->rows; row++, x += s->n, index += s->m)
        for (int64_t j = 0; j < s->m; j++)
            *y++ = x[index[j]];
}

/* Computes y (rows × n) from x (rows × m) and index (rows × m, below n). */
void NAME(scatter)(void *y_all, const void *x_all, const int32_t *index, const gnt_rows *s) {
    real *y = y_all;
    const real *x = x_all;
    memset(y, 0, (size_t)(s->rows * s->n) * sizeof *y);
    for (int64_t row = 0; row < s->rows; row++, y += s->n, index += s->m)
        for (int64_t j = 0; j < s->m; j++)
            y[index[j]] += *x++;
}
