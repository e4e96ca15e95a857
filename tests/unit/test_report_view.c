/* What the report reads from results: points of sweeps and what stands for one that does not apply; the
 * columns of a matrix; families of defenses and their colours; whether utility varies; floors; the leading
 * measure; the summary that answers first; ticks and scales of axes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <math.h>
#include <string.h>

#include <cmocka.h>

#include "judge/threat_model.h"
#include "report/plot/plot_impl.h"
#include "report/report_impl.h"
#include "report/plot/plots.h"
#include "report/table/report_tables.h"
#include "judge/ranking.h"
#include "judge/group_roles.h"

#define G "\"task\": \"t\", \"stage\": 0, "
#define PSNR(mean, low, high)                                                                                \
    "\"measures\": {\"psnr\": {\"mean\": " #mean ", \"low\": " #low ", \"high\": " #high "}}"

static void parse(gnt_results *r, const char *defenses, const char *cells, const char *groups) {
    gnt_text all;
    gnt_err err = {""};
    gnt_text_init(&all, 1 << 20);
    gnt_text_add(&all, "{\"format\": 1, \"defenses\": [%s], \"cells\": [%s], \"groups\": [%s]}", defenses,
                 cells, groups);
    if (gnt_results_parse(r, "results.json", gnt_text_get(&all), all.size, &err))
        fail_msg("%s", err.text);
    gnt_text_free(&all);
}

/* A sweep under two attacks, one of which does not apply; an attack of another goal. */
static const char swept[] =
    "{" G "\"defense\": \"none\", \"attack\": \"a\", \"mode\": \"none\", \"status\": \"ok\", \"utility\": "
    "{\"mean\": 0.9}, " PSNR(
        30, 29,
        31) "},"
            "{" G
            "\"defense\": \"none\", \"attack\": \"na\", \"mode\": \"none\", \"status\": \"n/a\", \"reason\": "
            "\"no dense layer\"},"
            "{" G "\"defense\": \"none\", \"attack\": \"who\", \"mode\": \"none\", \"status\": \"ok\", "
            "\"measures\": "
            "{\"attribute_accuracy\": {\"mean\": 0.8}}},"
            "{" G "\"defense\": \"d\", \"attack\": \"na\", \"mode\": \"sweep\", \"status\": \"n/a\"},"
            "{" G "\"defense\": \"d\", \"attack\": \"a\", \"mode\": \"sweep\", \"strength\": 0.9, "
            "\"status\": \"ok\", "
            "\"utility\": {\"mean\": 0.7}, " PSNR(
                10, 9, 11) "},"
                           "{" G "\"defense\": \"d\", \"attack\": \"who\", \"mode\": \"sweep\", "
                           "\"strength\": 0.9, \"status\": \"ok\", "
                           "\"measures\": {\"attribute_accuracy\": {\"mean\": 0.6}}},"
                           "{" G "\"defense\": \"d\", \"attack\": \"a\", \"mode\": \"sweep\", \"strength\": "
                           "0.5, \"status\": \"ok\", "
                           "\"utility\": {\"mean\": 0.8}, " PSNR(20, 19, 21) "}";

static void sweeps_are_points_in_order(void **state) {
    (void)state;
    gnt_results r;
    gnt_point p[8];
    parse(&r, "", "", swept);
    assert_int_equal(gnt_sweep_points(&r, "t", 0, p, 8), 2);
    assert_true(p[0].strength == 0.5 && p[1].strength == 0.9);
    assert_string_equal(r.defense[p[0].defense], "d");
    assert_int_equal(gnt_sweep_points(&r, "t", 3, p, 8), 0);
    assert_true(gnt_sweep_group(&r, "t", 0, &p[0], "a")->score->stat.mean == 20);
    assert_int_equal(gnt_sweep_group(&r, "t", 0, &p[1], "na")->status, GNT_CELL_NA);
    assert_true(gnt_sweep_group(&r, "t", 0, &p[1], NULL)->utility.value == 0.7);
    assert_null(gnt_sweep_group(&r, "t", 0, &p[0], "who")); /* not run at 0.5 */
    gnt_results_free(&r);
}

