/* program: known values, stages, ownership of outputs, rebinding, hostile shapes, sticky errors, replay. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
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

/* y = √w·x with constant w: a change of w is seen when it is announced to the program, or w gets another
 * address, and never halfway. x is seen at once. A value of constant inputs alone may be an output. Unaligned
 * entries behave the same. */
static void test_constant_inputs(void **state) {
    (void)state;
    gnt_graph *g = gnt_graph_new();
    int64_t s[1] = {2};
    gnt_node w = gnt_nn_hold(g, gnt_nn_input(g, "w", 1, s, 0)), x = gnt_nn_input(g, "x", 1, s, 0);
    gnt_node root = gnt_nn_sqrt(g, w, 0);
    gnt_node out[2] = {gnt_nn_mul(g, root, x), root};
    gnt_program *p = compile(g, out, NULL, 2, 8);
    double first[2] = {4, 9}, second[2] = {16, 25}, vx[2] = {1, 2};
    gnt_program_bind(p, x, vx);
    assert_int_equal(gnt_program_run(p, 0), -1);
    gnt_program_bind(p, w, first);
    assert_int_equal(gnt_program_run(p, 0), 0);
    assert_true(at(p, 0, 0) == 2 && at(p, 0, 1) == 6 && at(p, 1, 1) == 3);
    first[0] = 36;
    vx[0] = 10;
    gnt_program_bind(p, w, first);
    assert_int_equal(gnt_program_run(p, 0), 0);
    assert_true(at(p, 0, 0) == 20 && at(p, 1, 0) == 2);
    gnt_program_changed(p);
    assert_int_equal(gnt_program_run(p, 0), 0);
    assert_true(at(p, 0, 0) == 60 && at(p, 1, 0) == 6);
    gnt_program_bind(p, w, second);
    assert_int_equal(gnt_program_run(p, 0), 0);
    assert_true(at(p, 0, 0) == 40 && at(p, 0, 1) == 10);
    char shifted[3 * sizeof(double)];
    memcpy(shifted + 3, first, sizeof first);
    gnt_program_bind(p, w, shifted + 3);
    assert_int_equal(gnt_program_run(p, 0), 0);
    assert_true(at(p, 0, 0) == 60 && at(p, 0, 1) == 6);
    gnt_program_free(p);
    assert_int_equal(gnt_nn_hold(g, gnt_nn_input(g, "late", 1, s, 1)), -1);
    assert_non_null(gnt_graph_error(g));
    gnt_graph_free(g);
}

/* exp(x) is needed by stages 2 and 3 alone, so stage 1 computes it: 3 may run before 2, or without it. */
static void test_common_stage(void **state) {
    (void)state;
    gnt_graph *g = gnt_graph_new();
    gnt_node x = gnt_nn_input(g, "x", 0, NULL, 0), u = gnt_nn_input(g, "u", 0, NULL, 2),
             v = gnt_nn_input(g, "v", 0, NULL, 3), e = gnt_nn_exp(g, x);
    gnt_node out[3] = {gnt_nn_tanh(g, x), gnt_nn_mul(g, e, u), gnt_nn_mul(g, e, v)};
    int32_t stage[3] = {0, 2, 3};
    gnt_program *p = compile(g, out, stage, 3, 8);
    double vx = 0.5, vu = 2, vv = 3;
    gnt_program_bind(p, x, &vx);
    gnt_program_bind(p, v, &vv);
    for (int turn = 0; turn < 2; turn++, vx = -1) {
        for (int s = 0; s < 4; s++)
            assert_int_equal(gnt_program_run(p, s), s == 2 ? -1 : 0); /* u is not bound */
        assert_true(fabs(at(p, 0, 0) - tanh(vx)) < 1e-15 && fabs(at(p, 2, 0) - 3 * exp(vx)) < 1e-14);
    }
    vx = -1;
    gnt_program_bind(p, u, &vu);
    assert_int_equal(gnt_program_run(p, 2), 0);
    assert_true(fabs(at(p, 1, 0) - 2 * exp(-1)) < 1e-15);
    gnt_program_free(p);
    gnt_graph_free(g);
}

