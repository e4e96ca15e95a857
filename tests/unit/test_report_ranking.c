/* How a report ranks, on results written by hand: the floor below which all are level, drawn rounds, marks,
 * utility against public data alone, training runs that distinguish defenses, what has no rank and why; how
 * the page says so; wrong types of what a run says of them. */
#include <math.h>

#include "ranked_entries.h"
#include "report/table/report_tables.h"
#include "report_folder.h"

static const entry floored[] = {
    ROW("low", "matched", "ok", 3, 9, 0.9, 0.8), ROW("crafted", "matched", "ok", 3, 2, 0.1, 0.8),
    ROW("open", "matched", "ok", 3, 20, 0.9, 0.8), ROW("none", "none", "ok", 3, 40, 1, 0.9)};

static void below_the_floor_all_are_level(void **state) {
    (void)state;
    gnt_results r;
    gnt_table t;
    PARSE(&r, floored, &usual);
    gnt_ranking ranking = rank_of(&r, 3, "psnr", 4);
    expect_row(&ranking, 0, "low", GNT_RANKED, 1, 1);
    expect_row(&ranking, 1, "crafted", GNT_RANKED, 1, 1);
    expect_row(&ranking, 2, "open", GNT_RANKED, 3, 0);
    expect_row(&ranking, 3, "none", GNT_UNRANKED_UNDEFENDED, 0, 0);
    assert_true(gnt_ranking_tied(&ranking, 0, 1) && !gnt_ranking_tied(&ranking, 0, 2));
    assert_true(ranking.row[0].place.leak.mean == 13 && ranking.row[0].trainings == SEEDS);
    gnt_ranking_free(&ranking);
    expect_said(
        &r, 3,
        "At matched utility low leaks least: PSNR 9.0 dB [8.0, 10.0] under a; identified 90.0 % [85.0, "
        "95.0], its worst case over 1 attack; no more than a guess at 13.0 dB, the baseline without the "
        "update "
        "(so does crafted: they share the rank). Undefended: PSNR 40.0 dB [39.0, 41.0] under a; identified "
        "100.0 % [95.0, 105.0].");
    gnt_table_summary(&r, &t);
    assert_string_equal(t.item[1].text, "low (tied with crafted)");
    assert_string_equal(t.item[2].text,
                        "PSNR 9.0 dB [8.0, 10.0], a; identified 90.0 % [85.0, 95.0], no more than a guess");
    gnt_table_free(&t);
    gnt_table_matrix(&r, "t", 3, gnt_measure_find("psnr"), &t);
    assert_string_equal(t.item[3].text, "9.0 dB [8.0, 10.0]; identified 90.0 % [85.0, 95.0]");
    gnt_table_free(&t);
    gnt_results_free(&r);
}

static const entry three[] = {
    ROW("early", "matched", "ok", 1, 30, 1, 0.8), ROW("early", "matched", "ok", 9, 15, 1, 0.8),
    ROW("even", "matched", "ok", 1, 20, 1, 0.8),  ROW("even", "matched", "ok", 9, 21, 1, 0.8),
    ROW("hole", "matched", "ok", 1, 14, 1, 0.8),  ROW("hole", "matched", "crashed", 9, 0, 0, 0.8),
    ROW("none", "none", "ok", 1, 40, 1, 0.9),     ROW("none", "none", "ok", 9, 40, 1, 0.9)};

static const entry numbered[] = {
    ROW("even", "matched", "ok", 1, 20, 1, 0.8), ROW("even", "matched", "ok", 2, 21, 1, 0.8),
    ROW("none", "none", "ok", 1, 40, 1, 0.9), ROW("none", "none", "ok", 2, 40, 1, 0.9)};

static void drawn_rounds_are_called_by_number(void **state) {
    (void)state;
    setting drawn = usual;
    drawn.facts = "\"observe_from\": \"round\", \"stages_drawn\": true";
    gnt_results r;
    char words[64];
    PARSE(&r, numbered, &drawn);
    gnt_stage_words(&r, "t", GNT_EVERY_STAGE, words, sizeof words);
    assert_string_equal(words, "worst of 2 drawn rounds");
    gnt_stage_words(&r, "t", 2, words, sizeof words);
    assert_string_equal(words, "drawn round 2 of 2");
    gnt_results_free(&r);
}

static void drawn_rounds_rank_by_the_worst(void **state) {
    (void)state;
    setting drawn = usual, fixed = usual;
    drawn.facts = "\"observe_from\": \"round\", \"stages_drawn\": true";
    fixed.facts = "\"observe_from\": \"round\"";
    gnt_results r;
    gnt_table t;
    PARSE(&r, three, &drawn);
    gnt_ranking ranking = rank_of(&r, GNT_EVERY_STAGE, "psnr", 4);
    expect_row(&ranking, 0, "even", GNT_RANKED, 1, 0);
    assert_int_equal(ranking.row[0].worst->stage, 9);
    assert_true(fabs(ranking.row[0].place.leak.mean - 21) < 1e-9);
    expect_row(&ranking, 1, "early", GNT_RANKED, 2, 0);
    assert_int_equal(ranking.row[1].worst->stage, 1);
    expect_row(&ranking, 2, "hole", GNT_UNRANKED_LACKING, 0, 0);
    gnt_ranking_free(&ranking);
    gnt_table_summary(&r, &t);
    assert_int_equal(gnt_table_rows(&t), 1);
    assert_string_equal(t.item[0].text, "t, worst of rounds 1, 9");
    assert_string_equal(t.item[1].text, "even");
    gnt_table_free(&t);
    gnt_results_free(&r);
    PARSE(&r, three, &fixed);
    gnt_table_summary(&r, &t);
    assert_int_equal(gnt_table_rows(&t), 2); /* fixed rounds stand for themselves */
    gnt_table_free(&t);
    gnt_results_free(&r);
}

