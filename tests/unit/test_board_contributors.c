/* The leaderboard and who made its runs: contributors are keys, names that look alike are shown apart,
 * plugin files have rows of their own, and a file of the keeper's lists the mandatory attacks. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>
#include <jansson.h>

#include "board/board.h"
#include "board_runs.h"
#include "report_folder.h"
#include "seal/seal.h"
#include "synthetic_run.h"

static const point ann[] = {{"none", "none", "x", "", "ok", 50, 49, 51},
                            {"a", "matched", "x", "", "ok", 10, 9, 11}};
static const point bob[] = {{"a", "matched", "x", "", "ok", 10, 9, 11},
                            {"a", "matched", "y", "labels", "ok", 25, 24, 26},
                            {"own", "matched", "x", "", "ok", 12, 11.5, 12.5},
                            {"own", "matched", "y", "labels", "ok", 14, 13, 15}};
static const point better[] = {{"a", "matched", "x", "", "ok", 6, 5, 7}};

static void make_key(const bench *b, const char *name, gnt_seal_key *key) {
    char path[300];
    gnt_err err = {""};
    snprintf(path, sizeof path, "%s/%s", b->folder, name);
    if (gnt_seal_key_make(path, key, &err) != 0)
        fail_msg("%s", err.text);
}

/* Writes a run of a contributor by name; key: NULL, or what signs it. */
static void sign_run(const bench *b, const made *run, const char *name, const gnt_seal_key *key) {
    char folder[300], about[200];
    gnt_err err = {""};
    size_t n;
    snprintf(folder, sizeof folder, "%s/%s", b->folder, run->name);
    snprintf(about, sizeof about, "{\"format\": 1, \"contributor\": \"%s\"}", name);
    write_run(b, run);
    write_about(b, run->name, about);
    char *seal = gnt_format("%s/signature.json", folder);
    remove(seal);
    gnt_free(seal);
    if (key && gnt_seal_sign(folder, key, &n, &err) != 0)
        fail_msg("%s", err.text);
}

/* The name in a board.json is anybody's: only the same key replaces a row, or decides what is mandatory. */
static void a_contributor_is_a_key(void **state) {
    const bench *b = *state;
    static const point eve[] = {{"hers", "matched", "z", "", "ok", 5, 4, 6}};
    gnt_seal_key keeper, other;
    make_key(b, "keeper", &keeper);
    make_key(b, "other", &other);
    sign_run(b, &(made){MADE("one", ann)}, "keeper", &keeper);
    sign_run(b, &(made){MADE("two", better)}, "keeper", NULL);
    json_t *all = BOARD("one", "two");
    assert_float_equal(measured(place(all, 1, NULL, "a")), 10, 1e-6);
    assert_string_equal(word(json_array_get(json_object_get(all, "runs"), 1), "contributor"),
                        "keeper (unsigned, run 2)");
    json_decref(all);
    sign_run(b, &(made){MADE("two", better)}, "keeper", &other);
    all = BOARD("one", "two");
    assert_float_equal(measured(place(all, 1, NULL, "a")), 10, 1e-6);
    assert_int_equal(json_array_size(json_object_get(all, "history")), 0);
    json_decref(all);
    sign_run(b, &(made){MADE("two", better)}, "somebody", &keeper);
    all = BOARD("one", "two");
    assert_float_equal(measured(place(all, 1, NULL, "a")), 6, 1e-6);
    json_decref(all);
    sign_run(b, &(made){MADE("two", eve)}, "keeper", NULL);
    all = BOARD("one", "two");
    assert_int_equal(rank_of(place(all, 1, NULL, "a")), 1);
    assert_int_equal(rank_of(place(all, 1, NULL, "hers")), 0);
    json_decref(all);
    gnt_seal_key_wipe(&keeper);
    gnt_seal_key_wipe(&other);
}

