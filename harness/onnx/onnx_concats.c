/* onnx_concats: nests concatenations. PyTorch's dense blocks join x; x and a; x, a and b; …, where b comes
 * from the second of these. A model joins the second one and b. */
#include <string.h>

#include "onnx/onnx_graph.h"

enum { MOST_CONCATS = 1024 }; /* that are compared with each other */

static int64_t axis_of(const onnx_node *node) {
    int64_t axis = 0;
    gnt_onnx_int(node, "axis", &axis, NULL);
    return axis;
}

/* True if all inputs of `a` are the first ones of `b`, which has more. */
static int begins(const onnx_node *a, const onnx_node *b) {
    return a->n_inputs < b->n_inputs && a->n_outputs > 0 && a->output[0] != ONNX_NONE &&
           axis_of(a) == axis_of(b) &&
           memcmp(a->input, b->input, (size_t)a->n_inputs * sizeof *a->input) == 0;
}

void gnt_onnx_nest_concats(onnx_graph *g) {
    int32_t concat[MOST_CONCATS], n = 0;
    for (int32_t i = 0; i < g->n_nodes && n < MOST_CONCATS; i++)
        if (g->node[i].kind && strcmp(g->node[i].op, "Concat") == 0)
            concat[n++] = i;
    /* from the last one: those before it keep their inputs until they are compared with all after them */
    for (int32_t i = n - 1; i > 0; i--) {
        onnx_node *node = &g->node[concat[i]];
        const onnx_node *best = NULL;
        for (int32_t k = 0; k < i; k++) {
            const onnx_node *other = &g->node[concat[k]];
            if (begins(other, node) && (!best || other->n_inputs > best->n_inputs))
                best = other;
        }
        if (!best)
            continue;
        node->input[0] = best->output[0];
        memmove(node->input + 1, node->input + best->n_inputs,
                (size_t)(node->n_inputs - best->n_inputs) * sizeof *node->input);
        node->n_inputs -= best->n_inputs - 1;
    }
}
