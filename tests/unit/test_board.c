/* The leaderboard, on made-up run folders: ranks and ties from intervals by hand; the worst case over attacks
 * of every contributor; what a later run replaces; threat models; what may not be compared; board.json;
 * hostile text in every field of results.json and board.json; the same bytes twice. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>
#include <jansson.h>

#include "board/about_impl.h"
#include "expected.h"
#include "board/board.h"
#include "board_runs.h"
#include "report_folder.h"
#include "seal/seal.h"
#include "synthetic_run.h"
#include "check/check.h"

/* ---- ranks ---- */

/* Intervals of means over training runs: a [8, 12] and b [11, 15] are tied; c [13, 17] is tied with b, and is
 * surely worse than a; d [30, 31] than all three. e scatters so much that nobody surely leaks less, but its
 * mean is worse than c's: it wins nothing by that. */
static const point five[] = {
    {"e", "matched", "x", "", "ok", 18, 0, 40},  {"c", "matched", "x", "", "ok", 15, 13, 17},
    {"a", "matched", "x", "", "ok", 10, 8, 12},  {"d", "matched", "x", "", "ok", 30.5, 30, 31},
    {"b", "matched", "x", "", "ok", 13, 11, 15}, {"u", "unmatched", "x", "", "ok", 1, 0, 2},
    {"none", "none", "x", "", "ok", 50, 49, 51}};

static void overlapping_intervals_tie(void **state) {
    const bench *b = *state;
    static const struct {
        const char *defense;
        int rank, tied;
    } expected[] = {{"a", 1, 1}, {"b", 1, 1}, {"c", 2, 1},   {"e", 2, 1},
                    {"d", 4, 1}, {"u", 0, 0}, {"none", 0, 0}};
    RUN("r", five);
    json_t *all = BOARD("r");
    const json_t *places = json_object_get(all, "places");
    assert_int_equal(json_array_size(places), 7);
    for (size_t i = 0; i < sizeof expected / sizeof *expected; i++) {
        const json_t *row = json_array_get(places, i);
        assert_string_equal(word(row, "defense"), expected[i].defense);
        assert_int_equal(rank_of(row), expected[i].rank);
        assert_string_equal(word(row, "tied"), expected[i].tied ? "tied" : "");
    }
    assert_string_equal(word(place(all, 1, NULL, "u"), "standing"), "unmatched");
    json_decref(all);
}

/* The same numbers as an error, of which a lower one leaks more: everything turns round, but that e scatters
 * so much that it does not surely leak less than no defense, whose error is 0. */
static void where_less_leaks_more_the_order_turns(void **state) {
    const bench *b = *state;
    point errors[sizeof five / sizeof *five];
    memcpy(errors, five, sizeof five);
    point *none = &errors[sizeof five / sizeof *five - 1];
    none->mean = none->low = none->high = 0;
    write_run(b, &(made){MADE("r", errors), .measure = "mse"});
    json_t *all = BOARD("r");
    assert_int_equal(rank_of(place(all, 1, NULL, "d")), 1);
    assert_int_equal(rank_of(place(all, 1, NULL, "e")), 5);
    assert_string_equal(word(place(all, 1, NULL, "e"), "why_last"),
                        "does not surely leak less than no defense, and shares its place, the last");
    assert_int_equal(rank_of(place(all, 1, NULL, "c")), 2);
    assert_int_equal(rank_of(place(all, 1, NULL, "b")), 2);
    assert_int_equal(rank_of(place(all, 1, NULL, "a")), 3);
    json_decref(all);
}

static void keep_seeds(const bench *b, const char *run, int most) {
    char path[256], name[64];
    snprintf(name, sizeof name, "%s/results.json", run);
    char *text = read_text(b->folder, name, NULL);
    json_t *results = json_loads(text, 0, NULL), *cells = json_object_get(results, "cells");
    for (size_t i = json_array_size(cells); i-- > 0;)
        if (json_integer_value(json_object_get(json_array_get(cells, i), "seed")) > most)
            json_array_remove(cells, i);
    snprintf(path, sizeof path, "%s/%s", b->folder, name);
    assert_int_equal(json_dump_file(results, path, 0), 0);
    json_decref(results);
    gnt_free(text);
}