/* What does not apply is a column, so that nobody looks for it; what measures something else is none. */
static void columns_show_what_does_not_apply(void **state) {
    (void)state;
    gnt_results r;
    gnt_table t;
    gnt_text out;
    size_t column[8];
    parse(&r, "", "", swept);
    assert_int_equal(gnt_columns(&r, "t", 0, gnt_measure_find("psnr"), column), 2);
    assert_string_equal(r.attack[column[0]], "a");
    assert_string_equal(r.attack[column[1]], "na");
    gnt_table_matrix(&r, "t", 0, gnt_measure_find("psnr"), &t);
    gnt_text_init(&out, 1 << 16);
    gnt_table_csv(&t, &out);
    assert_string_equal(gnt_text_get(&out), "defense,utility,standing,a,na\r\n"
                                            "none,0.9,undefended,\"30.0 dB [29.0, 31.0]\",n/a\r\n"
                                            "d,0.8,sweep 0.5,\"20.0 dB [19.0, 21.0]\",n/a\r\n"
                                            "d,0.7,sweep 0.9,\"10.0 dB [9.0, 11.0]\",n/a\r\n");
    gnt_text_free(&out);
    gnt_table_free(&t);
    gnt_results_free(&r);
}

#define ROW(defense, mode)                                                                                   \
    "{" G "\"defense\": \"" defense "\", \"attack\": \"a\", \"mode\": \"" mode "\", \"status\": \"ok\"}"

static void families_share_a_colour(void **state) {
    (void)state;
    gnt_results r;
    parse(&r,
          "{\"label\": \"none\", \"plugin\": \"none\"}, {\"label\": \"dp\", \"plugin\": \"dp-gaussian\"}, "
          "{\"label\": \"cut\", \"plugin\": \"prune\"}, {\"label\": \"dp sweep\", \"plugin\": "
          "\"dp-gaussian\"}, "
          "{\"label\": \"dp clip 9\", \"plugin\": \"dp-gaussian\"}",
          "",
          ROW("none", "none") "," ROW("dp", "matched") "," ROW("cut", "matched") "," ROW(
              "dp sweep", "sweep") "," ROW("dp clip 9", "matched"));
    assert_int_equal(r.n_defense, 5);
    assert_string_equal(r.about[3].plugin, "dp-gaussian");
    assert_int_equal(gnt_colour(&r, 1), gnt_colour(&r, 3)); /* the matched point and its sweep */
    assert_int_equal(gnt_shape(&r, 1, 1), gnt_shape(&r, 3, 1));
    assert_int_equal(gnt_colour(&r, 1),
                     gnt_colour(&r, 4)); /* two matched of one plugin: distinguished by shape */
    assert_int_not_equal(gnt_shape(&r, 1, 1), gnt_shape(&r, 4, 1));
    assert_int_not_equal(gnt_colour(&r, 1), gnt_colour(&r, 2));
    gnt_results_free(&r);
}

static int varies(const char *one, const char *other, const char *measure) {
    gnt_results r;
    gnt_text t, c;
    gnt_text_init(&t, 4096);
    gnt_text_init(&c, 4096);
    gnt_text_add(&c,
                 "{" G "\"defense\": \"d\", \"attack\": \"a\", \"mode\": \"none\", \"status\": \"ok\", "
                 "\"utility\": {\"measure\": \"%s\"}}",
                 measure);
    for (int i = 0; i < 2; i++)
        gnt_text_add(
            &t,
            "%s{" G
            "\"defense\": \"d%s\", \"attack\": \"a\", \"mode\": \"%s\", \"strength\": %s, \"status\": "
            "\"ok\", \"utility\": %s}",
            i ? "," : "", i ? "2" : "", i ? "sweep" : "none", i ? "1" : "null", i ? other : one);
    parse(&r, "", gnt_text_get(&c), gnt_text_get(&t));
    int answer = gnt_utility_varies(&r, "t", 0);
    gnt_results_free(&r);
    gnt_text_free(&t);
    gnt_text_free(&c);
    return answer;
}

static void utility_varies_by_a_point(void **state) {
    (void)state;
    assert_int_equal(varies("null", "null", "accuracy"), 0);
    assert_int_equal(varies("{\"mean\": 0.1}", "null", "accuracy"), 0);
    assert_int_equal(varies("{\"mean\": 0.100}", "{\"mean\": 0.109}", "accuracy"), 0);
    assert_int_equal(varies("{\"mean\": 0.100}", "{\"mean\": 0.120}", "accuracy"), 1);
    assert_int_equal(varies("{\"mean\": 300}", "{\"mean\": 302}", "loss"), 0);
    assert_int_equal(varies("{\"mean\": 300}", "{\"mean\": 306}", "loss"), 1);
}

