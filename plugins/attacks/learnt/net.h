/* net: a U-Net that maps an encoding and its label to an image: three levels, two of them below the image's
 * own, joined across. Its tensors lie one after the other in one vector. */
#ifndef LEARNT_NET_H
#define LEARNT_NET_H

#include "gauntlet/nn.h"
#include "learnt.h"

enum { NET_ERROR = 300 };

typedef struct net_shape {
    int64_t channels, height, width, classes; /* of a sample; height and width are multiples of 4 */
    int64_t features;                         /* channels of the top level; doubled at each level below */
} net_shape;

/* Entries of all tensors. */
int64_t net_size(const net_shape *s);
/* Fresh weights: normal with variance 2/inputs (He et al. 2015) from the stream "weights"; biases 0. */
void net_start(const net_shape *s, const gnt_host *host, float *flat);

/* A program of n samples at once: the image, or (loss) the mean absolute error and then its gradient for each
 * tensor. The inputs are bound to the vectors given, which must outlive it. */
typedef struct net_program {
    gnt_program *program;
    const float *flat, *encoded, *label, *x; /* x: NULL for the image alone */
} net_program;

int net_compile(net_program *p, const net_shape *s, int64_t n, char error[NET_ERROR]);
/* Gathers the gradient of the last run into one vector. */
void net_gradient(const net_program *p, const net_shape *s, float *grad);

#endif
