/* lrp-search: the derivative by the rates' logarithms, what learnt rates recover compared with those granted
 * and the announced one, one local step, the order of samples, what is refused, and its memory. */
#include <malloc.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "../../plugins/attacks/gradient/search/log_rates.c"
#include <cmocka.h>

#include "base/mem.h"
#include "base/random.h"
#include "data/data.h"
#include "nn/model/model.h"
#include "try_plugin.h"

static const char net_json[] = "{\"init\": {\"kind\": \"uniform\", \"bound\": 0.5}, \"layers\": ["
                               "{\"type\": \"conv\", \"name\": \"c1\", \"out\": 6, \"kernel\": 5, "
                               "\"stride\": 2, \"pad\": 2}, {\"type\": \"sigmoid\"},"
                               "{\"type\": \"conv\", \"name\": \"c2\", \"out\": 12, \"kernel\": 5, "
                               "\"stride\": 2, \"pad\": 2}, {\"type\": \"sigmoid\"}, {\"type\": \"flatten\"},"
                               "{\"type\": \"dense\", \"name\": \"fc\", \"out\": \"classes\"}]}";

enum { CLASSES = 10, FEATURES = 28 * 28, MOST = 3, IMAGES = 40 };

typedef struct client { /* one client, what is seen of it, and what an attack made of that */
    gnt_model *model;
    gnt_service *own, *attackers;
    float *weights;
    float x[MOST * FEATURES], y[MOST * CLASSES], rates[MOST];
    gnt_observation seen;
    uint64_t seed;
    float found[MOST * FEATURES];
    double least;
    int64_t steps;
    size_t heap[2]; /* bytes on the heap after a few steps, and after the last */
    gnt_err err;
} client;

static gnt_data *glyphs;

static int open_glyphs(void **state) {
    (void)state;
    gnt_err err = {0};
    gnt_data_spec spec = {.name = "glyphs", .rows = {IMAGES, 1, 1}, .seed = 11};
    return gnt_data_open(&glyphs, &spec, NULL, &err);
}

static int close_glyphs(void **state) {
    (void)state;
    gnt_data_free(glyphs);
    return 0;
}

/* Fresh weights, and n rows from `row` on. */
static void open_client(client *c, int64_t row, int64_t n) {
    memset(c, 0, sizeof *c);
    gnt_nn_shape sample = {3, {1, 28, 28}};
    if (gnt_model_parse(&c->model, "test", net_json, &sample, CLASSES, NULL, NULL, &c->err))
        fail_msg("%s", c->err.text);
    gnt_service_spec spec = {.model = c->model, .name = "test"};
    assert_int_equal(gnt_service_new(&c->own, &spec, &c->err), 0);
    assert_int_equal(gnt_service_new(&c->attackers, &spec, &c->err), 0);
    c->weights = gnt_array((size_t)gnt_model_size(c->model), sizeof *c->weights);
    c->seed = (uint64_t)row + 1;
    gnt_key key = gnt_key_of_seed(c->seed);
    gnt_stream init = gnt_stream_open(&key, "init");
    gnt_model_init(c->model, &init, c->weights, NULL);
    for (int64_t i = 0; i < n; i++) {
        gnt_data_row(glyphs, row + i, c->x + i * FEATURES);
        c->y[i * CLASSES + glyphs->label[row + i]] = 1;
    }
    c->seen = (gnt_observation){.size = sizeof c->seen,
                                .surface = GNT_SURFACE_UPDATE,
                                .goals = GNT_GOAL_RECONSTRUCTION,
                                .attribute = -1,
                                .classes = CLASSES,
                                .n = n,
                                .weights = c->weights,
                                .labels = c->y,
                                .granted = GNT_KNOWS_LABELS};
}

