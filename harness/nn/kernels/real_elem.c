/* real_elem: whole vectors of n entries through the loops of this processor. */
#include "nn/kernels/loops.h"

void NAME(fill)(void *y, double value, int64_t n) {
    NAME(loops_best)()->fill(y, (real)value, n);
}

void NAME(load)(void *y_n, const double *x, int64_t n) {
    real *y = y_n;
    for (int64_t i = 0; i < n; i++)
        y[i] = (real)x[i];
}

void NAME(unary)(int op, void *y, const void *x, int64_t n, double a, double b) {
    NAME(loops_best)()->op[op](y, x, NULL, n, (real)a, (real)b);
}

void NAME(binary)(int op, void *y, const void *a, const void *b, int64_t n) {
    NAME(loops_best)()->op[op](y, a, b, n, 0, 0);
}
