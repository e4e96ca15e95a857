/* What a rank on the leaderboard rests on: the floor below which all are level, the worst of the drawn
 * rounds, what the host found wrong, the utility of public data alone; and what never meets in one section.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>
#include <jansson.h>

#include "board_runs.h"

static double number_in(const json_t *row, const char *key) {
    return json_number_value(json_object_get(row, key));
}

#define EXTRA(points, ...)                                                                                   \
    .extra = (const extra[sizeof points / sizeof *points]) {                                                 \
        __VA_ARGS__                                                                                          \
    }

/* ---- floors ---- */

/* The floor is 13: `crafted` and `low` lie below it, whatever their numbers; `edge` does not surely leak
 * more; `open` does. */
static const point floored[] = {{"low", "matched", "x", "", "ok", 9, 8, 10},
                                {"crafted", "matched", "x", "", "ok", 2, 1, 3},
                                {"edge", "matched", "x", "", "ok", 14, 12, 16},
                                {"open", "matched", "x", "", "ok", 20, 19, 21},
                                {"none", "none", "x", "", "ok", 40, 39, 41}};

static void below_the_floor_all_are_level(void **state) {
    const bench *b = *state;
    static const struct {
        const char *defense, *tied;
        int rank;
    } expected[] = {{"low", "tied", 1}, {"crafted", "tied", 1}, {"edge", "tied", 1}, {"open", "", 4}};
    write_run(b, &(made){MADE("r", floored), .floor = 13});
    json_t *all = BOARD("r");
    for (size_t i = 0; i < sizeof expected / sizeof *expected; i++) {
        const json_t *row = json_array_get(json_object_get(all, "places"), i);
        assert_string_equal(word(row, "defense"), expected[i].defense);
        assert_string_equal(word(row, "tied"), expected[i].tied);
        assert_int_equal(rank_of(row), expected[i].rank);
    }
    const json_t *crafted = place(all, 1, NULL, "crafted");
    assert_true(measured(crafted) == 2); /* what was measured is shown as it was */
    assert_true(number_in(crafted, "floor") == 13 && number_in(crafted, "leakage") == 13);
    assert_true(number_in(crafted, "leakage_low") == 13 && number_in(crafted, "leakage_high") == 13);
    expect_page(
        b, "low, crafted and edge leak least (a tie: the difference is not statistically significant): PSNR "
           "9.0 dB "
           "\\[8.0, 10.0\\] at worst, under x, no more than a guess (PSNR 13.0 dB, nearest public image)");
    json_decref(all);
}

/* An error, of which a lower one leaks more: the floor is a ceiling. */
static void a_floor_of_an_error_is_above(void **state) {
    const bench *b = *state;
    static const point errors[] = {{"large", "matched", "x", "", "ok", 0.9, 0.8, 1},
                                   {"small", "matched", "x", "", "ok", 0.2, 0.1, 0.3},
                                   {"open", "matched", "x", "", "ok", 0.01, 0.005, 0.02}};
    write_run(b, &(made){MADE("r", errors), .measure = "mse", .floor = 0.06});
    json_t *all = BOARD("r");
    assert_int_equal(rank_of(place(all, 1, NULL, "large")), 1);
    assert_int_equal(rank_of(place(all, 1, NULL, "small")), 1);
    assert_int_equal(rank_of(place(all, 1, NULL, "open")), 3);
    json_decref(all);
}

/* A run that states a floor of 60 for itself must not make everybody level. */
static void the_first_run_says_what_the_floor_is(void **state) {
    const bench *b = *state;
    static const point own[] = {{"own", "matched", "x", "", "ok", 30, 29, 31}};
    write_run(b, &(made){MADE("keeper", floored), .floor = 13});
    write_run(b, &(made){MADE("eve", own), .floor = 60});
    json_t *all = BOARD("keeper", "eve");
    assert_int_equal(rank_of(place(all, 1, NULL, "own")), 5);
    assert_int_equal(rank_of(place(all, 1, NULL, "open")), 4);
    json_decref(all);
}

/* A step below the floor is no step. */
static void history_below_the_floor_is_the_same(void **state) {
    const bench *b = *state;
    static const point before[] = {{"a", "matched", "x", "", "ok", 9, 8, 10}},
                       after[] = {{"a", "matched", "x", "", "ok", 3, 2, 4}};
    write_run(b, &(made){MADE("one", before), .floor = 13});
    write_run(b, &(made){MADE("two", after), .floor = 13.5});
    json_t *all = BOARD("Bob=one", "Bob=two");
    assert_string_equal(word(json_array_get(json_object_get(all, "history"), 1), "what changed"), "the same");
    json_decref(all);
}

