/* identify: does an answer pick its private image out of many candidates? An answer too blurred to score well
 * can still point at one person.
 *
 * Distance is the clamped MSE of image.h. A rank counts the candidates that are strictly nearer, and half of
 * those that are equally near; `hit` is the chance to name the right one among the nearest, drawn blindly. So
 * an answer that says nothing about which (all distances equal) scores exactly chance: hit 1/n, rank (n +
 * 1)/2. An answer that is not finite scores the worst: hit 0, rank n. */
#ifndef GNT_METRIC_IDENTIFY_H
#define GNT_METRIC_IDENTIFY_H

#include <stddef.h>
#include <stdint.h>

#include "metric/image.h"

typedef struct gnt_metric_identity {
    double hit;     /* 0 … 1; its mean over targets is the identification rate */
    double rank;    /* 1 = nearest … n */
    double mse;     /* to the right candidate */
    size_t nearest; /* the first of the nearest candidates */
    int broken;
} gnt_metric_identity;

/* Ranks the private image among candidates by distance to the answer. candidates: rows 0 … n−1, of which
 * row `right` is the private image; n ≥ 1. */
int gnt_metric_identify(gnt_metric_identity *out, const float *answer, const gnt_metric_rows *candidates,
                        size_t right, gnt_err *err);

/* Computes the chance that the nearest candidate, drawn at random among equals, is any of the n rows from
 * `first` on; 0 for an answer that is not finite. */
int gnt_metric_identify_any(double *hit, const float *answer, const gnt_metric_rows *candidates, size_t first,
                            size_t n, gnt_err *err);

#endif
