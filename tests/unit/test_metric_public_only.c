/* Utility against that of public data alone: by hand, with quantiles from tables (1.645; 6.314 and 1.943 of
 * Student's t with one and six degrees of freedom). */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "metric/public_only.h"

static void each_error_is_a_hurdle(void **state) {
    (void)state;
    static const struct {
        gnt_public_pair pair[2];
        size_t n;
        int sign;
        gnt_seed_scatter scatter;
        gnt_public_verdict expected;
    } cases[] = {
        /* one seed, errors 0.03 and 0.04: the difference must exceed 1.645 · 0.05 = 0.0822 */
        {{{0.80, 0.03, 0.717, 0.04}}, 1, 1, {0, 0}, GNT_PUBLIC_BEATEN},
        {{{0.80, 0.03, 0.719, 0.04}}, 1, 1, {0, 0}, GNT_PUBLIC_NO_BETTER},
        /* a loss: lower is better */
        {{{0.50, 0.03, 0.60, 0.04}}, 1, -1, {0, 0}, GNT_PUBLIC_BEATEN},
        {{{0.60, 0.03, 0.50, 0.04}}, 1, -1, {0, 0}, GNT_PUBLIC_NO_BETTER},
        /* two seeds, s² = 0.0004 with 1 and with 6 free: √(2 s²/2) = 0.02; 6.314 · 0.02 = 0.126, 1.943 · 0.02
           = 0.0389 */
        {{{0.82, 0, 0.70, 0}, {0.82, 0, 0.70, 0}}, 2, 1, {0.0004, 1}, GNT_PUBLIC_NO_BETTER},
        {{{0.83, 0, 0.70, 0}, {0.83, 0, 0.70, 0}}, 2, 1, {0.0004, 1}, GNT_PUBLIC_BEATEN},
        {{{0.73, 0, 0.70, 0}, {0.77, 0, 0.70, 0}}, 2, 1, {0.0024, 6}, GNT_PUBLIC_BEATEN},
        {{{0.71, 0, 0.70, 0}, {0.76, 0, 0.70, 0}}, 2, 1, {0.0024, 6}, GNT_PUBLIC_NO_BETTER},
        /* the errors are the larger: √(4 · 0.03²)/2 = 0.03, 1.645 · 0.03 = 0.0493 */
        {{{0.75, .03, 0.70, .03}, {0.75, .03, 0.70, .03}}, 2, 1, {0.0006, 6}, GNT_PUBLIC_BEATEN},
        {{{0.74, .03, 0.70, .03}, {0.75, .03, 0.70, .03}}, 2, 1, {0.0006, 6}, GNT_PUBLIC_NO_BETTER},
        /* the very same training */
        {{{0.7, 0, 0.7, 0}, {0.8, 0, 0.8, 0}}, 2, 1, {0, 2}, GNT_PUBLIC_NO_BETTER},
        /* nothing to compare; a seed that diverged; nothing that says how sure it is */
        {{{0.9, 0.01, NAN, 0.01}}, 1, 1, {0, 0}, GNT_PUBLIC_UNKNOWN},
        {{{0.9, 0.01, 0.7, 0.01}, {NAN, NAN, 0.7, 0.01}}, 2, 1, {0, 0}, GNT_PUBLIC_BEATEN},
        {{{0.9, NAN, 0.7, NAN}}, 1, 1, {0, 0}, GNT_PUBLIC_NO_BETTER},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        if (gnt_metric_public_only(cases[i].pair, cases[i].n, cases[i].sign, &cases[i].scatter) !=
            cases[i].expected)
            fail_msg("case %zu", i);
    assert_int_equal(gnt_metric_public_only(NULL, 0, 1, &cases[0].scatter), GNT_PUBLIC_UNKNOWN);
}

/* 1, 3 around 2: squares 2, one free; 10, 11, 12: 2, two free. */
static void scatter_is_around_each_setting(void **state) {
    (void)state;
    gnt_seed_scatter s = {0};
    gnt_seed_scatter_add(&s, (const double[]){1, NAN, 3}, 3);
    gnt_seed_scatter_add(&s, (const double[]){10, 11, 12}, 3);
    gnt_seed_scatter_add(&s, (const double[]){5, INFINITY}, 2);
    assert_float_equal(s.squares, 4, 1e-12);
    assert_float_equal(s.freedom, 3, 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(each_error_is_a_hurdle),
                                       cmocka_unit_test(scatter_is_around_each_setting)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
