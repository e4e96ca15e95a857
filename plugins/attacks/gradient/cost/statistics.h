/* statistics: a batch's batch-norm statistics as a term of a search's cost.
 *
 * GradInversion (Yin et al., CVPR 2021): at every batch norm the batch's means and variances should be the
 * model's running statistics, or the batch's own where these are granted. They are read off the layer's
 * output, computed with the wanted statistics: ŷ = (y − β)/γ = (v − μ)/√(σ² + ε) has mean 0 and variance 1
 * in every channel in which v has the wanted statistics. So no layer's scale counts more than another's.
 * The cost is the mean over layers of the mean over channels of m² + (s − 1)², where m and s² are the mean
 * and variance of ŷ. */
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

/* Returns the number of batch norms whose γ and β are among the model's parameters. */
int32_t statistics_layers(const gnt_model_info *info);

/* Binds one observation. wanted: the statistics to reach, laid out like the model's buffers. GNT_OK, or a
 * status after host->fail. */
gnt_status statistics_open(statistics *s, statistics_function *of, const gnt_host *host,
                           const gnt_observation *seen, const float *wanted);

/* Computes the cost at x and its derivative. *d_x: n × features, the host's, valid until the next
 * evaluation. */
gnt_status statistics_eval(statistics *s, const float *x, double *cost, const float **d_x);

#endif
