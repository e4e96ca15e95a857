/* Summaries, intervals and tests: values of tests/golden/stats.py, textbook values, and properties over many
 * draws. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "metric/resample.h"
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

static void not_finite_is_an_error(void **state) {
    (void)state;
    const double x[] = {1, 2, NAN}, y[] = {1, 2, 3};
    gnt_metric_summary s;
    gnt_metric_difference d;
    gnt_metric_bootstrap b;
    gnt_metric_flip f;
    gnt_metric_resample how = {.key = gnt_key_of_seed(1)};
    gnt_err err = {{0}};
    assert_int_equal(gnt_metric_summarize(&s, x, 3, &err), -1);
    assert_string_equal(err.text, "score 2 of 3 is not a finite number");
    assert_int_equal(gnt_metric_summarize(&s, x, 0, &err), -1);
    assert_int_equal(gnt_metric_welch(&d, y, 3, x, 3, &err), -1);
    assert_int_equal(gnt_metric_paired(&d, y, y, 1, &err), -1);
    assert_int_equal(gnt_metric_bootstrap_mean(&b, x, NULL, 3, &how, &err), -1);
    assert_int_equal(gnt_metric_bootstrap_mean(&b, y, NULL, 0, &how, &err), -1);
    assert_int_equal(gnt_metric_sign_flip(&f, x, NULL, 3, GNT_METRIC_TWO_SIDED, &how, &err), -1);
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

static void bootstrap_repeats_and_ignores_order(void **state) {
    (void)state;
    const double x[] = {1, 5, 2, 8, 3, 4}, y[] = {8, 1, 3, 5, 4, 2};
    const int64_t cx[] = {10, 10, 10, 20, 20, 20}, cy[] = {20, 10, 20, 10, 20, 10};
    gnt_metric_resample how = {.key = gnt_key_of_seed(1)}, other = {.key = gnt_key_of_seed(2)};
    gnt_metric_bootstrap a, b;
    assert_int_equal(gnt_metric_bootstrap_mean(&a, x, cx, 6, &how, NULL), 0);
    assert_int_equal(gnt_metric_bootstrap_mean(&b, y, cy, 6, &how, NULL), 0);
    assert_true(a.low == b.low && a.high == b.high && a.clusters == 2);
    assert_true(a.low < a.mean && a.mean < a.high && near(a.mean, 23.0 / 6, 1e-14));
    assert_int_equal(gnt_metric_bootstrap_mean(&b, x, cx, 6, &other, NULL), 0);
    assert_true(a.low != b.low || a.high != b.high);
    const double one[] = {3};
    assert_int_equal(gnt_metric_bootstrap_mean(&b, one, NULL, 1, &how, NULL), 0);
    assert_true(b.low == 3 && b.high == 3 && b.mean == 3);
}

/* Scores = seed effect (deviation 1) + target effect (deviation 1), 12 seeds of 5 targets. An interval that
 * forgot the seeds would have deviation √(2/60) = .18 and cover about 79 %; the clustered one must cover near
 * its level. */
/* 90 of 100 samples of class 0 and 1 of 4 samples of class 1 are right. Balanced accuracy (0.9 + 0.25)/2. The
 * number right of class 1 is binomial(4, 1/4), by far the wider: 2.5 % of draws lie at 0 of 4 and 0.9 or
 * below of class 0, and P(at least 3 of 4) = 5.1 %, P(all 4) = 0.4 %, so the ends are near 0.45 − 0.03 and
 * (0.9 + 0.75)/2 = 0.825 with class 0 moving ±0.03. A single seed must not look certain. */
static void balanced_interval_by_hand(void **state) {
    (void)state;
    enum { N = 104 };
    int32_t truth[2 * N], told[2 * N];
    int64_t seed[2 * N];
    for (int i = 0; i < N; i++) {
        truth[i] = i >= 100;
        told[i] = i < 90 ? 0 : i < 100 ? 1 : i == 100 ? 1 : -1;
        seed[i] = 7;
        truth[N + i] = truth[i]; /* another seed that told everything */
        told[N + i] = truth[i];
        seed[N + i] = 3;
    }
    gnt_metric_resample how = {.key = gnt_key_of_seed(5)};
    gnt_metric_bootstrap b, again;
    assert_int_equal(gnt_metric_bootstrap_balanced(&b, truth, told, NULL, N, &how, NULL), 0);
    assert_float_equal(b.mean, 0.575, 1e-12);
    assert_int_equal(b.clusters, 1);
    assert_true(b.low > 0.41 && b.low < 0.45);
    assert_true(b.high > 0.79 && b.high < 0.86);
    assert_int_equal(gnt_metric_bootstrap_balanced(&again, truth, told, seed, N, &how, NULL), 0);
    assert_memory_equal(&b, &again, sizeof b);
    /* two seeds: the mean of 0.575 and 1; a quarter of the draws takes the second seed twice */
    assert_int_equal(gnt_metric_bootstrap_balanced(&b, truth, told, seed, 2 * N, &how, NULL), 0);
    assert_float_equal(b.mean, 0.7875, 1e-12);
    assert_int_equal(b.clusters, 2);
    assert_true(b.high == 1 && b.low < 0.6);
    assert_int_equal(gnt_metric_bootstrap_balanced(&b, truth, told, NULL, 0, &how, NULL), -1);
}

