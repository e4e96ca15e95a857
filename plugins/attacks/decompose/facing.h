/* facing: decides whether an image or its negative is real. InstaHide encodings of all private images and of
 * all their negatives are the same; a small network trained on public images and their negatives
 * distinguishes them. */
#ifndef DECOMPOSE_FACING_H
#define DECOMPOSE_FACING_H

#include <stdint.h>

#include "gauntlet/plugin.h"

enum { DEC_FACING_PARAMS = 8, DEC_FACING_BATCH = 64 };

typedef struct dec_facing {
    int64_t c, h, w, size; /* size: of the flat weights */
    int64_t at[DEC_FACING_PARAMS], count[DEC_FACING_PARAMS];
} dec_facing;

void dec_facing_plan(dec_facing *net, int64_t c, int64_t h, int64_t w);
/* Trains the network; flat: net->size. *accuracy: share of fresh public images distinguished from their
 * negatives in the last tenth of the steps. */
gnt_status dec_facing_learn(const dec_facing *net, const gnt_host *host, const gnt_samples *from,
                            int64_t steps, double rate, float *flat, double *accuracy);
/* Computes odds[i], the log-odds that image i of p = 2x − 1 is real rather than −p; odd in p. */
gnt_status dec_facing_odds(const dec_facing *net, const gnt_host *host, const float *flat, const float *p,
                           int64_t n, double *odds);

#endif
