/* onnx_layers: writes a graph as nested lists of layers. From a value one goes back to the value that its
 * layers take, until the beginning of the list. Where paths meet, in a sum or a concatenation, they begin at
 * its dominator. */
#include <inttypes.h>
#include <string.h>

#include "onnx/onnx_write.h"

enum { MOST_DEPTH = 8 }; /* of blocks, as in model files */

static json_t *read_list(onnx_writer *w, int32_t from, int32_t to, int depth, gnt_err *err);

/* Recognises every s-th pixel of `from`, with zero channels added on both sides: the shortcut "pad". */
static int is_pad_shortcut(const onnx_graph *g, int32_t value, int32_t from, int64_t *stride) {
    int64_t before[ONNX_RANK], after[ONNX_RANK], first[ONNX_RANK], count[ONNX_RANK], step[ONNX_RANK],
        by[2] = {1, 1};
    const onnx_node *pad = gnt_onnx_made_by(g, value, "Pad");
    if (!pad || g->value[value].shape.rank != 4 || gnt_onnx_pads(g, pad, 4, before, after, NULL) ||
        before[1] != after[1] || before[2] || after[2] || before[3] || after[3])
        return 0;
    int32_t at = pad->input[0];
    for (const onnx_node *slice; at != from; at = slice->input[0]) {
        slice = gnt_onnx_made_by(g, at, "Slice");
        const onnx_shape *in = slice ? &g->value[slice->input[0]].shape : NULL;
        if (!slice || gnt_onnx_slice(g, slice, in, first, count, step, NULL) || first[1] || first[2] ||
            first[3] || count[1] != in->dim[1])
            return 0;
        for (int i = 0; i < 2; i++) {
            if (count[2 + i] != (in->dim[2 + i] + step[2 + i] - 1) / step[2 + i] || by[i] > 1024 ||
                step[2 + i] > 1024)
                return 0;
            by[i] *= step[2 + i];
        }
    }
    if (by[0] != by[1])
        return 0;
    *stride = by[0];
    return 1;
}

static int read_sum(onnx_writer *w, const onnx_node *node, int32_t from, int depth, onnx_step *step,
                    gnt_err *err) {
    const onnx_graph *g = w->g;
    int64_t stride = 0;
    int padded = 0; /* the input that is the shortcut "pad" */
    json_t *side[2] = {NULL};
    step->input = from;
    if (!gnt_onnx_same_shape(&g->value[node->input[0]].shape, &g->value[node->input[1]].shape))
        return gnt_onnx_fail(node, err, "the two values that it adds differ in shape");
    while (padded < 2 && !is_pad_shortcut(g, node->input[padded], from, &stride))
        padded++;
    for (int i = 0; i < 2; i++) {
        side[i] = i == padded ? json_string("pad") : read_list(w, from, node->input[i], depth + 1, err);
        if (side[i])
            continue;
        json_decref(side[0]);
        return -1;
    }
    /* the body is the side with more layers */
    const int body = padded < 2 ? 1 - padded : json_array_size(side[1]) > json_array_size(side[0]);
    json_t *layer = json_pack("{s:s, s:o}", "type", "residual", "body", side[body]),
           *shortcut = side[1 - body];
    if (padded < 2 || json_array_size(shortcut) > 0)
        json_object_set(layer, "shortcut", shortcut);
    if (stride > 1)
        json_object_set_new(layer, "stride", json_integer(stride));
    json_decref(shortcut);
    return gnt_onnx_put(node, step, layer, err);
}

static int read_concat(onnx_writer *w, const onnx_node *node, int32_t from, int depth, onnx_step *step,
                       gnt_err *err) {
    step->input = from;
    if (node->n_inputs == 1)
        return 1;
    json_t *branches = json_array();
    for (int32_t i = 0; i < node->n_inputs; i++) {
        json_t *branch = read_list(w, from, node->input[i], depth + 1, err);
        if (!branch || json_array_append_new(branches, branch)) {
            json_decref(branches);
            return -1;
        }
    }
    return gnt_onnx_put(node, step, json_pack("{s:s, s:o}", "type", "concat", "branches", branches), err);
}

/* Reads the layers that give the value, back to where they begin. */
static int read_step(onnx_writer *w, int32_t value, int depth, onnx_step *step, gnt_err *err) {
    static int (*const readers[])(onnx_writer *, int32_t, onnx_step *,
                                  gnt_err *) = {gnt_onnx_read_window, gnt_onnx_read_dense, gnt_onnx_read_norm,
                                                gnt_onnx_read_activation, gnt_onnx_read_plain};
    const onnx_graph *g = w->g;
    onnx_node *node = &g->node[g->value[value].node];
    const int32_t from = g->value[value].dominator;
    if (node->taken)
        return gnt_onnx_fail(
            node, err,
            "its output goes to several places, which no nesting of residual and concat layers gives");
    node->taken = 1;
    int rc = 0;
    for (size_t i = 0; i < sizeof readers / sizeof *readers && rc == 0; i++)
        rc = readers[i](w, value, step, err);
    if (rc)
        return rc;
    const int two = !gnt_onnx_constant_of(g, node, 0) && !gnt_onnx_constant_of(g, node, 1);
    if (strcmp(node->op, "Add") == 0 && two)
        return read_sum(w, node, from, depth, step, err);
    if (strcmp(node->op, "Concat") == 0)
        return read_concat(w, node, from, depth, step, err);
    return gnt_onnx_fail(node, err, "it is no part of a layer that gauntlet has (docs/models.md lists them)");
}

static json_t *read_list(onnx_writer *w, int32_t from, int32_t to, int depth, gnt_err *err) {
    const onnx_value *value = w->g->value;
    json_t *list = json_array();
    while (list && to != from) {
        onnx_step step = {.layers = json_array()};
        const onnx_node *node = &w->g->node[value[to].node];
        int failed = depth > MOST_DEPTH
                         ? gnt_onnx_fail(node, err, "blocks are nested more than %d deep here", MOST_DEPTH)
                         : read_step(w, to, depth, &step, err) < 0;
        for (size_t i = json_array_size(step.layers); i > 0 && !failed; i--)
            failed = json_array_insert(list, 0, json_array_get(step.layers, i - 1));
        json_decref(step.layers);
        if (!failed && value[step.input].depth < value[from].depth)
            failed = gnt_onnx_fail(
                node, err, "a part of its layer is used elsewhere, too, which gauntlet has no layers for");
        if (failed) {
            json_decref(list);
            return NULL;
        }
        to = step.input;
    }
    return list ? list : (gnt_fail(err, "out of memory for layers"), NULL);
}

json_t *gnt_onnx_layers(onnx_writer *w, gnt_err *err) {
    return read_list(w, w->g->input, w->g->output, 0, err);
}
