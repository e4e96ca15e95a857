/* whiten: a 9 × 9 filter over all channels that makes pixels of natural images uncorrelated, estimated from
 * public ones. Two encodings that share an image have whitened pixels whose products are positive on average,
 * and the rest of the sum is close to white noise. */
#ifndef DECOMPOSE_WHITEN_H
#define DECOMPOSE_WHITEN_H

#include <stdint.h>

#include "gauntlet/nn.h"
#include "gauntlet/plugin.h"

enum { DEC_FILTER = 9, DEC_MARGIN = DEC_FILTER / 2, DEC_MOST_CHANNELS = 4, DEC_WHITEN_BATCH = 64 };

typedef struct dec_whitener {
    int64_t c, h, w;
    float *filter; /* c × c × 9 × 9 */
    float *padded; /* DEC_WHITEN_BATCH images with mirrored margins */
    gnt_program *program;
} dec_whitener;

/* Computes the rows of (covariance + ridge·mean variance)^(−1/2) that belong to the centre of a 9 × 9 patch,
 * from `patches` patches at random places of 2x − 1. filter: c × c × 9 × 9. */
gnt_status dec_whiten_estimate(const gnt_host *host, const gnt_samples *from, int64_t patches, double ridge,
                               float *filter);
/* Copies the filter; memory is the hook's scratch. The caller calls dec_whiten_close also after a failure. */
gnt_status dec_whiten_open(dec_whitener *z, const gnt_host *host, int64_t c, int64_t h, int64_t w,
                           const float *filter);
void dec_whiten_close(dec_whitener *z);
/* Computes out (n × c × h × w), the filtered x with mirrored margins. */
void dec_whiten(dec_whitener *z, const float *x, int64_t n, float *out);

#endif
