/* obscure: LODA's encoding of n images (Algorithm 1): normalised gradient descent from given starts on
 *     ‖g(x′) − g(x*)‖² − c‖x′ − x*‖²
 * within the box [0, 1], each image by itself. */
#ifndef LODA_OBSCURE_H
#define LODA_OBSCURE_H

#include "shared/loda/layer_features.h"

typedef struct obscurer {
    features g;
    double c, step; /* step: length of a step in image space, L2 */
    int64_t steps;
    feature_map whole, rest; /* for full batches, and for what is left */
    int64_t batch;
    float *room, *goal[FEATURES_LAYERS], *difference[FEATURES_LAYERS]; /* batch × width each, within room */
    double *value;                                                     /* batch */
} obscurer;

/* Makes room for batches; everything else is set. −1 when out of memory. */
int obscurer_open(obscurer *o);
void obscurer_close(obscurer *o);

typedef struct obscured { /* of one image */
    double first, last;   /* the objective at the start and at the end */
    double square;        /* ‖x′ − x*‖² at the end */
} obscured;

/* Obscures n ≤ batch private images x* (truth: n × pixels). x: n × pixels, the starting points, which
 * become the encodings. `done` and `all` (steps × images) are for progress. */
gnt_status obscurer_run(obscurer *o, int64_t n, const float *truth, float *x, obscured *out, double done,
                        double all);

#endif
