/* onnx_file: reads ModelProto, GraphProto and NodeProto, and connects the nodes. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "onnx/onnx_graph.h"

enum { MOST_NODES = 16384, MOST_VALUES = 65536, MOST_LINKS = 64, LEAST_OPSET = 11, MOST_OPSET = 22 };

/* ---- kinds of nodes ---- */

#define WINDOW "auto_pad", "dilations", "kernel_shape", "pads", "strides"
static const onnx_op ops[] = {
    {"Add", 2, 2, {NULL}},
    {"AveragePool", 1, 1, {WINDOW, "ceil_mode", "count_include_pad"}},
    {"BatchNormalization", 5, 5, {"epsilon", "momentum", "training_mode"}},
    {"Cast", 1, 1, {"to", "saturate"}},
    {"Concat", 1, MOST_LINKS, {"axis"}},
    {"Constant", 0, 0, {"value", "value_float", "value_floats", "value_int", "value_ints"}},
    {"ConstantOfShape", 1, 1, {"value"}},
    {"Conv", 2, 3, {WINDOW, "group"}},
    {"ConvTranspose", 2, 3, {WINDOW, "group", "output_padding", "output_shape"}},
    {"Div", 2, 2, {NULL}},
    {"Dropout", 1, 3, {"ratio", "seed"}},
    {"Erf", 1, 1, {NULL}},
    {"Flatten", 1, 1, {"axis"}},
    {"Gather", 2, 2, {"axis"}},
    {"Gelu", 1, 1, {"approximate"}},
    {"Gemm", 2, 3, {"alpha", "beta", "transA", "transB"}},
    {"GlobalAveragePool", 1, 1, {NULL}},
    {"GroupNormalization", 3, 3, {"epsilon", "num_groups", "stash_type"}},
    {"Identity", 1, 1, {NULL}},
    {"InstanceNormalization", 3, 3, {"epsilon"}},
    {"LayerNormalization", 2, 3, {"axis", "epsilon", "stash_type"}},
    {"LeakyRelu", 1, 1, {"alpha"}},
    {"MatMul", 2, 2, {NULL}},
    {"MaxPool", 1, 1, {WINDOW, "ceil_mode", "storage_order"}},
    {"Mul", 2, 2, {NULL}},
    {"Pad", 2, 4, {"mode"}},
    {"Pow", 2, 2, {NULL}},
    {"ReduceMean", 1, 2, {"axes", "keepdims", "noop_with_empty_axes"}},
    {"Relu", 1, 1, {NULL}},
    {"Reshape", 2, 2, {"allowzero"}},
    {"Resize",
     1,
     4,
     {"antialias", "axes", "coordinate_transformation_mode", "cubic_coeff_a", "exclude_outside",
      "extrapolation_value", "keep_aspect_ratio_policy", "mode", "nearest_mode"}},
    {"Shape", 1, 1, {"end", "start"}},
    {"Sigmoid", 1, 1, {NULL}},
    {"Slice", 3, 5, {NULL}},
    {"Softmax", 1, 1, {"axis"}},
    {"Softplus", 1, 1, {NULL}},
    {"Sqrt", 1, 1, {NULL}},
    {"Squeeze", 1, 2, {"axes"}},
    {"Sub", 2, 2, {NULL}},
    {"Tanh", 1, 1, {NULL}},
    {"Transpose", 1, 1, {"perm"}},
    {"Unsqueeze", 1, 2, {"axes"}},
};

static const onnx_op *find_op(const char *name) {
    for (size_t i = 0; i < sizeof ops / sizeof *ops; i++)
        if (strcmp(ops[i].name, name) == 0)
            return &ops[i];
    return NULL;
}

/* ---- attributes ---- */

enum { A_NAME = 1, A_FLOAT, A_INT, A_TEXT, A_TENSOR, A_INTS = 8, A_TYPE = 20 };
enum { IS_FLOAT = 1, IS_INT, IS_TEXT, IS_TENSOR, IS_INTS = 7 };

