/* Utility against that of public data alone: by hand, with quantiles from tables (1.645; 6.314 and 2.920 of Student's t with
 * one and two degrees of freedom). */
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
        gnt_public_pair pair[3];
        size_t n;
        int sign;
        gnt_public_verdict expected;
    } cases[] = {
        /* one seed, errors 0.03 and 0.04: the difference must exceed 1.645 · 0.05 = 0.0822 */
        {{{0.80, 0.03, 0.717, 0.04}}, 1, 1, GNT_PUBLIC_BEATEN},
        {{{0.80, 0.03, 0.719, 0.04}}, 1, 1, GNT_PUBLIC_NO_BETTER},
        /* a loss: lower is better */
        {{{0.50, 0.03, 0.60, 0.04}}, 1, -1, GNT_PUBLIC_BEATEN},
        {{{0.60, 0.03, 0.50, 0.04}}, 1, -1, GNT_PUBLIC_NO_BETTER},
        /* two seeds without error, 0.10 and 0.14: s/√2 = 0.02, 6.314 · 0.02 = 0.126 > 0.12 */
        {{{0.80, 0, 0.70, 0}, {0.84, 0, 0.70, 0}}, 2, 1, GNT_PUBLIC_NO_BETTER},
        /* 0.11 and 0.14: 6.314 · 0.015 = 0.095 < 0.125 */
        {{{0.81, 0, 0.70, 0}, {0.84, 0, 0.70, 0}}, 2, 1, GNT_PUBLIC_BEATEN},
        /* three: 0.02, 0.03, 0.04; s/√3 = 0.00577, 2.920 · 0.00577 = 0.0169 < 0.03 */
        {{{0.72, 0, 0.70, 0}, {0.73, 0, 0.70, 0}, {0.74, 0, 0.70, 0}}, 3, 1, GNT_PUBLIC_BEATEN},
        /* the same, but the errors are the larger: √(6 · 0.02²)/3 = 0.0163, 1.645 · 0.0163 = 0.0269 and 0.0376 */
        {{{0.72, .02, 0.70, .02}, {0.73, .02, 0.70, .02}, {0.74, .02, 0.70, .02}}, 3, 1, GNT_PUBLIC_BEATEN},
        {{{0.72, .028, 0.70, .028}, {0.73, .028, 0.70, .028}, {0.74, .028, 0.70, .028}},
         3,
         1,
         GNT_PUBLIC_NO_BETTER},
        /* the very same training */
        {{{0.7, 0, 0.7, 0}, {0.8, 0, 0.8, 0}}, 2, 1, GNT_PUBLIC_NO_BETTER},
        /* nothing to compare; a seed that diverged; nothing that says how sure it is */
        {{{0.9, 0.01, NAN, 0.01}}, 1, 1, GNT_PUBLIC_UNKNOWN},
        {{{0.9, 0.01, 0.7, 0.01}, {NAN, NAN, 0.7, 0.01}}, 2, 1, GNT_PUBLIC_BEATEN},
        {{{0.9, NAN, 0.7, NAN}}, 1, 1, GNT_PUBLIC_NO_BETTER},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        if (gnt_metric_public_only(cases[i].pair, cases[i].n, cases[i].sign) != cases[i].expected)
            fail_msg("case %zu", i);
    assert_int_equal(gnt_metric_public_only(NULL, 0, 1), GNT_PUBLIC_UNKNOWN);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(each_error_is_a_hurdle)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