/* `blur` looks like nothing and reveals most, under another attack than the one that leaks most by PSNR. */
static void identification_is_listed_next_to_psnr(void **state) {
    const bench *b = *state;
    static const point two[] = {{"blur", "matched", "x", "", "ok", 9, 8, 10},
                                {"blur", "matched", "y", "", "ok", 8, 7, 9},
                                {"noise", "matched", "x", "", "ok", 7, 6, 8},
                                {"noise", "matched", "y", "", "ok", 6, 5, 7}};
    static const extra identified[] = {
        {.identified = 0.5}, {.identified = 0.9}, {.identified = 0.2}, {.identified = 0.1}};
    write_run(b, &(made){MADE("r", two), .floor = 13, .extra = identified});
    json_t *all = BOARD("r");
    assert_float_equal(number_in(place(all, 1, NULL, "blur"), "identified"), 0.9, 1e-9);
    assert_float_equal(number_in(place(all, 1, NULL, "noise"), "identified_high"), 0.3, 1e-9);
    expect_page(b,
                "blur and noise leak no more than a guess (PSNR 13.0 dB, nearest public image); identified");
    expect_page(b, "identified at most: 90.0 %");
    expect_page(b, ", y | x |");
    json_decref(all);
}

/* ---- surplus utility ---- */

/* All that begins with + leaves more utility than the target at its strongest setting. */
static const point with_surplus[] = {
    {"+nothing", "matched", "x", "", "ok", 55, 54, 56}, {"+low-rank", "matched", "x", "", "ok", 40, 39, 41},
    {"scheme", "as-is", "x", "", "ok", 34, 33, 35},     {"prune", "matched", "x", "", "ok", 25, 24, 26},
    {"noise", "matched", "x", "", "ok", 20, 19, 21},    {"costly", "as-is", "x", "", "ok", 10, 9, 11},
    {"none", "none", "x", "", "ok", 55, 54, 56}};
static const extra useful[] = {{.utility = 0.9},  {.utility = 0.88}, {.utility = 0.86}, {.utility = 0.79},
                               {.utility = 0.79}, {.utility = 0.7},  {.utility = 0.9}};

static void surplus_utility_is_no_excuse(void **state) {
    const bench *b = *state;
    static const struct {
        const char *defense, *words;
        int rank;
    } expected[] = {{"noise", "matched", 1},       {"prune", "matched", 2},      {"scheme", "as it is", 3},
                    {"+low-rank", "saturated", 4}, {"+nothing", "saturated", 5}, {"costly", "as it is", 0}};
    write_run(b, &(made){MADE("r", with_surplus), .extra = useful, .target = 0.8, .verdict = "saturated"});
    json_t *all = BOARD("r");
    for (size_t i = 0; i < sizeof expected / sizeof *expected; i++) {
        const json_t *row = json_array_get(json_object_get(all, "places"), i);
        assert_string_equal(word(row, "defense"), expected[i].defense);
        assert_string_equal(word(row, "standing"), expected[i].words);
        assert_int_equal(rank_of(row), expected[i].rank);
    }
    assert_string_equal(word(place(all, 1, NULL, "costly"), "why_not_ranked"),
                        "as it is, less useful than the target");
    expect_page(b, "noise leaks least: PSNR 20.0 dB");
    expect_page(b, "saturated, 8.0 % accuracy above the target");
    expect_page(b, "does not surely leak less than no defense, and shares its place, the last");
    json_decref(all);
    /* a match that was not saturated could have been stronger: nothing is said of it */
    static const point two[] = {{"+low-rank", "matched", "x", "", "ok", 40, 39, 41},
                                {"noise", "matched", "x", "", "ok", 20, 19, 21},
                                {"none", "none", "x", "", "ok", 55, 54, 56}};
    write_run(b, &(made){MADE("r", two), .target = 0.8, .verdict = "matched",
                         EXTRA(two, {.utility = 0.81}, {.utility = 0.79}, {.utility = 0.9})});
    all = BOARD("r");
    assert_int_equal(rank_of(place(all, 1, NULL, "+low-rank")), 1);
    assert_int_equal(rank_of(place(all, 1, NULL, "noise")), 1);
    expect_page(b, "a tie: the one that leaks less left less utility");
    json_decref(all);
}