static const entry with_liar[] = {
    ROW_WITH("liar", "matched", "ok", 3, 14, 1, 0.8, .mark = "it sent <b>noise</b>"),
    ROW_WITH("liar", "matched", "ok", 5, 14, 1, 0.8, .mark = "it sent <b>noise</b>"),
    ROW("a", "matched", "ok", 3, 20, 1, 0.8), ROW("b", "matched", "ok", 3, 30, 1, 0.8),
    ROW("none", "none", "ok", 3, 40, 1, 0.9)};

static void a_mark_costs_the_rank_and_is_listed_first(void **state) {
    const bench *b = *state;
    setting seed_public = usual;
    seed_public.facts = "\"seed_public\": true";
    gnt_results r;
    gnt_table t;
    gnt_err err = {""};
    PARSE(&r, with_liar, &usual);
    gnt_ranking ranking = rank_of(&r, 3, "psnr", 4);
    expect_row(&ranking, 0, "a", GNT_RANKED, 1, 0);
    expect_row(&ranking, 1, "b", GNT_RANKED, 2, 0);
    expect_row(&ranking, 2, "liar", GNT_UNRANKED_MARKED, 0, 0);
    gnt_ranking_free(&ranking);
    gnt_table_found(&r, &t);
    assert_int_equal(gnt_table_rows(&t), 1); /* the same sentence in every cell */
    assert_string_equal(t.item[4].text, "10");
    gnt_table_free(&t);
    gnt_results_free(&r);
    char path[128], *text = results_of(with_liar, 5, &seed_public);
    snprintf(path, sizeof path, "%s/results.json", b->folder);
    assert_int_equal(gnt_file_write(path, text, strlen(text), &err), 0);
    gnt_free(text);
    gnt_report_options options = {.formats = 0};
    if (gnt_report_make(b->folder, &options, NULL, &err))
        fail_msg("%s", err.text);
    char *page = read_text(b->folder, "report/index.html", NULL);
    assert_non_null(strstr(page, "<h2>What the host found</h2>"));
    assert_non_null(strstr(page, "it sent &lt;b&gt;noise"));
    assert_non_null(strstr(page, "matched, marked by the host"));
    assert_non_null(strstr(page, "Probe: t. The defense was run a second time for observation"));
    assert_non_null(strstr(page, "Run under a public seed: t."));
    gnt_free(page);
    gnt_text answer;
    gnt_text_init(&answer, 1 << 20);
    assert_int_equal(gnt_report_ranking(b->folder, &answer, &err), 0);
    static const char expected[] =
        "\n\nrank  defense  PSNR                  worst target  identified             under  accuracy  "
        "compared as\n"
        "1     a        20.0 dB [19.0, 21.0]                100.0 % [95.0, 105.0]  a      80.0 %    "
        "matched\n";
    if (!strstr(gnt_text_get(&answer), expected))
        fail_msg("%s", gnt_text_get(&answer));
    assert_non_null(strstr(gnt_text_get(&answer), "matched, marked by the host\n"));
    gnt_text_free(&answer);
}

/* The errors are 0.01 each, so what the private data add must exceed 1.645 · 0.0141 = 0.0233. */
static void what_public_data_give_wins_nothing(void **state) {
    (void)state;
    static const entry two[] = {ROW("idle", "matched", "ok", 3, 14, 1, 0.72),
                                ROW("works", "matched", "ok", 3, 30, 1, 0.73),
                                ROW("none", "none", "ok", 3, 40, 1, 0.9)};
    setting with_public = usual;
    with_public.facts = "\"public_only\": [{\"seed\": 1, \"utility\": 0.7, \"standard_error\": 0.01}]";
    gnt_results r;
    gnt_table t;
    PARSE(&r, two, &with_public);
    gnt_ranking ranking = rank_of(&r, 3, "psnr", 3);
    expect_row(&ranking, 0, "works", GNT_RANKED, 1, 0);
    expect_row(&ranking, 1, "idle", GNT_UNRANKED_PUBLIC, 0, 0);
    gnt_ranking_free(&ranking);
    gnt_table_matrix(&r, "t", 3, gnt_measure_find("psnr"), &t);
    assert_int_equal(gnt_table_rows(&t), 4);
    assert_string_equal(t.item[6].text, "matched, no better than public data");
    assert_string_equal(t.item[12].text, "public data alone");
    assert_string_equal(t.item[13].text, "70.0 %");
    gnt_table_free(&t);
    gnt_results_free(&r);
}

/* No attack knows `new`. Where it leaks more than all others that costs it nothing more; where it leaks less
 * than one of them, nothing is known. */
