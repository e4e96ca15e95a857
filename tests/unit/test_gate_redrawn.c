/* Findings against a run when some of its cells were run again with another seed: the rank sum test against
 * enumeration, t of two samples against its formula, and what counts as a difference. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <math.h>

#include "base/random.h"
#include "gate/ranks_impl.h"
#include "gate_runs.h"

enum { MOST = 64 };

static gnt_sample sample_of(const double *x, size_t n) {
    static const int64_t seed[MOST];
    return (gnt_sample){x, seed, n};
}

static double tail_of(const double *x, size_t n, const double *y, size_t m, double tolerance, int sign) {
    const gnt_sample now = sample_of(x, n), before = sample_of(y, m);
    double p;
    assert_int_equal(gnt_rank_sum_tail(&now, &before, tolerance, sign, &p), 0);
    return p;
}

/* Twice the number of pairs of which the first has the larger score, ties counting one: the rank sum but for
 * a constant. */
static long wins(const double *all, long choice, int n) {
    long sum = 0;
    for (int i = 0; i < n; i++)
        for (int k = 0; k < n; k++)
            if (choice >> i & 1 && !(choice >> k & 1))
                sum += all[i] > all[k] ? 2 : all[i] == all[k];
    return sum;
}

/* Every choice of n of the n + m scores, each counted from scratch. */
static double enumerate(const double *x, int n, const double *y, int m) {
    double all[16];
    long as_good = 0, choices = 0;
    for (int i = 0; i < n + m; i++)
        all[i] = i < n ? x[i] : y[i - n];
    const long seen = wins(all, (1L << n) - 1, n + m);
    for (long choice = 0; choice < 1L << (n + m); choice++) {
        int chosen = 0;
        for (int i = 0; i < n + m; i++)
            chosen += (int)(choice >> i & 1);
        if (chosen != n)
            continue;
        choices++;
        as_good += wins(all, choice, n + m) >= seen;
    }
    return (double)as_good / (double)choices;
}

static void test_rank_sums_are_those_of_enumeration(void **state) {
    (void)state;
    gnt_key key = gnt_key_of_seed(1);
    gnt_stream s = gnt_stream_open(&key, "x");
    for (int n = 1; n <= 6; n++)
        for (int m = 1; m <= 6; m++) {
            double x[6], y[6];
            for (int i = 0; i < n; i++)
                x[i] = floor(3 * gnt_random_normal(&s)) + 1; /* with ties */
            for (int i = 0; i < m; i++)
                y[i] = floor(3 * gnt_random_normal(&s));
            assert_float_equal(tail_of(x, (size_t)n, y, (size_t)m, 0, 1), enumerate(x, n, y, m), 1e-12);
            for (int i = 0; i < n; i++)
                x[i] = -x[i];
            for (int i = 0; i < m; i++)
                y[i] = -y[i];
            assert_float_equal(tail_of(x, (size_t)n, y, (size_t)m, 0, 1), enumerate(x, n, y, m), 1e-12);
        }
    const double low[] = {1, 2, 3}, high[] = {4, 5, 6};
    assert_float_equal(tail_of(high, 3, low, 3, 0, 1), 1.0 / 20, 1e-12); /* one choice of 6 over 3 */
    assert_float_equal(tail_of(high, 3, low, 3, 0, -1), 1, 1e-12);
    assert_float_equal(tail_of(low, 3, high, 3, 0, -1), 1.0 / 20, 1e-12);
    assert_float_equal(gnt_rank_sum_least(3, 3), 1.0 / 20, 1e-12);
}

