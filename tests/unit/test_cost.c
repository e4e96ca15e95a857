/* cost: flops and bytes against counting by hand; recipes against central differences in double. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "nn/kernels/blas_core.h"
#include "nn/kernels/cpu.h"
#include "nn/kernels/limits.h"
#include "nn/plan/program.h"
#include "nn/model/recipe.h"

static gnt_program *compile(gnt_graph *g, const gnt_node *out, const int32_t *stage, int32_t n) {
    char error[512] = "";
    gnt_program *p = gnt_program_new(g, out, stage, n, 4, error, sizeof error);
    if (!p)
        fail_msg("%s", error);
    return p;
}

static gnt_step_cost only(const gnt_program *p, const char *name) {
    gnt_program_size size = gnt_program_measure(p);
    gnt_step_cost found = {0};
    int times = 0;
    for (int32_t i = 0; i < size.steps + size.constant; i++) {
        gnt_step_cost c = gnt_program_step(p, i);
        if (strcmp(c.name, name) == 0) {
            found = c;
            times++;
        }
    }
    assert_int_equal(times, 1);
    return found;
}

/* 2 for each product of a weight with a pixel that is there: counted one by one. */
static double count_conv(int64_t n, int64_t c, int64_t side, int64_t o, int64_t k, int64_t stride,
                         int64_t pad) {
    int64_t out = (side + 2 * pad - k) / stride + 1, meet = 0;
    for (int64_t y = 0; y < out; y++)
        for (int64_t x = 0; x < out; x++)
            for (int64_t i = 0; i < k; i++)
                for (int64_t j = 0; j < k; j++) {
                    int64_t h = y * stride + i - pad, w = x * stride + j - pad;
                    meet += h >= 0 && h < side && w >= 0 && w < side;
                }
    return 2.0 * (double)(n * c * o * meet);
}

static void test_convolutions(void **state) {
    (void)state;
    static const int32_t strides[] = {1, 2, 3, 2}, pads[] = {0, 2, 1, 1};
    static const int64_t windows[] = {3, 5, 3, 1};
    for (int i = 0; i < 4; i++) {
        int64_t k = windows[i], in[4] = {2, 3, 9, 9}, weight[4] = {5, 3, k, k};
        gnt_graph *g = gnt_graph_new();
        gnt_node w = gnt_nn_input(g, "w", 4, weight, 0), x = gnt_nn_input(g, "x", 4, in, 0);
        gnt_node y = gnt_nn_conv(g, x, w, strides[i], pads[i]);
        gnt_nn_shape s = gnt_nn_shape_of(g, y);
        gnt_node u = gnt_nn_input(g, "u", 4, s.dim, 0);
        gnt_node out[3] = {y, gnt_nn_conv_dx(g, u, w, 9, 9, strides[i], pads[i]),
                           gnt_nn_conv_dw(g, x, u, k, k, strides[i], pads[i])};
        gnt_program *p = compile(g, out, NULL, 3);
        static const char *const names[] = {"conv", "conv_dx", "conv_dw"};
        double bytes = 4.0 * (double)(2 * 3 * 81 + 5 * 3 * k * k + gnt_nn_count(&s));
        for (int face = 0; face < 3; face++) {
            gnt_step_cost c = only(p, names[face]);
            assert_true(c.flops == count_conv(2, 3, 9, 5, k, strides[i], pads[i]));
            assert_true(c.bytes == bytes);
        }
        gnt_program_free(p);
        gnt_graph_free(g);
    }
}

/* 8 results of 2 groups see 3 of 6 channels each; 5×4 places of 3×3 taps two rows apart, of which only those
 * that meet one of 9×4 pixels count: rows 0, 2, 4 + p of 9, of padded columns q + (−1, 0, 1) of 4. */
static void test_general_convolutions(void **state) {
    (void)state;
    gnt_nn_window window = {{1, 1}, {0, 1}, {2, 1}, 2};
    gnt_graph *g = gnt_graph_new();
    gnt_node x = gnt_nn_input(g, "x", 4, (int64_t[]){2, 6, 9, 4}, 0),
             w = gnt_nn_input(g, "w", 4, (int64_t[]){8, 3, 3, 3}, 0),
             u = gnt_nn_input(g, "u", 4, (int64_t[]){2, 8, 5, 4}, 0);
    gnt_node out[3] = {gnt_nn_general_conv(g, x, w, &window), gnt_nn_general_conv_dx(g, u, w, 9, 4, &window),
                       gnt_nn_general_conv_dw(g, x, u, 3, 3, &window)};
    gnt_program *p = compile(g, out, NULL, 3);
    static const char *const names[] = {"general_conv", "general_conv_dx", "general_conv_dw"};
    for (int face = 0; face < 3; face++)
        assert_true(only(p, names[face]).flops == 2.0 * 2 * 8 * 3 * (5 * 3) * (4 * 3 - 2));
    gnt_program_free(p);
    gnt_graph_free(g);
}