/* Three stages: values of stage 0 and 1 that later ones read survive any number of later runs. */
static void test_three_stages(void **state) {
    (void)state;
    gnt_graph *g = gnt_graph_new();
    int64_t s[1] = {8};
    gnt_node x[3], out[3];
    for (int32_t i = 0; i < 3; i++)
        x[i] = gnt_nn_input(g, "x", 1, s, i);
    gnt_node a = gnt_nn_exp(g, gnt_nn_affine(g, x[0], 2, 1)); /* used by all */
    gnt_node b = gnt_nn_mul(g, gnt_nn_exp(g, x[1]), a);       /* used by 1 and 2 */
    gnt_node c =
        gnt_nn_log(g, gnt_nn_mul(g, a, gnt_nn_sqrt(g, a, 1))); /* stage 0 by origin, used by 2 only */
    out[0] = gnt_nn_sum_all(g, a);
    out[1] = gnt_nn_sum_all(g, gnt_nn_mul(g, b, b));
    out[2] = gnt_nn_add(g, gnt_nn_mul(g, x[2], b), c);
    int32_t stage[3] = {0, 1, 2};
    gnt_program *p = compile(g, out, stage, 3, 8);
    double v[3][8];
    for (int i = 0; i < 3; i++)
        gnt_program_bind(p, x[i], v[i]);
    for (int turn = 0; turn < 24; turn++) {
        int run = turn == 0 ? 0 : turn % 12 == 0 ? 0 : turn % 4 == 0 ? 1 : 2;
        for (int s2 = run; s2 < 3; s2++) { /* a new value, and all later stages must follow */
            for (int i = 0; i < 8; i++)
                v[s2][i] = 0.1 * i - 0.05 * turn + s2;
            assert_int_equal(gnt_program_run(p, s2), 0);
        }
        double square = 0;
        for (int i = 0; i < 8; i++) {
            double ea = exp(2 * v[0][i] + 1), eb = exp(v[1][i]) * ea;
            square += eb * eb;
            double expected = v[2][i] * eb + log(ea * sqrt(ea + 1));
            assert_true(fabs(at(p, 2, i) - expected) < 1e-12 * (fabs(expected) + 1));
        }
        assert_true(fabs(at(p, 1, 0) - square) < 1e-12 * square);
    }
    gnt_program_free(p);
    gnt_graph_free(g);
}

/* ---- shapes that builders refuse ---- */

#define SHAPE(name, call)                                                                                    \
    static gnt_node name(gnt_graph *g, gnt_node x, gnt_node w, gnt_node m, const int64_t big[3]) {           \
        (void)x, (void)w, (void)m, (void)big;                                                                \
        return call;                                                                                         \
    }

SHAPE(input_0, gnt_nn_input(g, "input", 3, big, 0))
SHAPE(input_1, gnt_nn_input(g, "input", -1, big, 0))
SHAPE(fill_2, gnt_nn_fill(g, 7, (int64_t[]){1, 1, 1, 1, 1, 1, 1}, 0))
SHAPE(fill_3, gnt_nn_fill(g, 2, (int64_t[]){3, 0}, 0))
SHAPE(fill_4, gnt_nn_fill(g, 2, (int64_t[]){-3, -3}, 0))
SHAPE(data_5, gnt_nn_data(g, 3, big, (double[]){0}))
SHAPE(expand_6, gnt_nn_expand(g, gnt_nn_fill(g, 3, (int64_t[]){1, 1, 1}, 0), 3, big))
SHAPE(expand_7, gnt_nn_expand(g, m, 2, (int64_t[]){4, 3}))
SHAPE(reshape_8, gnt_nn_reshape(g, m, 2, (int64_t[]){-2, -3}))
SHAPE(permute_9, gnt_nn_permute(g, m, (int32_t[]){0, 0}))
SHAPE(permute_10, gnt_nn_permute(g, m, (int32_t[]){0, 40}))
SHAPE(slice_11, gnt_nn_slice(g, m, 1, 2, 2))
SHAPE(slice_12, gnt_nn_slice(g, m, 1, -1, 2))
SHAPE(slice_13, gnt_nn_slice(g, m, 2, 0, 1))
SHAPE(pad_14, gnt_nn_pad(g, m, 0, INT64_MAX, INT64_MAX))
SHAPE(concat_15, gnt_nn_concat(g, (gnt_node[]){m, x}, 2, 0))
SHAPE(concat_16, gnt_nn_concat(g, &m, 0, 0))
SHAPE(matmul_17, gnt_nn_matmul(g, m, 0, m, 0))
SHAPE(conv_18, gnt_nn_conv(g, x, w, 0, 1))
SHAPE(conv_19, gnt_nn_conv(g, x, w, 1, -1))
SHAPE(conv_20, gnt_nn_conv(g, x, m, 1, 0))
SHAPE(conv_dx_21, gnt_nn_conv_dx(g, x, w, (int64_t)1 << 62, 5, 1, 1))
SHAPE(general_conv_groups, gnt_nn_general_conv(g, x, w, &(gnt_nn_window){{1, 1}, {1, 1}, {1, 1}, 2}))
SHAPE(general_conv_many, gnt_nn_general_conv(g, x, w, &(gnt_nn_window){{1, 1}, {1, 1}, {1, 1}, INT32_MAX}))
SHAPE(general_conv_none, gnt_nn_general_conv(g, x, w, &(gnt_nn_window){{1, 1}, {1, 1}, {1, 1}, 0}))
SHAPE(general_conv_far, gnt_nn_general_conv(g, x, w, &(gnt_nn_window){{1, 1}, {1, 1}, {4, 1}, 1}))
SHAPE(general_conv_still, gnt_nn_general_conv(g, x, w, &(gnt_nn_window){{1, 1}, {1, 1}, {1, 0}, 1}))
SHAPE(general_conv_dx_big,
      gnt_nn_general_conv_dx(g, x, w, (int64_t)1 << 62, 5, &(gnt_nn_window){{1, 2}, {0, 0}, {1, 1}, 1}))
