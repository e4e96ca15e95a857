/* graph: storage of nodes, sticky errors, shapes. The builders are in primitives.c. */
#include "nn/graph/graph.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/mem.h"

#define NAME(op, name) name,
static const char *const op_names[GNT_OP_COUNT] = {GNT_OPS(NAME)};
#undef NAME

const char *gnt_op_name(int op) {
    return op >= 0 && op < GNT_OP_COUNT ? op_names[op] : "unknown";
}

int gnt_op_is_unary(int op) {
    return op >= GNT_OP_AFFINE && op <= GNT_OP_ABS;
}

int gnt_op_is_binary(int op) {
    return op >= GNT_OP_ADD && op <= GNT_OP_DIV;
}

gnt_graph *gnt_graph_new(void) {
    return gnt_alloc(sizeof(gnt_graph));
}

void gnt_graph_free(gnt_graph *g) {
    if (!g)
        return;
    for (int32_t i = 0; i < g->n_owned; i++)
        gnt_free(g->owned[i]);
    gnt_free(g->owned);
    gnt_free(g->v);
    gnt_free(g->edge);
    gnt_free(g);
}

const char *gnt_graph_error(const gnt_graph *g) {
    return g->error[0] ? g->error : NULL;
}

int32_t gnt_graph_size(const gnt_graph *g) {
    return g->n;
}

gnt_nn_shape gnt_nn_shape_of(const gnt_graph *g, gnt_node x) {
    if (x < 0 || x >= g->n)
        return (gnt_nn_shape){.rank = -1};
    return g->v[x].shape;
}

int64_t gnt_nn_count(const gnt_nn_shape *s) {
    return s->rank < 0 ? 0 : gnt_shape_count(s->rank, s->dim);
}

gnt_node gnt_graph_fail(gnt_graph *g, const char *format, ...) {
    if (g->error[0])
        return -1;
    va_list args;
    va_start(args, format);
    vsnprintf(g->error, sizeof g->error, format, args);
    va_end(args);
    return -1;
}

int gnt_graph_check(gnt_graph *g, const char *who, const gnt_node *in, int32_t n) {
    for (int32_t i = 0; i < n; i++)
        if (in[i] < 0 || in[i] >= g->n)
            return gnt_graph_fail(g, "%s: argument %d is node %d, the graph has nodes 0 to %d", who, i + 1,
                                  in[i], g->n - 1);
    return 0;
}

int gnt_graph_check_reals(gnt_graph *g, const char *who, const gnt_node *in, int32_t n) {
    if (gnt_graph_check(g, who, in, n))
        return -1;
    for (int32_t i = 0; i < n; i++)
        if (g->v[in[i]].type != GNT_NN_REAL)
            return gnt_graph_fail(g, "%s: argument %d holds indices, expected reals", who, i + 1);
    return 0;
}

int gnt_graph_blas_fits(int64_t n) {
    return n > 0 && n <= INT32_MAX;
}

int gnt_graph_shape(gnt_graph *g, const char *who, int32_t rank, const int64_t *dim, gnt_nn_shape *out) {
    *out = (gnt_nn_shape){.rank = rank};
    if (rank < 0 || rank > GNT_NN_RANK || (rank > 0 && !dim))
        return gnt_graph_fail(g, "%s: rank %d, expected 0 to %d", who, rank, GNT_NN_RANK);
    for (int32_t i = 0; i < rank; i++)
        out->dim[i] = dim[i];
    return 0;
}

gnt_node gnt_graph_add(gnt_graph *g, const gnt_vertex *v, const gnt_node *in, int32_t n_in) {
    gnt_vertex copy = *v;
    copy.count = gnt_shape_count(v->shape.rank, v->shape.dim);
    if (copy.count < 0)
        return gnt_graph_fail(
            g,
            "%s: the result would be %s: every axis must be at least 1, rank at most %d and all "
            "entries together below 2^40",
            gnt_op_name(v->op), gnt_shape_print(&v->shape).s, GNT_NN_RANK);
    copy.n_in = n_in;
    copy.first = g->n_edge;
    int full = g->n == INT32_MAX || n_in > INT32_MAX - g->n_edge || GNT_GROW(g->v, g->n);
    for (int32_t k = 0; k < n_in && !full; k++) {
        full = GNT_GROW(g->edge, g->n_edge);
        if (!full)
            g->edge[g->n_edge++] = in[k];
    }
    if (full)
        return gnt_graph_fail(g, "%s: out of memory after %d nodes", gnt_op_name(v->op), g->n);
    g->v[g->n] = copy;
    return g->n++;
}

