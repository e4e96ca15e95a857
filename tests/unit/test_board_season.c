/* The leaderboard of a season: runs under its secret key are shown with what was submitted, belong to
 * whom signed the submission, and are believed only where the season's key is given. */
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

#define DIGEST(c) c c c c c c c c c c c c c c c c
#define SEASON DIGEST("5ea5")
#define ANNS_KEY DIGEST("a77a")

static const point same[] = {{"a", "matched", "x", "", "ok", 10, 9, 11}};
static const point near[] = {{"a", "matched", "x", "", "ok", 11, 10, 12}};
static const point worse[] = {{"a", "matched", "x", "", "ok", 30, 29, 31}};
static const point other[] = {{"b", "matched", "x", "", "ok", 20, 19, 21}};

static void write_season(const bench *b, const char *run, const char *key, const char *name, const char *by) {
    char folder[300];
    static const double submitted[] = {2, 1}, chosen[] = {0.5, 1.25, 3};
    static const gnt_season_strengths strengths = {"a", {submitted, 2}, {chosen, 3}};
    const gnt_season_run of = {1, key, name, by, {&strengths, strcmp(run, "listed") == 0}};
    gnt_err err = {""};
    snprintf(folder, sizeof folder, "%s/%s", b->folder, run);
    if (gnt_season_run_write(folder, &of, &err) != 0)
        fail_msg("%s", err.text);
}

static void write_host(const bench *b, const char *run, const char *digest) {
    char path[300];
    snprintf(path, sizeof path, "%s/%s/host.json", b->folder, run);
    json_t *host = json_pack("{s:{s:[{s:s, s:s, s:s}]}}", "provenance", "plugins", "id", "a", "version", "1",
                             "digest", digest);
    assert_int_equal(json_dump_file(host, path, 0), 0);
    json_decref(host);
}

/* A run "ann" of the season, and what was submitted. */
#define ANN(run_points, submitted_points)                                                                    \
    do {                                                                                                     \
        RUN("ann", run_points);                                                                              \
        RUN("ann/submitted", submitted_points);                                                              \
        write_season(b, "ann", SEASON, "ann-folder", ANNS_KEY);                                              \
    } while (0)

static const char *first_run(const json_t *all, const char *key) {
    return word(json_array_get(json_object_get(all, "runs"), 0), key);
}

static void a_rank_is_of_the_seasons_draws(void **state) {
    const bench *b = *state;
    ANN(near, same);
    RUN("eve", other);
    board_season = SEASON;
    json_t *all = BOARD("ann", "eve");
    const json_t *a = place(all, 1, NULL, "a"), *eves = place(all, 1, NULL, "b");
    assert_float_equal(measured(a), 11, 1e-6);
    assert_string_equal(word(a, "draws"), "season");
    assert_float_equal(json_number_value(json_object_get(a, "submitted")), 10, 1e-6);
    assert_float_equal(json_number_value(json_object_get(a, "submitted_low")), 9, 0.1);
    assert_float_equal(json_number_value(json_object_get(a, "submitted_high")), 11, 0.1);
    assert_string_equal(word(a, "submission"), "as submitted: 10.0 dB [9.0, 11.0]");
    assert_string_equal(word(a, "contributors"), "ann-folder");
    assert_string_equal(first_run(all, "season_key"), SEASON);
    assert_string_equal(first_run(all, "signature"), "submission signed by " ANNS_KEY);
    assert_string_equal(word(eves, "draws"), "submitter");
    assert_true(json_is_null(json_object_get(eves, "submitted")));
    assert_string_equal(word(eves, "submission"), "");
    json_decref(all);
    char *page = read_text(b->folder, "out/leaderboard.md", NULL);
    assert_int_equal(count_text(page, "secret key is " SEASON), 1);
    assert_int_equal(count_text(page, "ranked on the submitter's own draws"), 1);
    assert_int_equal(count_text(page, "as submitted: 10.0 dB \\[9.0, 11.0\\]"), 1);
    gnt_free(page);
    page = read_text(b->folder, "out/leaderboard.html", NULL);
    assert_int_equal(count_text(page, SEASON), 2); /* at its head, and of the run */
    gnt_free(page);
}

/* Only of the defense that has them. */
static void strengths_chosen_here_are_named(void **state) {
    const bench *b = *state;
    static const point two[] = {{"a", "matched", "x", "", "ok", 10, 9, 11},
                                {"b", "matched", "x", "", "ok", 20, 19, 21}};
    board_season = SEASON;
    RUN("listed", two);
    RUN("listed/submitted", two);
    write_season(b, "listed", SEASON, "ann-folder", ANNS_KEY);
    json_t *all = BOARD("listed");
    assert_string_equal(
        word(place(all, 1, NULL, "a"), "submission"),
        "as submitted: 10.0 dB [9.0, 11.0]; strengths chosen here: 0.5, 1.25, 3 (submitted: 2, 1)");
    assert_string_equal(word(place(all, 1, NULL, "b"), "submission"), "as submitted: 20.0 dB [19.0, 21.0]");
    json_decref(all);
    char *page = read_text(b->folder, "out/leaderboard.md", NULL);
    assert_int_equal(count_text(page, "strengths chosen here: 0.5, 1.25, 3 (submitted: 2, 1)"), 1);
    gnt_free(page);
}

