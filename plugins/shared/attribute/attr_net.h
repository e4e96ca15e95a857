/* attr_net: a dense network that infers a private attribute from a pooled update, or maps a representation to
 * other data, and its training. Layers are counted as in RecUP-FL: those before the output. */
#ifndef ATTRIBUTE_ATTR_NET_H
#define ATTRIBUTE_ATTR_NET_H

#include <stdint.h>

#include "gauntlet/plugin.h"

enum { ATTR_HIDDEN = 16 }; /* greatest number of hidden layers */

/* Training data: standardised rows with the value of the attribute of each. */
typedef struct attr_table {
    int64_t n, columns;
    int32_t values;
    float *x;       /* n × columns */
    int32_t *label; /* n: the attribute of most of the batch, ties to the lowest value */
    int32_t *row;   /* n rows of x, those of the training part first, by value */
    int64_t n_train;
    int64_t *count; /* values: of the training part */
    /* n × values, unless NULL: the target for each row, by the least squared error; `values` is then the
     * number of outputs, and neither label nor count is read. Centred: mean 0 on the training part. */
    const float *target;
} attr_table;

typedef struct attr_recipe {
    const gnt_host *host;
    int64_t hidden[ATTR_HIDDEN];
    int32_t n_hidden;
    int64_t epochs, batch;
    double rate, momentum;
    int adam; /* Adam (Kingma and Ba, 2015) at that rate, falling to 0 along a cosine; else SGD */
    /* Only without a target: */
    int64_t balanced; /* rare values count as much as common ones, in training and in validation */
    /* Unless NULL: called before each epoch except the first, to recompute x. */
    gnt_status (*renew)(void *context, attr_table *t);
    void *context;
} attr_recipe;

/* Dense layers with ReLU between them: layer i maps width[i] to width[i + 1]. */
typedef struct attr_net {
    int32_t layers;
    int64_t width[ATTR_HIDDEN + 2];
    const float *weight[ATTR_HIDDEN + 1]; /* width[i + 1] × width[i] */
    const float *bias[ATTR_HIDDEN + 1];
} attr_net;

typedef struct attr_trained {
    attr_net net;       /* of the best epoch on the validation part; in the caller's `flat` */
    int64_t kept_epoch; /* from 1 */
    double rate;        /* of its training */
    double accuracy;    /* on that part, balanced if requested; NaN without one, or with a target */
    /* With a target: the squared error on that part divided by the target's squares; else NaN. */
    double unexplained;
} attr_trained;

/* Returns the number of weights and biases of such a network. */
int64_t attr_net_size(const attr_recipe *r, int64_t columns, int32_t values);
/* Trains a network into flat, attr_net_size entries. */
gnt_status attr_train(attr_trained *out, float *flat, const attr_recipe *recipe, attr_table *t);
/* Trains as attr_train does, into scratch of the hook. */
gnt_status attr_train_scratch(attr_trained *out, const attr_recipe *recipe, attr_table *t);
/* Computes the scores of one standardised vector; room: 2 × the widest layer. */
void attr_forward(const attr_net *net, const float *x, float *room, float *scores);
/* Computes attr_forward of n vectors; out: n × width[layers]. */
gnt_status attr_forward_all(const attr_net *net, const gnt_host *host, const float *x, int64_t n, float *out);
int64_t attr_widest(const attr_net *net);

/* Writes the network as artefacts PREFIXweight.0, PREFIXbias.0, PREFIXweight.1 … */
gnt_status attr_write_net(const gnt_sink *out, const char *prefix, const attr_net *net);
/* Reads a network from `columns` to `values` from the artefacts. Returns −1 if they have none of that
 * prefix. */
int attr_read_net(attr_net *net, const gnt_artefacts *own, const char *prefix, int64_t columns,
                  int32_t values);
/* Returns the artefact of that name and rank, or NULL. */
const gnt_view *attr_find(const gnt_artefacts *own, const char *prefix, const char *name, int32_t rank);

#endif
