/* mixing_defenses: mixup and instahide, in one shared object because they mix alike: each released sample is
 * a weighted sum of k samples, its label the sum of their labels with the same weights, and everything is
 * drawn again in every epoch.
 *
 * Partners are private samples alone (scheme intra), or two private ones and k − 2 public ones (cross). */
#ifndef MIXING_DEFENSES_H
#define MIXING_DEFENSES_H

#include "gauntlet/plugin.h"

enum { MOST_PARTNERS = 16 };
enum { SCHEME_INTRA, SCHEME_CROSS };
enum { SIGNS_SEEDED, SIGNS_CSPRNG };

typedef struct mixing {
    const gnt_host *host;
    int flips; /* instahide */
    int64_t k, scheme, signs;
    double most;          /* weight of one sample */
    double least_private; /* weight of the private samples together, in scheme cross */
    uint64_t blocks;      /* of the cipher that were used */
    uint32_t key[8];      /* of the cipher */
} mixing;

/* ---- mixing_draws.c: what is random ---- */

/* Draws k weights |N(0, 1)|, scaled that sum to 1: none above `most`, and those of the first `privates`
 * samples at least `least` in all. GNT_OK, or a status after host->fail. */
gnt_status mixing_draw_weights(const mixing *m, int64_t privates, double *weight);
/* Draws partner[c·n + i], the number of private sample c of mix i. Each column is a permutation, so that
 * every sample goes into as many mixes as any other; no mix contains a sample twice. n ≥ columns.
 *
 * Rationale: the first column is drawn too, where the papers count mixes by their first sample. An
 * observer of the mixes in that order would know a member of each from its place alone. */
gnt_status mixing_draw_partners(const mixing *m, int64_t n, int64_t columns, int64_t *partner);
/* Draws `count` different numbers below n, n ≥ count. */
void mixing_draw_public(const mixing *m, int64_t n, int64_t count, int64_t *row);

/* ---- signs.c ---- */

/* Draws a key from the host's stream, for SIGNS_CSPRNG. */
void mixing_key(mixing *m);
/* Flips each entry of x around ½ with probability ½, that is, the sign of 2x − 1. */
void mixing_flip(mixing *m, int64_t n, float *x);

#endif
