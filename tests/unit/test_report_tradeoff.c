/* Where a trade-off is drawn, and what is said in its place; which targets a defense meets that does nothing.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "report/gnuplot_impl.h"
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
    assert_null(strstr(page, ".png")); /* not asked for, not linked */
    assert_null(strstr(page, "needs two"));
    gnt_free(page);
}

static char *page_of(bench *b, const char *results) {
    char report[128];
    write_results(b, results);
    make(b, NULL, GNT_FORMAT_SVG, NULL);
    snprintf(report, sizeof report, "%s/report", b->folder);
    return read_text(report, "index.md", NULL);
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
static void given_weights_are_told_apart(void **state) {
    bench *b = *state;
#define GROUPS "\"groups\": [" SETTING("none", "none", "0.9", "20") "," SETTING("d", "fixed", "0.8", "15") "]"
    char *page = page_of(b, "{\"format\": 1, \"cells\": [], \"tasks\": [{\"id\": \"t\", \"rounds\": 0, "
                            "\"weights\": true}], " GROUPS "}");
    assert_non_null(strstr(page, "t, given weights"));
    assert_null(strstr(page, "before training"));
    assert_non_null(strstr(page, "Nothing was trained under a defense here"));
    assert_null(strstr(page, "tradeoff-t-"));
    gnt_free(page);
    page = page_of(b, "{\"format\": 1, \"cells\": [], \"tasks\": [{\"id\": \"t\", \"rounds\": 3, "
                      "\"weights\": false}], " GROUPS "}");
    assert_non_null(strstr(page, "t, before training"));
    assert_null(strstr(page, "Nothing was trained"));
    gnt_free(page);
}

/* Once for each task whose target a defense meets that does nothing. */
static void loose_targets_are_told(void **state) {
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
        IN_FOLDER(two_settings_give_a_picture),
        IN_FOLDER(one_setting_gives_a_sentence),
        IN_FOLDER(given_weights_are_told_apart),
        IN_FOLDER(loose_targets_are_told),
    };
    return cmocka_run_group_tests_name("report's trade-off", tests, NULL, NULL);
}
