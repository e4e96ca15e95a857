/* linear: small dense problems in double. */
#ifndef DECOMPOSE_LINEAR_H
#define DECOMPOSE_LINEAR_H

#include <stdint.h>

/* Minimises ½ xᵀ a x − bᵀ x over x (n, ≥ 0) by cyclic coordinate descent from the given x; a: n × n,
 * symmetric positive definite, row-major. */
void dec_nonnegative(const double *a, const double *b, double *x, int64_t n, int32_t sweeps);

#endif
