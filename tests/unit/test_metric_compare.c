/* Comparisons of defenses over common training runs: p-values by hand, the chance of a false alarm and the
 * power by simulation; the choice of the strongest attack, by hand and by its bias. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "base/random.h"
#include "metric/compare.h"

enum { MOST = 6 };

typedef struct outcome {
    double p[MOST * MOST];
    int surely_less[MOST * MOST], unknown[MOST * MOST];
    size_t place[MOST];
} outcome;

static gnt_metric_compare_result into(outcome *o) {
    return (gnt_metric_compare_result){o->p, o->surely_less, o->unknown, o->place};
}

/* Two-sided Student's t with 4 degrees of freedom, p = 1 − ¾·t/√u·(1 − t²/12u) with u = 1 + t²/4.
 * a − b = 1, 2, 3, 4, 5: mean 3, error √(2.5/5), t² = 18, p = .0132356.
 * a − c = −10, −9, −11, −8, −12: mean −10, error √(2.5/5), t² = 200, p = .000145128.
 * b − c = −11, −11, −14, −12, −17: mean −13, error √(6.5/5), t² = 130, p = .000337532.
 * Holm: 3 · .000145128, 2 · .000337532, 1 · .0132356. */
static void pairs_by_hand(void **state) {
    (void)state;
    const double value[3 * 5] = {1, 2, 3, 4, 5, 0, 0, 0, 0, 0, 11, 11, 14, 12, 17};
    outcome o;
    gnt_metric_compare_result r = into(&o);
    assert_int_equal(gnt_metric_compare(&r, value, 3, 5, 0.05, NULL), 0);
    assert_true(fabs(o.p[0 * 3 + 2] - 3 * 0.000145128) < 1e-8);
    assert_true(fabs(o.p[1 * 3 + 2] - 2 * 0.000337532) < 1e-8);
    assert_true(fabs(o.p[0 * 3 + 1] - 0.0132356) < 1e-7 && o.p[1 * 3 + 0] == o.p[0 * 3 + 1]);
    const int less[] = {0, 0, 1, 1, 0, 1, 0, 0, 0};
    assert_memory_equal(o.surely_less, less, sizeof less);
    assert_true(o.place[0] == 2 && o.place[1] == 1 && o.place[2] == 3);
    assert_int_equal(gnt_metric_compare(&r, value, 3, 5, 0.01, NULL), 0);
    assert_true(o.place[0] == 1 && o.place[1] == 1 && o.place[2] == 3 && !o.surely_less[1 * 3 + 0]);
}

static void missing_numbers_leave_common_trainings(void **state) {
    (void)state;
    /* rows 0 and 1 share training runs 0, 2, 3, 4, 5; row 2 shares four with each */
    const double value[3 * 6] = {1, 9, 2, 3, 4, 5, 0, NAN, 0, 0, 0, 0, 30, 40, NAN, 31, NAN, 29};
    const double full[3 * 5] = {1, 2, 3, 4, 5, 0, 0, 0, 0, 0, NAN, NAN, NAN, NAN, NAN};
    outcome o, same;
    gnt_metric_compare_result r = into(&o), again = into(&same);
    assert_int_equal(gnt_metric_compare(&r, value, 3, 6, 0.05, NULL), 0);
    assert_true(o.unknown[0 * 3 + 2] && o.unknown[2 * 3 + 1] && !o.unknown[0 * 3 + 1]);
    assert_true(o.p[0 * 3 + 2] == 1 && o.place[2] == 1);
    /* two pairs that cannot be tested count in Holm's method all the same: 3 × .0132356 */
    assert_true(fabs(o.p[0 * 3 + 1] - 3 * 0.0132356) < 1e-6 && o.surely_less[1 * 3 + 0]);
    assert_int_equal(gnt_metric_compare(&again, full, 3, 5, 0.05, NULL), 0);
    assert_true(fabs(o.p[1] - same.p[1]) < 1e-12);
    assert_int_equal(gnt_metric_compare(&again, full, 2, 4, 0.05, NULL), 0); /* four training runs */
    assert_true(same.unknown[1] && same.place[0] == 1 && same.place[1] == 1);
}