/* x is read, the result is written, and nothing between; an output listed twice is computed once. */
static void test_chain(void **state) {
    (void)state;
    gnt_graph *g = gnt_graph_new();
    int64_t dim[1] = {1000};
    gnt_node x = gnt_nn_input(g, "x", 1, dim, 0), unused = gnt_nn_exp(g, x);
    gnt_node y = gnt_nn_mul(g, gnt_nn_sigmoid(g, x), gnt_nn_tanh(g, gnt_nn_sigmoid(g, x)));
    gnt_program *p = compile(g, &y, NULL, 1);
    gnt_program_size size = gnt_program_measure(p);
    assert_true(unused >= 0);
    assert_int_equal(size.graph_nodes, 6);
    assert_int_equal(size.nodes, 4);
    assert_int_equal(size.steps, 1);
    assert_int_equal(size.chains, 1);
    assert_int_equal(size.chained, 3);
    assert_int_equal(size.conversions, 0);
    assert_int_equal(size.inputs, 4000);
    assert_true(size.arena >= 4000 && size.arena == gnt_program_arena_bytes(p));
    gnt_step_cost c = only(p, "chain");
    assert_true(c.bytes == 8000 && c.flops == 3000);
    /* 3000 flops at 1000 a second are 3 s; 8000 bytes at 1000 a second are 8 s: the longer */
    assert_true(fabs(gnt_program_floor(p, 1000, 1e300) - 3) < 1e-12);
    assert_true(fabs(gnt_program_floor(p, 1000, 1000) - 8) < 1e-12);
    gnt_program_free(p);
    gnt_graph_free(g);
}

static void test_copies(void **state) {
    (void)state;
    gnt_graph *g = gnt_graph_new();
    int64_t dim[1] = {10};
    gnt_node x = gnt_nn_input(g, "x", 1, dim, 0);
    gnt_program *p = compile(g, &x, NULL, 1); /* the program owns its outputs */
    assert_int_equal(gnt_program_measure(p).conversions, 1);
    assert_true(only(p, "copy").conversion && only(p, "copy").bytes == 80);
    assert_true(gnt_program_floor(p, 1, 1) == 0);
    gnt_program_free(p);
    gnt_graph_free(g);
}

/* 3×4 by 4×5, the second given at stage 1: 120 flops there, none at stage 0 but the sigmoid. */
static void test_timed(void **state) {
    (void)state;
    gnt_graph *g = gnt_graph_new();
    gnt_node a = gnt_nn_input(g, "a", 2, (int64_t[]){3, 4}, 0),
             b = gnt_nn_input(g, "b", 2, (int64_t[]){4, 5}, 1);
    gnt_node e = gnt_nn_sigmoid(g, a), out[2] = {e, gnt_nn_matmul(g, e, 0, b, 0)};
    gnt_program *p = compile(g, out, (int32_t[]){0, 1}, 2);
    assert_true(only(p, "matmul").flops == 120);
    assert_int_equal(only(p, "matmul").stage, 1);
    assert_int_equal(only(p, "chain").stage, 0);
    float va[12] = {0}, vb[20];
    double took[8] = {0};
    for (int i = 0; i < 20; i++)
        vb[i] = (float)i;
    assert_int_equal(gnt_program_run_timed(p, 0, took), -1); /* unbound, as gnt_program_run */
    gnt_program_bind(p, a, va);
    gnt_program_bind(p, b, vb);
    assert_int_equal(gnt_program_run_timed(p, 0, took), 0);
    int first = strcmp(gnt_program_step(p, 0).name, "chain") == 0 ? 0 : 1;
    assert_true(took[first] > 0 && took[1 - first] == 0);
    assert_int_equal(gnt_program_run_timed(p, 1, took), 0);
    assert_true(took[1 - first] > 0);
    const float *y = gnt_program_output(p, 1);
    assert_true(y[0] == 0.5f * (0 + 5 + 10 + 15) && y[4] == 0.5f * (4 + 9 + 14 + 19));
    gnt_program_free(p);
    gnt_graph_free(g);
}

/* ---- recipes ---- */

