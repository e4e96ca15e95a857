/* The leaderboard's summary over arenas: what counts as a share, as all of what leaks undefended, or as no
 * verdict; which arenas a group has; ranks. All training runs of a row have one number, so that shares follow
 * by hand: (leaked − .5) / (undefended − .5). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>
#include <jansson.h>

#include "board_runs.h"

#define ROUND "\"observe_from\": \"round\", \"stages_drawn\": true, \"surface\": \"update\""
#define ALL(x) x, x, x
#define ARENA(run_name, id, points)                                                                          \
    MADE(run_name, points), .task = id, .measure = "attribute_relabelled", .floor = 0.5, .target = 0.8,      \
                            .facts = ROUND

/* Undefended .9 under the list, .6 under the other attack. */
static const point one[] = {
    {"none", "none", "list:x", "", "ok", ALL(0.9)},      {"none", "none", "y", "", "ok", ALL(0.6)},
    {"half", "matched", "list:x", "", "ok", ALL(0.7)},   {"half", "matched", "y", "", "ok", ALL(0.6)},
    {"other", "matched", "list:x", "", "ok", ALL(0.6)},  {"other", "matched", "y", "", "ok", ALL(0.8)},
    {"over", "matched", "list:x", "", "ok", ALL(0.95)},  {"over", "matched", "y", "", "ok", ALL(0.5)},
    {"+far", "matched", "list:x", "", "ok", ALL(0.6)},   {"+far", "matched", "y", "", "ok", ALL(0.6)},
    {"unfit", "as-is", "list:x", "", "n/a", ALL(0)},     {"unfit", "as-is", "y", "", "n/a", ALL(0)},
    {"broken", "as-is", "list:x", "", "failed", ALL(0)}, {"broken", "as-is", "y", "", "timeout", ALL(0)},
    {"hole", "matched", "list:x", "", "ok", ALL(0.7)},   {"hole", "matched", "y", "", "timeout", ALL(0)}};
/* Undefended .8 in both. */
static const point two[] = {
    {"none", "none", "list:x", "", "ok", ALL(0.8)},      {"half", "matched", "list:x", "", "ok", ALL(0.65)},
    {"other", "matched", "list:x", "", "ok", ALL(0.8)},  {"over", "matched", "list:x", "", "ok", ALL(0.77)},
    {"+far", "matched", "list:x", "", "ok", ALL(0.6)},   {"unfit", "as-is", "list:x", "", "ok", ALL(0.6)},
    {"broken", "as-is", "list:x", "", "failed", ALL(0)}, {"hole", "matched", "list:x", "", "ok", ALL(0.5)}};

static void write_both(const bench *b) {
    write_run(b, &(made){ARENA("first", "one", one), .verdict = "unmatched", .reason = "it jumps"});
    write_run(
        b, &(made){ARENA("second", "two", two), .verdict = "unmatched",
                   .reason = "utility scatters so much between seeds that the tolerance cannot be told: 9"});
}

/* The share of a defense in a task, or over the group for "". */
static const json_t *share_of(const json_t *all, const char *task, const char *defense) {
    const json_t *list = json_object_get(all, "places");
    for (size_t i = 0; i < json_array_size(list); i++) {
        const json_t *row = json_array_get(list, i);
        if (!strcmp(word(row, "measure"), "share") && !strcmp(word(row, "task"), task) &&
            !strcmp(word(row, "defense"), defense))
            return row;
    }
    fail_msg("no share of %s in \"%s\"", defense, task);
    return NULL;
}

static double number(const json_t *row, const char *key) {
    const json_t *value = json_object_get(row, key);
    return json_is_number(value) ? json_number_value(value) : NAN;
}

static void expect(const json_t *all, const char *task, const char *defense, double share, const char *why) {
    const json_t *row = share_of(all, task, defense);
    const double is = number(row, "measured");
    if (isnan(share) ? !isnan(is) : !(fabs(is - share) < 1e-8))
        fail_msg("%s in \"%s\": share %g, expected %g", defense, task, is, share);
    if (strcmp(word(row, "why_not_ranked"), why) != 0)
        fail_msg("%s in \"%s\": \"%s\", expected \"%s\"", defense, task, word(row, "why_not_ranked"), why);
}

