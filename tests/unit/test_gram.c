/* gram: programs that do without a weight gradient against the same graph planned plainly, in double to 1e-12
 * and in float, and against central differences; which graphs it is done to, and which it must leave alone.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/random.h"
#include "nn/plan/nn_plan.h"
#include "nn/plan/program.h"
#include "nn/model/recipe.h"

enum { MOST_INPUTS = 8, MOST_OUTPUTS = 4 };

/* A graph with its inputs' values: the gradient g of one convolution y = conv(x, w) behind a sigmoid, whose
 * loss is a weighted sum, and the outputs. */
typedef struct problem {
    gnt_graph *g;
    gnt_node x, w, seen, u, scale, grad; /* u: weights of the loss's sum; scale: one number */
    gnt_node in[MOST_INPUTS];
    double *value[MOST_INPUTS];
    int64_t count[MOST_INPUTS];
    int n_in;
    gnt_node out[MOST_OUTPUTS];
    int32_t stage[MOST_OUTPUTS];
    int n_out;
    gnt_stream random;
} problem;

static gnt_node give(problem *t, int32_t rank, const int64_t *dim, int32_t stage) {
    gnt_node x = gnt_nn_input(t->g, "input", rank, dim, stage);
    int64_t n = gnt_shape_count(rank, dim);
    double *v = malloc((size_t)n * sizeof *v);
    for (int64_t i = 0; i < n; i++)
        v[i] = 2 * gnt_random_uniform(&t->random) - 1;
    t->in[t->n_in] = x;
    t->value[t->n_in] = v;
    t->count[t->n_in++] = n;
    return x;
}

/* n, c, h, w, o, kh, kw, stride, pad */
typedef int64_t sizes[9];
static const sizes few = {1, 64, 4, 4, 64, 3, 3, 1, 1};

static problem open_problem(const char *stream) {
    gnt_key key = gnt_key_of_seed(91);
    return (problem){.g = gnt_graph_new(), .random = gnt_stream_open(&key, stream)};
}

/* The loss behind y, and its gradient in w. */
static void differentiate(problem *t, gnt_node y) {
    y = gnt_nn_sigmoid(t->g, y);
    gnt_nn_shape shape = gnt_nn_shape_of(t->g, y);
    t->u = give(t, shape.rank, shape.dim, 0);
    t->scale = give(t, 0, NULL, 0);
    gnt_node loss = gnt_nn_dot(t->g, t->u, gnt_nn_square(t->g, y));
    gnt_nn_vjp(t->g, &loss, NULL, 1, &t->w, 1, &t->grad);
}

static problem start(const int64_t *s) {
    problem t = open_problem("gram");
    t.x = give(&t, 4, s, 0);
    t.w = give(&t, 4, (int64_t[]){s[4], s[1], s[5], s[6]}, 0);
    t.seen = give(&t, 4, (int64_t[]){s[4], s[1], s[5], s[6]}, 0);
    differentiate(&t, gnt_nn_conv(t.g, gnt_nn_tanh(t.g, t.x), t.w, (int32_t)s[7], (int32_t)s[8]));
    return t;
}

/* y = op(x)·op(w), or op(w)·op(x) with `left`; op transposes where tx, tw. */
static problem start_dense(int64_t rank, int left, int tx, int tw) {
    const int64_t m = 260, n = 180, inner = left == tw ? m : n;
    problem t = open_problem("dense");
    t.x = give(&t, 2, left == tx ? (int64_t[]){rank, inner} : (int64_t[]){inner, rank}, 0);
    t.w = give(&t, 2, (int64_t[]){m, n}, 0);
    t.seen = give(&t, 2, (int64_t[]){m, n}, 0);
    gnt_node x = gnt_nn_tanh(
        t.g, gnt_nn_affine(t.g, t.x, 0.1, 0)); /* sums of many: keep the sigmoids apart from 0 and 1 */
    differentiate(&t, left ? gnt_nn_matmul(t.g, t.w, tw, x, tx) : gnt_nn_matmul(t.g, x, tx, t.w, tw));
    return t;
}

static void end(problem *t) {
    for (int i = 0; i < t->n_in; i++)
        free(t->value[i]);
    gnt_graph_free(t->g);
}

