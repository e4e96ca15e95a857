/* statistics: a batch's batch-norm statistics as a term of a search's cost.
 *
 * GradInversion (Yin et al., CVPR 2021): at every batch norm the batch's means and variances should be those
 * that the model keeps (running statistics), or the batch's own where these are granted. They are read behind
 * the layer, run with those statistics: ŷ = (y − β)/γ = (v − μ)/√(σ² + ε) has mean 0 and variance 1 in every
 * channel where v has the statistics asked for. So no layer's scale counts more than another's, and the cost
 * is the mean over layers of the mean over channels of m² + (s − 1)². */
#ifndef GRADIENT_STATISTICS_H
#define GRADIENT_STATISTICS_H

#include "gauntlet/plugin.h"

/* The function prepared for batches of n samples, kept by the instance. Zeros at first. */
typedef struct statistics_function {
    gnt_function *features;
    int64_t n;
} statistics_function;

typedef struct statistics {
    const gnt_host *host;
    statistics_function *of;
    gnt_function_args args;
    int32_t n_layers;             /* batch norms with parameters that are known */
    int32_t *layer;               /* their indices */
    const float **scale, **shift; /* γ and β of each, within the weights */
    float **d_y;                  /* cotangent of each one's output */
} statistics;

/* How many batch norms the model has whose γ and β are among its parameters. */
int32_t statistics_layers(const gnt_model_info *info);

/* wanted: the statistics asked for, laid out like the model's buffers. GNT_OK, or a status after
 * host->fail. */
gnt_status statistics_open(statistics *s, statistics_function *of, const gnt_host *host,
                           const gnt_observation *seen, const float *wanted);

/* *d_x: n × features, the host's until the next evaluation. */
gnt_status statistics_eval(statistics *s, const float *x, double *cost, const float **d_x);

/* The cost of one layer's output y (n × channels × area), `layers` of them in all, and its derivative d_y. A
 * channel whose |γ| is below 1e-3 tells nothing and is left out. */
double statistics_cost(const float *y, int64_t n, int64_t channels, int64_t area, const float *scale,
                       const float *shift, int32_t layers, float *d_y);

#endif
