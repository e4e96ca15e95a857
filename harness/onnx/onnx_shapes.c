/* onnx_shapes: the shape of each value that is computed from the network's input, and its dominator. */
#include <inttypes.h>
#include <string.h>

#include "nn/graph/graph.h"
#include "onnx/onnx_graph.h"

static const int64_t most_entries = (int64_t)1 << 31;

/* Returns the shape of an input that is data, or NULL. */
static const onnx_shape *data_of(const onnx_graph *g, const onnx_node *node, int32_t i) {
    const onnx_value *v = gnt_onnx_input(g, node, i);
    return v && !v->constant ? &v->shape : NULL;
}

static int64_t per_sample(const onnx_shape *s) {
    int64_t n = 1;
    for (int32_t i = 1; i < s->rank; i++)
        n *= s->dim[i];
    return n;
}

static int same(const onnx_graph *g, const onnx_node *node, onnx_shape *out, gnt_err *err) {
    (void)g, (void)err, (void)node;
    *out = *data_of(g, node, 0);
    return 0;
}

static int broadcast(const onnx_node *node, onnx_shape *out, const onnx_shape *other, gnt_err *err) {
    const int32_t skip = out->rank - other->rank;
    for (int32_t i = 0; i < other->rank; i++) {
        const int64_t a = skip + i < 0 ? 1 : out->dim[skip + i], b = other->dim[i];
        if (skip < 0 || (a != b && a != 1 && b != 1))
            return gnt_onnx_fail(node, err, "the shapes of its two inputs do not meet");
        out->dim[skip + i] = a == 1 ? b : a;
    }
    return 0;
}

static int binary(const onnx_graph *g, const onnx_node *node, onnx_shape *out, gnt_err *err) {
    const onnx_shape *a = data_of(g, node, 0), *b = data_of(g, node, 1);
    const onnx_constant *c = gnt_onnx_constant_of(g, node, a ? 1 : 0);
    *out = a ? *a : *b;
    if (a && b)
        return a->rank == b->rank ? broadcast(node, out, b, err)
                                  : gnt_onnx_fail(node, err, "its two inputs have %d and %d dimensions",
                                                  (int)a->rank, (int)b->rank);
    if (!c)
        return gnt_onnx_fail(node, err, "it lacks an input");
    const onnx_shape before = *out;
    if (broadcast(node, out, &c->shape, err))
        return -1;
    return gnt_onnx_same_shape(&before, out) ? 0
                                             : gnt_onnx_fail(node, err, "its constant enlarges its input");
}

/* ---- windows ---- */

/* Returns the constant weight of a convolution whose input is an image, or NULL with an error. */
static const onnx_constant *weight_of(const onnx_graph *g, const onnx_node *node, const onnx_shape *in,
                                      int transposed, int64_t *group, gnt_err *err) {
    const onnx_constant *w = gnt_onnx_constant_of(g, node, 1);
    *group = 1;
    if (gnt_onnx_int(node, "group", group, err))
        return NULL;
    if (!w || !w->real || w->shape.rank != 4 || in->rank != 4 || w->count == 0) {
        gnt_onnx_fail(node, err, "it is no convolution of an image by a constant weight of four dimensions");
        return NULL;
    }
    if (*group < 1 || in->dim[1] % *group != 0 || w->shape.dim[0] % *group != 0 ||
        in->dim[1] / *group != (transposed ? w->shape.dim[0] / *group : w->shape.dim[1])) {
        gnt_onnx_fail(
            node, err,
            "its weight is for %" PRId64 " channels in %" PRId64 " groups but its input has %" PRId64,
            transposed ? w->shape.dim[0] : w->shape.dim[1] * (*group > 0 ? *group : 1), *group, in->dim[1]);
        return NULL;
    }
    return w;
}

static int conv(const onnx_graph *g, const onnx_node *node, onnx_shape *out, gnt_err *err) {
    const onnx_shape *in = data_of(g, node, 0);
    const int transposed = strcmp(node->op, "ConvTranspose") == 0;
    int64_t group;
    onnx_window w;
    const onnx_constant *weight = weight_of(g, node, in, transposed, &group, err);
    if (!weight || gnt_onnx_window(node, weight, &w, err))
        return -1;
    *out = *in;
    out->dim[1] = transposed ? weight->shape.dim[1] * group : weight->shape.dim[0];
    for (int i = 0; i < 2; i++) {
        const int64_t span = gnt_window_span(w.kernel[i], w.dilation[i]), n = in->dim[2 + i];
        out->dim[2 + i] = transposed ? gnt_window_spread(n, span, w.stride[i], w.pad[i], w.out_pad[i])
                                     : gnt_window_places(n, span, w.stride[i], w.pad[i], 0);
    }
    return 0;
}