/* Four training runs say nothing about a fifth. */
static void few_trainings_rank_nobody(void **state) {
    const bench *b = *state;
    static const point two[] = {{"a", "matched", "x", "", "ok", 10, 9, 11},
                                {"b", "matched", "x", "", "ok", 20, 19, 21}};
    RUN("r", two);
    keep_seeds(b, "r", 4);
    json_t *all = BOARD("r");
    assert_int_equal(rank_of(place(all, 1, NULL, "a")), 0);
    assert_string_equal(word(place(all, 1, NULL, "a"), "why_not_ranked"),
                        "matched, 4 training runs; a rank takes 5");
    json_decref(all);
}

/* A run whose file has no cell of it on influence, though its hooks aggregate; and a defense that has no such
 * hook. */
static void an_attack_on_influence_cannot_be_left_out(void **state) {
    const bench *b = *state;
    static const point all[] = {{"server", "matched", "x", "", "ok", 10, 9, 11},
                                {"server", "matched", "x on influence", "", "ok", 45, 44, 46},
                                {"server-2", "matched", "x", "", "ok", 20, 19, 21},
                                {"server-2", "matched", "x on influence", "", "ok", 21, 20, 22},
                                {"c", "matched", "x", "", "ok", 30, 29, 31}},
                       without[] = {{"server", "matched", "x", "", "ok", 10, 9, 11},
                                    {"server-2", "matched", "x", "", "ok", 20, 19, 21},
                                    {"server-2", "matched", "x on influence", "", "ok", 21, 20, 22},
                                    {"c", "matched", "x", "", "ok", 30, 29, 31}};
    RUN("r", all);
    json_t *ranked = BOARD("r");
    assert_int_equal(rank_of(place(ranked, 1, NULL, "server-2")), 1);
    assert_int_equal(rank_of(place(ranked, 1, NULL, "c")), 2);
    assert_int_equal(rank_of(place(ranked, 1, NULL, "server")), 3);
    json_decref(ranked);
    RUN("eve", without);
    ranked = BOARD("eve");
    assert_int_equal(rank_of(place(ranked, 1, NULL, "server-2")), 1);
    assert_int_equal(rank_of(place(ranked, 1, NULL, "c")), 2);
    assert_int_equal(rank_of(place(ranked, 1, NULL, "server")), 0);
    assert_string_equal(word(place(ranked, 1, NULL, "server"), "why_not_ranked"),
                        "matched, no number from x on influence");
    json_decref(ranked);
}

/* ---- several contributors ---- */

/* Another's short run of a defense must not cost it the rank, even if it leaks more there. */
static void a_short_run_pushes_nobody_out(void **state) {
    const bench *b = *state;
    static const point good[] = {{"a", "matched", "x", "", "ok", 10, 9, 11}},
                       bad[] = {{"a", "matched", "x", "", "ok", 30, 29, 31}};
    RUN("bob", good);
    RUN("eve", bad);
    keep_seeds(b, "eve", 2);
    json_t *all = BOARD("Bob=bob", "Eve=eve");
    assert_int_equal(rank_of(place(all, 1, NULL, "a")), 1);
    json_decref(all);
    all = BOARD("Eve=eve", "Bob=bob");
    assert_int_equal(rank_of(place(all, 1, NULL, "a")), 1);
    json_decref(all);
}

/* A contributor's own limits must not make weak attacks adequate. */
static void the_first_run_says_what_is_adequate(void **state) {
    const bench *b = *state;
    static const point weak[] = {{"none", "none", "x", "", "ok", 15, 14, 16},
                                 {"a", "matched", "x", "", "ok", 10, 9, 11}},
                       own[] = {{"none", "none", "x", "", "ok", 15, 14, 16},
                                {"hers", "matched", "x", "", "ok", 9, 8, 10}};
    write_run(b, &(made){MADE("keeper", weak), .floor = 13});
    write_run(b, &(made){MADE("eve", own), .floor = 13, .facts = "\"adequate\": {\"above_floor\": 0}"});
    json_t *all = BOARD("keeper", "eve");
    assert_int_equal(rank_of(place(all, 1, NULL, "hers")), 0);
    assert_string_equal(word(place(all, 1, NULL, "hers"), "why_not_ranked"),
                        "matched, no verdict: no attack here succeeds without a defense");
    json_decref(all);
    all = BOARD("eve", "keeper");
    assert_int_equal(rank_of(place(all, 1, NULL, "hers")), 1);
    json_decref(all);
}

