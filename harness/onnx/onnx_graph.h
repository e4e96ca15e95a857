/* The graph of an ONNX file: its nodes in the order of the file, and the values between them.
 *
 * Invariants after reading: a node's inputs are given by the file or by earlier nodes; names of values are
 * unique. After gnt_onnx_shapes every value that the output depends on is a constant, or data: computed from
 * the network's input, with a shape whose first dimension is the batch. All memory is the arena's. */
#ifndef GNT_ONNX_GRAPH_H
#define GNT_ONNX_GRAPH_H

#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/err.h"
#include "onnx/protobuf.h"

enum {
    ONNX_RANK = 8,
    ONNX_ATTRIBUTES = 10, /* of one kind of node, with the NULL after them */
    ONNX_NONE = -1        /* an absent optional input or output */
};

/* The batch in the shape of data, and in integers that are computed from such a shape. No number read from a
 * file has this value. */
#define ONNX_BATCH INT64_MIN

typedef struct onnx_shape {
    int32_t rank;
    int64_t dim[ONNX_RANK];
} onnx_shape;

typedef struct onnx_constant {
    const char *origin; /* the initializer that it comes from: a parameter; NULL: a constant of the program */
    struct onnx_constant *root; /* what it is a view or transpose of; may be itself */
    int taken;                  /* of the root: a layer has it */
    onnx_shape shape;
    int64_t count;
    const float *real;    /* either these */
    const int64_t *whole; /* or these; both NULL: of another type */
} onnx_constant;

typedef struct onnx_attribute {
    const char *name;
    int type; /* ONNX's number: 1 float, 2 integer, 3 text, 4 tensor, 7 integers; others have no value */
    double f;
    int64_t i;
    const char *s;
    const int64_t *ints;
    int64_t n_ints;
    onnx_constant *tensor;
} onnx_attribute;

/* A kind of node that may be part of a layer. */
typedef struct onnx_op {
    const char *name;
    int least, most;                        /* inputs */
    const char *attribute[ONNX_ATTRIBUTES]; /* that are known */
} onnx_op;

typedef struct onnx_node {
    const char *name, *op;
    const onnx_op *kind; /* NULL: of a kind that is part of no layer */
    int32_t *input, *output;
    int32_t n_inputs, n_outputs;
    onnx_attribute *attribute;
    int32_t n_attributes;
    int used;  /* the network's output depends on it */
    int taken; /* it is part of a layer */
} onnx_node;

typedef struct onnx_value {
    const char *name;
    int32_t node;            /* that gives it; ONNX_NONE: the file */
    onnx_constant *constant; /* NULL: data, or not known yet */
    onnx_shape shape;        /* of data; rank 0 before it is known */
    int32_t dominator;       /* of data: the last value that everything from the input to it goes through */
    int32_t depth;           /* length of the chain of dominators */
} onnx_value;

typedef struct onnx_graph {
    gnt_arena arena;
    int64_t opset;
    const char *producer, *producer_version;
    onnx_node *node;
    onnx_value *value;
    int32_t n_nodes, n_values;
    int32_t input, output;
    int64_t batch;  /* of the input: a fixed number, or 0 for any */
    int32_t copies; /* tensors that are stored once and have several names */
} onnx_graph;

/* Sets "node NAME (OP): sentence" and returns −1. */
int gnt_onnx_fail(const onnx_node *node, gnt_err *err, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Reads a file into an empty graph. The caller frees the arena, also after a failure. */
int gnt_onnx_graph_read(onnx_graph *g, const uint8_t *bytes, size_t size, gnt_err *err);
/* Reads a TensorProto and its name; `what` names it in errors. */
int gnt_onnx_tensor(onnx_graph *g, gnt_pb message, onnx_constant **out, const char **name, gnt_err *err);
/* Copies a text of at most 300 bytes into the arena; `what` is its meaning. */
int gnt_onnx_text(onnx_graph *g, const gnt_pb_field *field, const char *what, const char **out, gnt_err *err);

/* ---- attributes ---- */

const onnx_attribute *gnt_onnx_attribute(const onnx_node *node, const char *name); /* NULL: absent */
/* Read an attribute of this type; an absent one leaves *out. */
int gnt_onnx_int(const onnx_node *node, const char *name, int64_t *out, gnt_err *err);
int gnt_onnx_float(const onnx_node *node, const char *name, double *out, gnt_err *err);
int gnt_onnx_word(const onnx_node *node, const char *name, const char **out, gnt_err *err);
/* Reads a list of n integers. */
int gnt_onnx_ints(const onnx_node *node, const char *name, int64_t n, int64_t *out, gnt_err *err);

/* ---- values ---- */

int gnt_onnx_same_shape(const onnx_shape *a, const onnx_shape *b);

/* Returns the input's value, or NULL if it is absent. */
onnx_value *gnt_onnx_input(const onnx_graph *g, const onnx_node *node, int32_t i);
/* Returns the constant of the input, or NULL. */
onnx_constant *gnt_onnx_constant_of(const onnx_graph *g, const onnx_node *node, int32_t i);
/* Returns the node that gives the value if its kind has this name, else NULL. */
onnx_node *gnt_onnx_made_by(const onnx_graph *g, int32_t value, const char *op);
/* Returns the constant as one real number; false if it is none. */
int gnt_onnx_scalar(const onnx_constant *c, double *out);

/* Computes a node of constants, or of the shape of data. Returns 1 and sets the constant of its output, 0 if
 * the node is none, −1 with an error. */
int gnt_onnx_compute(onnx_graph *g, onnx_node *node, gnt_err *err);
/* Lets a Concat take the output of an earlier one that joins its first inputs, in place of these: what dense
 * blocks compute. The values stay the same. */
void gnt_onnx_nest_concats(onnx_graph *g);
/* Marks what the output depends on, and computes constants, shapes and dominators. */
int gnt_onnx_shapes(onnx_graph *g, gnt_err *err);

/* Reads the axes, bit i for axis i ≥ 1, of a node that takes them as an attribute or as its second input. */
int gnt_onnx_axes(const onnx_graph *g, const onnx_node *node, int32_t rank, uint32_t *axes, gnt_err *err);
/* Reads Pad with zeros, as rows added at both ends of each axis. */
int gnt_onnx_pads(const onnx_graph *g, const onnx_node *node, int32_t rank, int64_t before[ONNX_RANK],
                  int64_t after[ONNX_RANK], gnt_err *err);
/* Reads Slice of a shape as the first entry, the number of entries and the step along each axis. */
int gnt_onnx_slice(const onnx_graph *g, const onnx_node *node, const onnx_shape *in, int64_t first[ONNX_RANK],
                   int64_t count[ONNX_RANK], int64_t step[ONNX_RANK], gnt_err *err);
/* Reads the whole factors by which Resize repeats the rows and columns of an image. */
int gnt_onnx_factors(const onnx_graph *g, const onnx_node *node, const onnx_shape *in, int64_t factor[2],
                     gnt_err *err);

/* A window that slides over an image. */
typedef struct onnx_window {
    int64_t kernel[2], stride[2], pad[2], dilation[2], out_pad[2];
    int64_t ceil_mode;
} onnx_window;
/* Reads the window of a convolution or pool; `weight`: the constant with its kernel size, or NULL. */
int gnt_onnx_window(const onnx_node *node, const onnx_constant *weight, onnx_window *w, gnt_err *err);

#endif
