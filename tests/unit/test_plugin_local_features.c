/* invert-gradients on local steps through convolutions, the built attack: how many of the samples the update
 * determines, with their labels and the steps that used them. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "base/mem.h"
#include "data/data.h"
#include "nn/model/model.h"
#include "plugin/host.h"
#include "try_plugin.h"

enum { PIXELS = 28 * 28, CLASSES = 10, MOST = 40, PUBLIC = 80, ROWS = MOST + PUBLIC, TENSORS = 8 };

static const char conv_json[] =
    "{\"init\": \"kaiming\", \"layers\": [{\"type\": \"conv\", \"name\": \"c1\", \"out\": 4, \"kernel\": 5, "
    "\"stride\": 2, \"pad\": 2}, {\"type\": \"relu\"}, {\"type\": \"conv\", \"name\": \"c2\", \"out\": 16, "
    "\"kernel\": 5, \"stride\": 2, \"pad\": 2}, {\"type\": \"relu\"}, {\"type\": \"flatten\"}, {\"type\": "
    "\"dense\", \"name\": \"fc1\", \"out\": 128}, {\"type\": \"relu\"}, {\"type\": \"dense\", \"name\": "
    "\"fc2\", \"out\": \"classes\"}]}";

typedef struct client {
    int32_t steps;
    int64_t batch;
    double momentum;
    const float *rates; /* the client's, where 0.1 is announced; NULL: 0.1 each */
    int labels;         /* granted */
    double sigma;       /* of noise in the update */
} client;

typedef struct seen_client {
    gnt_model *model;
    gnt_service *own, *attackers;
    float *weights, *data[TENSORS];
    gnt_view view[TENSORS];
    gnt_views update;
    gnt_observation seen;
    gnt_samples public_data;
    float found[MOST * PIXELS];
    double features_known, features_exact, order_known;
    gnt_err err;
} seen_client;

static float x[ROWS * PIXELS], y[ROWS * CLASSES];
static seen_client the;

static int open_glyphs(void **state) {
    (void)state;
    gnt_err err = {0};
    gnt_data *glyphs;
    gnt_data_spec spec = {.name = "glyphs", .rows = {ROWS, 1, 1}, .seed = 23};
    if (gnt_data_open(&glyphs, &spec, NULL, &err))
        return -1;
    for (int64_t i = 0; i < ROWS; i++) {
        gnt_data_row(glyphs, i, x + i * PIXELS);
        y[i * CLASSES + glyphs->label[i]] = 1;
    }
    gnt_data_free(glyphs);
    return 0;
}

static void observe(const client *c) {
    const gnt_nn_shape sample = {3, {1, 28, 28}};
    const int64_t n = c->steps * c->batch;
    float rates[16];
    memset(&the, 0, sizeof the);
    assert_int_equal(gnt_model_parse(&the.model, "test", conv_json, &sample, CLASSES, NULL, NULL, &the.err),
                     0);
    const gnt_service_spec of_service = {.model = the.model, .name = "test"};
    assert_int_equal(gnt_service_new(&the.own, &of_service, &the.err), 0);
    assert_int_equal(gnt_service_new(&the.attackers, &of_service, &the.err), 0);
    const gnt_key key = gnt_key_of_seed(9);
    gnt_stream init = gnt_stream_open(&key, "init"), noise = gnt_stream_open(&key, "noise");
    the.weights = gnt_array((size_t)gnt_model_size(the.model), sizeof *the.weights);
    gnt_model_init(the.model, &init, the.weights, NULL);
    for (int32_t i = 0; i < c->steps; i++)
        rates[i] = c->rates ? c->rates[i] : 0.1f;
    const gnt_model_service *s = gnt_service_table(the.own);
    const gnt_function_spec spec = {.size = sizeof spec,
                                    .kind = GNT_FN_UPDATE,
                                    .training = -1,
                                    .n = n,
                                    .steps = c->steps,
                                    .batch = c->batch,
                                    .momentum = c->momentum};
    const gnt_function_args args = {
        .size = sizeof args, .x = x, .y = y, .weights = the.weights, .rates = rates};
    const gnt_views *made;
    assert_int_equal(s->eval(s->context, s->prepare(s->context, &spec), &args, &made), GNT_OK);
    for (int i = 0; i < made->n; i++) {
        the.view[i] = made->view[i];
        the.view[i].data = the.data[i] = gnt_array((size_t)made->view[i].count, sizeof(float));
        for (int64_t k = 0; k < made->view[i].count; k++)
            the.data[i][k] = made->view[i].data[k] + (float)(c->sigma * gnt_random_normal(&noise));
    }
    the.update = (gnt_views){made->n, the.view};
    the.public_data = (gnt_samples){.size = sizeof the.public_data,
                                    .n = PUBLIC,
                                    .features = PIXELS,
                                    .classes = CLASSES,
                                    .x = x + MOST * PIXELS,
                                    .y = y + MOST * CLASSES};
    the.seen = (gnt_observation){.size = sizeof the.seen,
                                 .surface = GNT_SURFACE_UPDATE,
                                 .goals = GNT_GOAL_RECONSTRUCTION,
                                 .update_kind = GNT_UPDATE_DELTA,
                                 .steps = c->steps,
                                 .attribute = -1,
                                 .classes = CLASSES,
                                 .n = n,
                                 .batch = c->batch,
                                 .rate = 0.1f,
                                 .momentum = c->momentum,
                                 .update = &the.update,
                                 .labels = c->labels ? y : NULL,
                                 .public_data = &the.public_data,
                                 .weights = the.weights};
}