static void highest_floor_goes_by_the_measure(void **state) {
    (void)state;
    const char *name;
    const double psnr[GNT_FLOORS] = {5, 13, 16, 12}, mse[GNT_FLOORS] = {0.3, 0.05, 0.02, NAN};
    const double none[GNT_FLOORS] = {NAN, NAN, NAN, NAN};
    assert_true(gnt_highest_floor(gnt_measure_find("psnr"), psnr, NAN, &name) == 16);
    assert_string_equal(name, "nearest public image");
    assert_true(gnt_highest_floor(gnt_measure_find("mse"), mse, NAN, &name) == 0.02);
    assert_true(gnt_highest_floor(gnt_measure_find("attribute_balanced"), none, 0.5, &name) == 0.5);
    assert_string_equal(name, "chance");
    assert_true(isnan(gnt_highest_floor(gnt_measure_find("psnr"), none, NAN, &name)));
    assert_string_equal(name, "");
}

static const char *lead_of(const char *measures) {
    gnt_results r;
    gnt_text t;
    gnt_text_init(&t, 4096);
    gnt_text_add(&t,
                 "{" G "\"defense\": \"d\", \"attack\": \"a\", \"mode\": \"none\", \"status\": \"ok\", "
                 "\"measures\": {%s}}",
                 measures);
    parse(&r, "", "", gnt_text_get(&t));
    const gnt_measure *m = gnt_section_lead(&r, "t", 0);
    gnt_text_free(&t);
    gnt_results_free(&r);
    return m->name;
}

static void tables_are_led_by_their_attribute(void **state) {
    (void)state;
#define M(name) "\"" name "\": {\"mean\": 0.5}"
    assert_string_equal(lead_of(M("psnr") "," M("ssim") "," M("attribute_balanced")), "psnr");
    assert_string_equal(lead_of(M("psnr") "," M("attribute_balanced")), "attribute_balanced");
    assert_string_equal(lead_of(M("psnr") "," M("identification")), "psnr");
}

#define MATCHED(name, stat)                                                                                  \
    "{" G "\"defense\": \"" name                                                                             \
    "\", \"attack\": \"a\", \"mode\": \"matched\", \"matched\": true, \"status\": "                          \
    "\"ok\", " stat ", \"floors\": {\"psnr\": {\"random\": 5, \"nearest_public\": 14}}}"

static const char *cell(const gnt_table *t, size_t column) {
    return t->item[column].text;
}

static void summary_answers_first(void **state) {
    (void)state;
    gnt_results r;
    gnt_table t;
    parse(&r, "",
          "{" G "\"defense\": \"none\", \"attack\": \"a\", \"mode\": \"none\", \"status\": \"ok\"},"
          "{" G "\"defense\": \"x\", \"attack\": \"a\", \"mode\": \"matched\", \"status\": \"n/a\"},"
          "{" G "\"defense\": \"x\", \"attack\": \"a\", \"mode\": \"matched\", \"status\": \"timeout\"}",
          "{" G "\"defense\": \"none\", \"attack\": \"a\", \"mode\": \"none\", \"status\": \"ok\", " PSNR(
              60, 60,
              60) "}," MATCHED("worse",
                               PSNR(30, 28, 32)) "," MATCHED("best",
                                                             PSNR(10, 8, 12)) "," MATCHED("near",
                                                                                          PSNR(13, 11, 15)));
    gnt_table_summary(&r, &t);
    assert_int_equal(gnt_table_rows(&t), 1);
    assert_string_equal(cell(&t, 0), "t, before training");
    assert_string_equal(cell(&t, 1), "not ranked: 0 training runs; a rank takes 5");
    assert_string_equal(cell(&t, 2), "–");
    assert_string_equal(cell(&t, 3), "PSNR 60.0 dB, a"); /* an interval of one number is none */
    assert_string_equal(cell(&t, 4), "14.0 dB, nearest public image");
    assert_string_equal(cell(&t, 5), "1 ok, 1 failed, 1 n/a");
    gnt_table_free(&t);
    gnt_results_free(&r);
    parse(&r, "", "", swept);
    gnt_table_summary(&r, &t);
    assert_string_equal(cell(&t, 1), "not ranked: no eligible defense reached the target utility");
    assert_string_equal(cell(&t, 3), "PSNR 30.0 dB [29.0, 31.0], a");
    gnt_table_free(&t);
    gnt_results_free(&r);
}

