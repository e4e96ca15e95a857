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

#include "data/data.h"
#include "local_client.h"

enum { C2_BIAS = 4 * 25 + 4 + 16 * 4 * 25 }; /* its first entry in the flat weights */
enum { PIXELS = 28 * 28, CLASSES = 10, MOST = 40, PUBLIC = 80, ROWS = MOST + PUBLIC };

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
    float bias;         /* added to those of the last convolution: the more, the fewer features are 0 */
} client;

typedef struct seen_client {
    local_client of;
    gnt_samples public_data;
    float found[MOST * PIXELS];
    double features_known, features_exact, order_known;
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
    float rates[16];
    memset(&the, 0, sizeof the);
    open_client(&the.of, conv_json, CLASSES, NULL, NULL, 9);
    for (int i = 0; i < 16; i++)
        the.of.weights[C2_BIAS + i] += c->bias;
    for (int32_t i = 0; i < c->steps; i++)
        rates[i] = c->rates ? c->rates[i] : 0.1f;
    const gnt_function_spec spec = {
        .n = c->steps * c->batch, .steps = c->steps, .batch = c->batch, .momentum = c->momentum};
    send_update(&the.of, spec, x, y, rates, CLASSES, c->sigma);
    the.public_data = (gnt_samples){.size = sizeof the.public_data,
                                    .n = PUBLIC,
                                    .features = PIXELS,
                                    .classes = CLASSES,
                                    .x = x + MOST * PIXELS,
                                    .y = y + MOST * CLASSES};
    the.of.seen.rate = 0.1f;
    the.of.seen.labels = c->labels ? y : NULL;
    the.of.seen.public_data = &the.public_data;
}

static gnt_status take(void *context, int64_t count, const float *found) {
    (void)context;
    assert_int_equal(count, the.of.seen.n);
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

/* Observes and attacks with one step of the search. */
static void attack(const client *c) {
    const gnt_answer answer = {
        .size = sizeof answer, .reconstruction = take, .cost = take_cost, .chosen = take_chosen};
    tried t;
    observe(c);
    attack_client(&the.of, &t, "invert-gradients", "{\"steps\": 1}", &answer);
    the.features_known = try_fact(&t, "features_known");
    the.features_exact = try_fact(&t, "features_exact");
    the.order_known = try_fact(&t, "order_known");
    print_message("%d steps of %d: %g features, %g exact, %g in order\n", (int)c->steps, (int)c->batch,
                  the.features_known, the.features_exact, the.order_known);
    try_close(&t);
    close_client(&the.of);
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

/* With few features that are 0, random objectives find a part of the samples; objectives from the features of
 * public images find nearly all. */
static void few_zeros_hide_few_samples(void **state) {
    (void)state;
    attack(&(client){.steps = 5, .batch = 8, .bias = 0.085f});
    assert_true(the.features_known >= 36);
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
        cmocka_unit_test(few_zeros_hide_few_samples),
        cmocka_unit_test(noise_hides_features_of_steps),
    };
    return cmocka_run_group_tests(tests, open_glyphs, NULL);
}
