/* unet: a U-Net that maps an encoding and its label to an image: three levels, the lower two at half and a
 * quarter of its size, with skip connections. Its tensors are stored in one vector. */
#ifndef LEARNT_UNET_H
#define LEARNT_UNET_H

#include "gauntlet/nn.h"
#include "learnt.h"

enum { NET_ERROR = 300 };

typedef struct net_shape {
    int64_t channels, height, width, classes; /* of a sample; height and width are multiples of 4 */
    int64_t features;                         /* channels of the top level; doubled at each level below */
} net_shape;

/* Returns the entries of all tensors. */
int64_t net_size(const net_shape *s);
/* Draws initial weights: normal with variance 2/inputs (He et al. 2015), a hundredth of that in the last
 * layer, from the stream "weights"; biases 0. The last bias gives the mean, in (0, 1): a network that starts
 * at 1/2 may end at 0, where its sigmoid has no slope, if nearly all pixels are black. */
void net_start(const net_shape *s, const gnt_host *host, double mean, float *flat);

/* A program for n samples at once: outputs the image, or with x the mean squared error and its gradient for
 * each tensor. The inputs are bound to these vectors, which must outlive it. */
typedef struct net_program {
    gnt_program *program;
    const float *flat, *encoded, *label, *x; /* x: NULL: the image */
} net_program;

int net_compile(net_program *p, const net_shape *s, int64_t n, char error[NET_ERROR]);
/* Gathers the gradient of the last run into one vector. */
void net_gradient(const net_program *p, const net_shape *s, float *grad);

#endif
