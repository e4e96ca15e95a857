/* small_matrix: the square matrices of linear-layer, as large as the rank of an update. */
#ifndef GRADIENT_SMALL_MATRIX_H
#define GRADIENT_SMALL_MATRIX_H

#include <stdint.h>

/* Sets inverse, n × n, of a, which is lost. Returns 0 if a is singular but for rounding. */
int small_invert(double *a, double *inverse, int64_t n);

/* Sets v, n entries of length 1, to the vector that the symmetric a, which is lost, makes shortest; v begins
 * at a guess. Returns 0 if there is none, or more than one. work: n × n + n; its first n × n entries are the
 * inverse of a with a little added to its diagonal. spread: the deviation of v if that of the vectors is 1
 * whose squares a sums; may be NULL. */
int small_least_vector(double *a, double *v, int64_t n, double *work, double *spread);

static inline double small_dot(const double *a, const double *b, int64_t n) {
    double sum = 0;
    for (int64_t k = 0; k < n; k++)
        sum += a[k] * b[k];
    return sum;
}

#endif