static const point ann[] = {{"none", "none", "x", "", "ok", 50, 49, 51},
                            {"a", "matched", "x", "", "ok", 10, 9, 11}};
/* The same defense "a" under one more attack, and a defense of his own. */
static const point bob[] = {{"a", "matched", "x", "", "ok", 10, 9, 11},
                            {"a", "matched", "y", "labels", "ok", 25, 24, 26},
                            {"own", "matched", "x", "", "ok", 12, 11.5, 12.5},
                            {"own", "matched", "y", "labels", "ok", 14, 13, 15}};

static void anybodys_attack_judges(void **state) {
    const bench *b = *state;
    RUN("ann", ann);
    RUN("bob", bob);
    json_t *all = BOARD("Ann=ann", "Bob=bob");
    const json_t *a = place(all, 1, NULL, "a"), *own = place(all, 1, NULL, "own");
    assert_float_equal(measured(a), 25, 1e-6);
    assert_string_equal(word(a, "best_known_attack"), "y");
    assert_string_equal(word(a, "attack_run_by"), "Bob");
    assert_string_equal(word(a, "contributors"), "Ann, Bob");
    assert_string_equal(word(a, "footnotes"), "randomised");
    assert_int_equal(rank_of(own), 1);
    assert_int_equal(rank_of(a), 2);
    /* an attacker without labels runs x alone, and the order is another */
    assert_int_equal(rank_of(place(all, 1, "defense", "a")), 1);
    assert_int_equal(rank_of(place(all, 1, "defense", "own")), 2);
    assert_string_equal(word(a, "attacker_knows"), "labels, defense");
    json_decref(all);
}

/* A defense that was not attacked by everything has no rank, a crash is no privacy, and what cannot apply
 * does not count. */
static void a_missing_number_costs_the_rank(void **state) {
    const bench *b = *state;
    static const point some[] = {
        {"whole", "matched", "x", "", "ok", 20, 19, 21},   {"whole", "matched", "y", "", "ok", 20, 19, 21},
        {"absent", "matched", "x", "", "ok", 5, 4, 6},     {"crash", "matched", "x", "", "ok", 5, 4, 6},
        {"crash", "matched", "y", "", "crashed", 0, 0, 0}, {"unfit", "matched", "x", "", "ok", 5, 4, 6},
        {"unfit", "matched", "y", "", "n/a", 0, 0, 0}};
    RUN("r", some);
    json_t *all = BOARD("r");
    assert_int_equal(rank_of(place(all, 1, NULL, "unfit")), 1);
    assert_int_equal(rank_of(place(all, 1, NULL, "whole")), 2);
    assert_int_equal(rank_of(place(all, 1, NULL, "absent")), 0);
    assert_int_equal(rank_of(place(all, 1, NULL, "crash")), 0);
    char *page = read_text(b->folder, "out/leaderboard.md", NULL);
    assert_non_null(strstr(page, "| matched, no number from y (it broke) | crash ^a |"));
    assert_non_null(strstr(page, "| x (untested, does not apply: y) |"));
    gnt_free(page);
    json_decref(all);
}

/* "unfit" has a number from x and is said not to fit y. */
static void what_no_plan_shows_was_not_shown(void **state) {
    const bench *b = *state;
    static const point some[] = {{"whole", "matched", "x", "", "ok", 20, 19, 21},
                                 {"whole", "matched", "y", "", "ok", 20, 19, 21},
                                 {"unfit", "matched", "x", "", "ok", 5, 4, 6},
                                 {"unfit", "matched", "y", "", "n/a", 0, 0, 0}};
    static const char *const names[] = {"r"};
    enum { CELLS = 5 * BOARD_SEEDS };
    uint8_t shown[CELLS] = {0};
    const gnt_checked checked = {.planned = 1, .of_suite = 1, .n_cells = CELLS, .na_shown = shown};
    RUN("r", some);
    json_t *all = board_with(b, "out", names, 1, &checked);
    assert_int_equal(rank_of(place(all, 1, NULL, "unfit")), 0);
    assert_int_equal(rank_of(place(all, 1, NULL, "whole")), 1);
    json_decref(all);
    memset(shown + 3 * BOARD_SEEDS, 1, BOARD_SEEDS);
    all = board_with(b, "out", names, 1, &checked);
    assert_int_equal(rank_of(place(all, 1, NULL, "unfit")), 1);
    json_decref(all);
}

