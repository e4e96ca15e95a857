/* decompose: takes MixUp and InstaHide encodings apart into the private images that were
 * mixed, after Carlini et al.
 *
 * Known: the published law (k, scheme, cap on weights) and public images. Not known: which images are in an
 * encoding, nor how much of each. Stages, a file each:
 *   law       the mixing law, and encodings of public images made by it
 *   whiten    a filter, from public images, that makes pixels uncorrelated
 *   similar   how likely two encodings share an image: MixUp by correlation of whitened pixels;
 *             InstaHide by a network (siamese: what it computes; learn: its training and its use)
 *   group     groups of encodings around each private image, from triangles; factor: least
 *             squares for the memberships
 *   mix       weights from scores, the ridge step, weights fitted again
 *   signs     InstaHide: the hidden signs by expectation-maximisation, coarse to fine; tree:
 *             signs of neighbours agree
 *   polish    InstaHide of private images alone: images and weights together, by Adam
 *   facing    InstaHide: which of all images and all their negatives is real
 *   linear    Cholesky, nonnegative least squares
 * recover.c puts the stages after the similarity together; decompose.c holds
 * parameters, hooks and descriptor. */
#ifndef DECOMPOSE_ATTACK_H
#define DECOMPOSE_ATTACK_H

#include "facing.h"
#include "factor.h"
#include "law.h"
#include "learn.h"
#include "mix.h"
#include "siamese.h"

/* Of the network; blind: there is none, similarities are random numbers. */
enum dec_start { DEC_WHITENED, DEC_RANDOM, DEC_BLIND };

typedef struct dec_settings {
    const gnt_host *host;
    dec_learning learning; /* originals 0: 40 where all partners are private, else 16 */
    enum dec_start start;
    double ridge;    /* of the whitening filter */
    int64_t patches; /* it is estimated from */
    int64_t facing_steps;
    int32_t rounds; /* of growing groups */
    int32_t starts, start_steps;
    int64_t block;    /* pixels, of the first guess */
    double coupling;  /* of a pixel's sign with its neighbours' */
    int32_t em_steps; /* at each level */
    int32_t refits;   /* of the weights */
    int64_t polish_steps;
    double polish_rate;
} dec_settings;

/* What prepare leaves; pointers into artefacts. network and facing are NULL for MixUp. */
typedef struct dec_learnt {
    const float *filter, *network, *facing, *mean; /* mean: of public images, in units of 2x − 1 */
} dec_learnt;

/* The law from the defense's parameters. Fails with GNT_UNSUPPORTED for other defenses. */
gnt_status dec_law_known(dec_law *law, const gnt_host *host, const gnt_observation *seen);

/* similarity (M × M) of encodings e (M × features, as dec_mix has them). `like` gives the shape. */
gnt_status dec_similar(const dec_settings *s, const dec_law *law, const dec_learnt *own,
                       const gnt_samples *like, const float *e, int64_t encodings, float *similarity);

/* Everything after the similarity: x->p and x->weight. Costs go to answer->cost, where there is an answer. */
gnt_status dec_recover(const dec_settings *s, const dec_law *law, const dec_learnt *own, dec_mix *x,
                       const float *similarity, const gnt_answer *answer);

#endif
