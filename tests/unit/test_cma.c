/* CMA-ES: how fast it finds minima that are known, that its covariance stays one, and that it sees nothing of
 * costs but their order. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include "../../plugins/attacks/gradient/search/cma.c"
#include <cmocka.h>

#include "plain_host.h"

enum { N = 10, MOST = 100, SEEDS = 3 };

typedef double function(const double *x);

static double sphere(const double *x) {
    double sum = 0;
    for (int i = 0; i < N; i++)
        sum += x[i] * x[i];
    return sum;
}

/* Axes whose curvatures span a factor of a million. */
static double ellipsoid(const double *x) {
    double sum = 0;
    for (int i = 0; i < N; i++)
        sum += pow(1e6, i / (N - 1.0)) * x[i] * x[i];
    return sum;
}

/* A valley that bends; its minimum is at ones. */
static double rosenbrock(const double *x) {
    double sum = 0;
    for (int i = 0; i + 1 < N; i++)
        sum += 100 * pow(x[i + 1] - x[i] * x[i], 2) + pow(1 - x[i], 2);
    return sum;
}

/* No cost at all in half of the space. */
static double half(const double *x) {
    return x[0] < 0 ? NAN : sphere(x);
}

static double squashed(const double *x) {
    return -1 / (1 + 7 * sphere(x));
}

static plain_host host;

static cma open_it(uint64_t seed, int64_t population, double start, double step) {
    double at[N];
    cma c;
    for (int i = 0; i < N; i++)
        at[i] = start;
    assert_int_equal(cma_open(&c, plain_open(&host, seed), N, population, at, step, "cma"), GNT_OK);
    assert_true(c.population <= MOST);
    return c;
}

/* One generation; its least cost. */
static double turn(cma *c, function *f) {
    double x[MOST * N], cost[MOST], least = INFINITY;
    cma_ask(c, x);
    for (int64_t k = 0; k < c->population; k++)
        least = fmin(least, cost[k] = f(x + k * N));
    cma_tell(c, cost);
    return least;
}

/* Evaluations until a sample costs less than 1e-8; more than `most` fail. */
static int64_t evaluations(function *f, uint64_t seed, double start, double step, int64_t most) {
    cma c = open_it(seed, 0, start, step);
    double least = INFINITY;
    while (least > 1e-8 && c.generation * c.population < most)
        least = fmin(least, turn(&c, f));
    plain_close(&host);
    assert_true(least <= 1e-8);
    return c.generation * c.population;
}

/* The tutorial's table for n = 10: λ 10, μ 5; Hansen's own program prints mu_w 3.2 and w_1 45 %. */
static void settings_are_the_tutorials(void **state) {
    (void)state;
    cma c = open_it(1, 0, 0, 1);
    double sum = 0;
    for (int64_t i = 0; i < c.parents; i++)
        sum += c.weight[i];
    assert_int_equal(c.population, 10);
    assert_int_equal(c.parents, 5);
    assert_true(fabs(sum - 1) < 1e-12);
    assert_true(fabs(c.mass - 3.2) < 0.05 && fabs(c.weight[0] - 0.45) < 0.01);
    plain_close(&host);
}

/* Bounds are some way above what eight other streams took: at most 1370, 6070 and 6770. Plain steps of one
 * size for all axes would need millions on the ellipsoid. */
static void minima_are_found(void **state) {
    (void)state;
    for (uint64_t seed = 101; seed < 101 + SEEDS; seed++) {
        assert_in_range(evaluations(sphere, seed, 1, 0.5, 1600), 800, 1600);
        assert_in_range(evaluations(ellipsoid, seed, 1, 0.5, 7000), 3000, 7000);
        assert_in_range(evaluations(rosenbrock, seed, 0, 0.1, 8000), 3000, 8000);
    }
}

/* Near the minimum of a quadratic function C is like the inverse of its curvature: variances of the first and
 * the last axis stand in the ratio 10⁶. */
static void the_covariance_learns_the_axes(void **state) {
    (void)state;
    cma c = open_it(7, 0, 1, 0.5);
    while (turn(&c, ellipsoid) > 1e-8)
        assert_true(c.generation < 1000);
    const double ratio = c.covariance[0] / c.covariance[N * N - 1];
    assert_true(ratio > 1e5 && ratio < 1e7);
    plain_close(&host);
}

static void the_covariance_stays_one(void **state) {
    (void)state;
    double copy[N * N];
    cma c = open_it(3, 0, 0, 0.1);
    for (int g = 0; g < 600; g++) {
        turn(&c, rosenbrock);
        for (int i = 0; i < N; i++)
            for (int j = 0; j < N; j++)
                assert_true(c.covariance[i * N + j] == c.covariance[j * N + i]);
        memcpy(copy, c.covariance, sizeof copy);
        assert_int_equal(gnt_cholesky(copy, N), 0);
        assert_true(c.step > 0 && isfinite(c.step));
    }
    plain_close(&host);
}

/* A C that rounding broke keeps its diagonal, and the search goes on. */
static void a_broken_covariance_is_repaired(void **state) {
    (void)state;
    cma c = open_it(4, 0, 1, 0.5);
    turn(&c, sphere);
    c.covariance[1] = c.covariance[N] = 1e3;
    turn(&c, sphere);
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++)
            assert_true((c.factor[i * N + j] > 0) == (i == j));
    for (int g = 0; g < 300; g++)
        turn(&c, sphere);
    assert_true(turn(&c, sphere) < 1e-8);
    plain_close(&host);
}

static void no_cost_is_the_worst(void **state) {
    (void)state;
    evaluations(half, 5, 1, 0.5, 3000);
}

static void trace(function *f, uint64_t seed, double mean[N]) {
    cma c = open_it(seed, 12, 1, 0.5);
    for (int g = 0; g < 50; g++)
        turn(&c, f);
    memcpy(mean, c.mean, N * sizeof *mean);
    plain_close(&host);
}

/* Another key, other bytes; the same key, the same; and a cost that has the same order leads the same way. */
static void only_the_key_and_the_order_count(void **state) {
    (void)state;
    double first[N], again[N], other[N], monotone[N];
    trace(sphere, 6, first);
    trace(sphere, 6, again);
    trace(sphere, 8, other);
    trace(squashed, 6, monotone);
    assert_memory_equal(first, again, sizeof first);
    assert_memory_equal(first, monotone, sizeof first);
    assert_memory_not_equal(first, other, sizeof first);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(settings_are_the_tutorials),       cmocka_unit_test(minima_are_found),
        cmocka_unit_test(the_covariance_learns_the_axes),   cmocka_unit_test(the_covariance_stays_one),
        cmocka_unit_test(a_broken_covariance_is_repaired),  cmocka_unit_test(no_cost_is_the_worst),
        cmocka_unit_test(only_the_key_and_the_order_count),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