/* Makes outputs of a cost and its derivative in x, cotangent 1, or given at `stage`. */
static void want(problem *t, gnt_node cost, int32_t stage) {
    gnt_node u = stage > 0 ? give(t, 0, NULL, stage) : -1, dx;
    assert_int_equal(gnt_nn_vjp(t->g, &cost, stage > 0 ? &u : NULL, 1, &t->x, 1, &dx), 0);
    t->stage[t->n_out] = 0;
    t->out[t->n_out++] = cost;
    t->stage[t->n_out] = stage;
    t->out[t->n_out++] = dx;
}

static gnt_node cosine(problem *t, gnt_node a, gnt_node b) {
    return gnt_nn_cosine_distance(t->g, &a, &b, 1, 1e-12);
}

/* A number of the graph, as large as the gradient. */
static gnt_node broadcast(problem *t, gnt_node number) {
    gnt_nn_shape s = gnt_nn_shape_of(t->g, t->grad);
    return gnt_nn_expand(t->g, gnt_nn_reshape(t->g, number, 4, (int64_t[]){1, 1, 1, 1}), 4, s.dim);
}

static int steps_named(const gnt_program *p, const char *name) {
    gnt_program_size size = gnt_program_measure(p);
    int n = 0;
    for (int32_t i = 0; i < size.steps + size.constant; i++)
        n += strcmp(gnt_program_step(p, i).name, name) == 0;
    return n;
}

/* True if the program does without the gradient: it has no room for that of a dense layer. */
static int does_without(const problem *t, const gnt_program *p, int32_t precision) {
    gnt_nn_shape s = gnt_nn_shape_of(t->g, t->grad);
    return s.rank == 4 ? steps_named(p, "conv_dw") == 0
                       : gnt_program_arena_bytes(p) < (size_t)(gnt_nn_count(&s) * precision);
}

static gnt_program *compile(const problem *t, int32_t precision, int plain, float **kept) {
    char error[512] = "";
    gnt_program *p = (plain ? gnt_program_new_plain : gnt_program_new)(t->g, t->out, t->stage, t->n_out,
                                                                       precision, error, sizeof error);
    if (!p)
        fail_msg("%s", error);
    for (int i = 0; i < t->n_in; i++) {
        if (precision == 4) {
            kept[i] = malloc((size_t)t->count[i] * sizeof **kept);
            for (int64_t k = 0; k < t->count[i]; k++)
                kept[i][k] = (float)t->value[i][k];
        }
        assert_int_equal(gnt_program_bind(p, t->in[i], precision == 4 ? (void *)kept[i] : t->value[i]), 0);
    }
    return p;
}

static void run_all(const problem *t, gnt_program *p) {
    for (int32_t stage = 0; stage < 4; stage++) {
        int wanted = 0;
        for (int i = 0; i < t->n_out; i++)
            wanted |= t->stage[i] == stage;
        if (wanted)
            assert_int_equal(gnt_program_run(p, stage), 0);
    }
}

static double entry(const gnt_program *p, int32_t output, int64_t i, int32_t precision) {
    const void *v = gnt_program_output(p, output);
    return precision == 4 ? (double)((const float *)v)[i] : ((const double *)v)[i];
}

/* True if the gradient was taken out. Checks that all outputs equal those of plain planning in double. */
static int check(const problem *t) {
    float *kept[MOST_INPUTS] = {NULL};
    gnt_program *plain = compile(t, 8, 1, NULL);
    run_all(t, plain);
    assert_false(does_without(t, plain, 8));
    int taken = -1;
    for (int32_t precision = 4; precision <= 8; precision += 4) {
        gnt_program *p = compile(t, precision, 0, kept);
        run_all(t, p);
        int here = does_without(t, p, precision);
        assert_true(taken < 0 || taken == here);
        taken = here;
        for (int32_t i = 0; i < t->n_out; i++) {
            gnt_nn_shape s = gnt_nn_shape_of(t->g, t->out[i]);
            double off = 0, size = 0;
            for (int64_t k = 0; k < gnt_nn_count(&s); k++) {
                double a = entry(p, i, k, precision), b = entry(plain, i, k, 8);
                off += (a - b) * (a - b);
                size += b * b;
            }
            double most = precision == 4 ? 1e-5 : 1e-12;
            if (!(sqrt(off) <= most * sqrt(size)))
                fail_msg("output %d, precision %d: off by %.3g, expected at most %.0e", i, precision,
                         sqrt(off / size), most);
        }
        gnt_program_free(p);
    }
    for (int i = 0; i < t->n_in; i++)
        free(kept[i]);
    gnt_program_free(plain);
    return taken;
}

