/* dual_ridge: ridge regression with more columns than rows.
 *
 *   min over W of ‖Y − X W‖² + λ‖W‖²  is  W = Xᵀ (X Xᵀ + λ I)⁻¹ Y,
 * X rows × columns, Y rows × outputs, both centred by the caller. */
#ifndef LEARNT_DUAL_RIDGE_H
#define LEARNT_DUAL_RIDGE_H

#include <stdint.h>

/* Computes the lower half of X Xᵀ; gram: rows × rows. */
void dual_ridge_gram(const float *x, int64_t rows, int64_t columns, double *gram);
/* Replaces Y (y: rows × outputs) by α = (gram + lambda·I)⁻¹ Y; work: rows × rows. Returns 0, or −1 if
 * there is no unique solution. */
int dual_ridge_solve(const double *gram, int64_t rows, double lambda, double *work, double *y,
                     int64_t outputs);
/* Computes w = Xᵀ α, columns × outputs. */
void dual_ridge_weights(const float *x, const double *alpha, int64_t rows, int64_t columns, int64_t outputs,
                        float *w);

#endif
