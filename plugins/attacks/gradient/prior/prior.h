/* prior: what is known of an image before any update is seen: its pixels lie in [0, 1], and neighbours are
 * mostly alike. */
#ifndef GRADIENT_PRIOR_H
#define GRADIENT_PRIOR_H

#include "gauntlet/plugin.h"

/* A batch as planes of pixels: n × channels of them. Features that have no neighbours: height and width 1. */
typedef struct prior {
    int64_t planes, height, width;
} prior;

prior prior_of(const gnt_model_info *info, int64_t n);

/* Returns weight × the prior's value at x and adds the gradient of that to grad. The value is Σ |d| over
 * neighbours, d their difference, and 10 Σ d² over pixels, d by how much they lie outside [0, 1]; |d| is
 * rounded off at 0. */
double prior_add(const prior *p, const float *x, double weight, float *grad);

#endif
