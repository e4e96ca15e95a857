/* How a report ranks defenses whose utility is not the target: read off a curve, saturated, without a
 * strength, and defenses that do nothing. */
#include <math.h>

#include "ranked_entries.h"
#include "report/table/report_tables.h"

/* Matched three points below the target, a leaks 4 dB less than b, which was matched two points above it; its
 * curve says 3 dB a point, so that at the target a leaks 29 dB and b 24. */
static const entry off_target[] = {
    ROW("a", "matched", "ok", 3, 20, 1, 0.77), ROW_WITH("a", "sweep", "ok", 3, 32, 1, 0.81, .strength = 1),
    ROW("b", "matched", "ok", 3, 24, 1, 0.82), ROW_WITH("b", "sweep", "ok", 3, 24, 1, 0.78, .strength = 3),
    ROW("none", "none", "ok", 3, 40, 1, 0.9)};

static void ranks_are_of_one_utility(void **state) {
    (void)state;
    entry own[sizeof off_target / sizeof *off_target];
    memcpy(own, off_target, sizeof own);
    own[0].strength = own[2].strength = 2;
    setting stated = usual;
    stated.target = 0.8;
    gnt_results r;
    gnt_table t;
    PARSE(&r, own, &stated);
    gnt_ranking ranking = rank_of(&r, 3, "psnr", 3);
    expect_row(&ranking, 0, "b", GNT_RANKED, 1, 0);
    expect_row(&ranking, 1, "a", GNT_RANKED, 2, 0);
    assert_true(fabs(ranking.row[0].place.leak.mean - 24) < 1e-9 && ranking.row[0].place.surplus == 0);
    assert_true(fabs(ranking.row[1].place.leak.mean - 29) < 1e-9);
    gnt_ranking_free(&ranking);
    expect_said(
        &r, 3,
        "At matched utility b leaks least: PSNR 24.0 dB [23.5, 24.5] under a; identified 100.0 % [95.0, "
        "105.0], its worst case over 1 attack, at exactly 80.0 % accuracy (24.0 dB [23.0, 25.0] at the "
        "matched strength) (next: a). Undefended: PSNR 40.0 dB [39.0, 41.0] under a; identified 100.0 % "
        "[95.0, 105.0].");
    gnt_table_summary(&r, &t);
    assert_string_equal(t.item[1].text, "b");
    gnt_table_free(&t);
    gnt_results_free(&r);
}

/* Without a curve nothing is known of the target itself. Who leaks less at less utility is not said to be
 * better, nor worse; at more utility it is. */
static void less_leakage_for_less_utility_is_no_lead(void **state) {
    (void)state;
    entry own[sizeof off_target / sizeof *off_target];
    setting stated = usual;
    stated.target = 0.8;
    for (int useful = 0; useful < 2; useful++) {
        gnt_results r;
        memcpy(own, off_target, sizeof own);
        own[0].utility = useful ? 0.83 : 0.77;
        own[1].mode = own[3].mode = "none"; /* no points of a curve */
        own[1].defense = own[3].defense = "none";
        PARSE(&r, own, &stated);
        gnt_ranking ranking = rank_of(&r, 3, "psnr", 3);
        expect_row(&ranking, 0, "a", GNT_RANKED, 1, useful ? GNT_NOT_TIED : GNT_TIED_BY_UTILITY);
        expect_row(&ranking, 1, "b", GNT_RANKED, useful ? 2 : 1, useful ? GNT_NOT_TIED : GNT_TIED_BY_UTILITY);
        assert_true(fabs(ranking.row[0].place.surplus - (own[0].utility - 0.8)) < 1e-9);
        gnt_ranking_free(&ranking);
        gnt_results_free(&r);
    }
}

/* Four that leave more utility than the target, and cannot be made stronger: `low-rank` and `scheme`, which
 * has no strength, leak less than no defense; `nothing` and `luck` are no defense. */
static const entry with_surplus[] = {ROW_WITH("noise", "matched", "ok", 3, 21, 1, 0.79, .strength = 2),
                                     ROW_WITH("noise", "sweep", "ok", 3, 23, 1, 0.81, .strength = 1),
                                     ROW("prune", "matched", "ok", 3, 27, 1, 0.795),
                                     ROW("scheme", "as-is", "ok", 3, 30, 1, 0.86),
                                     ROW("low-rank", "matched", "ok", 3, 35, 1, 0.87),
                                     ROW("nothing", "matched", "ok", 3, 50, 1, 0.9),
                                     ROW_WITH("luck", "matched", "ok", 3, 47, 1, 0.9, .scatter = 5),
                                     ROW("costly", "as-is", "ok", 3, 15, 1, 0.7),
                                     ROW("none", "none", "ok", 3, 50, 1, 0.9)};
