/* Which attack decides the training runs of a defense, and what leaks without it. Training runs of a seed are
 * moved alike under all attacks, so that differences follow by hand. */
#include "ranked_entries.h"

#include <math.h>

/* Fills `decided` for a defense; returns how many groups it has. */
static size_t decide(gnt_decided decided[SEEDS], const gnt_results *r, const char *defense, double floor) {
    const gnt_measure *m = gnt_measure_find("psnr");
    gnt_measured group[8];
    int64_t seed[GNT_MOST_TRAININGS];
    const size_t n = gnt_list_measured(group, r, "t", GNT_EVERY_STAGE, defense, m);
    assert_int_equal(gnt_seeds(r, "t", seed), SEEDS);
    assert_int_equal(gnt_decide_trainings(decided, group, n, seed, SEEDS, m, floor), 0);
    return n;
}

static void the_next_attack_is_left(void **state) {
    (void)state;
    static const entry all[] = {ROW_WITH("two", "matched", "ok", 3, 30, 1, 0.8, .attack = "a"),
                                ROW_WITH("two", "matched", "ok", 3, 26, 1, 0.8, .attack = "b"),
                                ROW_WITH("two", "matched", "ok", 3, 20, 1, 0.8, .attack = "c"),
                                ROW_WITH("one", "matched", "ok", 3, 21, 1, 0.8, .attack = "b")};
    gnt_results r;
    gnt_decided decided[SEEDS];
    PARSE(&r, all, &usual);
    assert_int_equal(decide(decided, &r, "two", 13), 3);
    for (int s = 0; s < SEEDS; s++) {
        assert_string_equal(decided[s].attack, "a");
        assert_string_equal(decided[s].next, "b");
        assert_true(fabs(decided[s].leaked - decided[s].without - 4) < 1e-9);
    }
    assert_true(fabs(decided[0].leaked - 30.3) < 1e-9);
    /* the only attack: the guess is left */
    assert_int_equal(decide(decided, &r, "one", 13), 1);
    for (int s = 0; s < SEEDS; s++) {
        assert_string_equal(decided[s].attack, "b");
        assert_null(decided[s].next);
        assert_true(decided[s].without == 13);
    }
    /* so it is where all others find less than a guess */
    decide(decided, &r, "two", 28);
    assert_true(fabs(decided[1].leaked - 29.5) < 1e-9 && decided[1].without == 28);
    gnt_results_free(&r);
}

/* A training run is decided by the others: where `up` leaks more than usual, these speak for `flat`. */
static void the_choice_is_that_of_the_ranking(void **state) {
    (void)state;
    static const entry all[] = {ROW_WITH("d", "matched", "ok", 3, 25.1, 1, 0.8, .attack = "flat"),
                                {"d", "matched", "ok", 3, 25, 1, 0.8, .attack = "up", .scatter = 4}};
    static const char *const chosen[SEEDS] = {"flat", "up", "flat", "up", "flat"};
    gnt_results r;
    gnt_decided decided[SEEDS];
    PARSE(&r, all, &usual);
    decide(decided, &r, "d", NAN);
    gnt_ranking ranking = rank_of(&r, GNT_EVERY_STAGE, "psnr", 1);
    double mean = 0;
    for (int s = 0; s < SEEDS; s++) {
        assert_string_equal(decided[s].attack, chosen[s]);
        mean += decided[s].leaked / SEEDS;
    }
    assert_true(fabs(mean - ranking.row[0].place.leak.mean) < 1e-9);
    gnt_ranking_free(&ranking);
    gnt_results_free(&r);
}

/* Both rounds of an attack go, and what it has on influence. */
static void an_attack_goes_as_a_whole(void **state) {
    (void)state;
    static const entry all[] = {ROW_WITH("d", "matched", "ok", 3, 30, 1, 0.8, .attack = "a"),
                                ROW_WITH("d", "matched", "ok", 5, 29, 1, 0.8, .attack = "a"),
                                ROW_WITH("d", "matched", "ok", 3, 33, 1, 0.8, .attack = "a on influence"),
                                ROW_WITH("d", "matched", "ok", 5, 22, 1, 0.8, .attack = "b")};
    gnt_results r;
    gnt_decided decided[SEEDS];
    PARSE(&r, all, &usual);
    assert_int_equal(decide(decided, &r, "d", NAN), 4);
    for (int s = 0; s < SEEDS; s++) {
        assert_string_equal(decided[s].attack, "a");
        assert_string_equal(decided[s].next, "b");
        assert_true(fabs(decided[s].leaked - decided[s].without - 11) < 1e-9);
    }
    gnt_results_free(&r);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(the_next_attack_is_left),
                                       cmocka_unit_test(the_choice_is_that_of_the_ranking),
                                       cmocka_unit_test(an_attack_goes_as_a_whole)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