SHAPE(general_conv_dw_big,
      gnt_nn_general_conv_dw(g, x, x, (int64_t)1 << 62, 5, &(gnt_nn_window){{1, 2}, {0, 0}, {1, 1}, 1}))
SHAPE(conv_transpose_out_pad,
      gnt_nn_conv_transpose(g, x, w, (int32_t[]){0, 2}, &(gnt_nn_window){{2, 2}, {0, 0}, {1, 1}, 1}))
SHAPE(adaptive_none, gnt_nn_adaptive_avg_pool(g, x, 0, 1))
SHAPE(adaptive_many, gnt_nn_adaptive_avg_pool(g, x, 1 << 23, 1 << 23))
SHAPE(group_norm_uneven, gnt_nn_group_norm(g, w, 4, 1e-5))
SHAPE(softmax_of_matrix, gnt_nn_softmax_channels(g, m))
SHAPE(max_pool_22, gnt_nn_max_pool(g, x, 2, 2, 1, 1, 2, 0, 0))
SHAPE(avg_pool_23, gnt_nn_avg_pool(g, x, 6, 6, 1, 1, 0, 0, 0, 0))
SHAPE(upsample_24, gnt_nn_upsample(g, x, INT32_MAX))
/* an index may be 8, the axis has 3 */
SHAPE(gather_25, gnt_nn_gather(g, m, gnt_nn_argmax(g, gnt_nn_fill(g, 2, (int64_t[]){2, 9}, 1))))

#undef SHAPE

static const struct {
    /* What the sentence names; "": it need not. */
    const char *word;
    gnt_node (*build)(gnt_graph *g, gnt_node x, gnt_node w, gnt_node m, const int64_t big[3]);
} refused[] = {
    {"input", input_0},
    {"input", input_1},
    {"fill", fill_2},
    {"fill", fill_3},
    {"fill", fill_4},
    {"data", data_5},
    {"expand", expand_6},
    {"expand", expand_7},
    {"reshape", reshape_8},
    {"permute", permute_9},
    {"permute", permute_10},
    {"slice", slice_11},
    {"slice", slice_12},
    {"slice", slice_13},
    {"pad", pad_14},
    {"concat", concat_15},
    {"concat", concat_16},
    {"matmul", matmul_17},
    {"conv", conv_18},
    {"conv", conv_19},
    {"conv", conv_20},
    {"conv_dx", conv_dx_21},
    {"max_pool", max_pool_22},
    {"avg_pool", avg_pool_23},
    {"general_conv", general_conv_groups},
    {"general_conv", general_conv_many},
    {"conv", general_conv_none},
    {"general_conv", general_conv_far},
    {"general_conv", general_conv_still},
    {"general_conv_dx", general_conv_dx_big},
    {"general_conv_dw", general_conv_dw_big},
    {"conv_transpose", conv_transpose_out_pad},
    {"adaptive_avg_pool", adaptive_none},
    {"adaptive_avg_pool", adaptive_many},
    {"group_norm", group_norm_uneven},
    {"softmax_channels", softmax_of_matrix},
    {"", upsample_24},
    {"gather", gather_25},
};

