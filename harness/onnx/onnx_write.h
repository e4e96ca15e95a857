/* What recognisers of layers share. A recogniser looks at the value that a layer would give, and returns 1 if
 * the nodes behind it are exactly those of its layers, 0 if they are not, or −1 with an error. */
#ifndef GNT_ONNX_WRITE_H
#define GNT_ONNX_WRITE_H

#include <jansson.h>

#include "base/text.h"
#include "nn/io/safetensors.h"
#include "onnx/onnx_graph.h"

enum { ONNX_NAME = 120 }; /* bytes of a layer's name, with its end */

typedef struct onnx_writer {
    onnx_graph *g;
    gnt_st weights;
    gnt_text notes;
    const char **name; /* of layers with parameters; room for one for each node */
    int32_t n_names;
} onnx_writer;

typedef struct onnx_step {
    json_t *layers; /* an array, empty at first */
    int32_t input;  /* the value that the first of them takes */
} onnx_step;

/* Appends a layer, whose reference it takes; NULL: out of memory. Returns 1, or −1. */
int gnt_onnx_put(const onnx_node *node, onnx_step *step, json_t *layer, gnt_err *err);
/* Sets "key": value or [a, b] unless both are `normal`. */
void gnt_onnx_put_pair(json_t *layer, const char *key, const int64_t v[2], int64_t normal);
/* Returns a real number as PyTorch has it: the shortest decimal that is the same float32. */
json_t *gnt_onnx_real(double value);

/* Chooses the name of a layer: what PyTorch calls it, by its weight or else by the node's scope; or type and
 * number. Returns NULL with an error when out of memory. */
const char *gnt_onnx_name(onnx_writer *w, const onnx_node *node, const char *type,
                          const onnx_constant *weight, gnt_err *err);
/* Adds the tensor LAYER.part; `shape` of the constant may be written with further dimensions of 1. Fails if
 * another layer has the constant. */
int gnt_onnx_weight(onnx_writer *w, const onnx_node *node, const char *layer, const char *part,
                    onnx_constant *c, onnx_shape shape, gnt_err *err);

/* The recognisers, each in the file of that name. */
int gnt_onnx_read_window(onnx_writer *w, int32_t value, onnx_step *step, gnt_err *err);
int gnt_onnx_read_dense(onnx_writer *w, int32_t value, onnx_step *step, gnt_err *err);
int gnt_onnx_read_norm(onnx_writer *w, int32_t value, onnx_step *step, gnt_err *err);
int gnt_onnx_read_activation(onnx_writer *w, int32_t value, onnx_step *step, gnt_err *err);
int gnt_onnx_read_plain(onnx_writer *w, int32_t value, onnx_step *step, gnt_err *err);

/* Returns the layers from the network's input to its output; NULL with an error. */
json_t *gnt_onnx_layers(onnx_writer *w, gnt_err *err);

#endif