static void expect_names(const bench *b, const char *first, const char *second) {
    json_t *all = BOARD("one", "two");
    const json_t *runs = json_object_get(all, "runs");
    assert_memory_equal(word(json_array_get(runs, 0), "contributor"), first, strlen(first));
    assert_memory_equal(word(json_array_get(runs, 1), "contributor"), second, strlen(second));
    json_decref(all);
}

static void names_that_look_alike_are_shown_apart(void **state) {
    const bench *b = *state;
    gnt_seal_key one, two;
    make_key(b, "k1", &one);
    make_key(b, "k2", &two);
    sign_run(b, &(made){MADE("one", ann)}, "Ann", &one);
    sign_run(b, &(made){MADE("two", bob)}, "Bob", &two);
    expect_names(b, "Ann", "Bob");
    sign_run(b, &(made){MADE("two", bob)}, "Аnn", &two); /* Cyrillic А */
    expect_names(b, "Ann (key ", "Аnn (key ");
    sign_run(b, &(made){MADE("two", bob)}, "Ann", &one);
    json_t *all = BOARD("one", "two");
    assert_string_equal(word(json_array_get(json_object_get(all, "runs"), 1), "contributor"), "Ann");
    json_decref(all);
    sign_run(b, &(made){MADE("two", bob)}, "Bob (key 00)", &two);
    expect_names(b, "Ann", "Bob (key 00) (key ");
    sign_run(b, &(made){MADE("two", bob)}, "ANN", NULL);
    expect_names(b, "Ann (key ", "ANN (unsigned, run 2)");
    all = BOARD("Ann=one", "two"); /* by the word of who makes the board */
    assert_string_equal(word(json_array_get(json_object_get(all, "runs"), 0), "contributor"), "Ann");
    json_decref(all);
    gnt_seal_key_wipe(&one);
    gnt_seal_key_wipe(&two);
}

static void write_host(const bench *b, const char *run, const char *digest) {
    char path[300];
    snprintf(path, sizeof path, "%s/%s/host.json", b->folder, run);
    json_t *host = json_pack("{s:{s:[{s:s, s:s, s:s}]}}", "provenance", "plugins", "id", "a", "version", "1",
                             "digest", digest);
    assert_int_equal(json_dump_file(host, path, 0), 0);
    json_decref(host);
}

#define DIGEST(c) c c c c c c c c c c c c c c c c

/* Another file with a plugin's id and version is another row, whose numbers and marks are its own. */
static void another_file_is_another_row(void **state) {
    const bench *b = *state;
    static const point worse[] = {{"a", "matched", "x", "", "ok", 30, 29, 31}};
    static const extra marked[] = {{.mark = "it cheats"}};
    write_run(b, &(made){MADE("one", ann), .version = "1"});
    write_run(b, &(made){MADE("two", worse), .version = "1", .extra = marked});
    write_host(b, "one", DIGEST("aaaa"));
    write_host(b, "two", DIGEST("bbbb"));
    json_t *all = BOARD("one", "two");
    const json_t *places = json_object_get(all, "places");
    size_t n = 0;
    for (size_t i = 0; i < json_array_size(places); i++) {
        const json_t *row = json_array_get(places, i);
        if (strcmp(word(row, "defense"), "a") != 0)
            continue;
        const int honest = strstr(word(row, "plugins"), "a 1 @ aaaa") != NULL;
        assert_int_equal(rank_of(row), honest);
        assert_float_equal(measured(row), honest ? 10 : 30, 1e-6);
        n++;
    }
    assert_int_equal(n, 2);
    json_decref(all);
    char *page = read_text(b->folder, "out/leaderboard.md", NULL);
    assert_non_null(strstr(page, "| a ^a (\\@ aaaaaaaaaaaa) |"));
    assert_non_null(strstr(page, "| a ^a (\\@ bbbbbbbbbbbb) |"));
    gnt_free(page);
    write_host(b, "two", DIGEST("aaaa"));
    all = BOARD("one", "two");
    assert_int_equal(rank_of(place(all, 1, NULL, "a")), 0); /* the mark is the same file's */
    json_decref(all);
    write_host(b, "one", "short");
    write_host(b, "two", "");
    all = BOARD("one", "two");
    assert_string_equal(word(place(all, 1, NULL, "a"), "plugins"), "a 1 @ ?");
    json_decref(all);
}