/* Only more than the tolerance counts: 4, 5, 6 less 3.5 lie among 1, 2, 3. */
static void test_the_tolerance_is_taken_off(void **state) {
    (void)state;
    const double low[] = {1, 2, 3}, high[] = {4, 5, 6}, moved[] = {0.5, 1.5, 2.5};
    const double minus_high[] = {-4, -5, -6}, minus_low[] = {-4.5, -5.5, -6.5};
    assert_float_equal(tail_of(high, 3, low, 3, 3.5, 1), enumerate(moved, 3, low, 3), 1e-12);
    assert_float_equal(tail_of(low, 3, high, 3, 3.5, -1), enumerate(minus_low, 3, minus_high, 3), 1e-12);
}

/* Beyond 50 scores the normal law: within 3 % of the exact tail at 25 and 25, also with many ties. */
static void test_many_ranks_are_nearly_normal(void **state) {
    (void)state;
    gnt_key key = gnt_key_of_seed(3);
    gnt_stream s = gnt_stream_open(&key, "x");
    for (int grain = 0; grain < 2; grain++) {
        double x[26], y[25];
        for (int i = 0; i < 25; i++) {
            x[i] = gnt_random_normal(&s) + 0.5;
            y[i] = gnt_random_normal(&s);
            if (grain) {
                x[i] = floor(x[i]);
                y[i] = floor(y[i]);
            }
        }
        const double exact = tail_of(x, 25, y, 25, 0, 1);
        x[25] = 0.25; /* one in the middle more, and it is 51 */
        const double normal = tail_of(x, 26, y, 25, 0, 1);
        if (fabs(log(normal / exact)) > 0.3)
            fail_msg("exactly %g of 50, by the normal law %g of 51", exact, normal);
    }
}

/* Two seeds each; by hand. now: 1 3 | 5 7, before: 0 2 | 2 4. Means 4 and 2; inside seeds every square is 1,
 * 8 in all over 4 degrees; between seeds 4·4 and 4·1 over 2. */
static void test_two_samples_have_one_variance(void **state) {
    (void)state;
    const double x[] = {1, 3, 5, 7}, y[] = {0, 2, 2, 4};
    const int64_t seed[] = {1, 1, 2, 2};
    const gnt_sample now = {x, seed, 4}, before = {y, seed, 4};
    gnt_evidence e;
    assert_int_equal(gnt_evidence_weigh_two(&e, &now, &before, 0.5, NULL), 0);
    assert_float_equal(e.mean, 2, 1e-12);
    assert_int_equal(e.between, 2);
    assert_float_equal(e.freedom, 4, 0);
    assert_float_equal(e.f, (16 + 4) / 2.0 / (8 / 4.0), 1e-12);
    assert_float_equal(e.t, 1.5 / sqrt(2 * (0.25 + 0.25)), 1e-12);
    assert_float_equal(e.t_less, -2.5 / sqrt(2 * (0.25 + 0.25)), 1e-12);
    assert_float_equal(e.p_flip, tail_of(x, 4, y, 4, 0.5, 1), 1e-12);
    assert_float_equal(e.p_flip_less, tail_of(x, 4, y, 4, 0.5, -1), 1e-12);
    assert_float_equal(e.p_least, 1.0 / 70, 1e-12);
    const double odd[] = {1, NAN};
    const gnt_sample spoilt = {odd, seed, 2};
    assert_int_equal(gnt_evidence_weigh_two(&e, &spoilt, &before, 0, NULL), -1);
}

/* A run of one cell at two seeds; `shift` is added to its scores, targets are others. */
static json_t *run_of(const made_cell *like, double first, double shift, const char *status) {
    json_t *run = made_run();
    made_cell c = *like;
    for (c.seed = 1; c.seed <= 2; c.seed++) {
        double x[12];
        c.status = c.seed == 2 ? status : NULL;
        for (int i = 0; i < 12; i++)
            x[i] = first + 0.3 * i + 0.05 * c.seed + shift;
        made_add(run, &c, "psnr", x, c.status ? 0 : 12);
    }
    return run;
}

