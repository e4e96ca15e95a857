/* Labels of a batch read off the gradient of its last dense layer: how many samples of each class, repeats
 * included, of fresh and of trained networks, and what noise does to it. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "../../plugins/attacks/gradient/label/label_scores.c"
#include "../../plugins/attacks/gradient/label/label_batch.c"
#include "../../plugins/attacks/gradient/label/label_fit.c"
#include <cmocka.h>

#include "base/mem.h"
#include "base/random.h"
#include "data/data.h"
#include "nn/model/model.h"
#include "plugin/model_service.h"

enum { CLASSES = 10, FEATURES = 28 * 28, MOST = 16, IMAGES = 400, KEPT = 96 };

static const char sigmoid_json[] =
    "{\"init\": {\"kind\": \"uniform\", \"bound\": 0.5}, \"layers\": ["
    "{\"type\": \"conv\", \"name\": \"c1\", \"out\": 12, \"kernel\": 5, \"stride\": 2, \"pad\": 2},"
    "{\"type\": \"sigmoid\"},"
    "{\"type\": \"conv\", \"name\": \"c2\", \"out\": 12, \"kernel\": 5, \"stride\": 2, \"pad\": 2},"
    "{\"type\": \"sigmoid\"}, {\"type\": \"flatten\"},"
    "{\"type\": \"dense\", \"name\": \"fc\", \"out\": \"classes\"}]}";
#define MLP(activation, bias)                                                                                \
    "{\"init\": \"kaiming\", \"layers\": [{\"type\": \"flatten\"},"                                          \
    "{\"type\": \"dense\", \"name\": \"fc1\", \"out\": 64}, {\"type\": \"" activation "\"},"                 \
    "{\"type\": \"dense\", \"name\": \"fc2\", \"out\": \"classes\", \"bias\": " bias "}]}"

typedef struct bench { /* a network, and a host that only has what labels need */
    gnt_model *model;
    gnt_service *service;
    gnt_host host;
    float *weights;
    gnt_stream stream;
    void *kept[KEPT];
    int n_kept;
    int64_t polls; /* one for each time that labels are judged after a move */
    gnt_observation seen;
    gnt_views update;
    gnt_view view[8];
    float x[MOST * FEATURES], y[MOST * CLASSES];
    int64_t truth[CLASSES];
} bench;

static gnt_data *glyphs;

static int open_glyphs(void **state) {
    (void)state;
    gnt_err err = {0};
    gnt_data_spec spec = {.name = "glyphs", .rows = {IMAGES, 1, 1}, .seed = 9};
    return gnt_data_open(&glyphs, &spec, NULL, &err);
}

static int close_glyphs(void **state) {
    (void)state;
    gnt_data_free(glyphs);
    return 0;
}

static void *scratch(void *context, size_t bytes) {
    bench *b = context;
    assert_true(b->n_kept < KEPT);
    return b->kept[b->n_kept++] = calloc(1, bytes ? bytes : 1);
}

static void uniform(void *context, const char *name, int64_t n, double *out) {
    (void)name;
    for (int64_t i = 0; i < n; i++)
        out[i] = gnt_random_uniform(&((bench *)context)->stream);
}

static int32_t go_on(void *context) {
    ((bench *)context)->polls++;
    return 0;
}

static gnt_status refuse(void *context, const char *text) {
    (void)context;
    print_message("%s\n", text);
    return GNT_FAILED;
}

static const char *no_error(void *context) {
    (void)context;
    return "";
}

static void open_bench(bench *b, const char *json, uint64_t seed) {
    memset(b, 0, sizeof *b);
    gnt_err err = {0};
    gnt_nn_shape sample = {3, {1, 28, 28}};
    if (gnt_model_parse(&b->model, "test", json, &sample, CLASSES, NULL, NULL, &err))
        fail_msg("%s", err.text);
    gnt_service_spec spec = {.model = b->model, .name = "test"};
    assert_int_equal(gnt_service_new(&b->service, &spec, &err), 0);
    b->weights = gnt_array((size_t)gnt_model_size(b->model), sizeof *b->weights);
    gnt_key key = gnt_key_of_seed(seed);
    gnt_stream init = gnt_stream_open(&key, "init");
    gnt_model_init(b->model, &init, b->weights, NULL);
    b->stream = gnt_stream_open(&key, "test");
    b->host = (gnt_host){.size = sizeof b->host,
                         .context = b,
                         .should_stop = go_on,
                         .fail = refuse,
                         .last_error = no_error,
                         .uniform = uniform,
                         .scratch = scratch,
                         .model = gnt_service_table(b->service)};
}