static void forget(void) {
    for (int i = 0; i < TENSORS; i++)
        gnt_free(the.data[i]);
    gnt_free(the.weights);
    gnt_service_free(the.own);
    gnt_service_free(the.attackers);
    gnt_model_free(the.model);
}

static gnt_status take(void *context, int64_t count, const float *found) {
    (void)context;
    assert_int_equal(count, the.seen.n);
    memcpy(the.found, found, (size_t)(count * PIXELS) * sizeof *found);
    return GNT_OK;
}

static void take_cost(void *context, int32_t restart, int64_t step, double cost) {
    (void)context;
    (void)restart;
    (void)step;
    assert_true(isfinite(cost));
}

static void take_chosen(void *context, int32_t restart, double cost) {
    (void)context;
    (void)restart;
    assert_true(isfinite(cost));
}

static double fact_of(gnt_instance *instance, const char *name) {
    const gnt_fact *fact;
    const int n = gnt_instance_facts(instance, &fact);
    for (int i = 0; i < n; i++)
        if (strcmp(fact[i].name, name) == 0)
            return fact[i].mean;
    return NAN;
}

/* Observes and attacks with one step of the search. */
static void attack(const client *c) {
    char path[4096];
    tried t;
    observe(c);
    assert_int_equal(try_load(&t, built("plugins/attacks/gradient.so", path), GNT_PLUGIN_ATTACK,
                              "invert-gradients", "{\"steps\": 1}", &the.err),
                     0);
    assert_int_equal(try_start(&t, 1, (gnt_instance_spec){.model = the.attackers}, &the.err), 0);
    const gnt_answer answer = {
        .size = sizeof answer, .reconstruction = take, .cost = take_cost, .chosen = take_chosen};
    const gnt_artefacts none = {.size = sizeof none};
    gnt_instance_enter(t.instance, "run");
    gnt_status status =
        gnt_instance_attack(t.instance)->run(gnt_instance_self(t.instance), &the.seen, &none, &answer);
    status = gnt_instance_leave(t.instance, status, &the.err);
    if (status != GNT_OK)
        fail_msg("%s", the.err.text);
    the.features_known = fact_of(t.instance, "features_known");
    the.features_exact = fact_of(t.instance, "features_exact");
    the.order_known = fact_of(t.instance, "order_known");
    print_message("%d steps of %d: %g features, %g exact, %g in order\n", (int)c->steps, (int)c->batch,
                  the.features_known, the.features_exact, the.order_known);
    try_close(&t);
    forget();
}

/* Returns how many answers are nearest to a sample of the step whose place they have. */
static int64_t in_their_step(const client *c) {
    const int64_t n = c->steps * c->batch;
    int64_t right = 0;
    for (int64_t j = 0; j < n; j++) {
        double least = INFINITY;
        int64_t nearest = -1;
        for (int64_t i = 0; i < n; i++) {
            double squares = 0;
            for (int64_t k = 0; k < PIXELS; k++) {
                const double d = (double)x[i * PIXELS + k] - (double)the.found[j * PIXELS + k];
                squares += d * d;
            }
            nearest = squares < least ? i : nearest;
            least = fmin(least, squares);
        }
        right += nearest / c->batch == j / c->batch;
    }
    return right;
}

/* Attacks, and expects all features, each in the step that used it. */
static void expect_all(const client *c) {
    const double n = (double)(c->steps * c->batch);
    attack(c);
    assert_true(the.features_known == n && the.order_known == n);
}

static void samples_of_local_steps_are_determined(void **state) {
    (void)state;
    static const int64_t of[][2] = {{2, 1}, {2, 4}, {2, 8}, {5, 1}, {5, 4}, {5, 8}, {10, 1}, {10, 2}};
    for (int i = 0; i < 8; i++) {
        const client c = {.steps = (int32_t)of[i][0], .batch = of[i][1]};
        expect_all(&c);
        assert_true(in_their_step(&c) >= (int64_t)(0.9 * (double)(c.steps * c.batch)));
    }
}

/* A sample has its place among granted labels only if its label was read right. */
static void their_labels_are_those_granted(void **state) {
    (void)state;
    expect_all(&(client){.steps = 5, .batch = 4, .labels = 1});
}

/* The scale of what a sample adds shows its step's rate. */
static void hidden_rates_hide_no_order(void **state) {
    (void)state;
    static const float drawn[] = {0.142f, 0.026f, 0.196f, 0.088f, 0.044f};
    expect_all(&(client){.steps = 5, .batch = 4, .labels = 1, .rates = drawn});
}

static void momentum_hides_no_order(void **state) {
    (void)state;
    expect_all(&(client){.steps = 3, .batch = 4, .labels = 1, .momentum = 0.5});
}

static void noise_hides_features_of_steps(void **state) {
    (void)state;
    attack(&(client){.steps = 5, .batch = 4, .sigma = 0.01});
    assert_true(isnan(the.features_known) && the.features_exact == 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(samples_of_local_steps_are_determined),
        cmocka_unit_test(their_labels_are_those_granted),
        cmocka_unit_test(hidden_rates_hide_no_order),
        cmocka_unit_test(momentum_hides_no_order),
        cmocka_unit_test(noise_hides_features_of_steps),
    };
    return cmocka_run_group_tests(tests, open_glyphs, NULL);
}