/* How many come out different; *lines is what is said, which the caller frees. */
static size_t different(json_t *now, json_t *before, char **lines) {
    made_pair p;
    gnt_text text;
    made_compare(&p, now, before, 1);
    gnt_text_init(&text, 1 << 16);
    const size_t n = gnt_gate_write_redrawn(&p.gate, &text);
    *lines = gnt_text_take(&text);
    made_free(&p);
    return n;
}

static void test_both_ways_are_different(void **state) {
    (void)state;
    const made_cell cell = {"t", "d", "sweep", "a", NULL, 3, 1, 0.5, 0.8};
    static const struct {
        double shift;
        size_t n;
    } cases[] = {{0, 0}, {8, 1}, {-8, 1}, {0.4, 0}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char *lines;
        const size_t n =
            different(run_of(&cell, 20.1, cases[i].shift, NULL), run_of(&cell, 20, 0, NULL), &lines);
        if (n != cases[i].n)
            fail_msg("moved by %g, %zu differ:\n%s", cases[i].shift, n, lines);
        assert_non_null(strstr(lines, n ? "different t/r3/d@0.5/a: PSNR" : "same t/r3/d@0.5/a: PSNR"));
        assert_non_null(strstr(lines, "same t/d@0.5: accuracy 80.0 %"));
        free(lines);
    }
}

/* An unwanted cell is unfinished and says nothing; what fails now does. */
static void test_cells_that_fail_or_were_not_wanted(void **state) {
    (void)state;
    const made_cell cell = {"t", "d", "sweep", "a", NULL, 3, 1, 0.5, 0.8};
    char *lines;
    assert_int_equal(different(run_of(&cell, 20, 0, "unfinished"), run_of(&cell, 20, 0, NULL), &lines), 0);
    assert_null(strstr(lines, "failing"));
    free(lines);
    assert_int_equal(different(run_of(&cell, 20, 0, "crashed"), run_of(&cell, 20, 0, NULL), &lines), 1);
    assert_non_null(strstr(lines, "different t/r3/d@0.5/a: newly failing: crashed"));
    free(lines);
}

/* A search may stop anywhere within its tolerance, and its luck is no lie: utilities of matched cells differ
 * beyond that. */
static void test_matched_utility_has_the_tolerance_of_its_match(void **state) {
    (void)state;
    for (int wide = 0; wide < 2; wide++) {
        made_cell cell = {"t", "d", "matched", "a", NULL, 3, 1, 0.5, 0.8};
        char *lines;
        json_t *before = run_of(&cell, 20, 0, NULL);
        json_array_append_new(json_object_get(before, "matches"),
                              json_pack("{s:s, s:s, s:s, s:f, s:f, s:f}", "task", "t", "defense", "d",
                                        "verdict", "matched", "target", 0.8, "tolerance", wide ? 0.2 : 0.02,
                                        "strength", 0.5));
        cell.utility = 0.6;
        json_t *now = run_of(&cell, 20, 0, NULL);
        size_t i;
        json_t *at;
        json_array_foreach(json_object_get(now, "cells"), i, at)
            json_object_set_new(json_object_get(at, "utility"), "standard_error", json_real(0.001));
        json_array_foreach(json_object_get(before, "cells"), i, at)
            json_object_set_new(json_object_get(at, "utility"), "standard_error", json_real(0.001));
        const size_t n = different(now, before, &lines);
        if (n != (wide ? 0u : 1u))
            fail_msg("a match %s tolerance: %zu differ:\n%s", wide ? "of wide" : "of narrow", n, lines);
        free(lines);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_rank_sums_are_those_of_enumeration),
                                       cmocka_unit_test(test_the_tolerance_is_taken_off),
                                       cmocka_unit_test(test_many_ranks_are_nearly_normal),
                                       cmocka_unit_test(test_two_samples_have_one_variance),
                                       cmocka_unit_test(test_both_ways_are_different),
                                       cmocka_unit_test(test_cells_that_fail_or_were_not_wanted),
                                       cmocka_unit_test(test_matched_utility_has_the_tolerance_of_its_match)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