/* ---- rounds ---- */

#define DRAWN "\"observe_from\": \"round\", \"stages_drawn\": true"
/* Three drawn rounds: `early` is best in two and worst in one. `hole` has none in the last. */
static const point three[] = {
    {"early", "matched", "x", "", "ok", 30, 29, 31}, {"early", "matched", "x", "", "ok", 5, 4, 6},
    {"early", "matched", "x", "", "ok", 5, 4, 6},    {"even", "matched", "x", "", "ok", 20, 19, 21},
    {"even", "matched", "x", "", "ok", 18, 17, 19},  {"even", "matched", "x", "", "ok", 19, 18, 20},
    {"hole", "matched", "x", "", "ok", 1, 0, 2},     {"hole", "matched", "x", "", "ok", 1, 0, 2},
    {"hole", "matched", "x", "", "crashed", 0, 0, 0}};
static const extra stages_of_three[] = {{.stage = 1}, {.stage = 4}, {.stage = 9}, {.stage = 1}, {.stage = 4},
                                        {.stage = 9}, {.stage = 1}, {.stage = 4}, {.stage = 9}};

static void drawn_rounds_rank_by_the_worst(void **state) {
    const bench *b = *state;
    write_run(b, &(made){MADE("r", three), .extra = stages_of_three, .facts = DRAWN});
    json_t *all = BOARD("r");
    assert_int_equal(json_array_size(json_object_get(all, "places")), 4); /* one section */
    const json_t *even = place(all, 1, NULL, "even"), *early = place(all, 1, NULL, "early");
    assert_int_equal(rank_of(even), 1);
    assert_int_equal(rank_of(early), 2);
    assert_true(measured(even) == 20 && measured(early) == 30);
    assert_true(number_in(early, "worst_stage") == 1);
    assert_true(json_is_null(json_object_get(even, "stage")));
    assert_string_equal(word(even, "stages"), "drawn");
    assert_int_equal(rank_of(place(all, 1, NULL, "hole")), 0);
    expect_page(b, "## t, worst of rounds 1, 4, 9\n");
    expect_page(b, "matched, no number from x in drawn round 9 (it broke)");
    json_decref(all);
}

/* Fixed rounds keep a section each, and never meet drawn ones. */
static void fixed_rounds_keep_their_sections(void **state) {
    const bench *b = *state;
    write_run(
        b, &(made){MADE("fixed", three), .extra = stages_of_three, .facts = "\"observe_from\": \"round\""});
    write_run(b, &(made){MADE("drawn", three), .extra = stages_of_three, .facts = DRAWN});
    json_t *all = BOARD("fixed", "drawn");
    assert_true(number_in(place(all, 3, NULL, "even"), "stage") == 9);
    assert_int_equal(rank_of(place(all, 1, NULL, "hole")), 1);
    assert_int_equal(rank_of(place(all, 4, NULL, "hole")), 0);
    expect_page(b, "there the suite fixed the observed rounds, here they were drawn");
    json_decref(all);
}

/* Each run draws its own rounds: what counts is the worst of its own. */
static void runs_may_draw_different_rounds(void **state) {
    const bench *b = *state;
    static const point other[] = {{"own", "matched", "x", "", "ok", 10, 9, 11},
                                  {"own", "matched", "x", "", "ok", 25, 24, 26}};
    write_run(b, &(made){MADE("r", three), .extra = stages_of_three, .facts = DRAWN});
    write_run(b, &(made){MADE("s", other), EXTRA(other, {.stage = 2}, {.stage = 7}), .facts = DRAWN});
    json_t *all = BOARD("r", "s");
    assert_int_equal(rank_of(place(all, 1, NULL, "even")), 1);
    assert_int_equal(rank_of(place(all, 1, NULL, "own")), 2);
    assert_int_equal(rank_of(place(all, 1, NULL, "early")), 3);
    expect_page(b, "## t, worst of rounds 1, 4, 9\n");
    json_decref(all);
}