static void ticks_are_few_and_round(void **state) {
    (void)state;
    static const struct {
        double low, high, step;
    } at[] = {{66.7, 79.2, 2.5}, {0, 1, 0.25}, {70.4, 74.7, 1},
              {-5, 64, 20},      {0, 200, 50}, {0.5, 0.50001, 2.5e-6}};
    for (size_t i = 0; i < sizeof at / sizeof at[0]; i++) {
        double step = gnt_tick_step(at[i].low, at[i].high, 5);
        assert_true(fabs(step / at[i].step - 1) < 1e-9);
    }
    for (double span = 1e-5; span < 1e5; span *= 1.37) {
        double step = gnt_tick_step(0.3, 0.3 + span, 5),
               n = floor((0.3 + span) / step) - ceil(0.3 / step) + 1;
        assert_true(n >= 2 && n <= 5);
    }
    double low = 70, high = 70.5;
    gnt_range_least(&low, &high, 2);
    assert_true(fabs(low - 69.25) < 1e-12 && fabs(high - 71.25) < 1e-12);
    gnt_range_least(&low, &high, 1);
    assert_true(fabs(high - low - 2) < 1e-12);
}

static void strengths_are_spread(void **state) {
    (void)state;
    assert_int_equal(gnt_spread_of("", 1e-4, 0.1), GNT_SPREAD_LOG);
    assert_int_equal(gnt_spread_of("linear", 0.5, 0.99), GNT_SPREAD_TO_ONE);
    assert_int_equal(gnt_spread_of("log", 0, 10), GNT_SPREAD_PLAIN);
    assert_int_equal(gnt_spread_of("complement", 0.5, 1), GNT_SPREAD_PLAIN); /* one is infinitely far */
    /* the parameter's own scale, however near its strengths are */
    assert_int_equal(gnt_spread_of("complement", 0.5, 0.6), GNT_SPREAD_TO_ONE);
    assert_int_equal(gnt_spread_of("log", 0.5, 0.6), GNT_SPREAD_LOG);
    assert_int_equal(gnt_spread_of("linear", 0.5, 0.6), GNT_SPREAD_PLAIN);
    assert_true(fabs(gnt_spread_at(GNT_SPREAD_TO_ONE, 0.99) - 2) < 1e-12);
    assert_true(gnt_spread_at(GNT_SPREAD_LOG, 0.01) == -2);
    assert_true(gnt_spread_at(GNT_SPREAD_TO_ONE, 0.9) <
                gnt_spread_at(GNT_SPREAD_TO_ONE, 0.99)); /* stronger right */
}

#define OVER(measure, trainings, over)                                                                       \
    "{" G "\"defense\": \"d\", \"attack\": \"a\", \"mode\": \"none\", \"status\": \"ok\", \"measures\": "    \
    "{\"" measure "\": {\"mean\": 3, \"low\": 2, \"high\": 4, \"trainings\": " #trainings                    \
    ", \"interval\": \"" over "\"}}}"

static void expect_interval(const char *groups, const char *expected) {
    gnt_results r;
    gnt_text out;
    parse(&r, "", "", groups);
    gnt_text_init(&out, 1024);
    gnt_interval_write(&r, "t", 0, gnt_measure_find("psnr"), &out);
    assert_string_equal(gnt_text_get(&out), expected);
    gnt_text_free(&out);
    gnt_results_free(&r);
}

static void intervals_say_what_they_are_over(void **state) {
    (void)state;
    expect_interval(OVER("psnr", 5, "trainings"), "95 % confidence interval over 5 training runs");
    expect_interval(OVER("psnr", 1, "targets"),
                    "95 % confidence interval over the targets of one training run");
    expect_interval(OVER("psnr", 5, "trainings") "," OVER("psnr", 2, "trainings") "," OVER(
                        "psnr", 4, "trainings") "," OVER("ssim", 9, "trainings"),
                    "95 % confidence interval over 2 to 5 training runs");
    expect_interval(OVER("psnr", 1, "targets") "," OVER("psnr", 3, "trainings"),
                    "95 % confidence interval over 3 training runs, for some over the targets of one");
    /* none: all are equal, or the file does not say */
    expect_interval(OVER("psnr", 5, "none"), "95 % confidence interval");
    expect_interval(
        "{" G
        "\"defense\": \"d\", \"attack\": \"a\", \"mode\": \"none\", \"status\": \"ok\", " PSNR(3, 2, 4) "}",
        "95 % confidence interval");
}

/* A group of which a cell was scored against all rows gives no baseline to the others, and the table of facts
 * says what each such cell was scored against. */