static const char smooth[] =
    "{\"layers\": [{\"type\": \"conv\", \"name\": \"a\", \"out\": 3, \"kernel\": 3, \"pad\": 1},"
    "{\"type\": \"batch_norm\", \"name\": \"n\"}, {\"type\": \"sigmoid\"},"
    "{\"type\": \"conv\", \"name\": \"b\", \"out\": 2, \"kernel\": 3, \"stride\": 2}, {\"type\": \"tanh\"},"
    "{\"type\": \"flatten\"}, {\"type\": \"dense\", \"name\": \"d\", \"out\": \"classes\"}]}";

static gnt_recipe *recipe(gnt_recipe_kind kind, gnt_model **m) {
    gnt_recipe *r = NULL;
    gnt_err err = {0};
    gnt_nn_shape sample = {3, {2, 6, 6}};
    gnt_key key = gnt_key_of_seed(5);
    gnt_stream random = gnt_stream_open(&key, "cost");
    if (gnt_model_parse(m, "smooth", smooth, &sample, 4, NULL, NULL, &err) ||
        gnt_recipe_new(&r, *m, kind, 2, 8, &err) || gnt_recipe_fill(r, *m, &random, &err))
        fail_msg("%s", err.text);
    return r;
}

static double cost_at(gnt_recipe *r, double *place, double value) {
    double kept = *place;
    *place = value;
    assert_int_equal(gnt_recipe_run(r), 0);
    *place = kept;
    return *(const double *)gnt_program_output(r->program, r->cost);
}

/* (f(v + h) − f(v − h)) / 2h against output `by` at a few places of `vector`. */
static void differentiate(gnt_recipe *r, double *vector, int64_t n, int32_t by) {
    for (int64_t i = 0; i < n; i += 1 + n / 12) {
        const double h = 1e-5;
        double slope =
            (cost_at(r, vector + i, vector[i] + h) - cost_at(r, vector + i, vector[i] - h)) / (2 * h);
        assert_int_equal(gnt_recipe_run(r), 0);
        double computed = ((const double *)gnt_program_output(r->program, by))[i];
        assert_true(fabs(slope - computed) < 1e-7 * (1 + fabs(slope)));
    }
}

static void test_matching_recipes(void **state) {
    (void)state;
    for (int kind = GNT_RECIPE_MATCH; kind <= GNT_RECIPE_DLG; kind++) {
        gnt_model *m = NULL;
        gnt_recipe *r = recipe((gnt_recipe_kind)kind, &m);
        differentiate(r, r->x, r->x_count, r->dx);
        assert_true((kind == GNT_RECIPE_DLG) == (r->dy >= 0));
        if (r->dy >= 0)
            differentiate(r, r->y, r->y_count, r->dy);
        gnt_recipe_free(r);
        gnt_model_free(m);
    }
}

static void test_training_recipes(void **state) {
    (void)state;
    for (int kind = GNT_RECIPE_GRADIENT; kind <= GNT_RECIPE_TRAIN; kind++) {
        gnt_model *m = NULL;
        gnt_recipe *r = recipe((gnt_recipe_kind)kind, &m);
        const gnt_param *list;
        gnt_model_params(m, &list);
        for (int32_t i = 0; i < r->n_params; i++)
            differentiate(r, (double *)r->params + list[i].offset, gnt_nn_count(&list[i].shape),
                          r->first + i);
        /* one more pair of statistics at the end where the batch's are used */
        assert_true((gnt_program_output(r->program, r->first + r->n_params) != NULL) ==
                    (kind == GNT_RECIPE_TRAIN));
        gnt_recipe_free(r);
        gnt_model_free(m);
    }
}

/* dx·v = Σ pull·(f(x + hv) − f(x − hv)) / 2h for the direction v of one pixel. */
static void test_features_recipe(void **state) {
    (void)state;
    gnt_model *m = NULL;
    gnt_recipe *r = recipe(GNT_RECIPE_FEATURES, &m);
    assert_int_equal(r->n_features, 2);
    assert_int_equal(r->feature_count[0], 2 * 3 * 36);
    assert_int_equal(r->feature_count[1], 2 * 2 * 4);
    double *x = r->x;
    for (int64_t i = 0; i < r->x_count; i += 11) {
        const double h = 1e-5, kept = x[i];
        double slope = 0;
        for (int side = -1; side <= 1; side += 2) {
            x[i] = kept + side * h;
            assert_int_equal(gnt_recipe_run(r), 0);
            for (int32_t f = 0; f < r->n_features; f++)
                for (int64_t j = 0; j < r->feature_count[f]; j++)
                    slope += side * ((const double *)gnt_program_output(r->program, r->first + f))[j] *
                             ((const double *)r->pull[f])[j] / (2 * h);
        }
        x[i] = kept;
        assert_int_equal(gnt_recipe_run(r), 0);
        assert_true(fabs(slope - ((const double *)gnt_program_output(r->program, r->dx))[i]) < 1e-6);
    }
    gnt_recipe_free(r);
    gnt_model_free(m);
}