/* ---- values ---- */

/* Windows that are not square, strides that pass pixels over, padding, batches, more channels on either side:
 * what a sign, a transposition or a mix-up of two images would change. */
static void test_shapes(void **state) {
    (void)state;
    static const sizes shape[] = {
        {1, 64, 4, 4, 64, 3, 3, 1, 1},   {3, 64, 3, 4, 96, 3, 3, 1, 1},   {3, 128, 4, 4, 96, 3, 3, 1, 1},
        {1, 32, 6, 6, 320, 3, 3, 2, 1},  {3, 40, 3, 4, 400, 3, 3, 2, 1},  {2, 32, 4, 3, 48, 5, 5, 1, 2},
        {2, 32, 4, 3, 64, 5, 5, 2, 2},   {2, 96, 4, 3, 256, 2, 3, 1, 0},  {2, 128, 3, 3, 160, 2, 2, 1, 1},
        {1, 300, 3, 3, 250, 1, 1, 1, 0}, {1, 64, 4, 5, 1024, 1, 2, 3, 1},
    };
    for (size_t i = 0; i < sizeof shape / sizeof *shape; i++) {
        problem t = start(shape[i]);
        want(&t, cosine(&t, t.grad, t.seen), 0);
        if (!check(&t))
            fail_msg("shape %zu: the gradient is still there", i);
        end(&t);
    }
}

/* Every side and transposition that a dense layer's gradient can come from. */
static void test_dense(void **state) {
    (void)state;
    for (int64_t rank = 1; rank <= 3; rank += 2)
        for (int k = 0; k < 8; k++) {
            problem t = start_dense(rank, k & 1, k >> 1 & 1, k >> 2);
            want(&t, cosine(&t, t.grad, t.seen), 0);
            if (!check(&t))
                fail_msg("rank %d, case %d: the gradient is still there", (int)rank, k);
            end(&t);
        }
    problem t = start_dense(20, 0, 0, 1); /* too many samples */
    want(&t, cosine(&t, t.grad, t.seen), 0);
    assert_false(check(&t));
    end(&t);
}

static void test_central_differences(void **state) {
    (void)state;
    const double h = 1e-5;
    problem t = start((sizes){2, 32, 4, 3, 64, 5, 5, 2, 2});
    want(&t, cosine(&t, t.grad, t.seen), 0);
    gnt_program *p = compile(&t, 8, 0, NULL);
    assert_true(steps_named(p, "gram") == 1 && steps_named(p, "gram_dx") == 1 &&
                steps_named(p, "conv_dw") == 0);
    run_all(&t, p);
    double rule[5], off = 0, size = 0;
    for (int k = 0; k < 5; k++)
        rule[k] = entry(p, 1, 7 + 61 * k, 8);
    for (int k = 0; k < 5; k++) {
        double *x = &t.value[0][7 + 61 * k], was = *x, up;
        *x = was + h;
        run_all(&t, p);
        up = entry(p, 0, 0, 8);
        *x = was - h;
        run_all(&t, p);
        double d = (up - entry(p, 0, 0, 8)) / (2 * h);
        *x = was;
        off += (rule[k] - d) * (rule[k] - d);
        size += d * d;
    }
    if (!(sqrt(off) <= 1e-6 * sqrt(size)))
        fail_msg("relative error %.3g above 1e-6", sqrt(off / size));
    gnt_program_free(p);
    end(&t);
}

/* ---- which graphs ---- */

