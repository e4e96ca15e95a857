/* Pooling: values by hand and PyTorch's rules at the border. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "base/random.h"
#include "nn/graph/graph.h"
#include "nn/plan/program.h"

/* Values by hand. Ties go to the lowest index; padding never wins, not even over negative entries. */
static void test_max_pool(void **state) {
    (void)state;
    gnt_graph *g = gnt_graph_new();
    const double v[9] = {-1, -1, -5, -1, -1, -2, -7, -2, -2};
    gnt_node x = gnt_nn_data(g, 4, (int64_t[]){1, 1, 3, 3}, v), d;
    gnt_node y = gnt_nn_max_pool(g, x, 2, 2, 2, 2, 1, 1, 0); /* windows {0}, {1 2}, {3 6}, {4 5 7 8} */
    gnt_node z = gnt_nn_max_pool(g, x, 2, 2, 2, 2, 0, 0, 1); /* ceil: {0 1 3 4}, {2 5}, {6 7}, {8} */
    gnt_node u = gnt_nn_data(g, 4, (int64_t[]){1, 1, 2, 2}, (double[]){1, 2, 3, 4});
    gnt_nn_vjp(g, &z, &u, 1, &x, 1, &d);
    gnt_node out[3] = {y, z, d};
    gnt_program *p = gnt_program_new(g, out, NULL, 3, 8, NULL, 0);
    assert_non_null(p);
    gnt_program_run(p, 0);
    const double ey[4] = {-1, -1, -1, -1}, ez[4] = {-1, -2, -2, -2}, ed[9] = {1, 0, 0, 0, 0, 2, 0, 3, 4};
    assert_memory_equal(gnt_program_output(p, 0), ey, sizeof ey);
    assert_memory_equal(gnt_program_output(p, 1), ez, sizeof ez);
    assert_memory_equal(gnt_program_output(p, 2), ed, sizeof ed);
    gnt_program_free(p);
    gnt_graph_free(g);
}

/* Squares side by side have a loop of their own: compared with the definition, on few different values, so
 * with ties, and NaNs among them; of both precisions, with rows and columns that no window reaches. */
static void squares_are_as_defined(int32_t precision, int64_t h, int64_t w) {
    enum { PLANES = 3, MOST = 48 };
    static double x[PLANES * MOST * MOST];
    static float narrow[PLANES * MOST * MOST];
    const gnt_key key = gnt_key_of_seed((uint64_t)(h * w));
    gnt_stream random = gnt_stream_open(&key, "pool");
    for (int64_t i = 0; i < PLANES * h * w; i++) {
        const uint64_t drawn = gnt_random_below(&random, 7);
        x[i] = drawn == 6 ? (double)NAN : (double)drawn - 3;
        narrow[i] = (float)x[i];
    }
    gnt_graph *g = gnt_graph_new();
    gnt_node in = gnt_nn_input(g, "x", 4, (int64_t[]){1, PLANES, h, w}, 0);
    gnt_node index = gnt_nn_max_index(g, in, 2, 2, 2, 2, 0, 0, 0);
    gnt_program *p = gnt_program_new(g, &index, NULL, 1, precision, NULL, 0);
    assert_non_null(p);
    gnt_program_bind(p, in, precision == 8 ? (const void *)x : narrow);
    gnt_program_run(p, 0);
    const int32_t *got = gnt_program_output(p, 0);
    for (int64_t plane = 0; plane < PLANES; plane++)
        for (int64_t i = 0; i < h / 2; i++)
            for (int64_t j = 0; j < w / 2; j++) {
                const double *at = x + plane * h * w;
                const int64_t from = 2 * i * w + 2 * j, all[4] = {from, from + 1, from + w, from + w + 1};
                int64_t best = all[0];
                for (int k = 1; k < 4; k++)
                    if (at[all[k]] > at[best] || (isnan(at[all[k]]) && !isnan(at[best])))
                        best = all[k];
                assert_int_equal(*got++, best);
            }
    gnt_program_free(p);
    gnt_graph_free(g);
}

