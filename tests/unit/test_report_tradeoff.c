/* Where a trade-off is drawn and how, the colours of matrices, and what is said in a trade-off's place; which
 * targets a defense meets that does nothing. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "report/plot/gnuplot.h"
#include "report/plot/place_impl.h"
#include "report_folder.h"

/* A group of "t" at stage 0 under the attack "a", with both numbers of a trade-off. */
#define SETTING(name, how, value, psnr)                                                                      \
    "{\"task\": \"t\", \"defense\": \"" name "\", \"attack\": \"a\", \"mode\": \"" how                       \
    "\", \"status\": \"ok\", \"utility\": {\"mean\": " value "}, \"measures\": {\"psnr\": {\"mean\": " psnr  \
    "}}}"

static void two_settings_give_a_picture(void **state) {
    bench *b = *state;
    char report[128];
    gnt_text notices;
    write_results(b, "{\"format\": 1, \"cells\": [], \"groups\": [" SETTING(
                         "none", "none", "0.5", "20") "," SETTING("d", "fixed", "0.4", "15") "]}");
    gnt_text_init(&notices, 1 << 16);
    if (!gnt_gnuplot_present())
        skip();
    make(b, NULL, GNT_FORMAT_SVG, &notices);
    assert_string_equal(gnt_text_get(&notices), "");
    gnt_text_free(&notices);
    snprintf(report, sizeof report, "%s/report", b->folder);
    char *svg = read_text(report, "tradeoff-t-r0-psnr.svg", NULL);
    assert_non_null(strstr(svg, "</svg>"));
    gnt_free(svg);
    char *page = read_text(report, "index.md", NULL);
    assert_null(strstr(page, ".png")); /* not requested, not linked */
    assert_null(strstr(page, "needs two"));
    gnt_free(page);
}

/* A group under an attack, with a strength where it has one. */
#define UNDER(attack, name, how, strength, value, psnr)                                                      \
    "{\"task\": \"t\", \"defense\": \"" name "\", \"attack\": \"" attack "\", \"mode\": \"" how              \
    "\", \"strength\": " strength ", \"status\": \"ok\", \"utility\": {\"mean\": " value                     \
    "}, \"measures\": {\"psnr\": {\"mean\": " psnr "}}}"

/* What a report on these groups draws a picture from, by its name in the folder of plots: the data (.tsv),
 * the labels (.labels.tsv) or the script (.gp). */
static char *drawn_of(const bench *b, const char *groups, const char *name) {
    char plots[128];
    gnt_text t;
    gnt_text_init(&t, 1 << 16);
    gnt_text_add(&t, "{\"format\": 1, \"cells\": [], \"groups\": [%s]}", groups);
    write_results(b, gnt_text_get(&t));
    gnt_text_free(&t);
    make(b, NULL, GNT_FORMAT_SVG, NULL);
    snprintf(plots, sizeof plots, "%s/report/plots", b->folder);
    return read_text(plots, name, NULL);
}

static int times(const char *text, const char *part) {
    int n = 0;
    for (const char *at = strstr(text, part); at; at = strstr(at + 1, part))
        n++;
    return n;
}

/* Undefended b leaks most, defended a: what the worst panel shows is twice in the data, the rest once. */
static void the_worst_of_all_attacks_comes_first(void **state) {
    static const char groups[] = UNDER("a", "none", "none", "null", "0.5", "20") "," UNDER(
        "b", "none", "none", "null", "0.5",
        "30") "," UNDER("a", "d", "fixed", "1", "0.4", "15") "," UNDER("b", "d", "fixed", "1", "0.4", "10");
    if (!gnt_gnuplot_present())
        skip();
    char *labels = drawn_of(*state, groups, "tradeoff-t-r0-psnr.labels.tsv");
    char *data = drawn_of(*state, groups, "tradeoff-t-r0-psnr.tsv");
    static const char first[] = "xworst of all attacks\n";
    assert_memory_equal(labels, first, sizeof first - 1);
    /* the title of a's own panel and the name at its point */
    assert_int_equal(times(labels, "xa\n"), 2);
    assert_int_equal(times(labels, "xb\n"), 2);
    assert_int_equal(times(data, "0.5\t30\t30\t30\n"), 2);
    assert_int_equal(times(data, "0.5\t20\t20\t20\n"), 1);
    assert_int_equal(times(data, "0.4\t15\t15\t15\n"), 2);
    assert_int_equal(times(data, "0.4\t10\t10\t10\n"), 1);
    gnt_free(labels);
    gnt_free(data);
    labels = drawn_of(*state, SETTING("none", "none", "0.5", "20") "," SETTING("d", "fixed", "0.4", "15"),
                      "tradeoff-t-r0-psnr.labels.tsv");
    assert_null(strstr(labels, "worst"));
    gnt_free(labels);
}

