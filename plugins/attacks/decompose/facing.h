/* facing: which of an image and its negative is the real one. What InstaHide shows is the same for
 * both, for all private images together; a small network trained on public images and their
 * negatives tells them apart. */
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
/* flat: net->size, filled. *right: share of fresh public images told from their
 * negatives over the last tenth. */
gnt_status dec_facing_learn(const dec_facing *net, const gnt_host *host, const gnt_samples *from,
                            int64_t steps, double rate, float *flat, double *right);
/* odds[i]: log-odds that image i of p = 2x − 1 is real rather than −p; odd in p. */
gnt_status dec_facing_odds(const dec_facing *net, const gnt_host *host, const float *flat, const float *p,
                           int64_t n, double *odds);

#endif
