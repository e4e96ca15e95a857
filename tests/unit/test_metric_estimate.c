/* Means over training runs with their intervals: values of tests/golden/stats.py, bounds, constants and
 * refusals. How often the intervals hold: test_metric_coverage.c. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "metric/estimate.h"
#include "metric/measure.h"

static const gnt_score_bounds unbounded = {-INFINITY, INFINITY};

static int near(double got, double expected) {
    return fabs(got - expected) <= 1e-11;
}

static void expect(const gnt_estimate *e, double mean, double low, double high, size_t trainings,
                   gnt_interval_over over) {
    assert_true(near(e->mean, mean) && near(e->low, low) && near(e->high, high));
    assert_int_equal(e->trainings, trainings);
    assert_int_equal(e->over, over);
}

/* Means 4, 5, 3: each training counts once, however many targets it has. */
static void mean_by_hand(void **state) {
    (void)state;
    const double x[] = {1, 5, 6, 2, 8, 3}, shuffled[] = {8, 6, 3, 1, 2, 5};
    const int64_t training[] = {7, 7, 7, -1, -1, 4}, of_shuffled[] = {-1, 7, 4, 7, -1, 7};
    gnt_estimate e, again;
    assert_int_equal(gnt_estimate_mean(&e, x, training, 6, unbounded, NULL), 0);
    expect(&e, 4, 1.51586228824967, 6.48413771175033, 3, GNT_INTERVAL_TRAININGS);
    assert_int_equal(gnt_estimate_mean(&again, shuffled, of_shuffled, 6, unbounded, NULL), 0);
    assert_true(e.low == again.low && e.high == again.high && e.mean == again.mean);
    assert_int_equal(gnt_estimate_mean(&e, x, NULL, 3, unbounded, NULL), 0);
    expect(&e, 4, -2.57241060772843, 10.5724106077284, 1, GNT_INTERVAL_TARGETS);
    assert_int_equal(gnt_estimate_mean(&e, x, training, 3, (gnt_score_bounds){0, 6}, NULL), 0);
    expect(&e, 4, 0, 6, 1, GNT_INTERVAL_TARGETS);
}

static void all_equal_is_no_interval(void **state) {
    (void)state;
    double x[48];
    int64_t training[48];
    gnt_estimate e;
    for (int i = 0; i < 48; i++) {
        x[i] = 0.1;
        training[i] = i % 3;
    }
    assert_int_equal(gnt_estimate_mean(&e, x, training, 48, unbounded, NULL), 0);
    assert_true(e.mean == 0.1 && e.low == 0.1 && e.high == 0.1 && e.over == GNT_INTERVAL_NONE);
    assert_int_equal(gnt_estimate_mean(&e, x, NULL, 1, unbounded, NULL), 0);
    assert_true(e.mean == 0.1 && e.low == 0.1 && e.high == 0.1 && e.over == GNT_INTERVAL_NONE);
    /* targets differ, but in each training by as much: .1 + .2 and .3 are not the same to the last bit */
    const double y[] = {0.1 + 0.2, 0.5, 0.3, 0.5, 0.5, 0.3};
    const int64_t of_y[] = {1, 1, 2, 2, 3, 3};
    assert_int_equal(gnt_estimate_mean(&e, y, of_y, 6, unbounded, NULL), 0);
    assert_true(near(e.mean, 0.4) && e.low == e.high && e.over == GNT_INTERVAL_NONE);
    e = gnt_estimate_single(3);
    assert_true(e.mean == 3 && e.low == 3 && e.high == 3 && e.over == GNT_INTERVAL_NONE);
}

static void share_by_hand(void **state) {
    (void)state;
    double x[48];
    int64_t training[48];
    gnt_estimate e;
    for (int i = 0; i < 48; i++) {
        x[i] = 1;
        training[i] = i / 16;
    }
    assert_int_equal(gnt_estimate_share(&e, x, training, 16, NULL), 0);
    expect(&e, 1, 0.806392319465563, 1, 1, GNT_INTERVAL_TARGETS);
    assert_int_equal(gnt_estimate_share(&e, x, training, 48, NULL), 0);
    expect(&e, 1, 0.597033965874661, 1, 3, GNT_INTERVAL_TRAININGS);
    x[0] = x[3] = x[7] = x[8] = 0;
    assert_int_equal(gnt_estimate_share(&e, x, NULL, 16, NULL), 0);
    expect(&e, 0.75, 0.505016834644912, 0.89817932508787, 1, GNT_INTERVAL_TARGETS);
    const double few[] = {1, 0, 0, 0, 1, 1, 1, 0, 1, 1};
    const int64_t of_few[] = {1, 1, 1, 1, 2, 2, 2, 2, 3, 3};
    assert_int_equal(gnt_estimate_share(&e, few, of_few, 10, NULL), 0);
    expect(&e, 2.0 / 3, 0.0901957698196873, 0.975815020405638, 3, GNT_INTERVAL_TRAININGS);
}

/* The share predicted right is mirrored: so is the interval. */
static void shares_are_symmetric(void **state) {
    (void)state;
    const double x[] = {1, 0, 0, 1, 0, 0, 0, 0.25}, y[] = {0, 1, 1, 0, 1, 1, 1, 0.75};
    const int64_t training[] = {1, 1, 1, 1, 2, 2, 2, 2};
    gnt_estimate a, b;
    assert_int_equal(gnt_estimate_share(&a, x, training, 8, NULL), 0);
    assert_int_equal(gnt_estimate_share(&b, y, training, 8, NULL), 0);
    assert_true(near(a.low, 1 - b.high) && near(a.high, 1 - b.low) && near(a.mean, 1 - b.mean));
}