static int read_attribute(onnx_graph *g, gnt_pb message, onnx_attribute *a, gnt_err *err) {
    gnt_pb all = message;
    gnt_pb_field f;
    const char *ignored;
    int rc, bad = 0;
    while ((rc = gnt_pb_next(&message, &f, err)) > 0 && !bad) {
        float real;
        const uint32_t bits = (uint32_t)f.value;
        switch (f.number) {
        case A_NAME:
            bad = gnt_onnx_text(g, &f, "the name of an attribute", &a->name, err);
            break;
        case A_FLOAT:
            bad = gnt_pb_want(&f, GNT_PB_FIXED32, "the number of an attribute", err);
            memcpy(&real, &bits, sizeof real);
            a->f = (double)real;
            break;
        case A_INT:
            bad = gnt_pb_want(&f, GNT_PB_VARINT, "the integer of an attribute", err);
            a->i = (int64_t)f.value;
            break;
        case A_TEXT:
            bad = gnt_onnx_text(g, &f, "the text of an attribute", &a->s, err);
            break;
        case A_TENSOR:
            bad = gnt_pb_want(&f, GNT_PB_BYTES, "the tensor of an attribute", err) ||
                  gnt_onnx_tensor(g, f.inside, &a->tensor, &ignored, err);
            break;
        case A_TYPE:
            bad = gnt_pb_want(&f, GNT_PB_VARINT, "the type of an attribute", err);
            a->type = f.value < 16 ? (int)f.value : 0;
            break;
        default:
            break;
        }
    }
    if (rc < 0 || bad)
        return -1;
    a->n_ints = gnt_pb_count_numbers(all, A_INTS, 0, "an integer of an attribute", err);
    if (a->n_ints < 0)
        return -1;
    uint64_t *ints = gnt_arena_array(&g->arena, (size_t)a->n_ints, sizeof *ints);
    if (!ints)
        return gnt_fail(err, "out of memory for an attribute");
    gnt_pb_numbers(all, A_INTS, 0, ints);
    for (int64_t i = 0; i < a->n_ints; i++)
        ints[i] += (int64_t)ints[i] == ONNX_BATCH; /* limits of slices keep their meaning */
    a->i += a->i == ONNX_BATCH;
    a->ints = (const int64_t *)ints;
    return 0;
}

/* Refuses attributes that a layer may not have, or has twice. */
static int check_attributes(const onnx_node *node, gnt_err *err) {
    for (int32_t i = 0; i < node->n_attributes; i++) {
        const onnx_attribute *a = &node->attribute[i];
        int k = 0;
        while (k < ONNX_ATTRIBUTES && node->kind->attribute[k] && strcmp(node->kind->attribute[k], a->name))
            k++;
        if (k == ONNX_ATTRIBUTES || !node->kind->attribute[k])
            return gnt_onnx_fail(node, err, "it has an attribute \"%s\", which is not known", a->name);
        if (gnt_onnx_attribute(node, a->name) != a)
            return gnt_onnx_fail(node, err, "it has the attribute \"%s\" twice", a->name);
        if (a->type == IS_FLOAT && !isfinite(a->f))
            return gnt_onnx_fail(node, err, "its attribute \"%s\" is not finite", a->name);
    }
    return 0;
}

/* ---- nodes ---- */

enum { N_INPUT = 1, N_OUTPUT, N_NAME, N_OP, N_ATTRIBUTE, N_DOMAIN = 7 };

/* Names of a node's inputs and outputs until they are connected. */
typedef struct links {
    const char **input, **output;
} links;

static int check_node(onnx_node *node, const char *domain, gnt_err *err) {
    if (!node->op || !*node->op)
        return gnt_fail(err, "node %s has no operator", node->name);
    if (*domain && strcmp(domain, "ai.onnx") != 0)
        return 0; /* an operator of another set: no kind, refused if it is used */
    node->kind = find_op(node->op);
    if (!node->kind)
        return 0;
    if (node->n_inputs < node->kind->least || node->n_inputs > node->kind->most)
        return gnt_onnx_fail(node, err, "it has %d inputs; expected %d to %d", (int)node->n_inputs,
                             node->kind->least, node->kind->most);
    return check_attributes(node, err);
}

