/* mixing: does an attack see which released encodings share a private image, and how much of each is in them?
 *
 * The truth is a table of weights ≥ 0, encodings × originals. An original is a member of an encoding when its
 * weight there is above 0; weights of public partners are in no table. */
#ifndef GNT_METRIC_MIXING_H
#define GNT_METRIC_MIXING_H

#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

/* A pair shares an original visibly when the product of its two weights there is at least this. */
#define GNT_METRIC_VISIBLE 0.04

typedef struct gnt_metric_pairs {
    /* AUC over all pairs, those that share an original being the positive ones: the chance that a positive
     * scores above a negative, ties counting half. NAN if one of the two kinds is missing. */
    double all;
    /* as above, without the pairs that share an original but none visibly */
    double visible;
} gnt_metric_pairs;

/* Judges similarity scores. A score that is not finite ranks on the wrong side of all others. similarity:
 * encodings × encodings; (i, j) and (j, i) are averaged, the diagonal is left out. */
int gnt_metric_similarity(gnt_metric_pairs *out, const float *similarity, const float *weight,
                          size_t encodings, size_t originals, gnt_err *err);

typedef struct gnt_metric_clusters {
    /* of the memberships that are claimed, the share that falls on each cluster's commonest original; NaN
     * where none is */
    double purity;
    double assigned; /* mean over encodings of the share of its true members that are claimed */
    /* Pearson's, of claimed and true weight over all true memberships; NaN where one of the two does not
     * vary */
    double correlation;
} gnt_metric_clusters;

/* Scores claimed memberships. claimed: encodings × clusters, how much of each cluster's image is in each
 * encoding; above 0 is a membership, and what is not finite is none. Clusters are assigned to originals
 * one to one, so that as many claimed memberships as possible are true; an original without a cluster is
 * claimed nowhere. */
int gnt_metric_mixture(gnt_metric_clusters *out, const float *claimed, size_t clusters, const float *weight,
                       size_t encodings, size_t originals, gnt_err *err);

#endif
