/* The picture of utility against strength: means and intervals over seeds, each training once, one axis for
 * strengths of one name, a picture more where a later stage has another utility. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "report/plot/gnuplot.h"
#include "report/report_impl.h"
#include "report_folder.h"

/* A cell and the group of such cells: the same but for what follows. */
#define SETTING(stage, attack, name, how, strength)                                                          \
    "{\"task\": \"t\", \"stage\": " stage ", \"defense\": \"" name "\", \"attack\": \"" attack               \
    "\", \"mode\": \"" how "\", \"strength\": " strength ", \"status\": \"ok\", "
#define CELL_AT(stage, attack, seed, name, how, strength, utility)                                           \
    SETTING(stage, attack, name, how, strength)                                                              \
    "\"seed\": " seed ", \"utility\": {\"measure\": \"accuracy\", " utility "}}"
#define CELL(attack, seed, name, how, strength, utility)                                                     \
    CELL_AT("0", attack, seed, name, how, strength, utility)
#define GROUP_AT(stage, name, how, strength, utility)                                                        \
    SETTING(stage, "a", name, how, strength)                                                                 \
    "\"utility\": {\"measure\": \"accuracy\", \"mean\": " utility "}, \"measures\": {}}"
#define GROUP(name, how, strength, utility) GROUP_AT("0", name, how, strength, utility)
#define ABOUT(label, plugin, strength)                                                                       \
    "{\"label\": \"" label "\", \"plugin\": \"" plugin "\", \"strength\": \"" strength                       \
    "\", \"unit\": \"\", \"scale\": \"log\"}"
#define LOSS(loss)                                                                                           \
    ", \"by_round\": [{\"round\": 0, \"accuracy\": 0.1, \"loss\": 9}, {\"round\": 5, \"accuracy\": 0.5, "    \
    "\"loss\": " loss "}]"

/* clang-format off */
static const char defenses[] =
    ABOUT("none", "none", "") "," ABOUT("d", "one", "epsilon") "," ABOUT("e", "two", "epsilon") ","
    ABOUT("f", "three", "sigma") "," ABOUT("alone", "four", "p");
/* Two seeds of d at each strength, the first under two attacks; one of e, with the error of the test samples;
 * f at one strength, matched where it was swept; alone at one. */
static const char cells[] =
    CELL("a", "1", "none", "none", "null", "\"value\": 0.9" LOSS("0.5")) ","
    CELL("a", "1", "d", "sweep", "0.1", "\"value\": 0.80" LOSS("1")) ","
    CELL("b", "1", "d", "sweep", "0.1", "\"value\": 0.80" LOSS("1")) ","
    CELL("a", "2", "d", "sweep", "0.1", "\"value\": 0.82" LOSS("2")) ","
    CELL("a", "1", "d", "sweep", "0.01", "\"value\": 0.85" LOSS("1.25")) ","
    CELL("a", "2", "d", "sweep", "0.01", "\"value\": 0.99" LOSS("1.25")) ","
    CELL("a", "1", "e", "fixed", "1", "\"value\": 0.5, \"standard_error\": 0.01" LOSS("null")) ","
    CELL("a", "1", "f", "sweep", "2", "\"value\": 0.75" LOSS("3")) ","
    CELL("a", "1", "f", "matched", "2", "\"value\": 0.75" LOSS("3")) ","
    CELL("a", "1", "f", "sweep", "4", "\"value\": 0.25" LOSS("4")) ","
    CELL("a", "1", "alone", "fixed", "0.5", "\"value\": 0.125" LOSS("5"));
static const char groups[] =
    GROUP("none", "none", "null", "0.9") "," GROUP("d", "sweep", "0.1", "0.81") ","
    GROUP("d", "sweep", "0.01", "0.92") "," GROUP("e", "fixed", "1", "0.5") ","
    GROUP("f", "sweep", "2", "0.75") "," GROUP("f", "matched", "2", "0.75") ","
    GROUP("f", "sweep", "4", "0.25") "," GROUP("alone", "fixed", "0.5", "0.125");
