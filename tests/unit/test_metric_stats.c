/* Summaries, intervals and tests: values of tests/golden/stats.py, textbook values, and properties over many
 * draws. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "metric/stats.h"

static int near(double got, double expected, double relative) {
    return fabs(got - expected) <= relative * fmax(fabs(expected), 1e-300);
}

static void summary_by_hand(void **state) {
    (void)state;
    const double x[] = {7, 1, 4, 2, 10, 3};
    gnt_metric_summary s;
    assert_int_equal(gnt_metric_summarize(&s, x, 6, NULL), 0);
    assert_true(s.n == 6 && s.mean == 4.5 && s.least == 1 && s.most == 10);
    assert_true(s.quartile1 == 2.25 && s.median == 3.5 &&
                s.quartile3 == 6.25); /* type 7, as numpy and R give */
    assert_true(near(s.deviation, sqrt(57.5 / 5), 1e-14));
    const double same[] = {0.1, 0.1, 0.1};
    assert_int_equal(gnt_metric_summarize(&s, same, 3, NULL), 0);
    assert_true(s.mean == 0.1 && s.deviation == 0 && s.median == 0.1);
    assert_int_equal(gnt_metric_summarize(&s, same, 1, NULL), 0);
    assert_true(s.deviation == 0 && s.quartile1 == 0.1 && s.quartile3 == 0.1);
    const double far[] = {1e9 + 4, 1e9 + 7, 1e9 + 13, 1e9 + 16}; /* cancellation */
    assert_int_equal(gnt_metric_summarize(&s, far, 4, NULL), 0);
    assert_true(near(s.deviation, sqrt(30), 1e-12));
}

static void quantiles_by_hand(void **state) {
    (void)state;
    const double sorted[] = {1, 2, 4, 8};
    assert_true(gnt_metric_quantile(sorted, 4, 0) == 1 && gnt_metric_quantile(sorted, 4, 1) == 8);
    assert_true(gnt_metric_quantile(sorted, 4, 0.5) == 3 &&
                near(gnt_metric_quantile(sorted, 4, 0.9), 6.8, 1e-15));
    assert_true(gnt_metric_quantile(sorted, 1, 0.3) == 1);
}

/* Falling: all but 3 are pooled, (3 + 0 + 4 + 10) / 7. Rising: 3, 1 and 0 are, (3 + 3 + 0) / 5. */
static void isotonic_by_hand(void **state) {
    (void)state;
    double x[] = {3, 1, 0, 4, 5}, weight[] = {1, 3, 1, 1, 2};
    const double falling[] = {3, 17.0 / 7, 17.0 / 7, 17.0 / 7, 17.0 / 7};
    size_t size[5];
    gnt_metric_isotonic(x, weight, size, 5, -1);
    for (int i = 0; i < 5; i++)
        assert_true(near(x[i], falling[i], 1e-15));
    double y[] = {3, 1, 0, 4, 5}, even[] = {1, 3, 1, 1, 2};
    const double rising[] = {1.2, 1.2, 1.2, 4, 5};
    gnt_metric_isotonic(y, even, size, 5, 1);
    for (int i = 0; i < 5; i++)
        assert_true(near(y[i], rising[i], 1e-15));
    gnt_metric_isotonic(y, even, size, 0, 1);
}

static void not_finite_is_an_error(void **state) {
    (void)state;
    const double x[] = {1, 2, NAN}, y[] = {1, 2, 3};
    gnt_metric_summary s;
    gnt_metric_difference d;
    gnt_err err = {{0}};
    assert_int_equal(gnt_metric_summarize(&s, x, 3, &err), -1);
    assert_string_equal(err.text, "score 2 of 3 is not a finite number");
    assert_int_equal(gnt_metric_summarize(&s, x, 0, &err), -1);
    assert_int_equal(gnt_metric_welch(&d, y, 3, x, 3, &err), -1);
    assert_int_equal(gnt_metric_paired(&d, y, y, 1, &err), -1);
}

