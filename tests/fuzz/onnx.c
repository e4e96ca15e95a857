/* Networks in the ONNX format. What is accepted is a model for its samples with all its weights; a small one
 * is built as a graph. */
#include "fuzz.h"
#include "nn/model/model.h"
#include "onnx/onnx.h"

enum { MOST_WEIGHTS = 1 << 16, MOST_LAYERS = 64, MOST_ENTRIES = 1 << 16 };

static void build(const gnt_model *m, const gnt_nn_shape *sample) {
    const gnt_param *list;
    const int32_t n = gnt_model_params(m, &list);
    gnt_graph *g = gnt_graph_new();
    gnt_node *params = gnt_array((size_t)n + 1, sizeof *params);
    int64_t in[4] = {2}, target[2] = {2, gnt_model_classes(m)};
    MUST(g && params);
    for (int32_t i = 0; i < sample->rank; i++)
        in[1 + i] = sample->dim[i];
    int32_t weights = 0;
    while (weights < n && !list[weights].buffer)
        weights++;
    gnt_model_declare(m, g, params, params + weights);
    gnt_node x = gnt_nn_input(g, "x", sample->rank + 1, in, 0), y = gnt_nn_input(g, "y", 2, target, 0);
    gnt_node out = gnt_model_build(m, g, x, params, params + weights, 0, NULL, NULL);
    MUST(out >= 0);
    MUST(gnt_model_loss(m, g, out, y) >= 0);
    gnt_free(params);
    gnt_graph_free(g);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    gnt_onnx_network network;
    gnt_model *m = NULL;
    gnt_err err = {0};
    if (!fuzz_ok(gnt_onnx_read(&network, "input", data, size, &err), &err))
        return 0;
    MUST(gnt_model_parse(&m, "input", network.json, &network.sample, network.classes, NULL, NULL, &err) == 0);
    float *params = gnt_array((size_t)gnt_model_size(m) + 1, sizeof *params),
          *buffers = gnt_array((size_t)gnt_model_buffer_size(m) + 1, sizeof *buffers);
    MUST(params && buffers);
    MUST(gnt_model_import(m, &network.weights, params, buffers, &err) == 0);
    if (gnt_model_size(m) <= MOST_WEIGHTS && gnt_model_layers(m) <= MOST_LAYERS &&
        gnt_nn_count(&network.sample) <= MOST_ENTRIES)
        build(m, &network.sample);
    gnt_free(params);
    gnt_free(buffers);
    gnt_model_free(m);
    gnt_onnx_free(&network);
    return 0;
}
