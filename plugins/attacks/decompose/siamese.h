/* siamese: a network that tells from two InstaHide encodings whether they share a private image.
 *
 * Each |e| goes alone through a small U-Net (16, 32, 64 channels; strided convolutions down, transposed ones and residual
 * pairs of convolutions up, skips added). It gives a gate for each whitened channel and a free term:
 * z = whitened·(1 + gate) + free, so it starts as the
 * whitened pixels themselves. Within a patch of 8 × 8 pixels the hidden sign of a mix changes seldom, so that the product
 * of two z over a patch is large in size, of either sign, where they share an image: a small function of that product,
 * the same for every patch, is summed over the patches and gives the score. */
#ifndef DECOMPOSE_SIAMESE_H
#define DECOMPOSE_SIAMESE_H

#include <stdint.h>

#include "gauntlet/nn.h"
#include "gauntlet/plugin.h"

enum { DEC_PARAMS = 40, DEC_PAIR_BATCH = 64, DEC_PATCH = 8 };

typedef struct dec_param {
    char name[24];
    int32_t rank;
    int64_t dim[4], count, at; /* its place in the flat vector */
} dec_param;

typedef struct dec_net {
    int64_t c, h, w;
    int32_t n;
    dec_param param[DEC_PARAMS];
    int64_t size; /* of the flat vector */
} dec_net;

/* Lays out the parameters for images of c × h × w; sides are multiples of 8. */
void dec_net_plan(dec_net *net, int64_t c, int64_t h, int64_t w);
/* Draws their start from the stream "network". flat: net->size. With `random` the gates and the free term are drawn too, and
 * z is not the whitened image. */
void dec_net_start(const dec_net *net, const gnt_host *host, int random, float *flat);

/* Graphs. `param` are the inputs made by dec_net_inputs. */
void dec_net_inputs(gnt_graph *g, const dec_net *net, gnt_node *param);
void dec_net_bind(gnt_program *p, const dec_net *net, const gnt_node *param, const float *flat);
/* |e| and the whitened |e|, both N × c × h × w → z of the same shape. */
gnt_node dec_net_embed(gnt_graph *g, const dec_net *net, const gnt_node *param, gnt_node e, gnt_node white);
/* Scores (log-odds) of all pairs of A × … and B × …: A × B. */
gnt_node dec_net_pairs(gnt_graph *g, const dec_net *net, const gnt_node *param, gnt_node za, gnt_node zb);
/* Mean over all ordered pairs of different encodings of the cross entropy of score and share (N × N of 0 and 1). */
gnt_node dec_net_loss(gnt_graph *g, gnt_node score, gnt_node share);

#endif
