/* onnx_norms: batch, group, instance and layer norms: single nodes, and what PyTorch's exporter writes for
 * those that an operator set has not. */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "onnx/onnx_write.h"

/* A norm that was recognised. */
typedef struct norm {
    const onnx_node *node; /* names it in errors */
    int32_t input;         /* the value that is normed */
    uint32_t axes;         /* of a layer norm, bit i for axis i */
    int64_t groups;        /* of a group norm */
    double eps;
    onnx_constant *weight, *bias; /* NULL: none */
} norm;

static int is_all(const onnx_constant *c, float value, int64_t n) {
    if (!c || !c->real || c->count != n)
        return 0;
    for (int64_t i = 0; i < n; i++)
        if (c->real[i] != value)
            return 0;
    return 1;
}

/* True if the constant broadcasts along the channels of the data: all its other dimensions are 1. */
static int along_channels(const onnx_constant *c, const onnx_shape *data) {
    const int32_t axis = 1 - (data->rank - c->shape.rank);
    return c->count == data->dim[1] && axis >= 0 && axis < c->shape.rank && c->shape.dim[axis] == c->count;
}

/* Splits v = x · weight + bias, with constants on either side. Returns x, or v itself and no constants. */
static int32_t without_affine(const onnx_graph *g, int32_t v, onnx_constant **weight, onnx_constant **bias) {
    const onnx_node *add = gnt_onnx_made_by(g, v, "Add");
    *weight = *bias = NULL;
    for (int a = 0; add && a < 2; a++) {
        const onnx_node *mul = gnt_onnx_made_by(g, add->input[a], "Mul");
        for (int m = 0; mul && m < 2; m++) {
            onnx_constant *b = gnt_onnx_constant_of(g, add, 1 - a), *w = gnt_onnx_constant_of(g, mul, 1 - m);
            if (!b || !w || gnt_onnx_constant_of(g, mul, m))
                continue;
            *weight = w;
            *bias = b;
            return mul->input[m];
        }
    }
    return v;
}

/* Writes the layer, with its weights in the shape w. */
static int put_norm(onnx_writer *w, const norm *n, const char *type, onnx_shape shape, json_t *more,
                    onnx_step *step, gnt_err *err) {
    const onnx_constant none = {0};
    const char *name = gnt_onnx_name(w, n->node, type, n->weight ? n->weight : &none, err);
    json_t *layer = name ? json_pack("{s:s, s:s}", "type", type, "name", name) : NULL;
    json_object_update(layer, more);
    json_decref(more);
    if (n->eps != (double)1e-5f)
        json_object_set_new(layer, "eps", gnt_onnx_real(n->eps));
    if (!n->weight)
        json_object_set_new(layer, "affine", json_false());
    step->input = n->input;
    if (gnt_onnx_put(n->node, step, layer, err) < 0)
        return -1;
    return n->weight && (gnt_onnx_weight(w, n->node, name, "weight", n->weight, shape, err) ||
                         gnt_onnx_weight(w, n->node, name, "bias", n->bias, shape, err))
               ? -1
               : 1;
}

/* Takes away a weight of ones and a bias of zeros that are constants of the program, not parameters. */
static void drop_constants(norm *n) {
    if (n->weight && n->bias && !n->weight->origin && !n->bias->origin &&
        is_all(n->weight, 1, n->weight->count) && is_all(n->bias, 0, n->bias->count))
        n->weight = n->bias = NULL;
}

/* ---- batch norm ---- */

