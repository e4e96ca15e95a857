/* decompose: separates MixUp and InstaHide encodings into the private images that were mixed, after Carlini
 * et al.
 *
 * Known: the published law (k, scheme, cap on weights) and public images. Not known: the images in an
 * encoding and their weights. Stages, a file each:
 *   law           the mixing law, and encodings of public images made by it
 *   whiten        a filter, from public images, that makes pixels uncorrelated
 *   similar       how likely two encodings share an image: MixUp by correlation of whitened pixels;
 *                 InstaHide by a network (siamese: its graph; learn: its training and its use)
 *   image_groups  groups of encodings around each private image, from triangles; factor: least
 *                 squares for the memberships
 *   mix           weights from scores, the ridge step, weights fitted again
 *   hidden_signs  InstaHide: the hidden signs by expectation-maximisation, coarse to fine; tree:
 *                 signs of neighbours agree
 *   polish        InstaHide of private images alone: images and weights together, by Adam
 *   facing        InstaHide: whether all images or all their negatives are real
 *   linear        Cholesky, nonnegative least squares
 * recover.c runs the stages after the similarity; decompose.c holds parameters, hooks and descriptor. */
#ifndef DECOMPOSE_H
#define DECOMPOSE_H

#include "facing.h"
#include "factor.h"
#include "law.h"
#include "learn.h"
#include "mix.h"
#include "siamese.h"

/* Start of the network; blind: no network, similarities are random numbers. */
enum dec_start { DEC_WHITENED, DEC_RANDOM, DEC_BLIND };

typedef struct dec_settings {
    const gnt_host *host;
    dec_learning learning; /* originals 0: 40 if all partners are private, else 16 */
    int64_t start;         /* dec_start */
    double ridge;          /* of the whitening filter */
    int64_t patches;       /* from which it is estimated */
    int64_t facing_steps;
    int32_t rounds; /* of growing groups */
    int64_t starts;
    int32_t start_steps;
    int64_t octaves, block; /* block: 2^octaves pixels, of the first guess */
    double coupling;        /* of a pixel's sign with its neighbours' */
    int32_t em_steps;       /* at each level */
    int64_t refits;         /* of the weights */
    int64_t polish_steps;
    double polish_rate;
} dec_settings;

/* Artefacts of prepare. network and facing are NULL for MixUp. */
typedef struct dec_learnt {
    const float *filter, *network, *facing, *mean; /* mean: of public images, in units of 2x − 1 */
} dec_learnt;

/* Reads the law from the defense's parameters. Returns GNT_UNSUPPORTED for other defenses. */
gnt_status dec_law_known(dec_law *law, const gnt_host *host, const gnt_observation *seen);

/* Computes similarity (M × M) of encodings e (M × features, as dec_mix has them). `like` gives the shape. */
gnt_status dec_similar(const dec_settings *s, const dec_law *law, const dec_learnt *own,
                       const gnt_samples *like, const float *e, int64_t encodings, float *similarity);

/* Runs all stages after the similarity; sets x->p and x->weight. Reports costs to answer->cost, unless
 * `answer` is NULL. */
gnt_status dec_recover(const dec_settings *s, const dec_law *law, const dec_learnt *own, dec_mix *x,
                       const float *similarity, const gnt_answer *answer);

#endif
