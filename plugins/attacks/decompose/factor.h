/* factor: which encodings contain which original, and with what weight, from the similarity of pairs.
 *
 * The similarity of two encodings grows with Σ_o w[i, o]·w[j, o], so that S ≈ level + A·Aᵀ off the diagonal,
 * with A ≥ 0 (encodings × originals), `own` entries in a row and about `size` in a column. */
#ifndef DECOMPOSE_FACTOR_H
#define DECOMPOSE_FACTOR_H

#include <stdint.h>

#include "gauntlet/plugin.h"

typedef struct dec_groups {
    int64_t encodings, originals;
    int32_t own;   /* private images in an encoding */
    int64_t size;  /* encodings that contain one original: encodings·own / originals */
    double *score; /* encodings × originals: A */
    uint8_t *in;   /* encodings × originals: 1 where it is a member */
    double level;
} dec_groups;

/* Allocates the groups, all zero. Memory is the hook's scratch. */
gnt_status dec_groups_open(dec_groups *g, const gnt_host *host, int64_t encodings, int64_t originals,
                           int32_t own);

/* Estimates the level, the similarity of two encodings that share no original. A fraction f of all pairs do
 * not, by the number of originals; if these are the least similar, their median is the quantile f/2 of all.
 * (Fitted together with A it would hide a group: as every row has `own` members, a constant is a sum of
 * columns.) */
gnt_status dec_factor_level(dec_groups *g, const gnt_host *host, const float *similarity);

/* Computes least squares for A given the level: `passes` over the rows, each the best nonnegative row given
 * the others; entries outside `in` stay 0 where `masked`. similarity: encodings × encodings, symmetric. */
gnt_status dec_factor(dec_groups *g, const gnt_host *host, const float *similarity, int32_t passes,
                      int masked);

/* Sets `in` from the scores, each column in units of its own mean over its `size` largest: greedily, largest
 * first, at most `own` in a row and size·(1 + slack) in a column. */
gnt_status dec_choose_members(dec_groups *g, const gnt_host *host, double slack);

#endif