/* A digest that could not be computed may be copied from an easier task's. */
static void an_unproven_digest_meets_the_same_suite_alone(void **state) {
    const bench *b = *state;
    static const char *const names[] = {"one", "two"};
    const char *unproven[] = {"t"};
    uint8_t shown[8] = {0};
    gnt_checked checked = {
        .of_suite = 1, .n_cells = 8, .na_shown = shown, .unproven = unproven, .n_unproven = 1};
    made two = {MADE("two", five), .task_digest = "d"};
    write_run(b, &(made){MADE("one", five), .task_digest = "d"});
    two.suite_digest = "other";
    write_run(b, &two);
    json_t *all = board_of(b, "out", names, 2);
    assert_int_equal(
        json_number_value(json_object_get(json_array_get(json_object_get(all, "places"), 0), "section")), 1);
    assert_string_equal(word(place(all, 1, NULL, "a"), "contributors"), "one (unsigned), two (unsigned)");
    json_decref(all);
    all = board_with(b, "out", names, 2, &checked);
    assert_string_equal(word(place(all, 1, NULL, "a"), "contributors"), "one (unsigned)");
    assert_string_equal(word(place(all, 2, NULL, "a"), "contributors"), "two (unsigned)");
    json_decref(all);
    two.suite_digest = "S";
    write_run(b, &two);
    all = board_with(b, "out", names, 2, &checked);
    assert_string_equal(word(place(all, 1, NULL, "a"), "contributors"), "one (unsigned), two (unsigned)");
    json_decref(all);
    checked.of_suite = 0; /* nor is it known to be of this suite */
    all = board_with(b, "out", names, 2, &checked);
    assert_string_equal(word(place(all, 2, NULL, "a"), "contributors"), "two (unsigned)");
    json_decref(all);
}

static void a_signature_must_fit(void **state) {
    const bench *b = *state;
    char folder[256], key_file[300];
    gnt_seal_key key;
    size_t n;
    gnt_err err = {""};
    RUN("r", five);
    snprintf(folder, sizeof folder, "%s/r", b->folder);
    snprintf(key_file, sizeof key_file, "%s/key", b->folder);
    json_t *all = BOARD("r");
    assert_string_equal(word(json_array_get(json_object_get(all, "runs"), 0), "signature"), "unsigned");
    json_decref(all);
    assert_int_equal(gnt_seal_key_make(key_file, &key, &err), 0);
    assert_int_equal(gnt_seal_sign(folder, &key, &n, &err), 0);
    all = BOARD("r");
    assert_memory_equal(word(json_array_get(json_object_get(all, "runs"), 0), "signature"), "signed by ", 10);
    json_decref(all);
    write_about(b, "r", "{\"format\": 1}");
    gnt_board_source source = {.folder = folder};
    char to[300];
    snprintf(to, sizeof to, "%s/refused", b->folder);
    const gnt_board_options options = {.folder = to, .source = &source, .n_source = 1};
    assert_int_equal(gnt_board_make(&options, NULL, &err), GNT_BOARD_UNREADABLE);
    assert_non_null(strstr(err.text, "signature.json does not fit: \"board.json\" was added"));
}

/* ---- runs that follow each other ---- */

static const point better[] = {{"a", "matched", "x", "", "ok", 6, 5, 7}};

static void a_later_run_replaces_what_it_ran_again(void **state) {
    const bench *b = *state;
    RUN("one", bob);
    RUN("two", better);
    json_t *all = BOARD("Bob=one", "Bob=two");
    /* y was not run again: it still holds */
    assert_float_equal(measured(place(all, 1, NULL, "a")), 25, 1e-6);
    assert_float_equal(measured(place(all, 1, "defense", "a")), 6, 1e-6);
    json_decref(all);
    /* two people who ran the same: the worse number holds */
    all = BOARD("Bob=one", "Eve=two");
    assert_float_equal(measured(place(all, 1, "defense", "a")), 10, 1e-6);
    json_decref(all);
    /* another version is another defense: nothing of the old one holds */
    write_run(b, &(made){MADE("three", better), .version = "2"});
    all = BOARD("Bob=one", "Bob=three");
    assert_float_equal(measured(place(all, 1, NULL, "a")), 6, 1e-6);
    json_decref(all);
}

