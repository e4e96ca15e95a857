/* A parsed model: a list of layers in the order of computation, blocks flattened.
 *
 * Invariant: a layer's inputs come before it; MODEL_SAMPLE is the (normalised) sample itself. Shapes are
 * those of one sample; the batch is known only when a graph is built. */
#ifndef GNT_NN_MODEL_IMPL_H
#define GNT_NN_MODEL_IMPL_H

#include "nn/model/model.h"

enum { MODEL_SAMPLE = -1 };

/* The types of layer with their names in a file. REPEAT is in files only: its body becomes layers. */
#define MODEL_TYPES(ROW)                                                                                     \
    ROW(CONV, "conv")                                                                                        \
    ROW(CONV_TRANSPOSE, "conv_transpose")                                                                    \
    ROW(DENSE, "dense")                                                                                      \
    ROW(BATCH_NORM, "batch_norm")                                                                            \
    ROW(LAYER_NORM, "layer_norm")                                                                            \
    ROW(GROUP_NORM, "group_norm")                                                                            \
    ROW(MAX_POOL, "max_pool")                                                                                \
    ROW(AVG_POOL, "avg_pool")                                                                                \
    ROW(GLOBAL_AVG_POOL, "global_avg_pool")                                                                  \
    ROW(ADAPTIVE_AVG_POOL, "adaptive_avg_pool")                                                              \
    ROW(RELU, "relu")                                                                                        \
    ROW(LEAKY_RELU, "leaky_relu")                                                                            \
    ROW(SIGMOID, "sigmoid")                                                                                  \
    ROW(TANH, "tanh")                                                                                        \
    ROW(SOFTPLUS, "softplus")                                                                                \
    ROW(GELU, "gelu")                                                                                        \
    ROW(SILU, "silu")                                                                                        \
    ROW(SOFTMAX, "softmax")                                                                                  \
    ROW(FLATTEN, "flatten")                                                                                  \
    ROW(DROPOUT, "dropout")                                                                                  \
    ROW(UPSAMPLE, "upsample")                                                                                \
    ROW(RESIDUAL, "residual")                                                                                \
    ROW(CONCAT, "concat")                                                                                    \
    ROW(REPEAT, "repeat")

#define MODEL_KIND(kind, name) MODEL_##kind,
typedef enum model_kind { MODEL_TYPES(MODEL_KIND) MODEL_KINDS } model_kind;
#undef MODEL_KIND

typedef enum model_init { MODEL_INIT_UNIFORM, MODEL_INIT_KAIMING, MODEL_INIT_XAVIER } model_init;

typedef struct model_layer {
    char *name;
    model_kind kind;
    int32_t *input,
        n_inputs;         /* layers, or MODEL_SAMPLE; a residual has its body's first, then its shortcut's */
    gnt_nn_shape shape;   /* of its output */
    int32_t weight, bias; /* numbers of its parameters among all, −1 for none; batch norm: gamma, beta */
    int32_t mean, variance; /* numbers of its buffers, from 0; −1 for none */
    /* For height and width. */
    int32_t kernel[2], stride[2], pad[2], dilation[2];
    int32_t out_pad[2]; /* conv_transpose: rows and columns added at the end */
    int32_t groups;     /* conv, conv_transpose, group_norm */
    int per_place;      /* layer_norm: over the channels of each place, not over the whole sample */
    int tanh_form;      /* gelu */
    int ceil_mode, count_pad;
    int pad_shortcut; /* residual: the shortcut is subsampled by stride and its channels padded with zeros */
    int32_t factor;   /* upsample */
    double slope, eps;
} model_layer;

struct gnt_model {
    char *name; /* of the file, for errors */
    gnt_nn_shape sample;
    int32_t classes, representation;
    gnt_model_loss_kind loss;
    int is_map;          /* "output": "map" */
    int scalar;          /* the last layer gives one value p: the two classes are 1 − p and p */
    uint8_t *shared;     /* n_params entries: 1 where clients share the parameter; NULL: they share all */
    int64_t shared_size; /* entries of shared parameters */
    double *mean, *deviation; /* per channel or feature, NULL for none */
    model_init init;
    double bound; /* of MODEL_INIT_UNIFORM */
    model_layer *layer;
    int32_t n_layers;
    gnt_param *param; /* parameters, then buffers (once parsing is done) */
    int32_t n_params, n_buffers;
    int64_t size, buffer_size;
};

const char *model_kind_name(model_kind kind);
int model_has_params(model_kind kind);

#endif