static int read_node(onnx_graph *g, gnt_pb message, onnx_node *node, links *names, gnt_err *err) {
    const int64_t n_in = gnt_pb_count(message, N_INPUT, err),
                  n_out = n_in < 0 ? -1 : gnt_pb_count(message, N_OUTPUT, err),
                  n_attributes = n_out < 0 ? -1 : gnt_pb_count(message, N_ATTRIBUTE, err);
    if (n_attributes < 0)
        return -1;
    if (n_in > MOST_LINKS || n_out > MOST_LINKS || n_attributes > MOST_LINKS)
        return gnt_fail(err,
                        "a node has %" PRId64 " inputs, %" PRId64 " outputs and %" PRId64
                        " attributes; at most %d each are read",
                        n_in, n_out, n_attributes, MOST_LINKS);
    names->input = gnt_arena_array(&g->arena, (size_t)n_in, sizeof *names->input);
    names->output = gnt_arena_array(&g->arena, (size_t)n_out, sizeof *names->output);
    node->input = gnt_arena_array(&g->arena, (size_t)n_in, sizeof *node->input);
    node->output = gnt_arena_array(&g->arena, (size_t)n_out, sizeof *node->output);
    node->attribute = gnt_arena_array(&g->arena, (size_t)n_attributes, sizeof *node->attribute);
    if (g->arena.failed)
        return gnt_fail(err, "out of memory for a node");
    gnt_pb_field f;
    const char *domain = "";
    int rc, bad = 0;
    while ((rc = gnt_pb_next(&message, &f, err)) > 0 && !bad)
        switch (f.number) {
        case N_INPUT:
            bad = gnt_onnx_text(g, &f, "the input of a node", &names->input[node->n_inputs++], err);
            break;
        case N_OUTPUT:
            bad = gnt_onnx_text(g, &f, "the output of a node", &names->output[node->n_outputs++], err);
            break;
        case N_NAME:
            bad = gnt_onnx_text(g, &f, "the name of a node", &node->name, err);
            break;
        case N_OP:
            bad = gnt_onnx_text(g, &f, "the operator of a node", &node->op, err);
            break;
        case N_DOMAIN:
            bad = gnt_onnx_text(g, &f, "the domain of a node", &domain, err);
            break;
        case N_ATTRIBUTE: {
            onnx_attribute *a = &node->attribute[node->n_attributes++];
            a->name = "";
            bad = gnt_pb_want(&f, GNT_PB_BYTES, "an attribute", err) || read_attribute(g, f.inside, a, err);
            break;
        }
        default:
            break;
        }
    if (rc < 0 || bad)
        return gnt_fail_in(err, "node %s", node->name && *node->name ? node->name : "without a name");
    if (!node->name || !*node->name)
        node->name = n_out ? names->output[0] : "";
    return check_node(node, domain, err);
}

/* ---- values ---- */

/* A value of the file while names are looked up. */
typedef struct named {
    const char *name;
    int32_t value;
} named;

static int by_name(const void *a, const void *b) {
    return strcmp(((const named *)a)->name, ((const named *)b)->name);
}

static int add_value(onnx_graph *g, named *list, const char *name, int32_t node, onnx_constant *constant) {
    list[g->n_values] = (named){name, g->n_values};
    g->value[g->n_values] =
        (onnx_value){.name = name, .node = node, .constant = constant, .dominator = ONNX_NONE};
    return g->n_values++;
}

static int32_t find_value(const onnx_graph *g, const named *list, const char *name) {
    const named key = {name, 0}, *found = bsearch(&key, list, (size_t)g->n_values, sizeof *list, by_name);
    return found ? found->value : ONNX_NONE;
}