static void shares_in_each_task(void **state) {
    const bench *b = *state;
    write_both(b);
    json_t *all = BOARD("K=first", "K=second");
    expect(all, "one", "half", 0.5, "");
    expect(all, "one", "other", 0.75, "");
    expect(all, "one", "over", 1, "");
    expect(all, "one", "+far", 1, "misses the target utility");
    expect(all, "one", "unfit", NAN, "does not apply");
    expect(all, "one", "broken", 1, "failed");
    expect(all, "one", "hole", NAN, "no number from y");
    expect(all, "two", "half", 0.5, "");
    expect(all, "two", "over", 0.9, "");
    expect(all, "two", "+far", NAN, "its utility is too noisy");
    expect(all, "two", "broken", 1, "failed");
    expect(all, "two", "hole", 0, "");
    const json_t *other = share_of(all, "one", "other"), *over = share_of(all, "one", "over");
    assert_true(fabs(number(other, "listed") - 0.25) < 1e-8 && fabs(number(other, "others") - 0.75) < 1e-8);
    assert_true(number(other, "clipped") == 0 && number(over, "clipped") == 5);
    assert_true(number(share_of(all, "two", "hole"), "clipped") == 5);
    assert_string_equal(word(share_of(all, "one", "half"), "trainings"), "0.5 0.5 0.5 0.5 0.5");
    assert_string_equal(word(share_of(all, "one", "half"), "surface"), "update");
    assert_string_equal(word(share_of(all, "one", "half"), "goal"), "attribute");
    json_decref(all);
}

/* The place of a defense in the first section by one measure. */
static const json_t *by_measure(const json_t *all, const char *measure, const char *defense) {
    const json_t *list = json_object_get(all, "places");
    for (size_t i = 0; i < json_array_size(list); i++) {
        const json_t *row = json_array_get(list, i);
        if (!strcmp(word(row, "measure"), measure) && !strcmp(word(row, "defense"), defense))
            return row;
    }
    fail_msg("no place of %s by %s", defense, measure);
    return NULL;
}

/* `far` looks worse by PSNR, and most of its images are identified; of `near` few are. */
static void an_arena_ranks_by_what_its_shares_are_of(void **state) {
    const bench *b = *state;
    static const point arena[] = {{"none", "none", "list:x", "", "ok", 40, 39, 41},
                                  {"far", "matched", "list:x", "", "ok", 9, 8, 10},
                                  {"near", "matched", "list:x", "", "ok", 20, 19, 21}},
                       suite[] = {{"none", "none", "x", "", "ok", 40, 39, 41},
                                  {"far", "matched", "x", "", "ok", 9, 8, 10},
                                  {"near", "matched", "x", "", "ok", 20, 19, 21}};
    static const extra identified[] = {{.identified = 1}, {.identified = 0.8}, {.identified = 0.3}};
    write_run(b, &(made){MADE("arena", arena), .extra = identified, .facts = ROUND, .target = 0.8});
    write_run(b, &(made){MADE("suite", suite), .extra = identified, .facts = ROUND, .target = 0.8});
    json_t *all = BOARD("K=arena");
    assert_int_equal(rank_of(by_measure(all, "identification", "near")), 1);
    assert_int_equal(rank_of(by_measure(all, "identification", "far")), 2);
    assert_int_equal(rank_of(by_measure(all, "psnr", "far")), 0);
    assert_string_equal(word(by_measure(all, "psnr", "far"), "why_not_ranked"),
                        "an arena ranks by another measure");
    expect_page(b, "| rank | defense | measured | PSNR |");
    json_decref(all);
    all = BOARD("K=suite");
    assert_int_equal(rank_of(by_measure(all, "psnr", "far")), 1);
    assert_int_equal(rank_of(by_measure(all, "psnr", "near")), 2);
    expect_page(b, "| rank | defense | measured | identified |");
    json_decref(all);
}

