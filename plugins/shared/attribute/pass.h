/* pass: one vector through a network, and a cotangent of its scores back. With one vector the time is that of
 * reading the matrices: forward each is read once, back only the rows of open ReLUs are. A matrix product by
 * BLAS would copy each first. Sums are floats, in an order that is the same on every processor. Nothing is
 * allocated but by attr_pass_open. */
#ifndef ATTRIBUTE_PASS_H
#define ATTRIBUTE_PASS_H

#include "shared/attribute/net.h"

typedef struct attr_pass {
    float *out[ATTR_HIDDEN + 1]; /* of each layer, behind its ReLU */
    float *pull;                 /* cotangent of a layer's output, width[i + 1] */
    /* The entries of it that are not 0, and which ones these are. */
    float *by;
    int32_t *row;
    float *memory; /* all of these */
} attr_pass;

/* Room for any of n networks. −1: there is no memory for it. */
int attr_pass_open(attr_pass *p, const attr_net *net, int32_t n);
void attr_pass_close(attr_pass *p);
/* x: width[0]. Returns the scores, which stay until the next call. */
const float *attr_pass_forward(attr_pass *p, const attr_net *net, const float *x);
/* by_x (width[0]) = Jᵀ·by_scores at the x of the last forward pass. */
void attr_pass_back(attr_pass *p, const attr_net *net, const float *by_scores, float *by_x);

#endif