static void what_no_attack_knows_may_be_last(void **state) {
    (void)state;
    static const entry unmet[] = {
        ROW("a", "matched", "ok", 3, 20, 1, 0.8), ROW("b", "matched", "ok", 3, 25, 1, 0.8),
        ROW("new", "matched", "ok", 3, 30, 1, 0.8), ROW("none", "none", "ok", 3, 50, 1, 0.9)};
    static const char own_family[] = "{\"label\": \"new\", \"members\": [{\"id\": \"new\", "
                                     "\"families\": [\"noise\"";
    for (int leaks = 0; leaks < 2; leaks++) {
        entry own[4];
        gnt_results r;
        memcpy(own, unmet, sizeof own);
        own[2].psnr = leaks ? 30 : 23;
        char *text = results_of(own, 4, &usual), *at = strstr(text, own_family);
        assert_non_null(at);
        memcpy(at + sizeof own_family - 1 - 7, "\"other\"", 7);
        assert_int_equal(gnt_results_parse(&r, "results.json", text, strlen(text), NULL), 0);
        gnt_free(text);
        gnt_ranking ranking = rank_of(&r, 3, "psnr", 4);
        expect_row(&ranking, 1, "b", GNT_RANKED, 2, GNT_NOT_TIED);
        expect_row(&ranking, 2, "new", leaks ? GNT_RANKED_UNMET : GNT_UNRANKED_UNMET, leaks ? 3 : 0,
                   GNT_NOT_TIED);
        gnt_ranking_free(&ranking);
        gnt_results_free(&r);
    }
}

/* Mean over attacks: even 25, uneven 24; worst: even 26, uneven 30. Judged by the worst, even wins. */
static void ranking_goes_by_the_worst_attack(void **state) {
    (void)state;
    static const entry several[] = {ROW("none", "none", "ok", 3, 40, 1, 0.9),
                                    ROW_WITH("none", "none", "ok", 3, 41, 1, 0.9, .attack = "b"),
                                    ROW("uneven", "matched", "ok", 3, 18, 1, 0.8),
                                    ROW_WITH("uneven", "matched", "ok", 3, 30, 1, 0.8, .attack = "b"),
                                    ROW("even", "matched", "ok", 3, 24, 1, 0.8),
                                    ROW_WITH("even", "matched", "ok", 3, 26, 1, 0.8, .attack = "b"),
                                    /* a crashed attack must not make a defense look better */
                                    ROW("lucky", "matched", "ok", 3, 15, 1, 0.8),
                                    ROW_WITH("lucky", "matched", "crashed", 3, 0, 1, 0.8, .attack = "b"),
                                    /* nor one that does not apply make it look worse */
                                    ROW("one", "matched", "ok", 3, 28, 1, 0.8),
                                    ROW_WITH("one", "matched", "n/a", 3, 0, 1, 0.8, .attack = "b")};
    gnt_results r;
    PARSE(&r, several, &usual);
    gnt_ranking ranking = rank_of(&r, 3, "psnr", 5);
    expect_row(&ranking, 0, "even", GNT_RANKED, 1, 0);
    expect_row(&ranking, 1, "one", GNT_RANKED, 2, 0);
    expect_row(&ranking, 2, "uneven", GNT_RANKED, 3, 0);
    expect_row(&ranking, 3, "lucky", GNT_UNRANKED_LACKING, 0, 0);
    assert_string_equal(ranking.row[0].worst->attack, "b");
    assert_true(ranking.row[0].score->stat.mean == 26);
    assert_int_equal(ranking.row[1].of, 1);
    assert_int_equal(ranking.row[1].unfit, 1);
    assert_int_equal(ranking.row[3].judged, 1);
    assert_int_equal(ranking.row[3].of, 2);
    gnt_ranking_free(&ranking);
    expect_said(&r, 3,
                "At matched utility even leaks least: PSNR 26.0 dB [25.0, 27.0] under b; identified 100.0 % "
                "[95.0, 105.0], its worst case over 2 attacks (next: one). Undefended: PSNR 41.0 dB [40.0, "
                "42.0] under b; identified 100.0 % [95.0, 105.0].");
    gnt_results_free(&r);
}

static void low_mse_leaks_more(void **state) {
    (void)state;
    static const entry errors[] = {ROW("leaky", "matched", "ok", 3, 0.001, 1, 0.8),
                                   ROW_WITH("leaky", "matched", "ok", 3, 0.3, 1, 0.8, .attack = "b"),
                                   ROW("tight", "matched", "ok", 3, 0.2, 1, 0.8),
                                   ROW_WITH("tight", "matched", "ok", 3, 0.1, 1, 0.8, .attack = "b"),
                                   ROW("none", "none", "ok", 3, 0, 1, 0.9)};
    setting mse = usual;
    mse.measure = "mse";
    gnt_results r;
    PARSE(&r, errors, &mse);
    gnt_ranking ranking = rank_of(&r, 3, "mse", 3);
    expect_row(&ranking, 0, "tight", GNT_RANKED, 1, 0);
    expect_row(&ranking, 1, "leaky", GNT_RANKED, 2, 0);
    assert_true(ranking.row[0].score->stat.mean == 0.1); /* its worst case is the lower error */
    assert_true(fabs(ranking.row[0].place.leak.mean - 0.1) < 1e-9);
    assert_true(ranking.row[1].score->stat.mean == 0.001);
    gnt_ranking_free(&ranking);
    gnt_results_free(&r);
}

