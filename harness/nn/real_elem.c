/* real_elem: elementwise loops over contiguous entries. */
#include <math.h>

#include "nn/real.h"

void NAME(fill)(void *y_n, double value, int64_t n) {
    real *y = y_n, v = (real)value;
    for (int64_t i = 0; i < n; i++)
        y[i] = v;
}

void NAME(load)(void *y_n, const double *x, int64_t n) {
    real *y = y_n;
    for (int64_t i = 0; i < n; i++)
        y[i] = (real)x[i];
}

/* Both branches avoid the exponential of a large positive number. */
static real sigmoid(real x) {
    real e = (real)exp(-fabs((double)x));
    return x >= 0 ? 1 / (1 + e) : e / (1 + e);
}

static real softplus(real x) {
    return (real)((x > 0 ? (double)x : 0) + log1p(exp(-fabs((double)x))));
}

#define EACH(expression)                                                                                     \
    for (int64_t i = 0; i < n; i++) {                                                                        \
        real v = x[i];                                                                                       \
        y[i] = (expression);                                                                                 \
    }                                                                                                        \
    break

void NAME(unary)(int op, void *y_n, const void *x_n, int64_t n, double a_param, double b_param) {
    real *y = y_n, a = (real)a_param, b = (real)b_param;
    const real *x = x_n;
    switch (op) {
    case GNT_OP_AFFINE:
        EACH(a * v + b);
    case GNT_OP_EXP:
        EACH((real)exp((double)v));
    case GNT_OP_LOG:
        EACH((real)log((double)v));
    case GNT_OP_SQRT:
        EACH((real)sqrt((double)(v + a)));
    case GNT_OP_SIGMOID:
        EACH(sigmoid(v));
    case GNT_OP_TANH:
        EACH((real)tanh((double)v));
    case GNT_OP_SOFTPLUS:
        EACH(softplus(v));
    case GNT_OP_RELU:
        EACH(v <= 0 ? 0 : v);
    case GNT_OP_LEAKY_RELU:
        EACH(v <= 0 ? a * v : v);
    case GNT_OP_STEP:
        EACH(v > 0 ? 1 : 0);
    case GNT_OP_SIGN:
        EACH((real)((v > 0) - (v < 0)));
    case GNT_OP_ABS:
        EACH((real)fabs((double)v));
    default:
        break;
    }
}

void NAME(binary)(int op, void *y_n, const void *a_n, const void *b_n, int64_t n) {
    real *y = y_n;
    const real *x = a_n, *b = b_n;
    switch (op) {
    case GNT_OP_ADD:
        EACH(v + b[i]);
    case GNT_OP_SUB:
        EACH(v - b[i]);
    case GNT_OP_MUL:
        EACH(v * b[i]);
    case GNT_OP_DIV:
        EACH(v / b[i]);
    default:
        break;
    }
}
