/* attr-nn: infers a private attribute from an update, with a network trained on shadow observations.
 *
 * Three ideas, a file each: features.c turns an update into a short vector (max pooling, then the shadow
 * observations' own mean and deviation); shadow.c makes a table of them, in a training and a validation part;
 * net.c is the network and its training. attr_nn.c holds the parameters and the hooks. */
#ifndef ATTR_NN_H
#define ATTR_NN_H

#include <stdint.h>

#include "gauntlet/plugin.h"

enum { ATTR_HIDDEN = 16 }; /* greatest number of hidden layers */

typedef struct attr_settings {
    const gnt_host *host;
    int64_t hidden[ATTR_HIDDEN];
    int32_t n_hidden;
    int64_t epochs, batch;
    double rate, momentum;
    int64_t window; /* 0: the least one that leaves at most `inputs` */
    int64_t inputs;
    double share; /* of the shadow observations, for validation */
    int balanced; /* rare values count as much as common ones, in training and in validation */
} attr_settings;

/* ---- features.c ---- */

int64_t attr_update_size(const gnt_views *update);
int64_t attr_window(const attr_settings *s, int64_t update_size);
int64_t attr_pooled_size(int64_t update_size, int64_t window);
/* out[j] = the largest of entries j·window … (j+1)·window − 1 of all tensors in a row (the last window may be
 * shorter), with its sign, as Melis et al. (2019) and RecUP-FL pool. */
void attr_pool(const gnt_views *update, int64_t window, float *out);
/* mean and scale = 1/deviation of each column over the given rows; scale 0 where it does not vary. */
void attr_statistics(const float *x, int64_t columns, const int32_t *row, int64_t rows, float *mean,
                     float *scale);
/* (x − mean)·scale, cut at ±10 deviations; what is not finite becomes 0. In place. */
void attr_standardise(float *x, int64_t columns, const float *mean, const float *scale);

/* ---- shadow.c ---- */

typedef struct attr_table {
    int64_t n, columns;
    int32_t values;
    float *x;       /* n × columns */
    int32_t *label; /* n: the attribute of most of the batch, ties to the lowest value */
    int32_t *row;   /* n rows of x, those of the training part first, by value */
    int64_t n_train;
    int64_t *count; /* values: of the training part */
} attr_table;

/* All memory is the hook's scratch. Fails with a sentence where there is too little to learn from. */
gnt_status attr_table_make(attr_table *t, const attr_settings *s, const gnt_attack_prepare *in);

/* ---- net.c ---- */

/* Dense layers with ReLU between them: layer i maps width[i] to width[i + 1]. */
typedef struct attr_net {
    int32_t layers;
    int64_t width[ATTR_HIDDEN + 2];
    const float *weight[ATTR_HIDDEN + 1]; /* width[i + 1] × width[i] */
    const float *bias[ATTR_HIDDEN + 1];
} attr_net;

typedef struct attr_trained {
    attr_net net;       /* of the epoch that was best on the validation part; scratch of the hook */
    int64_t kept_epoch; /* from 1 */
    double rate;        /* that it was trained with */
    double accuracy;    /* on that part; balanced where asked for; NaN without one */
} attr_trained;

gnt_status attr_train(attr_trained *out, const attr_settings *s, const attr_table *t);
/* Scores of one standardised vector; room: 2 × the widest layer. */
void attr_forward(const attr_net *net, const float *x, float *room, float *scores);

#endif