static void close_bench(bench *b) {
    gnt_service_free(b->service);
    gnt_model_free(b->model);
    gnt_free(b->weights);
}

/* Plain gradient descent on batches of glyphs. */
static void train(bench *b, int steps) {
    const gnt_model_service *s = b->host.model;
    gnt_function_spec spec = {
        .size = sizeof spec, .kind = GNT_FN_UPDATE, .n = MOST, .steps = 1, .batch = MOST, .training = -1};
    gnt_function *f = s->prepare(s->context, &spec);
    float rate = 0.1f;
    gnt_function_args args = {
        .size = sizeof args, .x = b->x, .y = b->y, .weights = b->weights, .rates = &rate};
    for (int k = 0; k < steps; k++) {
        const gnt_views *u;
        memset(b->y, 0, sizeof b->y);
        for (int64_t i = 0; i < MOST; i++) {
            int64_t row = (k * MOST + i) % (IMAGES / 2);
            gnt_data_row(glyphs, row, b->x + i * FEATURES);
            b->y[i * CLASSES + glyphs->label[row]] = 1;
        }
        assert_int_equal(s->eval(s->context, f, &args, &u), GNT_OK);
        float *w = b->weights;
        for (int64_t t = 0; t < u->n; w += u->view[t++].count)
            for (int64_t i = 0; i < u->view[t].count; i++)
                w[i] += u->view[t].data[i];
    }
    s->release(s->context, f);
}

/* n glyphs from a random place, `same` of them copies of the first one's class; the update of `steps` local
 * steps, 0: the gradient. */
static void observe(bench *b, int64_t n, int64_t same, int32_t steps) {
    const gnt_model_service *s = b->host.model;
    const gnt_views *u;
    float rates[4] = {0.01f, 0.01f, 0.01f, 0.01f};
    int first = -1;
    memset(b->y, 0, sizeof b->y);
    memset(b->truth, 0, sizeof b->truth);
    for (int64_t i = 0; i < n; i++) {
        int64_t row;
        do
            row = IMAGES / 2 + (int64_t)gnt_random_below(&b->stream, IMAGES / 2);
        while (i < same && first >= 0 && glyphs->label[row] != first);
        first = first < 0 ? glyphs->label[row] : first;
        gnt_data_row(glyphs, row, b->x + i * FEATURES);
        b->y[i * CLASSES + glyphs->label[row]] = 1;
        b->truth[glyphs->label[row]]++;
    }
    gnt_function_spec spec = {
        .size = sizeof spec, .kind = GNT_FN_UPDATE, .n = n, .steps = steps, .batch = n, .training = -1};
    gnt_function_args args = {
        .size = sizeof args, .x = b->x, .y = b->y, .weights = b->weights, .rates = rates};
    gnt_function *f = s->prepare(s->context, &spec);
    assert_int_equal(s->eval(s->context, f, &args, &u), GNT_OK);
    b->update = (gnt_views){u->n, b->view};
    for (int64_t t = 0; t < u->n; t++) {
        float *copy = scratch(b, (size_t)u->view[t].count * sizeof *copy);
        memcpy(copy, u->view[t].data, (size_t)u->view[t].count * sizeof *copy);
        b->view[t] = u->view[t];
        b->view[t].data = copy;
    }
    s->release(s->context, f);
    b->seen = (gnt_observation){.size = sizeof b->seen,
                                .update_kind = steps ? GNT_UPDATE_DELTA : GNT_UPDATE_GRADIENT,
                                .steps = steps,
                                .n = n,
                                .batch = n,
                                .rate = 0.01,
                                .weights = b->weights,
                                .update = &b->update};
}

static void forget(bench *b) {
    for (int i = 0; i < b->n_kept; i++)
        free(b->kept[i]);
    b->n_kept = 0;
}

typedef struct reading { /* batches read right, and samples in all and given a class that is there */
    int batches, samples, of;
} reading;

