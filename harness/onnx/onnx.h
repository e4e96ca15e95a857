/* onnx: reads a network in the ONNX format as a model and its weights.
 *
 * Layers are recognised by the exact structure of nodes that PyTorch's exporter writes for them (opsets 11 to
 * 22); a node that is part of no layer is refused by name. Nothing is guessed. docs/models.md lists what is
 * read. The file is hostile: its sizes, types, names and links are checked before use. */
#ifndef GNT_ONNX_ONNX_H
#define GNT_ONNX_ONNX_H

#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "gauntlet/nn.h"
#include "nn/io/safetensors.h"

enum { GNT_ONNX_MOST = 1 << 29 }; /* bytes of a file */

typedef struct gnt_onnx_network {
    char *json;          /* text of the model file, which gnt_model_parse accepts */
    gnt_st weights;      /* float32 tensors of the model's names */
    gnt_nn_shape sample; /* of one input */
    int32_t classes;     /* outputs of the network */
    char *notes;         /* a line for each thing that the user should know; may be "" */
} gnt_onnx_network;

/* Reads the bytes of a file; `name` names it in errors. On failure *out is empty. Free it with
 * gnt_onnx_free. */
int gnt_onnx_read(gnt_onnx_network *out, const char *name, const uint8_t *bytes, size_t size, gnt_err *err);
void gnt_onnx_free(gnt_onnx_network *network);

#endif
