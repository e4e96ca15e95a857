/* cholesky: dense systems with a symmetric positive definite matrix, for closed-form fits in plugins. */
#include <math.h>

#include "gauntlet/nn.h"

int gnt_cholesky(double *a, int64_t n) {
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

void gnt_cholesky_solve(const double *l, int64_t n, double *b, int64_t columns) {
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
