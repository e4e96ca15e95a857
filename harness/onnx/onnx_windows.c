/* onnx_windows: convolutions, pools, upsampling and dense layers. */
#include <inttypes.h>
#include <string.h>

#include "onnx/onnx_write.h"

/* If the value is an image padded with zeros, alike on both sides, adds the padding and returns the value
 * before it. */
static int32_t before_pad(const onnx_graph *g, int32_t value, int64_t pad[2]) {
    int64_t before[ONNX_RANK], after[ONNX_RANK];
    const onnx_node *node = gnt_onnx_made_by(g, value, "Pad");
    if (!node || g->value[value].shape.rank != 4 || gnt_onnx_pads(g, node, 4, before, after, NULL) ||
        before[1] || after[1] || before[2] != after[2] || before[3] != after[3])
        return value;
    pad[0] += before[2];
    pad[1] += before[3];
    return node->input[0];
}

/* Adds a layer with its weight, and with its `out` biases unless `bias` is NULL. Returns 1, or −1 with a
 * sentence. */
static int put_weighted(onnx_writer *w, const onnx_node *node, onnx_step *step, json_t *layer,
                        const char *name, onnx_constant *weight, onnx_constant *bias, int64_t out,
                        gnt_err *err) {
    if (!bias)
        json_object_set_new(layer, "bias", json_false());
    if (gnt_onnx_put(node, step, layer, err) < 0 ||
        gnt_onnx_weight(w, node, name, "weight", weight, weight->shape, err))
        return -1;
    return bias && gnt_onnx_weight(w, node, name, "bias", bias, (onnx_shape){1, {out}}, err) ? -1 : 1;
}

static int read_conv(onnx_writer *w, const onnx_node *node, onnx_step *step, gnt_err *err) {
    const int transposed = strcmp(node->op, "ConvTranspose") == 0;
    const char *type = transposed ? "conv_transpose" : "conv";
    onnx_constant *weight = gnt_onnx_constant_of(w->g, node, 1), *bias = gnt_onnx_constant_of(w->g, node, 2);
    int64_t groups = 1;
    onnx_window v;
    if (gnt_onnx_window(node, weight, &v, err) || gnt_onnx_int(node, "group", &groups, err))
        return -1;
    if (gnt_onnx_attribute(node, "output_shape"))
        return gnt_onnx_fail(node, err, "it has an output_shape; export with output_padding");
    if (gnt_onnx_input(w->g, node, 2) && !bias)
        return gnt_onnx_fail(node, err, "its bias is no constant");
    const char *name = gnt_onnx_name(w, node, type, weight, err);
    if (!name)
        return -1;
    step->input = transposed ? node->input[0] : before_pad(w->g, node->input[0], v.pad);
    const int64_t out = transposed ? weight->shape.dim[1] * groups : weight->shape.dim[0];
    json_t *layer = json_pack("{s:s, s:s, s:I}", "type", type, "name", name, "out", (json_int_t)out);
    gnt_onnx_put_pair(layer, "kernel", v.kernel, 0);
    gnt_onnx_put_pair(layer, "stride", v.stride, 1);
    gnt_onnx_put_pair(layer, "pad", v.pad, 0);
    gnt_onnx_put_pair(layer, "dilation", v.dilation, 1);
    gnt_onnx_put_pair(layer, "out_pad", v.out_pad, 0);
    if (groups != 1)
        json_object_set_new(layer, "groups", json_integer(groups));
    return put_weighted(w, node, step, layer, name, weight, bias, out, err);
}

static int read_pool(onnx_writer *w, const onnx_node *node, onnx_step *step, gnt_err *err) {
    const int mean = strcmp(node->op, "AveragePool") == 0;
    int64_t count_pad = 0, none[2] = {0};
    onnx_window v;
    if (gnt_onnx_window(node, NULL, &v, err) || gnt_onnx_int(node, "count_include_pad", &count_pad, err))
        return -1;
    if (v.dilation[0] != 1 || v.dilation[1] != 1)
        return gnt_onnx_fail(node, err, "its window is dilated, which gauntlet's pools are not");
    step->input = node->input[0];
    /* PyTorch's exporter writes a mean that counts zeros as a padding before a pool without any */
    if (mean && memcmp(v.pad, none, sizeof none) == 0 && !v.ceil_mode) {
        step->input = before_pad(w->g, node->input[0], v.pad);
        count_pad = 1;
    }
    json_t *layer = json_pack("{s:s}", "type", mean ? "avg_pool" : "max_pool");
    gnt_onnx_put_pair(layer, "kernel", v.kernel, 0);
    if (memcmp(v.kernel, v.stride, sizeof v.kernel) != 0)
        gnt_onnx_put_pair(layer, "stride", v.stride, 0);
    gnt_onnx_put_pair(layer, "pad", v.pad, 0);
    if (v.ceil_mode)
        json_object_set_new(layer, "ceil", json_true());
    if (mean && !count_pad && (v.pad[0] || v.pad[1]))
        json_object_set_new(layer, "count_pad", json_false());
    return gnt_onnx_put(node, step, layer, err);
}