/* An update −rate·g instead of g, constants, differences: multiples and combinations of every kind. */
static void test_multiples(void **state) {
    (void)state;
    problem t = start(few);
    gnt_node move = gnt_nn_mul(t.g, broadcast(&t, t.scale), gnt_nn_affine(t.g, t.grad, -0.25, 0));
    want(&t, cosine(&t, move, gnt_nn_affine(t.g, t.seen, 3, 0)), 0);
    assert_true(check(&t));
    end(&t);

    t = start(few); /* the norm alone */
    want(&t, gnt_nn_norm(t.g, t.grad, 1e-12), 0);
    assert_true(check(&t));
    end(&t);

    t = start(few); /* weights that are a difference */
    gnt_node d =
        gnt_nn_sub(t.g, gnt_nn_mul(t.g, broadcast(&t, t.scale), t.seen), gnt_nn_affine(t.g, t.grad, 2, 0));
    gnt_node v[2] = {d, gnt_nn_sub(t.g, t.grad, t.seen)};
    for (int k = 0; k < 2; k++)
        t.out[t.n_out++] = gnt_nn_conv(t.g, gnt_nn_tanh(t.g, t.x), v[k], 1, 1);
    assert_true(check(&t));
    end(&t);
}

/* The cotangent given at a later stage, as the model service has it: a vjp may run again and again. */
static void test_stages(void **state) {
    (void)state;
    problem t = start(few);
    gnt_nn_hold(t.g, t.w);
    gnt_nn_hold(t.g, t.seen);
    want(&t, cosine(&t, t.grad, t.seen), 2);
    assert_true(check(&t));
    end(&t);

    t = start(few); /* constant multiples of the observed gradient */
    gnt_nn_hold(t.g, t.seen);
    gnt_nn_hold(t.g, t.scale);
    want(&t, cosine(&t, t.grad, gnt_nn_mul(t.g, gnt_nn_sigmoid(t.g, t.seen), broadcast(&t, t.scale))), 0);
    assert_true(check(&t));
    end(&t);
}

/* Where the gradient is needed, or taking it apart would cost more or lose digits. */
static void test_left_alone(void **state) {
    (void)state;
    problem t = start(few); /* it is an output */
    want(&t, cosine(&t, t.grad, t.seen), 0);
    t.out[t.n_out++] = t.grad;
    assert_false(check(&t));
    end(&t);

    t = start(few); /* a multiple of it is an output */
    want(&t, cosine(&t, t.grad, t.seen), 0);
    t.out[t.n_out++] = gnt_nn_affine(t.g, t.grad, -1, 0);
    assert_false(check(&t));
    end(&t);

    t = start(few); /* masked */
    gnt_node mask = gnt_nn_step(t.g, t.seen);
    want(&t, cosine(&t, gnt_nn_mul(t.g, t.grad, mask), gnt_nn_mul(t.g, t.seen, mask)), 0);
    assert_false(check(&t));
    end(&t);

    t = start(few); /* squared differences */
    want(&t, gnt_nn_sum_all(t.g, gnt_nn_square(t.g, gnt_nn_sub(t.g, t.grad, t.seen))), 0);
    assert_false(check(&t));
    end(&t);

    t = start(few); /* other functions of it */
    want(&t, gnt_nn_add(t.g, cosine(&t, t.grad, t.seen), gnt_nn_sum_all(t.g, gnt_nn_abs(t.g, t.grad))), 0);
    assert_false(check(&t));
    end(&t);

    t = start(few); /* sums over a part of it */
    want(&t, gnt_nn_sum_all(t.g, gnt_nn_square(t.g, gnt_nn_sum(t.g, gnt_nn_mul(t.g, t.grad, t.seen), 14))),
         0);
    assert_false(check(&t));
    end(&t);

    t = start(few); /* compared with two things */
    want(&t, gnt_nn_add(t.g, cosine(&t, t.grad, t.seen), cosine(&t, t.grad, t.w)), 0);
    assert_false(check(&t));
    end(&t);

    t = start(
        few); /* compared with what changes at a later stage: there the gradient is read again and again */
    gnt_nn_shape s = gnt_nn_shape_of(t.g, t.grad);
    t.out[t.n_out] = gnt_nn_dot(t.g, t.grad, give(&t, 4, s.dim, 1));
    t.stage[t.n_out++] = 1;
    assert_false(check(&t));
    end(&t);

    t = start(few); /* weights of another image's convolution */
    t.out[t.n_out++] = gnt_nn_conv(t.g, t.x, t.grad, 1, 1);
    assert_false(check(&t));
    end(&t);

    t = start(few); /* of another stride */
    t.out[t.n_out++] = gnt_nn_conv(t.g, gnt_nn_tanh(t.g, t.x), t.grad, 2, 1);
    assert_false(check(&t));
    end(&t);

    t = start((sizes){1, 16, 16, 16, 256, 3, 3, 1, 1}); /* too many places */
    want(&t, cosine(&t, t.grad, t.seen), 0);
    assert_false(check(&t));
    end(&t);
}

