/* The strengths on either side of a matched one: where a known curve is 1.5 tolerances off, on every
 * scale, and at the ends of a range; and lists of them around several targets. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "match/level_impl.h"
#include "match/match.h"
#include "match_spec.h"

static gnt_match_spec usual(void) {
    gnt_match_spec s = match_spec();
    s.least = 1e-3;
    s.seeds = 1;
    s.most_seeds = 10;
    s.confirm_seeds = 3;
    return s;
}

/* Falls by .4 over the scale, on a straight line in place: 1.5 tolerances are .075 of it. */
static double line(const gnt_match_spec *s, double strength) {
    const double u = 0.9 - 0.4 * gnt_match_place(s, strength);
    return s->lower_is_better ? 1 - u : u;
}

static double bracket(const gnt_match_spec *s, const gnt_match_point *p, size_t n, double strength,
                      int stronger) {
    double x;
    assert_int_equal(gnt_match_bracket(&x, s, p, n, strength, stronger, 0, NULL), 0);
    return x;
}

static void on_a_line(void **state) {
    (void)state;
    for (int kind = 0; kind < 12; kind++) {
        gnt_match_spec s = usual();
        s.scale = kind % 3 == 0 ? GNT_MATCH_LOG : kind % 3 == 1 ? GNT_MATCH_LINEAR : GNT_MATCH_COMPLEMENT;
        if (s.scale == GNT_MATCH_COMPLEMENT) {
            s.least = 0;
            s.most = 0.9999;
        }
        s.smaller_is_stronger = kind / 3 & 1;
        s.lower_is_better = kind / 6;
        s.target = s.lower_is_better ? 0.3 : 0.7;
        const double middle = gnt_match_first(&s), ends[] = {gnt_match_end(&s, 0), gnt_match_end(&s, 1)};
        const gnt_match_point p[] = {{ends[0], 0, line(&s, ends[0]), 0},
                                     {middle, 0, line(&s, middle), 0},
                                     {ends[1], 0, line(&s, ends[1]), 0}};
        for (int stronger = 0; stronger < 2; stronger++) {
            const double x = bracket(&s, p, 3, middle, stronger);
            const double gap = (line(&s, x) - s.target) * (s.lower_is_better ? -1 : 1);
            assert_true(fabs(gap - (stronger ? -0.03 : 0.03)) < 1e-3);
        }
    }
}

static void at_the_ends(void **state) {
    (void)state;
    gnt_match_spec s = usual();
    /* the curve does not come down to 1.5 tolerances below: the end of the range, if it is near */
    const gnt_match_point shallow[] = {{1e-3, 0, 0.9, 0}, {4, 0, 0.7, 0}, {10, 0, 0.69, 0}};
    assert_true(bracket(&s, shallow, 3, 4, 1) == 10);
    assert_true(isnan(bracket(&s, shallow, 3, 10, 1)));
    assert_true(isnan(bracket(&s, shallow, 3, 1e-3, 0)));
    /* what was matched turned out to be that far off itself: between it and the next level */
    const gnt_match_point off[] = {{1e-3, 0, 0.9, 0}, {1, 0, 0.6, 0}, {10, 0, 0.2, 0}};
    const double x = bracket(&s, off, 3, 1, 1);
    assert_true(x > 1 && x < 10);
    /* whole numbers that lie side by side */
    s.scale = GNT_MATCH_LINEAR;
    s.integer = 1;
    s.least = 1;
    s.most = 3;
    const gnt_match_point whole[] = {{1, 0, 0.9, 0}, {2, 0, 0.7, 0}, {3, 0, 0.4, 0}};
    assert_true(bracket(&s, whole, 3, 2, 0) == 1 && bracket(&s, whole, 3, 2, 1) == 3);
}

/* The search knows nothing between the matched strength and an end where all is settled: four times more or
 * less, or a quarter of a linear scale. */
static void no_farther_than_fourfold(void **state) {
    (void)state;
    gnt_match_spec s = usual();
    const gnt_match_point far[] = {{1e-3, 0, 0.705, 0}, {0.1, 0, 0.7, 0}, {10, 0, 0.695, 0}};
    assert_true(fabs(bracket(&s, far, 3, 0.1, 0) - 0.025) < 1e-4);
    assert_true(fabs(bracket(&s, far, 3, 0.1, 1) - 0.4) < 1e-3);
    s.scale = GNT_MATCH_COMPLEMENT;
    s.least = 0;
    s.most = 0.9999;
    const gnt_match_point kept[] = {{0, 0, 0.705, 0}, {0.96, 0, 0.7, 0}, {0.9999, 0, 0.695, 0}};
    assert_true(fabs(bracket(&s, kept, 3, 0.96, 0) - 0.84) < 1e-3);
    assert_true(fabs(bracket(&s, kept, 3, 0.96, 1) - 0.99) < 1e-3);
    s.scale = GNT_MATCH_LINEAR;
    s.most = 8;
    const gnt_match_point line_of[] = {{0, 0, 0.705, 0}, {4, 0, 0.7, 0}, {8, 0, 0.695, 0}};
    assert_true(fabs(bracket(&s, line_of, 3, 4, 0) - 2) < 1e-3 &&
                fabs(bracket(&s, line_of, 3, 4, 1) - 6) < 1e-3);
}

/* Matched half a tolerance above the target, where utility falls slowly: farther, until the target has been
 * passed, or the range ends. */
