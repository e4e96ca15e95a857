/* graph: the list of nodes behind nn.h's builders. A node's inputs always have smaller numbers than the node,
 * so one walk in order is a topological walk; every pass of this room relies on it.
 *
 * The planner rewrites a graph into another graph, so it uses the same vertices. */
#ifndef GNT_NN_GRAPH_H
#define GNT_NN_GRAPH_H

#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include "gauntlet/nn.h"

/* The primitives: each with its name, as nn.h spells it, and the fields of gnt_vertex that it uses. */
#define GNT_OPS(ROW)                                                                                         \
    ROW(INPUT, "input")                                                                                      \
    ROW(FILL, "fill") /* a = value */                                                                        \
    ROW(DATA, "data")                                                                                        \
    ROW(AFFINE, "affine") /* a·x + b */                                                                     \
    ROW(EXP, "exp")                                                                                          \
    ROW(LOG, "log")                                                                                          \
    ROW(SQRT, "sqrt") /* a = eps */                                                                          \
    ROW(SIGMOID, "sigmoid")                                                                                  \
    ROW(TANH, "tanh")                                                                                        \
    ROW(ERF, "erf")                                                                                          \
    ROW(SOFTPLUS, "softplus")                                                                                \
    ROW(RELU, "relu")                                                                                        \
    ROW(LEAKY_RELU, "leaky_relu") /* a = slope */                                                            \
    ROW(STEP, "step")                                                                                        \
    ROW(SIGN, "sign")                                                                                        \
    ROW(ABS, "abs")                                                                                          \
    ROW(ADD, "add")                                                                                          \
    ROW(SUB, "sub")                                                                                          \
    ROW(MUL, "mul")                                                                                          \
    ROW(DIV, "div")                                                                                          \
    ROW(SUM, "sum")       /* p[0] = axes */                                                                  \
    ROW(EXPAND, "expand") /* to the node's shape */                                                          \
    ROW(RESHAPE, "reshape")                                                                                  \
    ROW(PERMUTE, "permute") /* p[i] = order[i] */                                                            \
    ROW(SLICE, "slice")     /* p = axis, from; the shape gives the end */                                    \
    ROW(PAD, "pad")         /* p = axis, before; the shape gives the entries after */                        \
    ROW(CONCAT, "concat")   /* p[0] = axis */                                                                \
    ROW(MATMUL, "matmul")   /* p = ta, tb */                                                                 \
    ROW(CONV, "conv")       /* x, w; p = stride, pad */                                                      \
    ROW(CONV_DX, "conv_dx") /* dy, w; p as above */                                                          \
    ROW(CONV_DW, "conv_dw") /* x, dy; p as above */                                                          \
    /* The same three faces of any window: p = stride, padding and dilation of h and of w, groups. */        \
    ROW(GENERAL_CONV, "general_conv")                                                                        \
    ROW(GENERAL_CONV_DX, "general_conv_dx")                                                                  \
    ROW(GENERAL_CONV_DW, "general_conv_dw")                                                                  \
    ROW(MAX_INDEX, "max_pool")      /* p = kh, kw, sh, sw, ph, pw; index into the H·W plane, I32 */         \
    ROW(AVG_POOL, "avg_pool")       /* p = kh, kw, sh, sw, ph, pw, count_pad */                              \
    ROW(AVG_POOL_DX, "avg_pool_dx") /* the adjoint of AVG_POOL; p as there */                                \
    ROW(LOG_SUM_EXP, "log_sum_exp")                                                                          \
    ROW(ARGMAX, "argmax")                                                                                    \
    ROW(GATHER, "gather")   /* x, index */                                                                   \
    ROW(SCATTER, "scatter") /* x, index; adds; the shape gives the size */                                   \
    /* Made by the planner only (nn/plan/gram.c, blocked.c). x, dy; p = stride, pad, kh, kw. */              \
    ROW(GRAM, "gram")       /* conv(x, conv_dw(x, dy)) */                                                    \
    ROW(GRAM_DX, "gram_dx") /* conv_dx(dy, conv_dw(x, dy)) */                                                \
    ROW(COPY, "copy")

#define GNT_OP_ENUM(op, name) GNT_OP_##op,
typedef enum gnt_op { GNT_OPS(GNT_OP_ENUM) GNT_OP_COUNT } gnt_op;
#undef GNT_OP_ENUM

/* The layout of a node's buffer, chosen by the planner (nn/plan/blocked.c); a COPY whose input has another
 * layout converts. With b channels in a block and C = c/b, O = o/b: */
typedef enum gnt_layout {
    GNT_LAYOUT_ROWS = 0,
    GNT_LAYOUT_BLOCKS,  /* n×c×h×w as n×C×h×w×b */
    GNT_LAYOUT_WEIGHTS, /* o×c×kh×kw as O×C×kh×kw×b(c)×b(o) */
    GNT_LAYOUT_TURNED,  /* the same as O×C×kh×kw×b(o)×b(c); 1×1 windows C×O first */
    GNT_LAYOUT_SAMPLES, /* n×c×h×w as n/16 × c×h×w×16 */
    GNT_LAYOUT_OWN      /* from here on: weights as one back-end of nn/conv reads them */
} gnt_layout;

