/* Models written into graphs: small networks whose outputs are known by hand, so that a swapped input, a
 * wrong subsampling or a statistic with the wrong divisor shows. (Whole networks: test_golden.c.) */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "base/mem.h"
#include "formula.h"
#include "nn/model/model.h"

enum { MOST = 16, ENTRIES = 64 };

/* A small model in a graph, with room for its values; everything in double. */
typedef struct small {
    gnt_model *m;
    gnt_graph *g;
    gnt_node x, params[MOST], buffers[MOST], layers[MOST], stats[MOST], logits;
    double x_values[ENTRIES], weights[ENTRIES], running[ENTRIES];
} small;

static small open_small(const char *json, gnt_nn_shape sample, int64_t n, int32_t classes, const double *mean,
                        const double *deviation, int training) {
    small s = {0};
    gnt_err err = {0};
    if (gnt_model_parse(&s.m, "small", json, &sample, classes, mean, deviation, &err))
        fail_msg("%s", err.text);
    int64_t dim[4] = {n, sample.dim[0], sample.dim[1], sample.dim[2]};
    s.g = gnt_graph_new();
    s.x = gnt_nn_input(s.g, "x", sample.rank + 1, dim, 0);
    gnt_model_declare(s.m, s.g, s.params, s.buffers);
    s.logits = gnt_model_build(s.m, s.g, s.x, s.params, s.buffers, training, s.layers, s.stats);
    if (gnt_graph_error(s.g))
        fail_msg("%s", gnt_graph_error(s.g));
    for (int i = 0; i < ENTRIES; i++)
        s.x_values[i] = formula_unit(FORMULA_X, (uint64_t)i);
    return s;
}

static void close_small(small *s) {
    gnt_graph_free(s->g);
    gnt_model_free(s->m);
}

static void run_small(const small *s, gnt_node output, double *values, int64_t n) {
    char error[400] = "";
    gnt_program *p = gnt_program_new(s->g, &output, NULL, 1, 8, error, sizeof error);
    if (!p)
        fail_msg("%s", error);
    gnt_program_bind(p, s->x, s->x_values);
    gnt_model_bind(s->m, p, s->params, s->buffers, s->weights, s->running, 8);
    assert_int_equal(gnt_program_run(p, 0), 0);
    memcpy(values, gnt_program_output(p, 0), (size_t)n * sizeof *values);
    gnt_program_free(p);
}

static void near(double a, double b) {
    if (!(fabs(a - b) <= 1e-12 * fmax(1, fabs(b))))
        fail_msg("%.17g, not %.17g", a, b);
}

/* concat of x and leaky(x); averaging, repeating and averaging again gives each channel's mean. */
static void branches_and_pools_give_channel_means(void **state) {
    (void)state;
    static const char json[] =
        "{\"layers\": [{\"type\": \"concat\", \"name\": \"d\", \"branches\":"
        " [[], [{\"type\": \"leaky_relu\", \"slope\": 0.5}]]},"
        " {\"type\": \"avg_pool\", \"kernel\": 2}, {\"type\": \"upsample\", \"factor\": 2},"
        " {\"type\": \"dropout\"}, {\"type\": \"global_avg_pool\"}, {\"type\": \"flatten\"}]}";
    const double mean[2] = {.25, -.5}, deviation[2] = {.5, 2};
    gnt_nn_shape sample = {.rank = 3, .dim = {2, 4, 4}};
    small s = open_small(json, sample, 2, 4, mean, deviation, 1);
    static const char *const names[] = {
        "leaky_relu_1", "d", "avg_pool_1", "upsample_1", "dropout_1", "global_avg_pool_1", "flatten_1"};
    assert_int_equal(gnt_model_layers(s.m), 7);
    for (int i = 0; i < 7; i++)
        assert_string_equal(gnt_model_layer_name(s.m, i), names[i]);
    assert_null(gnt_model_layer_name(s.m, 7));
    assert_int_equal(gnt_model_representation(s.m), -1); /* no dense layer: the sample itself */
    double logits[8], pooled[32];
    run_small(&s, s.logits, logits, 8);
    run_small(&s, s.layers[2], pooled, 32);
    for (int n = 0; n < 2; n++)
        for (int c = 0; c < 2; c++) {
            double plain = 0, leaky = 0, corner = 0;
            for (int i = 0; i < 16; i++) {
                double x = (s.x_values[(n * 2 + c) * 16 + i] - mean[c]) / deviation[c];
                plain += x / 16;
                leaky += (x > 0 ? x : x / 2) / 16;
                corner += i == 0 || i == 1 || i == 4 || i == 5 ? x / 4 : 0;
            }
            near(logits[n * 4 + c], plain);
            near(logits[n * 4 + 2 + c], leaky);
            near(pooled[(n * 4 + c) * 4], corner);
        }
    close_small(&s);
}