static int connect(onnx_graph *g, const links *names, const named *list, gnt_err *err) {
    for (int32_t i = 1; i < g->n_values; i++)
        if (strcmp(list[i - 1].name, list[i].name) == 0)
            return gnt_fail(err, "two values have the name \"%s\"; every tensor and output needs its own",
                            list[i].name);
    for (int32_t i = 0; i < g->n_nodes; i++) {
        onnx_node *node = &g->node[i];
        for (int32_t k = 0; k < node->n_inputs; k++) {
            const char *name = names[i].input[k];
            node->input[k] = *name ? find_value(g, list, name) : ONNX_NONE;
            if (*name && node->input[k] == ONNX_NONE)
                return gnt_onnx_fail(node, err, "its input \"%s\" is given by nothing in the file", name);
            if (*name && g->value[node->input[k]].node >= i)
                return gnt_onnx_fail(
                    node, err,
                    "its input \"%s\" comes from this or a later node; expected nodes in the "
                    "order of computation, without cycles",
                    name);
        }
    }
    return 0;
}

/* ---- inputs and outputs ---- */

enum { V_NAME = 1, V_TYPE, T_TENSOR = 1, T_ELEMENT = 1, T_SHAPE, S_DIM = 1, D_VALUE = 1 };

static int read_dims(gnt_pb shape, onnx_shape *out, gnt_err *err) {
    gnt_pb_field f, d;
    int rc;
    while ((rc = gnt_pb_next(&shape, &f, err)) > 0) {
        if (f.number != S_DIM)
            continue;
        if (gnt_pb_want(&f, GNT_PB_BYTES, "a dimension", err))
            return -1;
        if (out->rank == ONNX_RANK)
            return gnt_fail(err, "the network's input has more than %d dimensions", ONNX_RANK);
        int64_t dim = 0;
        while ((rc = gnt_pb_next(&f.inside, &d, err)) > 0)
            if (d.number == D_VALUE)
                dim = d.wire == GNT_PB_VARINT && d.value <= INT32_MAX ? (int64_t)d.value : -1;
        if (rc < 0)
            return -1;
        out->dim[out->rank++] = dim;
    }
    return rc;
}

/* Reads ValueInfoProto: name, element type (0 if there is none) and shape, whose unknown dimensions are 0. */
static int read_info(onnx_graph *g, gnt_pb message, const char **name, uint64_t *element, onnx_shape *shape,
                     gnt_err *err) {
    gnt_pb_field f, t, e;
    int rc;
    *name = "";
    *element = 0;
    *shape = (onnx_shape){0};
    while ((rc = gnt_pb_next(&message, &f, err)) > 0) {
        if (f.number == V_NAME && gnt_onnx_text(g, &f, "the name of an input", name, err))
            return -1;
        if (f.number != V_TYPE || f.wire != GNT_PB_BYTES)
            continue;
        while ((rc = gnt_pb_next(&f.inside, &t, err)) > 0) {
            if (t.number != T_TENSOR || t.wire != GNT_PB_BYTES)
                continue;
            while ((rc = gnt_pb_next(&t.inside, &e, err)) > 0) {
                if (e.number == T_ELEMENT)
                    *element = e.value;
                if (e.number == T_SHAPE &&
                    (gnt_pb_want(&e, GNT_PB_BYTES, "a shape", err) || read_dims(e.inside, shape, err)))
                    return -1;
            }
            if (rc < 0)
                return -1;
        }
        if (rc < 0)
            return -1;
    }
    return rc;
}

static int check_input(onnx_graph *g, const char *name, uint64_t element, const onnx_shape *shape,
                       gnt_err *err) {
    if (element != 1)
        return gnt_fail(err, "the network's input \"%s\" is no tensor of floats; export in float32", name);
    if (shape->rank != 2 && shape->rank != 4)
        return gnt_fail(err,
                        "the network's input \"%s\" has %d dimensions; expected batch×features or "
                        "batch×channels×height×width, whose sizes are known",
                        name, (int)shape->rank);
    for (int32_t i = 0; i < shape->rank; i++)
        if (shape->dim[i] < (i > 0))
            return gnt_fail(err,
                            "the network's input \"%s\": dimension %d has no known size; export with all but "
                            "the batch fixed",
                            name, (int)i);
    g->batch = shape->dim[0];
    g->value[g->input].shape = *shape;
    g->value[g->input].shape.dim[0] = ONNX_BATCH;
    return 0;
}