static int pool(const onnx_graph *g, const onnx_node *node, onnx_shape *out, gnt_err *err) {
    const onnx_shape *in = data_of(g, node, 0);
    onnx_window w;
    if (in->rank != 4)
        return gnt_onnx_fail(node, err, "its input is no image");
    if (gnt_onnx_window(node, NULL, &w, err))
        return -1;
    *out = *in;
    for (int i = 0; i < 2; i++)
        out->dim[2 + i] = gnt_window_places(in->dim[2 + i], gnt_window_span(w.kernel[i], w.dilation[i]),
                                            w.stride[i], w.pad[i], (int)w.ceil_mode);
    return 0;
}

static int global_pool(const onnx_graph *g, const onnx_node *node, onnx_shape *out, gnt_err *err) {
    *out = *data_of(g, node, 0);
    if (out->rank != 4)
        return gnt_onnx_fail(node, err, "its input is no image");
    out->dim[2] = out->dim[3] = 1;
    return 0;
}

static int resize(const onnx_graph *g, const onnx_node *node, onnx_shape *out, gnt_err *err) {
    int64_t factor[2];
    *out = *data_of(g, node, 0);
    if (gnt_onnx_factors(g, node, out, factor, err))
        return -1;
    out->dim[2] *= factor[0];
    out->dim[3] *= factor[1];
    return 0;
}

/* ---- other shapes ---- */

static int reduce_mean(const onnx_graph *g, const onnx_node *node, onnx_shape *out, gnt_err *err) {
    const onnx_shape *in = data_of(g, node, 0);
    int64_t keep = 1;
    uint32_t axes;
    if (gnt_onnx_int(node, "keepdims", &keep, err) || gnt_onnx_axes(g, node, in->rank, &axes, err))
        return -1;
    for (int32_t i = 0; i < in->rank; i++)
        if (!(axes >> i & 1) || keep)
            out->dim[out->rank++] = axes >> i & 1 ? 1 : in->dim[i];
    return 0;
}

static int squeeze(const onnx_graph *g, const onnx_node *node, onnx_shape *out, gnt_err *err) {
    const onnx_shape *in = data_of(g, node, 0);
    uint32_t axes;
    if (gnt_onnx_axes(g, node, in->rank, &axes, err))
        return -1;
    for (int32_t i = 0; i < in->rank; i++)
        if (!(axes >> i & 1))
            out->dim[out->rank++] = in->dim[i];
        else if (in->dim[i] != 1)
            return gnt_onnx_fail(node, err, "it removes axis %d, whose size is %" PRId64, (int)i, in->dim[i]);
    return 0;
}

static int flatten(const onnx_graph *g, const onnx_node *node, onnx_shape *out, gnt_err *err) {
    const onnx_shape *in = data_of(g, node, 0);
    int64_t axis = 1;
    if (gnt_onnx_int(node, "axis", &axis, err))
        return -1;
    if (axis != 1 && axis != 1 - in->rank)
        return gnt_onnx_fail(node, err,
                             "it flattens from axis %" PRId64 "; gauntlet flattens all of a sample", axis);
    *out = (onnx_shape){2, {ONNX_BATCH, per_sample(in)}};
    return 0;
}

static int reshape(const onnx_graph *g, const onnx_node *node, onnx_shape *out, gnt_err *err) {
    const onnx_shape *in = data_of(g, node, 0);
    const onnx_constant *to = gnt_onnx_constant_of(g, node, 1);
    int64_t keep_zero = 0, known = 1, n = per_sample(in);
    int32_t open = -1;
    if (gnt_onnx_int(node, "allowzero", &keep_zero, err))
        return -1;
    if (!to || !to->whole || to->count < 1 || to->count > ONNX_RANK || keep_zero)
        return gnt_onnx_fail(node, err, "its shape is no list of 1 to %d constant integers", ONNX_RANK);
    out->rank = (int32_t)to->count;
    for (int32_t i = 1; i < out->rank; i++) {
        const int64_t dim = to->whole[i] == 0 && i < in->rank ? in->dim[i] : to->whole[i];
        out->dim[i] = dim;
        if (dim == -1 && open < 0)
            open = i;
        else if (dim < 1 || dim > n / known)
            return gnt_onnx_fail(node, err, "it gives a sample of %" PRId64 " entries another size", n);
        else
            known *= dim;
    }
    if (open > 0)
        out->dim[open] = n / known;
    const int64_t first = to->whole[0];
    const int batch =
        first == ONNX_BATCH || first == 0 || (first == g->batch && first > 0) || (first == -1 && open < 0);
    out->dim[0] = ONNX_BATCH;
    return batch && per_sample(out) == n
               ? 0
               : gnt_onnx_fail(
                     node, err,
                     "it does not keep the batch as its first dimension, with %" PRId64 " entries each", n);
}

