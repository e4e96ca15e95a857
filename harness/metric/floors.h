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
#include "metric/rows.h"

/* mean: features doubles rounded to float, over all rows after clamping. */
int gnt_metric_mean_image(float *mean, const gnt_metric_rows *rows, gnt_err *err);

typedef struct gnt_metric_floor {
    gnt_metric_image random, other, mean, nearest;
    size_t other_row, nearest_row; /* of the public set */
} gnt_metric_floor;

/* out[t] for each of n_targets targets (n × C×H×W). mean: from gnt_metric_mean_image on the same rows. Target
 * t draws from the stream named by its number, so that its floors do not depend on how many targets there
 * are. */
int gnt_metric_floors(gnt_metric_floor *out, const float *targets, size_t n_targets, gnt_metric_shape shape,
                      const gnt_metric_rows *public_rows, const float *mean, const gnt_key *key,
                      gnt_err *err);

#endif
