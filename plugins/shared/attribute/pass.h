/* pass: one vector through a network, and a cotangent of its scores back. With one vector, reading the
 * matrices takes the time: forward reads each once, back only the rows of active ReLUs. A matrix product by
 * BLAS would copy each first. Sums are floats, in the same order on every processor. Only attr_pass_open
 * allocates. */
#ifndef ATTRIBUTE_PASS_H
#define ATTRIBUTE_PASS_H

#include "shared/attribute/attr_net.h"

typedef struct attr_pass {
    float *out[ATTR_HIDDEN + 1]; /* of each layer, after its ReLU */
    float *pull;                 /* cotangent of a layer's output, width[i + 1] */
    /* Its entries that are not 0, and their places. */
    float *by;
    int32_t *row;
    float *memory; /* all of these */
} attr_pass;

/* Allocates for any of n networks. Returns −1 when out of memory. */
int attr_pass_open(attr_pass *p, const attr_net *net, int32_t n);
void attr_pass_close(attr_pass *p);
/* Returns the scores of x (width[0]), valid until the next call. */
const float *attr_pass_forward(attr_pass *p, const attr_net *net, const float *x);
/* Computes by_x (width[0]) = Jᵀ·by_scores at the x of the last forward pass. */
void attr_pass_back(attr_pass *p, const attr_net *net, const float *by_scores, float *by_x);

#endif
