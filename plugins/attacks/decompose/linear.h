/* linear: small dense problems in double. */
#ifndef DECOMPOSE_LINEAR_H
#define DECOMPOSE_LINEAR_H

#include <stdint.h>

/* x (n, ≥ 0) that minimises ½ xᵀ a x − bᵀ x by cyclic coordinate descent from what x holds; a: n × n,
 * symmetric positive definite, row-major. */
void dec_nonnegative(const double *a, const double *b, double *x, int64_t n, int32_t sweeps);

#endif