int32_t gnt_graph_most_inputs(const gnt_graph *g) {
    int32_t most = 1;
    for (gnt_node i = 0; i < g->n; i++)
        most = g->v[i].n_in > most ? g->v[i].n_in : most;
    return most;
}

int64_t gnt_shape_count(int32_t rank, const int64_t *dim) {
    if (rank < 0 || rank > GNT_NN_RANK)
        return -1;
    int64_t n = 1;
    for (int32_t i = 0; i < rank; i++) {
        if (dim[i] < 1 || dim[i] > GNT_NN_MOST / n)
            return -1;
        n *= dim[i];
    }
    return n;
}

int gnt_shape_same(const gnt_nn_shape *a, const gnt_nn_shape *b) {
    if (a->rank != b->rank)
        return 0;
    for (int32_t i = 0; i < a->rank; i++)
        if (a->dim[i] != b->dim[i])
            return 0;
    return 1;
}

gnt_shape_text gnt_shape_print(const gnt_nn_shape *s) {
    gnt_shape_text t = {""};
    if (s->rank < 0 || s->rank > GNT_NN_RANK) {
        snprintf(t.s, sizeof t.s, "of rank %d", s->rank);
        return t;
    }
    if (s->rank == 0) {
        snprintf(t.s, sizeof t.s, "a scalar");
        return t;
    }
    size_t at = 0;
    for (int32_t i = 0; i < s->rank && at < sizeof t.s; i++)
        at += (size_t)snprintf(t.s + at, sizeof t.s - at, "%s%" PRId64, i ? "×" : "", s->dim[i]);
    return t;
}

gnt_node gnt_nn_input(gnt_graph *g, const char *name, int32_t rank, const int64_t *dim, int32_t stage) {
    gnt_vertex v = {.op = GNT_OP_INPUT, .stage = stage};
    if (gnt_graph_shape(g, name ? name : "input", rank, dim, &v.shape))
        return -1;
    if (stage < 0 || stage >= GNT_NN_STAGES)
        return gnt_graph_fail(g, "input %s: stage %d, expected 0 to %d", name ? name : "", stage,
                              GNT_NN_STAGES - 1);
    return gnt_graph_add(g, &v, NULL, 0);
}

gnt_node gnt_nn_hold(gnt_graph *g, gnt_node input) {
    if (gnt_graph_check(g, "hold", &input, 1))
        return -1;
    gnt_vertex *v = &g->v[input];
    if (v->op != GNT_OP_INPUT || v->stage > 0)
        return gnt_graph_fail(g, "hold: node %d is %s, expected an input of stage 0", input,
                              v->op == GNT_OP_INPUT ? "of a later stage" : gnt_op_name(v->op));
    v->stage = GNT_STAGE_CONSTANT;
    return input;
}

gnt_node gnt_nn_fill(gnt_graph *g, int32_t rank, const int64_t *dim, double value) {
    gnt_vertex v = {.op = GNT_OP_FILL, .a = value};
    if (gnt_graph_shape(g, "fill", rank, dim, &v.shape))
        return -1;
    return gnt_graph_add(g, &v, NULL, 0);
}

gnt_node gnt_nn_fill_like(gnt_graph *g, gnt_node x, double value) {
    gnt_nn_shape s = gnt_nn_shape_of(g, x);
    return gnt_nn_fill(g, s.rank, s.dim, value);
}

gnt_node gnt_nn_data(gnt_graph *g, int32_t rank, const int64_t *dim, const double *values) {
    gnt_vertex v = {.op = GNT_OP_DATA};
    if (gnt_graph_shape(g, "data", rank, dim, &v.shape))
        return -1;
    int64_t n = gnt_shape_count(rank, v.shape.dim);
    if (n < 0 || !values)
        return n < 0 ? gnt_graph_add(g, &v, NULL, 0) : gnt_graph_fail(g, "data: no values");
    double *copy = GNT_GROW(g->owned, g->n_owned) ? NULL : gnt_array((size_t)n, sizeof *copy);
    if (!copy)
        return gnt_graph_fail(g, "data: out of memory for %" PRId64 " values", n);
    memcpy(copy, values, (size_t)n * sizeof *copy);
    g->owned[g->n_owned++] = copy;
    v.data = copy;
    return gnt_graph_add(g, &v, NULL, 0);
}