/* A body of zero weights leaves option A's shortcut: pixels 0 and 2 of each axis, zero channels on both
 * sides. */
static void option_a_subsamples_and_pads_both_sides(void **state) {
    (void)state;
    static const char json[] = "{\"layers\": [{\"type\": \"residual\", \"shortcut\": \"pad\", \"stride\": 2, "
                               "\"body\": [{\"type\": \"conv\","
                               " \"name\": \"c\", \"out\": 6, \"kernel\": 1, \"stride\": 2, \"bias\": "
                               "false}]}, {\"type\": \"flatten\"}]}";
    gnt_nn_shape sample = {.rank = 3, .dim = {2, 3, 3}};
    small s = open_small(json, sample, 1, 24, NULL, NULL, 0);
    double out[24];
    run_small(&s, s.logits, out, 24);
    static const int pixel[4] = {0, 2, 6, 8};
    for (int c = 0; c < 6; c++)
        for (int i = 0; i < 4; i++)
            near(out[c * 4 + i], c == 2 || c == 3 ? s.x_values[(c - 2) * 9 + pixel[i]] : 0);
    close_small(&s);
}

static const char normed[] = "{\"layers\": [{\"type\": \"batch_norm\", \"name\": \"bn\", \"eps\": 0.125},"
                             " {\"type\": \"flatten\"}]}";

/* Two channels of two pixels, three samples. */
static void batch_norm_gives_its_statistics(void **state) {
    (void)state;
    gnt_nn_shape sample = {.rank = 3, .dim = {2, 1, 2}};
    small s = open_small(normed, sample, 3, 4, NULL, NULL, 1);
    const double weights[4] = {2, -1, .5, .25}; /* weight, then bias */
    memcpy(s.weights, weights, sizeof weights);
    double out[12], given[2][2];
    run_small(&s, s.logits, out, 12);
    run_small(&s, s.stats[0], given[0], 2);
    run_small(&s, s.stats[1], given[1], 2);
    for (int c = 0; c < 2; c++) {
        double mean = 0, square = 0;
        for (int n = 0; n < 3; n++)
            for (int i = 0; i < 2; i++)
                mean += s.x_values[n * 4 + c * 2 + i] / 6;
        for (int n = 0; n < 3; n++)
            for (int i = 0; i < 2; i++)
                square += pow(s.x_values[n * 4 + c * 2 + i] - mean, 2);
        near(given[0][c], mean);
        near(given[1][c], square / 5); /* unbiased */
        for (int n = 0; n < 3; n++)    /* normalised by the biased one */
            near(out[n * 4 + c * 2],
                 (s.x_values[n * 4 + c * 2] - mean) / sqrt(square / 6 + .125) * weights[c] + weights[2 + c]);
    }
    close_small(&s);
}

static void batch_norm_evaluates_with_its_buffers(void **state) {
    (void)state;
    gnt_nn_shape sample = {.rank = 3, .dim = {2, 1, 2}};
    small s = open_small(normed, sample, 1, 4, NULL, NULL, 0);
    const double weights[4] = {2, -1, .5, .25},
                 running[4] = {.1, -.2, 3.875, .875}; /* means, then variances */
    memcpy(s.weights, weights, sizeof weights);
    memcpy(s.running, running, sizeof running);
    assert_true(s.stats[0] < 0 && s.stats[1] < 0);
    double out[4];
    run_small(&s, s.logits, out, 4);
    near(out[0], (s.x_values[0] - .1) / 2 * 2 + .5);
    near(out[3], (s.x_values[3] + .2) / 1 * -1 + .25);
    close_small(&s);
}

static void a_batch_of_another_shape_is_refused(void **state) {
    (void)state;
    gnt_nn_shape sample = {.rank = 3, .dim = {2, 1, 2}};
    small s = open_small(normed, sample, 1, 4, NULL, NULL, 0);
    gnt_node other = gnt_nn_input(s.g, "other", 4, (int64_t[]){1, 2, 2, 2}, 0);
    assert_true(gnt_model_build(s.m, s.g, other, s.params, s.buffers, 0, NULL, NULL) < 0);
    assert_non_null(gnt_graph_error(s.g));
    close_small(&s);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(branches_and_pools_give_channel_means),
        cmocka_unit_test(option_a_subsamples_and_pads_both_sides),
        cmocka_unit_test(batch_norm_gives_its_statistics),
        cmocka_unit_test(batch_norm_evaluates_with_its_buffers),
        cmocka_unit_test(a_batch_of_another_shape_is_refused),
    };
    return cmocka_run_group_tests_name("model_build", tests, NULL, NULL);
}