static int read_batch_norm(onnx_writer *w, const onnx_node *node, onnx_step *step, gnt_err *err) {
    const onnx_shape channels = {1, {w->g->value[node->input[0]].shape.dim[1]}};
    norm n = {.node = node, .input = node->input[0], .eps = (double)1e-5f};
    double momentum = 0.9;
    n.weight = gnt_onnx_constant_of(w->g, node, 1);
    n.bias = gnt_onnx_constant_of(w->g, node, 2);
    if (gnt_onnx_float(node, "epsilon", &n.eps, err) || gnt_onnx_float(node, "momentum", &momentum, err))
        return -1;
    if (!n.weight || !n.bias)
        return gnt_onnx_fail(node, err, "its weight or bias is no constant");
    drop_constants(&n);
    if (fabs(momentum - 0.9) > 1e-6)
        gnt_text_add(&w->notes,
                     "node %.100s: its momentum is %g in PyTorch's terms; gauntlet's batch norms have 0.1\n",
                     node->name, 1 - momentum);
    if (put_norm(w, &n, "batch_norm", channels, NULL, step, err) < 0)
        return -1;
    const char *name = w->name[w->n_names - 1];
    return gnt_onnx_weight(w, node, name, "running_mean", gnt_onnx_constant_of(w->g, node, 3), channels,
                           err) ||
                   gnt_onnx_weight(w, node, name, "running_var", gnt_onnx_constant_of(w->g, node, 4),
                                   channels, err)
               ? -1
               : 1;
}

/* ---- group norm ---- */

/* Recognises x, reshaped to groups, normed, and reshaped back. */
static int is_grouped(const onnx_graph *g, int32_t v, norm *n) {
    const onnx_node *back = gnt_onnx_made_by(g, v, "Reshape"),
                    *inside = back ? gnt_onnx_made_by(g, back->input[0], "InstanceNormalization") : NULL,
                    *there = inside ? gnt_onnx_made_by(g, inside->input[0], "Reshape") : NULL;
    if (!there)
        return 0;
    const onnx_shape *grouped = &g->value[inside->input[0]].shape, *in = &g->value[there->input[0]].shape;
    const int64_t groups = grouped->dim[1];
    if (grouped->rank != 3 || !gnt_onnx_same_shape(in, &g->value[v].shape) || in->dim[1] % groups != 0 ||
        !is_all(gnt_onnx_constant_of(g, inside, 1), 1, groups) ||
        !is_all(gnt_onnx_constant_of(g, inside, 2), 0, groups))
        return 0;
    *n = (norm){.node = inside, .input = there->input[0], .groups = groups, .eps = (double)1e-5f};
    return 1;
}

static int put_group_norm(onnx_writer *w, const norm *n, onnx_step *step, gnt_err *err) {
    const int64_t channels = w->g->value[n->input].shape.dim[1];
    json_t *more = n->groups == channels ? json_pack("{s:s}", "groups", "channels")
                                         : json_pack("{s:I}", "groups", (json_int_t)n->groups);
    return put_norm(w, n, "group_norm", (onnx_shape){1, {channels}}, more, step, err);
}

static int read_group_norm(onnx_writer *w, int32_t value, onnx_step *step, gnt_err *err) {
    norm n;
    onnx_constant *weight, *bias;
    const int32_t core = without_affine(w->g, value, &weight, &bias);
    if (!is_grouped(w->g, core, &n))
        return 0;
    const onnx_shape *s = &w->g->value[value].shape;
    if (gnt_onnx_float(n.node, "epsilon", &n.eps, err))
        return -1;
    n.weight = weight;
    n.bias = bias;
    drop_constants(&n);
    if (n.weight && (!along_channels(weight, s) || !along_channels(bias, s)))
        return 0;
    return put_group_norm(w, &n, step, err);
}

/* Reads InstanceNormalization of an image, and GroupNormalization. */
static int read_norm_node(onnx_writer *w, const onnx_node *node, onnx_step *step, gnt_err *err) {
    const onnx_shape *in = &w->g->value[node->input[0]].shape;
    norm n = {.node = node, .input = node->input[0], .groups = in->dim[1], .eps = (double)1e-5f};
    n.weight = gnt_onnx_constant_of(w->g, node, 1);
    n.bias = gnt_onnx_constant_of(w->g, node, 2);
    if (gnt_onnx_float(node, "epsilon", &n.eps, err) || gnt_onnx_int(node, "num_groups", &n.groups, err))
        return -1;
    if (in->rank != 4 || !n.weight || !n.bias)
        return gnt_onnx_fail(node, err, "it norms no image, or by a weight and a bias that are no constants");
    if (strcmp(node->op, "GroupNormalization") == 0 && w->g->opset < 21)
        return gnt_onnx_fail(node, err,
                             "its weight is one for each group in operator set %" PRId64
                             ", but gauntlet's one for "
                             "each channel; export with opset_version=17",
                             w->g->opset);
    drop_constants(&n);
    return put_group_norm(w, &n, step, err);
}

