/* Optimisers: trajectories against PyTorch's (tests/golden/golden.py, float64 and float32) on
 * f(x) = Σ c (x − a)²/2 + 2 Σ (1 − cos(xᵢ + xᵢ₊₁)), and the laws of guard, schedules and box. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "formula.h"
#include "gauntlet/nn.h"
#include "nn/io/safetensors.h"

enum { N = 12 };

static void start(float x[N]) {
    for (int i = 0; i < N; i++)
        x[i] = (float)(2 * formula_unit(FORMULA_X, (uint64_t)i));
}

static double cost(void *calls, const float *x, float *grad) {
    double value = 0;
    if (calls)
        ++*(int64_t *)calls;
    for (int i = 0; i < N; i++) {
        double a = formula_unit(FORMULA_X_SEEN, (uint64_t)i), c = exp2(i % 6 - 2), off = (double)x[i] - a;
        double before = i > 0 ? 2 * sin((double)x[i - 1] + (double)x[i]) : 0;
        double after = i < N - 1 ? 2 * sin((double)x[i] + (double)x[i + 1]) : 0;
        value += c * off * off / 2 + (i < N - 1 ? 2 * (1 - cos((double)x[i] + (double)x[i + 1])) : 0);
        grad[i] = (float)(c * off + before + after);
    }
    return value;
}

/* ---- against PyTorch */

static gnt_st golden;

static int load_golden(void **state) {
    (void)state;
    gnt_err err = {0};
    return gnt_st_load(&golden, "tests/golden/optim.safetensors", &err);
}

static int drop_golden(void **state) {
    (void)state;
    gnt_st_free(&golden);
    return 0;
}

static const double *need(const char *name, const char *part) {
    char full[100];
    snprintf(full, sizeof full, "%s%s", name, part);
    const gnt_st_tensor *t = gnt_st_find(&golden, full);
    assert_non_null(t);
    return t->data;
}

static int64_t steps_of(const char *name) {
    char full[100];
    snprintf(full, sizeof full, "%s.f64", name);
    const gnt_st_tensor *t = gnt_st_find(&golden, full);
    assert_non_null(t);
    return t->dim[0];
}

/* Relative L2 distance of x from the path's place after `step`. */
static void near(const char *name, int64_t step, const float x[N], double tolerance) {
    static const char *const parts[] = {".f64", ".f32"};
    for (int p = 0; p < 2; p++) {
        const double *b = need(name, parts[p]) + step * N;
        double off = 0, size = 0;
        for (int i = 0; i < N; i++) {
            off += ((double)x[i] - b[i]) * ((double)x[i] - b[i]);
            size += b[i] * b[i];
        }
        if (!(sqrt(off) <= tolerance * sqrt(size)))
            fail_msg("%s%s, step %d: relative distance %.3g", name, parts[p], (int)step, sqrt(off / size));
    }
}

static void adam_follows_pytorch(void **state) {
    (void)state;
    for (int is_signed = 0; is_signed < 2; is_signed++) {
        const char *name = is_signed ? "adam_signed" : "adam";
        gnt_adam *a = is_signed ? gnt_adam_new(N, .8, .99, 1e-8) : gnt_adam_new(N, .9, .999, 1e-8);
        assert_non_null(a);
        for (int again = 0; again < 2; again++) { /* a reset forgets everything */
            float x[N], grad[N];
            start(x);
            for (int64_t s = 0; s < steps_of(name); s++) {
                cost(NULL, x, grad);
                if (is_signed)
                    gnt_adam_step_signed(a, x, grad, .05);
                else
                    gnt_adam_step(a, x, grad, .1);
                near(name, s, x, 2e-6);
            }
            gnt_adam_reset(a);
        }
        gnt_adam_free(a);
    }
}

static void sgd_follows_pytorch(void **state) {
    (void)state;
    float x[N], v[N] = {0}, grad[N];
    start(x);
    for (int64_t s = 0; s < steps_of("sgd"); s++) {
        cost(NULL, x, grad);
        gnt_sgd_step(x, NULL, grad, N, .02, 0, 0);
        near("sgd", s, x, 2e-6);
    }
    start(x);
    for (int64_t s = 0; s < steps_of("sgd_momentum"); s++) {
        cost(NULL, x, grad);
        gnt_sgd_step(x, v, grad, N, .02, .9, .05);
        near("sgd_momentum", s, x, 2e-6);
    }
}

static void follow_lbfgs(const char *name, double rate, int32_t inner, int32_t history) {
    gnt_lbfgs *o = gnt_lbfgs_new(N, history);
    assert_non_null(o);
    for (int again = 0; again < 2; again++) {
        float x[N];
        int64_t seen = 0, counted = 0;
        char part[100];
        start(x);
        for (int64_t s = 0; s < steps_of(name); s++) {
            double first = gnt_lbfgs_step(o, x, rate, inner, 0, cost, &seen, &counted);
            double expected = need(name, ".f64.cost")[s];
            near(name, s, x, 1e-5);
            assert_true(fabs(first - expected) <= 1e-5 * fabs(expected));
        }
        snprintf(part, sizeof part, "%s.f32.calls", name);
        const gnt_st_tensor *calls = gnt_st_find(&golden, part);
        assert_non_null(calls);
        assert_int_equal(counted, seen);
        assert_int_equal(seen, *(const int64_t *)calls->data);
        gnt_lbfgs_reset(o);
    }
    gnt_lbfgs_free(o);
}

