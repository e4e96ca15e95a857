/* matrix_rows: products with a matrix of floats, n × d in rows, which dominate the running time of
 * linear_noisy.c. Every sum has a fixed order, the same on every processor. Nothing is allocated. */
#ifndef GRADIENT_MATRIX_ROWS_H
#define GRADIENT_MATRIX_ROWS_H

#include <stdint.h>

/* out (d) += Σ_i by[i]·a[i], row after row. */
void rows_combine(const float *a, int64_t n, int64_t d, const double *by, double *out);
/* The same to the precision of floats: eight rows are added up as such before they meet out. */
void rows_combine_floats(const float *a, int64_t n, int64_t d, const double *by, double *out);
/* m (d × d) += Σ_i by[i]·a[i] a[i]ᵀ, at and below the diagonal; what is above means nothing. */
void rows_squares(const float *a, int64_t n, int64_t d, const double *by, double *m);
/* A ← L⁻¹ A, with L of n × n, its lower triangle alone read. */
void rows_forward(float *a, int64_t n, int64_t d, const double *l);
/* to (d × n) = Aᵀ */
void rows_turn(const float *a, int64_t n, int64_t d, float *to);

#endif