static void as_far_as_the_target(void **state) {
    (void)state;
    gnt_match_spec s = usual();
    double x;
    const gnt_match_point slow[] = {{1e-3, 0, 0.8, 0}, {0.1, 0, 0.715, 0}, {10, 0, 0.68, 0}};
    assert_true(fabs(bracket(&s, slow, 3, 0.1, 1) - 2.683) < 1e-3); /* where it is half a tolerance below */
    assert_int_equal(gnt_match_bracket(&x, &s, slow, 3, 0.1, 1, 1, NULL), 0);
    assert_true(fabs(x - 0.4) < 1e-3);
    const gnt_match_point never[] = {{1e-3, 0, 0.8, 0}, {0.1, 0, 0.715, 0}, {10, 0, 0.705, 0}};
    assert_true(bracket(&s, never, 3, 0.1, 1) == 10);
    const gnt_match_point below[] = {{1e-3, 0, 0.72, 0}, {1, 0, 0.685, 0}, {10, 0, 0.2, 0}};
    assert_true(bracket(&s, below, 3, 1, 0) < 0.25);
}

/* ---- lists ---- */

static size_t enclose(double out[8], size_t wanted, const gnt_match_sought *of, size_t n_of) {
    gnt_err err = {""};
    size_t n;
    if (gnt_match_enclose(out, &n, wanted, of, n_of, &err) != 0)
        fail_msg("%s", err.text);
    for (size_t i = 0; i + 1 < n; i++)
        assert_true(gnt_match_place(&of[0].spec, out[i]) < gnt_match_place(&of[0].spec, out[i + 1]));
    return n;
}

/* On a known line both targets lie between neighbours, 1.5 tolerances off, on every scale. */
static void a_list_has_the_targets_inside(void **state) {
    (void)state;
    static const double target[] = {0.8, 0.6};
    for (int kind = 0; kind < 6; kind++) {
        gnt_match_spec s = usual();
        gnt_match_point p[2][16];
        gnt_match_sought of[2];
        double list[8];
        s.scale = kind % 3 == 0 ? GNT_MATCH_LOG : kind % 3 == 1 ? GNT_MATCH_LINEAR : GNT_MATCH_COMPLEMENT;
        if (s.scale == GNT_MATCH_COMPLEMENT) {
            s.least = 0;
            s.most = 0.9999;
        }
        s.smaller_is_stronger = kind / 3;
        for (int t = 0; t < 2; t++) { /* a search to its end */
            gnt_match_next_step step;
            size_t n = 0;
            s.target = target[t];
            while (gnt_match_next(&step, &s, p[t], n, NULL) == 0 && step.what <= GNT_MATCH_CONFIRM)
                for (int64_t i = 0; i < step.n_seeds && n < 16; i++)
                    p[t][n++] = (gnt_match_point){step.strength, step.seed + i, line(&s, step.strength), 0};
            assert_int_equal(step.what, GNT_MATCH_MATCHED);
            of[t] = (gnt_match_sought){s, p[t], n};
        }
        assert_int_equal(enclose(list, 5, of, 2), 5);
        for (int t = 0; t < 2; t++) {
            /* the weakest is one more; then come those of the first target, and of the second */
            assert_true(fabs(line(&s, list[1 + 2 * t]) - target[t] - 0.03) < 2e-3);
            assert_true(fabs(line(&s, list[2 + 2 * t]) - target[t] + 0.03) < 2e-3);
        }
        const double step = gnt_match_most_distance(&s);
        assert_true(fabs(gnt_match_place(&s, list[0]) - fmax(gnt_match_place(&s, list[1]) - step, 0)) < 2e-3);
    }
}

/* Searches that end otherwise: a target below the strongest setting, or above the weakest; one whole number
 * alone. */
static void a_list_of_what_there_is(void **state) {
    (void)state;
    gnt_match_spec s = usual();
    double list[8];
    size_t n;
    const gnt_match_point strong[] = {
        {0.1, 0, 0.95, 0}, {10, 0, 0.9, 0}, {10, 10, 0.9, 0}, {10, 11, 0.9, 0}, {10, 12, 0.9, 0}};
    assert_int_equal(enclose(list, 5, &(gnt_match_sought){s, strong, 5}, 1), 5);
    assert_true(list[4] == 10);
    const gnt_match_point weak[] = {{0.1, 0, 0.5, 0}, {1e-3, 0, 0.6, 0}};
    assert_int_equal(enclose(list, 5, &(gnt_match_sought){s, weak, 2}, 1), 5);
    assert_true(list[0] == 1e-3);
    s.scale = GNT_MATCH_LINEAR;
    s.integer = 1;
    s.least = 1;
    s.most = 3;
    const gnt_match_point whole[] = {{2, 0, 0.7, 0}};
    assert_int_equal(enclose(list, 5, &(gnt_match_sought){s, whole, 1}, 1), 3);
    assert_true(list[0] == 1 && list[1] == 2 && list[2] == 3);
    assert_int_equal(gnt_match_enclose(list, &n, 5, NULL, 0, NULL), -1);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(on_a_line),
        cmocka_unit_test(at_the_ends),
        cmocka_unit_test(no_farther_than_fourfold),
        cmocka_unit_test(as_far_as_the_target),
        cmocka_unit_test(a_list_has_the_targets_inside),
        cmocka_unit_test(a_list_of_what_there_is),
    };
    return cmocka_run_group_tests_name("match_bracket", tests, NULL, NULL);
}
