/* learn: trains the similarity network on encodings of public images, and scores all
 * pairs of encodings with it. */
#ifndef DECOMPOSE_LEARN_H
#define DECOMPOSE_LEARN_H

#include "law.h"
#include "siamese.h"
#include "whiten.h"

typedef struct dec_learning {
    int64_t steps;
    int64_t warm;       /* steps over which the rate rises */
    double rate, decay; /* AdamW; the rate then falls to 0 by half a cosine */
    double aid;         /* weight of dec_net_miss in the loss at the full rate, falling as that does */
    int64_t originals;  /* images from which the DEC_PAIR_BATCH encodings of a step are mixed */
} dec_learning;

/* Scales the filter so that whitened encodings of this law have a mean square of 1. */
gnt_status dec_learn_gain(const gnt_host *host, const dec_law *law, const gnt_samples *from, float *filter);
/* Trains the network; flat: net->size, initialised by dec_net_start. *loss: mean of the last tenth of the
 * steps, of dec_net_loss alone. */
gnt_status dec_learn(const gnt_host *host, const dec_law *law, const gnt_samples *from, const float *filter,
                     const dec_learning *how, const dec_net *net, float *flat, double *loss);
/* Computes score (n × n, symmetric), the log-odds of every pair of the n encodings |e|. */
gnt_status dec_learn_score(const gnt_host *host, const dec_net *net, const float *flat, const float *filter,
                           const float *e, int64_t n, float *score);

#endif