static void clustered_interval_covers_and_flat_one_does_not(void **state) {
    (void)state;
    enum { SEEDS = 12, TARGETS = 5, N = SEEDS * TARGETS, WORLDS = 300 };
    gnt_key key = gnt_key_of_seed(6);
    gnt_stream s = gnt_stream_open(&key, "worlds");
    int covered = 0, flat = 0;
    for (int world = 0; world < WORLDS; world++) {
        double x[N], effect = 0;
        int64_t cluster[N];
        for (int i = 0; i < N; i++) {
            if (i % TARGETS == 0)
                effect = gnt_random_normal(&s);
            x[i] = effect + gnt_random_normal(&s);
            cluster[i] = i / TARGETS;
        }
        gnt_metric_resample how = {.key = gnt_key_of_seed((uint64_t)world), .draws = 300};
        gnt_metric_bootstrap b;
        assert_int_equal(gnt_metric_bootstrap_mean(&b, x, cluster, N, &how, NULL), 0);
        covered += b.low <= 0 && b.high >= 0;
        assert_int_equal(gnt_metric_bootstrap_mean(&b, x, NULL, N, &how, NULL), 0);
        flat += b.low <= 0 && b.high >= 0;
    }
    assert_true(covered >= WORLDS * 0.90 && covered <= WORLDS * 0.99);
    assert_true(flat < WORLDS * 0.85);
}

static void sign_flip_by_hand(void **state) {
    (void)state;
    gnt_metric_resample how = {.key = gnt_key_of_seed(1)};
    gnt_metric_flip f;
    const double d[] = {1, 2, 3, -0.5}; /* sums at least 5.5: + + + ± → 2 of 16; as large in size: 4 of 16 */
    assert_int_equal(gnt_metric_sign_flip(&f, d, NULL, 4, GNT_METRIC_GREATER, &how, NULL), 0);
    assert_true(f.exact && f.units == 4 && f.mean == 1.375 && f.p == 2.0 / 16);
    assert_int_equal(gnt_metric_sign_flip(&f, d, NULL, 4, GNT_METRIC_TWO_SIDED, &how, NULL), 0);
    assert_true(f.p == 4.0 / 16);
    assert_int_equal(gnt_metric_sign_flip(&f, d, NULL, 4, GNT_METRIC_LESS, &how, NULL), 0);
    assert_true(f.p == 15.0 / 16);       /* all but + + + + */
    const int64_t unit[] = {1, 1, 1, 2}; /* sums 6 and −.5 flip as wholes: 5.5 is reached by + ± */
    assert_int_equal(gnt_metric_sign_flip(&f, d, unit, 4, GNT_METRIC_GREATER, &how, NULL), 0);
    assert_true(f.units == 2 && f.p == 2.0 / 4);
    const double zero[] = {0, 0, 0};
    assert_int_equal(gnt_metric_sign_flip(&f, zero, NULL, 3, GNT_METRIC_TWO_SIDED, &how, NULL), 0);
    assert_true(f.p == 1);
}

/* 40 normal differences: random flips must agree with the normal limit of the test, and p must be even under
 * the null. */
static void sign_flip_by_draws(void **state) {
    (void)state;
    enum { N = 40, WORLDS = 400 };
    gnt_key key = gnt_key_of_seed(8);
    gnt_stream s = gnt_stream_open(&key, "null");
    int low = 0, half = 0, power = 0;
    for (int world = 0; world < WORLDS; world++) {
        double d[N];
        gnt_metric_resample how = {.key = gnt_key_of_seed((uint64_t)world), .draws = 199};
        gnt_metric_flip f;
        for (int i = 0; i < N; i++)
            d[i] = gnt_random_normal(&s);
        assert_int_equal(gnt_metric_sign_flip(&f, d, NULL, N, GNT_METRIC_GREATER, &how, NULL), 0);
        assert_true(!f.exact && f.p >= 1.0 / 200 && f.p <= 1);
        low += f.p <= 0.05;
        half += f.p <= 0.5;
        for (int i = 0; i < N; i++)
            d[i] += 0.6; /* 3.8 standard errors */
        assert_int_equal(gnt_metric_sign_flip(&f, d, NULL, N, GNT_METRIC_GREATER, &how, NULL), 0);
        power += f.p <= 0.05;
    }
    assert_in_range(low, 5, 38); /* 20 expected, deviation 4.4 */
    assert_in_range(half, 160, 240);
    assert_true(power > WORLDS * 0.95);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(summary_by_hand),
        cmocka_unit_test(not_finite_is_an_error),
        cmocka_unit_test(distributions),
        cmocka_unit_test(wilson_interval),
        cmocka_unit_test(welch_and_pairs),
        cmocka_unit_test(holm_by_hand),
        cmocka_unit_test(bootstrap_repeats_and_ignores_order),
        cmocka_unit_test(balanced_interval_by_hand),
        cmocka_unit_test(clustered_interval_covers_and_flat_one_does_not),
        cmocka_unit_test(sign_flip_by_hand),
        cmocka_unit_test(sign_flip_by_draws),
    };
    return cmocka_run_group_tests_name("metric stats", tests, NULL, NULL);
}
