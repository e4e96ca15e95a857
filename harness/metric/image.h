/* image: how near a recovered image is to the private one.
 *
 * There is one definition of each measure. Images are floats C×H×W, row-major, in image space [0, 1]; both
 * sides are clamped to [0, 1] first. Scores are per image and never pooled over a batch.
 *  - MSE: mean over all entries of the squared difference; mse255 is the same on the 0–255 scale (× 255²).
 *  - PSNR: −10 log10(MSE) dB, capped at 60 dB (MSE 1e-6, a quarter of an 8-bit step); at the cap `exact` is
 * set. One exact image therefore moves a mean by at most 60 dB.
 *  - SSIM: Wang, Bovik, Sheikh, Simoncelli, "Image quality assessment: from error visibility to structural
 * similarity" (2004): Gaussian window 11×11 of deviation 1.5 whose weights sum to 1, K1 = 0.01, K2 = 0.03, L
 * = 1, weighted (biased) variances, positions where the window lies wholly inside, mean over positions, then
 * over channels. Along a side shorter than 11 the window shrinks to the largest odd length that fits, its
 * weights renormalised.
 *
 * An answer with any NaN or infinite entry, and a target that got no answer, score the worst value of each
 * measure (MSE 1, PSNR 0 dB, SSIM −1) and are flagged; they are never NaN and never left out. */
#ifndef GNT_METRIC_IMAGE_H
#define GNT_METRIC_IMAGE_H

#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

#define GNT_METRIC_PSNR_CAP 60.0

typedef struct gnt_metric_shape {
    int64_t channels, height, width; /* each at least 1 */
} gnt_metric_shape;

typedef struct gnt_metric_image {
    double mse;     /* 0 … 1 */
    double mse255;  /* 0 … 65025 */
    double psnr;    /* dB, 0 … 60 */
    double ssim;    /* −1 … 1 */
    int exact;      /* PSNR reached the cap */
    int broken;     /* a NaN or infinite entry */
    int missing;    /* no answer was left for this target */
    int64_t answer; /* which answer was judged; −1 when missing */
} gnt_metric_image;

/* The smallest rectangle that holds all pixels of a mask. height 0: it marks none. */
typedef struct gnt_metric_box {
    int64_t top, left, height, width;
} gnt_metric_box;
gnt_metric_box gnt_metric_box_of(const uint8_t *mask, int64_t height, int64_t width);

/* Returns the mean squared difference of n ≥ 1 entries after clamping; 1 if an entry of either is not finite,
 * and then *broken (may be NULL) is 1, else 0. */
double gnt_metric_mse(const float *a, const float *b, size_t n, int *broken);
/* Returns the MSE of images over the pixels of all channels that a mask (H×W) marks; NULL: over all. */
double gnt_metric_mse_in(const float *a, const float *b, const uint8_t *mask, gnt_metric_shape shape);
double gnt_metric_psnr(double mse, int *exact); /* of an MSE in [0, 1]; `exact` may be NULL */

gnt_metric_image gnt_metric_judge(const float *target, const float *answer, gnt_metric_shape shape);
/* Judges a region: mask is height × width and marks at least one pixel. MSE and PSNR are over the marked
 * pixels of all channels, SSIM is that of the box around them. NULL: the whole image. */
gnt_metric_image gnt_metric_judge_region(const float *target, const float *answer, const uint8_t *mask,
                                         gnt_metric_shape shape);
gnt_metric_image gnt_metric_no_answer(void); /* what a target without an answer scores */

/* Judges a batch: out[t] for each of n_targets targets, after the one-to-one assignment of answers to targets
 * with the least total MSE (an attack cannot know the order inside a batch). Targets that are equal to the
 * byte share their best answer. Fewer answers than targets leave some `missing`; more are an error, because
 * the truth would then choose among guesses. targets and answers: n × C×H×W. */
int gnt_metric_judge_batch(gnt_metric_image *out, const float *targets, size_t n_targets,
                           const float *answers, size_t n_answers, gnt_metric_shape shape, gnt_err *err);

/* Judges n answers, each of which may show any of m ≥ n members of a set, but no two the same: out[a] and
 * member[a] for each answer a, after the assignment of answers to different members with the least total MSE.
 * members: m × C×H×W, answers: n × C×H×W. More answers than members are an error. masks: m × H×W, each member
 * is judged on its own region; NULL: on the whole image. */
int gnt_metric_judge_members(gnt_metric_image *out, int64_t *member, const float *members,
                             const uint8_t *masks, size_t m, const float *answers, size_t n,
                             gnt_metric_shape shape, gnt_err *err);

/* A set of images that is read one at a time, so that a large set need not lie in memory as floats. n and
 * features are at least 1. */
typedef struct gnt_metric_rows {
    /* writes `features` floats */
    void (*read)(const void *context, size_t row, float *x);
    const void *context;
    size_t n, features;
} gnt_metric_rows;

#endif