enum { G_NODE = 1, G_INITIALIZER = 5, G_INPUT = 11, G_OUTPUT = 12, G_SPARSE = 15 };

/* Reads the network's one input, next to which old files list the initializers, and the name of its one
 * output. */
static int read_ends(onnx_graph *g, gnt_pb message, named *list, int32_t n_tensors, const char **output,
                     gnt_err *err) {
    gnt_pb_field f;
    uint64_t element;
    onnx_shape shape;
    int rc, outputs = 0;
    g->input = ONNX_NONE;
    while ((rc = gnt_pb_next(&message, &f, err)) > 0) {
        if (f.number != G_INPUT && f.number != G_OUTPUT)
            continue;
        const char *name;
        if (gnt_pb_want(&f, GNT_PB_BYTES, "an input or output", err) ||
            read_info(g, f.inside, &name, &element, &shape, err))
            return -1;
        if (f.number == G_OUTPUT) {
            *output = name;
            outputs++;
            continue;
        }
        const named key = {name, 0};
        if (bsearch(&key, list, (size_t)n_tensors, sizeof *list, by_name))
            continue;
        if (g->input != ONNX_NONE)
            return gnt_fail(err, "the network has two inputs, \"%s\" and \"%s\"; expected one",
                            g->value[g->input].name, name);
        g->input = add_value(g, list, name, ONNX_NONE, NULL);
        if (check_input(g, name, element, &shape, err))
            return -1;
    }
    if (rc < 0)
        return -1;
    if (g->input == ONNX_NONE)
        return gnt_fail(err, "the network has no input; expected one");
    return outputs == 1 ? 0 : gnt_fail(err, "the network has %d outputs; expected one", outputs);
}

static int read_initializers(onnx_graph *g, gnt_pb message, named *list, gnt_err *err) {
    gnt_pb_field f;
    int rc;
    while ((rc = gnt_pb_next(&message, &f, err)) > 0) {
        if (f.number == G_SPARSE)
            return gnt_fail(err, "the file has sparse tensors, which are not read");
        if (f.number != G_INITIALIZER)
            continue;
        onnx_constant *c;
        const char *name;
        if (gnt_pb_want(&f, GNT_PB_BYTES, "a tensor", err) || gnt_onnx_tensor(g, f.inside, &c, &name, err))
            return -1;
        c->origin = name;
        add_value(g, list, name, ONNX_NONE, c);
    }
    qsort(list, (size_t)g->n_values, sizeof *list, by_name);
    return rc;
}

/* Counts the values of the graph: tensors, the input and outputs of nodes. */
static int64_t count_values(gnt_pb message, gnt_err *err) {
    gnt_pb_field f;
    int64_t n = 1;
    int rc;
    while ((rc = gnt_pb_next(&message, &f, err)) > 0) {
        n += f.number == G_INITIALIZER;
        const int64_t more =
            f.number == G_NODE && f.wire == GNT_PB_BYTES ? gnt_pb_count(f.inside, N_OUTPUT, err) : 0;
        if (more < 0)
            return -1;
        n += more;
    }
    return rc < 0 ? -1 : n;
}

static int read_nodes(onnx_graph *g, gnt_pb message, links *names, named *list, gnt_err *err) {
    gnt_pb_field f;
    int rc;
    while ((rc = gnt_pb_next(&message, &f, err)) > 0) {
        if (f.number != G_NODE)
            continue;
        if (gnt_pb_want(&f, GNT_PB_BYTES, "a node", err))
            return -1;
        const int32_t i = g->n_nodes++;
        onnx_node *node = &g->node[i];
        node->name = "";
        if (read_node(g, f.inside, node, &names[i], err))
            return -1;
        for (int32_t k = 0; k < node->n_outputs; k++) {
            node->output[k] = ONNX_NONE;
            if (*names[i].output[k])
                node->output[k] = add_value(g, list, names[i].output[k], i, NULL);
        }
    }
    return rc;
}

