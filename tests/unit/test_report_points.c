/* The picture of representations as points: which cells stand in it, in which order, and what a file may not
 * make it draw. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "report/plot/gnuplot.h"
#include "report/report_impl.h"
#include "report_folder.h"

#define CELL(name, how, strength, points)                                                                    \
    "{\"task\": \"t\", \"stage\": 0, \"seed\": 1, \"status\": \"ok\", \"attack\": \"a\", \"defense\": "      \
    "\"" name "\", \"mode\": \"" how "\", \"strength\": " strength ", \"points\": " points "}"
#define PART(x, probed)                                                                                      \
    "{\"components\": [[" x ", 0.5], [0, -1]], \"share\": [0.7, 0.2], \"neighbours\": [[" x                  \
    ", 0.25], [0, 1]], \"probe\": " probed "}"
#define POINTS(value, x, probed)                                                                             \
    "{\"value\": [" value "], \"names\": [\"no\", \"yes\"], \"representation\": " PART(x, probed) "}"

static void draw(const bench *b, const char *cells) {
    gnt_text t;
    gnt_text_init(&t, 1 << 16);
    gnt_text_add(&t,
                 "{\"format\": 1, \"cells\": [%s], \"groups\": [{\"task\": \"t\", \"stage\": 0, \"defense\": "
                 "\"none\", \"attack\": \"a\", \"mode\": \"none\", \"strength\": null, \"status\": \"ok\", "
                 "\"measures\": {}}]}",
                 cells);
    write_results(b, gnt_text_get(&t));
    gnt_text_free(&t);
    make(b, NULL, GNT_FORMAT_SVG, NULL);
}

/* Samples and what is undefended first; of a sweep its last strength; a matched one before any of a sweep. */
static void columns_stand_in_order(void **state) {
    if (!gnt_gnuplot_present())
        skip();
    draw(
        *state,
        CELL("d", "sweep", "0.1", POINTS("0, 1", "0.1", "0.6")) "," CELL(
            "d", "sweep", "0.5",
            POINTS(
                "0, 1", "0.2",
                "0.75")) "," CELL("e", "matched", "3",
                                  POINTS(
                                      "0, 1", "0.3",
                                      "null")) "," CELL("e", "sweep", "9",
                                                        POINTS(
                                                            "0, 1", "0.4",
                                                            "0.6")) "," CELL("none", "none", "null",
                                                                             "{\"value\": [0, 1], \"names\": "
                                                                             "[], \"samples\": " PART(
                                                                                 "-1",
                                                                                 "1") ", "
                                                                                      "\"representation\":"
                                                                                      " " PART("-0.5",
                                                                                               "0.9") "}"));
    char *labels = plotted(*state, "points-t-r0.labels.tsv"), *data = plotted(*state, "points-t-r0.tsv");
    assert_non_null(strstr(labels, "xsamples: 100 %\n"));
    const char *none = strstr(labels, "xnone: 90 %\n"), *d = strstr(labels, "xd@0.5: 75 %\n");
    const char *e = strstr(labels, "xe@3\n");
    assert_true(none && d && e && none < d && d < e);
    assert_null(strstr(labels, "d@0.1"));
    assert_null(strstr(labels, "e@9"));
    /* x, y and the value */
    assert_non_null(strstr(data, "-1\t0.5\t0\n0\t-1\t1\n"));
    assert_non_null(strstr(data, "0.2\t0.25\t0\n0\t1\t1\n"));
    gnt_free(labels);
    gnt_free(data);
}

static void values_have_their_names(void **state) {
    if (!gnt_gnuplot_present())
        skip();
    draw(*state, CELL("d", "sweep", "0.1", POINTS("0, 1", "0.1", "0.6")));
    char *labels = plotted(*state, "points-t-r0.labels.tsv");
    assert_non_null(strstr(labels, "xno\nxyes\n"));
    gnt_free(labels);
    draw(*state, CELL("d", "sweep", "0.1", "{\"value\": [2, 0], \"representation\": " PART("0", "0.6") "}"));
    labels = plotted(*state, "points-t-r0.labels.tsv");
    assert_non_null(strstr(labels, "xvalue 0\nxvalue 1\nxvalue 2\n"));
    gnt_free(labels);
}

/* Nothing is drawn of a file that a third party wrote otherwise. */
static void what_is_no_point_is_not_drawn(void **state) {
    static const char *const bad[] = {POINTS("0, 1, 1", "0.1", "0.6"), /* more values than points */
                                      POINTS("0, -1", "0.1", "0.6"),
                                      POINTS("0, 10", "0.1", "0.6"),
                                      POINTS("0, 1", "1.5", "0.6"),
                                      POINTS("", "0.1", "0.6"),
                                      "{}"};
    if (!gnt_gnuplot_present())
        skip();
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        gnt_text t;
        gnt_text_init(&t, 1 << 16);
        gnt_text_add(&t, CELL("d", "sweep", "0.1", "%s"), bad[i]);
        draw(*state, gnt_text_get(&t));
        gnt_text_free(&t);
        assert_false(is_drawn(*state, "points-t-r0.svg"));
    }
    draw(*state, CELL("d", "sweep", "0.1", POINTS("0, 1", "0.1", "null")));
    assert_true(is_drawn(*state, "points-t-r0.svg"));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        IN_FOLDER(columns_stand_in_order),
        IN_FOLDER(values_have_their_names),
        IN_FOLDER(what_is_no_point_is_not_drawn),
    };
    return cmocka_run_group_tests_name("report points", tests, NULL, NULL);
}
