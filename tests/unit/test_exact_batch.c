/* linear-layer on batches and local steps, the built attack: how many samples the update determines, and
 * that what is a mixture, or noisy, is not taken for a sample. */
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

enum { PIXELS = 28 * 28, ROWS = 400, MOST = 64, MOST_CLASSES = 10, FIRST = 300 };

typedef struct client {
    const char *activation; /* NULL: ReLU */
    int64_t units, classes, n, batch;
    int32_t steps;
    const float *rates; /* NULL: 0.01 each */
    double momentum, decay, sigma, mean, deviation;
    int64_t row;     /* of its first sample */
    int32_t trained; /* steps that the broadcast model had before */
    int grey;        /* no pixel is 0 or 1 */
    const char *json;
} client;

typedef struct seen_client {
    local_client of;
    float x[MOST * PIXELS], found[MOST * PIXELS];
    int64_t count;
    double exact; /* the fact */
} seen_client;

static gnt_data *glyphs;
static seen_client the;

static int open_glyphs(void **state) {
    (void)state;
    gnt_err err = {0};
    gnt_data_spec spec = {.name = "glyphs", .rows = {ROWS, 1, 1}, .seed = 11};
    return gnt_data_open(&glyphs, &spec, NULL, &err);
}

static int close_glyphs(void **state) {
    (void)state;
    gnt_data_free(glyphs);
    return 0;
}

static void load(const client *c, int64_t row, int64_t n, float *x, float *y) {
    for (int64_t i = 0; i < n; i++) {
        gnt_data_row(glyphs, (row + i) % ROWS, x + i * PIXELS);
        for (int64_t k = 0; c->grey && k < PIXELS; k++)
            x[i * PIXELS + k] = 0.2f + 0.6f * x[i * PIXELS + k];
        memset(y + i * c->classes, 0, (size_t)c->classes * sizeof *y);
        y[i * c->classes + glyphs->label[(row + i) % ROWS] % c->classes] = 1;
    }
}

static void train(const client *c) {
    static float x[FIRST * PIXELS], y[FIRST * MOST_CLASSES], rates[1000];
    for (int32_t i = 0; i < c->trained; i++)
        rates[i] = 0.1f;
    load(c, ROWS - FIRST, FIRST, x, y);
    const gnt_function_spec spec = {.n = FIRST, .steps = c->trained, .batch = 20};
    const gnt_views *u = update_of(&the.of, the.of.attackers, spec, x, y, rates);
    float *w = the.of.weights;
    for (int64_t t = 0; t < u->n; t++)
        for (int64_t k = 0; k < u->view[t].count; k++)
            *w++ += u->view[t].data[k];
}

static void observe(const client *c) {
    char json[400];
    float y[MOST * MOST_CLASSES], rates[64];
    const double *mean = c->mean != 0 ? &c->mean : NULL, *deviation = mean ? &c->deviation : NULL;
    memset(&the, 0, sizeof the);
    snprintf(json, sizeof json,
             "{\"init\": \"kaiming\", \"layers\": [{\"type\": \"flatten\"}, {\"type\": \"dense\", \"name\": "
             "\"fc1\", \"out\": %d}, {\"type\": \"%s\"}, {\"type\": \"dense\", \"name\": \"fc2\", \"out\": "
             "\"classes\"}]}",
             (int)c->units, c->activation ? c->activation : "relu");
    open_client(&the.of, json, c->classes, mean, deviation, 70 + (uint64_t)c->row);
    if (c->trained)
        train(c);
    load(c, c->row, c->n, the.x, y);
    for (int32_t i = 0; i < c->steps; i++)
        rates[i] = c->rates ? c->rates[i] : 0.01f;
    const gnt_function_spec spec = {.n = c->n,
                                    .steps = c->steps,
                                    .batch = c->batch ? c->batch : c->n,
                                    .momentum = c->momentum,
                                    .decay = c->decay};
    send_update(&the.of, spec, the.x, y, rates, c->classes, c->sigma);
    the.of.seen.rate = 0.01;
}

static gnt_status take(void *context, int64_t count, const float *x) {
    (void)context;
    assert_in_range(count, 1, the.of.seen.n);
    memcpy(the.found, x, (size_t)(count * PIXELS) * sizeof *x);
    the.count = count;
    return GNT_OK;
}

static void attack(const char *json) {
    const gnt_answer answer = {.size = sizeof answer, .reconstruction = take};
    tried t;
    attack_client(&the.of, &t, "linear-layer", json, &answer);
    the.exact = fmax(try_fact(&t, "samples_exact"), 0); /* 0 where it does not search */
    try_close(&t);
}

/* Returns how many samples were found at this PSNR at least. */
static int64_t found_at(double psnr) {
    int64_t n = 0;
    for (int64_t i = 0; i < the.of.seen.n; i++) {
        double least = 1;
        for (int64_t j = 0; j < the.count; j++) {
            double sum = 0;
            for (int64_t k = 0; k < PIXELS; k++) {
                const double d = (double)the.x[i * PIXELS + k] - (double)the.found[j * PIXELS + k];
                sum += d * d / PIXELS;
            }
            least = fmin(least, sum);
        }
        n += -10 * log10(least + 1e-12) >= psnr;
    }
    return n;
}

/* Observes and attacks. Returns how many samples come back at 50 dB: as many as the attack calls exact, or
 * more. */
static int64_t exact_of(const client *c) {
    observe(c);
    attack(c->json);
    const int64_t n = found_at(50);
    print_message("%d units, %d classes, %d samples, %d steps: %d exact, %g by the fact\n", (int)c->units,
                  (int)c->classes, (int)c->n, (int)c->steps, (int)n, the.exact);
    assert_true(the.exact <= (double)n);
    close_client(&the.of);
    return n;
}

