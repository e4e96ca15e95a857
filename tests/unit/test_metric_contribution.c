/* Errors and ranks of estimated contributions, by hand-made numbers. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "metric/contribution.h"

#define assert_near(a, b, e) assert_true(fabs((a) - (b)) <= (e))
#define COUNT(a) (sizeof(a) / sizeof(a)[0])

static void errors_are_shares_of_the_truth(void **state) {
    (void)state;
    assert_near(gnt_metric_relative_error(15, 20, 7), 0.25, 1e-15); /* over 20, not over 15 */
    assert_near(gnt_metric_relative_error(-15, -20, 7), 0.25, 1e-15);
    assert_near(gnt_metric_relative_error(20, 20, 7), 0, 0);
    assert_near(gnt_metric_relative_error(0, 20, 7), 1, 0);
    assert_near(gnt_metric_relative_error(1e30, 20, 7), 1, 0);
    assert_near(gnt_metric_relative_error((double)NAN, 20, 7), 1, 0);
    assert_near(gnt_metric_relative_error((double)INFINITY, 20, 7), 1, 0);
}

static void a_truth_of_nothing_is_measured_by_the_usual_size(void **state) {
    (void)state;
    assert_near(gnt_metric_relative_error(2, 0, 8), 0.25, 1e-15);
    assert_near(gnt_metric_relative_error(0, 0, 8), 0, 0);
    assert_near(gnt_metric_relative_error(0, 0, 0), 0, 0);
    assert_near(gnt_metric_relative_error(2, 0, 0), 1, 0);
}

static double rank(const double *estimate, const double *truth, size_t n) {
    double out = 7;
    assert_int_equal(gnt_metric_rank_correlation(&out, estimate, truth, n, NULL), 0);
    return out;
}

/* 1 − 6 Σd²/(n(n² − 1)) without ties; with ties Pearson's correlation of shared ranks. */
static void ranks_correlate(void **state) {
    (void)state;
    const double truth[] = {10, 20, 30, 40, 50}, same[] = {1, 4, 9, 16, 1e6}, turned[] = {5, 4, 3, 2, 1},
                 mixed[] = {2, 1, 4, 3, 5}, tied[] = {1, 1, 2, 2, 3};
    assert_near(rank(same, truth, COUNT(truth)), 1, 1e-12);
    assert_near(rank(turned, truth, COUNT(truth)), -1, 1e-12);
    assert_near(rank(mixed, truth, COUNT(truth)), 1 - 6 * 4.0 / (5 * 24), 1e-12);
    /* ranks 1.5 1.5 3.5 3.5 5 against 1 … 5: 9/√(10 · 9) */
    assert_near(rank(tied, truth, COUNT(truth)), 9 / sqrt(90), 1e-12);
}

static void silence_ranks_nothing(void **state) {
    (void)state;
    const double truth[] = {10, 20, 30}, constant[] = {4, 4, 4}, holes[] = {(double)NAN, 2, 3},
                 nothing[] = {(double)NAN, (double)NAN, (double)INFINITY};
    assert_near(rank(constant, truth, 3), 0, 0);
    assert_near(rank(nothing, truth, 3), 0, 0);
    assert_near(rank(holes, truth, 3), 0.5, 1e-12); /* ranks 0, −½, ½ against −1, 0, 1 */
    assert_true(isnan(rank(truth, constant, 3)));
    assert_true(isnan(rank(truth, truth, 1)));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(errors_are_shares_of_the_truth),
        cmocka_unit_test(a_truth_of_nothing_is_measured_by_the_usual_size),
        cmocka_unit_test(ranks_correlate),
        cmocka_unit_test(silence_ranks_nothing),
    };
    return cmocka_run_group_tests_name("contribution", tests, NULL, NULL);
}