/* The run that is given first sets the field; what others bring counts where it was run, and where not that
 * is said. */
static void the_first_contributor_sets_the_attacks_to_withstand(void **state) {
    const bench *b = *state;
    static const point eve[] = {{"hers", "matched", "z", "", "ok", 5, 4, 6}};
    RUN("ann", ann);
    RUN("bob", bob);
    RUN("eve", eve);
    json_t *all = BOARD("Ann=ann", "Eve=eve");
    assert_int_equal(rank_of(place(all, 1, NULL, "a")), 1);
    assert_int_equal(rank_of(place(all, 1, NULL, "hers")), 0); /* not attacked by x */
    json_decref(all);
    char *page = read_text(b->folder, "out/leaderboard.md", NULL);
    assert_non_null(strstr(page, "| x (not yet tried: z) |"));
    assert_non_null(strstr(page, "| matched, no number from x | hers"));
    gnt_free(page);
    all = BOARD("Eve=eve", "Ann=ann");
    assert_int_equal(rank_of(place(all, 1, NULL, "a")), 0);
    assert_int_equal(rank_of(place(all, 1, NULL, "hers")), 1);
    json_decref(all);
    /* the last run of the first contributor counts: x and y */
    all = BOARD("Ann=ann", "Eve=eve", "Ann=bob");
    assert_int_equal(rank_of(place(all, 1, NULL, "own")), 1);
    assert_int_equal(rank_of(place(all, 1, NULL, "a")), 2);
    json_decref(all);
}

static void history_says_what_changed(void **state) {
    const bench *b = *state;
    static const char *const expected[] = {"first", "leaks less",
                                           "settings, version or file changed; the same"};
    static const point first[] = {{"a", "matched", "x", "", "ok", 10, 9, 11}};
    RUN("one", first);
    RUN("two", better);
    write_run(b, &(made){MADE("three", better), .version = "2"});
    json_t *all = BOARD("Bob=one", "Ann=one", "Bob=two", "Bob=three");
    const json_t *history = json_object_get(all, "history");
    size_t n = 0;
    for (size_t i = 0; i < json_array_size(history); i++)
        if (strcmp(word(json_array_get(history, i), "defense"), "a") == 0 && n++ < 3)
            assert_string_equal(word(json_array_get(history, i), "what changed"), expected[n - 1]);
    assert_int_equal(n, 3); /* Ann has one run, so no history */
    json_decref(all);
    all = BOARD("Bob=two", "Bob=one");
    assert_string_equal(word(json_array_get(json_object_get(all, "history"), 1), "what changed"),
                        "leaks more");
    json_decref(all);
}

/* ---- what may be compared ---- */

static size_t count_sections(const json_t *all) {
    const json_t *list = json_object_get(all, "places");
    double most = 0;
    for (size_t i = 0; i < json_array_size(list); i++)
        most = fmax(most, json_number_value(json_object_get(json_array_get(list, i), "section")));
    return (size_t)most;
}

static void only_equal_requests_are_compared(void **state) {
    const bench *b = *state;
    static const struct {
        const char *suite, *task;
        size_t sections;
    } other[] = {{"S", NULL, 1}, {"T", NULL, 2}, {"T", "D", 1}, {"S", "E", 2}};
    for (size_t i = 0; i < sizeof other / sizeof *other; i++) {
        made one = {MADE("one", ann), .task_digest = i < 2 ? NULL : "D"},
             two = {.name = "two",
                    .suite_digest = other[i].suite,
                    .task_digest = other[i].task,
                    .point = bob,
                    .n = 4};
        write_run(b, &one);
        write_run(b, &two);
        json_t *all = BOARD("one", "two");
        assert_int_equal(count_sections(all), other[i].sections);
        char *page = read_text(b->folder, "out/leaderboard.html", NULL);
        assert_int_equal(strstr(page, "Not compared with") != NULL, other[i].sections == 2);
        gnt_free(page);
        json_decref(all);
    }
}

