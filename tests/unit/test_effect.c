/* Outputs of a model depend on noise that hooks added to updates, or do not. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "base/mem.h"
#include "job/effect.h"
#include "must_work.h"

enum { PIXELS = 20, BLACK = 8, UNITS = 6, CLASSES = 3, SAMPLES = 30, MOST = 400 };

static const char net[] =
    "{\"layers\": [{\"type\": \"flatten\"}, {\"type\": \"dense\", \"name\": \"a\", \"out\": 6},"
    "{\"type\": \"relu\"}, {\"type\": \"dense\", \"name\": \"b\", \"out\": \"classes\"}]}";

typedef struct bench {
    gnt_model *model;
    gnt_tensors tensors;
    gnt_key key;
    gnt_stream random;
    float x[SAMPLES * PIXELS], weights[MOST], added[MOST], buffers[1];
    gnt_sampleset test;
} bench;

/* A network with random weights, and samples whose first pixels are black. */
static void open_bench(bench *b) {
    const gnt_nn_shape sample = {3, {1, 4, PIXELS / 4}};
    memset(b, 0, sizeof *b);
    b->key = gnt_key_of_seed(8);
    b->random = gnt_stream_open(&b->key, "samples");
    MUST_WORK(gnt_model_parse(&b->model, "net", net, &sample, CLASSES, NULL, NULL, err));
    MUST_WORK(gnt_fl_tensors(&b->tensors, b->model, err));
    assert_true(gnt_model_size(b->model) <= MOST);
    gnt_model_init(b->model, &b->random, b->weights, b->buffers);
    for (int i = 0; i < SAMPLES * PIXELS; i++)
        b->x[i] = i % PIXELS < BLACK ? 0 : (float)gnt_random_uniform(&b->random);
    b->test.x = b->x;
    b->test.view = (gnt_samples){.size = sizeof b->test.view, .n = SAMPLES, .features = PIXELS, .x = b->x};
}

static void close_bench(bench *b) {
    gnt_free(b->tensors.tensor);
    gnt_model_free(b->model);
}

/* Returns whether noise of that energy, in units of the updates', is without an effect. */
static int is_none(bench *b, double energy, gnt_err *says) {
    gnt_effect e = {0};
    const gnt_effect_spec spec = {.model = b->model, .test = &b->test, .key = &b->key};
    const gnt_fl_round round = {.round = 2, .plain = 1, .added = energy};
    const gnt_fl_step step = {.next = b->weights, .buffers = b->buffers, .added = b->added};
    MUST_WORK(gnt_effect_add(&e, &spec, &round, &step, err));
    return gnt_effect_is_none(&e, says);
}

/* Noise in each entry: the order makes no difference. */
static void noise_has_an_effect(void **state) {
    bench b;
    gnt_err says;
    (void)state;
    open_bench(&b);
    for (int64_t i = 0; i < gnt_model_size(b.model); i++)
        b.added[i] = 0.1f * (float)gnt_random_normal(&b.random);
    assert_false(is_none(&b, 4, &says));
    close_bench(&b);
}

/* In the weights of black pixels, if it is much; with as much in the other weights it costs utility. */
static void weights_of_black_pixels_have_none(void **state) {
    bench b;
    gnt_err says;
    (void)state;
    open_bench(&b);
    for (int64_t i = 0; i < b.tensors.tensor[0].count; i++)
        b.added[i] = i % PIXELS < BLACK ? (float)gnt_random_normal(&b.random) : 0;
    assert_true(is_none(&b, 4, &says));
    assert_non_null(strstr(says.text, "changes the model's outputs by 0 of what"));
    assert_false(is_none(&b, 0.2, &says));
    for (int64_t i = 0; i < b.tensors.tensor[0].count; i++)
        b.added[i] = (float)gnt_random_normal(&b.random);
    assert_false(is_none(&b, 4, &says));
    close_bench(&b);
}

/* A softmax does not see what all rows of the last layer have in common. */
static void common_rows_have_none(void **state) {
    bench b;
    gnt_err says;
    (void)state;
    open_bench(&b);
    float *last = b.added + gnt_model_size(b.model) - CLASSES * (UNITS + 1);
    for (int u = 0; u < UNITS; u++)
        for (int c = 0; c < CLASSES; c++)
            last[c * UNITS + u] = c ? last[u] : (float)gnt_random_normal(&b.random);
    assert_true(is_none(&b, 4, &says));
    close_bench(&b);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(noise_has_an_effect),
        cmocka_unit_test(weights_of_black_pixels_have_none),
        cmocka_unit_test(common_rows_have_none),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