/* A later run of a contributor with other rounds takes the place of the earlier one as a whole. */
static void a_later_run_with_other_rounds_replaces(void **state) {
    const bench *b = *state;
    static const point two[] = {{"a", "matched", "x", "", "ok", 40, 39, 41},
                                {"a", "matched", "x", "", "ok", 30, 29, 31}},
                       one[] = {{"a", "matched", "x", "", "ok", 10, 9, 11},
                                {"a", "matched", "x", "", "ok", 12, 11, 13}};
    write_run(b, &(made){MADE("r", two), EXTRA(two, {.stage = 2}, {.stage = 7}), .facts = DRAWN});
    write_run(b, &(made){MADE("s", one), EXTRA(one, {.stage = 3}, {.stage = 8}), .facts = DRAWN});
    json_t *all = BOARD("Bob=r", "Bob=s");
    assert_true(measured(place(all, 1, NULL, "a")) == 12);
    assert_string_equal(word(json_array_get(json_object_get(all, "history"), 1), "what changed"),
                        "leaks less");
    json_decref(all);
}

/* ---- probes ---- */

static void a_probe_never_meets_a_round(void **state) {
    const bench *b = *state;
    static const point probed[] = {{"a", "matched", "x", "", "ok", 3, 2, 4},
                                   {"b", "matched", "x", "", "ok", 30, 29, 31}},
                       seen[] = {{"c", "matched", "x", "", "ok", 20, 19, 21}};
    write_run(b, &(made){MADE("old", probed), .task_digest = "D"});
    write_run(b, &(made){MADE("named", probed), .task_digest = "D", .facts = "\"observe_from\": \"probe\""});
    write_run(b, &(made){MADE("new", seen), .task_digest = "D",
                         .facts = "\"observe_from\": \"round\", \"seed_public\": true"});
    json_t *all = BOARD("old", "named", "new");
    /* a run that says nothing was probed; among each other probes have ranks */
    const json_t *a = place(all, 1, NULL, "a"), *c = place(all, 2, NULL, "c");
    assert_string_equal(word(a, "observed_from"), "probe");
    assert_string_equal(word(a, "contributors"), "old (unsigned), named (unsigned)");
    assert_int_equal(rank_of(a), 1);
    assert_int_equal(rank_of(place(all, 1, NULL, "b")), 2);
    assert_string_equal(word(c, "observed_from"), "round");
    assert_int_equal(rank_of(c), 1);
    expect_page(b, "## t, round 3, probe\n");
    expect_page(b, "Probe: the defense was run a second time for observation, outside training, and could "
                   "have detected it");
    expect_page(b, "there the updates were probed, here they took part in training");
    expect_page(
        b, "Run under a public seed (run 3): a plugin could compute which rounds and clients are observed.");
    json_decref(all);
}

/* ---- marks ---- */

#define REASON "client 3's update in round 4 could not be computed from its data"

/* `liar` leaks least by far and is the only one that z gave a number for. */
static const point with_liar[] = {{"liar", "matched", "x", "", "ok", 1, 0, 2},
                                  {"liar", "matched", "z", "", "ok", 1, 0, 2},
                                  {"a", "matched", "x", "", "ok", 10, 9, 11},
                                  {"b", "matched", "x", "", "ok", 20, 19, 21},
                                  {"none", "none", "x", "", "ok", 40, 39, 41}};

static void a_mark_costs_the_rank_and_changes_no_other(void **state) {
    const bench *b = *state;
    write_run(b, &(made){MADE("r", with_liar), EXTRA(with_liar, {.mark = REASON}),
                         .facts = "\"observe_from\": \"round\""});
    json_t *all = BOARD("r");
    assert_int_equal(rank_of(place(all, 1, NULL, "liar")), 0);
    assert_string_equal(word(place(all, 1, NULL, "liar"), "why_not_ranked"),
                        "matched, marked by the host: " REASON);
    assert_int_equal(rank_of(place(all, 1, NULL, "a")), 1);
    assert_string_equal(word(place(all, 1, NULL, "a"), "tied"), "");
    assert_int_equal(rank_of(place(all, 1, NULL, "b")), 2);
    expect_page(b, "At matched utility, a leaks least");
    json_decref(all);
}

/* A later run does not wash a mark off; another version is another defense. */
static void a_mark_stays_with_the_version(void **state) {
    const bench *b = *state;
    static const point once[] = {{"a", "matched", "x", "", "ok", 10, 9, 11}};
    write_run(b, &(made){MADE("marked", once), EXTRA(once, {.mark = REASON})});
    RUN("again", once);
    write_run(b, &(made){MADE("mended", once), .version = "2"});
    json_t *all = BOARD("Bob=marked", "Bob=again");
    assert_int_equal(rank_of(place(all, 1, NULL, "a")), 0);
    json_decref(all);
    all = BOARD("Bob=marked", "Bob=mended");
    assert_int_equal(rank_of(place(all, 1, NULL, "a")), 1);
    json_decref(all);
}