/* A scatter that all defenses share costs nothing; one's own does. */
static void training_runs_distinguish_defenses(void **state) {
    (void)state;
    static const entry scattered[] = {ROW("steady", "matched", "ok", 3, 20, 1, 0.8),
                                      ROW("near", "matched", "ok", 3, 20.2, 1, 0.8),
                                      ROW_WITH("loose", "matched", "ok", 3, 21, 1, 0.8, .scatter = 3),
                                      ROW("none", "none", "ok", 3, 40, 1, 0.9)};
    gnt_results r;
    PARSE(&r, scattered, &usual);
    gnt_ranking ranking = rank_of(&r, 3, "psnr", 4);
    expect_row(&ranking, 0, "steady", GNT_RANKED, 1, 1);
    expect_row(&ranking, 1, "near", GNT_RANKED, 2, 1);
    expect_row(&ranking, 2, "loose", GNT_RANKED, 2, 1);
    assert_true(!gnt_ranking_tied(&ranking, 0, 1) && gnt_ranking_tied(&ranking, 0, 2));
    /* t of 4 degrees of freedom is 2.776; the shared scatter has a standard deviation of 0.3873 */
    assert_true(fabs(ranking.row[0].place.leak.high - ranking.row[0].place.leak.mean - 0.4809) < 1e-3);
    gnt_ranking_free(&ranking);
    gnt_results_free(&r);
}

static void without_grounds_nothing_is_ranked(void **state) {
    (void)state;
    static const entry weak[] = {ROW("d", "matched", "ok", 3, 15, 1, 0.8),
                                 ROW("none", "none", "ok", 3, 22.9, 0.89, 0.9)};
    setting few = usual, strict = usual;
    gnt_results r;
    few.seeds = 4;
    PARSE(&r, floored, &few);
    gnt_ranking ranking = rank_of(&r, 3, "psnr", 4);
    expect_row(&ranking, 0, "low", GNT_UNRANKED_FEW, 0, 0);
    gnt_ranking_free(&ranking);
    expect_said(&r, 3,
                "Not ranked: 4 training runs; a rank takes 5. Undefended: PSNR 40.0 dB [39.0, 41.0] under a; "
                "identified 100.0 % [95.0, 105.0].");
    gnt_results_free(&r);
    PARSE(&r, floored, &usual);
    ranking = rank_of(&r, 3, "psnr", 4);
    expect_row(&ranking, 0, "low", GNT_RANKED, 1, 1);
    gnt_ranking_free(&ranking);
    gnt_results_free(&r);
    /* the floor is 13: 23 would do, and 90 % identified */
    PARSE(&r, weak, &usual);
    ranking = rank_of(&r, 3, "psnr", 2);
    expect_row(&ranking, 0, "d", GNT_UNRANKED_INADEQUATE, 0, 0);
    gnt_ranking_free(&ranking);
    expect_said(
        &r, 3,
        "No verdict: no attack succeeds without a defense (required: 90 % identified, or PSNR 10 dB above "
        "the floor; best: a, PSNR 22.9 dB [21.9, 23.9]; identified 89.0 % [84.0, 94.0]). Undefended: "
        "PSNR 22.9 dB [21.9, 23.9] under a; identified 89.0 % [84.0, 94.0].");
    gnt_results_free(&r);
    strict.facts = "\"adequate\": {\"identified\": 0.85}";
    PARSE(&r, weak, &strict);
    ranking = rank_of(&r, 3, "psnr", 2);
    expect_row(&ranking, 0, "d", GNT_RANKED, 1, 0);
    gnt_ranking_free(&ranking);
    gnt_results_free(&r);
    /* one candidate: everybody identifies it, so that it shows nothing about the attack */
    static const entry by_chance[] = {ROW("d", "matched", "ok", 3, 15, 1, 0.8),
                                      ROW_WITH("none", "none", "ok", 3, 22.9, 1, 0.9, .chance = 1)};
    PARSE(&r, by_chance, &usual);
    ranking = rank_of(&r, 3, "psnr", 2);
    expect_row(&ranking, 0, "d", GNT_UNRANKED_INADEQUATE, 0, 0);
    gnt_ranking_free(&ranking);
    gnt_results_free(&r);
    PARSE(&r, (entry[]){floored[0]}, &usual); /* nothing undefended */
    ranking = rank_of(&r, 3, "psnr", 1);
    expect_row(&ranking, 0, "low", GNT_UNRANKED_INADEQUATE, 0, 0);
    gnt_ranking_free(&ranking);
    gnt_results_free(&r);
}

/* Guesses at the attribute that most rows of a client have are right more often than at that of one row. */
static void another_question_is_not_compared(void **state) {
    (void)state;
    static const entry sets[] = {ROW_WITH("sets", "matched", "ok", 3, 15, 1, 0.8, .chance = 0.9),
                                 ROW_WITH("rows", "matched", "ok", 3, 15, 0.7, 0.8, .chance = 0.5),
                                 ROW_WITH("none", "none", "ok", 3, 40, 0.98, 0.9, .chance = 0.5)};
    gnt_results r;
    PARSE(&r, sets, &usual);
    const char *name;
    assert_true(gnt_section_floor(&r, "t", 3, gnt_measure_find("identification"), &name) == 0.5);
    gnt_ranking ranking = rank_of(&r, 3, "identification", 3);
    expect_row(&ranking, 0, "rows", GNT_RANKED, 1, 0);
    expect_row(&ranking, 1, "sets", GNT_UNRANKED_GUESS, 0, 0);
    gnt_ranking_free(&ranking);
    gnt_results_free(&r);
}