/* Neighbouring samples in GNT_LAYOUT_SAMPLES: the lanes of a vector. */
enum { GNT_NN_LANES = 16 };

enum { GNT_NN_PARAMS = 8, GNT_NN_STAGES = 64 };
/* The entry of p that is 1 in a conv_dx that is a layer's forward pass (a transposed convolution). */
enum { GNT_CONV_IS_FORWARD = 7 };
#define GNT_STAGE_CONSTANT (-1)        /* of an input: gnt_nn_hold */
#define GNT_NN_MOST ((int64_t)1 << 40) /* entries of one node */

typedef struct gnt_vertex {
    uint8_t op, type, layout;
    int32_t stage;       /* inputs: when they are given */
    int32_t n_in, first; /* inputs are edge[first … first + n_in) */
    gnt_nn_shape shape;
    int64_t count;            /* entries of the shape */
    int64_t p[GNT_NN_PARAMS]; /* p[7] of an I32 node: its entries are below this */
    double a, b;
    /* DATA only */
    const double *data;
    /* planner: 1 + the number of an input or data node in the graph it came from */
    int32_t tag;
    /* planner: 1 + the number of a convolution among the plan's; gnt_nn_plan_choice reads it */
    int32_t conv;
} gnt_vertex;

struct gnt_graph {
    gnt_vertex *v;
    gnt_node *edge;
    double **owned; /* values of DATA nodes */
    int32_t n, n_edge, n_owned;
    char error[512];
};

/* Returns the primitive's name as nn.h spells it, "conv" for gnt_nn_conv. */
const char *gnt_op_name(int op);
int gnt_op_is_unary(int op);
int gnt_op_is_binary(int op);

/* Sets the graph's error unless it has one; always returns −1. */
gnt_node gnt_graph_fail(gnt_graph *g, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Returns 0 if every node is in range; else −1 with an error that names `who`. */
int gnt_graph_check(gnt_graph *g, const char *who, const gnt_node *in, int32_t n);
/* Checks nodes as gnt_graph_check does, and that all are of type REAL. */
int gnt_graph_check_reals(gnt_graph *g, const char *who, const gnt_node *in, int32_t n);
/* Copies the caller's shape to *out. −1 with an error that names `who` where the rank is out of range. */
int gnt_graph_shape(gnt_graph *g, const char *who, int32_t rank, const int64_t *dim, gnt_nn_shape *out);
/* True if n can be an axis of a matrix: BLAS counts up to 2³¹ − 1. */
int gnt_graph_blas_fits(int64_t n);

/* Appends a copy of `v` with these inputs; n_in, first and count are set here. Returns −1 when out of
 * memory. */
gnt_node gnt_graph_add(gnt_graph *g, const gnt_vertex *v, const gnt_node *in, int32_t n_in);

/* Returns the most inputs of a node, and at least 1. */
int32_t gnt_graph_most_inputs(const gnt_graph *g);

static inline const gnt_node *gnt_graph_in(const gnt_graph *g, const gnt_vertex *v) {
    return g->edge + v->first;
}

/* Returns the number of entries; −1 if the rank is out of range, an axis is below 1 or the entries are too
 * many. */
int64_t gnt_shape_count(int32_t rank, const int64_t *dim);
int gnt_shape_same(const gnt_nn_shape *a, const gnt_nn_shape *b);

typedef struct gnt_shape_text {
    char s[GNT_NN_RANK * 22 + 8];
} gnt_shape_text;
gnt_shape_text gnt_shape_print(const gnt_nn_shape *s); /* "1×3×8×8", "scalar" */

/* Returns the window of a convolution of any face, plain or general. */
gnt_nn_window gnt_graph_window(const gnt_vertex *v);

/* Returns the number of entries that a window spans along one axis. */
static inline int64_t gnt_window_span(int64_t kernel, int64_t dilation) {
    return (kernel - 1) * dilation + 1;
}
/* Returns the number of places of a window along an axis of n entries; 0 where it does not fit. With
 * ceil_mode the last window must still start inside the image or its leading padding, and may be the only one
 * (PyTorch's rule). */
int64_t gnt_window_places(int64_t n, int64_t span, int64_t stride, int64_t pad, int ceil_mode);
/* Returns the size of a transposed convolution's output along one axis. */
int64_t gnt_window_spread(int64_t n, int64_t span, int64_t stride, int64_t pad, int64_t out_pad);

/* Build nodes for adjoints and parts of composites; internal. */
gnt_node gnt_nn_fill_like(gnt_graph *g, gnt_node x, double value);
gnt_node gnt_nn_max_index(gnt_graph *g, gnt_node x, int32_t kh, int32_t kw, int32_t sh, int32_t sw,
                          int32_t ph, int32_t pw, int ceil_mode);
gnt_node gnt_nn_avg_pool_dx(gnt_graph *g, gnt_node u, const gnt_vertex *pool, const gnt_nn_shape *x);

#endif