static void read_batch(bench *b, reading *t) {
    const outliers none = {0};
    int64_t count[CLASSES], sum = 0;
    assert_int_equal(label_counts(&b->host, &b->seen, &none, INT64_MAX, count), GNT_OK);
    for (int c = 0; c < CLASSES; c++) {
        assert_true(count[c] >= 0);
        sum += count[c];
        t->samples += (int)(count[c] < b->truth[c] ? count[c] : b->truth[c]);
    }
    assert_int_equal(sum, b->seen.n);
    t->of += (int)sum;
    t->batches += memcmp(count, b->truth, sizeof count) == 0;
}

/* 28 batches of 2 … 8, alternately with and without a class that repeats. */
static reading read_batches(bench *b, const char *what, int32_t steps) {
    reading t = {0};
    for (int k = 0; k < 28; k++) {
        observe(b, 2 + k % 7, k % 2 ? 1 + k % 7 : 0, steps);
        read_batch(b, &t);
        forget(b);
    }
    print_message("%s: %d of 28 batches, %d of %d samples\n", what, t.batches, t.samples, t.of);
    return t;
}

static void batches_of_fresh_networks_are_read(void **state) {
    (void)state;
    static const char *const json[] = {sigmoid_json, MLP("relu", "true"), MLP("tanh", "true")};
    static const char *const names[] = {"sigmoid", "relu", "tanh"};
    for (int which = 0; which < 3; which++) {
        bench b;
        open_bench(&b, json[which], 1);
        assert_int_equal(read_batches(&b, names[which], 0).batches, 28);
        close_bench(&b);
    }
}

/* Row sums alone reveal no scale; most labels come out all the same. */
static void a_layer_without_bias_is_read_too(void **state) {
    (void)state;
    bench b;
    open_bench(&b, MLP("relu", "false"), 1);
    reading t = read_batches(&b, "no bias", 0);
    assert_true(10 * t.samples > 8 * t.of);
    close_bench(&b);
}

/* The surer a network is, the less of a sample is in its gradient. */
static void batches_of_trained_networks_are_read(void **state) {
    (void)state;
    static const struct { int steps, batches, percent; } trained[] = {{50, 27, 98}, {200, 12, 80}};
    for (size_t i = 0; i < sizeof trained / sizeof *trained; i++) {
        bench b;
        char what[32];
        open_bench(&b, MLP("relu", "true"), 3);
        train(&b, trained[i].steps);
        snprintf(what, sizeof what, "%d steps", trained[i].steps);
        reading t = read_batches(&b, what, 0);
        assert_true(t.batches >= trained[i].batches && 100 * t.samples >= trained[i].percent * t.of);
        close_bench(&b);
    }
}

/* A budget of few steps bounds what is spent on labels before the first of them. */
static void labels_are_judged_no_more_often_than_the_search_steps(void **state) {
    (void)state;
    static const int64_t most[] = {0, 7, INT64_MAX};
    const outliers none = {0};
    int64_t count[CLASSES], polls[3] = {0};
    bench b;
    open_bench(&b, MLP("relu", "true"), 3);
    train(&b, 200);
    for (int k = 0; k < 14; k++) {
        observe(&b, 8, 0, 0);
        for (int i = 0; i < 3; i++) {
            b.polls = 0;
            assert_int_equal(label_counts(&b.host, &b.seen, &none, most[i], count), GNT_OK);
            polls[i] = b.polls > polls[i] ? b.polls : polls[i];
        }
        forget(&b);
    }
    print_message("judged at most %ld times, without a bound %ld\n", (long)polls[1], (long)polls[2]);
    assert_int_equal(polls[0], 0);
    assert_int_equal(polls[1], 7);
    assert_true(polls[2] > 7);
    close_bench(&b);
}

/* Sign and scale of a delta of three local steps. */
static void weight_deltas_are_read(void **state) {
    (void)state;
    bench b;
    open_bench(&b, MLP("relu", "true"), 4);
    assert_true(read_batches(&b, "deltas", 3).batches >= 27);
    close_bench(&b);
}