static const char *const without_strength_left[] = {"low-rank", "nothing", "luck", NULL};

static void expect_words(const gnt_ranking *ranking, size_t i, const char *words) {
    gnt_text said;
    gnt_text_init(&said, 4096);
    gnt_rank_row_say(&ranking->row[i], &said);
    assert_string_equal(gnt_text_get(&said), words);
    gnt_text_free(&said);
}

static void surplus_utility_is_no_excuse(void **state) {
    (void)state;
    setting stated = usual;
    stated.target = 0.8;
    stated.saturated = without_strength_left;
    gnt_results r;
    PARSE(&r, with_surplus, &stated);
    gnt_ranking ranking = rank_of(&r, 3, "psnr", 8);
    expect_row(&ranking, 0, "noise", GNT_RANKED, 1, GNT_NOT_TIED);
    expect_row(&ranking, 1, "prune", GNT_RANKED, 2, GNT_NOT_TIED);
    expect_row(&ranking, 2, "scheme", GNT_RANKED, 3, GNT_NOT_TIED);
    expect_row(&ranking, 3, "low-rank", GNT_RANKED, 4, GNT_NOT_TIED);
    expect_row(&ranking, 4, "luck", GNT_RANKED_AS_NONE, 5, GNT_TIED_BY_CHANCE);
    expect_row(&ranking, 5, "nothing", GNT_RANKED_AS_NONE, 5, GNT_TIED_BY_CHANCE);
    expect_row(&ranking, 6, "costly", GNT_UNRANKED_UNMATCHED, 0, GNT_NOT_TIED);
    expect_words(&ranking, 0, "matched");
    expect_words(&ranking, 2, "as it is");
    expect_words(&ranking, 3, "saturated");
    expect_words(&ranking, 5, "saturated, not surely less than undefended");
    expect_words(&ranking, 6, "as it is, less useful than the target");
    assert_true(ranking.row[0].place.at_target && fabs(ranking.row[0].measured.mean - 22) < 1e-9);
    assert_true(ranking.row[0].score->stat.mean == 21);
    assert_true(gnt_ranking_tied(&ranking, 4, 5) && !gnt_ranking_tied(&ranking, 3, 4));
    gnt_ranking_free(&ranking);
    gnt_results_free(&r);
}

/* Without those that do nothing the others have the ranks that they have with them. */
static void what_does_nothing_moves_no_rank(void **state) {
    (void)state;
    setting stated = usual;
    stated.target = 0.8;
    gnt_results r;
    entry own[5];
    memcpy(own, with_surplus, 4 * sizeof *own);
    own[4] = with_surplus[8];
    PARSE(&r, own, &stated);
    gnt_ranking ranking = rank_of(&r, 3, "psnr", 4);
    expect_row(&ranking, 0, "noise", GNT_RANKED, 1, GNT_NOT_TIED);
    expect_row(&ranking, 1, "prune", GNT_RANKED, 2, GNT_NOT_TIED);
    expect_row(&ranking, 2, "scheme", GNT_RANKED, 3, GNT_NOT_TIED);
    gnt_ranking_free(&ranking);
    gnt_results_free(&r);
}

static void who_does_nothing_does_not_lead(void **state) {
    (void)state;
    static const entry alone[] = {ROW("nothing", "matched", "ok", 3, 50, 1, 0.9),
                                  ROW("none", "none", "ok", 3, 50, 1, 0.9)};
    gnt_results r;
    gnt_table t;
    PARSE(&r, alone, &usual);
    gnt_ranking ranking = rank_of(&r, 3, "psnr", 2);
    expect_row(&ranking, 0, "nothing", GNT_RANKED_AS_NONE, 1, GNT_TIED_BY_CHANCE);
    gnt_ranking_free(&ranking);
    gnt_table_summary(&r, &t);
    assert_string_equal(t.item[1].text, "nothing (the only one ranked) (not surely less than undefended)");
    gnt_table_free(&t);
    gnt_table_places(&r, "t", 3, gnt_measure_of(GNT_MEASURE_PSNR), 0, &t);
    assert_string_equal(t.item[0].text, "as undefended");
    gnt_table_free(&t);
    gnt_results_free(&r);
}