/* The identification rate of a defense is the highest, whatever attack leaks most by PSNR: that of b, which
 * leaks least by PSNR. Where none was identified there is no panel for it. */
static void identification_is_next_to_psnr(void **state) {
#define BOTH(attack, name, how, value, psnr, rate)                                                           \
    "{\"task\": \"t\", \"defense\": \"" name "\", \"attack\": \"" attack "\", \"mode\": \"" how              \
    "\", \"status\": \"ok\", \"utility\": {\"mean\": " value "}, \"measures\": {\"psnr\": {\"mean\": " psnr  \
    "}, \"identification\": {\"mean\": " rate "}}}"
    static const char groups[] = BOTH("a", "none", "none", "0.5", "30", "0.75") "," BOTH(
        "b", "none", "none", "0.5", "20",
        "1") "," BOTH("a", "d", "fixed", "0.4", "15", "0.25") "," BOTH("b", "d", "fixed", "0.4", "10", "0.5");
    if (!gnt_gnuplot_present())
        skip();
    char *script = drawn_of(*state, groups, "tradeoff-t-r0-psnr.gp");
    char *data = drawn_of(*state, groups, "tradeoff-t-r0-psnr.tsv");
    assert_int_equal(times(script, "more private ← PSNR (dB)"), 2);
    assert_int_equal(times(script, "more private ← identified (%)"), 1);
    assert_int_equal(times(data, "0.5\t100\t100\t100\n"), 1);
    assert_int_equal(times(data, "0.4\t50\t50\t50\n"), 1);
    assert_int_equal(times(data, "\t75\t75\t75\n") + times(data, "\t25\t25\t25\n"), 0);
    gnt_free(script);
    gnt_free(data);
    script = drawn_of(*state, groups, "tradeoff-t-r0-identification.gp");
    assert_int_equal(times(script, "PSNR"), 0);
    gnt_free(script);
    script = drawn_of(*state, SETTING("none", "none", "0.5", "20") "," SETTING("d", "fixed", "0.4", "15"),
                      "tradeoff-t-r0-psnr.gp");
    assert_null(strstr(script, "identified"));
    gnt_free(script);
}

/* The line of a sweep runs through the matched point between its strengths, whatever the order of groups. */
static void a_matched_point_lies_on_its_sweep(void **state) {
    static const char groups[] = UNDER("a", "none", "none", "null", "0.6", "40") "," UNDER(
        "a", "d", "matched", "2", "0.5",
        "20") "," UNDER("a", "d", "sweep", "4", "0.4", "10") "," UNDER("a", "d", "sweep", "1", "0.55", "30");
    if (!gnt_gnuplot_present())
        skip();
    char *data = drawn_of(*state, groups, "tradeoff-t-r0-psnr.tsv");
    assert_non_null(strstr(data, "\n0.55\t30\n0.5\t20\n0.4\t10\n"));
    gnt_free(data);
}

/* A group with the floors of guessing: 10 dB by the mean image, less by noise. */
#define GUESSED(name, how, psnr)                                                                             \
    "{\"task\": \"t\", \"defense\": \"" name "\", \"attack\": \"a\", \"mode\": \"" how                       \
    "\", \"status\": \"ok\", \"measures\": {\"psnr\": {\"mean\": " psnr                                      \
    "}}, \"floors\": {\"psnr\": {\"mean_image\": 10, \"random\": 5}}}"

/* Colours run from the floor that leaks most to the undefended: what lies at the floor or below is white. */
static void the_matrix_is_white_at_the_floor(void **state) {
    static const char groups[] = GUESSED("none", "none", "40") "," GUESSED("at", "fixed", "10") "," GUESSED(
        "below", "fixed", "7") "," GUESSED("half", "fixed", "25");
    if (!gnt_gnuplot_present())
        skip();
    char *script = drawn_of(*state, groups, "matrix-t-r0-psnr.gp"), *key = strstr(script, "mean; the table");
    assert_non_null(strstr(script, "white: no more than a guess, 10.0 dB; darkest: undefended, 40.0 dB"));
    assert_non_null(key);
    *key = 0; /* fields alone; a single attack is its own worst case */
    assert_int_equal(times(script, "fc rgb \"#ffffff\""), 2);
    assert_int_equal(times(script, "fc rgb \"#6baed6\""), 1);
    assert_int_equal(times(script, "fc rgb \"#08306b\""), 1);
    gnt_free(script);
}

