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

typedef enum gnt_op {
    GNT_OP_INPUT,
    GNT_OP_FILL, /* a = value */
    GNT_OP_DATA,
    GNT_OP_AFFINE, /* a·x + b */
    GNT_OP_EXP,
    GNT_OP_LOG,
    GNT_OP_SQRT, /* a = eps */
    GNT_OP_SIGMOID,
    GNT_OP_TANH,
    GNT_OP_ERF,
    GNT_OP_SOFTPLUS,
    GNT_OP_RELU,
    GNT_OP_LEAKY_RELU, /* a = slope */
    GNT_OP_STEP,
    GNT_OP_SIGN,
    GNT_OP_ABS,
    GNT_OP_ADD,
    GNT_OP_SUB,
    GNT_OP_MUL,
    GNT_OP_DIV,
    GNT_OP_SUM,    /* p[0] = axes */
    GNT_OP_EXPAND, /* to the node's shape */
    GNT_OP_RESHAPE,
    GNT_OP_PERMUTE, /* p[i] = order[i] */
    GNT_OP_SLICE,   /* p = axis, from; the shape says to */
    GNT_OP_PAD,     /* p = axis, before; the shape says after */
    GNT_OP_CONCAT,  /* p[0] = axis */
    GNT_OP_MATMUL,  /* p = ta, tb */
    GNT_OP_CONV,    /* x, w; p = stride, pad */
    GNT_OP_CONV_DX, /* dy, w; p as above */
    GNT_OP_CONV_DW, /* x, dy; p as above */
    /* The same three faces with p = stride, padding and dilation of h and of w, groups; for what the above
     * cannot say. */
    GNT_OP_GENERAL_CONV,
    GNT_OP_GENERAL_CONV_DX,
    GNT_OP_GENERAL_CONV_DW,
    GNT_OP_MAX_INDEX,   /* p = kh, kw, sh, sw, ph, pw; index into the H·W plane, I32 */
    GNT_OP_AVG_POOL,    /* p = kh, kw, sh, sw, ph, pw, count_pad */
    GNT_OP_AVG_POOL_DX, /* the adjoint of AVG_POOL; p as there */
    GNT_OP_LOG_SUM_EXP,
    GNT_OP_ARGMAX,
    GNT_OP_GATHER,  /* x, index */
    GNT_OP_SCATTER, /* x, index; adds; the shape says the size */
    /* Made by the planner only (nn/plan/gram.c), as is what follows. x, dy; p = stride, pad, kh, kw. */
    GNT_OP_GRAM,    /* conv(x, conv_dw(x, dy)) */
    GNT_OP_GRAM_DX, /* conv_dx(dy, conv_dw(x, dy)) */
    GNT_OP_COPY,
    GNT_OP_COUNT
} gnt_op;

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

/* Samples beside one another in GNT_LAYOUT_SAMPLES: the lanes of a vector. */
enum { GNT_NN_LANES = 16 };

enum { GNT_NN_PARAMS = 8, GNT_NN_STAGES = 64 };
/* The entry of p that is 1 in a conv_dx that is a layer's forward pass (a transposed convolution). */
enum { GNT_CONV_IS_FORWARD = 7 };
#define GNT_STAGE_HELD (-1)            /* of an input: gnt_nn_hold */
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
    int32_t n, room;
    gnt_node *edge;
    int32_t n_edge, room_edge;
    double **owned; /* values of DATA nodes */
    int32_t n_owned, room_owned;
    char error[512];
};

/* The primitive's name as nn.h spells it, "conv" for gnt_nn_conv. */
const char *gnt_op_name(int op);
int gnt_op_is_unary(int op);
int gnt_op_is_binary(int op);

/* Sets the first sentence, always returns −1. */
gnt_node gnt_graph_fail(gnt_graph *g, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* True when every node is in range; otherwise sets an error (if none is set yet) that names `who`. */
int gnt_graph_check(gnt_graph *g, const char *who, const gnt_node *in, int32_t n);

/* The same, and all of them are reals. */
int gnt_graph_reals(gnt_graph *g, const char *who, const gnt_node *in, int32_t n);
/* Whether BLAS can count so far: an axis of a matrix has at most 2³¹ − 1 entries. */
int gnt_graph_blas_fits(int64_t n);

/* Appends a copy of `v` with these inputs; n_in, first and count are set here. −1 out of memory. */
gnt_node gnt_graph_add(gnt_graph *g, const gnt_vertex *v, const gnt_node *in, int32_t n_in);

static inline const gnt_node *gnt_graph_in(const gnt_graph *g, const gnt_vertex *v) {
    return g->edge + v->first;
}

/* −1 when the shape is malformed: rank out of range, an axis below 1, too many entries. */
int64_t gnt_shape_count(int32_t rank, const int64_t *dim);
int gnt_shape_same(const gnt_nn_shape *a, const gnt_nn_shape *b);

typedef struct gnt_shape_text {
    char s[GNT_NN_RANK * 22 + 8];
} gnt_shape_text;
gnt_shape_text gnt_shape_print(const gnt_nn_shape *s); /* "1×3×8×8", "scalar" */

/* The window of a convolution of any face, of either kind. */
gnt_nn_window gnt_graph_window(const gnt_vertex *v);

/* Builders that nn.h does not show: they appear as adjoints and parts of composites. */
gnt_node gnt_nn_fill_like(gnt_graph *g, gnt_node x, double value);
gnt_node gnt_nn_max_index(gnt_graph *g, gnt_node x, int32_t kh, int32_t kw, int32_t sh, int32_t sw,
                          int32_t ph, int32_t pw, int ceil_mode);
gnt_node gnt_nn_avg_pool_dx(gnt_graph *g, gnt_node u, const gnt_vertex *pool, const gnt_nn_shape *x);

#endif