/* A defense without a strength is no yardstick, wherever the file lists it. */
static void a_defense_without_a_strength_is_not_undefended(void **state) {
    (void)state;
    static const entry alone[] = {ROW("scheme", "none", "ok", 3, 50, 1, 0.9),
                                  ROW("noise", "matched", "ok", 3, 15, 1, 0.8)};
    static const entry with_none[] = {ROW("scheme", "none", "ok", 3, 14, 0.1, 0.9),
                                      ROW("noise", "matched", "ok", 3, 15, 1, 0.8),
                                      ROW("none", "none", "ok", 3, 50, 1, 0.9)};
    gnt_results r;
    PARSE(&r, alone, &usual);
    assert_int_equal(gnt_adequacy_of(&r, "t", 3, NULL, gnt_measure_find("psnr")).state, GNT_ADEQUACY_UNKNOWN);
    expect_said(&r, 3,
                "No verdict: no attack was run without a defense, so nothing is known about the attacks.");
    gnt_results_free(&r);
    PARSE(&r, with_none, &usual);
    const gnt_adequacy adequacy = gnt_adequacy_of(&r, "t", 3, NULL, gnt_measure_find("psnr"));
    assert_true(adequacy.state == GNT_ADEQUATE && !strcmp(adequacy.best->defense, "none"));
    gnt_results_free(&r);
}

/* b, which alone knows the noise, has a budget of nothing: it finds nothing undefended either. */
static void who_was_met_by_the_unable_is_not_ranked(void **state) {
    (void)state;
    static const entry met[] = {ROW("none", "none", "ok", 3, 40, 1, 0.9),
                                ROW_WITH("none", "none", "ok", 3, 13.5, 0.1, 0.9, .attack = "b"),
                                ROW("noise", "matched", "ok", 3, 20, 1, 0.8),
                                ROW_WITH("noise", "matched", "ok", 3, 12, 0.1, 0.8, .attack = "b")};
    for (int able = 0; able < 2; able++) {
        entry own[sizeof met / sizeof *met];
        gnt_results r;
        memcpy(own, met, sizeof own);
        if (able)
            own[1].identified = 0.95;
        char *text = results_of(own, sizeof met / sizeof *met, &usual);
        static const char first[] =
            "{\"label\": \"a\", \"members\": [{\"id\": \"a\", \"families\": [\"noise\"";
        char *at = strstr(text, first);
        assert_non_null(at);
        memcpy(at + sizeof first - 1 - 7, "\"other\"", 7);
        assert_int_equal(gnt_results_parse(&r, "results.json", text, strlen(text), NULL), 0);
        gnt_free(text);
        gnt_ranking ranking = rank_of(&r, 3, "psnr", 2);
        expect_row(&ranking, 0, "noise", able ? GNT_RANKED : GNT_UNRANKED_UNMET, able, 0);
        gnt_ranking_free(&ranking);
        gnt_results_free(&r);
    }
}

static void who_was_not_met_is_not_ranked(void **state) {
    (void)state;
    static const struct {
        const char *families, *knows, *grants;
        gnt_rank_state state;
        const char *unmet;
    } cases[] = {
        {"\"noise\"", "\"noise\"", "\"defense\"", GNT_RANKED, ""},
        {"\"noise\"", "\"noise\"", "", GNT_UNRANKED_UNMET, "noise"},
        {"\"noise\"", "\"noise\"", "\"shadow_observations\"", GNT_UNRANKED_UNMET, "noise"},
        {"\"noise\"", "\"pruning\"", "\"defense\"", GNT_UNRANKED_UNMET, "noise"},
        {"\"noise\", \"pruning\"", "\"noise\"", "\"defense\"", GNT_UNRANKED_UNMET, "pruning"},
        {"\"noise\", \"pruning\"", "\"pruning\", \"noise\"", "\"defense\"", GNT_RANKED, ""},
        {"\"noise\"", "\"any\"", "\"defense\"", GNT_UNRANKED_UNMET, "noise"},
        {"\"noise\"", "\"any\"", "\"shadow_observations\"", GNT_RANKED, ""},
        {"", "\"noise\"", "\"defense\"", GNT_UNRANKED_UNMET, ""},
        {"", "\"d\"", "\"defense\"", GNT_RANKED, ""},
    };
    static const entry one[] = {ROW("d", "matched", "ok", 3, 15, 1, 0.8),
                                ROW("none", "none", "ok", 3, 40, 1, 0.9)};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        setting s = usual;
        gnt_results r;
        s.families = cases[i].families;
        s.knows = cases[i].knows;
        s.grants = cases[i].grants;
        PARSE(&r, one, &s);
        gnt_ranking ranking = rank_of(&r, 3, "psnr", 2);
        if (ranking.row[0].state != cases[i].state)
            fail_msg("case %zu: state %d", i, (int)ranking.row[0].state);
        if (cases[i].state == GNT_UNRANKED_UNMET)
            assert_string_equal(ranking.row[0].unmet.what, cases[i].unmet);
        gnt_ranking_free(&ranking);
        gnt_results_free(&r);
    }
}

