/* onnx_activations: activations, of one node or of what PyTorch's exporter writes for them, and layers that
 * only move values. */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "onnx/onnx_write.h"

/* ---- products ---- */

enum { MOST_FACTORS = 4, MOST_NESTED = 8 };

typedef struct factors {
    double constant;
    int32_t value[MOST_FACTORS];
    int n;
} factors;

/* Takes a value apart into constants and values that are multiplied, as far as `end`, which is not taken
 * apart. Returns −1 if there are too many. */
static int take_apart(const onnx_graph *g, int32_t value, int32_t end, int depth, factors *out) {
    const onnx_node *mul = value == end ? NULL : gnt_onnx_made_by(g, value, "Mul"),
                    *div = value == end ? NULL : gnt_onnx_made_by(g, value, "Div"),
                    *pow = value == end ? NULL : gnt_onnx_made_by(g, value, "Pow");
    double c;
    if (depth == MOST_NESTED)
        return -1;
    if (g->value[value].constant) {
        if (!gnt_onnx_scalar(g->value[value].constant, &c))
            return -1;
        out->constant *= c;
        return 0;
    }
    if (mul)
        return take_apart(g, mul->input[0], end, depth + 1, out) ||
                       take_apart(g, mul->input[1], end, depth + 1, out)
                   ? -1
                   : 0;
    if (div && gnt_onnx_scalar(gnt_onnx_constant_of(g, div, 1), &c) && c != 0) {
        out->constant /= c;
        return take_apart(g, div->input[0], end, depth + 1, out);
    }
    const int cubed = pow && gnt_onnx_scalar(gnt_onnx_constant_of(g, pow, 1), &c) && c == 3;
    for (int i = 0; i < (cubed ? 3 : 1); i++) {
        if (out->n == MOST_FACTORS)
            return -1;
        out->value[out->n++] = cubed ? pow->input[0] : value;
    }
    return 0;
}

static int is_near(double a, double b) {
    return fabs(a - b) <= 1e-6 * fabs(b);
}

/* True if the value is constant · xⁿ. */
static int is_power(const onnx_graph *g, int32_t value, int32_t x, double constant, int n) {
    factors f = {.constant = 1};
    if (take_apart(g, value, x, 0, &f) || f.n != n || !is_near(f.constant, constant))
        return 0;
    for (int i = 0; i < n; i++)
        if (f.value[i] != x)
            return 0;
    return 1;
}

/* Returns the value that is added to the constant 1, or ONNX_NONE. */
static int32_t after_one(const onnx_graph *g, int32_t value) {
    const onnx_node *add = gnt_onnx_made_by(g, value, "Add");
    double c;
    for (int i = 0; add && i < 2; i++)
        if (gnt_onnx_scalar(gnt_onnx_constant_of(g, add, i), &c) && c == 1)
            return add->input[1 - i];
    return ONNX_NONE;
}

/* True if the value is 1 + erf(x/√2), or 1 + tanh(√(2/π) (x + 0.044715 x³)): *tanh_form 0 or 1. */
static int is_gate(const onnx_graph *g, int32_t value, int32_t x, int *tanh_form) {
    const int32_t inside = after_one(g, value);
    const onnx_node *erf = gnt_onnx_made_by(g, inside, "Erf"), *tanh = gnt_onnx_made_by(g, inside, "Tanh");
    factors f = {.constant = 1};
    *tanh_form = tanh != NULL;
    if (erf)
        return is_power(g, erf->input[0], x, sqrt(0.5), 1);
    if (!tanh || take_apart(g, tanh->input[0], x, 0, &f) || f.n != 1 || !is_near(f.constant, sqrt(2 / M_PI)))
        return 0;
    const onnx_node *add = gnt_onnx_made_by(g, f.value[0], "Add");
    for (int i = 0; add && i < 2; i++)
        if (is_power(g, add->input[i], x, 1, 1) && is_power(g, add->input[1 - i], x, 0.044715, 3))
            return 1;
    return 0;
}

/* Recognises x · sigmoid(x), and the two forms of GELU. */
static int read_product(onnx_writer *w, int32_t value, onnx_step *step, gnt_err *err) {
    const onnx_graph *g = w->g;
    const onnx_node *node = gnt_onnx_made_by(g, value, "Mul");
    int32_t u = value;
    if (!node)
        return 0;
    for (int i = 0; i < 2; i++) {
        const onnx_node *gate = gnt_onnx_made_by(g, node->input[i], "Sigmoid");
        if (gate && gate->input[0] == node->input[1 - i]) {
            step->input = gate->input[0];
            return gnt_onnx_put(node, step, json_pack("{s:s}", "type", "silu"), err);
        }
    }
    /* x is what both factors come from, below factors that are constants */
    for (const onnx_node *m = node; m; m = gnt_onnx_made_by(g, u, "Mul")) {
        const int constant = gnt_onnx_constant_of(g, m, 0) ? 0 : gnt_onnx_constant_of(g, m, 1) ? 1 : -1;
        if (constant < 0)
            break;
        u = m->input[1 - constant];
    }
    const int32_t x = g->value[u].dominator;
    factors f = {.constant = 1};
    if (x == ONNX_NONE || take_apart(g, value, x, 0, &f) || f.n != 2 || !is_near(f.constant, 0.5))
        return 0;
    for (int i = 0; i < 2; i++) {
        int tanh_form;
        if (f.value[i] != x || !is_gate(g, f.value[1 - i], x, &tanh_form))
            continue;
        step->input = x;
        json_t *layer = json_pack("{s:s}", "type", "gelu");
        if (tanh_form)
            json_object_set_new(layer, "approximate", json_string("tanh"));
        return gnt_onnx_put(node, step, layer, err);
    }
    return 0;
}

