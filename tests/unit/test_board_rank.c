/* What a rank on the leaderboard rests on: the floor below which all are level, the worst of the drawn rounds, what the host
 * found wrong, the utility of public data alone; and what never meets in one section. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>
#include <jansson.h>

#include "board_runs.h"

static void expect_page(const bench *b, const char *what) {
    char *page = read_text(b->folder, "out/leaderboard.md", NULL);
    if (!strstr(page, what))
        fail_msg("leaderboard.md lacks \"%s\":\n%.3000s", what, page);
    gnt_free(page);
    page = read_text(b->folder, "out/leaderboard.html", NULL);
    gnt_free(page);
}

static double number_in(const json_t *row, const char *key) {
    return json_number_value(json_object_get(row, key));
}

/* ---- floors ---- */

/* The floor is 13: `crafted` and `low` lie below it, whatever their numbers; `edge` does not surely leak more; `open` does. */
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
    expect_page(b, "no more than a guess");
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

/* Who states a floor of 60 in a run of their own must not make everybody level. */
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

int main(void) {
    const struct CMUnitTest tests[] = {
        IN_FOLDER(below_the_floor_all_are_level),
        IN_FOLDER(a_floor_of_an_error_is_above),
        IN_FOLDER(the_first_run_says_what_the_floor_is),
        IN_FOLDER(history_below_the_floor_is_the_same),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
