/* program: known values, stages, ownership of outputs, rebinding, hostile shapes, sticky errors, replay. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <malloc.h>
#include <math.h>
#include <string.h>

#include "gauntlet/nn.h"

static gnt_program *compile(gnt_graph *g, const gnt_node *out, const int32_t *stage, int32_t n,
                            int32_t precision) {
    char error[512] = "";
    gnt_program *p = gnt_program_new(g, out, stage, n, precision, error, sizeof error);
    if (!p)
        fail_msg("%s", error);
    return p;
}

static double at(const gnt_program *p, int32_t i, int64_t j) {
    return ((const double *)gnt_program_output(p, i))[j];
}

static void test_values(void **state) {
    (void)state;
    gnt_graph *g = gnt_graph_new();
    int64_t s[2] = {2, 3};
    gnt_node x = gnt_nn_input(g, "x", 2, s, 0);
    gnt_node y = gnt_nn_sum(g, gnt_nn_mul(g, x, x), 1u << 1);
    gnt_node out[5] = {y, gnt_nn_sum_all(g, x), x, x, gnt_nn_reshape(g, x, 1, (int64_t[]){6})};
    gnt_program *p = compile(g, out, NULL, 5, 8);
    gnt_graph_free(g); /* the program keeps nothing of it */
    double v[6] = {1, 2, 3, -4, 5, 6};
    assert_int_equal(gnt_program_run(p, 0), -1); /* unbound */
    assert_int_equal(gnt_program_bind(p, x, v), 0);
    assert_int_equal(gnt_program_bind(p, y, v), -1);
    assert_int_equal(gnt_program_run(p, 0), 0);
    assert_true(at(p, 0, 0) == 14 && at(p, 0, 1) == 77 && at(p, 1, 0) == 13);
    v[3] = 100; /* outputs belong to the program */
    assert_true(at(p, 2, 3) == -4 && at(p, 3, 3) == -4 && at(p, 4, 3) == -4);
    gnt_program_free(p);
}

/* y = w·x is computed once in stage 0; stage 1 multiplies by a vector that arrives later, again and again. */
static void test_stages(void **state) {
    (void)state;
    gnt_graph *g = gnt_graph_new();
    int64_t s[1] = {4};
    gnt_node x = gnt_nn_input(g, "x", 1, s, 0), u = gnt_nn_input(g, "u", 1, s, 1);
    gnt_node e = gnt_nn_exp(g, x), d;
    gnt_node loss = gnt_nn_sum_all(g, e);
    gnt_node t = gnt_nn_tanh(g, e);
    assert_int_equal(gnt_nn_vjp(g, &t, &u, 1, &x, 1, &d), 0);
    gnt_node out[2] = {loss, d};
    int32_t stage[2] = {0, 1};
    gnt_program *p = compile(g, out, stage, 2, 8);
    double vx[4] = {0, 0.5, -1, 0.25}, vu[4];
    gnt_program_bind(p, x, vx);
    gnt_program_bind(p, u, vu);
    assert_int_equal(gnt_program_run(p, 0), 0);
    for (int turn = 0; turn < 5; turn++) {
        double sum = 0;
        for (int i = 0; i < 4; i++)
            vu[i] = turn * 0.5 - i;
        assert_int_equal(gnt_program_run(p, 1), 0);
        for (int i = 0; i < 4; i++) {
            double ex = exp(vx[i]), th = tanh(ex);
            sum += ex;
            assert_true(fabs(at(p, 1, i) - vu[i] * (1 - th * th) * ex) < 1e-14);
        }
        assert_true(fabs(at(p, 0, 0) - sum) < 1e-14);
    }
    int32_t early[2] = {0, 0};
    char error[200];
    assert_null(gnt_program_new(g, out, early, 2, 8, error, sizeof error));
    assert_non_null(strstr(error, "output 1"));
    gnt_program_free(p);
    gnt_graph_free(g);
}

static void test_sticky_errors(void **state) {
    (void)state;
    gnt_graph *g = gnt_graph_new();
    gnt_node a = gnt_nn_input(g, "a", 2, (int64_t[]){2, 3}, 0),
             b = gnt_nn_input(g, "b", 2, (int64_t[]){3, 2}, 0);
    gnt_node c = gnt_nn_add(g, a, b);
    assert_true(c < 0);
    char first[300];
    strncpy(first, gnt_graph_error(g), sizeof first - 1);
    assert_non_null(strstr(first, "add"));
    assert_non_null(strstr(first, "2×3"));
    assert_non_null(strstr(first, "3×2"));
    assert_true(gnt_nn_exp(g, c) < 0);
    assert_true(gnt_nn_total_variation(g, gnt_nn_sum_all(g, c)) < 0);
    assert_string_equal(gnt_graph_error(g), first);
    char error[300];
    assert_null(gnt_program_new(g, &a, NULL, 1, 4, error, sizeof error));
    assert_string_equal(error, first);
    gnt_graph_free(g);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_values),
        cmocka_unit_test(test_stages),
        cmocka_unit_test(test_sticky_errors),
    };
    return cmocka_run_group_tests_name("program", tests, NULL, NULL);
}