static void all_rows_are_no_baseline_of_others(void **state) {
    static const char row[] =
        "{" G "\"defense\": \"%s\", \"attack\": \"a\", \"mode\": \"fixed\", \"status\": "
        "\"ok\", " PSNR(30, 29, 31) ", \"floors\": {\"psnr\": {\"nearest_public\": "
                                    "%d}}%s}";
    static const char *const says[] = {"", ", \"scored_against\": \"batch\"",
                                       ", \"scored_against\": \"all rows\""};
    (void)state;
    for (int i = 0; i < 3; i++) {
        gnt_results r;
        gnt_table t;
        char cells[1000], groups[1000];
        double floor[GNT_FLOORS], chance;
        size_t n = (size_t)snprintf(cells, sizeof cells, row, "plain", 14, "");
        snprintf(cells + n, sizeof cells - n, ",");
        snprintf(cells + n + 1, sizeof cells - n - 1, row, "saves", 19, says[i]);
        n = (size_t)snprintf(groups, sizeof groups, row, "plain", 14, "");
        snprintf(groups + n, sizeof groups - n, ",");
        snprintf(groups + n + 1, sizeof groups - n - 1, row, "saves", 19, "");
        parse(&r, "", cells, groups);
        gnt_floors(&r, "t", 0, NULL, gnt_measure_find("psnr"), floor, &chance);
        assert_true(floor[GNT_FLOOR_NEAREST] == (i < 2 ? 19 : 14));
        assert_int_equal(gnt_is_of_all_rows(&r.group[1]), i == 2);
        gnt_table_facts(&r, &t);
        assert_int_equal(t.n_item / t.n_column, i > 0);
        if (i > 0)
            assert_string_equal(cell(&t, t.n_column - 1), i == 1 ? "batch" : "all rows");
        gnt_table_free(&t);
        gnt_results_free(&r);
    }
}

static void a_threat_model_is_of_the_grants(void **state) {
    (void)state;
    static const char *const grants[] = {"labels", "defense", "public", "bn_stats"};
    static const char *const letters[] = {"C", "C", "C", "D", "E"};
    for (size_t n = 0; n <= 4; n++) {
        const gnt_texts granted = {grants, n};
        assert_string_equal(gnt_threat_model("update", &granted), letters[n]);
        assert_string_equal(gnt_threat_model("encoding", &granted), "");
    }
}

/* Grants of one attack may differ by defense: the table has those of all its cells, and no cell that did not
 * run. */
static void attackers_have_the_grants_of_all_their_cells(void **state) {
    (void)state;
    static const char cells[] =
        "{" G
        "\"defense\": \"none\", \"attack\": \"a\", \"mode\": \"none\", \"status\": \"ok\", \"seed\": 1, "
        "\"surface\": \"update\", \"grants\": [\"labels\"]},"
        "{" G "\"defense\": \"d\", \"attack\": \"a\", \"mode\": \"fixed\", \"status\": \"ok\", \"seed\": 1, "
        "\"surface\": \"update\", \"grants\": [\"labels\", \"shadow\"]},"
        "{" G "\"defense\": \"d\", \"attack\": \"b\", \"mode\": \"fixed\", \"status\": \"n/a\", \"seed\": 1, "
        "\"surface\": \"update\", \"grants\": []}";
    gnt_results r;
    gnt_table t;
    parse(&r, "", cells, "");
    gnt_table_attackers(&r, &t);
    assert_int_equal(gnt_table_rows(&t), 1);
    assert_string_equal(t.item[3].text, "labels, shadow");
    assert_string_equal(t.item[4].text, "D");
    gnt_table_free(&t);
    gnt_results_free(&r);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_threat_model_is_of_the_grants),
        cmocka_unit_test(attackers_have_the_grants_of_all_their_cells),
        cmocka_unit_test(sweeps_are_points_in_order),
        cmocka_unit_test(columns_show_what_does_not_apply),
        cmocka_unit_test(families_share_a_colour),
        cmocka_unit_test(utility_varies_by_a_point),
        cmocka_unit_test(highest_floor_goes_by_the_measure),
        cmocka_unit_test(all_rows_are_no_baseline_of_others),
        cmocka_unit_test(tables_are_led_by_their_attribute),
        cmocka_unit_test(summary_answers_first),
        cmocka_unit_test(ticks_are_few_and_round),
        cmocka_unit_test(strengths_are_spread),
        cmocka_unit_test(intervals_say_what_they_are_over),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
