/* What makes a gnt_features: a graph that is being built, the taps of its distance, and what will be bound to
 * it. */
#ifndef GNT_METRIC_FEATURES_IMPL_H
#define GNT_METRIC_FEATURES_IMPL_H

#include "metric/features.h"

enum { FEATURES_MOST_BOUND = 2048 };

struct gnt_features {
    gnt_graph *graph;
    gnt_program *program;
    int32_t precision;
    gnt_metric_shape shape; /* of the images */
    gnt_node pair;          /* input: both images, 2×C×H×W */
    gnt_node distance;      /* so far; −1 before the first tap */
    double worst;           /* INFINITY: there is no bound */
    void *x;                /* what `pair` is bound to */
    struct features_bound {
        gnt_node node;
        void *values; /* in the program's precision; owned */
    } bound[FEATURES_MOST_BOUND];
    int32_t n_bound;
};

gnt_features *features_begin(gnt_metric_shape shape, int32_t precision, gnt_err *err);
/* Adds a constant input, whose values are copied. Returns −1 when out of memory. */
gnt_node features_hold(gnt_features *f, const char *name, const gnt_nn_shape *shape, const float *values);
/* Adds the distance at `x` (2×C×H×W, or 2×C) to the sum. weight: C of them, not negative; NULL: `each` for
 * all. */
void features_tap(gnt_features *f, gnt_node x, const float *weight, double each, int may_be_negative);
/* Makes the program; on failure f is freed. */
int features_end(gnt_features **out, gnt_features *f, const char *what, gnt_err *err);

#endif