/* The delta of `steps` steps of `batch` samples at rates from 0 to twice `rate`. */
static void train(client *c, int32_t steps, int64_t batch, const int64_t *order, double rate) {
    const gnt_model_service *s = gnt_service_table(c->own);
    gnt_key key = gnt_key_of_seed(c->seed);
    gnt_stream draw = gnt_stream_open(&key, "rates");
    gnt_function_spec spec = {.size = sizeof spec,
                              .kind = GNT_FN_UPDATE,
                              .n = c->seen.n,
                              .steps = steps,
                              .batch = batch,
                              .order = order,
                              .training = -1};
    gnt_function_args args = {
        .size = sizeof args, .x = c->x, .y = c->y, .weights = c->weights, .rates = c->rates};
    for (int32_t i = 0; i < steps; i++)
        c->rates[i] = (float)(2 * rate * gnt_random_uniform(&draw));
    c->seen.update_kind = steps ? GNT_UPDATE_DELTA : GNT_UPDATE_GRADIENT;
    c->seen.steps = steps;
    c->seen.batch = batch;
    c->seen.rate = rate;
    assert_int_equal(s->eval(s->context, s->prepare(s->context, &spec), &args, &c->seen.update), GNT_OK);
}

static void grant_rates(client *c) {
    c->seen.rates = c->rates;
    c->seen.granted |= GNT_KNOWS_RATES;
}

static void forget(client *c) {
    gnt_service_free(c->own);
    gnt_service_free(c->attackers);
    gnt_model_free(c->model);
    gnt_free(c->weights);
}

/* ---- an attack's answer ---- */

static gnt_status take_images(void *context, int64_t count, const float *x) {
    client *c = context;
    assert_int_equal(count, c->seen.n);
    memcpy(c->found, x, (size_t)(count * FEATURES) * sizeof *x);
    return GNT_OK;
}

static void take_cost(void *context, int32_t restart, int64_t step, double cost) {
    client *c = context;
    (void)restart, (void)step, (void)cost;
    c->heap[++c->steps > 3] = mallinfo2().uordblks;
}

static void take_chosen(void *context, int32_t restart, double cost) {
    (void)restart;
    ((client *)context)->least = cost;
}

static gnt_status attack(client *c, const char *id, const char *json, tried *t) {
    char path[4096];
    if (try_load(t, built("plugins/attacks/gradient.so", path), GNT_PLUGIN_ATTACK, id, json, &c->err) ||
        try_start(t, c->seed, (gnt_instance_spec){.model = c->attackers}, &c->err))
        fail_msg("%s", c->err.text);
    gnt_answer answer = {.size = sizeof answer,
                         .context = c,
                         .reconstruction = take_images,
                         .cost = take_cost,
                         .chosen = take_chosen};
    gnt_artefacts none = {.size = sizeof none};
    c->steps = 0;
    gnt_instance_enter(t->instance, "run");
    gnt_status status =
        gnt_instance_attack(t->instance)->run(gnt_instance_self(t->instance), &c->seen, &none, &answer);
    return gnt_instance_leave(t->instance, status, &c->err);
}

/* PSNR in dB of the first image, at most 30: beyond it the image is back, and steps alone say how far. */
static double psnr_of(client *c, const char *id, const char *json) {
    tried t;
    double sum = 0;
    const gnt_status status = attack(c, id, json, &t);
    try_close(&t);
    if (status != GNT_OK)
        fail_msg("%s", c->err.text);
    for (int64_t i = 0; i < FEATURES; i++)
        sum += pow((double)c->found[i] - (double)c->x[i], 2);
    return fmin(30, -10 * log10(sum / FEATURES + 1e-12));
}

/* ---- tests ---- */