/* The loss of the gradient's recipe is the cross entropy of this one's outputs, at the same values. */
static void test_forward_recipe(void **state) {
    (void)state;
    gnt_model *m = NULL, *same = NULL;
    gnt_recipe *r = recipe(GNT_RECIPE_FORWARD, &m), *loss = recipe(GNT_RECIPE_GRADIENT, &same);
    assert_int_equal(gnt_recipe_run(r), 0);
    const double *z = gnt_program_output(r->program, r->first), *y = r->y;
    double expected = 0;
    for (int64_t i = 0; i < r->n; i++) {
        double sum = 0;
        for (int64_t c = 0; c < 4; c++)
            sum += exp(z[i * 4 + c]);
        for (int64_t c = 0; c < 4; c++)
            expected -= y[i * 4 + c] * (z[i * 4 + c] - log(sum)) / (double)r->n;
    }
    const double *x = loss->x;
    assert_true(fabs(cost_at(loss, loss->x, x[0]) - expected) < 1e-12);
    gnt_recipe_free(r);
    gnt_recipe_free(loss);
    gnt_model_free(m);
    gnt_model_free(same);
}

static void test_recipe_without_convolutions(void **state) {
    (void)state;
    gnt_model *m = NULL;
    gnt_recipe *r = NULL;
    gnt_err err = {0};
    gnt_nn_shape sample = {1, {7}};
    const char *dense = "{\"layers\": [{\"type\": \"dense\", \"name\": \"d\", \"out\": \"classes\"}]}";
    assert_int_equal(gnt_model_parse(&m, "dense", dense, &sample, 2, NULL, NULL, &err), 0);
    assert_int_equal(gnt_recipe_new(&r, m, GNT_RECIPE_FEATURES, 1, 4, &err), -1);
    assert_null(r);
    assert_non_null(strstr(err.text, "no convolution"));
    gnt_model_free(m);
}

static void test_limits(void **state) {
    (void)state;
    assert_true(gnt_limit_flops(0) > 1e6 && gnt_limit_product(0) > 1e6);
    assert_true(gnt_limit_bytes(1 << 16, 0) > 1e6 && gnt_limit_bytes(0, 0) > 1e6);
}

/* Narrower kernels than the CPU's vectors, in any spelling that OpenBLAS takes; a name that nobody knows is
 * none. */
static void test_blas_core(void **state) {
    (void)state;
    char text[GNT_BLAS_CORE_TEXT];
    assert_true(gnt_blas_core_is_below("Haswell", 512, text));
    assert_non_null(strstr(text, "OPENBLAS_CORETYPE=Haswell"));
    assert_non_null(strstr(text, "256 bits, and this CPU has 512"));
    assert_true(gnt_blas_core_is_below("PRESCOTT", 256, text));
    assert_false(gnt_blas_core_is_below("SkylakeX", 512, text) || text[0]);
    assert_false(gnt_blas_core_is_below("Haswell", 256, text) || text[0]);
    assert_false(gnt_blas_core_is_below("Nonsense", 512, text) || text[0]);
    setenv("OPENBLAS_CORETYPE", "", 1);
    assert_false(gnt_blas_core_is_forced_down(text) || text[0]);
    setenv("OPENBLAS_CORETYPE", "Katmai", 1);
    assert_int_equal(gnt_blas_core_is_forced_down(text), gnt_cpu_has_avx2());
    unsetenv("OPENBLAS_CORETYPE");
    assert_false(gnt_blas_core_is_forced_down(text) || text[0]);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_convolutions),
        cmocka_unit_test(test_general_convolutions),
        cmocka_unit_test(test_chain),
        cmocka_unit_test(test_copies),
        cmocka_unit_test(test_timed),
        cmocka_unit_test(test_matching_recipes),
        cmocka_unit_test(test_training_recipes),
        cmocka_unit_test(test_features_recipe),
        cmocka_unit_test(test_forward_recipe),
        cmocka_unit_test(test_recipe_without_convolutions),
        cmocka_unit_test(test_limits),
        cmocka_unit_test(test_blas_core),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
