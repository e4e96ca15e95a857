#include "linear.h"

#include <math.h>

int dec_cholesky(double *a, int64_t n) {
    for (int64_t i = 0; i < n; i++) {
        double *row = a + i * n;
        for (int64_t j = 0; j <= i; j++) {
            const double *other = a + j * n;
            double s = row[j];
            for (int64_t k = 0; k < j; k++)
                s -= row[k] * other[k];
            if (j < i)
                row[j] = s / other[j];
            else if (s > 0 && isfinite(s))
                row[j] = sqrt(s);
            else
                return -1;
        }
    }
    return 0;
}

void dec_cholesky_solve(const double *l, int64_t n, double *b, int64_t columns) {
    for (int64_t i = 0; i < n; i++) {
        for (int64_t k = 0; k < i; k++)
            for (int64_t c = 0; c < columns; c++)
                b[i * columns + c] -= l[i * n + k] * b[k * columns + c];
        for (int64_t c = 0; c < columns; c++)
            b[i * columns + c] /= l[i * n + i];
    }
    for (int64_t i = n - 1; i >= 0; i--) {
        for (int64_t k = i + 1; k < n; k++)
            for (int64_t c = 0; c < columns; c++)
                b[i * columns + c] -= l[k * n + i] * b[k * columns + c];
        for (int64_t c = 0; c < columns; c++)
            b[i * columns + c] /= l[i * n + i];
    }
}

void dec_nonnegative(const double *a, const double *b, double *x, int64_t n, int32_t sweeps) {
    for (int32_t s = 0; s < sweeps; s++) {
        double moved = 0;
        for (int64_t i = 0; i < n; i++) {
            double g = b[i], d = a[i * n + i];
            for (int64_t j = 0; j < n; j++)
                g -= j == i ? 0 : a[i * n + j] * x[j];
            double next = d > 0 && g > 0 ? g / d : 0;
            moved += fabs(next - x[i]);
            x[i] = next;
        }
        if (moved < 1e-9)
            return;
    }
}
