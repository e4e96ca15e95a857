/* Architectures. Input: one byte that chooses the shape of a sample, then the JSON text. What is accepted and
 * small is built as a graph, with its loss, and takes fresh weights. */
#include "fuzz.h"
#include "nn/model/model.h"

enum { MOST_WEIGHTS = 1 << 16, MOST_LAYERS = 64 };

static const gnt_nn_shape samples[] = {
    {.rank = 3, .dim = {1, 8, 8}}, {.rank = 3, .dim = {3, 32, 32}}, {.rank = 1, .dim = {24}}};

static void build(const gnt_model *m, const gnt_nn_shape *sample, int training) {
    const gnt_param *list;
    const int32_t n = gnt_model_params(m, &list);
    gnt_graph *g = gnt_graph_new();
    gnt_node *params = gnt_array((size_t)n + 1, sizeof *params);
    gnt_node *stats = gnt_array((size_t)n + 1, sizeof *stats);
    gnt_node *layers = gnt_array((size_t)gnt_model_layers(m) + 1, sizeof *layers);
    int64_t in[4] = {2}, target[2] = {2, gnt_model_classes(m)};
    MUST(g && params && stats && layers);
    for (int32_t i = 0; i < sample->rank; i++)
        in[1 + i] = sample->dim[i];
    int32_t weights = 0;
    while (weights < n && !list[weights].buffer)
        weights++;
    gnt_model_declare(m, g, params, params + weights);
    gnt_node x = gnt_nn_input(g, "x", sample->rank + 1, in, 0);
    gnt_node y = gnt_nn_input(g, "y", 2, target, 0);
    gnt_node out = gnt_model_build(m, g, x, params, params + weights, training, layers, stats);
    MUST(out >= 0);
    MUST(gnt_model_loss(m, g, out, y) >= 0);
    gnt_free(params);
    gnt_free(stats);
    gnt_free(layers);
    gnt_graph_free(g);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    fuzz_bytes all = {data, size};
    const gnt_nn_shape *sample = &samples[fuzz_byte(&all) % 3];
    char *text = fuzz_string(all);
    gnt_model *m = NULL;
    gnt_err err = {0};
    if (fuzz_ok(gnt_model_parse(&m, "input", text, sample, 10, NULL, NULL, &err), &err)) {
        if (gnt_model_size(m) + gnt_model_buffer_size(m) <= MOST_WEIGHTS &&
            gnt_model_layers(m) <= MOST_LAYERS) {
            build(m, sample, 0);
            build(m, sample, 1);
            float *params = gnt_array((size_t)gnt_model_size(m), sizeof *params);
            float *buffers = gnt_array((size_t)gnt_model_buffer_size(m), sizeof *buffers);
            gnt_key key = gnt_key_of_seed(1);
            gnt_stream stream = gnt_stream_open(&key, "init");
            gnt_st st;
            MUST(params && buffers);
            gnt_model_init(m, &stream, params, buffers);
            gnt_st_init(&st);
            MUST(gnt_model_export(m, params, buffers, &st, &err) == 0);
            MUST(gnt_model_import(m, &st, params, buffers, &err) == 0);
            gnt_st_free(&st);
            gnt_free(params);
            gnt_free(buffers);
        }
        gnt_model_free(m);
    }
    gnt_free(text);
    return 0;
}
