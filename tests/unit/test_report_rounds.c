/* The picture of utility by round: means and ends over seeds, each training once, the order of the key. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "report/plot/gnuplot.h"
#include "report/report_impl.h"
#include "report_folder.h"

/* A cell and the group of such cells: the same but for what follows. */
#define SETTING(attack, name, how, strength)                                                                 \
    "{\"task\": \"t\", \"defense\": \"" name "\", \"attack\": \"" attack "\", \"mode\": \"" how              \
    "\", \"strength\": " strength ", \"status\": \"ok\", "
#define CELL(attack, seed, name, how, strength, points)                                                      \
    SETTING(attack, name, how, strength)                                                                     \
    "\"seed\": " seed ", \"utility\": {\"measure\": \"accuracy\", \"value\": 0.5, \"by_round\": [" points    \
    "]}}"
#define GROUP(attack, name, how, strength)                                                                   \
    SETTING(attack, name, how, strength) "\"utility\": {\"mean\": 0.5}, \"measures\": {}}"
#define POINT(round, accuracy, loss) "{\"round\": " round ", \"accuracy\": " accuracy ", \"loss\": " loss "}"

/* Two seeds without a defense, the first under two attacks; one of a defense whose loss is once unknown; two
 * strengths of another that was only swept. */
/* clang-format off */
static const char cells[] =
    CELL("a", "1", "none", "none", "null", POINT("0", "0.125", "2") "," POINT("5", "0.75", "0.5")) ","
    CELL("b", "1", "none", "none", "null", POINT("0", "0.125", "2") "," POINT("5", "0.75", "0.5")) ","
    CELL("a", "2", "none", "none", "null", POINT("0", "0.375", "3") "," POINT("5", "0.5", "1")) ","
    CELL("a", "1", "d", "fixed", "1", POINT("0", "0.25", "null") "," POINT("5", "0.875", "1.5")) ","
    CELL("a", "1", "e", "sweep", "2", POINT("0", "0", "4") "," POINT("5", "0.0625", "4.5")) ","
    CELL("a", "1", "e", "sweep", "3", POINT("0", "0", "4") "," POINT("5", "0.03125", "4.75"));
static const char groups[] =
    GROUP("a", "none", "none", "null") "," GROUP("b", "none", "none", "null") ","
    GROUP("a", "d", "fixed", "1") "," GROUP("a", "e", "sweep", "2") "," GROUP("a", "e", "sweep", "3");
/* clang-format on */

/* A file of plots/ of the report on them. */
static char *drawn(const bench *b, const char *name) {
    char plots[128];
    gnt_text t;
    gnt_text_init(&t, 1 << 16);
    gnt_text_add(&t, "{\"format\": 1, \"cells\": [%s], \"groups\": [%s]}", cells, groups);
    write_results(b, gnt_text_get(&t));
    gnt_text_free(&t);
    make(b, NULL, GNT_FORMAT_SVG, NULL);
    snprintf(plots, sizeof plots, "%s/report/plots", b->folder);
    return read_text(plots, name, NULL);
}

static void curves_are_means_over_seeds(void **state) {
    if (!gnt_gnuplot_present())
        skip();
    char *data = drawn(*state, "rounds-t.tsv");
    /* accuracies in per cent: the mean, the lowest, the highest; a seed counts once, whatever its attacks */
    assert_non_null(strstr(data, "\n0\t25\t12.5\t37.5\n5\t62.5\t50\t75\n"));
    assert_non_null(strstr(data, "\n0\t2.5\t2\t3\n5\t0.75\t0.5\t1\n"));
    /* one seed; an unknown loss is no point */
    assert_non_null(strstr(data, "\n0\t25\t25\t25\n5\t87.5\t87.5\t87.5\n"));
    assert_non_null(strstr(data, "\n5\t1.5\t1.5\t1.5\n"));
    assert_null(strstr(data, "nan"));
    /* each strength of what was only swept */
    assert_non_null(strstr(data, "\n5\t6.25\t6.25\t6.25\n"));
    assert_non_null(strstr(data, "\n5\t3.125\t3.125\t3.125\n"));
    gnt_free(data);
}

static void the_key_has_the_best_on_top(void **state) {
    if (!gnt_gnuplot_present())
        skip();
    char *labels = drawn(*state, "rounds-t.labels.tsv");
    const char *order[] = {"xd\n", "87.5", "xnone\n", "62.5", "xe 2\n", "6.2", "xe 3\n", "3.1"};
    const char *at = labels;
    for (size_t i = 0; i < sizeof order / sizeof *order; i++) {
        const char *next = strstr(at, order[i]);
        if (!next)
            fail_msg("no \"%s\" in its place in\n%s", order[i], labels);
        at = next + 1;
    }
    gnt_free(labels);
}

static void without_curves_there_is_no_picture(void **state) {
    const bench *b = *state;
    char path[128];
    write_results(b, "{\"format\": 1, \"cells\": [" SETTING(
                         "a", "none", "none",
                         "null") "\"seed\": 1, \"utility\": {\"measure\": \"accuracy\", \"value\": 0.5}}], "
                                 "\"groups\": [" GROUP("a", "none", "none", "null") "]}");
    make(b, NULL, GNT_FORMAT_SVG, NULL);
    snprintf(path, sizeof path, "%s/report/rounds-t.svg", b->folder);
    assert_false(gnt_file_exists(path));
}

static void rounds_that_fall_are_refused(void **state) {
    gnt_results r;
    gnt_err err = {""};
    static const char text[] = "{\"format\": 1, \"groups\": [], \"cells\": [" CELL(
        "a", "1", "none", "none", "null", POINT("5", "0.5", "1") "," POINT("5", "0.5", "1")) "]}";
    (void)state;
    assert_int_equal(gnt_results_parse(&r, "results.json", text, strlen(text), &err), -1);
    assert_non_null(strstr(err.text, "utility.by_round"));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        IN_FOLDER(curves_are_means_over_seeds),
        IN_FOLDER(the_key_has_the_best_on_top),
        IN_FOLDER(without_curves_there_is_no_picture),
        cmocka_unit_test(rounds_that_fall_are_refused),
    };
    return cmocka_run_group_tests_name("report rounds", tests, NULL, NULL);
}