/* Checks the gradient of 1 − cos of three unrolled steps, at other images than the client's. */
static void log_rates_have_their_gradient(void **state) {
    (void)state;
    client c;
    open_client(&c, 0, 2);
    train(&c, MOST, 1, NULL, 2);
    const gnt_model_service *s = gnt_service_table(c.attackers);
    const gnt_views *out;
    const gnt_gradient *g;
    const gnt_function_spec spec = {.size = sizeof spec,
                                    .kind = GNT_FN_MATCH,
                                    .cost = GNT_COST_COSINE,
                                    .n = 2,
                                    .steps = MOST,
                                    .batch = 1,
                                    .training = -1,
                                    .vjp = GNT_WRT_RATES};
    gnt_function *f = s->prepare(s->context, &spec);
    const float *observed[16], at[MOST] = {0.4f, -0.9f, 0.2f};
    float rates[MOST], d_s[MOST], other[FEATURES * 2];
    for (int64_t t = 0; t < c.seen.update->n; t++)
        observed[t] = c.seen.update->view[t].data;
    for (int64_t i = 0; i < FEATURES * 2; i++)
        other[i] = 1 - c.x[i];
    const gnt_function_args args = {.size = sizeof args,
                                    .x = other,
                                    .y = c.y,
                                    .weights = c.weights,
                                    .rates = rates,
                                    .observed = observed};
    log_rates_set(at, MOST, c.seen.rate, rates);
    assert_int_equal(s->eval(s->context, f, &args, &out), GNT_OK);
    assert_int_equal(s->vjp(s->context, f, NULL, &g), GNT_OK);
    log_rates_vjp(rates, g->rates, MOST, d_s);
    for (int i = 0; i < MOST; i++) {
        const double h = 0.01;
        double slope = 0;
        for (int up = 0; up < 2; up++) {
            float moved[MOST];
            memcpy(moved, at, sizeof moved);
            moved[i] += (float)(up ? h : -h);
            log_rates_set(moved, MOST, c.seen.rate, rates);
            assert_int_equal(s->eval(s->context, f, &args, &out), GNT_OK);
            slope += (up ? 1 : -1) * (double)out->view[0].data[0] / (2 * h);
        }
        print_message("%d: %g, by differences %g\n", i, (double)d_s[i], slope);
        assert_true(fabs(slope - (double)d_s[i]) < 0.02 * fabs(slope) + 1e-5);
        assert_true(fabs(slope) > 1e-3);
    }
    forget(&c);
}

/* Steps long enough to bend the path, and too short for the first to end it. */
static void learnt_rates_recover_what_known_ones_do(void **state) {
    (void)state;
    enum { TARGETS = 5 };
    double known = 0, learnt = 0, equal = 0;
    for (int64_t row = 0; row < TARGETS; row++) {
        client c;
        open_client(&c, 3 + row, 1);
        train(&c, 3, 1, NULL, 0.02);
        const double l = psnr_of(&c, "lrp-search", "{\"steps\": 1600}");
        const double e = psnr_of(&c, "lrp-search", "{\"steps\": 1600, \"rates\": \"equal\"}");
        grant_rates(&c);
        const double k = psnr_of(&c, "lrp-search", "{\"steps\": 1600, \"rates\": \"known\"}");
        print_message("rates %.2f %.2f %.2f: known %.2f dB, learnt %.2f, equal %.2f\n", (double)c.rates[0],
                      (double)c.rates[1], (double)c.rates[2], k, l, e);
        known += k / TARGETS;
        learnt += l / TARGETS;
        equal += e / TARGETS;
        forget(&c);
    }
    print_message("known %.2f dB, learnt %.2f, equal %.2f\n", known, learnt, equal);
    assert_true(learnt > 0.9 * known && learnt > equal + 1);
}

/* A factor of the update is all that one rate is. */
static void one_step_is_matched_as_by_invert_gradients(void **state) {
    (void)state;
    static const char *const json[] = {"{\"steps\": 30, \"restarts\": 2}",
                                       "{\"steps\": 30, \"restarts\": 2, \"rates\": \"equal\"}"};
    for (int32_t steps = 0; steps < 2; steps++) {
        client c;
        float images[FEATURES];
        open_client(&c, 9, 1);
        train(&c, steps, 1, NULL, 0.5);
        psnr_of(&c, "invert-gradients", json[0]);
        memcpy(images, c.found, sizeof images);
        const double least = c.least;
        for (int which = 0; which < 2; which++) {
            psnr_of(&c, "lrp-search", json[which]);
            assert_memory_equal(images, c.found, sizeof images);
            assert_true(c.least == least);
        }
        forget(&c);
    }
}

static void known_rates_want_their_grant(void **state) {
    (void)state;
    client c;
    tried t;
    open_client(&c, 10, 1);
    train(&c, 2, 1, NULL, 0.5);
    assert_int_equal(attack(&c, "lrp-search", "{\"rates\": \"known\"}", &t), GNT_UNSUPPORTED);
    try_close(&t);
    assert_non_null(strstr(c.err.text, "grant them (rates), or take \"learnt\""));
    forget(&c);
}