#define QUERY "\", \"encode_query"
/* Duties follow from hooks: the family is claimed, and met, throughout. */
static void what_hooks_do_must_have_been_learnt(void **state) {
    (void)state;
    static const char update[] = "\"surface\": \"update\", \"observe_from\": \"round\", \"data_kind\": ",
                      encoding[] = "\"surface\": \"encoding\", \"observe_from\": \"round\", \"data_kind\": ";
    static const struct {
        const char *facts, *kind, *measure, *hooks, *knows, *grants;
        int ranked;
        const char *missing, *shown;
    } cases[] = {
        {update, "tabular", "mse", "client_update", "noise", "defense", 0, "client_update", NULL},
        {update, "tabular", "mse", "transform_update", "noise", "defense", 0, "transform_update", NULL},
        {update, "tabular", "mse", "local_rate", "noise", "defense", 0, "local_rate", NULL},
        {update, "tabular", "mse", "client_update", "any", "shadow_observations", 1, NULL, NULL},
        {update, "tabular", "mse", "client_update", "d", "defense", 1, NULL, NULL},
        {update, "tabular", "mse", "client_update", "d", "shadow_observations", 0, "noise", NULL},
        {update, "image", "mse", "client_update", "noise", "defense", 1, NULL, "client_update"},
        {update, "image", "attribute_accuracy", "client_update", "noise", "defense", 0, "client_update",
         NULL},
        {update, "image", "psnr", "encode_set", "noise", "defense", 1, NULL, "encode_set"},
        {update, "image", "psnr", "encode_set" QUERY, "noise", "defense", 0, "encode_set", NULL},
        {update, "image", "psnr", "encode_set" QUERY, "any", "shadow_observations", 1, NULL, NULL},
        {encoding, "image", "psnr", "encode_set", "d", "defense", 0, "encode_set", NULL},
        {encoding, "image", "psnr", "encode_batch", "d", "defense", 0, "encode_batch", NULL},
        {encoding, "image", "psnr", "encode_set", "any", "shadow_observations", 1, NULL, NULL},
        {encoding, "image", "psnr", "client_update", "noise", "defense", 1, NULL, NULL},
        {update, "image", "psnr", "aggregate", "d", "defense", 0, "aggregate", NULL},
        {update, "image", "psnr", "prepare", "noise", "defense", 1, NULL, NULL},
        {encoding, "image", "psnr", NULL, "d", "defense", 0, "encode_set", NULL},
        {update, "image", "attribute_accuracy", NULL, "noise", "defense", 0, "client_update", NULL},
    };
    static const entry rows[] = {ROW("d", "matched", "ok", 3, 0.2, 1, 0.8),
                                 ROW("none", "none", "ok", 3, 2, 1, 0.9)},
                       errors[] = {ROW("d", "matched", "ok", 3, 0.2, 1, 0.8),
                                   ROW("none", "none", "ok", 3, 0.001, 1, 0.9)},
                       decibels[] = {ROW("d", "matched", "ok", 3, 15, 1, 0.8),
                                     ROW("none", "none", "ok", 3, 40, 1, 0.9)};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        setting s = usual;
        gnt_results r;
        char facts[128], hooks[64], knows[32], grants[32];
        const char *of = cases[i].measure;
        snprintf(facts, sizeof facts, "%s\"%s\"", cases[i].facts, cases[i].kind);
        snprintf(hooks, sizeof hooks, "\"%s\"", cases[i].hooks ? cases[i].hooks : "");
        snprintf(knows, sizeof knows, "\"%s\"", cases[i].knows);
        snprintf(grants, sizeof grants, "\"%s\"", cases[i].grants);
        s.facts = facts;
        s.measure = of;
        s.hooks = cases[i].hooks ? hooks : NULL;
        s.knows = knows;
        s.grants = grants;
        parse_entries(&r, !strcmp(of, "psnr") ? decibels : !strcmp(of, "mse") ? errors : rows, 2, &s);
        gnt_ranking ranking = rank_of(&r, 3, of, 2);
        const gnt_rank_row *row = &ranking.row[0];
        if (gnt_has_rank(row->state) != cases[i].ranked ||
            (!cases[i].ranked && row->state != GNT_UNRANKED_UNMET) || !row->unmet.what != !cases[i].missing ||
            !row->shown.what != !cases[i].shown)
            fail_msg("case %zu: %s %d", i, row->defense, (int)row->state);
        if (cases[i].missing)
            assert_string_equal(row->unmet.what, cases[i].missing);
        if (cases[i].shown)
            assert_string_equal(row->shown.what, cases[i].shown);
        gnt_ranking_free(&ranking);
        gnt_results_free(&r);
    }
}

/* A server that aggregates has no rank without a number from each attack on influence, whether or not the run
 * has cells of it: which attacks apply follows from the hooks. */