static void distributions(void **state) {
    (void)state;
    static const double student[][3] = {{0, 3, 0.5},
                                        {1, 1, 0.25},
                                        {2.5, 4.7, 0.0287960796734336484},
                                        {-1.3, 10, 0.888617091396577715},
                                        {12, 2, 0.00343646683857923007},
                                        {4, 200, 0.0000445654760929671933},
                                        {0.01, 1000, 0.496011640966093644},
                                        {40, 6, 8.1591804652712347e-9}};
    static const double normal[][2] = {{0.975, 1.95996398454005386},
                                       {0.5, 0.0},
                                       {0.01, -2.32634787404084109},
                                       {1e-10, -6.3613409024040562},
                                       {0.9995, 3.29052673149192578}};
    for (size_t i = 0; i < sizeof student / sizeof *student; i++)
        assert_true(near(gnt_metric_student_above(student[i][0], student[i][1]), student[i][2], 1e-11));
    for (size_t i = 0; i < sizeof normal / sizeof *normal; i++)
        assert_true(fabs(gnt_metric_normal_quantile(normal[i][0]) - normal[i][1]) < 1e-12);
    assert_true(gnt_metric_student_above(INFINITY, 3) == 0 && gnt_metric_student_above(-1e300, 3) == 1);
    assert_true(isnan(gnt_metric_student_above(1, 0)));
    static const double quantile[][3] = {{0.975, 1, 12.7062047361747046},
                                         {0.975, 4, 2.77644510519779436},
                                         {0.025, 9, -2.26215716279820554},
                                         {0.975, 119, 1.98009987645693989},
                                         {0.9995, 2, 31.5990545764436207}};
    for (size_t i = 0; i < sizeof quantile / sizeof *quantile; i++)
        assert_true(near(gnt_metric_student_quantile(quantile[i][0], quantile[i][1]), quantile[i][2], 1e-11));
    assert_true(fabs(gnt_metric_student_quantile(0.5, 3)) < 1e-25 &&
                gnt_metric_student_quantile(1, 3) == INFINITY);
    assert_true(isnan(gnt_metric_student_quantile(0.9, 0)) && isnan(gnt_metric_student_quantile(1.1, 3)));
}

static void wilson_interval(void **state) {
    (void)state;
    /* roots of (rate − q)² = z² q (1 − q)/n, checked by putting them in */
    double z = 1.95996398454005386;
    for (int k = 0; k <= 10; k++) {
        gnt_metric_interval w = gnt_metric_wilson(k, 10, 0.95);
        assert_true(w.low >= 0 && w.high <= 1 && w.low <= k / 10.0 && w.high >= k / 10.0);
        for (int side = 0; side < 2; side++) {
            double q = side ? w.high : w.low, d = k / 10.0 - q;
            assert_true(fabs(d * d - z * z * q * (1 - q) / 10) < 1e-14);
        }
    }
    gnt_metric_interval none = gnt_metric_wilson(0, 10, 0.95);
    assert_true(none.low == 0 && near(none.high, 0.2775, 1e-3));
}

static void welch_and_pairs(void **state) {
    (void)state;
    const double a[] = {27.5, 21.0, 19.0, 23.6, 17.0, 17.9}, b[] = {27.1, 22.0, 20.8, 23.4}, flat[] = {2, 2};
    gnt_metric_difference d;
    assert_int_equal(gnt_metric_welch(&d, a, 6, b, 4, NULL), 0);
    assert_true(near(d.mean, -2.325, 1e-13) && near(d.error, 2.11808679394085895, 1e-13));
    assert_true(near(d.freedom, 7.94344323941094193, 1e-13) && near(d.p, 0.304496739456165405, 1e-11));
    assert_int_equal(gnt_metric_paired(&d, a, b, 4, NULL), 0);
    assert_true(near(d.mean, -0.55, 1e-12) && near(d.error, 0.518812747209112689, 1e-12));
    assert_true(d.freedom == 3 && near(d.p, 0.36688509056932488, 1e-11));
    assert_int_equal(gnt_metric_paired(&d, flat, flat, 2, NULL), 0);
    assert_true(d.mean == 0 && d.p == 1);
    const double other[] = {3, 3};
    assert_int_equal(gnt_metric_welch(&d, flat, 2, other, 2, NULL), 0);
    assert_true(d.mean == -1 && d.p == 0);
}

static void holm_by_hand(void **state) {
    (void)state;
    double p[] = {0.04, 0.01, 0.03, 0.005, 0.9}; /* sorted × (5, 4, 3, 2, 1): .025 .04 .09 .08→.09 .9 */
    const double expected[] = {0.09, 0.04, 0.09, 0.025, 0.9};
    assert_int_equal(gnt_metric_holm(p, 5, NULL), 0);
    for (int i = 0; i < 5; i++)
        assert_true(near(p[i], expected[i], 1e-12));
    double bad[] = {0.1, NAN};
    assert_int_equal(gnt_metric_holm(bad, 2, NULL), -1);
    assert_true(bad[0] == 0.1);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(summary_by_hand),  cmocka_unit_test(quantiles_by_hand),
        cmocka_unit_test(isotonic_by_hand), cmocka_unit_test(not_finite_is_an_error),
        cmocka_unit_test(distributions),    cmocka_unit_test(wilson_interval),
        cmocka_unit_test(welch_and_pairs),  cmocka_unit_test(holm_by_hand),
    };
    return cmocka_run_group_tests_name("metric stats", tests, NULL, NULL);
}