static void write_mandatory(const bench *b, const char *text) {
    static char path[300];
    snprintf(path, sizeof path, "%s/mandatory.json", b->folder);
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    assert_true(fputs(text, f) >= 0);
    assert_int_equal(fclose(f), 0);
    board_mandatory = path;
}

/* The keeper's file decides in place of the run that is given first. */
static void a_file_sets_the_attacks_to_withstand(void **state) {
    const bench *b = *state;
    static const point eve[] = {{"hers", "matched", "z", "", "ok", 5, 4, 6}};
    static const struct {
        const char *file, *why;
        int a, hers;
    } of[] = {
        {"[{\"attack\": \"x\"}]", "matched, no number from x", 1, 0},
        {"[{\"attack\": \"x\", \"params\": {}, \"tasks\": [\"t\"]}]", "matched, no number from x", 1, 0},
        {"[{\"attack\": \"z\"}, {\"attack\": \"q\", \"tasks\": [\"other\"]}]", "", 0, 1},
        {"[{\"attack\": \"x\"}, {\"attack\": \"absent\"}]", "matched, no number from absent and 1 more", 0,
         0},
        {"[{\"attack\": \"x\", \"params\": {\"steps\": 3}}]", "matched, no number from x", 0, 0}};
    RUN("ann", ann);
    RUN("eve", eve);
    for (size_t i = 0; i < sizeof of / sizeof *of; i++) {
        write_mandatory(b, of[i].file);
        json_t *all = BOARD("eve", "ann");
        assert_int_equal(rank_of(place(all, 1, NULL, "a")), of[i].a);
        assert_int_equal(rank_of(place(all, 1, NULL, "hers")), of[i].hers);
        assert_string_equal(word(place(all, 1, NULL, "hers"), "why_not_ranked"), of[i].why);
        json_decref(all);
    }
    board_mandatory = NULL;
}

static void a_wrong_file_of_attacks_is_recognised(void **state) {
    const bench *b = *state;
    static const char *const bad[][2] = {{"{}", "expected a list of 1 to 256 attacks"},
                                         {"[]", "expected a list of 1 to 256 attacks"},
                                         {"[3]", "object"},
                                         {"[{}]", "\"attack\" is missing"},
                                         {"[{\"attack\": \"x\", \"param\": {}}]", "param"},
                                         {"[{\"attack\": \"x\", \"params\": 3}]", "params"},
                                         {"[{\"attack\": \"x\", \"tasks\": [3]}]", "tasks[0]"}};
    char folder[300], out[300];
    RUN("ann", ann);
    snprintf(folder, sizeof folder, "%s/ann", b->folder);
    snprintf(out, sizeof out, "%s/out", b->folder);
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        gnt_err err = {""};
        const gnt_board_source source = {.folder = folder};
        write_mandatory(b, bad[i][0]);
        const gnt_board_options options = {
            .folder = out, .source = &source, .n_source = 1, .mandatory = board_mandatory};
        assert_int_equal(gnt_board_make(&options, NULL, &err), GNT_BOARD_UNREADABLE);
        if (!strstr(err.text, bad[i][1]) || !strstr(err.text, "mandatory.json"))
            fail_msg("%s", err.text);
    }
    board_mandatory = NULL;
}

int main(void) {
    const struct CMUnitTest tests[] = {
        IN_FOLDER(a_contributor_is_a_key),
        IN_FOLDER(names_that_look_alike_are_shown_apart),
        IN_FOLDER(another_file_is_another_row),
        IN_FOLDER(a_file_sets_the_attacks_to_withstand),
        IN_FOLDER(a_wrong_file_of_attacks_is_recognised),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
