/* matrix_rows: products with a matrix of floats, n × d in rows, which dominate the running time of
 * linear_noisy.c. Every sum has a fixed order, the same on every processor. Nothing is allocated. */
#ifndef GRADIENT_MATRIX_ROWS_H
#define GRADIENT_MATRIX_ROWS_H

#include <stdint.h>

/* Adds Σ_i by[i]·a[i], row after row, to out (d). */
void rows_combine(const float *a, int64_t n, int64_t d, const double *by, double *out);
/* Does the same to the precision of floats: sums eight rows as floats before it adds them to out. */
void rows_combine_floats(const float *a, int64_t n, int64_t d, const double *by, double *out);
/* Adds Σ_i by[i]·a[i] a[i]ᵀ to m (d × d), at and below the diagonal; what is above is undefined. */
void rows_squares(const float *a, int64_t n, int64_t d, const double *by, double *m);
/* Replaces A by L⁻¹ A; L: n × n, of which only the lower triangle is read. */
void rows_forward(float *a, int64_t n, int64_t d, const double *l);
/* Returns Σ_k a[k]·b[k]. */
double rows_dot(const double *a, const double *b, int64_t n);
/* Writes Aᵀ to `to` (d × n). */
void rows_turn(const float *a, int64_t n, int64_t d, float *to);

#endif