/* A defense zeroed the last weights wholly: the bias and what the network makes of noise are left. */
static void a_bias_alone_reveals_the_labels(void **state) {
    (void)state;
    static const char *const json[] = {sigmoid_json, MLP("relu", "true"), MLP("tanh", "true")};
    for (int which = 0; which < 3; which++) {
        bench b;
        reading t = {0};
        open_bench(&b, json[which], 7);
        for (int k = 0; k < 14; k++) {
            observe(&b, 2 + k % 7, k % 2 ? 1 + k % 7 : 0, 0);
            for (int64_t v = 0; v < b.update.n; v++)
                if (b.view[v].rank == 2 && b.view[v].dim[0] == CLASSES)
                    memset((float *)(uintptr_t)b.view[v].data, 0,
                           (size_t)b.view[v].count * sizeof *b.view[v].data);
            read_batch(&b, &t);
            forget(&b);
        }
        print_message("bias alone: %d of 14 batches, %d of %d samples\n", t.batches, t.samples, t.of);
        assert_true(t.batches >= 13);
        close_bench(&b);
    }
}

/* Noise of a deviation of 0.02 in every entry; a sample of a batch of four moves a bias entry by 0.25. */
static void noise_moves_few_labels(void **state) {
    (void)state;
    bench b;
    reading t = {0};
    open_bench(&b, sigmoid_json, 5);
    for (int k = 0; k < 14; k++) {
        observe(&b, 2 + k % 3, 0, 0);
        for (int64_t v = 0; v < b.update.n; v++)
            for (int64_t i = 0; i < b.view[v].count; i++)
                ((float *)(uintptr_t)b.view[v].data)[i] += 0.02f * (float)gnt_random_normal(&b.stream);
        read_batch(&b, &t);
        forget(&b);
    }
    print_message("noise: %d of 14 batches, %d of %d samples\n", t.batches, t.samples, t.of);
    assert_true(10 * t.samples >= 9 * t.of);
    close_bench(&b);
}

/* The derivative of what inputs leave unexplained, by central differences, with and without the bias. */
static void what_is_left_has_its_gradient(void **state) {
    (void)state;
    enum { N = 3, C = 4, D = 5 };
    for (int exact = 0; exact < 2; exact++) {
        bench b = {.host = {.context = &b, .scratch = scratch, .fail = refuse}};
        gnt_key key = gnt_key_of_seed(6);
        b.stream = gnt_stream_open(&key, "values");
        float w[C * D], bias[C], g[C], rows[C * D], mean[D], r[N * D], grad[N * D], none[N * D];
        float *const all[] = {w, bias, g, rows, mean, r};
        const int sizes[] = {C * D, C, C, C * D, D, N * D};
        for (int k = 0; k < 6; k++)
            for (int i = 0; i < sizes[k]; i++)
                all[k][i] = (float)gnt_random_normal(&b.stream);
        label_gradient of = {N, C, D, w, bias, g, rows, mean, exact};
        label_fit fit;
        assert_int_equal(label_fit_open(&fit, &b.host, &of), GNT_OK);
        for (int k = 0; k < N; k++)
            fit.label[k] = k;
        (void)label_fit_cost(&fit, r, grad);
        for (int i = 0; i < N * D; i++) {
            float was = r[i], h = 1e-2f;
            r[i] = was + h;
            double up = label_fit_cost(&fit, r, none);
            r[i] = was - h;
            double down = label_fit_cost(&fit, r, none), slope = (up - down) / (2 * (double)h);
            r[i] = was;
            assert_true(fabs(slope - (double)grad[i]) < 2e-3 * (1 + fabs(slope)));
        }
        label_fit_close(&fit);
        forget(&b);
    }
}

static void rows_are_written_in_the_classes_order(void **state) {
    (void)state;
    static const int64_t count[3] = {1, 0, 2};
    static const float expected[9] = {1, 0, 0, 0, 0, 1, 0, 0, 1};
    float y[9];
    label_rows(count, 3, y);
    assert_memory_equal(y, expected, sizeof y);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(batches_of_fresh_networks_are_read),
        cmocka_unit_test(a_layer_without_bias_is_read_too),
        cmocka_unit_test(batches_of_trained_networks_are_read),
        cmocka_unit_test(labels_are_judged_no_more_often_than_the_search_steps),
        cmocka_unit_test(weight_deltas_are_read),
        cmocka_unit_test(a_bias_alone_reveals_the_labels),
        cmocka_unit_test(noise_moves_few_labels),
        cmocka_unit_test(what_is_left_has_its_gradient),
        cmocka_unit_test(rows_are_written_in_the_classes_order),
    };
    return cmocka_run_group_tests(tests, open_glyphs, close_glyphs);
}
