/* Times of two builds that ran in turns: what is slower, how often chance is called so, and what is caught.
 * Seconds are drawn; no clock is read. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <math.h>

#include "base/random.h"
#include "gate_runs.h"

enum { ROUNDS = 15, JOBS = 11 };

/* A run of one attack for each job, the same to the last digit in both runs, so that nothing else is tested.
 */
static json_t *run_of_jobs(const char *check) {
    json_t *run = made_run();
    const double x[] = {20, 21, 22};
    for (int i = 0; i < JOBS; i++) {
        char attack[8];
        snprintf(attack, sizeof attack, "a%d", i);
        made_cell c = {"t", "d", "sweep", attack, NULL, 3, 1, 0.5, 0.8};
        made_add(run, &c, "psnr", x, 3);
    }
    if (check)
        json_object_set_new(run, "check", json_loads(check, 0, NULL));
    return run;
}

typedef struct race {
    gnt_results now, before;
    gnt_gate_timed timed[JOBS];
    char cell[JOBS][32];
    double seconds[2][JOBS][ROUNDS];
} race;

static void open_race(race *r, const char *check) {
    json_t *now = run_of_jobs(check), *before = run_of_jobs(NULL);
    made_parse(&r->now, now, "now");
    made_parse(&r->before, before, "before");
    json_decref(now);
    json_decref(before);
    for (int i = 0; i < JOBS; i++) {
        snprintf(r->cell[i], sizeof r->cell[i], "t/r3/d@0.5/a%d/s1", i);
        r->timed[i] = (gnt_gate_timed){r->cell[i], i % 2, r->seconds[0][i], r->seconds[1][i], ROUNDS};
        for (int k = 0; k < ROUNDS; k++)
            r->seconds[0][i][k] = r->seconds[1][i][k] = 1;
    }
}

static void close_race(race *r) {
    gnt_results_free(&r->now);
    gnt_results_free(&r->before);
}

static void judge(race *r, size_t jobs, gnt_gate *g) {
    gnt_err err = {""};
    if (gnt_gate_make_timed(g, &r->now, "now", &r->before, "before", r->timed, jobs, &err) != 0)
        fail_msg("%s", err.text);
}

/* Returns, for one job with every round at that ratio, the one finding's kind, or GNT_GATE_KINDS. */
static gnt_gate_kind kind_of_ratio(const char *check, double ratio) {
    static race r;
    gnt_gate g;
    open_race(&r, check);
    for (int k = 0; k < ROUNDS; k++)
        r.seconds[0][0][k] = ratio * (r.seconds[1][0][k] = 0.5 + 0.1 * k);
    judge(&r, 1, &g);
    assert_int_equal(g.timed, 1);
    assert_int_equal(g.tested, 1);
    assert_int_equal(g.same, JOBS + 1);
    const gnt_gate_kind kind = g.n_finding ? g.finding[0].kind : GNT_GATE_KINDS;
    assert_float_equal(g.row[g.n_row - 1].worse, ratio - 1, 1e-6);
    gnt_gate_free(&g);
    close_race(&r);
    return kind;
}

static void test_slower_is_a_regression_and_faster_a_note(void **state) {
    (void)state;
    static const char *const twice = "{\"tolerance\": {\"time\": 1.0}}";
    assert_int_equal(kind_of_ratio(NULL, 3), GNT_GATE_SLOWER);
    assert_int_equal(kind_of_ratio(NULL, 1.11), GNT_GATE_SLOWER);
    assert_int_equal(kind_of_ratio(NULL, 1.09), GNT_GATE_KINDS);
    assert_int_equal(kind_of_ratio(NULL, 1 / 3.0), GNT_GATE_FASTER);
    assert_int_equal(kind_of_ratio(twice, 1.9), GNT_GATE_KINDS);
    assert_int_equal(kind_of_ratio(twice, 2.1), GNT_GATE_SLOWER);
    assert_true(GNT_GATE_SLOWER < GNT_GATE_FAILURES && GNT_GATE_FASTER >= GNT_GATE_FAILURES);
}

/* p is that of signs: 2^-15 where all rounds say the same, 16 times that where one does not, times how many
 * comparisons there are (Holm). */