/* Intervals that meet are no difference; others are named, in the direction of the season's number. */
static void what_differs_from_the_submission_is_named(void **state) {
    const bench *b = *state;
    static const char more[] =
        "as submitted: 10.0 dB [9.0, 11.0]; it leaks more than was submitted, by more than both "
        "intervals",
                      less[] = "it leaks less than was submitted, by more than both intervals";
    board_season = SEASON;
    ANN(worse, same);
    json_t *all = BOARD("ann");
    assert_string_equal(word(place(all, 1, NULL, "a"), "submission"), more);
    json_decref(all);
    char *page = read_text(b->folder, "out/leaderboard.html", NULL);
    assert_non_null(
        strstr(page, "run 1: a in t leaks more than was submitted, by more than both intervals: 30.0 dB "
                     "[29.0, 31.0] under the season&#39;s key, 10.0 dB [9.0, 11.0] as submitted"));
    gnt_free(page);
    ANN(same, worse);
    all = BOARD("ann");
    assert_non_null(strstr(word(place(all, 1, NULL, "a"), "submission"), less));
    json_decref(all);
    ANN(same, other);
    all = BOARD("ann");
    assert_string_equal(word(place(all, 1, NULL, "a"), "submission"), "no number was submitted");
    json_decref(all);
}

static void another_plugin_file_than_submitted_is_named(void **state) {
    const bench *b = *state;
    board_season = SEASON;
    ANN(same, same);
    write_host(b, "ann", DIGEST("1234"));
    write_host(b, "ann/submitted", DIGEST("1234"));
    json_t *all = BOARD("ann");
    assert_null(strstr(word(place(all, 1, NULL, "a"), "submission"), "here"));
    json_decref(all);
    write_host(b, "ann/submitted", DIGEST("abcd"));
    all = BOARD("ann");
    assert_non_null(strstr(word(place(all, 1, NULL, "a"), "submission"),
                           "; a is 123412341234 here, but the submission says that it ran abcdabcdabcd"));
    json_decref(all);
}

/* Without the season's key a folder's season.json is anybody's word. */
static void a_season_is_believed_with_its_key_alone(void **state) {
    const bench *b = *state;
    char folder[300], to[300];
    gnt_err err = {""};
    ANN(worse, same);
    RUN("two", same);
    write_season(b, "two", SEASON, "ann-folder", ANNS_KEY);
    RUN("two/submitted", same);
    board_season = NULL;
    json_t *all = BOARD("ann");
    assert_string_equal(word(place(all, 1, NULL, "a"), "draws"), "submitter");
    assert_string_equal(word(place(all, 1, NULL, "a"), "contributors"), "ann (unsigned)");
    assert_string_equal(first_run(all, "season_key"), "");
    json_decref(all);
    board_season = SEASON; /* a later submission under the same key replaces the earlier row */
    all = BOARD("ann", "two");
    assert_float_equal(measured(place(all, 1, NULL, "a")), 10, 1e-6);
    json_decref(all);
    snprintf(folder, sizeof folder, "%s/ann", b->folder);
    snprintf(to, sizeof to, "%s/refused", b->folder);
    const gnt_board_source source = {.folder = folder};
    const gnt_board_options options = {
        .folder = to, .source = &source, .n_source = 1, .season = DIGEST("0bad")};
    assert_int_equal(gnt_board_make(&options, NULL, &err), GNT_BOARD_UNREADABLE);
    assert_non_null(strstr(err.text, "was run under another season's key"));
}

static void a_hostile_season_file_is_a_sentence(void **state) {
    const bench *b = *state;
    static const struct {
        const char *text, *says;
    } bad[] = {{"{", "season.json"},
               {"[]", "season.json"},
               {"{\"format\": 1}", "key_sha256"},
               {"{\"format\": 2, \"key_sha256\": \"\", \"name\": \"\", \"signed_by\": \"\"}", "format"},
               {"{\"format\": 1, \"key_sha256\": \"5\", \"name\": \"\", \"signed_by\": \"\"}",
                "not of 64 hexadecimal digits"},
               {"{\"format\": 1, \"key_sha256\": \"" SEASON
                "\", \"name\": \"\", \"signed_by\": \"" SEASON SEASON "\"}",
                "not of 64 hexadecimal digits"},
               {"{\"format\": 1, \"key_sha256\": \"" SEASON "\", \"name\": \"n\", \"signed_by\": \"\"}",
                "submitted/results.json"},
               {"{\"format\": 1, \"key_sha256\": \"" SEASON
                "\", \"name\": \"n\", \"signed_by\": \"\", \"strengths\": [{\"defense\": \"a\", "
                "\"submitted\": [], \"chosen\": [\"all\"]}]}",
                "strengths[0].chosen[0]"}};
    char folder[300], to[300], path[400];
    RUN("ann", same);
    snprintf(folder, sizeof folder, "%s/ann", b->folder);
    snprintf(to, sizeof to, "%s/refused", b->folder);
    snprintf(path, sizeof path, "%s/season.json", folder);
    const gnt_board_source source = {.folder = folder};
    const gnt_board_options options = {.folder = to, .source = &source, .n_source = 1, .season = SEASON};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        gnt_err err = {""};
        assert_int_equal(gnt_file_write(path, bad[i].text, strlen(bad[i].text), NULL), 0);
        assert_int_equal(gnt_board_make(&options, NULL, &err), GNT_BOARD_UNREADABLE);
        if (!strstr(err.text, bad[i].says))
            fail_msg("%s: says \"%s\"", bad[i].text, err.text);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        IN_FOLDER(a_rank_is_of_the_seasons_draws),
        IN_FOLDER(strengths_chosen_here_are_named),
        IN_FOLDER(what_differs_from_the_submission_is_named),
        IN_FOLDER(another_plugin_file_than_submitted_is_named),
        IN_FOLDER(a_season_is_believed_with_its_key_alone),
        IN_FOLDER(a_hostile_season_file_is_a_sentence),
    };
    return cmocka_run_group_tests_name("board season", tests, NULL, NULL);
}