static void an_attack_on_influence_cannot_be_left_out(void **state) {
    (void)state;
    enum { LEFT_OUT = 3, ON_INFLUENCE = 4 };
    static const entry all[] = {ROW("m", "matched", "ok", 3, 15, 1, 0.8),
                                ROW_WITH("m", "matched", "ok", 3, 15, 1, 0.8, .attack = "b"),
                                ROW_WITH("m", "matched", "ok", 3, 16, 1, 0.8, .attack = "a on influence"),
                                ROW_WITH("m", "matched", "ok", 3, 38, 1, 0.8, .attack = "b on influence"),
                                ROW("n", "matched", "ok", 3, 25, 1, 0.8),
                                ROW_WITH("n", "matched", "ok", 3, 25, 1, 0.8, .attack = "b"),
                                ROW_WITH("n", "matched", "ok", 3, 26, 1, 0.8, .attack = "a on influence"),
                                ROW_WITH("n", "matched", "ok", 3, 27, 1, 0.8, .attack = "b on influence"),
                                ROW("none", "none", "ok", 3, 40, 1, 0.9),
                                ROW_WITH("none", "none", "ok", 3, 40, 1, 0.9, .attack = "b")};
    enum { ALL = sizeof all / sizeof *all };
    setting servers = usual, probe = usual, clients = usual;
    gnt_results r;
    servers.facts = "\"surface\": \"update\", \"observe_from\": \"round\", \"data_kind\": \"image\"";
    servers.hooks = "\"aggregate\"";
    PARSE(&r, all, &servers);
    gnt_ranking ranking = rank_of(&r, 3, "psnr", 3);
    expect_row(&ranking, 0, "n", GNT_RANKED, 1, 0);
    expect_row(&ranking, 1, "m", GNT_RANKED, 2, 0);
    gnt_ranking_free(&ranking);
    gnt_results_free(&r);
    entry some[ALL];
    memcpy(some, all, sizeof all);
    memmove(&some[LEFT_OUT], &some[LEFT_OUT + 1], (ALL - LEFT_OUT - 1) * sizeof *some);
    parse_entries(&r, some, ALL - 1, &servers);
    ranking = rank_of(&r, 3, "psnr", 3);
    expect_row(&ranking, 0, "n", GNT_RANKED, 1, 0);
    expect_row(&ranking, 1, "m", GNT_UNRANKED_LACKING, 0, 0);
    gnt_ranking_free(&ranking);
    gnt_results_free(&r);
    /* left out of every defense, the duty is unmet; in a probe there is none that costs a rank */
    size_t n = 0;
    for (size_t i = 0; i < ALL; i++)
        if (!all[i].attack || !strstr(all[i].attack, " on influence"))
            some[n++] = all[i];
    assert_int_equal(n, ALL - ON_INFLUENCE);
    parse_entries(&r, some, n, &servers);
    ranking = rank_of(&r, 3, "psnr", 3);
    expect_row(&ranking, 0, "m", GNT_UNRANKED_UNMET, 0, 0);
    expect_row(&ranking, 1, "n", GNT_UNRANKED_UNMET, 0, 0);
    gnt_ranking_free(&ranking);
    gnt_results_free(&r);
    probe.facts = "\"surface\": \"update\", \"observe_from\": \"probe\", \"data_kind\": \"image\"";
    probe.hooks = servers.hooks;
    parse_entries(&r, some, n, &probe);
    ranking = rank_of(&r, 3, "psnr", 3);
    expect_row(&ranking, 0, "m", GNT_RANKED, 1, 0);
    gnt_ranking_free(&ranking);
    gnt_results_free(&r);
    /* nor does it apply to a defense of clients alone */
    memcpy(some, all, sizeof all);
    memmove(&some[2], &some[ON_INFLUENCE], (ALL - ON_INFLUENCE) * sizeof *some);
    clients.facts = servers.facts;
    clients.hooks = "\"transform_update\"";
    parse_entries(&r, some, ALL - 2, &clients);
    ranking = rank_of(&r, 3, "psnr", 3);
    expect_row(&ranking, 0, "m", GNT_RANKED, 1, 0);
    gnt_ranking_free(&ranking);
    gnt_results_free(&r);
}

/* A name by which the words take more than 256 bytes. */
#define LONG "a-defense-whose-name-is-long-enough-for-what-is-said-of-it-to-take-many-many-bytes"

static void the_row_says_what_is_missing(void **state) {
    (void)state;
    static const entry two[] = {ROW(LONG, "matched", "ok", 3, 0.2, 1, 0.8),
                                ROW("none", "none", "ok", 3, 0.001, 1, 0.9)};
    setting s = usual;
    gnt_results r;
    gnt_text text;
    gnt_table t;
    s.facts = "\"surface\": \"update\", \"data_kind\": \"tabular\"";
    s.measure = "mse";
    s.hooks = "\"client_update\"";
    PARSE(&r, two, &s);
    gnt_table_matrix(&r, "t", 3, gnt_measure_find("mse"), &t);
    assert_false(t.failed);
    assert_string_equal(t.item[2].text,
                        "matched, no adaptive attack yet: no attack that learnt the client_update of " LONG
                        " from shadow observations, or names it by id, met it; update-decoder would, granted "
                        "shadow_observations");
    gnt_table_free(&t);
    gnt_results_free(&r);
    s.facts = "\"surface\": \"update\", \"data_kind\": \"image\"";
    PARSE(&r, two, &s);
    gnt_ranking ranking = rank_of(&r, 3, "mse", 2);
    gnt_text_init(&text, 1024);
    gnt_rank_row_say(&ranking.row[0], &text);
    assert_string_equal(gnt_text_get(&text),
                        "matched; no attack that learnt the client_update of " LONG
                        " from shadow observations, or names it by id, met it; shown only, it costs no rank");
    gnt_text_free(&text);
    gnt_ranking_free(&ranking);
    gnt_results_free(&r);
}