/* The sum of eight and more terms would be taken apart again and again. */
static void test_depth(void **state) {
    (void)state;
    for (int deep = 0; deep < 2; deep++) {
        problem t = start(few);
        gnt_node v = t.grad;
        for (int i = 0; i < (deep ? 40 : 3); i++)
            v = gnt_nn_affine(t.g, gnt_nn_add(t.g, v, t.seen), 0.5, 0);
        t.out[t.n_out++] = gnt_nn_conv(t.g, gnt_nn_tanh(t.g, t.x), v, 1, 1);
        assert_int_equal(check(&t), !deep);
        end(&t);
    }
}

/* The cost for 64 channels with 4×4 places on either side, window 3×3: products of pixels, the matrix
 * applied, and its making. */
static void test_cost(void **state) {
    (void)state;
    problem t = start(few);
    want(&t, cosine(&t, t.grad, t.seen), 0);
    float *kept[MOST_INPUTS];
    gnt_program *p = compile(&t, 4, 0, kept);
    gnt_program_size size = gnt_program_measure(p);
    int found = 0;
    for (int32_t i = 0; i < size.steps + size.constant; i++) {
        gnt_step_cost c = gnt_program_step(p, i);
        if (strncmp(c.name, "gram", 4) != 0)
            continue;
        found++;
        assert_true(c.flops == 2 * 16 * 16 * 64 + 2 * 16 * 16 * 64 + 16 * 16 * 9);
        assert_true(c.bytes == 3 * 4 * 16 * 64);
    }
    assert_int_equal(found, 2);
    for (int i = 0; i < t.n_in; i++)
        free(kept[i]);
    gnt_program_free(p);
    end(&t);
}

/* ---- networks ---- */

static gnt_recipe *recipe(const char *path, gnt_recipe_kind kind, int64_t n) {
    gnt_nn_shape sample = {3, {3, 32, 32}};
    gnt_model *m = NULL;
    gnt_recipe *r = NULL;
    gnt_err err = {0};
    if (gnt_model_load(&m, path, &sample, 10, NULL, NULL, &err) || gnt_recipe_new(&r, m, kind, n, 4, &err))
        fail_msg("%s", err.text);
    gnt_model_free(m);
    return r;
}

/* ResNet-18 has 20 convolutions. At batch 1 four of them, of 3×3, have 4×4 places, and three 8×8 with 256
 * channels on either side; with stride 2 there are too many pixels against the places. */
static void test_networks(void **state) {
    (void)state;
    static const struct {
        const char *path;
        gnt_recipe_kind kind;
        int64_t n;
        int gram, dw;
    } of[] = {
        {"models/resnet18.json", GNT_RECIPE_MATCH, 1, 7, 13},
        {"models/resnet18.json", GNT_RECIPE_MATCH, 8, 3, 17},
        {"models/resnet18.json", GNT_RECIPE_DLG, 1, 0, 20},
        {"models/resnet18.json", GNT_RECIPE_GRADIENT, 1, 0, 20},
        {"models/lenet.json", GNT_RECIPE_MATCH, 1, 0, 3},
    };
    for (size_t i = 0; i < sizeof of / sizeof *of; i++) {
        gnt_recipe *r = recipe(of[i].path, of[i].kind, of[i].n);
        int dw = steps_named(r->program, "conv_dw");
        assert_int_equal(steps_named(r->program, "gram"), of[i].gram);
        assert_int_equal(steps_named(r->program, "gram_dx"), of[i].gram);
        if (of[i].dw != dw)
            fail_msg("case %zu: %d weight gradients, expected %d", i, dw, of[i].dw);
        gnt_recipe_free(r);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_shapes),
        cmocka_unit_test(test_dense),
        cmocka_unit_test(test_central_differences),
        cmocka_unit_test(test_multiples),
        cmocka_unit_test(test_stages),
        cmocka_unit_test(test_left_alone),
        cmocka_unit_test(test_depth),
        cmocka_unit_test(test_cost),
        cmocka_unit_test(test_networks),
    };
    return cmocka_run_group_tests_name("gram", tests, NULL, NULL);
}