static void test_max_of_squares(void **state) {
    static const int64_t sizes[][2] = {{2, 2},   {4, 8},   {5, 9},   {7, 33}, {32, 32},
                                       {33, 48}, {16, 46}, {14, 14}, {28, 28}};
    (void)state;
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
        for (int32_t precision = 4; precision <= 8; precision += 4)
            squares_are_as_defined(precision, sizes[i][0], sizes[i][1]);
}

/* In ceil mode PyTorch takes a window that is larger than the image for one that hangs over its end: of one
 * pixel a 2×2 window with stride 2 gives that pixel, maximum or average. Without ceil mode nothing fits, nor
 * where the window hangs over by a whole stride. */
static void test_pool_of_less_than_a_window(void **state) {
    (void)state;
    gnt_graph *g = gnt_graph_new();
    gnt_node x = gnt_nn_data(g, 4, (int64_t[]){1, 1, 1, 1}, (double[]){-3}), d;
    gnt_node most = gnt_nn_max_pool(g, x, 2, 2, 2, 2, 0, 0, 1);
    gnt_node mean = gnt_nn_avg_pool(g, x, 2, 2, 2, 2, 0, 0, 1, 1);
    gnt_node u = gnt_nn_data(g, 4, (int64_t[]){1, 1, 1, 1}, (double[]){5});
    gnt_nn_vjp(g, &most, &u, 1, &x, 1, &d);
    gnt_node out[3] = {most, mean, d};
    gnt_program *p = gnt_program_new(g, out, NULL, 3, 8, NULL, 0);
    assert_non_null(p);
    gnt_program_run(p, 0);
    const double expected[3] = {-3, -3, 5};
    for (int i = 0; i < 3; i++)
        assert_memory_equal(gnt_program_output(p, i), &expected[i], sizeof expected[i]);
    gnt_program_free(p);
    assert_true(gnt_nn_max_pool(g, x, 2, 2, 2, 2, 0, 0, 0) < 0);
    gnt_graph_free(g);
    g = gnt_graph_new();
    x = gnt_nn_data(g, 4, (int64_t[]){1, 1, 1, 1}, (double[]){-3});
    assert_true(gnt_nn_max_pool(g, x, 3, 3, 2, 2, 0, 0, 1) < 0);
    gnt_graph_free(g);
}

/* PyTorch's rules for averages at the border (torch.nn.functional.avg_pool2d): with ceil_mode the last window
 * counts what lies within the padded image. */
static void test_avg_pool(void **state) {
    (void)state;
    gnt_graph *g = gnt_graph_new();
    double v[16];
    for (int i = 0; i < 16; i++)
        v[i] = i + 1;
    gnt_node x = gnt_nn_data(g, 4, (int64_t[]){1, 1, 4, 4}, v);
    gnt_node out[4] = {
        gnt_nn_avg_pool(g, x, 3, 3, 2, 2, 1, 1, 0, 1), gnt_nn_avg_pool(g, x, 3, 3, 2, 2, 1, 1, 0, 0),
        gnt_nn_avg_pool(g, x, 3, 3, 2, 2, 0, 0, 1, 1), gnt_nn_avg_pool(g, x, 3, 3, 2, 2, 1, 1, 1, 1)};
    gnt_program *p = gnt_program_new(g, out, NULL, 4, 8, NULL, 0);
    assert_non_null(p);
    gnt_program_run(p, 0);
    const double *a = gnt_program_output(p, 0), *b = gnt_program_output(p, 1), *c = gnt_program_output(p, 2),
                 *d = gnt_program_output(p, 3);
    assert_true(a[0] == 14 / 9.0 && a[1] == 30 / 9.0 && a[2] == 57 / 9.0 && a[3] == 99 / 9.0);
    assert_true(b[0] == 3.5 && b[1] == 5 && b[2] == 9.5 && b[3] == 11);
    assert_true(c[0] == 6 && c[1] == 7.5 && c[2] == 12 && c[3] == 13.5);
    assert_true(d[8] == 16 / 4.0 && d[2] == 12 / 6.0);
    gnt_program_free(p);
    gnt_graph_free(g);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_max_pool),
        cmocka_unit_test(test_max_of_squares),
        cmocka_unit_test(test_pool_of_less_than_a_window),
        cmocka_unit_test(test_avg_pool),
    };
    return cmocka_run_group_tests_name("pool", tests, NULL, NULL);
}
