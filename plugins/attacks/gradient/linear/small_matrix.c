#include "linear/small_matrix.h"

#include <math.h>
#include <string.h>

static const double least_pivot = 1e-14; /* of the largest entry */

static void swap_rows(double *a, int64_t n, int64_t i, int64_t j) {
    for (int64_t k = 0; i != j && k < n; k++) {
        const double kept = a[i * n + k];
        a[i * n + k] = a[j * n + k];
        a[j * n + k] = kept;
    }
}

/* Subtracts from each other row what its entry in column c says of row c. */
static void clear_column(double *a, double *inverse, int64_t n, int64_t c) {
    const double pivot = a[c * n + c];
    for (int64_t k = 0; k < n; k++) {
        a[c * n + k] /= pivot;
        inverse[c * n + k] /= pivot;
    }
    for (int64_t i = 0; i < n; i++) {
        const double times = a[i * n + c];
        if (i == c || times == 0)
            continue;
        for (int64_t k = 0; k < n; k++) {
            a[i * n + k] -= times * a[c * n + k];
            inverse[i * n + k] -= times * inverse[c * n + k];
        }
    }
}

int small_invert(double *a, double *inverse, int64_t n) {
    double largest = 0;
    for (int64_t k = 0; k < n * n; k++) {
        largest = fmax(largest, fabs(a[k]));
        inverse[k] = k % (n + 1) == 0;
    }
    for (int64_t c = 0; c < n; c++) {
        int64_t top = c;
        for (int64_t i = c; i < n; i++)
            top = fabs(a[i * n + c]) > fabs(a[top * n + c]) ? i : top;
        if (!(fabs(a[top * n + c]) > least_pivot * largest))
            return 0;
        swap_rows(a, n, top, c);
        swap_rows(inverse, n, top, c);
        clear_column(a, inverse, n, c);
    }
    return 1;
}

int small_least_vector(double *a, double *v, int64_t n, double *work, double *spread) {
    double *inverse = work, *next = work + n * n, trace = 0, of_inverse = 0, of_v = 0;
    for (int64_t k = 0; k < n; k++)
        trace += a[k * (n + 1)];
    for (int64_t k = 0; k < n; k++)
        a[k * (n + 1)] += 1e-13 * trace; /* so that it has an inverse */
    if (!(trace > 0) || !small_invert(a, inverse, n))
        return 0;
    for (int times = 0; times < 3; times++) {
        for (int64_t i = 0; i < n; i++)
            next[i] = small_dot(inverse + i * n, v, n);
        const double norm = sqrt(small_dot(next, next, n));
        if (!(norm > 0) || !isfinite(norm))
            return 0;
        for (int64_t i = 0; i < n; i++)
            v[i] = next[i] / norm;
    }
    for (int64_t i = 0; i < n; i++) {
        of_inverse += inverse[i * (n + 1)];
        of_v += v[i] * small_dot(inverse + i * n, v, n);
    }
    if (spread)
        *spread = sqrt(fmax(of_inverse - of_v, 0));
    return of_inverse - of_v < 1e-4 * of_v;
}