static char *page_of(bench *b, const char *results) {
    char report[128];
    write_results(b, results);
    make(b, NULL, GNT_FORMAT_SVG, NULL);
    snprintf(report, sizeof report, "%s/report", b->folder);
    return read_text(report, "index.md", NULL);
}

/* A group under an attack that identifies this share of the targets, of which one in ten is by chance. */
#define RATE(attack, name, how, rate)                                                                        \
    "{\"task\": \"t\", \"defense\": \"" name "\", \"attack\": \"" attack "\", \"mode\": \"" how              \
    "\", \"status\": \"ok\", \"grants\": [\"defense\"], \"measures\": {\"identification\": {\"mean\": " rate \
    "}}, \"chance\": {\"identification\": 0.1}}"
#define LISTED(label, family)                                                                                \
    "{\"label\": \"" label "\", \"plugin\": \"" label "\", \"members\": [{\"id\": \"" label                  \
    "\", \"families\": [\"" family "\"]}]}"

/* The matrix of the whole suite has a number for each pair, is hatched where it does not apply, and has a dot
 * where the attack knows the defense. Sweeps are left out, and with two attacks there is no matrix. */
static void the_whole_suite_has_a_matrix(void **state) {
    static const char cells[] = RATE("a", "none", "none", "1") "," RATE("b", "none", "none", "0.55") "," RATE(
        "a", "d", "fixed", "0.19") "," RATE("b", "d", "fixed",
                                            "0.28") "," RATE("c", "e", "fixed",
                                                             "0.1") "," RATE("c", "d", "sweep", "0.9"),
                      rest[] =
                          ", {\"task\": \"t\", \"defense\": \"d\", \"attack\": \"c\", \"mode\": \"fixed\", "
                          "\"status\": \"n/a\", \"reason\": \"no\"}",
                      listed[] = "\"defenses\": [" LISTED("d", "noise") "], \"attacks\": [" LISTED(
                          "a", "noise") "," LISTED("b", "clipping") "]";
    if (!gnt_gnuplot_present())
        skip();
    const bench *b = *state;
    char plots[128], *text = gnt_format("{\"format\": 1, %s, \"cells\": [%s], \"groups\": [%s%s]}", listed,
                                        cells, cells, rest);
    char *page = page_of(*state, text);
    assert_non_null(strstr(page, "matrix-all"));
    snprintf(plots, sizeof plots, "%s/report/plots", b->folder);
    char *script = read_text(plots, "matrix-all.gp", NULL), *key = strstr(script, "does not apply");
    assert_int_equal(times(script, "fs pattern"), 2); /* the field and its key */
    assert_int_equal(times(script, "set label \"(100)\""), 1);
    assert_int_equal(times(script, "set label \"(50)\""), 1);
    assert_int_equal(times(script, "set label \"(10)\""), 1);
    assert_int_equal(times(script, "set label \"(20)\""), 1);
    assert_int_equal(times(script, "set label \"(0)\""), 1);
    assert_null(strstr(script, "set label \"(89)\""));
    assert_int_equal(times(script, "with points pt 7"), 1);
    assert_non_null(key);
    gnt_free(script);
    snprintf(plots, sizeof plots, "%s/report", b->folder);
    char *svg = read_text(plots, "matrix-all.svg", NULL);
    assert_int_equal(times(svg, "<pattern "), 2);          /* of the hatched boxes */
    assert_int_equal(times(svg, "href='#gpPt6'") >= 2, 1); /* a on d, and the key */
    gnt_free(svg);
    gnt_free(page);
    gnt_free(text);
    page = page_of(
        *state,
        "{\"format\": 1, \"cells\": [], \"groups\": [" RATE("a", "none", "none", "1") "," RATE(
            "b", "none", "none", "1") "," RATE("a", "d", "fixed", "1") "," RATE("a", "e", "fixed", "1") "]}");
    assert_null(strstr(page, "matrix-all"));
    gnt_free(page);
}

/* In leakage against strength the sweep, the single point and no defense each have an interval. */
static void every_strength_has_its_interval(void **state) {
    static const char groups[] = UNDER("a", "none", "none", "null", "0.5", "40") "," UNDER(
        "a", "d", "sweep", "1", "0.5", "20") "," UNDER("a", "d", "fixed", "2", "0.5", "10");
    if (!gnt_gnuplot_present())
        skip();
    char *script = drawn_of(*state, groups, "strength-t-r0-psnr.gp");
    assert_int_equal(times(script, "with yerrorbars"), 3);
    gnt_free(script);
}