/* 90 of 100 samples of class 0 and 1 of 4 of class 1 are right: (.9 + .25)/2. The four are by far the less
 * certain. A second training that predicted everything has the value 1. */
static void balanced_by_hand(void **state) {
    (void)state;
    enum { N = 104 };
    int32_t truth[2 * N], predicted[2 * N];
    int64_t training[2 * N];
    for (int i = 0; i < N; i++) {
        truth[i] = i >= 100;
        predicted[i] = i < 90 ? 0 : i < 100 ? 1 : i == 100 ? 1 : -1;
        training[i] = 7;
        truth[N + i] = predicted[N + i] = truth[i];
        training[N + i] = 3;
    }
    gnt_estimate e;
    assert_int_equal(gnt_estimate_balanced(&e, truth, predicted, NULL, N, NULL), 0);
    expect(&e, 0.575, 0.46624015038358, 0.800791487774711, 1, GNT_INTERVAL_TARGETS);
    assert_int_equal(gnt_estimate_balanced(&e, truth, predicted, training, 2 * N, NULL), 0);
    /* .7875 ± 12.7·.2125 is cut */
    expect(&e, 0.7875, 0, 1, 2, GNT_INTERVAL_TRAININGS);
    const int32_t all[] = {0, 0, 0, 0, 1, 1, 0, 1, 0, 1, 0, 0};
    const int64_t of_all[] = {1, 1, 1, 1, 1, 1, 2, 2, 2, 2, 2, 2};
    assert_int_equal(gnt_estimate_balanced(&e, all, all, of_all, 12, NULL), 0);
    expect(&e, 1, 0.315617683845018, 1, 2, GNT_INTERVAL_TRAININGS);
}

static void refusals(void **state) {
    (void)state;
    const double x[] = {0.5, NAN, 2};
    const int32_t truth[] = {1};
    gnt_estimate e;
    gnt_err err = {{0}};
    assert_int_equal(gnt_estimate_mean(&e, x, NULL, 3, unbounded, &err), -1);
    assert_string_equal(err.text, "score 1 of 3 is not a finite number");
    assert_int_equal(gnt_estimate_mean(&e, x, NULL, 0, unbounded, &err), -1);
    assert_int_equal(gnt_estimate_share(&e, x, NULL, 2, &err), -1);
    assert_int_equal(gnt_estimate_share(&e, x + 2, NULL, 1, &err), -1);
    assert_string_equal(err.text, "score 0 of 1 is no share: a number from 0 to 1 is expected");
    assert_int_equal(gnt_estimate_share(&e, x, NULL, 0, &err), -1);
    assert_int_equal(gnt_estimate_balanced(&e, truth, truth, NULL, 0, &err), -1);
}

/* Shares have the bounds of a share, and PSNR ends at its cap. */
static void measures_have_bounds(void **state) {
    (void)state;
    for (size_t i = 0; i < GNT_MEASURES; i++) {
        const gnt_measure *m = gnt_measure_at(i);
        assert_true(m->bounds.least < m->bounds.most);
        assert_true(!m->share || (m->bounds.least == 0 && m->bounds.most == 1 && !m->whole));
    }
    const double x[] = {60, 60, 59, 60, 60, 20};
    const int64_t training[] = {1, 1, 2, 2, 3, 3};
    gnt_stat stat;
    assert_int_equal(gnt_measure_stat(&stat, gnt_measure_of(GNT_MEASURE_PSNR), x, training, 6, NULL), 0);
    assert_true(stat.high == 60 && stat.trainings == 3 && stat.over == GNT_INTERVAL_TRAININGS);
    const double hit[] = {1, 1, 1, 1};
    assert_int_equal(gnt_measure_stat(&stat, gnt_measure_of(GNT_MEASURE_IDENTIFICATION), hit, NULL, 4, NULL),
                     0);
    assert_true(near(stat.low, 4 / (4 + 1.95996398454005386 * 1.95996398454005386)));
    assert_int_equal(stat.over, GNT_INTERVAL_TARGETS);
}

/* Scores are written with nine digits: those that differ in further digits alone must have no interval before
 * they are written either. */
static void what_nine_digits_write_alike_is_equal(void **state) {
    (void)state;
    const double exact[] = {0.9999999999, 1, 0.99999999995}, apart[] = {0.9999999, 1, 0.9999998};
    gnt_estimate e;
    assert_int_equal(gnt_estimate_mean(&e, exact, NULL, 3, unbounded, NULL), 0);
    assert_int_equal(e.over, GNT_INTERVAL_NONE);
    assert_int_equal(gnt_estimate_mean(&e, apart, NULL, 3, unbounded, NULL), 0);
    assert_int_equal(e.over, GNT_INTERVAL_TARGETS);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_nine_digits_write_alike_is_equal),
        cmocka_unit_test(mean_by_hand),
        cmocka_unit_test(all_equal_is_no_interval),
        cmocka_unit_test(share_by_hand),
        cmocka_unit_test(shares_are_symmetric),
        cmocka_unit_test(balanced_by_hand),
        cmocka_unit_test(refusals),
        cmocka_unit_test(measures_have_bounds),
    };
    return cmocka_run_group_tests_name("metric estimate", tests, NULL, NULL);
}