static int transpose(const onnx_graph *g, const onnx_node *node, onnx_shape *out, gnt_err *err) {
    const onnx_shape *in = data_of(g, node, 0);
    int64_t perm[ONNX_RANK] = {-1};
    uint32_t seen = 0;
    if (gnt_onnx_ints(node, "perm", in->rank, perm, err))
        return -1;
    out->rank = in->rank;
    for (int32_t i = 0; i < in->rank; i++) {
        if (perm[i] < 0 || perm[i] >= in->rank || seen >> perm[i] & 1 || (i == 0 && perm[i] != 0))
            return gnt_onnx_fail(node, err, "its perm moves the batch or is no order of the axes");
        seen |= 1u << perm[i];
        out->dim[i] = in->dim[perm[i]];
    }
    return 0;
}

static int concat(const onnx_graph *g, const onnx_node *node, onnx_shape *out, gnt_err *err) {
    int64_t axis = 1;
    if (gnt_onnx_int(node, "axis", &axis, err))
        return -1;
    const onnx_shape *in = data_of(g, node, 0);
    for (int32_t i = 0; i < node->n_inputs; i++, in = data_of(g, node, i)) {
        if (!in || in->rank < 2 || (axis != 1 && axis != 1 - in->rank))
            return gnt_onnx_fail(
                node, err, "it joins constants, or along axis %" PRId64 "; gauntlet joins channels", axis);
        onnx_shape next = *in;
        next.dim[1] = i ? out->dim[1] : next.dim[1];
        if (i && !gnt_onnx_same_shape(&next, out))
            return gnt_onnx_fail(node, err, "its inputs differ in more than their channels");
        *out = next;
        out->dim[1] = i ? out->dim[1] + in->dim[1] : in->dim[1];
    }
    return 0;
}

static int pad(const onnx_graph *g, const onnx_node *node, onnx_shape *out, gnt_err *err) {
    int64_t before[ONNX_RANK], after[ONNX_RANK];
    *out = *data_of(g, node, 0);
    if (gnt_onnx_pads(g, node, out->rank, before, after, err))
        return -1;
    for (int32_t i = 1; i < out->rank; i++)
        out->dim[i] += before[i] + after[i];
    return 0;
}

static int slice(const onnx_graph *g, const onnx_node *node, onnx_shape *out, gnt_err *err) {
    const onnx_shape *in = data_of(g, node, 0);
    int64_t first[ONNX_RANK], step[ONNX_RANK];
    out->rank = in->rank;
    return gnt_onnx_slice(g, node, in, first, out->dim, step, err);
}

static int product(const onnx_graph *g, const onnx_node *node, onnx_shape *out, gnt_err *err) {
    const onnx_shape *in = data_of(g, node, 0);
    const onnx_constant *w = gnt_onnx_constant_of(g, node, 1);
    int64_t ta = 0, tb = 0;
    if (gnt_onnx_int(node, "transA", &ta, err) || gnt_onnx_int(node, "transB", &tb, err))
        return -1;
    if (!w || !w->real || w->shape.rank != 2 || in->rank != 2 || ta)
        return gnt_onnx_fail(
            node, err,
            "it is no product of a batch of rows by a constant weight, which gauntlet's dense layer is");
    if (w->shape.dim[tb ? 1 : 0] != in->dim[1])
        return gnt_onnx_fail(node, err, "its weight is for %" PRId64 " values but its input has %" PRId64,
                             w->shape.dim[tb ? 1 : 0], in->dim[1]);
    *out = (onnx_shape){2, {ONNX_BATCH, w->shape.dim[tb ? 0 : 1]}};
    return 0;
}