/* A defense that names a model of its suite is another one where that name stands for another network. */
static void models_behind_the_same_name_are_distinguished(void **state) {
    const bench *b = *state;
    static const char *const data[] = {"digits", "digits", "faces"};
    static const point one[] = {{"a", "matched", "x", "", "ok", 10, 9, 11}};
    static const char *const names[] = {"r0", "r1", "r2"};
    for (int i = 0; i < 3; i++) {
        char name[8], path[256];
        snprintf(name, sizeof name, "r%d", i);
        snprintf(path, sizeof path, "%s/%s/results.json", b->folder, name);
        RUN(name, one);
        json_t *all = json_load_file(path, 0, NULL);
        json_t *member = json_array_get(
            json_object_get(json_array_get(json_object_get(all, "defenses"), 0), "members"), 0);
        json_object_set_new(json_object_get(member, "params"), "net", json_string("m"));
        /* its result is no setting */
        json_object_set_new(all, "models",
                            json_pack("[{s:s, s:s, s:f}]", "id", "m", "data", data[i], "accuracy", 0.5 + i));
        assert_int_equal(json_dump_file(all, path, 0), 0);
        json_decref(all);
    }
    json_t *all = board_of(b, "out", names, 3);
    const json_t *places = json_object_get(all, "places");
    assert_int_equal(json_array_size(places), 3); /* what is undefended is one */
    assert_string_equal(word(json_array_get(places, 0), "contributors"), "r0 (unsigned), r1 (unsigned)");
    json_decref(all);
}

/* ---- board.json ---- */

static void claims_are_listed_next_to_measurements(void **state) {
    const bench *b = *state;
    RUN("ann", ann);
    write_about(
        b, "ann",
        "{\"format\": 1, \"contributor\": \"Ann A.\", \"date\": \"2025-03-31\", \"note\": \"A note\","
        " \"links\": [{\"title\": \"paper\", \"url\": \"https://example.org/p?a=1&b=2\"}],"
        " \"claims\": [{\"defense\": \"a\", \"measure\": \"psnr\", \"value\": 4.5, \"source\": \"Table 2\"},"
        "  {\"defense\": \"a\", \"measure\": \"psnr\", \"stage\": 4, \"value\": 1},"
        "  {\"defense\": \"a\", \"measure\": \"psnr\", \"task\": \"other\", \"value\": 2}]}");
    json_t *all = BOARD("ann");
    const json_t *a = place(all, 1, NULL, "a");
    assert_float_equal(json_number_value(json_object_get(a, "claimed")), 4.5, 1e-6);
    assert_string_equal(word(a, "claim_source"), "Table 2");
    assert_float_equal(measured(a), 10, 1e-6);
    assert_true(json_is_null(json_object_get(place(all, 1, NULL, "none"), "claimed")));
    assert_string_equal(word(a, "contributors"), "Ann A. (unsigned)");
    json_decref(all);
    all = BOARD("Eve=ann"); /* the command line goes before the file */
    assert_string_equal(word(place(all, 1, NULL, "a"), "contributors"), "Eve");
    json_decref(all);
    char *page = read_text(b->folder, "out/leaderboard.html", NULL);
    assert_non_null(strstr(page, "href=\"https://example.org/p?a=1&amp;b=2\""));
    assert_int_equal(count_text(page, ">leaks more<"), 1); /* 4.5 was claimed, [9, 11] measured */
    char *text = read_text(b->folder, "out/leaderboard.md", NULL);
    assert_int_equal(count_text(text, "| 4.5 dB (Table 2; leaks more) |"), 1);
    assert_true(count_text(text, "| claimed |") > 0 && count_text(page, "<th scope=\"col\">claimed<") > 0);
    gnt_free(text);
    gnt_free(page);
}

