/* siamese: a network that decides whether two InstaHide encodings share a private image.
 *
 * Each |e| goes alone through a small U-Net (16, 32, 64 channels; strided convolutions down, transposed ones
 * and residual pairs of convolutions up, skips added). It gives a gate for each whitened channel and a free
 * term: z = whitened·(1 + gate) + free, so it starts as the whitened pixels themselves. Within a patch of 8 ×
 * 8 pixels the hidden sign of a mix changes seldom, so that two z are similar over a patch, up to sign, if
 * they share an image. Their similarity is the cosine of their pixels there: plain products depend more on
 * the contrast of two patches than on shared content. A small function of it, the same for every patch, is
 * summed over the patches and gives the score. The patches are those of two grids, one shifted by half a
 * patch, as signs change anywhere.
 *
 * In training the mixes are known with their signs. In addition to whether pairs share an image, the network
 * learns a target for z: the whitened mix itself, up to one sign for each patch. */
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
/* Draws initial weights from the stream "network". flat: net->size. With `random`, gates, free term and the
 * function of a patch are drawn too: z is not the whitened image, and similarity raises or lowers a score by
 * chance. */
void dec_net_start(const dec_net *net, const gnt_host *host, int random, float *flat);

/* Adds the parameters to a graph as inputs, param: net->n of them; dec_net_bind binds these to `flat`. */
void dec_net_inputs(gnt_graph *g, const dec_net *net, gnt_node *param);
void dec_net_bind(gnt_program *p, const dec_net *net, const gnt_node *param, const float *flat);
/* Maps |e| and the whitened |e|, both N × c × h × w, to z of the same shape. */
gnt_node dec_net_embed(gnt_graph *g, const dec_net *net, const gnt_node *param, gnt_node e, gnt_node white);
/* Computes scores (log-odds) of all pairs of A × … and B × …: A × B. */
gnt_node dec_net_pairs(gnt_graph *g, const dec_net *net, const gnt_node *param, gnt_node za, gnt_node zb);
/* Computes the mean square of z − the whitened mix (N × c × h × w, signed), with the better sign in each
 * patch. */
gnt_node dec_net_miss(gnt_graph *g, const dec_net *net, gnt_node z, gnt_node mix);
/* Computes the mean over all ordered pairs of different encodings of the cross entropy of score and
 * share (N × N of 0 and 1). */
gnt_node dec_net_loss(gnt_graph *g, gnt_node score, gnt_node share);

#endif
