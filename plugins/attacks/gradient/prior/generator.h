/* generator: a small conditional decoder of images, G(w, label), learnt from public images.
 *
 * It is the decoder of a regularised autoencoder (Ghosh et al., From Variational to Deterministic
 * Autoencoders, ICLR 2020): trained on the squared error, with noise of constant variance on codes that are
 * standardised over each batch, and a normal distribution of the codes fitted afterwards. No adversary and no
 * lower bound has to be balanced, so nothing has to be watched. The encoder is one linear map: it cannot
 * learn images by heart, and it is thrown away.
 *
 *   z = m_label + F·w                       w ~ N(0, 1): m, F as fitted, F lower triangular
 *   h = lrelu(W₀·[z, label] + b₀)           4f × H/4 × W/4
 *   h = lrelu(W₁ ∗ᵀ h + b₁)                 2f × H/2 × W/2, transposed convolution 4×4 of stride 2
 *   h = lrelu(W₂ ∗ᵀ h + b₂)                 f × H × W
 *   x = sigmoid(W₃ ∗ h + D·[z, label] + c)  C × H × W
 *
 * D and c are what one linear layer would make of the code: the rest only has to learn what that one
 * misses. */
#ifndef GRADIENT_GENERATOR_H
#define GRADIENT_GENERATOR_H

#include "gauntlet/nn.h"
#include "gauntlet/plugin.h"

enum { GENERATOR_TENSORS = 9, GENERATOR_ERROR = 300 };

typedef struct generator_shape {
    int64_t channels, height, width; /* of an image: both sides at least 4 */
    int64_t classes;                 /* of labels given to it; 1: it is not given the label */
    int64_t latents, features;       /* entries of w; f */
} generator_shape;

int64_t generator_pixels(const generator_shape *s);
/* Gets the shape of tensor i of the decoder, in the order above (W₀, b₀, … W₃, D, c). Returns its rank. */
int32_t generator_tensor(const generator_shape *s, int i, int64_t dim[4]);
/* Returns the number of entries of all tensors, which lie one after another in one vector. */
int64_t generator_size(const generator_shape *s);

/* The learnt weights, and the distribution fitted to the codes. */
typedef struct generator_learnt {
    const float *weights; /* generator_size */
    const float *mean;    /* classes × latents: m */
    const float *factor;  /* latents × latents: F */
} generator_learnt;

/* Adds the images of n codes to a graph; code: n × latents, label: n × classes, tensor: GENERATOR_TENSORS
 * of them. */
gnt_node generator_image_node(gnt_graph *g, const generator_shape *s, int64_t n, gnt_node code,
                              gnt_node label, const gnt_node *tensor);

/* ---- drawing: generator.c ---- */

/* n images of one class, and the derivative by their latents. */
typedef struct generator {
    gnt_program *program;
    int64_t n;
    float *w;      /* n × latents: set before generator_draw */
    float *pulled; /* n × pixels: set before generator_pull */
} generator;

/* Opens a generator; `learnt` must outlive it. `label` is a class, or 0. Memory is scratch of the hook
 * except for the program, which generator_close frees, also after a failure. GNT_OK, or a status after
 * host->fail. */
gnt_status generator_open(generator *g, const gnt_host *host, const generator_shape *s,
                          const generator_learnt *learnt, int64_t label, int64_t n);
void generator_close(generator *g);
/* Returns images, n × pixels in [0, 1], valid until the next draw; NULL if the program failed. */
const float *generator_draw(generator *g);
/* Returns (∂x/∂w)ᵀ·pulled of the last draw, n × latents; NULL if the program failed. */
const float *generator_pull(generator *g);

/* ---- learning: generator_train.c ---- */

typedef struct generator_setting {
    int64_t steps, batch;
    double rate, noise; /* of Adam, with a cosine schedule; deviation of the noise on codes */
} generator_setting;

/* Learns from n images x (n × pixels, in [0, 1]) and their labels y (n × classes; NULL where classes is 1).
 * What it fills is the caller's. *error: the mean squared error on the last batch, with the noise. GNT_OK,
 * GNT_STOPPED, or a status after host->fail. */
gnt_status generator_train(const gnt_host *host, const generator_shape *s, const generator_setting *setting,
                           const float *x, const float *y, int64_t n, float *weights, float *mean,
                           float *factor, double *error);

#endif
