/* Shares of what leaks undefended, by hand: of one training run, the mean over arenas with its interval, and
 * pairs of defenses; and how often the interval has the true mean in it, by simulation. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "base/random.h"
#include "judge/shares.h"
#include "metric/measure.h"

static int is_near(double a, double b) {
    return fabs(a - b) < 1e-7;
}

static void a_share_of_a_training_run(void **state) {
    (void)state;
    const gnt_measure *rate = gnt_measure_find("identification"),
                      *error = gnt_measure_find("contribution_error");
    int clipped;
    assert_true(is_near(gnt_share(rate, 0.6, 0.8, 0.5, &clipped), 1.0 / 3) && !clipped);
    assert_true(gnt_share(rate, 0.8, 0.8, 0.5, &clipped) == 1 && !clipped);
    assert_true(gnt_share(rate, 0.9, 0.8, 0.5, &clipped) == 1 && clipped);
    assert_true(gnt_share(rate, 0.5, 0.8, 0.5, &clipped) == 0 && clipped);
    assert_true(gnt_share(rate, 0.3, 0.8, 0.5, &clipped) == 0 && clipped);
    /* of an error a lower number leaks more: .4 of .8 */
    assert_true(is_near(gnt_share(error, 0.6, 0.2, 1, &clipped), 0.5) && !clipped);
    assert_true(isnan(gnt_share(rate, 0.6, 0.5, 0.5, &clipped)) && !clipped);
    assert_true(isnan(gnt_share(rate, NAN, 0.8, 0.5, &clipped)));
    assert_true(isnan(gnt_share(rate, 0.6, NAN, 0.5, &clipped)));
}

/* Two arenas of two training runs. Row 0: means .25 and 1, so .625. A draw has mean 0, .25 or .5 in the first
 * arena, with chances ¼, ½, ¼: .25 from its mean at both ends, √2 times that after widening, half of that in
 * the mean over arenas, so .25 · 1.414214 / 2 = .176777. Row 1 has no number in the second arena, row 2 a
 * single one there. Row 3: means 0 and 1, so .5; every draw is at the mean. Row 4: .5, and its ends, .5 ±
 * .707107, are beyond 0 and 1. */
static void a_mean_over_arenas(void **state) {
    (void)state;
    const double share[][4] = {
        {0, 0.5, 1, 1}, {0, 0.5, NAN, NAN}, {0, 0.5, NAN, 1}, {0, 0, 1, 1}, {0, 1, 0, 1}};
    const gnt_shares s = {share[0], 5, 2, 2};
    gnt_leak leak;
    assert_int_equal(gnt_share_mean(&leak, &s, 0, "update image"), 0);
    assert_true(is_near(leak.mean, 0.625));
    assert_true(is_near(leak.low, 0.625 - 0.1767767) && is_near(leak.high, 0.625 + 0.1767767));
    assert_int_equal(gnt_share_mean(&leak, &s, 1, "update image"), 0);
    assert_true(isnan(leak.mean) && isnan(leak.low) && isnan(leak.high));
    assert_int_equal(gnt_share_mean(&leak, &s, 2, "update image"), 0);
    assert_true(is_near(leak.mean, 0.625) && isnan(leak.low) && isnan(leak.high));
    assert_int_equal(gnt_share_mean(&leak, &s, 3, "update image"), 0);
    assert_true(leak.mean == 0.5 && leak.low == 0.5 && leak.high == 0.5);
    const gnt_shares alone = {share[4], 1, 1, 2}, nothing = {share[0], 1, 0, 2};
    assert_int_equal(gnt_share_mean(&leak, &alone, 0, "update image"), 0);
    assert_true(leak.mean == 0.5 && leak.low == 0 && leak.high == 1);
    assert_int_equal(gnt_share_mean(&leak, &nothing, 0, "update image"), 0);
    assert_true(isnan(leak.mean));
}

/* An arena counts alike whatever the number of its training runs: ((0 + 0 + .6) / 3 + .8) / 2. */
static void arenas_weigh_alike(void **state) {
    (void)state;
    const double share[] = {0, 0, 0.6, 0.8, NAN, NAN};
    const gnt_shares s = {share, 1, 2, 3};
    gnt_leak leak;
    assert_int_equal(gnt_share_mean(&leak, &s, 0, "x"), 0);
    assert_true(is_near(leak.mean, 0.5));
}