static int read_graph(onnx_graph *g, gnt_pb message, gnt_err *err) {
    const int64_t n_nodes = gnt_pb_count(message, G_NODE, err),
                  n_values = n_nodes < 0 ? -1 : count_values(message, err);
    const char *output = NULL;
    if (n_values < 0)
        return -1;
    if (n_nodes > MOST_NODES || n_values > MOST_VALUES)
        return gnt_fail(err,
                        "the file has %" PRId64 " nodes and %" PRId64 " values; at most %d and %d are read",
                        n_nodes, n_values, MOST_NODES, MOST_VALUES);
    links *names = gnt_arena_array(&g->arena, (size_t)n_nodes, sizeof *names);
    named *list = gnt_arena_array(&g->arena, (size_t)n_values, sizeof *list);
    g->node = gnt_arena_array(&g->arena, (size_t)n_nodes, sizeof *g->node);
    g->value = gnt_arena_array(&g->arena, (size_t)n_values, sizeof *g->value);
    if (g->arena.failed)
        return gnt_fail(err, "out of memory for the file's nodes");
    if (read_initializers(g, message, list, err) || read_ends(g, message, list, g->n_values, &output, err) ||
        read_nodes(g, message, names, list, err))
        return -1;
    qsort(list, (size_t)g->n_values, sizeof *list, by_name);
    if (connect(g, names, list, err))
        return -1;
    g->output = find_value(g, list, output);
    return g->output == ONNX_NONE || g->value[g->output].node == ONNX_NONE
               ? gnt_fail(err, "the network's output \"%s\" is given by no node", output)
               : 0;
}

/* ---- the file ---- */

enum { M_PRODUCER = 2, M_PRODUCER_VERSION, M_GRAPH = 7, M_OPSET };

static int read_opset(onnx_graph *g, gnt_pb message, gnt_err *err) {
    gnt_pb_field f;
    const char *domain = "";
    uint64_t version = 0;
    int rc;
    while ((rc = gnt_pb_next(&message, &f, err)) > 0) {
        if (f.number == 1 && gnt_onnx_text(g, &f, "the domain of an operator set", &domain, err))
            return -1;
        if (f.number == 2)
            version = f.value;
    }
    if (rc == 0 && (!*domain || strcmp(domain, "ai.onnx") == 0))
        g->opset = version < 1000 ? (int64_t)version : 1000;
    return rc;
}

int gnt_onnx_graph_read(onnx_graph *g, const uint8_t *bytes, size_t size, gnt_err *err) {
    gnt_pb message = {bytes, bytes, bytes + size}, graph = {0};
    gnt_pb_field f;
    int rc;
    g->producer = g->producer_version = "";
    while ((rc = gnt_pb_next(&message, &f, err)) > 0) {
        if (f.number == M_PRODUCER && gnt_onnx_text(g, &f, "the producer", &g->producer, err))
            return -1;
        if (f.number == M_PRODUCER_VERSION &&
            gnt_onnx_text(g, &f, "the producer's version", &g->producer_version, err))
            return -1;
        if (f.number == M_OPSET &&
            (gnt_pb_want(&f, GNT_PB_BYTES, "an operator set", err) || read_opset(g, f.inside, err)))
            return -1;
        if (f.number != M_GRAPH)
            continue;
        if (gnt_pb_want(&f, GNT_PB_BYTES, "the graph", err))
            return -1;
        if (graph.start)
            return gnt_fail(err, "the file has two graphs; expected one");
        graph = f.inside;
    }
    if (rc < 0)
        return -1;
    if (!graph.start)
        return gnt_fail(err,
                        "there is no graph in it; expected an ONNX file, as torch.onnx.export writes it");
    if (g->opset < LEAST_OPSET || g->opset > MOST_OPSET)
        return gnt_fail(
            err, "it is of operator set %" PRId64 "; sets %d to %d are read: export with opset_version=17",
            g->opset, LEAST_OPSET, MOST_OPSET);
    return read_graph(g, graph, err);
}