/* clang-format on */

/* Writes the report on these and on more of the same. */
static void draw(const bench *b, const char *more_cells, const char *more_groups) {
    gnt_text t;
    gnt_text_init(&t, 1 << 16);
    gnt_text_add(&t, "{\"format\": 1, \"defenses\": [%s], \"cells\": [%s%s], \"groups\": [%s%s]}", defenses,
                 cells, more_cells, groups, more_groups);
    write_results(b, gnt_text_get(&t));
    gnt_text_free(&t);
    make(b, NULL, GNT_FORMAT_SVG, NULL);
}

static void is_in(const char *data, const char *rows) {
    if (!strstr(data, rows))
        fail_msg("no \"%s\" in\n%s", rows, data);
}

/* Two defenses on an axis are 0.008 of it apart. Student's interval of two seeds: mean ± 12.7062 · |a − b|/2,
 * and an accuracy is no more than 100 %. */
static void points_are_means_with_intervals(void **state) {
    if (!gnt_gnuplot_present())
        skip();
    draw(*state, "", "");
    char *data = plotted(*state, "utility-t-r0.tsv");
    is_in(data, "\n-2.00896\t92\t3.05656685\t100\n-1.00896\t81\t68.2937953\t93.7062047\n");
    /* one seed: 1.959964 standard errors; none of the loss, which is unknown */
    is_in(data, "\n0.00896\t50\t48.040036\t51.959964\n");
    is_in(data, "\n-2.00896\t1.25\t1.25\t1.25\n-1.00896\t1.5\t0\t7.85310237\n");
    /* matched and swept at one strength is one point */
    is_in(data, "\n0.301029996\t75\t75\t75\n0.602059991\t25\t25\t25\n");
    assert_null(strstr(data, "12.5"));
    gnt_free(data);
}

static void strengths_of_one_name_share_an_axis(void **state) {
    if (!gnt_gnuplot_present())
        skip();
    draw(*state, "", "");
    char *script = plotted(*state, "utility-t-r0.gp"), *labels = plotted(*state, "utility-t-r0.labels.tsv");
    int axes = 0;
    for (const char *at = script; (at = strstr(at, "set xlabel")); at++)
        axes++;
    assert_int_equal(axes, 4); /* accuracy and loss, of epsilon and of sigma */
    is_in(labels, "xepsilon\n");
    is_in(labels, "xsigma\n");
    is_in(labels, "xd\nxe\nxf\n"); /* the key */
    assert_null(strstr(labels, "xp\n"));
    assert_null(strstr(labels, "xalone\n"));
    gnt_free(script);
    gnt_free(labels);
}

/* Only those that the suite names, and not those that nobody reported; a straight line through the points. */
static void facts_are_drawn_next_to_the_utility(void **state) {
    if (!gnt_gnuplot_present())
        skip();
#define REPORTED(strength, lost)                                                                             \
    SETTING("0", "a", "d", "sweep", strength)                                                                \
    "\"seed\": 1, \"utility\": {\"measure\": \"accuracy\", \"value\": 0.5}, \"facts\": {\"lost\": " lost     \
    ", \"other\": 7}}"
    write_results(
        *state,
        "{\"format\": 1, \"facts\": [\"lost\", \"never_told\"], "
        "\"defenses\": [" ABOUT("d", "one", "epsilon") "], \"cells\": [" REPORTED("0.01", "1") "," REPORTED(
            "0.1", "2") "," REPORTED("1", "6") "], "
                                               "\"groups\": [" GROUP("d", "sweep", "0.01", "0.5") "," GROUP(
                                                   "d", "sweep", "0.1", "0.5") "," GROUP("d", "sweep", "1",
                                                                                         "0.5") "]}");
#undef REPORTED
    make(*state, NULL, GNT_FORMAT_SVG, NULL);
    char *data = plotted(*state, "utility-t-r0.tsv"), *labels = plotted(*state, "utility-t-r0.labels.tsv");
    is_in(data, "\n-2\t1\t1\t1\n-1\t2\t2\t2\n0\t6\t6\t6\n");
    is_in(data, "\n-2.12\t0.2\n0.12\t5.8\n"); /* 2.5·(log10 + 1) + 3 */
    is_in(labels, "xlost\n");
    assert_null(strstr(labels, "never_told"));
    assert_null(strstr(labels, "other"));
    gnt_free(data);
    gnt_free(labels);
}