static void a_wrong_board_file_is_recognised(void **state) {
    const bench *b = *state;
    static const struct {
        const char *text, *says;
    } bad[] = {
        {"{", "board.json:1"},
        {"[]", "object"},
        {"{}", "format"},
        {"{\"format\": 2}", "format"},
        {"{\"format\": 1, \"contributer\": \"A\"}", "contributor"},
        {"{\"format\": 1, \"contributor\": \"\"}", "contributor"},
        {"{\"format\": 1, \"contributor\": \"A\u00adnn\"}",
         "contributor: holds the invisible character U+00AD"},
        {"{\"format\": 1, \"date\": \"31.3.2025\"}", "expected a day"},
        {"{\"format\": 1, \"date\": \"2025-13-01\"}", "expected a day"},
        {"{\"format\": 1, \"links\": [{\"title\": \"x\", \"url\": \"javascript:alert(1)\"}]}",
         "links[0].url"},
        {"{\"format\": 1, \"links\": [{\"title\": \"x\", \"url\": \"https://a\\\" onclick=x\"}]}",
         "links[0].url"},
        {"{\"format\": 1, \"links\": [{\"title\": \"x\", \"url\": \"https://\"}]}", "links[0].url"},
        {"{\"format\": 1, \"claims\": [{\"defense\": \"a\", \"measure\": \"psnr\"}]}", "value"},
        {"{\"format\": 1, \"claims\": [{\"defense\": \"a\", \"measure\": \"beauty\", \"value\": 1}]}",
         "beauty"},
        {"{\"format\": 1, \"claims\": [{\"defense\": \"a\", \"measure\": \"psnr\", \"value\": \"1\"}]}",
         "value"}};
    RUN("ann", ann);
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        char folder[256], out[256];
        gnt_err err = {""};
        write_about(b, "ann", bad[i].text);
        snprintf(folder, sizeof folder, "%s/ann", b->folder);
        snprintf(out, sizeof out, "%s/out", b->folder);
        gnt_board_source source = {.folder = folder};
        gnt_board_options options = {.folder = out, .source = &source, .n_source = 1};
        assert_int_equal(gnt_board_make(&options, NULL, &err), GNT_BOARD_UNREADABLE);
        if (!strstr(err.text, bad[i].says) || !strstr(err.text, "board.json"))
            fail_msg("%s: \"%s\"", bad[i].text, err.text);
        assert_false(gnt_file_exists(out)); /* nothing half made */
    }
}

/* ---- hostile text ---- */

static const char hostile[] = "</td><script>document.title='pwned'</script><img src=x "
                              "onerror=\"alert(1)\">{{runs}}' \" | = ";