static void expect_all(const client *c) {
    assert_int_equal(exact_of(c), c->n);
    assert_int_equal((int64_t)the.exact, c->n);
}

/* Rates that were drawn from U(0, 0.02), step by step; 0.01 is announced. */
static const float drawn[] = {0.0142f, 0.0026f, 0.0196f, 0.0088f, 0.0044f,
                              0.0126f, 0.0174f, 0.0062f, 0.0110f, 0.0078f};

/* Units of two classes see two samples in the same proportion, so that mixtures agree too. */
static void two_samples_of_two_classes_come_back(void **state) {
    (void)state;
    for (int64_t row = 0; row < 10; row += 2) {
        const client c = {.units = 32, .classes = 2, .n = 2, .row = row};
        expect_all(&c);
    }
}

static void a_batch_comes_back(void **state) {
    (void)state;
    client c = {.units = 64, .classes = 10, .n = 8, .row = 5};
    expect_all(&c);
    c.classes = 2;
    expect_all(&c);
    c.mean = c.deviation = 0.3;
    expect_all(&c);
}

/* Training leaves most units on for all samples: they are found by their pixels, most of the time all. */
static void a_batch_comes_back_from_a_trained_model(void **state) {
    (void)state;
    client c = {.units = 64, .classes = 10, .n = 8, .row = 25, .trained = 400};
    assert_true(exact_of(&c) >= 6);
    c.mean = c.deviation = 0.3;
    expect_all(&c);
}

/* The samples that took the shortest of ten steps are the hardest to find. */
static void drawn_rates_of_local_steps_hide_nothing(void **state) {
    (void)state;
    static const int32_t steps[] = {2, 3, 5, 10};
    for (int i = 0; i < 4; i++) {
        client c = {.units = 64, .classes = 10, .n = steps[i], .batch = 1, .steps = steps[i], .rates = drawn};
        c.row = 40;
        c.mean = c.deviation = 0.3;
        c.json = "{\"exact\": 2}";
        if (c.n < 5)
            expect_all(&c);
        else
            assert_true(exact_of(&c) >= (c.n < 10 ? 4 : 5));
    }
}

static void momentum_hides_nothing(void **state) {
    (void)state;
    const client c = {.units = 64,
                      .classes = 10,
                      .n = 4,
                      .batch = 2,
                      .steps = 4,
                      .rates = drawn,
                      .row = 20,
                      .momentum = 0.9};
    expect_all(&c);
}

/* The announced rate is not the client's. */
static void weight_decay_at_unknown_rates_is_taken_off(void **state) {
    (void)state;
    const client c = {
        .units = 64, .classes = 10, .n = 3, .batch = 1, .steps = 3, .rates = drawn, .row = 20, .decay = 0.1};
    expect_all(&c);
}

/* Samples with pixels that are 0 are determined without ReLU. */
static void black_pixels_distinguish_samples(void **state) {
    (void)state;
    const client c = {.units = 64, .classes = 10, .n = 4, .row = 5, .activation = "tanh"};
    expect_all(&c);
}

/* Attacks with and without the search; the answers are to be the same. */
static void expect_nothing(const client *c) {
    static float plain[MOST * PIXELS];
    observe(c);
    attack("{\"exact\": 0}");
    const int64_t count = the.count;
    memcpy(plain, the.found, (size_t)(count * PIXELS) * sizeof *plain);
    attack("{\"exact\": 0.2}");
    assert_true(the.exact == 0);
    assert_int_equal(the.count, count);
    assert_memory_equal(plain, the.found, (size_t)(count * PIXELS) * sizeof *plain);
    close_client(&the.of);
}

/* Every unit sees every sample, and no pixel is 0 or 1. */
static void mixtures_are_not_taken_for_samples(void **state) {
    (void)state;
    client c = {.units = 64, .classes = 10, .n = 4, .row = 5, .activation = "tanh", .grey = 1};
    expect_nothing(&c);
    c.classes = 2;
    expect_nothing(&c);
}

static void noise_is_not_taken_for_samples(void **state) {
    (void)state;
    for (int64_t n = 2; n <= 8; n *= 2) {
        const client c = {.units = 64, .classes = 10, .n = n, .row = 5, .sigma = 0.03};
        expect_nothing(&c);
    }
}

/* The error that a little noise causes is known. */
static void a_little_noise_is_reckoned_with(void **state) {
    (void)state;
    static const double sigma[] = {1e-6, 1e-5, 1e-4, 1e-3};
    int64_t last = 4;
    for (int i = 0; i < 4; i++) {
        client c = {.units = 64, .classes = 10, .n = 4, .row = 5, .sigma = sigma[i]};
        c.json = "{\"exact\": 0.5}";
        const int64_t n = exact_of(&c);
        assert_true(n <= last);
        last = n;
        if (i == 0)
            assert_int_equal((int64_t)the.exact, 4);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(two_samples_of_two_classes_come_back),
        cmocka_unit_test(a_batch_comes_back),
        cmocka_unit_test(a_batch_comes_back_from_a_trained_model),
        cmocka_unit_test(drawn_rates_of_local_steps_hide_nothing),
        cmocka_unit_test(momentum_hides_nothing),
        cmocka_unit_test(weight_decay_at_unknown_rates_is_taken_off),
        cmocka_unit_test(black_pixels_distinguish_samples),
        cmocka_unit_test(mixtures_are_not_taken_for_samples),
        cmocka_unit_test(noise_is_not_taken_for_samples),
        cmocka_unit_test(a_little_noise_is_reckoned_with),
    };
    return cmocka_run_group_tests(tests, open_glyphs, close_glyphs);
}
