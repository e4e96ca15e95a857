/* known_features: how far the features of a batch are from those that the update revealed, as a term of a
 * search's cost: the mean of ‖f(x_j) − f_j‖²/‖f_j‖² over the samples j whose features are known. */
#ifndef GRADIENT_KNOWN_FEATURES_H
#define GRADIENT_KNOWN_FEATURES_H

#include "gauntlet/plugin.h"

/* The function prepared for batches of n samples, kept by the instance. Zeros at first. */
typedef struct features_function {
    gnt_function *features;
    int64_t n;
} features_function;

typedef struct known_features {
    const gnt_host *host;
    features_function *of;
    gnt_function_args args;
    int64_t n, features;
    const float *wanted; /* n × features */
    uint8_t *known;      /* n: 1 of a sample whose row of these counts; 0 at first, the owner sets them */
    float *d_f;          /* n × features */
} known_features;

/* Binds one observation. layer: whose output is to be `wanted`, n × features, which outlives k. GNT_OK,
 * or a status after host->fail. */
gnt_status known_features_open(known_features *k, features_function *of, const gnt_host *host,
                               const gnt_observation *seen, int32_t layer, const float *wanted,
                               int64_t features);

/* Computes the features of a batch x. *f: n × features, the host's, valid until the next evaluation. */
gnt_status known_features_of(known_features *k, const float *x, const float **f);

/* Computes the cost at x and its derivative. *d_x: n × features of x, the host's, valid until the next
 * evaluation. */
gnt_status known_features_eval(known_features *k, const float *x, double *cost, const float **d_x);

#endif
