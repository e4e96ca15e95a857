/* model: an architecture read from JSON, and the graphs built from it.
 *
 * A model maps images in [0, 1] (or encoded table rows) to logits. Input normalisation, if a task has it, is
 * the model's first step, so that all other code works in image space. Parameters have PyTorch's names
 * (conv1.weight: O×I×KH×KW, fc.weight: O×I), so that weights can be exchanged. Weights are always an
 * argument: a model has none of its own. */
#ifndef GNT_NN_MODEL_H
#define GNT_NN_MODEL_H

#include <stdint.h>

#include "base/err.h"
#include "base/random.h"
#include "gauntlet/nn.h"
#include "nn/io/safetensors.h"

typedef struct gnt_model gnt_model;

typedef struct gnt_param {
    const char *name; /* as in PyTorch's state_dict */
    gnt_nn_shape shape;
    int buffer;     /* 1: running statistics of a batch norm, not trained */
    int32_t layer;  /* index of the layer it belongs to */
    int64_t offset; /* first entry within the flat vector of its kind (parameters, or buffers) */
} gnt_param;

/* Parses the architecture `json`; `name` names it in errors. sample: shape of one input (C,H,W or F);
 * classes: width of the logits ("out": "classes" in a layer). mean/deviation: per channel (or feature), NULL
 * for none. An error names the layer and the shapes that do not match. */
int gnt_model_parse(gnt_model **out, const char *name, const char *json, const gnt_nn_shape *sample,
                    int32_t classes, const double *mean, const double *deviation, gnt_err *err);
int gnt_model_load(gnt_model **out, const char *path, const gnt_nn_shape *sample, int32_t classes,
                   const double *mean, const double *deviation, gnt_err *err);
void gnt_model_free(gnt_model *m);

int32_t gnt_model_params(const gnt_model *m, const gnt_param **list); /* parameters first, then buffers */
int64_t gnt_model_size(const gnt_model *m);        /* entries of all parameters: the flat weight vector */
int64_t gnt_model_buffer_size(const gnt_model *m); /* entries of all buffers */
int32_t gnt_model_layers(const gnt_model *m);
const char *gnt_model_layer_name(const gnt_model *m, int32_t layer);
const char *gnt_model_layer_type(const gnt_model *m, int32_t layer);
gnt_nn_shape gnt_model_layer_shape(const gnt_model *m, int32_t layer); /* of its output for one input */
/* Returns the layer whose output is the representation: the file's "representation", else the input of the
 * last dense layer. */
int32_t gnt_model_representation(const gnt_model *m);
int32_t gnt_model_classes(const gnt_model *m);
gnt_nn_shape gnt_model_sample(const gnt_model *m); /* shape of one input */

/* ---- the task ---- */

typedef enum gnt_model_loss_kind { GNT_MODEL_CROSS_ENTROPY, GNT_MODEL_MSE } gnt_model_loss_kind;
gnt_model_loss_kind gnt_model_loss_of(const gnt_model *m);
int gnt_model_is_map(
    const gnt_model *m); /* 1: `classes` counts the entries of a map, each with a target in [0, 1] */
/* Builds the mean loss of outputs N×classes with targets N×classes: cross entropy over classes; for a map,
 * binary cross entropy of scores, averaged over entries; for mse, the mean over entries of squared
 * differences. */
gnt_node gnt_model_loss(const gnt_model *m, gnt_graph *g, gnt_node output, gnt_node target);

/* Returns 1 for each parameter that clients share, else 0; NULL if they share all. The others remain with
 * each client. */
const uint8_t *gnt_model_shared(const gnt_model *m);
int64_t
gnt_model_shared_size(const gnt_model *m); /* entries of the shared ones; an update is a vector of so many */
int64_t gnt_model_own_size(const gnt_model *m); /* entries of the others */
/* Copies between flat weights and the flat vector of the shared (shared 1) or the other parameters (0), in
 * order. */
void gnt_model_pick(const gnt_model *m, int shared, const float *flat, float *part);
void gnt_model_place(const gnt_model *m, int shared, const float *part, float *flat);

/* Draws initial weights by the file's "init" (see docs/models.md) and sets buffers to their defaults. */
void gnt_model_init(const gnt_model *m, gnt_stream *random, float *params, float *buffers);
/* Copies weights from and to named tensors; an error names a missing, extra or misshapen one. */
int gnt_model_import(const gnt_model *m, const gnt_st *st, float *params, float *buffers, gnt_err *err);
int gnt_model_export(const gnt_model *m, const float *params, const float *buffers, gnt_st *st, gnt_err *err);
/* True if the buffers differ from those of initial weights: the network was trained. */
int gnt_model_has_statistics(const gnt_model *m, const float *buffers);

/* Writes the model into a graph. params/buffers: arrays of nodes in the order of gnt_model_params. x:
 * N×sample. layer_out (may be NULL): gnt_model_layers nodes. stats (may be NULL): for each buffer, in
 * training mode, the new batch statistic (mean, unbiased variance), else −1. Returns the logits N×classes
 * (negative: see graph's error). */
gnt_node gnt_model_build(const gnt_model *m, gnt_graph *g, gnt_node x, const gnt_node *params,
                         const gnt_node *buffers, int training, gnt_node *layer_out, gnt_node *stats);

/* Declares an input for each parameter and buffer, in order, with its name. */
void gnt_model_declare(const gnt_model *m, gnt_graph *g, gnt_node *params, gnt_node *buffers);
/* Binds flat vectors to these inputs; `precision`: bytes of their entries, 4 or 8. */
void gnt_model_bind(const gnt_model *m, gnt_program *p, const gnt_node *params, const gnt_node *buffers,
                    const void *flat_params, const void *flat_buffers, int32_t precision);

#endif