static void constants_tie_or_differ(void **state) {
    (void)state;
    const double value[4 * 5] = {60, 60, 60, 60, 60, 60, 60, 60, 60, 60 + 1e-7, 8, 8, 8, 8, 8, 7, 9, 7, 9, 8};
    outcome o;
    gnt_metric_compare_result r = into(&o);
    assert_int_equal(gnt_metric_compare(&r, value, 4, 5, 0.05, NULL), 0);
    assert_true(o.p[0 * 4 + 1] == 1 && !o.surely_less[1] && !o.surely_less[4]);
    assert_true(o.p[0 * 4 + 2] == 0 && o.surely_less[2 * 4 + 0] && !o.surely_less[0 * 4 + 2]);
    assert_true(o.place[0] == 3 && o.place[1] == 3 && o.place[2] == 1 && o.place[3] == 1);
}

static void refusals(void **state) {
    (void)state;
    const double value[] = {1, 2, 3, INFINITY};
    outcome o = {.place = {7, 7}};
    gnt_metric_compare_result r = into(&o), nothing = {0};
    gnt_err err = {{0}};
    assert_int_equal(gnt_metric_compare(&r, value, 2, 2, 0.05, &err), -1);
    assert_string_equal(err.text, "defense 1 has an infinite number in training 1");
    assert_int_equal(gnt_metric_compare(&r, value, 1, 2, 0, &err), -1);
    assert_true(o.place[0] == 7);
    assert_int_equal(gnt_metric_compare(&r, value, 1, 2, 0.05, &err), 0);
    assert_true(o.place[0] == 1);
    assert_int_equal(gnt_metric_compare(&r, NULL, 0, 0, 0.05, &err), 0);
    assert_int_equal(gnt_metric_compare(&nothing, value, 1, 3, 0.05, &err), 0);
}

/* k defenses over 5 training runs that share an effect of deviation 2: numbers = shared + own. Returns in how
 * many of `worlds` any pair is called different, with `apart` between the first defense and the others;
 * caught: those in which the first is surely below all. */
static int alarms(int worlds, double apart, int *caught) {
    enum { K = 6, S = 5 };
    gnt_key key = gnt_key_of_seed(11);
    gnt_stream stream = gnt_stream_open(&key, "worlds");
    int any = 0;
    *caught = 0;
    for (int world = 0; world < worlds; world++) {
        double value[K * S];
        outcome o;
        gnt_metric_compare_result r = into(&o);
        for (int s = 0; s < S; s++) {
            const double shared = 2 * gnt_random_normal(&stream);
            for (int a = 0; a < K; a++)
                value[a * S + s] = shared + gnt_random_normal(&stream) + (a ? apart : 0);
        }
        assert_int_equal(gnt_metric_compare(&r, value, K, S, 0.05, NULL), 0);
        int pairs = 0, below = 0;
        for (int i = 0; i < K * K; i++)
            pairs += o.surely_less[i];
        for (int b = 1; b < K; b++)
            below += o.surely_less[b];
        any += pairs > 0;
        *caught += below == K - 1;
    }
    return any;
}

/* 15 pairs: without a correction 30 % of these worlds would have an alarm. Holm's bound is 5 %: of 4000, 200,
 * with a deviation of 14. */
static void false_alarms_stay_below_the_level(void **state) {
    (void)state;
    int caught;
    const int any = alarms(4000, 0, &caught);
    assert_in_range(any, 40, 200 + 28);
}

/* Differences have deviation √2, their mean over five training runs √(2/5) = .63: 10 apart is t near 16,
 * where p = .05/15 needs 6.3. Two apart is t near 3.2, seldom enough. */
static void a_clear_difference_is_found(void **state) {
    (void)state;
    int caught;
    (void)alarms(500, 10, &caught);
    assert_in_range(caught, 400, 500);
    (void)alarms(500, 2, &caught);
    assert_in_range(caught, 0, 60);
}