/* Differences 1, 2, 3, 4, 5; −10, −9, −11, −8, −12; −11, −11, −14, −12, −17 hundredths have, by Student's t
 * with 4 degrees of freedom, p = .0132356, .000145128, .000337532 (test_metric_compare.c). */
static void pairs_by_hand(void **state) {
    (void)state;
    const double share[3][5] = {
        {0.01, 0.02, 0.03, 0.04, 0.05}, {0, 0, 0, 0, 0}, {0.11, 0.11, 0.14, 0.12, 0.17}};
    const gnt_shares s = {share[0], 3, 1, 5};
    gnt_share_pair pair[3];
    assert_int_equal(gnt_share_pairs(pair, &s), 0);
    assert_true(pair[0].a == 0 && pair[0].b == 1 && pair[0].of == 5 && pair[0].less == 0);
    assert_true(pair[1].a == 0 && pair[1].b == 2 && pair[1].of == 5 && pair[1].less == 5);
    assert_true(is_near(pair[0].difference, 0.03) && is_near(pair[0].p, 0.0132356));
    assert_true(is_near(pair[1].difference, -0.1) && is_near(pair[1].p, 3 * 0.000145128));
    assert_true(is_near(pair[2].difference, -0.13) && is_near(pair[2].p, 2 * 0.000337532));
}

/* Row 1 is in the first arena alone, row 2 in the second alone. Four training runs are too few for a test; a
 * tie is a half. */
static void pairs_meet_in_common_arenas(void **state) {
    (void)state;
    const double share[3][8] = {{0.1, 0.2, 0.3, 0.4, 0.5, 0.5, 0.5, 0.5},
                                {0.2, 0.2, 0.2, 0.5, NAN, NAN, NAN, NAN},
                                {NAN, NAN, NAN, NAN, 0, 0, 0, 0}};
    const gnt_shares s = {share[0], 3, 2, 4};
    gnt_share_pair pair[3];
    assert_int_equal(gnt_share_pairs(pair, &s), 0);
    assert_true(pair[0].of == 4 && pair[0].less == 2.5 && is_near(pair[0].difference, -0.025));
    assert_true(isnan(pair[0].p) && isnan(pair[1].p));
    assert_true(pair[1].of == 4 && pair[1].less == 0 && is_near(pair[1].difference, 0.5));
    assert_true(pair[2].of == 0 && pair[2].less == 0 && isnan(pair[2].difference) && isnan(pair[2].p));
}

/* How often the interval of arenas of five training runs has the true mean in it. */
static double coverage(size_t n_arena) {
    enum { TIMES = 600 };
    const gnt_key key = gnt_key_of_seed(7);
    gnt_stream random = gnt_stream_open(&key, "shares");
    double share[5 * 5];
    size_t hit = 0;
    for (int i = 0; i < TIMES; i++) {
        const gnt_shares s = {share, 1, n_arena, 5};
        gnt_leak leak;
        for (size_t k = 0; k < 5 * n_arena; k++)
            share[k] = 0.5 + 0.05 * gnt_random_normal(&random);
        assert_int_equal(gnt_share_mean(&leak, &s, 0, "x"), 0);
        hit += leak.low <= 0.5 && 0.5 <= leak.high;
    }
    print_message("%zu arenas of five training runs: the interval has the mean in it %.1f %% of the time\n",
                  n_arena, 100.0 * (double)hit / TIMES);
    return (double)hit / TIMES;
}

static void intervals_cover(void **state) {
    (void)state;
    const double one = coverage(1), three = coverage(3), five = coverage(5);
    assert_true(one > 0.83 && one < 0.92);
    assert_true(three > 0.89 && three < 0.96);
    assert_true(five > 0.90 && five < 0.97);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_share_of_a_training_run),   cmocka_unit_test(a_mean_over_arenas),
        cmocka_unit_test(arenas_weigh_alike),          cmocka_unit_test(pairs_by_hand),
        cmocka_unit_test(pairs_meet_in_common_arenas), cmocka_unit_test(intervals_cover)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
