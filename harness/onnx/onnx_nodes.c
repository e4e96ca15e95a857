/* onnx_nodes: attributes and inputs of a node, checked, and its window. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "onnx/onnx_graph.h"

enum { IS_FLOAT = 1, IS_INT, IS_TEXT, IS_INTS = 7, MOST_WINDOW = 1024 };

int gnt_onnx_fail(const onnx_node *node, gnt_err *err, const char *format, ...) {
    va_list list;
    va_start(list, format);
    gnt_vfail(err, format, list);
    va_end(list);
    return gnt_fail_in(err, "node %s (%s)", node->name, node->op);
}

const onnx_attribute *gnt_onnx_attribute(const onnx_node *node, const char *name) {
    for (int32_t i = 0; i < node->n_attributes; i++)
        if (strcmp(node->attribute[i].name, name) == 0)
            return &node->attribute[i];
    return NULL;
}

static const onnx_attribute *typed(const onnx_node *node, const char *name, int type, int *rc, gnt_err *err) {
    const onnx_attribute *a = gnt_onnx_attribute(node, name);
    *rc = a && a->type != type
              ? gnt_onnx_fail(node, err, "its attribute \"%s\" has another type than in ONNX", name)
              : 0;
    return *rc ? NULL : a;
}

int gnt_onnx_int(const onnx_node *node, const char *name, int64_t *out, gnt_err *err) {
    int rc;
    const onnx_attribute *a = typed(node, name, IS_INT, &rc, err);
    if (a)
        *out = a->i;
    return rc;
}

int gnt_onnx_float(const onnx_node *node, const char *name, double *out, gnt_err *err) {
    int rc;
    const onnx_attribute *a = typed(node, name, IS_FLOAT, &rc, err);
    if (a)
        *out = a->f;
    return rc;
}

int gnt_onnx_word(const onnx_node *node, const char *name, const char **out, gnt_err *err) {
    int rc;
    const onnx_attribute *a = typed(node, name, IS_TEXT, &rc, err);
    if (a)
        *out = a->s ? a->s : "";
    return rc;
}

int gnt_onnx_ints(const onnx_node *node, const char *name, int64_t n, int64_t *out, gnt_err *err) {
    int rc;
    const onnx_attribute *a = typed(node, name, IS_INTS, &rc, err);
    if (!a)
        return rc;
    if (a->n_ints != n)
        return gnt_onnx_fail(node, err, "its attribute \"%s\" has %" PRId64 " integers; expected %" PRId64,
                             name, a->n_ints, n);
    memcpy(out, a->ints, (size_t)n * sizeof *out);
    return 0;
}

onnx_value *gnt_onnx_input(const onnx_graph *g, const onnx_node *node, int32_t i) {
    return i < node->n_inputs && node->input[i] != ONNX_NONE ? &g->value[node->input[i]] : NULL;
}

onnx_constant *gnt_onnx_constant_of(const onnx_graph *g, const onnx_node *node, int32_t i) {
    onnx_value *v = gnt_onnx_input(g, node, i);
    return v ? v->constant : NULL;
}

onnx_node *gnt_onnx_made_by(const onnx_graph *g, int32_t value, const char *op) {
    const int32_t node = value == ONNX_NONE ? ONNX_NONE : g->value[value].node;
    return node != ONNX_NONE && g->node[node].kind && g->node[node].output[0] == value &&
                   strcmp(g->node[node].op, op) == 0
               ? &g->node[node]
               : NULL;
}

int gnt_onnx_scalar(const onnx_constant *c, double *out) {
    if (!c || c->count != 1 || (!c->real && (!c->whole || c->whole[0] == ONNX_BATCH)))
        return 0;
    *out = c->real ? (double)c->real[0] : (double)c->whole[0];
    return 1;
}

int gnt_onnx_same_shape(const onnx_shape *a, const onnx_shape *b) {
    return a->rank == b->rank && memcmp(a->dim, b->dim, (size_t)a->rank * sizeof *a->dim) == 0;
}

/* ---- windows ---- */

static int read_pads(const onnx_node *node, onnx_window *w, gnt_err *err) {
    const char *mode = "NOTSET";
    int64_t pads[4] = {0};
    if (gnt_onnx_word(node, "auto_pad", &mode, err) || gnt_onnx_ints(node, "pads", 4, pads, err))
        return -1;
    if (strcmp(mode, "VALID") == 0)
        memset(pads, 0, sizeof pads);
    else if (strcmp(mode, "NOTSET") != 0)
        return gnt_onnx_fail(node, err, "its auto_pad is %.40s; export with explicit pads", mode);
    if (pads[0] != pads[2] || pads[1] != pads[3])
        return gnt_onnx_fail(node, err,
                             "it pads %" PRId64 " and %" PRId64 " rows, %" PRId64 " and %" PRId64
                             " columns; gauntlet pads both sides alike",
                             pads[0], pads[2], pads[1], pads[3]);
    w->pad[0] = pads[0];
    w->pad[1] = pads[1];
    return 0;
}

static int within(const onnx_node *node, const char *what, const int64_t v[2], int64_t least, gnt_err *err) {
    for (int i = 0; i < 2; i++)
        if (v[i] < least || v[i] > MOST_WINDOW)
            return gnt_onnx_fail(node, err, "its %s is %" PRId64 "; expected %" PRId64 " to %d", what, v[i],
                                 least, MOST_WINDOW);
    return 0;
}

int gnt_onnx_window(const onnx_node *node, const onnx_constant *weight, onnx_window *w, gnt_err *err) {
    *w = (onnx_window){.stride = {1, 1}, .dilation = {1, 1}};
    if (weight)
        memcpy(w->kernel, weight->shape.dim + 2, sizeof w->kernel);
    if (gnt_onnx_ints(node, "kernel_shape", 2, w->kernel, err) ||
        gnt_onnx_ints(node, "strides", 2, w->stride, err) ||
        gnt_onnx_ints(node, "dilations", 2, w->dilation, err) ||
        gnt_onnx_ints(node, "output_padding", 2, w->out_pad, err) || read_pads(node, w, err) ||
        gnt_onnx_int(node, "ceil_mode", &w->ceil_mode, err))
        return -1;
    if (weight && memcmp(w->kernel, weight->shape.dim + 2, sizeof w->kernel) != 0)
        return gnt_onnx_fail(node, err, "its kernel_shape differs from the shape of its weight");
    if (w->ceil_mode != 0 && w->ceil_mode != 1)
        return gnt_onnx_fail(node, err, "its ceil_mode is %" PRId64 "; expected 0 or 1", w->ceil_mode);
    return within(node, "kernel", w->kernel, 1, err) || within(node, "stride", w->stride, 1, err) ||
                   within(node, "dilation", w->dilation, 1, err) || within(node, "padding", w->pad, 0, err) ||
                   within(node, "output padding", w->out_pad, 0, err)
               ? -1
               : 0;
}