static void the_attack_is_chosen_elsewhere(void **state) {
    (void)state;
    const double value[3 * 3] = {1, 5, 5, 8, 4, 5, 2, NAN, 9};
    double out[3];
    size_t chosen[3], plain;
    /* means elsewhere; training 0: 5, 4.5, 9 → 2; 1: (1 + 5)/2, (8 + 5)/2 → 1; 2: 3, 6, 2 → 1 */
    const double mean = gnt_metric_cross_fit(out, chosen, &plain, value, 3, 3);
    assert_true(chosen[0] == 2 && chosen[1] == 1 && chosen[2] == 1 && plain == 0);
    assert_true(out[0] == 2 && out[1] == 4 && out[2] == 5 && fabs(mean - 11.0 / 3) < 1e-14);
    const double equal[2 * 2] = {3, 3, 3, 3};
    (void)gnt_metric_cross_fit(out, chosen, &plain, equal, 2, 2);
    assert_true(chosen[0] == 0 && chosen[1] == 0);
}

static void without_another_training_it_is_the_maximum(void **state) {
    (void)state;
    const double one[3] = {1, 7, NAN}, split[2 * 3] = {4, NAN, NAN, NAN, 2, NAN};
    double out[3];
    size_t chosen[3], plain;
    assert_true(gnt_metric_cross_fit(out, chosen, &plain, one, 3, 1) == 7);
    assert_true(chosen[0] == 1 && plain == 1);
    assert_true(gnt_metric_cross_fit(out, chosen, &plain, split, 2, 3) == 3);
    assert_true(out[0] == 4 && out[1] == 2 && isnan(out[2]) && chosen[2] == 2 && plain == 2);
    assert_true(isnan(gnt_metric_cross_fit(out, NULL, NULL, one + 2, 1, 1)));
}

/* Ten equally strong attacks, standard normal in five training runs. The maximum in each training has the
 * mean 1.539 (of ten normal draws); the choice made elsewhere has 0, with a deviation of 1/√(5·2000) = .01.
 * With one attack stronger by 3, that one is found. */
static void the_choice_is_without_bias(void **state) {
    (void)state;
    enum { ATTACKS = 10, S = 5, WORLDS = 2000 };
    gnt_key key = gnt_key_of_seed(12);
    gnt_stream stream = gnt_stream_open(&key, "worlds");
    double fitted = 0, largest = 0, strong = 0;
    for (int world = 0; world < WORLDS; world++) {
        double value[ATTACKS * S], out[S];
        for (int i = 0; i < ATTACKS * S; i++)
            value[i] = gnt_random_normal(&stream);
        fitted += gnt_metric_cross_fit(out, NULL, NULL, value, ATTACKS, S) / WORLDS;
        for (int s = 0; s < S; s++) {
            double most = -INFINITY;
            for (int a = 0; a < ATTACKS; a++)
                most = fmax(most, value[a * S + s]);
            largest += most / (S * WORLDS);
            value[4 * S + s] += 3;
        }
        strong += gnt_metric_cross_fit(out, NULL, NULL, value, ATTACKS, S) / WORLDS;
    }
    assert_true(fabs(fitted) < 0.04);
    assert_true(fabs(largest - 1.539) < 0.04);
    assert_true(fabs(strong - 3) < 0.04);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pairs_by_hand),
        cmocka_unit_test(missing_numbers_leave_common_trainings),
        cmocka_unit_test(constants_tie_or_differ),
        cmocka_unit_test(refusals),
        cmocka_unit_test(false_alarms_stay_below_the_level),
        cmocka_unit_test(a_clear_difference_is_found),
        cmocka_unit_test(the_attack_is_chosen_elsewhere),
        cmocka_unit_test(without_another_training_it_is_the_maximum),
        cmocka_unit_test(the_choice_is_without_bias),
    };
    return cmocka_run_group_tests_name("metric compare", tests, NULL, NULL);
}