/* ---- layer norm ---- */

/* True if the value is the mean of `of` along `axes`, which are kept with size 1; axes 0: any, which are
 * set. */
static int is_mean(const onnx_graph *g, int32_t value, int32_t of, uint32_t *axes) {
    const onnx_node *node = gnt_onnx_made_by(g, value, "ReduceMean");
    uint32_t own;
    if (!node || (of != ONNX_NONE && node->input[0] != of) ||
        g->value[value].shape.rank != g->value[node->input[0]].shape.rank ||
        gnt_onnx_axes(g, node, g->value[value].shape.rank, &own, NULL) || (*axes && own != *axes))
        return 0;
    *axes = own;
    return 1;
}

/* True if the value is x minus its mean. Sets x, or checks it if it is not ONNX_NONE. */
static int is_centred(const onnx_graph *g, int32_t value, int32_t *x, uint32_t *axes) {
    const onnx_node *sub = gnt_onnx_made_by(g, value, "Sub");
    if (!sub || (*x != ONNX_NONE && sub->input[0] != *x) || !is_mean(g, sub->input[1], sub->input[0], axes))
        return 0;
    *x = sub->input[0];
    return 1;
}

/* True if the value is x minus its mean, squared. */
static int is_square(const onnx_graph *g, int32_t value, int32_t *x, uint32_t *axes) {
    const onnx_node *power = gnt_onnx_made_by(g, value, "Pow"), *times = gnt_onnx_made_by(g, value, "Mul");
    double exponent;
    if (power)
        return gnt_onnx_scalar(gnt_onnx_constant_of(g, power, 1), &exponent) && exponent == 2 &&
               is_centred(g, power->input[0], x, axes);
    return times && times->input[0] == times->input[1] && is_centred(g, times->input[0], x, axes);
}

/* Recognises (x − mean) / √(mean of squares + eps). */
static int is_layer_norm(const onnx_graph *g, int32_t v, norm *n) {
    const onnx_node *div = gnt_onnx_made_by(g, v, "Div"),
                    *root = div ? gnt_onnx_made_by(g, div->input[1], "Sqrt") : NULL,
                    *add = root ? gnt_onnx_made_by(g, root->input[0], "Add") : NULL;
    *n = (norm){.node = div, .input = ONNX_NONE};
    if (!add || !is_centred(g, div->input[0], &n->input, &n->axes))
        return 0;
    for (int i = 0; i < 2; i++) {
        const onnx_node *mean = gnt_onnx_made_by(g, add->input[i], "ReduceMean");
        if (mean && gnt_onnx_scalar(gnt_onnx_constant_of(g, add, 1 - i), &n->eps) &&
            is_mean(g, add->input[i], ONNX_NONE, &n->axes) &&
            is_square(g, mean->input[0], &n->input, &n->axes))
            return 1;
    }
    return 0;
}

/* Recognises a layer norm of either form that gives the value, with its weight and bias. Returns −1 with an
 * error. */
