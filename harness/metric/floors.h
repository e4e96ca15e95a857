/* floors: what a guesser scores who saw nothing of the target. A reconstruction counts only as far as it
 * beats them.
 *  - random: independent uniform pixels;
 *  - other: some public image, drawn blindly (looks right, is not);
 *  - mean: the mean public image, the best single guess for MSE;
 *  - nearest: the public image with the least MSE to the target. It is chosen with the truth, so it is a
 * generous floor: what an attacker with a perfect choice among public images could show. */
#ifndef GNT_METRIC_FLOORS_H
#define GNT_METRIC_FLOORS_H

#include <stddef.h>

#include "base/random.h"
#include "metric/image.h"

/* Computes the mean image over all rows after clamping, in doubles that are rounded to float. */
int gnt_metric_mean_image(float *mean, const gnt_metric_rows *rows, gnt_err *err);

typedef struct gnt_metric_floor {
    gnt_metric_image random, other, mean, nearest;
    size_t other_row, nearest_row; /* of the public set */
} gnt_metric_floor;

/* Computes out[t] for each of n_targets targets (n × C×H×W). masks: n × H×W, each target is judged on its own
 * region, by which its nearest image is chosen too; NULL: on the whole image. mean: from
 * gnt_metric_mean_image on the same rows. Target t draws from the stream named by its number, so that its
 * floors do not depend on how many targets there are. */
int gnt_metric_floors(gnt_metric_floor *out, const float *targets, const uint8_t *masks, size_t n_targets,
                      gnt_metric_shape shape, const gnt_metric_rows *public_rows, const float *mean,
                      const gnt_key *key, gnt_err *err);

/* Finds the public row with the least MSE to each of n_targets targets, on its region if there are masks, and
 * that MSE. */
int gnt_metric_nearest(size_t *row, double *least, const float *targets, const uint8_t *masks,
                       size_t n_targets, gnt_metric_shape shape, const gnt_metric_rows *public_rows,
                       gnt_err *err);

/* A set of m images of which an answer may show any, and what gnt_metric_nearest found for them. */
typedef struct gnt_metric_members {
    const float *x;       /* m × C×H×W */
    const uint8_t *masks; /* m × H×W: each is judged on its own region; NULL: on the whole image */
    size_t m;
    const size_t *nearest_row;
    const double *nearest_mse;
} gnt_metric_members;

/* Computes the floors of n ≤ m guesses at a set: out[i] for each guess, judged as answers are, by
 * gnt_metric_judge_members. The best of many members is near any guess, so a floor for one fixed member would
 * be too low. `nearest` are the n members that are nearest to some public image. Guess i draws as target
 * first + i does above. */
int gnt_metric_floors_of_members(gnt_metric_floor *out, size_t n, const gnt_metric_members *set, size_t first,
                                 gnt_metric_shape shape, const gnt_metric_rows *public_rows,
                                 const float *mean, const gnt_key *key, gnt_err *err);

#endif
