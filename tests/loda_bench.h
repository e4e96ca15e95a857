/* loda_bench: a small extractor and images for tests of what is built on it. For tests that have included
 * cmocka. */
#ifndef TESTS_LODA_BENCH_H
#define TESTS_LODA_BENCH_H

#include <math.h>
#include <string.h>

#include "base/mem.h"
#include "nn/model/model.h"
#include "plugin/model_service.h"
#include "try_plugin.h"

enum { SIDE = 8, PIXELS = 3 * SIDE * SIDE, CLASSES = 4, MOST = 8 };
#define LODA_SO "plugins/defenses/loda.so"
#define LODA_ATTACKS_SO "plugins/attacks/loda.so"

/* Smooth, so that differences converge; three convolutions and a dense layer. */
static const char smooth_json[] =
    "{\"init\": \"kaiming\", \"layers\": ["
    "{\"type\": \"conv\", \"name\": \"c1\", \"out\": 6, \"kernel\": 3, \"pad\": 1}, {\"type\": \"tanh\"},"
    "{\"type\": \"conv\", \"name\": \"c2\", \"out\": 6, \"kernel\": 3, \"stride\": 2, \"pad\": 1}, "
    "{\"type\": \"tanh\"},"
    "{\"type\": \"conv\", \"name\": \"c3\", \"out\": 4, \"kernel\": 3, \"pad\": 1}, {\"type\": \"tanh\"},"
    "{\"type\": \"flatten\"}, {\"type\": \"dense\", \"name\": \"fc\", \"out\": \"classes\"}]}";

typedef struct bench {
    gnt_model *model;
    gnt_service *service; /* of the extractor, as plugins see it */
    gnt_service *own;     /* the same for the test */
    float *weights;
    gnt_instance_model named;
    float x[MOST * PIXELS], y[MOST * CLASSES], open[MOST * PIXELS]; /* private images; public ones */
    gnt_samples samples, public_data;
} bench;

static inline gnt_samples bench_samples(int64_t n, const float *x, const float *y) {
    return (gnt_samples){.size = sizeof(gnt_samples),
                         .kind = GNT_KIND_IMAGE,
                         .n = n,
                         .rank = 3,
                         .classes = CLASSES,
                         .dim = {3, SIDE, SIDE},
                         .features = PIXELS,
                         .x = x,
                         .y = y};
}

/* Images within [least, 1 − least], each around a level of its own. */
static inline void bench_images(gnt_stream *random, float *x, int64_t n, double least) {
    for (int64_t i = 0; i < n; i++) {
        double level = gnt_random_uniform(random);
        for (int64_t k = 0; k < PIXELS; k++)
            x[i * PIXELS + k] =
                (float)(least + (1 - 2 * least) * (0.5 * level + 0.5 * gnt_random_uniform(random)));
    }
}

static inline void bench_open(bench *b, const char *json, uint64_t seed) {
    gnt_err err = {0};
    gnt_nn_shape sample = {3, {3, SIDE, SIDE}};
    gnt_key key = gnt_key_of_seed(seed);
    gnt_stream random = gnt_stream_open(&key, "bench");
    memset(b, 0, sizeof *b);
    if (gnt_model_parse(&b->model, "extractor", json, &sample, CLASSES, NULL, NULL, &err) != 0)
        fail_msg("%s", err.text);
    gnt_service_spec spec = {.model = b->model, .name = "small"};
    assert_int_equal(gnt_service_new(&b->service, &spec, &err), 0);
    assert_int_equal(gnt_service_new(&b->own, &spec, &err), 0);
    b->weights = gnt_array((size_t)gnt_model_size(b->model), sizeof *b->weights);
    gnt_model_init(b->model, &random, b->weights, NULL);
    b->named = (gnt_instance_model){.parameter = "extractor",
                                    .model = {.size = sizeof b->named.model,
                                              .id = "net",
                                              .service = gnt_service_table(b->service),
                                              .weights = b->weights}};
    bench_images(&random, b->x, MOST, 0.1);
    bench_images(&random, b->open, MOST, 0.3);
    for (int64_t i = 0; i < MOST; i++) /* soft labels */
        for (int64_t c = 0; c < CLASSES; c++)
            b->y[i * CLASSES + c] = c == i % CLASSES ? 0.7f : 0.1f;
    b->samples = bench_samples(MOST, b->x, b->y);
    b->public_data = bench_samples(MOST, b->open, b->y);
}

static inline void bench_close(bench *b) {
    gnt_service_free(b->service);
    gnt_service_free(b->own);
    gnt_model_free(b->model);
    gnt_free(b->weights);
}

/* Indices of layers by name. */
static inline int32_t bench_layer(const bench *b, const char *name) {
    for (int32_t i = 0; i < gnt_model_layers(b->model); i++)
        if (strcmp(gnt_model_layer_name(b->model, i), name) == 0)
            return i;
    fail_msg("no layer %s", name);
    return -1;
}

/* g around one image, by the test's own service. */
typedef struct bench_map {
    const gnt_model_service *s;
    gnt_function *f;
    gnt_function_args args;
    const gnt_views *at;
} bench_map;

static inline bench_map bench_map_open(const bench *b, const int32_t *layer, int32_t n_layers) {
    bench_map m = {.s = gnt_service_table(b->own)};
    gnt_function_spec spec = {.size = sizeof spec,
                              .kind = GNT_FN_FEATURES,
                              .n = 1,
                              .layer = layer,
                              .n_layers = n_layers,
                              .vjp = GNT_WRT_X,
                              .jvp = GNT_WRT_X};
    m.f = m.s->prepare(m.s->context, &spec);
    assert_non_null(m.f);
    m.args = (gnt_function_args){.size = sizeof m.args, .weights = b->weights};
    return m;
}

static inline const gnt_views *bench_at(bench_map *m, const float *x) {
    m->args.x = x;
    assert_int_equal(m->s->eval(m->s->context, m->f, &m->args, &m->at), GNT_OK);
    return m->at;
}

#endif