/* Means .5, .875, .95, 1: the arenas weigh alike. `other` and `over` differ by −.25 in five training runs
 * and by .1 in five, t² = 9 · .075² / .175² = 1.65, so they share a rank. From no defense both differ by 0
 * in five and by as much in five, t² = 9, p = .015, by Holm's method .045. Rows without a share in both
 * arenas have no mean; `broken` leaks as if there were no defense. */
static void a_row_over_the_arenas(void **state) {
    const bench *b = *state;
    static const struct {
        const char *defense;
        double mean;
        int rank;
        const char *why;
    } expected[] = {{"half", 0.5, 1, ""},
                    {"other", 0.875, 2, ""},
                    {"over", 0.95, 2, ""},
                    {"broken", 1, 4, ""},
                    {"+far", NAN, 0, "no verdict in an arena"},
                    {"unfit", NAN, 0, "does not apply in all arenas"},
                    {"hole", NAN, 0, "no verdict in an arena"}};
    write_both(b);
    json_t *all = BOARD("K=first", "K=second");
    for (size_t i = 0; i < sizeof expected / sizeof *expected; i++) {
        expect(all, "", expected[i].defense, expected[i].mean, expected[i].why);
        assert_int_equal(rank_of(share_of(all, "", expected[i].defense)), expected[i].rank);
    }
    assert_string_equal(word(share_of(all, "", "half"), "arena"), "s; s");
    assert_true(number(share_of(all, "", "half"), "low") == 0.5);
    assert_string_equal(word(share_of(all, "", "broken"), "tied"), "tied");
    json_decref(all);
}

/* All pairs with their common training runs: of `half` and `hole` those of the second arena alone. */
static void pairs_of_defenses(void **state) {
    const bench *b = *state;
    write_both(b);
    json_t *all = BOARD("K=first", "K=second");
    const json_t *list = json_object_get(all, "pairs");
    int found = 0;
    assert_int_equal(json_array_size(list), 7 * 6 / 2);
    for (size_t i = 0; i < json_array_size(list); i++) {
        const json_t *row = json_array_get(list, i);
        const int wide = !strcmp(word(row, "defense"), "half") && !strcmp(word(row, "other"), "over"),
                  narrow = !strcmp(word(row, "defense"), "half") && !strcmp(word(row, "other"), "hole");
        found += wide || narrow;
        if (wide) {
            assert_true(number(row, "less") == 10 && number(row, "of") == 10 && number(row, "p") < 0.05);
            assert_true(fabs(number(row, "difference") + 0.45) < 1e-8);
            assert_string_equal(word(row, "surely"), "half");
        }
        if (narrow) {
            assert_true(number(row, "less") == 0 && number(row, "of") == 5);
            assert_string_equal(word(row, "surely"), "hole");
        }
    }
    assert_int_equal(found, 2);
    json_decref(all);
}

/* An arena in which the list finds too little undefended leaves the group; .55 is a tenth of the way to 1. */
static void what_is_not_adequate_is_said(void **state) {
    const bench *b = *state;
    static const point weak[] = {{"none", "none", "list:x", "", "ok", ALL(0.55)},
                                 {"half", "matched", "list:x", "", "ok", ALL(0.5)}};
    write_both(b);
    write_run(b, &(made){ARENA("third", "weak", weak)});
    json_t *all = BOARD("K=first", "K=second", "K=third");
    expect(all, "", "half", 0.5, "");
    expect_page(
        b, "2 arenas, attacks of list (draft list 0123456789ab). weak has no part in the shares: no "
           "attack of the list recovers enough without a defense (attribute accuracy, relabelled 55.0 %; "
           "enough is attribute accuracy, relabelled surely beyond the floor, by 20 % of the way to the "
           "best).");
    json_decref(all);
}