static void lbfgs_follows_pytorch(void **state) {
    (void)state;
    follow_lbfgs("lbfgs", 1, 20, 100);
    follow_lbfgs("lbfgs_short", .5, 4, 3); /* the oldest of three pairs is dropped */
    follow_lbfgs("lbfgs_two", 1, 2,
                 100); /* PyTorch allows 5/4 of the iterations as evaluations: one of two */
}

/* ---- laws of L-BFGS */

/* A well within a plateau: a full step from the start lands where the cost is higher, as with a saturated
 * sigmoid. */
static double trap(void *context, const float *x, float *grad) {
    (void)context;
    double e = exp(-(double)x[0] * (double)x[0]);
    grad[0] = (float)(200 * (double)x[0] * e);
    return 100 * (1 - e);
}

static double not_finite(void *context, const float *x, float *grad) {
    int64_t *calls = context;
    grad[0] = x[0];
    return ++*calls > 1 ? NAN : 1;
}

static void guard_keeps_the_cost_from_rising(void **state) {
    (void)state;
    gnt_lbfgs *o = gnt_lbfgs_new(N, 100), *one = gnt_lbfgs_new(1, 10);
    float x[N], grad[N], y = 0.9f;
    start(x);
    double before = cost(NULL, x, grad);
    for (int s = 0; s < 10; s++) {
        gnt_lbfgs_step(o, x, 1, 5, 1, cost, NULL, NULL);
        double after = cost(NULL, x, grad);
        assert_true(after <= before);
        before = after;
    }
    for (int i = 0; i < N; i++)
        assert_true(fabsf(grad[i]) < 1e-3f);
    double at = trap(NULL, &y, grad);
    for (int s = 0; s < 20; s++) {
        gnt_lbfgs_step(one, &y, 40, 3, 1, trap, NULL, NULL);
        double now = trap(NULL, &y, grad);
        assert_true(now <= at);
        at = now;
    }
    assert_true(fabsf(y) < 1e-2f);
    gnt_lbfgs_free(o);
    gnt_lbfgs_free(one);
}

static void a_cost_that_is_no_number_ends_the_step(void **state) {
    (void)state;
    gnt_lbfgs *o = gnt_lbfgs_new(1, 10);
    float x = 2;
    int64_t calls = 0, counted = 0;
    assert_true(gnt_lbfgs_step(o, &x, 1, 20, 0, not_finite, &calls, &counted) == 1);
    assert_int_equal(counted, 2);
    assert_true(isnan(gnt_lbfgs_step(o, &x, 1, 20, 0, not_finite, &calls, NULL)));
    gnt_lbfgs_reset(o);
    calls = 0;
    x = 2;
    gnt_lbfgs_step(o, &x, 1, 20, 1, not_finite, &calls, NULL);
    assert_true(x == 2); /* with a guard no step was good, so none was taken */
    assert_int_equal(calls, 1 + 11);
    gnt_lbfgs_free(o);
    assert_null(gnt_lbfgs_new(0, 10));
    assert_null(gnt_lbfgs_new(10, 0));
    assert_null(gnt_lbfgs_new(INT64_MAX, 100));
}

/* ---- schedules and box */

static void rates_fall_as_stated(void **state) {
    (void)state;
    const double milestones[] = {3.0 / 8, 5.0 / 8, 7.0 / 8};
    const struct {
        int64_t step;
        double rate;
    } cases[] = {{0, .1},       {8999, .1},     {9000, .01},   {14999, .01},
                 {15000, .001}, {21000, .0001}, {23999, .0001}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        assert_true(fabs(gnt_rate_milestones(.1, cases[i].step, 24000, milestones, 3, .1) / cases[i].rate -
                         1) < 1e-12);
    assert_true(gnt_rate_cosine(.5, 0, 10) == .5);
    assert_true(fabs(gnt_rate_cosine(.5, 5, 10) - .25) < 1e-15);
    assert_true(fabs(gnt_rate_cosine(.5, 2, 8) - .25 * (1 + sqrt(.5))) < 1e-15);
    assert_true(gnt_rate_cosine(.5, 10, 10) < 1e-16);
    assert_true(gnt_rate_cosine(.5, 12, 10) < 1e-16);
}

static void box_clamps_and_leaves_nan_to_be_seen(void **state) {
    (void)state;
    float x[] = {-.5f, 0, .25f, 1, 7, NAN, INFINITY};
    gnt_project_box(x, 7, 0, 1);
    const float want[] = {0, 0, .25f, 1, 1};
    assert_memory_equal(x, want, sizeof want);
    assert_true(isnan(x[5]));
    assert_true(x[6] == 1);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(adam_follows_pytorch),
        cmocka_unit_test(sgd_follows_pytorch),
        cmocka_unit_test(lbfgs_follows_pytorch),
        cmocka_unit_test(guard_keeps_the_cost_from_rising),
        cmocka_unit_test(a_cost_that_is_no_number_ends_the_step),
        cmocka_unit_test(rates_fall_as_stated),
        cmocka_unit_test(box_clamps_and_leaves_nan_to_be_seen),
    };
    return cmocka_run_group_tests_name("optim", tests, load_golden, drop_golden);
}
