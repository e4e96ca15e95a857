/* How often the gate is wrong about suites that judge their defenses at matched utility alone, by simulation
 * (tests/matched_runs.h): honest pairs of runs, under one run key and under two, and planted weakenings. With
 * GATE_RUNS=N in the environment N pairs of each, and the counts are printed. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "matched_runs.h"

static const matched_suite five = {5, 5, 0.02, 0.006, 0.006, 0.0097};
static const matched_suite two = {2, 2, 0.03, 0.006, 0.006, 0.0097};
static const weakening nothing = {"nothing", 1, 0, 0, 1};

static const struct planted {
    int defense;
    weakening is;
} planted[] = {{0, {"noise × 0.7", 0.7, 0, 0, 1}},
               {2, {"noise × 0.7 on a cliff", 0.7, 0, 0, 1}},
               {1, {"pruning keeps 30 % more", 1 / 1.3, 0, 0, 1}},
               {0, {"noise for 7 of 10 clients", 0.837, 0.3, 0, 1}},
               {1, {"pruning for 7 of 10 clients", 0.7, 0.3, 0, 1}},
               {0, {"one tensor in the clear", 1, 1, 0, 1}},
               {2, {"one tensor in the clear, on a cliff", 1, 1, 0, 1}},
               {0, {"no noise", 1e-9, 0, 0, 1}},
               {1, {"pruning keeps everything", 1e-9, 0, 0, 1}},
               {0, {"noise that tells 6 dB more", 1, 0, 6, 1}},
               {0, {"noise that costs twice as much", 1, 0, 0, 2}}};
enum { PLANTED = sizeof planted / sizeof *planted };

static int runs(int usual) {
    const char *more = getenv("GATE_RUNS");
    return more ? (int)strtol(more, NULL, 10) : usual;
}

static matched_world world(const matched_suite *suite, int pair, int other_key, int second) {
    gnt_key all = gnt_key_of_seed((uint64_t)pair);
    matched_world m = {.suite = suite,
                       .key = gnt_key_derive(&all, other_key && second ? "other key" : "key")};
    m.noise = gnt_key_derive(&m.key, second ? "second" : "first");
    gnt_stream s = gnt_stream_open(&all, "curves");
    for (int d = 0; d < MATCHED_DEFENSES; d++)
        m.middle[d] = pow(10, 3 * gnt_random_uniform(&s) - (d == 1 ? -0.3 : 3));
    return m;
}

typedef struct outcome {
    int failed, undecided;
} outcome;

/* How the new run was made. */
typedef struct made_how {
    int other_key, at_baseline;
} made_how;

static outcome compare(const matched_suite *suite, int pair, made_how how, const struct planted *p) {
    const weakening *w[MATCHED_DEFENSES] = {&nothing, &nothing, &nothing};
    matched_world before = world(suite, pair, how.other_key, 0), now = world(suite, pair, how.other_key, 1);
    json_t *old = matched_run(&before, w, NULL);
    made_pair made;
    if (p)
        w[p->defense] = &p->is;
    json_t *new = matched_run(&now, w, how.at_baseline ? old : NULL);
    made_check(&made, new, old);
    outcome o = {made.gate.n_failures > 0, made.gate.undecided > 0};
    made_free(&made);
    return o;
}

static int failures(const char *what, const matched_suite *suite, int n, made_how how,
                    const struct planted *p) {
    int failed = 0, undecided = 0;
    for (int i = 0; i < n; i++) {
        outcome o = compare(suite, i, how, p);
        failed += o.failed;
        undecided += o.undecided;
    }
    if (getenv("GATE_RUNS"))
        print_message("%d replicates, %s key%s, %s: %d of %d fail, %d cannot tell\n", suite->replicates,
                      how.other_key ? "another" : "the same",
                      how.at_baseline ? ", at the baseline's strength" : "", what, failed, n, undecided);
    return failed;
}

static void test_honest_pairs_are_seldom_an_alarm(void **state) {
    (void)state;
    int n = runs(40);
    for (int k = 0; k < 4; k++) {
        const made_how how = {k & 1, k >> 1};
        assert_true(failures("nothing", &five, n, how, NULL) * 100 <= n * 5);
        assert_true(failures("nothing", &two, n, how, NULL) * 100 <= n * 5);
    }
}

/* Each alone under one key at the baseline's strength, with runs enough to see it. All together: under
 * another key the test samples are others, which a small change of utility cannot be distinguished from. */
static void test_weakenings_are_caught(void **state) {
    (void)state;
    int n = runs(6);
    for (int h = 0; h < 4; h++) {
        const made_how how = {h & 1, h >> 1};
        int caught = 0;
        for (int k = 0; k < PLANTED; k++) {
            int one = failures(planted[k].is.name, &five, n, how, &planted[k]);
            caught += one;
            assert_true(how.other_key || !how.at_baseline || n < 200 || one * 100 >= n * 95);
        }
        assert_true(caught * 100 >= n * PLANTED * (how.other_key ? 80 : 95));
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_honest_pairs_are_seldom_an_alarm),
                                       cmocka_unit_test(test_weakenings_are_caught)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
