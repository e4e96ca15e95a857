/* representation_bench: a device with 200 samples, and the plugins that train an extractor on them, for tests
 * that have included cmocka. */
#ifndef TESTS_REPRESENTATION_BENCH_H
#define TESTS_REPRESENTATION_BENCH_H

#include <string.h>

#include "base/random.h"
#include "plugin/model_service.h"
#include "try_plugin.h"

enum { CLASSES = 2, SAMPLES = 200, FEATURES = 6, ROUNDS = 6, PARAMS = 7 * 12 + 13 * 2, SHARED = 7 * 12 };

static const char bench_model[] =
    "{\"layers\": [{\"type\": \"dense\", \"name\": \"f\", \"out\": 12}, {\"type\": \"relu\", \"name\": "
    "\"r\"},"
    " {\"type\": \"dense\", \"name\": \"head\", \"out\": \"classes\"}], \"representation\": \"r\", "
    "\"share\": \"representation\"}";

typedef struct device {
    float x[SAMPLES * FEATURES], y[SAMPLES * CLASSES];
    int32_t a[SAMPLES];
    int64_t id[SAMPLES];
    gnt_attribute attribute;
    gnt_samples samples;
} device;

/* The attribute: which of two features is the larger one. */
static inline void make_device(device *d) {
    const gnt_key key = gnt_key_of_seed(4);
    gnt_stream r = gnt_stream_open(&key, "device");
    *d = (device){.attribute = {.name = "hidden", .values = 2, .weight = 1}};
    for (int i = 0; i < SAMPLES; i++) {
        float *x = d->x + i * FEATURES;
        for (int k = 0; k < FEATURES; k++)
            x[k] = (float)gnt_random_uniform(&r);
        d->id[i] = i;
        d->a[i] = x[2] > x[3];
        d->y[CLASSES * i + (int)gnt_random_below(&r, CLASSES)] = 1;
    }
    d->samples = (gnt_samples){.size = sizeof d->samples,
                               .kind = GNT_KIND_TABULAR,
                               .n = SAMPLES,
                               .rank = 1,
                               .classes = CLASSES,
                               .dim = {FEATURES},
                               .features = FEATURES,
                               .id = d->id,
                               .x = d->x,
                               .y = d->y,
                               .n_attributes = 1,
                               .attribute = &d->attribute,
                               .a = d->a};
}

typedef struct bench {
    tried t;
    gnt_model *model;
    gnt_service *service;
    float weights[PARAMS], update[SHARED];
    gnt_err err;
} bench;

static inline void open_bench(bench *b, const char *json) {
    const gnt_nn_shape sample = {1, {FEATURES}};
    const gnt_key key = gnt_key_of_seed(9);
    gnt_stream r = gnt_stream_open(&key, "weights");
    char where[4096];
    *b = (bench){0};
    if (gnt_model_parse(&b->model, "test", bench_model, &sample, CLASSES, NULL, NULL, &b->err))
        fail_msg("%s", b->err.text);
    const gnt_service_spec of = {.model = b->model, .name = "test"};
    assert_int_equal(gnt_service_new(&b->service, &of, &b->err), 0);
    if (try_load(&b->t, built("plugins/defenses/representation.so", where), GNT_PLUGIN_DEFENSE, "tappfl",
                 json, &b->err) ||
        try_start(&b->t, 1, (gnt_instance_spec){.model = b->service}, &b->err))
        fail_msg("%s", b->err.text);
    for (int i = 0; i < PARAMS; i++)
        b->weights[i] = (float)(0.4 * gnt_random_normal(&r));
}

static inline void close_bench(bench *b) {
    try_close(&b->t);
    gnt_service_free(b->service);
    gnt_model_free(b->model);
}

static inline gnt_status bench_train(bench *b, const device *d, int32_t round, int32_t steps) {
    gnt_tensor tensor[2] = {try_tensor("f.weight", b->update, 72), try_tensor("f.bias", b->update + 72, 12)};
    gnt_tensors update = {2, tensor};
    const gnt_client client = {.size = sizeof client,
                               .round = round,
                               .rounds = ROUNDS,
                               .n_clients = 1,
                               .n_samples = SAMPLES,
                               .rate = 0.1,
                               .steps = steps,
                               .batch = 10,
                               .samples = &d->samples,
                               .weights = b->weights};
    gnt_instance_enter(b->t.instance, "client_update");
    return gnt_instance_leave(b->t.instance,
                              gnt_instance_defense(b->t.instance)
                                  ->client_update(gnt_instance_self(b->t.instance), &client, &update),
                              &b->err);
}

/* What the client keeps from round to round. */
static inline gnt_status bench_save(bench *b, int32_t client, kept *out) {
    *out = (kept){.artefacts = {.size = sizeof(gnt_artefacts)}};
    out->artefacts.tensors.view = out->view;
    const gnt_sink sink = {.size = sizeof sink, .context = out, .tensor = try_keep};
    return gnt_instance_defense(b->t.instance)->save(gnt_instance_self(b->t.instance), client, &sink);
}

/* A fact of the last round, such as how often g infers the attribute, and the weights after it. */
static inline double fact_of(const char *name, const device *d, const char *json, float weights[PARAMS]) {
    bench b;
    open_bench(&b, json);
    for (int32_t round = 0; round < ROUNDS; round++) {
        if (bench_train(&b, d, round, 80) != GNT_OK)
            fail_msg("%s", b.err.text);
        for (int i = 0; i < SHARED; i++)
            b.weights[i] += b.update[i];
    }
    const double right = try_fact(&b.t, name);
    if (weights)
        memcpy(weights, b.weights, sizeof b.weights);
    close_bench(&b);
    return right;
}

#endif
