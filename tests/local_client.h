/* local_client: a client of 28 × 28 images with fresh weights, the update that it sends, and an attack of
 * gradient.so on that. For tests that have included cmocka. */
#ifndef TESTS_LOCAL_CLIENT_H
#define TESTS_LOCAL_CLIENT_H

#include <math.h>
#include <string.h>

#include "base/mem.h"
#include "nn/model/model.h"
#include "try_plugin.h"

enum { CLIENT_TENSORS = 8 };

typedef struct local_client {
    gnt_model *model;
    gnt_service *own, *attackers;
    float *weights, *data[CLIENT_TENSORS];
    gnt_view view[CLIENT_TENSORS];
    gnt_views update;
    gnt_observation seen;
    gnt_key key;
    gnt_err err;
} local_client;

static inline void open_client(local_client *c, const char *json, int64_t classes, const double *mean,
                               const double *deviation, uint64_t seed) {
    const gnt_nn_shape sample = {3, {1, 28, 28}};
    memset(c, 0, sizeof *c);
    if (gnt_model_parse(&c->model, "test", json, &sample, (int32_t)classes, mean, deviation, &c->err) != 0)
        fail_msg("%s", c->err.text);
    const gnt_service_spec spec = {.model = c->model, .name = "test", .mean = mean, .deviation = deviation};
    assert_int_equal(gnt_service_new(&c->own, &spec, &c->err), 0);
    assert_int_equal(gnt_service_new(&c->attackers, &spec, &c->err), 0);
    c->key = gnt_key_of_seed(seed);
    gnt_stream init = gnt_stream_open(&c->key, "init");
    c->weights = gnt_array((size_t)gnt_model_size(c->model), sizeof *c->weights);
    gnt_model_init(c->model, &init, c->weights, NULL);
}

/* Computes the update of the samples that `spec` counts, with one of the client's services. */
static inline const gnt_views *update_of(const local_client *c, gnt_service *service, gnt_function_spec spec,
                                         const float *x, const float *y, const float *rates) {
    const gnt_model_service *s = gnt_service_table(service);
    const gnt_views *made;
    spec.size = sizeof spec;
    spec.kind = GNT_FN_UPDATE;
    spec.training = -1;
    const gnt_function_args args = {
        .size = sizeof args, .x = x, .y = y, .weights = c->weights, .rates = rates};
    assert_int_equal(s->eval(s->context, s->prepare(s->context, &spec), &args, &made), GNT_OK);
    return made;
}

/* Sends the update, with noise of deviation sigma in each entry, and sets what is seen of it, without
 * grants. */
static inline void send_update(local_client *c, gnt_function_spec spec, const float *x, const float *y,
                               const float *rates, int64_t classes, double sigma) {
    const gnt_views *made = update_of(c, c->own, spec, x, y, rates);
    gnt_stream noise = gnt_stream_open(&c->key, "noise");
    for (int i = 0; i < made->n; i++) {
        c->view[i] = made->view[i];
        c->view[i].data = c->data[i] = gnt_array((size_t)made->view[i].count, sizeof(float));
        for (int64_t k = 0; k < made->view[i].count; k++)
            c->data[i][k] = made->view[i].data[k] + (float)(sigma * gnt_random_normal(&noise));
    }
    c->update = (gnt_views){made->n, c->view};
    c->seen = (gnt_observation){.size = sizeof c->seen,
                                .surface = GNT_SURFACE_UPDATE,
                                .goals = GNT_GOAL_RECONSTRUCTION,
                                .update_kind = spec.steps ? GNT_UPDATE_DELTA : GNT_UPDATE_GRADIENT,
                                .steps = spec.steps,
                                .attribute = -1,
                                .classes = (int32_t)classes,
                                .n = spec.n,
                                .batch = spec.batch,
                                .momentum = spec.momentum,
                                .decay = spec.decay,
                                .optimizer = spec.optimizer,
                                .update = &c->update,
                                .weights = c->weights};
}

static inline void close_client(local_client *c) {
    for (int i = 0; i < CLIENT_TENSORS; i++)
        gnt_free(c->data[i]);
    gnt_free(c->weights);
    gnt_service_free(c->own);
    gnt_service_free(c->attackers);
    gnt_model_free(c->model);
}

/* Attacks what is seen. The caller closes *t, which has the facts. */
static inline void attack_client(local_client *c, tried *t, const char *id, const char *json,
                                 const gnt_answer *answer) {
    char path[4096];
    const gnt_artefacts none = {.size = sizeof none};
    if (try_load(t, built("plugins/attacks/gradient.so", path), GNT_PLUGIN_ATTACK, id, json, &c->err) != 0 ||
        try_start(t, 1, (gnt_instance_spec){.model = c->attackers}, &c->err) != 0)
        fail_msg("%s", c->err.text);
    gnt_instance_enter(t->instance, "run");
    gnt_status status =
        gnt_instance_attack(t->instance)->run(gnt_instance_self(t->instance), &c->seen, &none, answer);
    status = gnt_instance_leave(t->instance, status, &c->err);
    if (status != GNT_OK)
        fail_msg("%s", c->err.text);
}

#endif