/* ---- public data alone ---- */

#define ONLY(u) "\"public_only\": [{\"seed\": 1, \"utility\": " u ", \"standard_error\": 0.01}]"

/* Errors of 0.01 each: what the private data add must exceed 1.645 · 0.0141 = 0.0233. */
static void what_public_data_give_wins_nothing(void **state) {
    const bench *b = *state;
    static const point two[] = {{"idle", "matched", "x", "", "ok", 1, 0, 2},
                                {"works", "matched", "x", "", "ok", 20, 19, 21}};
    write_run(
        b, &(made){MADE("r", two), EXTRA(two, {.utility = 0.72}, {.utility = 0.73}), .facts = ONLY("0.70")});
    json_t *all = BOARD("r");
    assert_int_equal(rank_of(place(all, 1, NULL, "idle")), 0);
    assert_string_equal(word(place(all, 1, NULL, "idle"), "why_not_ranked"),
                        "matched, no better than public data alone");
    assert_int_equal(rank_of(place(all, 1, NULL, "works")), 1);
    assert_float_equal(number_in(place(all, 1, NULL, "works"), "public_only"), 0.7, 1e-9);
    expect_page(b, "The public data alone give accuracy 70.0 %");
    json_decref(all);
    /* a loss: lower is better */
    write_run(b, &(made){MADE("r", two), EXTRA(two, {.utility = 0.68}, {.utility = 0.67}),
                         .facts = ONLY("0.70"), .utility = "loss"});
    all = BOARD("r");
    assert_int_equal(rank_of(place(all, 1, NULL, "idle")), 0);
    assert_int_equal(rank_of(place(all, 1, NULL, "works")), 1);
    json_decref(all);
    /* not trained: nothing is said */
    write_run(b, &(made){MADE("r", two), .facts = "\"public_only\": null"});
    all = BOARD("r");
    assert_int_equal(rank_of(place(all, 1, NULL, "idle")), 1);
    json_decref(all);
}

/* Where no defense surely leaks less than none, the first rank is no distinction: it has a number in
 * leaderboard.json and .csv alone. */
static void who_leaks_as_no_defense_is_not_shown_first(void **state) {
    const bench *b = *state;
    static const point even[] = {{"clip", "matched", "x", "", "ok", 50, 49, 51},
                                 {"prune", "matched", "x", "", "ok", 50, 48, 52},
                                 {"none", "none", "x", "", "ok", 50, 49, 51}};
    RUN("r", even);
    json_t *all = BOARD("r");
    assert_int_equal(rank_of(place(all, 1, NULL, "clip")), 1);
    assert_string_equal(word(place(all, 1, NULL, "clip"), "tied"), "tied");
    expect_page(b, "\n| as undefended | clip ");
    expect_page(b, "\n| as undefended | prune ");
    expect_page(b, "surely leaks less than no defense: clip and prune; of these clip leaks least on average: "
                   "PSNR 50.0 dB");
    char *page = read_text(b->folder, "out/leaderboard.html", NULL);
    assert_non_null(strstr(page, "data-v=\"1\">as undefended</td>"));
    assert_null(strstr(page, "class=\"first\""));
    free(page);
    json_decref(all);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        IN_FOLDER(below_the_floor_all_are_level),
        IN_FOLDER(who_leaks_as_no_defense_is_not_shown_first),
        IN_FOLDER(a_floor_of_an_error_is_above),
        IN_FOLDER(the_first_run_says_what_the_floor_is),
        IN_FOLDER(history_below_the_floor_is_the_same),
        IN_FOLDER(identification_is_listed_next_to_psnr),
        IN_FOLDER(surplus_utility_is_no_excuse),
        IN_FOLDER(drawn_rounds_rank_by_the_worst),
        IN_FOLDER(fixed_rounds_keep_their_sections),
        IN_FOLDER(runs_may_draw_different_rounds),
        IN_FOLDER(a_later_run_with_other_rounds_replaces),
        IN_FOLDER(a_probe_never_meets_a_round),
        IN_FOLDER(a_mark_costs_the_rank_and_changes_no_other),
        IN_FOLDER(a_mark_stays_with_the_version),
        IN_FOLDER(what_public_data_give_wins_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