static void test_p_is_of_signs(void **state) {
    (void)state;
    static race r;
    gnt_gate g;
    open_race(&r, NULL);
    for (int k = 0; k < ROUNDS; k++)
        r.seconds[0][0][k] = 2;
    judge(&r, 3, &g);
    const gnt_gate_row *row = &g.row[g.n_row - 3];
    assert_float_equal(row->p, 3 * ldexp(1, -ROUNDS), 1e-9);
    assert_float_equal(row->is, 2, 1e-12);
    assert_float_equal(row->was, 1, 1e-12);
    assert_int_equal(row->about, GNT_GATE_ATTACK_TIME);
    assert_int_equal(row[1].about, GNT_GATE_TRAINING_TIME);
    assert_int_equal(row[1].verdict, GNT_GATE_WITHIN);
    gnt_gate_free(&g);
    r.seconds[0][0][5] = 0.01;
    judge(&r, 3, &g);
    assert_float_equal(g.row[g.n_row - 3].p, 3 * 16 * ldexp(1, -ROUNDS), 1e-9);
    assert_float_equal(g.row[g.n_row - 3].worse, 1, 1e-6);
    gnt_gate_free(&g);
    close_race(&r);
}

/* A machine under load: rounds drift, and now and then one job of one build takes much longer. */
static void draw(race *r, gnt_stream *s, double noise, double factor) {
    double drift = 0;
    for (int k = 0; k < ROUNDS; k++) {
        drift += 0.2 * gnt_random_normal(s);
        for (int i = 0; i < JOBS; i++)
            for (int which = 0; which < 2; which++) {
                const double burst = gnt_random_uniform(s) < 0.05 ? 1 : 0;
                r->seconds[which][i][k] =
                    exp(drift + noise * gnt_random_normal(s) + burst) * (which == 0 && i == 3 ? factor : 1);
            }
    }
}

static int count_alarms(int trials, uint64_t seed, double noise, double factor) {
    static race r;
    gnt_key key = gnt_key_of_seed(seed);
    gnt_stream s = gnt_stream_open(&key, "seconds");
    int alarms = 0;
    open_race(&r, NULL);
    for (int i = 0; i < trials; i++) {
        gnt_gate g;
        draw(&r, &s, noise, factor);
        judge(&r, JOBS, &g);
        alarms += g.n_failures > 0;
        gnt_gate_free(&g);
    }
    close_race(&r);
    return alarms;
}

static void test_chance_is_seldom_slower(void **state) {
    (void)state;
    static const double noises[] = {0.01, 0.1, 0.5};
    for (size_t i = 0; i < sizeof noises / sizeof *noises; i++) {
        const int alarms = count_alarms(1000, 1 + i, noises[i], 1),
                  edge = count_alarms(1000, 11 + i, noises[i], 1.0999);
        if (getenv("GATE_RUNS"))
            print_message("noise %g: %d alarms in 1000, %d at the tolerance\n", noises[i], alarms, edge);
        assert_true(alarms <= 50);
        assert_true(edge <= 50);
    }
}

static void test_half_as_long_again_is_caught(void **state) {
    (void)state;
    const int caught = count_alarms(500, 21, 0.05, 1.5);
    if (getenv("GATE_RUNS"))
        print_message("half as long again, noise 0.05: %d of 500 caught\n", caught);
    assert_true(caught * 100 >= 95 * 500);
}

static void test_odd_times_get_a_sentence(void **state) {
    (void)state;
    static race r;
    gnt_gate g;
    gnt_err err = {""};
    open_race(&r, NULL);
    r.seconds[1][0][2] = 0;
    assert_int_equal(gnt_gate_make_timed(&g, &r.now, "now", &r.before, "before", r.timed, 1, &err), -1);
    assert_non_null(strstr(err.text, "took no time that can be"));
    r.timed[0].cell = "no/such/cell";
    assert_int_equal(gnt_gate_make_timed(&g, &r.now, "now", &r.before, "before", r.timed, 1, &err), -1);
    assert_non_null(strstr(err.text, "there is no cell no/such/cell"));
    close_race(&r);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_slower_is_a_regression_and_faster_a_note), cmocka_unit_test(test_p_is_of_signs),
        cmocka_unit_test(test_chance_is_seldom_slower), cmocka_unit_test(test_half_as_long_again_is_caught),
        cmocka_unit_test(test_odd_times_get_a_sentence)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