static int read_resize(onnx_writer *w, const onnx_node *node, onnx_step *step, gnt_err *err) {
    int64_t factor[2] = {1, 1};
    step->input = node->input[0];
    if (gnt_onnx_factors(w->g, node, &w->g->value[step->input].shape, factor, err))
        return -1;
    if (factor[0] != factor[1])
        return gnt_onnx_fail(
            node, err, "its factors are %" PRId64 " and %" PRId64 "; gauntlet enlarges both sides alike",
            factor[0], factor[1]);
    return gnt_onnx_put(node, step,
                        json_pack("{s:s, s:I}", "type", "upsample", "factor", (json_int_t)factor[0]), err);
}

int gnt_onnx_read_window(onnx_writer *w, int32_t value, onnx_step *step, gnt_err *err) {
    const onnx_node *node = &w->g->node[w->g->value[value].node];
    if (strcmp(node->op, "Conv") == 0 || strcmp(node->op, "ConvTranspose") == 0)
        return read_conv(w, node, step, err);
    if (strcmp(node->op, "MaxPool") == 0 || strcmp(node->op, "AveragePool") == 0)
        return read_pool(w, node, step, err);
    return strcmp(node->op, "Resize") == 0 ? read_resize(w, node, step, err) : 0;
}

/* ---- dense layers ---- */

/* Returns the weight as gauntlet has it, O×I: the constant, or a transposed copy with the same root. */
static onnx_constant *outputs_first(onnx_graph *g, onnx_constant *in, int transposed) {
    if (transposed)
        return in;
    const int64_t rows = in->shape.dim[0], columns = in->shape.dim[1];
    onnx_constant *out = gnt_arena_copy(&g->arena, in, 1, sizeof *in);
    float *to = gnt_arena_array(&g->arena, (size_t)in->count, sizeof *to);
    if (!out || !to)
        return NULL;
    for (int64_t i = 0; i < rows; i++)
        for (int64_t j = 0; j < columns; j++)
            to[j * rows + i] = in->real[i * columns + j];
    out->real = to;
    out->shape = (onnx_shape){2, {columns, rows}};
    return out;
}

static int put_dense(onnx_writer *w, const onnx_node *node, onnx_constant *weight, int transposed,
                     onnx_constant *bias, onnx_step *step, gnt_err *err) {
    weight = outputs_first(w->g, weight, transposed);
    const char *name = weight ? gnt_onnx_name(w, node, "dense", weight, err) : NULL;
    if (!name)
        return gnt_onnx_fail(node, err, "out of memory for its weight");
    const int64_t out = weight->shape.dim[0];
    json_t *layer = json_pack("{s:s, s:s, s:I}", "type", "dense", "name", name, "out", (json_int_t)out);
    return put_weighted(w, node, step, layer, name, weight, bias, out, err);
}

static int read_gemm(onnx_writer *w, const onnx_node *node, onnx_step *step, gnt_err *err) {
    double alpha = 1, beta = 1;
    int64_t transposed = 0;
    onnx_constant *bias = gnt_onnx_constant_of(w->g, node, 2);
    if (gnt_onnx_float(node, "alpha", &alpha, err) || gnt_onnx_float(node, "beta", &beta, err) ||
        gnt_onnx_int(node, "transB", &transposed, err))
        return -1;
    if (alpha != 1 || (bias && beta != 1))
        return gnt_onnx_fail(node, err, "it scales by alpha %g and beta %g; a dense layer has 1 and 1", alpha,
                             beta);
    if (gnt_onnx_input(w->g, node, 2) && !bias)
        return gnt_onnx_fail(node, err, "its bias is no constant");
    step->input = node->input[0];
    return put_dense(w, node, gnt_onnx_constant_of(w->g, node, 1), transposed != 0, bias, step, err);
}

int gnt_onnx_read_dense(onnx_writer *w, int32_t value, onnx_step *step, gnt_err *err) {
    const onnx_graph *g = w->g;
    const onnx_node *node = &g->node[g->value[value].node];
    if (strcmp(node->op, "Gemm") == 0)
        return read_gemm(w, node, step, err);
    onnx_constant *bias = NULL;
    const int adds = strcmp(node->op, "Add") == 0;
    for (int side = 0; adds && side < 2 && !bias; side++)
        bias = gnt_onnx_constant_of(g, node, side);
    const int32_t product = !adds  ? value
                            : bias ? node->input[bias == gnt_onnx_constant_of(g, node, 0)]
                                   : ONNX_NONE;
    const onnx_node *times = gnt_onnx_made_by(g, product, "MatMul");
    if (!times)
        return 0;
    step->input = times->input[0];
    return put_dense(w, times, gnt_onnx_constant_of(g, times, 1), 0, bias, step, err);
}