static void names_keep_clear_of_points_and_edges(void **state) {
    (void)state;
    const gnt_box panel = {0, 100, 0, 100}, right = {55, 60, 45, 55}, below = {45, 55, 30, 35};
    gnt_box taken[] = {right, below, {0, 100, 60, 70}, {0, 45, 40, 60}}, box;
    assert_true(gnt_place(NULL, 0, &panel, 50, 50, 30, 12, &box) && box.left > 50);
    assert_false(gnt_place(taken, 4, &panel, 50, 50, 30, 12, &box));
    assert_true(gnt_place(taken, 1, &panel, 50, 50, 30, 12, &box) && box.top < 50);
    assert_true(gnt_place(taken, 2, &panel, 50, 50, 30, 12, &box) && box.bottom > 50);
    assert_true(gnt_place(taken, 3, &panel, 50, 50, 30, 12, &box) && box.right < 50);
    /* in the lower right corner neither right nor below */
    assert_true(gnt_place(NULL, 0, &panel, 84, 5, 30, 12, &box) && box.bottom > 5 && box.right <= 100);
}

static void one_setting_gives_a_sentence(void **state) {
    bench *b = *state;
    char *page =
        page_of(b, "{\"format\": 1, \"cells\": [], \"groups\": [" SETTING("none", "none", "0.5", "20") "]}");
    assert_non_null(strstr(page, "a trade-off needs two"));
    assert_null(strstr(page, "tradeoff-t-"));
    gnt_free(page);
}

/* Weights from a file are not "before training", and utilities that nothing was trained for trade nothing
 * off. */
static void given_weights_are_distinguished(void **state) {
    bench *b = *state;
#define GROUPS "\"groups\": [" SETTING("none", "none", "0.9", "20") "," SETTING("d", "fixed", "0.8", "15") "]"
    char *page = page_of(b, "{\"format\": 1, \"cells\": [], \"tasks\": [{\"id\": \"t\", \"rounds\": 0, "
                            "\"weights\": true}], " GROUPS "}");
    assert_non_null(strstr(page, "t, given weights"));
    assert_null(strstr(page, "before training"));
    assert_non_null(strstr(page, "No defense took part in training here"));
    assert_null(strstr(page, "tradeoff-t-"));
    gnt_free(page);
    page = page_of(b, "{\"format\": 1, \"cells\": [], \"tasks\": [{\"id\": \"t\", \"rounds\": 3, "
                      "\"weights\": false}], " GROUPS "}");
    assert_non_null(strstr(page, "t, before training"));
    assert_null(strstr(page, "No defense took part in training"));
    gnt_free(page);
}

/* Once for each task whose target a defense meets that does nothing. */
static void loose_targets_are_named(void **state) {
    bench *b = *state;
#define MATCH(task, defense, target, none)                                                                   \
    "{\"task\": \"" task "\", \"defense\": \"" defense "\", \"verdict\": \"matched\", \"target\": " target   \
    ", \"tolerance\": 0.03, \"utility_none\": " none ", \"history\": []}"
    char *page =
        page_of(b, "{\"format\": 1, \"cells\": [{\"task\": \"t\", \"defense\": \"none\", \"attack\": \"a\", "
                   "\"mode\": \"none\", \"status\": \"ok\", \"utility\": {\"measure\": \"accuracy\", "
                   "\"value\": 0.41}}], \"matches\": [" MATCH("t", "d", "0.39", "0.41") "," MATCH(
                       "t", "e", "0.39", "0.41") "," MATCH("u", "d", "0.8", "0.9") "], " GROUPS "}");
    const char *said =
        strstr(page, "On t the target 39.0 % lies within its tolerance of 3.0 % of the undefended 41.0 %");
    assert_non_null(said);
    assert_null(strstr(strstr(said, "lies within") + 1, "lies within"));
    gnt_free(page);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        IN_FOLDER(two_settings_give_a_picture),      IN_FOLDER(the_worst_of_all_attacks_comes_first),
        IN_FOLDER(identification_is_next_to_psnr),   IN_FOLDER(a_matched_point_lies_on_its_sweep),
        IN_FOLDER(the_matrix_is_white_at_the_floor), IN_FOLDER(the_whole_suite_has_a_matrix),
        IN_FOLDER(every_strength_has_its_interval),  cmocka_unit_test(names_keep_clear_of_points_and_edges),
        IN_FOLDER(one_setting_gives_a_sentence),     IN_FOLDER(given_weights_are_distinguished),
        IN_FOLDER(loose_targets_are_named),
    };
    return cmocka_run_group_tests_name("report's trade-off", tests, NULL, NULL);
}
