#include "linear.h"

#include <math.h>

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
