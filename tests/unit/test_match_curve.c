/* match: strengths that are listed, between which the target is read, in the place of a search. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "match_spec.h"

enum { MOST = 64 };

/* What training runs leave: utility[k] at strength[k], and how much seed 1 differs from seed 0 everywhere. */
typedef struct defense {
    const double *strength, *utility;
    int n;
    double apart;
} defense;

static double utility_of(const defense *d, double strength, int64_t seed) {
    for (int i = 0; i < d->n; i++)
        if (d->strength[i] == strength)
            return d->utility[i] + (seed ? -d->apart / 2 : d->apart / 2);
    fail_msg("%g was not listed", strength);
    return NAN;
}

/* Does what is requested until there is a verdict; returns the number of training runs. */
static size_t follow(gnt_match_next_step *step, const gnt_match_spec *spec, const defense *d) {
    gnt_match_point history[MOST];
    gnt_err err = {0};
    size_t n = 0;
    for (;;) {
        assert_int_equal(gnt_match_next(step, spec, history, n, &err), 0);
        if (step->what != GNT_MATCH_EVALUATE)
            return n;
        assert_true(n + (size_t)step->n_seeds <= MOST);
        for (int64_t s = step->seed; s < step->seed + step->n_seeds; s++)
            history[n++] = (gnt_match_point){step->strength, s, utility_of(d, step->strength, s), 0};
    }
}

static const double strengths[] = {0.1, 0.001, 1, 0.01, 10}; /* in no order */

static gnt_match_spec listed(void) {
    gnt_match_spec s = match_spec();
    s.most_seeds = s.seeds;
    s.listed = strengths;
    s.n_listed = 5;
    return s;
}

static void the_target_is_between_two_neighbours(void **state) {
    const double utility[] = {0.72, 0.9, 0.4, 0.8, 0.1};
    const defense d = {strengths, utility, 5, 0.02};
    const gnt_match_spec spec = listed();
    gnt_match_next_step step;
    double beyond;
    gnt_err err = {0};
    (void)state;
    assert_int_equal(follow(&step, &spec, &d), 10); /* five strengths, two seeds, and no more */
    assert_int_equal(step.what, GNT_MATCH_MATCHED);
    assert_true(step.strength == 0.1 && !step.saturated);
    assert_float_equal(step.utility, 0.72, 1e-12);
    assert_int_equal(gnt_match_bracket(&beyond, &spec, NULL, 0, 0.1, 1, 0, &err), 0);
    assert_true(beyond == 1);
    assert_int_equal(gnt_match_bracket(&beyond, &spec, NULL, 0, 0.1, 0, 0, &err), 0);
    assert_true(isnan(beyond));
    assert_int_equal(gnt_match_bracket(&beyond, &spec, NULL, 0, 10, 1, 0, &err), 0);
    assert_true(isnan(beyond));
}

static void means_decide_and_not_single_training_runs(void **state) {
    const double utility[] = {0.71, 0.9, 0.69, 0.8, 0.1};
    const defense d = {strengths, utility, 5, 0.3};
    const gnt_match_spec spec = listed();
    gnt_match_next_step step;
    (void)state;
    follow(&step, &spec, &d);
    assert_int_equal(step.what, GNT_MATCH_MATCHED);
    assert_true(step.strength == 0.1);
}

static void of_two_passes_the_weakest_counts(void **state) {
    const double utility[] = {0.6, 0.9, 0.75, 0.8, 0.1};
    const defense d = {strengths, utility, 5, 0};
    const gnt_match_spec spec = listed();
    gnt_match_next_step step;
    (void)state;
    follow(&step, &spec, &d);
    assert_int_equal(step.what, GNT_MATCH_MATCHED);
    assert_true(step.strength == 0.01);
}

/* Expects no match, the reason, and the strength that came nearest. */
static void expect_none(const gnt_match_spec *spec, const double *utility, double nearest) {
    const defense d = {strengths, utility, 5, 0};
    gnt_match_next_step step;
    char why[GNT_MATCH_REASON_SIZE];
    follow(&step, spec, &d);
    assert_int_equal(step.what, GNT_MATCH_UNMATCHED);
    assert_int_equal(step.reason, GNT_MATCH_NOT_PASSED);
    assert_true(step.strength == nearest);
    gnt_match_write_reason(&step, spec, why);
    assert_non_null(strstr(why, "does not lie between the utilities of two neighbouring strengths"));
}

static void a_target_beyond_the_curve_is_unmatched(void **state) {
    const double above[] = {0.9, 0.95, 0.85, 0.92, 0.8}, below[] = {0.5, 0.6, 0.4, 0.55, 0.3};
    const gnt_match_spec spec = listed();
    (void)state;
    expect_none(&spec, above, 10);
    expect_none(&spec, below, 0.001);
}

static void a_strength_that_diverged_is_no_neighbour(void **state) {
    const double utility[] = {NAN, 0.9, 0.4, 0.8, 0.1};
    const gnt_match_spec spec = listed();
    (void)state;
    expect_none(&spec, utility, 0.01);
}

static void losses_pass_from_below(void **state) {
    const double loss[] = {0.8, 0.5, 1.2, 0.6, 2};
    const defense d = {strengths, loss, 5, 0};
    gnt_match_spec spec = listed();
    gnt_match_next_step step;
    (void)state;
    spec.lower_is_better = 1;
    follow(&step, &spec, &d);
    assert_int_equal(step.what, GNT_MATCH_MATCHED);
    assert_true(step.strength == 0.01);
}

static void smaller_may_be_stronger(void **state) {
    const double utility[] = {0.6, 0.2, 0.8, 0.4, 0.9};
    const defense d = {strengths, utility, 5, 0};
    gnt_match_spec spec = listed();
    gnt_match_next_step step;
    double beyond;
    (void)state;
    spec.smaller_is_stronger = 1;
    follow(&step, &spec, &d);
    assert_int_equal(step.what, GNT_MATCH_MATCHED);
    assert_true(step.strength == 1);
    assert_int_equal(gnt_match_bracket(&beyond, &spec, NULL, 0, 1, 1, 0, NULL), 0);
    assert_true(beyond == 0.1);
}

static void a_strength_outside_the_range_is_refused(void **state) {
    const double outside[] = {0.1, 0};
    gnt_match_spec spec = listed();
    gnt_err err = {0};
    (void)state;
    spec.listed = outside;
    spec.n_listed = 2;
    assert_int_equal(gnt_match_check(&spec, &err), -1);
    assert_string_equal(
        err.text, "the strength 0 is listed, outside the range 1e-05 to 10, whose scale is logarithmic");
}

static void a_target_may_be_what_private_data_add(void **state) {
    (void)state;
    assert_float_equal(gnt_match_added(0.5, 0.9, 0.5), 0.7, 1e-12);
    assert_float_equal(gnt_match_added(2, 1, 0.9), 1.1, 1e-12); /* of a loss */
    assert_float_equal(gnt_match_added(0.5, 0.9, 1), 0.9, 1e-12);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_target_is_between_two_neighbours),
        cmocka_unit_test(means_decide_and_not_single_training_runs),
        cmocka_unit_test(of_two_passes_the_weakest_counts),
        cmocka_unit_test(a_target_beyond_the_curve_is_unmatched),
        cmocka_unit_test(a_strength_that_diverged_is_no_neighbour),
        cmocka_unit_test(losses_pass_from_below),
        cmocka_unit_test(smaller_may_be_stronger),
        cmocka_unit_test(a_strength_outside_the_range_is_refused),
        cmocka_unit_test(a_target_may_be_what_private_data_add),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