/* ---- activations of one node ---- */

static int read_softmax(const onnx_graph *g, const onnx_node *node, onnx_step *step, gnt_err *err) {
    const int32_t rank = g->value[node->input[0]].shape.rank;
    int64_t axis = g->opset >= 13 ? -1 : 1;
    if (gnt_onnx_int(node, "axis", &axis, err))
        return -1;
    axis += axis < 0 ? rank : 0;
    if (axis != 1 || (rank != 2 && g->opset < 13))
        return gnt_onnx_fail(node, err,
                             "it is over axis %" PRId64 " of %d (operator set %" PRId64
                             "); gauntlet's is over the features or channels, axis 1",
                             axis, (int)rank, g->opset);
    return gnt_onnx_put(node, step, json_pack("{s:s}", "type", "softmax"), err);
}

static int read_leaky_relu(const onnx_node *node, onnx_step *step, gnt_err *err) {
    double slope = (double)0.01f;
    if (gnt_onnx_float(node, "alpha", &slope, err))
        return -1;
    return gnt_onnx_put(node, step,
                        json_pack("{s:s, s:o}", "type", "leaky_relu", "slope", gnt_onnx_real(slope)), err);
}

static int read_gelu(const onnx_node *node, onnx_step *step, gnt_err *err) {
    const char *form = "none";
    if (gnt_onnx_word(node, "approximate", &form, err))
        return -1;
    if (strcmp(form, "none") != 0 && strcmp(form, "tanh") != 0)
        return gnt_onnx_fail(node, err, "its approximate is \"%.40s\"; expected none or tanh", form);
    return gnt_onnx_put(node, step, json_pack("{s:s, s:s}", "type", "gelu", "approximate", form), err);
}

static int read_dropout(const onnx_graph *g, const onnx_node *node, onnx_step *step, gnt_err *err) {
    double rate = 0.5;
    if (gnt_onnx_float(node, "ratio", &rate, err))
        return -1;
    if (gnt_onnx_input(g, node, 1) && !gnt_onnx_scalar(gnt_onnx_constant_of(g, node, 1), &rate))
        return gnt_onnx_fail(node, err, "its ratio is no constant number");
    return gnt_onnx_put(node, step, json_pack("{s:s, s:o}", "type", "dropout", "rate", gnt_onnx_real(rate)),
                        err);
}

int gnt_onnx_read_activation(onnx_writer *w, int32_t value, onnx_step *step, gnt_err *err) {
    static const char *const plain[][2] = {
        {"Relu", "relu"}, {"Sigmoid", "sigmoid"}, {"Tanh", "tanh"}, {"Softplus", "softplus"}};
    const onnx_node *node = &w->g->node[w->g->value[value].node];
    step->input = node->input[0];
    for (size_t i = 0; i < sizeof plain / sizeof *plain; i++)
        if (strcmp(node->op, plain[i][0]) == 0)
            return gnt_onnx_put(node, step, json_pack("{s:s}", "type", plain[i][1]), err);
    if (strcmp(node->op, "Softmax") == 0)
        return read_softmax(w->g, node, step, err);
    if (strcmp(node->op, "LeakyRelu") == 0)
        return read_leaky_relu(node, step, err);
    if (strcmp(node->op, "Gelu") == 0)
        return read_gelu(node, step, err);
    if (strcmp(node->op, "Dropout") == 0)
        return read_dropout(w->g, node, step, err);
    return read_product(w, value, step, err);
}

/* ---- means and shapes ---- */

static int put_flat(const onnx_graph *g, const onnx_node *node, int32_t value, onnx_step *step,
                    gnt_err *err) {
    if (gnt_onnx_same_shape(&g->value[value].shape, &g->value[node->input[0]].shape))
        return 1;
    if (g->value[value].shape.rank != 2)
        return gnt_onnx_fail(node, err, "it gives samples another shape; gauntlet only makes them flat");
    return gnt_onnx_put(node, step, json_pack("{s:s}", "type", "flatten"), err);
}

int gnt_onnx_read_plain(onnx_writer *w, int32_t value, onnx_step *step, gnt_err *err) {
    const onnx_graph *g = w->g;
    const onnx_node *node = &g->node[g->value[value].node];
    const char *op = node->op;
    uint32_t axes;
    step->input = node->input[0];
    const int changes = !gnt_onnx_same_shape(&g->value[value].shape, &g->value[step->input].shape);
    if (strcmp(op, "Identity") == 0 || (strcmp(op, "Pad") == 0 && !changes))
        return 1;
    if (strcmp(op, "Reshape") == 0 || strcmp(op, "Flatten") == 0 || strcmp(op, "Squeeze") == 0)
        return put_flat(g, node, value, step, err);
    const int mean = strcmp(op, "ReduceMean") == 0, rank = g->value[step->input].shape.rank;
    if (mean && (gnt_onnx_axes(g, node, rank, &axes, err) || rank != 4 || axes != (1u << 2 | 1u << 3)))
        return gnt_onnx_fail(node, err, "it is no mean over the places of an image, nor a part of a norm");
    if (!mean && strcmp(op, "GlobalAveragePool") != 0)
        return 0;
    if (gnt_onnx_put(node, step, json_pack("{s:s}", "type", "global_avg_pool"), err) < 0)
        return -1;
    return g->value[value].shape.rank == 2
               ? gnt_onnx_put(node, step, json_pack("{s:s}", "type", "flatten"), err)
               : 1;
}
