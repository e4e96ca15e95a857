#include "prior/matrix_rows.h"

/* Loops without sums along a vector, compiled for the widest vectors that the processor has: the bits are the
 * same with any of them, as no sum changes its order and C11 fuses no product with a sum. */
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC optimize("O3")
#if defined(__x86_64__)
#define WIDEST __attribute__((target_clones("avx512f", "avx2", "default")))
#endif
#endif
#ifndef WIDEST
#define WIDEST
#endif

enum { TOGETHER = 8, STRIP = 16 };

WIDEST void rows_combine(const float *restrict a, int64_t n, int64_t d, const double *restrict by,
                         double *restrict out) {
    int64_t i = 0;
    for (; i + 4 <= n; i += 4) {
        const float *a0 = a + i * d, *a1 = a0 + d, *a2 = a1 + d, *a3 = a2 + d;
        const double b0 = by[i], b1 = by[i + 1], b2 = by[i + 2], b3 = by[i + 3];
        if (b0 != 0 || b1 != 0 || b2 != 0 || b3 != 0)
            for (int64_t k = 0; k < d; k++)
                out[k] = out[k] + b0 * (double)a0[k] + b1 * (double)a1[k] + b2 * (double)a2[k] +
                         b3 * (double)a3[k];
    }
    for (; i < n; i++)
        for (int64_t k = 0; k < d; k++)
            out[k] += by[i] * (double)a[i * d + k];
}

WIDEST void rows_combine_floats(const float *restrict a, int64_t n, int64_t d, const double *restrict by,
                                double *restrict out) {
    int64_t i = 0;
    for (; i + TOGETHER <= n; i += TOGETHER) {
        const float *of = a + i * d;
        float b[TOGETHER];
        int any = 0;
        for (int j = 0; j < TOGETHER; j++) {
            b[j] = (float)by[i + j];
            any |= b[j] != 0;
        }
        for (int64_t k = 0; any && k < d; k++)
            out[k] +=
                (double)(((b[0] * of[k] + b[1] * of[d + k]) + (b[2] * of[2 * d + k] + b[3] * of[3 * d + k])) +
                         ((b[4] * of[4 * d + k] + b[5] * of[5 * d + k]) +
                          (b[6] * of[6 * d + k] + b[7] * of[7 * d + k])));
    }
    rows_combine(a + i * d, n - i, d, by + i, out);
}

/* Adds eight rows of a to the first n entries of row r of m. */
static inline void add_eight(const float *restrict a, int64_t d, const double *by, int64_t r, int64_t n,
                             double *restrict m) {
    float b[TOGETHER];
    for (int j = 0; j < TOGETHER; j++)
        b[j] = (float)by[j] * a[j * d + r];
    for (int64_t k = 0; k < n; k++)
        m[k] += (double)(((b[0] * a[k] + b[1] * a[d + k]) + (b[2] * a[2 * d + k] + b[3] * a[3 * d + k])) +
                         ((b[4] * a[4 * d + k] + b[5] * a[5 * d + k]) +
                          (b[6] * a[6 * d + k] + b[7] * a[7 * d + k])));
}

/* Goes through m in strips of rows that stay in the first-level cache. */
WIDEST void rows_squares(const float *restrict a, int64_t n, int64_t d, const double *restrict by,
                         double *restrict m) {
    for (int64_t strip = 0; strip < d; strip += STRIP) {
        const int64_t end = strip + STRIP < d ? strip + STRIP : d;
        int64_t i = 0;
        for (; i + TOGETHER <= n; i += TOGETHER)
            for (int64_t r = strip; r < end; r++)
                add_eight(a + i * d, d, by + i, r, end, m + r * d);
        for (; i < n; i++)
            for (int64_t r = strip; r < end; r++)
                for (int64_t k = 0; k < end; k++)
                    m[r * d + k] += by[i] * (double)a[i * d + r] * (double)a[i * d + k];
    }
}

WIDEST void rows_forward(float *restrict a, int64_t n, int64_t d, const double *restrict l) {
    for (int64_t i = 0; i < n; i++) {
        float *restrict row = a + i * d;
        const double *of = l + i * n;
        int64_t j = 0;
        for (; j + 4 <= i; j += 4) {
            const float *a0 = a + j * d, *a1 = a0 + d, *a2 = a1 + d, *a3 = a2 + d;
            const float b0 = (float)of[j], b1 = (float)of[j + 1], b2 = (float)of[j + 2],
                        b3 = (float)of[j + 3];
            for (int64_t k = 0; k < d; k++)
                row[k] = row[k] - b0 * a0[k] - b1 * a1[k] - b2 * a2[k] - b3 * a3[k];
        }
        for (; j < i; j++)
            for (int64_t k = 0; k < d; k++)
                row[k] -= (float)of[j] * a[j * d + k];
        const float by = (float)(1 / of[i]);
        for (int64_t k = 0; k < d; k++)
            row[k] *= by;
    }
}

void rows_turn(const float *a, int64_t n, int64_t d, float *to) {
    for (int64_t i = 0; i < n; i++)
        for (int64_t k = 0; k < d; k++)
            to[k * n + i] = a[i * d + k];
}

double rows_dot(const double *a, const double *b, int64_t n) {
    double sum[4] = {0};
    int64_t k = 0;
    for (; k + 4 <= n; k += 4)
        for (int64_t j = 0; j < 4; j++)
            sum[j] += a[k + j] * b[k + j];
    for (; k < n; k++)
        sum[0] += a[k] * b[k];
    return sum[0] + sum[1] + sum[2] + sum[3];
}
