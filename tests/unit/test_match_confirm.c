/* Confirmation of a matched strength: by hand, and how often it is wrong, by simulation. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "base/random.h"
#include "match/level_impl.h"
#include "match/match.h"
#include "match_spec.h"

/* By hand: .69 and .71 scatter about .7 with squares 2e-4 (one degree of freedom), .705, .69 and .711
 * about .702 with 2.34e-4 (two): variance 4.34e-4/3, error of the confirming mean √(1.44667e-4/3) =
 * .0069442. Student's t at 90 % and 3 degrees of freedom is 1.63774, their product .011373. It must be
 * at most half the tolerance. */
static void confirmation_by_hand(void **state) {
    (void)state;
    gnt_match_next_step next;
    gnt_match_spec s = match_spec();
    gnt_match_point p[] = {
        {0.01, 0, 0.69, 0}, {0.01, 1, 0.71, 0}, {0.01, 6, 0.705, 0}, {0.01, 7, 0.69, 0}, {0.01, 8, 0.711, 0}};
    s.confirm_seeds = 3;
    s.tolerance = 2 * 0.0114;
    assert_int_equal(gnt_match_next(&next, &s, p, 5, NULL), 0);
    assert_int_equal(next.what, GNT_MATCH_MATCHED);
    assert_int_equal(next.confirming, 3);
    assert_true(fabs(next.confirm - 0.702) < 1e-12);
    assert_true(fabs(next.confirm_error - 0.0069442) < 1e-6);
    assert_true(fabs(next.confirm_t - 1.637744) < 1e-6);
    assert_true(fabs(next.utility - (0.69 + 0.71 + 0.705 + 0.69 + 0.711) / 5) < 1e-12);
    /* a little less tolerance: one more training; none left: it remains open */
    s.tolerance = 2 * 0.0113;
    assert_int_equal(gnt_match_next(&next, &s, p, 5, NULL), 0);
    assert_true(next.what == GNT_MATCH_CONFIRM && next.seed == 6 && next.n_seeds == 4);
    s.most_seeds = s.confirm_seeds = 3;
    for (int i = 2; i < 5; i++)
        p[i].seed -= 3;
    assert_int_equal(gnt_match_next(&next, &s, p, 5, NULL), 0);
    assert_int_equal(next.what, GNT_MATCH_UNMATCHED);
    assert_int_equal(next.reason, GNT_MATCH_TOO_NOISY);
    char text[GNT_MATCH_REASON_SIZE];
    gnt_match_write_reason(&next, &s, text);
    assert_non_null(strstr(text, "after 3 confirming trainings their mean 0.702 is known to ±0.011 only"));
    /* known well enough, but off */
    s.target = 0.74;
    assert_int_equal(gnt_match_next(&next, &s, p, 5, NULL), 0);
    assert_true(next.what != GNT_MATCH_MATCHED && next.reason != GNT_MATCH_TOO_NOISY);
}

/* A confirmation that fails is followed by another, until none is left; one training that fails
 * fails it, however good the others are. */
static void confirmations_that_fail(void **state) {
    (void)state;
    gnt_match_next_step next;
    gnt_match_spec s = match_spec();
    s.confirmations = 1;
    const gnt_match_point off[] = {
        {0.01, 0, 0.69, 0}, {0.01, 1, 0.71, 0}, {0.01, 6, 0.8, 0}, {0.01, 7, 0.81, 0}};
    assert_int_equal(gnt_match_next(&next, &s, off, 2, NULL), 0);
    assert_true(next.what == GNT_MATCH_CONFIRM && next.seed == 6 && next.n_seeds == 2);
    assert_int_equal(gnt_match_next(&next, &s, off, 3, NULL), 0); /* the second is still to come */
    assert_true(next.what == GNT_MATCH_CONFIRM && next.seed == 6 && next.n_seeds == 2);
    assert_int_equal(gnt_match_next(&next, &s, off, 4, NULL), 0);
    assert_int_equal(next.what, GNT_MATCH_UNMATCHED);
    assert_int_equal(next.reason, GNT_MATCH_NOT_CONFIRMED);
    const gnt_match_point half[] = {
        {0.01, 0, 0.69, 0}, {0.01, 1, 0.71, 0}, {0.01, 6, 0.7, 0}, {0.01, 7, NAN, 0}};
    assert_int_equal(gnt_match_next(&next, &s, half, 4, NULL), 0);
    assert_int_equal(next.reason, GNT_MATCH_NOT_CONFIRMED);
}

/* Where fresh seeds failed near the edge of the tolerance, the search goes on next to that strength, and
 * comes back to it only where nothing is left to try; where they leave the mean near the target it is
 * confirmed again. */