/* Each builder refuses and leaves a sentence with its name in it. */
static void test_hostile_shapes(void **state) {
    (void)state;
    const int64_t big[3] = {(int64_t)1 << 31, (int64_t)1 << 31, 16};
    for (size_t k = 0; k < sizeof refused / sizeof *refused; k++) {
        gnt_graph *g = gnt_graph_new();
        gnt_node x = gnt_nn_input(g, "x", 4, (int64_t[]){1, 2, 5, 5}, 0),
                 w = gnt_nn_input(g, "w", 4, (int64_t[]){3, 2, 3, 3}, 0),
                 m = gnt_nn_fill(g, 2, (int64_t[]){2, 3}, 1), y = refused[k].build(g, x, w, m, big);
        if (y >= 0 || !gnt_graph_error(g) || !strstr(gnt_graph_error(g), refused[k].word))
            fail_msg("case %zu (%s): node %d, %s", k, refused[k].word, y, gnt_graph_error(g));
        gnt_graph_free(g);
    }
}

/* Numbers of nodes that never existed. */
static void test_foreign_nodes(void **state) {
    (void)state;
    gnt_graph *g = gnt_graph_new();
    gnt_node x = gnt_nn_fill(g, 0, NULL, 1), out[2] = {x, 17};
    char error[300];
    assert_null(gnt_program_new(g, out, NULL, 2, 4, error, sizeof error));
    assert_non_null(strstr(error, "17"));
    assert_null(gnt_program_new(g, out, NULL, 1, 5, error, sizeof error));
    assert_int_equal(gnt_program_plan_bytes(g, out, NULL, 2, 4), 0);
    assert_true(gnt_program_plan_bytes(g, out, NULL, 1, 4) > 0);
    assert_true(gnt_nn_add(g, x, 99) < 0);
    assert_non_null(strstr(gnt_graph_error(g), "99"));
    assert_int_equal(gnt_nn_shape_of(g, -5).rank, -1);
    gnt_graph_free(g);
}

/* A pointer into the middle of a packed file need not be aligned, and its entries may change between runs. */
static void test_unaligned(void **state) {
    (void)state;
    gnt_graph *g = gnt_graph_new();
    gnt_node x = gnt_nn_input(g, "x", 1, (int64_t[]){5}, 0), y = gnt_nn_exp(g, gnt_nn_slice(g, x, 0, 1, 5));
    gnt_program *p = compile(g, &y, NULL, 1, 8);
    char bytes[6 * sizeof(double)];
    gnt_program_bind(p, x, bytes + 3);
    for (int turn = 0; turn < 2; turn++) {
        double v[5] = {0, 0.5, 1, turn, 2};
        memcpy(bytes + 3, v, sizeof v);
        assert_int_equal(gnt_program_run(p, 0), 0);
        for (int i = 0; i < 4; i++)
            assert_true(fabs(at(p, 0, i) - exp(v[i + 1])) < 1e-14 * exp(v[i + 1]));
    }
    gnt_program_free(p);
    gnt_graph_free(g);
}

/* What no input reaches is a constant: known before the first run. Plan and program agree on their bytes. */
static void test_constants(void **state) {
    (void)state;
    gnt_graph *g = gnt_graph_new();
    gnt_node d = gnt_nn_data(g, 2, (int64_t[]){2, 2}, (double[]){1, 2, 3, 4});
    gnt_node out[3] = {gnt_nn_matmul(g, d, 0, d, 1), gnt_nn_fill(g, 1, (int64_t[]){3}, 2.5),
                       gnt_nn_reshape(g, d, 1, (int64_t[]){4})};
    gnt_program *p = compile(g, out, NULL, 3, 8);
    assert_true(at(p, 0, 0) == 5 && at(p, 0, 1) == 11 && at(p, 0, 2) == 11 && at(p, 0, 3) == 25);
    assert_true(at(p, 1, 2) == 2.5 && at(p, 2, 3) == 4);
    assert_int_equal(gnt_program_run(p, 0), 0);
    assert_true(at(p, 0, 3) == 25);
    assert_int_equal(gnt_program_arena_bytes(p), gnt_program_plan_bytes(g, out, NULL, 3, 8));
    gnt_program_free(p);
    gnt_graph_free(g);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_values),          cmocka_unit_test(test_stages),
        cmocka_unit_test(test_constant_inputs), cmocka_unit_test(test_common_stage),
        cmocka_unit_test(test_three_stages),    cmocka_unit_test(test_sticky_errors),
        cmocka_unit_test(test_hostile_shapes),  cmocka_unit_test(test_foreign_nodes),
        cmocka_unit_test(test_unaligned),       cmocka_unit_test(test_constants),
    };
    return cmocka_run_group_tests_name("program", tests, NULL, NULL);
}