static void wrong_types_are_refused(void **state) {
    (void)state;
    static const struct {
        const char *facts, *says;
    } bad[] = {{"\"observe_from\": \"rounds\"", "tasks[0].observe_from"},
               {"\"observe_from\": 1", "tasks[0].observe_from"},
               {"\"stages_drawn\": \"yes\"", "tasks[0].stages_drawn"},
               {"\"seed_public\": 1", "tasks[0].seed_public"},
               {"\"adequate\": 0.9", "tasks[0].adequate"},
               {"\"adequate\": {\"gain\": \"much\"}", "tasks[0].adequate"},
               {"\"public_only\": 0.7", "tasks[0].public_only"},
               {"\"public_only\": [0.7]", "tasks[0].public_only"},
               {"\"public_only\": [{\"seed\": 1, \"utility\": \"0.7\"}]", "tasks[0].public_only"}};
    gnt_results r;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        gnt_err err = {""};
        setting s = usual;
        s.facts = bad[i].facts;
        char *text = results_of(floored, 1, &s);
        assert_int_equal(gnt_results_parse(&r, "results.json", text, strlen(text), &err), -1);
        if (!strstr(err.text, bad[i].says))
            fail_msg("%s: \"%s\"", bad[i].facts, err.text);
        gnt_free(text);
    }
    static const char *const marks[] = {"\"marks\": {}", "\"marks\": [\"x\"]",
                                        "\"marks\": [{\"what\": \"x\"}]", "\"stage\": -1"};
    for (size_t i = 0; i < sizeof marks / sizeof *marks; i++) {
        gnt_err err = {""};
        char *text =
            gnt_format("{\"format\": 1, \"groups\": [], \"cells\": [{\"task\": \"t\", \"defense\": \"d\", "
                       "\"attack\": \"a\", \"mode\": \"none\", \"status\": \"ok\", %s}]}",
                       marks[i]);
        assert_int_equal(gnt_results_parse(&r, "results.json", text, strlen(text), &err), -1);
        if (!strstr(err.text, i < 3 ? "cells[0].marks" : "cells[0].stage"))
            fail_msg("%s: \"%s\"", marks[i], err.text);
        gnt_free(text);
    }
}

/* Intervals of PSNR are two wide, those of identification a tenth. Both order x before y, or the other way
 * round, or identification does not. */
static void measures_agree_or_the_pairs_are_named(void **state) {
    (void)state;
    static const struct {
        double x, y;
        const char *says;
    } cases[] = {{0.2, 0.6, "identification rate orders the defenses as PSNR does, under every attack."},
                 {0.6, 0.2,
                  "Of 3 pairs of defenses that PSNR or identification rate surely orders under some attack, "
                  "they disagree on 1; opposite ways: x before y (a)."},
                 {0.2, 0.2,
                  "Of 3 pairs of defenses that PSNR or identification rate surely orders under some attack, "
                  "they disagree on 1; only PSNR orders x before y (a)."}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const entry rows[] = {ROW("x", "matched", "ok", 3, 20, cases[i].x, 0.8),
                              ROW("y", "matched", "ok", 3, 30, cases[i].y, 0.8),
                              ROW("none", "none", "ok", 3, 40, 1, 0.9)};
        gnt_results r;
        gnt_text said;
        gnt_text_init(&said, 1 << 16);
        PARSE(&r, rows, &usual);
        assert_int_equal(gnt_report_agreement(&r, "t", 3, gnt_measure_of(GNT_MEASURE_PSNR), &said), i == 0);
        assert_string_equal(gnt_text_get(&said), cases[i].says);
        gnt_text_free(&said);
        gnt_results_free(&r);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(below_the_floor_all_are_level),
        cmocka_unit_test(what_hooks_do_must_have_been_learnt),
        cmocka_unit_test(an_attack_on_influence_cannot_be_left_out),
        cmocka_unit_test(the_row_says_what_is_missing),
        cmocka_unit_test(drawn_rounds_are_called_by_number),
        cmocka_unit_test(drawn_rounds_rank_by_the_worst),
        cmocka_unit_test_setup_teardown(a_mark_costs_the_rank_and_is_listed_first, make_folder,
                                        remove_folder),
        cmocka_unit_test(what_public_data_give_wins_nothing),
        cmocka_unit_test(what_no_attack_knows_may_be_last),
        cmocka_unit_test(ranking_goes_by_the_worst_attack),
        cmocka_unit_test(low_mse_leaks_more),
        cmocka_unit_test(measures_agree_or_the_pairs_are_named),
        cmocka_unit_test(training_runs_distinguish_defenses),
        cmocka_unit_test(without_grounds_nothing_is_ranked),
        cmocka_unit_test(another_question_is_not_compared),
        cmocka_unit_test(a_defense_without_a_strength_is_not_undefended),
        cmocka_unit_test(who_was_not_met_is_not_ranked),
        cmocka_unit_test(who_was_met_by_the_unable_is_not_ranked),
        cmocka_unit_test(wrong_types_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