static int is_kept(const char *key) {
    static const char *const words[] = {"status", "mode",   "surface",  "goals",       "grants",
                                        "flags",  "images", "interval", "observe_from"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (!strcmp(key, words[i]))
            return 1;
    return 0;
}

/* Appends hostile text to every text below `value`, but where only certain words are allowed. */
static void spoil(json_t *value) {
    const char *key;
    json_t *child;
    size_t i;
    if (json_is_string(value)) {
        char *text = gnt_format("%s%s", json_string_value(value), hostile);
        assert_int_equal(json_string_set(value, text), 0);
        gnt_free(text);
    }
    json_object_foreach(value, key, child) if (!is_kept(key)) spoil(child);
    json_array_foreach(value, i, child) spoil(child);
}

static void spoil_file(const char *folder, const char *name) {
    char path[512], *text = read_text(folder, name, NULL);
    json_t *all = json_loads(text, 0, NULL);
    spoil(all);
    char *title = gnt_format("%s\xe2\x80\xae", json_string_value(json_object_get(all, "title")));
    json_object_set_new(all, "title", json_string(title));
    gnt_free(title);
    snprintf(path, sizeof path, "%s/%s", folder, name);
    assert_int_equal(json_dump_file(all, path, 0), 0);
    json_decref(all);
    gnt_free(text);
}

static void hostile_text_stays_text(void **state) {
    const bench *b = *state;
    char folder[256];
    snprintf(folder, sizeof folder, "%s/one", b->folder);
    assert_int_equal(gnt_make_dirs(folder, NULL), 0);
    synthetic s = {.folder = folder, .spoil = "", .tasks = 3, .stages = 2, .images = 1};
    assert_int_equal(synthetic_write(&s), 0);
    spoil_file(folder, "results.json");
    RUN("two", bob);
    char path[256];
    snprintf(path, sizeof path, "%s/two", b->folder);
    spoil_file(path, "results.json");
    /* claims name the label as it is, spoilt */
    json_t *about =
        json_pack("{s:i, s:s+, s:s+, s:[{s:s+, s:s}], s:[{s:s+, s:s, s:f, s:s+}]}", "format", 1,
                  "contributor", "Bob", "<script>b</script>", "note", "N", hostile, "links", "title", "L",
                  "<script>l</script>", "url", "https://example.org/", "claims", "defense", "a", hostile,
                  "measure", "psnr", "value", 3.0, "source", "S", hostile);
    if (!about)
        fail_msg("the made-up board.json is wrong");
    char *text = json_dumps(about, 0);
    write_about(b, "two", text);
    free(text);
    json_decref(about);
    json_t *all = BOARD("<script>e</script>=one", "two", "two");
    json_decref(all);
    char *page = read_text(b->folder, "out/leaderboard.html", NULL);
    assert_int_equal(count_text(page, "<script"), 1);  /* the page's own */
    assert_int_equal(count_text(page, "<img"), 0);     /* no plots were requested */
    assert_int_equal(count_text(page, "<li>"), 3 + 4); /* {{runs}} in a name is no placeholder */
    assert_int_equal(count_text(page, "<li id=\"note-"), 5);
    assert_true(count_text(page, "&lt;script&gt;") > 50);
    assert_null(strstr(page, "\xe2\x80\xae"));
    gnt_free(page);
    page = read_text(b->folder, "out/leaderboard.md", NULL);
    assert_null(strstr(page, "<script"));
    gnt_free(page);
}

/* ---- files ---- */

static void the_same_runs_give_the_same_bytes(void **state) {
    const bench *b = *state;
    static const char *const files[] = {"leaderboard.html", "leaderboard.md", "leaderboard.csv",
                                        "leaderboard.json"};
    static const char *const names[] = {"ann", "bob"};
    RUN("ann", ann);
    RUN("bob", bob);
    json_decref(board_of(b, "one", names, 2));
    json_decref(board_of(b, "two", names, 2));
    for (size_t i = 0; i < 4; i++) {
        char one[64], two[64];
        size_t n, m;
        snprintf(one, sizeof one, "one/%s", files[i]);
        snprintf(two, sizeof two, "two/%s", files[i]);
        char *a = read_text(b->folder, one, &n), *c = read_text(b->folder, two, &m);
        assert_int_equal(n, m);
        assert_memory_equal(a, c, n);
        assert_null(strstr(a, b->folder)); /* no path of the keeper's machine */
        gnt_free(a);
        gnt_free(c);
    }
}

static void a_run_without_numbers_gives_a_page(void **state) {
    const bench *b = *state;
    static const point broken[] = {{"a", "matched", "x", "", "crashed", 0, 0, 0}};
    RUN("r", broken);
    json_t *all = BOARD("r");
    assert_int_equal(json_array_size(json_object_get(all, "places")), 0);
    char *page = read_text(b->folder, "out/leaderboard.html", NULL);
    assert_non_null(strstr(page, "No cell gave a number."));
    gnt_free(page);
    json_decref(all);
}

static expected_format watched;
static int write_schema;

static void the_schema_of_a_submission(void **state) {
    (void)state;
    assert_int_equal(
        expected_end(&watched, "submission", "board.json of a submission, docs/leaderboard.md", write_schema),
        0);
}

int main(int argc, char **argv) {
    write_schema = argc > 1 && strcmp(argv[1], "--schema") == 0;
    expected_begin(&watched, "board.json");
    const struct CMUnitTest tests[] = {
        IN_FOLDER(overlapping_intervals_tie),
        IN_FOLDER(where_less_leaks_more_the_order_turns),
        IN_FOLDER(few_trainings_rank_nobody),
        IN_FOLDER(an_attack_on_influence_cannot_be_left_out),
        IN_FOLDER(a_short_run_pushes_nobody_out),
        IN_FOLDER(the_first_run_says_what_is_adequate),
        IN_FOLDER(anybodys_attack_judges),
        IN_FOLDER(a_missing_number_costs_the_rank),
        IN_FOLDER(what_no_plan_shows_was_not_shown),
        IN_FOLDER(an_unproven_digest_meets_the_same_suite_alone),
        IN_FOLDER(a_signature_must_fit),
        IN_FOLDER(a_later_run_replaces_what_it_ran_again),
        IN_FOLDER(the_first_contributor_sets_the_attacks_to_withstand),
        IN_FOLDER(history_says_what_changed),
        IN_FOLDER(only_equal_requests_are_compared),
        IN_FOLDER(models_behind_the_same_name_are_distinguished),
        IN_FOLDER(claims_are_listed_next_to_measurements),
        IN_FOLDER(a_wrong_board_file_is_recognised),
        IN_FOLDER(hostile_text_stays_text),
        IN_FOLDER(the_same_runs_give_the_same_bytes),
        IN_FOLDER(a_run_without_numbers_gives_a_page),
        cmocka_unit_test(the_schema_of_a_submission),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