static const struct {
    const char *op;
    int (*shape)(const onnx_graph *g, const onnx_node *node, onnx_shape *out, gnt_err *err);
} shapes[] = {
    {"Add", binary},
    {"AveragePool", pool},
    {"BatchNormalization", same},
    {"Concat", concat},
    {"Conv", conv},
    {"ConvTranspose", conv},
    {"Div", binary},
    {"Dropout", same},
    {"Erf", same},
    {"Flatten", flatten},
    {"Gelu", same},
    {"Gemm", product},
    {"GlobalAveragePool", global_pool},
    {"GroupNormalization", same},
    {"Identity", same},
    {"InstanceNormalization", same},
    {"LayerNormalization", same},
    {"LeakyRelu", same},
    {"MatMul", product},
    {"MaxPool", pool},
    {"Mul", binary},
    {"Pad", pad},
    {"Pow", binary},
    {"ReduceMean", reduce_mean},
    {"Relu", same},
    {"Reshape", reshape},
    {"Resize", resize},
    {"Sigmoid", same},
    {"Slice", slice},
    {"Softmax", same},
    {"Softplus", same},
    {"Sqrt", same},
    {"Squeeze", squeeze},
    {"Sub", binary},
    {"Tanh", same},
    {"Transpose", transpose},
};

/* ---- the graph ---- */

static int check_shape(const onnx_node *node, const onnx_shape *s, gnt_err *err) {
    int64_t n = 1;
    for (int32_t i = 1; i < s->rank; i++) {
        if (s->dim[i] < 1 || s->dim[i] > most_entries / n)
            return gnt_onnx_fail(node, err,
                                 "its output would have the size %" PRId64
                                 " along axis %d; expected at least 1 "
                                 "and at most 2^31 entries",
                                 s->dim[i], (int)i);
        n *= s->dim[i];
    }
    return 0;
}

/* Sets the last value that all paths from the input to this node go through. */
static void set_dominator(onnx_graph *g, const onnx_node *node) {
    onnx_value *v = g->value, *out = &v[node->output[0]];
    int32_t at = ONNX_NONE;
    for (int32_t i = 0; i < node->n_inputs; i++) {
        int32_t other = node->input[i];
        if (!data_of(g, node, i))
            continue;
        if (at == ONNX_NONE)
            at = other;
        while (at != other)
            if (v[at].depth >= v[other].depth)
                at = v[at].dominator;
            else
                other = v[other].dominator;
    }
    out->dominator = at;
    out->depth = v[at].depth + 1;
}

static int shape_node(onnx_graph *g, onnx_node *node, gnt_err *err) {
    const size_t n = sizeof shapes / sizeof *shapes;
    size_t k = 0;
    int data = 0;
    while (k < n && strcmp(shapes[k].op, node->op) != 0)
        k++;
    for (int32_t i = 0; i < node->n_inputs; i++)
        data += data_of(g, node, i) != NULL;
    const int either = k < n && shapes[k].shape == binary;
    if (k == n || (!either && !data_of(g, node, 0)) || !data)
        return gnt_onnx_fail(node, err,
                             "gauntlet has no layer that does this with what the network computes");
    if (shapes[k].shape != concat && !either && data > 1)
        return gnt_onnx_fail(node, err, "gauntlet has no layer that does this with two computed inputs");
    onnx_shape *out = &g->value[node->output[0]].shape;
    if (shapes[k].shape(g, node, out, err) || check_shape(node, out, err))
        return -1;
    set_dominator(g, node);
    return 0;
}

static int check_links(const onnx_graph *g, const onnx_node *node, gnt_err *err) {
    if (!node->kind)
        return gnt_onnx_fail(node, err,
                             "gauntlet has no layer for this operator (docs/models.md lists layers)");
    for (int32_t i = 0; i < node->n_inputs; i++) {
        const onnx_value *v = gnt_onnx_input(g, node, i);
        if (v && v->node != ONNX_NONE && g->node[v->node].output[0] != node->input[i])
            return gnt_onnx_fail(node, err, "it takes a further output of node %s, which is not read",
                                 g->node[v->node].name);
    }
    return 0;
}

int gnt_onnx_shapes(onnx_graph *g, gnt_err *err) {
    onnx_node *last = &g->node[g->value[g->output].node];
    if (last->output[0] != g->output)
        return gnt_onnx_fail(last, err, "the network's output is not its first output");
    last->used = 1;
    for (int32_t i = g->n_nodes - 1; i >= 0; i--)
        for (int32_t k = 0; g->node[i].used && k < g->node[i].n_inputs; k++) {
            const onnx_value *v = gnt_onnx_input(g, &g->node[i], k);
            if (v && v->node != ONNX_NONE)
                g->node[v->node].used = 1;
        }
    for (int32_t i = 0; i < g->n_nodes; i++) {
        onnx_node *node = &g->node[i];
        if (!node->used)
            continue;
        if (check_links(g, node, err))
            return -1;
        const int rc = gnt_onnx_compute(g, node, err);
        if (rc < 0 || (rc == 0 && shape_node(g, node, err)))
            return -1;
    }
    return g->value[g->output].constant ? gnt_fail(err, "the network's output does not depend on its input")
                                        : 0;
}