/* The search missed the tolerance on both sides of the target; the curve passes it. `off` has no curve. */
static void a_curve_through_the_target_is_a_match(void **state) {
    (void)state;
    static const entry missed[] = {ROW_WITH("a", "matched", "ok", 3, 20, 1, 0.75, .strength = 2),
                                   ROW_WITH("a", "sweep", "ok", 3, 26, 1, 0.85, .strength = 1),
                                   ROW_WITH("off", "matched", "ok", 3, 10, 1, 0.7, .strength = 2),
                                   ROW("none", "none", "ok", 3, 50, 1, 0.9)};
    setting stated = usual;
    stated.target = 0.8;
    gnt_results r;
    gnt_text said;
    char *text = results_of(missed, 4, &stated);
    for (char *at; (at = strstr(text, "\"matched\": true")) != NULL;) /* a search that missed */
        memcpy(at, "\"matched\":false", 15);
    assert_int_equal(gnt_results_parse(&r, "results.json", text, strlen(text), NULL), 0);
    gnt_free(text);
    gnt_ranking ranking = rank_of(&r, 3, "psnr", 3);
    expect_row(&ranking, 0, "a", GNT_RANKED, 1, GNT_NOT_TIED);
    expect_words(&ranking, 0, "matched by its curve");
    assert_true(fabs(ranking.row[0].measured.mean - 23) < 1e-9);
    expect_row(&ranking, 1, "off", GNT_UNRANKED_UNMATCHED, 0, GNT_NOT_TIED);
    gnt_ranking_free(&ranking);
    gnt_text_init(&said, 4096);
    gnt_report_sentence(&r, "t", 3, gnt_measure_find("psnr"), &said);
    assert_non_null(strstr(gnt_text_get(&said), "PSNR 23.0 dB [22.5, 23.5] under a"));
    assert_non_null(strstr(gnt_text_get(&said), "80.0 % accuracy (20.0 dB [19.0, 21.0] at the matched"));
    gnt_text_free(&said);
    gnt_results_free(&r);
}

/* `jump` hides nothing at one strength and all at the next, where its model is of no use: a line between the
 * two would say that it hides something at the target. It counts at the strength that leaks more; one that
 * was matched next to such a jump, at its own. */
static void a_jump_past_the_target_hides_nothing(void **state) {
    (void)state;
    static const entry jumps[] = {ROW_WITH("a", "matched", "ok", 3, 20, 1, 0.75, .strength = 2),
                                  ROW_WITH("a", "sweep", "ok", 3, 26, 1, 0.85, .strength = 1),
                                  ROW_WITH("jump", "matched", "ok", 3, 13, 1, 0.3, .strength = 2),
                                  ROW_WITH("jump", "sweep", "ok", 3, 50, 1, 0.9, .strength = 1),
                                  ROW("none", "none", "ok", 3, 50, 1, 0.9)};
    setting stated = usual;
    stated.target = 0.8;
    for (int matched = 0; matched < 2; matched++) {
        gnt_results r;
        entry own[5];
        memcpy(own, jumps, sizeof own);
        own[3].utility = matched ? 0.82 : 0.9;
        own[3].mode = matched ? "matched" : "sweep";
        own[2].mode = matched ? "sweep" : "matched";
        char *text = results_of(own, 5, &stated);
        for (char *at; !matched && (at = strstr(text, "\"matched\": true")) != NULL;)
            memcpy(at, "\"matched\":false", 15);
        assert_int_equal(gnt_results_parse(&r, "results.json", text, strlen(text), NULL), 0);
        gnt_free(text);
        gnt_ranking ranking = rank_of(&r, 3, "psnr", 3);
        expect_row(&ranking, 0, "a", GNT_RANKED, 1, GNT_NOT_TIED);
        expect_row(&ranking, 1, "jump", GNT_RANKED_AS_NONE, 2, GNT_TIED_BY_CHANCE);
        assert_true(fabs(ranking.row[1].place.leak.mean - 50) < 1e-9);
        gnt_ranking_free(&ranking);
        gnt_results_free(&r);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ranks_are_of_one_utility),
        cmocka_unit_test(less_leakage_for_less_utility_is_no_lead),
        cmocka_unit_test(surplus_utility_is_no_excuse),
        cmocka_unit_test(what_does_nothing_moves_no_rank),
        cmocka_unit_test(who_does_nothing_does_not_lead),
        cmocka_unit_test(a_curve_through_the_target_is_a_match),
        cmocka_unit_test(a_jump_past_the_target_hides_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