static int find_layer_norm(const onnx_graph *g, int32_t value, norm *n, gnt_err *err) {
    const onnx_node *node = gnt_onnx_made_by(g, value, "LayerNormalization");
    if (!node) {
        onnx_constant *weight, *bias;
        if (!is_layer_norm(g, without_affine(g, value, &weight, &bias), n))
            return 0;
        n->weight = weight;
        n->bias = bias;
        return 1;
    }
    const int32_t rank = g->value[value].shape.rank;
    int64_t axis = -1;
    *n = (norm){.node = node, .input = node->input[0], .eps = (double)1e-5f};
    n->weight = gnt_onnx_constant_of(g, node, 1);
    n->bias = gnt_onnx_constant_of(g, node, 2);
    if (gnt_onnx_int(node, "axis", &axis, err) || gnt_onnx_float(node, "epsilon", &n->eps, err))
        return -1;
    if (!n->weight || !n->bias)
        return gnt_onnx_fail(node, err,
                             "it has no constant weight and bias; gauntlet's layer norm has both or neither");
    axis += axis < 0 ? rank : 0;
    if (axis < 1 || axis >= rank)
        return gnt_onnx_fail(node, err, "it norms over the batch, or an axis that its input has not");
    for (int64_t i = axis; i < rank; i++)
        n->axes |= 1u << i;
    drop_constants(n);
    return 1;
}

/* Returns the value before a Transpose in this order, or ONNX_NONE. */
static int32_t transposed(const onnx_graph *g, int32_t value, const int64_t order[4]) {
    const onnx_node *node = gnt_onnx_made_by(g, value, "Transpose");
    int64_t perm[4];
    return node && g->value[value].shape.rank == 4 && gnt_onnx_ints(node, "perm", 4, perm, NULL) == 0 &&
                   memcmp(perm, order, sizeof perm) == 0
               ? node->input[0]
               : ONNX_NONE;
}

static int read_layer_norm(onnx_writer *w, int32_t value, onnx_step *step, gnt_err *err) {
    static const int64_t last[4] = {0, 2, 3, 1}, first[4] = {0, 3, 1, 2};
    const onnx_graph *g = w->g;
    norm n;
    const int32_t inside = transposed(g, value, first);
    const int found = find_layer_norm(g, inside == ONNX_NONE ? value : inside, &n, err);
    if (found != 1)
        return found;
    const onnx_shape *s = &g->value[n.input].shape;
    const uint32_t all = (1u << s->rank) - 2;
    onnx_shape w_shape = {1, {s->dim[1]}};
    int fits, over_channels = inside != ONNX_NONE;
    if (over_channels) { /* the channels are the last axis, moved there and back */
        w_shape.dim[0] = s->dim[3];
        n.input = transposed(g, n.input, last);
        fits = n.input != ONNX_NONE && n.axes == 1u << 3 &&
               (!n.weight || (n.weight->shape.rank == 1 && n.bias->shape.rank == 1));
    } else if (n.axes == all && (s->rank == 2 || s->rank == 4)) {
        w_shape = (onnx_shape){s->rank - 1, {0}};
        memcpy(w_shape.dim, s->dim + 1, (size_t)w_shape.rank * sizeof *w_shape.dim);
        fits = !n.weight || (gnt_onnx_same_shape(&n.weight->shape, &w_shape) &&
                             gnt_onnx_same_shape(&n.bias->shape, &w_shape));
    } else {
        over_channels = 1;
        fits = n.axes == 1u << 1 && s->rank == 4 &&
               (!n.weight || (along_channels(n.weight, s) && along_channels(n.bias, s)));
    }
    if (!fits)
        return gnt_onnx_fail(
            n.node, err,
            "it norms over other axes than all of a sample or the channels of each place, or has "
            "weights of another shape");
    return put_norm(w, &n, "layer_norm", w_shape,
                    over_channels ? json_pack("{s:s}", "over", "channels") : NULL, step, err);
}

int gnt_onnx_read_norm(onnx_writer *w, int32_t value, onnx_step *step, gnt_err *err) {
    const onnx_node *node = &w->g->node[w->g->value[value].node];
    if (strcmp(node->op, "BatchNormalization") == 0)
        return read_batch_norm(w, node, step, err);
    if (strcmp(node->op, "InstanceNormalization") == 0 || strcmp(node->op, "GroupNormalization") == 0)
        return read_norm_node(w, node, step, err);
    const int rc = read_group_norm(w, value, step, err);
    return rc ? rc : read_layer_norm(w, value, step, err);
}
