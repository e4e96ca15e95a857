/* linear: small dense systems in double. */
#ifndef DECOMPOSE_LINEAR_H
#define DECOMPOSE_LINEAR_H

#include <stdint.h>

/* a: n × n, symmetric positive definite, row-major; its lower triangle becomes L with L·Lᵀ = a. −1 where a is not
 * positive definite. */
int dec_cholesky(double *a, int64_t n);
/* b (n × columns) becomes (L·Lᵀ)⁻¹ b. */
void dec_cholesky_solve(const double *l, int64_t n, double *b, int64_t columns);
/* x (n, ≥ 0) that minimises ½ xᵀ a x − bᵀ x by cyclic coordinate descent from what x holds; a as above. */
void dec_nonnegative(const double *a, const double *b, double *x, int64_t n, int32_t sweeps);

#endif
