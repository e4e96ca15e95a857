/* law: how MixUp and InstaHide mix, as published (Zhang et al. 2018; Huang et al. 2020): k images with
 * weights |N(0, 1)| made to sum to 1, drawn again while one exceeds a cap. Images count as p = 2x − 1 in [−1,
 * 1]; a MixUp encoding is e = Σ w p, an InstaHide one has a random sign for every pixel, so that it reveals
 * only |e|. `own` of the k are private; the others are public and used once. */
#ifndef DECOMPOSE_LAW_H
#define DECOMPOSE_LAW_H

#include <stdint.h>

#include "gauntlet/plugin.h"

enum { DEC_MOST_K = 16, DEC_MOST_ORIGINALS = 256 };

typedef struct dec_law {
    int instahide;
    int32_t k, own;
    double most;      /* no weight is above it */
    double least_own; /* sum of the private weights is at least this */
} dec_law;

typedef struct dec_batch {
    float *e;      /* count × features: Σ w p, with the signs that InstaHide hides */
    float *weight; /* count × originals: 0 if not in the encoding */
} dec_batch;

/* Makes `count` encodings of `originals` images drawn from the rows of `from`, which has more rows than
 * originals + k. The originals are mirrored at random. */
void dec_make_batch(const gnt_host *host, const dec_law *law, const gnt_samples *from, int32_t originals,
                    int32_t count, dec_batch *out);

/* Computes shared[i, j] = Σ_o w[i, o]·w[j, o], count × count. */
void dec_shared(const float *weight, int32_t count, int32_t originals, float *shared);

#endif