/* A guest's own arena would cost all others their mean. */
static void arenas_of_guests_are_left_out(void **state) {
    const bench *b = *state;
    static const point own[] = {{"none", "none", "list:x", "", "ok", ALL(0.9)},
                                {"mine", "matched", "list:x", "", "ok", ALL(0.5)}};
    write_both(b);
    write_run(b, &(made){ARENA("eve", "own", own)});
    json_t *all = BOARD("K=first", "K=second", "Eve=eve");
    expect(all, "", "half", 0.5, "");
    expect_page(b, "Not an arena of this board's first contributor, so left out: own of Eve.");
    json_decref(all);
}

/* The paired test of `other` and `over` has t² = 1.65 with 9 degrees of freedom, p = .2306, which Holm's
 * method does not change for one pair; among all rows it does. */
static void some_defenses_alone(void **state) {
    const bench *b = *state;
    double p[2] = {NAN, NAN};
    write_both(b);
    for (int few = 0; few < 2; few++) {
        board_defenses = few ? "other,over" : NULL;
        json_t *all = BOARD("K=first", "K=second");
        const json_t *pairs = json_object_get(all, "pairs"), *places = json_object_get(all, "places");
        for (size_t i = 0; i < json_array_size(pairs); i++)
            if (!strcmp(word(json_array_get(pairs, i), "defense"), "other") &&
                !strcmp(word(json_array_get(pairs, i), "other"), "over"))
                p[few] = number(json_array_get(pairs, i), "p");
        for (size_t i = 0; few && i < json_array_size(places); i++)
            assert_non_null(strstr("none other over", word(json_array_get(places, i), "defense")));
        if (few) {
            assert_int_equal(json_array_size(pairs), 1);
            expect_page(b, "Only other and over are compared.");
        }
        json_decref(all);
    }
    board_defenses = NULL;
    assert_true(fabs(p[1] - 0.2306) < 1e-4 && p[0] > p[1]);
}

/* Attacks that a suite chose itself, probes and tasks without a target make no arena. */
static void other_tasks_are_no_arenas(void **state) {
    const bench *b = *state;
    static const point own[] = {{"none", "none", "x", "", "ok", ALL(0.9)},
                                {"half", "matched", "x", "", "ok", ALL(0.7)}};
    write_run(b, &(made){ARENA("r", "t", own)});
    json_t *all = BOARD("r");
    assert_int_equal(json_array_size(json_object_get(all, "pairs")), 0);
    json_decref(all);
    write_run(b, &(made){MADE("r", two), .task = "t", .measure = "attribute_relabelled", .floor = 0.5,
                         .target = 0.8, .verdict = "matched"});
    all = BOARD("r");
    assert_int_equal(json_array_size(json_object_get(all, "pairs")), 0);
    json_decref(all);
}

/* A hook can distinguish a probed update from one that is sent; it never sees samples whose representations
 * are observed. */
static void representations_are_arenas_and_probed_updates_not(void **state) {
    const bench *b = *state;
    static const char *const facts[] = {
        ROUND, "\"observe_from\": \"probe\", \"stages_drawn\": false, \"surface\": \"update\"",
        "\"observe_from\": \"probe\", \"stages_drawn\": false, \"surface\": \"representation\""};
    static const int shares[] = {1, 0, 1};
    static const char *const head[] = {NULL, "Probe: the defense was run a second time",
                                       "no hook of the defense got them"};
    for (size_t i = 0; i < 3; i++) {
        made run = {ARENA("r", "t", two)};
        run.facts = facts[i];
        write_run(b, &run);
        json_t *all = BOARD("r");
        assert_int_equal(json_array_size(json_object_get(all, "pairs")) > 0, shares[i]);
        if (head[i])
            expect_page(b, head[i]);
        json_decref(all);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {IN_FOLDER(an_arena_ranks_by_what_its_shares_are_of),
                                       IN_FOLDER(shares_in_each_task),
                                       IN_FOLDER(a_row_over_the_arenas),
                                       IN_FOLDER(pairs_of_defenses),
                                       IN_FOLDER(what_is_not_adequate_is_said),
                                       IN_FOLDER(arenas_of_guests_are_left_out),
                                       IN_FOLDER(some_defenses_alone),
                                       IN_FOLDER(other_tasks_are_no_arenas),
                                       IN_FOLDER(representations_are_arenas_and_probed_updates_not)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
