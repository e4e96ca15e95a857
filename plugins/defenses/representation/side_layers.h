/* side_layers: layers of the side networks, which a device trains with the extractor and keeps to itself.
 * Their parameters are inputs of a graph and lie one behind the other in one vector. */
#ifndef REPRESENTATION_SIDE_LAYERS_H
#define REPRESENTATION_SIDE_LAYERS_H

#include <stdint.h>

#include "gauntlet/nn.h"
#include "gauntlet/plugin.h"

enum { SIDE_TENSORS = 128 };

typedef struct side_params {
    int32_t n;
    gnt_node node[SIDE_TENSORS];
    int64_t count[SIDE_TENSORS];
    int64_t inputs[SIDE_TENSORS]; /* of one neuron, for weights; 0: a bias or a scale */
    int is_scale[SIDE_TENSORS];   /* of a batch norm, which starts at 1 */
    int64_t size;                 /* entries of all */
} side_params;

/* Adds a dense layer without a nonlinearity: N × I → N × width. */
gnt_node side_dense(gnt_graph *g, side_params *p, gnt_node x, int64_t width);
/* Adds a convolution of 3 × 3 with padding 1, without a nonlinearity: N × C × H × W → N × channels × H ×
 * W. */
gnt_node side_conv(gnt_graph *g, side_params *p, gnt_node x, int64_t channels);

/* Adds a batch norm over axis 1, by the statistics of each of `groups` equal parts of a batch. */
gnt_node side_norm(gnt_graph *g, side_params *p, gnt_node x, int64_t groups);

/* Draws weights uniformly within ±√(6/inputs) (He et al. 2015) from the host's stream "side"; biases are
 * 0, scales 1. flat: p->size. */
void side_start(const side_params *p, const gnt_host *host, float *flat);

#endif