/* Most training runs have one utility, that of their end. */
static void stages_alike_are_drawn_once(void **state) {
    if (!gnt_gnuplot_present())
        skip();
    draw(*state,
         "," CELL_AT("3", "a", "1", "d", "sweep", "0.1",
                     "\"value\": 0.8") "," CELL_AT("3", "a", "1", "d", "sweep", "0.01", "\"value\": 0.85"),
         "," GROUP_AT("3", "d", "sweep", "0.1", "0.81") "," GROUP_AT("3", "d", "sweep", "0.01", "0.92"));
    assert_true(is_drawn(*state, "utility-t-r0.svg"));
    assert_false(is_drawn(*state, "utility-t-r3.svg"));
    draw(*state,
         "," CELL_AT("3", "a", "1", "d", "sweep", "0.1",
                     "\"value\": 0.6") "," CELL_AT("3", "a", "1", "d", "sweep", "0.01", "\"value\": 0.7"),
         "," GROUP_AT("3", "d", "sweep", "0.1", "0.6") "," GROUP_AT("3", "d", "sweep", "0.01", "0.7"));
    assert_true(is_drawn(*state, "utility-t-r0.svg"));
    assert_true(is_drawn(*state, "utility-t-r3.svg"));
    char *page = read_text(((const bench *)*state)->folder, "report/index.md", NULL);
    is_in(page, "(utility-t-r3.svg)");
    gnt_free(page);
    draw(*state, "", ""); /* and goes when nothing draws it any more */
    assert_false(is_drawn(*state, "utility-t-r3.svg"));
}

static void one_strength_is_no_line(void **state) {
    const bench *b = *state;
    write_results(b, "{\"format\": 1, \"cells\": [" CELL(
                         "a", "1", "d", "fixed", "1",
                         "\"value\": 0.5") "], "
                                           "\"groups\": [" GROUP("d", "fixed", "1", "0.5") "]}");
    make(b, NULL, GNT_FORMAT_SVG, NULL);
    assert_false(is_drawn(b, "utility-t-r0.svg"));
}

/* The page says what an epsilon covers where it shows one, and nothing of it elsewhere. */
static void what_epsilon_covers_is_said_where_it_is_shown(void **state) {
    const bench *b = *state;
    static const struct {
        const char *fact;
        int said;
    } cases[] = {{"epsilon_rounds_add", 1}, {"clipped", 0}};
    for (int i = 0; i < 2; i++) {
        gnt_text t;
        gnt_text_init(&t, 1 << 16);
        gnt_text_add(&t,
                     "{\"format\": 1, \"cells\": [" SETTING(
                         "0", "a", "d", "fixed", "1") "\"seed\": 1, "
                                                      "\"facts\": {\"%s\": 0.5}}], \"groups\": [" GROUP(
                                                          "d", "fixed", "1", "0.5") "]}",
                     cases[i].fact);
        write_results(b, gnt_text_get(&t));
        gnt_text_free(&t);
        make(b, NULL, GNT_FORMAT_SVG, NULL);
        char *page = read_text(b->folder, "report/index.md", NULL);
        assert_int_equal(strstr(page, "matching on private data") != NULL, cases[i].said);
        gnt_free(page);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        IN_FOLDER(points_are_means_with_intervals),
        IN_FOLDER(strengths_of_one_name_share_an_axis),
        IN_FOLDER(facts_are_drawn_next_to_the_utility),
        IN_FOLDER(stages_alike_are_drawn_once),
        IN_FOLDER(one_strength_is_no_line),
        IN_FOLDER(what_epsilon_covers_is_said_where_it_is_shown),
    };
    return cmocka_run_group_tests_name("report utility", tests, NULL, NULL);
}