static void the_edge_is_not_confirmed_twice(void **state) {
    (void)state;
    gnt_match_next_step next;
    gnt_match_spec s = match_spec();
    s.confirm_seeds = 2;
    gnt_match_point p[] = {{0.01, 0, 0.713, 0}, {0.01, 1, 0.709, 0}, {0.1, 0, 0.672, 0},
                           {0.1, 1, 0.668, 0},  {0.01, 6, 0.719, 0}, {0.01, 7, 0.723, 0}};
    assert_int_equal(gnt_match_next(&next, &s, p, 4, NULL), 0);
    assert_true(next.what == GNT_MATCH_CONFIRM && next.strength == 0.01 && next.seed == 6);
    assert_int_equal(gnt_match_next(&next, &s, p, 6, NULL), 0); /* all four: 0.716 */
    assert_int_equal(next.what, GNT_MATCH_EVALUATE);
    assert_true(next.strength > 0.01 && next.strength < 0.1);
    s.max_strengths = 2;
    assert_int_equal(gnt_match_next(&next, &s, p, 6, NULL), 0);
    assert_true(next.what == GNT_MATCH_CONFIRM && next.strength == 0.01 && next.seed == 12);
    assert_true(next.reason == GNT_MATCH_NO_REASON && isnan(next.utility));
    s.max_strengths = 12;
    p[0].utility = p[1].utility = 0.69; /* all four: 0.7055 */
    assert_int_equal(gnt_match_next(&next, &s, p, 6, NULL), 0);
    assert_true(next.what == GNT_MATCH_CONFIRM && next.strength == 0.01 && next.seed == 12);
}

/* Student's quantiles at 90 % as tables have them (Abramowitz and Stegun 26.10), with no degree of freedom
 * the normal one; in closed form for one degree, tan(0.4 π), and for two, 0.8 √(2 / 0.36). */
static void quantiles_of_student(void **state) {
    (void)state;
    static const double table[][2] = {{0, 1.281552},  {1, 3.077684},  {2, 1.885618}, {3, 1.637744},
                                      {4, 1.533206},  {5, 1.475884},  {7, 1.414924}, {10, 1.372184},
                                      {30, 1.310415}, {100, 1.290075}};
    for (size_t i = 0; i < sizeof table / sizeof *table; i++)
        assert_true(fabs(gnt_match_t90(table[i][0]) - table[i][1]) < 6e-7);
    assert_true(fabs(gnt_match_t90(1) - tan(0.4 * acos(-1))) < 1e-12);
    assert_true(fabs(gnt_match_t90(2) - 0.8 * sqrt(2 / 0.36)) < 1e-12);
    for (double freedom = 1; freedom < 200; freedom++)
        assert_true(gnt_match_t90(freedom) > gnt_match_t90(freedom + 1));
}

/* What a confirmation makes of a strength that is `distance` tolerances off, where the one training of
 * the search met the target exactly: the worst luck that a search can have. Scatter in tolerances. */
static double passes_at(double distance, double scatter, double *noisy, double *trainings) {
    enum { RUNS = 2000 };
    gnt_match_spec s = match_spec();
    gnt_key key = gnt_key_of_seed(77);
    gnt_stream stream = gnt_stream_open(&key, "confirm");
    int passed = 0, too_noisy = 0;
    double used = 0;
    s.seeds = 1;
    s.most_seeds = 10;
    s.confirm_seeds = 3;
    s.confirmations = 1;
    for (int i = 0; i < RUNS; i++) {
        gnt_match_point p[16] = {{0.01, 0, s.target, 0}};
        gnt_match_next_step next;
        int64_t n = 1;
        for (;;) {
            assert_int_equal(gnt_match_next(&next, &s, p, (size_t)n, NULL), 0);
            if (next.what != GNT_MATCH_CONFIRM)
                break;
            for (; n < 1 + next.n_seeds; n++) {
                const double u = s.target + s.tolerance * (distance + scatter * gnt_random_normal(&stream));
                p[n] = (gnt_match_point){0.01, s.most_seeds + n - 1, u, 0};
            }
        }
        passed += next.what == GNT_MATCH_MATCHED;
        too_noisy += next.what == GNT_MATCH_UNMATCHED && next.reason == GNT_MATCH_TOO_NOISY;
        used += (double)n - 1;
    }
    *noisy = (double)too_noisy / RUNS;
    *trainings = used / RUNS;
    return (double)passed / RUNS;
}

/* At most one in ten of those that are 1.5 tolerances off, whatever the scatter; of those that meet the
 * target nearly all where ten training runs suffice. */
static void confirmation_keeps_its_error_rates(void **state) {
    (void)state;
    static const struct {
        double scatter, matched, trainings;
    } expected[] = {{0.25, 0.99, 3.2}, {0.5, 0.99, 4.5}, {1, 0.7, 9}, {2, 0.02, 10}};
    for (size_t i = 0; i < sizeof expected / sizeof *expected; i++) {
        double noisy, used, noisy_off, used_off;
        const double on = passes_at(0, expected[i].scatter, &noisy, &used);
        const double half = passes_at(0.5, expected[i].scatter, &noisy_off, &used_off);
        const double off = passes_at(1.5, expected[i].scatter, &noisy_off, &used_off);
        print_message("scatter %.2f: matched %.3f on target (too noisy %.3f, %.1f trainings), %.3f half a "
                      "tolerance off, %.3f at 1.5\n",
                      expected[i].scatter, on, noisy, used, half, off);
        assert_true(off <= 0.1);
        assert_true(on >= expected[i].matched);
        assert_true(used <= expected[i].trainings);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(confirmation_by_hand),
        cmocka_unit_test(confirmations_that_fail),
        cmocka_unit_test(the_edge_is_not_confirmed_twice),
        cmocka_unit_test(quantiles_of_student),
        cmocka_unit_test(confirmation_keeps_its_error_rates),
    };
    return cmocka_run_group_tests_name("match_confirm", tests, NULL, NULL);
}