/* An attack that counts as one that knows the defense must not act as if it did not. */
static void equal_rates_do_not_go_with_the_defense(void **state) {
    (void)state;
    client c;
    tried t;
    open_client(&c, 10, 1);
    train(&c, 2, 1, NULL, 0.5);
    c.seen.granted |= GNT_KNOWS_DEFENSE;
    assert_int_equal(attack(&c, "lrp-search", "{\"rates\": \"equal\", \"steps\": 10}", &t), GNT_UNSUPPORTED);
    try_close(&t);
    assert_int_equal(attack(&c, "lrp-search", "{\"steps\": 10}", &t), GNT_OK);
    try_close(&t);
    forget(&c);
}

/* Granted rates are the business of `known` alone. */
static void learnt_rates_do_not_look_at_granted_ones(void **state) {
    (void)state;
    client c;
    open_client(&c, 12, 1);
    train(&c, 2, 1, NULL, 1);
    psnr_of(&c, "lrp-search", "{\"steps\": 3}");
    const double least = c.least;
    grant_rates(&c);
    psnr_of(&c, "lrp-search", "{\"steps\": 3}");
    assert_true(c.least == least);
    psnr_of(&c, "lrp-search", "{\"steps\": 3, \"rates\": \"known\"}");
    assert_true(c.least != least);
    forget(&c);
}

/* Two samples in three steps, not in the order that is taken for granted: the match is as close as it gets
 * with the right one alone. */
static void steps_are_unrolled_in_the_order_granted(void **state) {
    (void)state;
    static const int64_t order[MOST] = {1, 1, 0};
    static const int32_t granted[MOST] = {1, 1, 0};
    client c;
    double cost[2];
    open_client(&c, 14, 2);
    train(&c, MOST, 1, order, 1);
    grant_rates(&c);
    for (int which = 0; which < 2; which++) {
        c.seen.order = which ? granted : NULL;
        psnr_of(&c, "lrp-search", "{\"steps\": 200, \"tv\": 0, \"rates\": \"known\"}");
        cost[which] = c.least;
    }
    print_message("in the order of samples %g, in the order granted %g\n", cost[0], cost[1]);
    assert_true(cost[1] < 0.3 * cost[0]);
    forget(&c);
}

static void steps_of_the_search_take_no_memory(void **state) {
    (void)state;
    client c;
    tried t;
    open_client(&c, 16, 1);
    train(&c, 3, 1, NULL, 1);
    assert_int_equal(attack(&c, "lrp-search", "{\"steps\": 40}", &t), GNT_OK);
    assert_int_equal(c.steps, 40);
    assert_int_equal(c.heap[0], c.heap[1]);
#ifndef __SANITIZE_ADDRESS__ /* whose allocator does not report it */
    assert_true(c.heap[0] > 0);
#endif
    const size_t peak = gnt_instance_peak_scratch(t.instance);
    try_close(&t);
    assert_int_equal(attack(&c, "lrp-search", "{\"steps\": 10}", &t), GNT_OK);
    assert_true(gnt_instance_peak_scratch(t.instance) == peak);
    assert_true(try_fact(&t, "rates_spread") > 0 && try_fact(&t, "rates_mean") > 0);
    try_close(&t);
    forget(&c);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(log_rates_have_their_gradient),
        cmocka_unit_test(learnt_rates_recover_what_known_ones_do),
        cmocka_unit_test(one_step_is_matched_as_by_invert_gradients),
        cmocka_unit_test(known_rates_want_their_grant),
        cmocka_unit_test(equal_rates_do_not_go_with_the_defense),
        cmocka_unit_test(learnt_rates_do_not_look_at_granted_ones),
        cmocka_unit_test(steps_are_unrolled_in_the_order_granted),
        cmocka_unit_test(steps_of_the_search_take_no_memory),
    };
    return cmocka_run_group_tests(tests, open_glyphs, close_glyphs);
}
