/* known_features: how far the features of a batch are from those that the update revealed, as a term of
 * a search's cost: the mean of ‖f(x_j) − f_j‖²/‖f_j‖² over the samples j whose features are
 * known.
 *
 * Local steps that use each sample once change the layers before, so that samples of step k of K have
 * the features of its weights. These are taken to lie on the line from the broadcast weights to those
 * that the client sent, at k/K. */
#ifndef GRADIENT_KNOWN_FEATURES_H
#define GRADIENT_KNOWN_FEATURES_H

#include "gauntlet/plugin.h"

/* The function prepared for so many samples, and for weights that stay the same or not, kept by the instance.
 * Zeros at first. */
typedef struct features_function {
    gnt_function *features;
    int64_t n;
    uint32_t constant; /* GNT_HELD_* */
} features_function;

typedef struct known_features {
    const gnt_host *host;
    const gnt_observation *seen;
    features_function *of;
    gnt_function_args args;
    int64_t n, features;
    int64_t steps, batch; /* steps of `batch` samples each; 1 of n where samples have no step of their own */
    float *wanted;        /* n × features, which the owner sets */
    uint8_t *known;       /* n: 1 of a sample whose row of these counts; 0 at first, the owner sets them */
    float *d_f;           /* n × features */
    float *weights;       /* of a step; NULL: of one step */
    int64_t *at;          /* batch: the samples of a step */
    float *x, *d_x;       /* batch and n samples; NULL: of one step */
} known_features;

/* Binds one observation. layer: whose output the features are. Memory is scratch of the hook. GNT_OK, or a
 * status after host->fail. */
gnt_status known_features_open(known_features *k, features_function *of, const gnt_host *host,
                               const gnt_observation *seen, int32_t layer, int64_t features);

/* Returns the step that uses sample i of the search; 0 where samples have none. */
int64_t known_features_step(const known_features *k, int64_t i);

/* Computes the features of n samples x at the weights of a step, into f, n × features. GNT_OK,
 * GNT_STOPPED, or a status after host->fail. */
gnt_status known_features_of_rows(known_features *k, const float *x, int64_t n, int64_t step, float *f);

/* Computes the cost at x and its derivative. *d_x: n × entries of a sample, valid until the next
 * evaluation. */
gnt_status known_features_eval(known_features *k, const float *x, double *cost, const float **d_x);

#endif
