/* The report's words and rules: escaping for HTML, Markdown, CSV, gnuplot and file names; tables; reading
 * results.json with fields missing, null or wrong; ranking by the worst case over attacks. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <math.h>
#include <string.h>

#include <cmocka.h>

#include "report/plot/plots.h"
#include "render/escape.h"
#include "report/plot/plot_impl.h"
#include "report/report_impl.h"
#include "judge/judge.h"
#include "render/table.h"
#include "report/table/report_tables.h"
#include "judge/ranking.h"
#include "judge/group_roles.h"

/* ---- escaping ---- */

typedef struct pair {
    const char *in, *out;
} pair;

static void check(const pair *p, size_t n, void (*escape)(gnt_text *, const char *)) {
    for (size_t i = 0; i < n; i++) {
        gnt_text t;
        gnt_text_init(&t, 4096);
        escape(&t, p[i].in);
        assert_string_equal(gnt_text_get(&t), p[i].out);
        gnt_text_free(&t);
    }
}
#define CHECK(pairs, escape) check(pairs, sizeof(pairs) / sizeof((pairs)[0]), escape)

static void html_is_escaped(void **state) {
    (void)state;
    static const pair pairs[] = {
        {"a<b>&\"c'", "a&lt;b&gt;&amp;&quot;c&#39;"},
        {"line\nbreak\x1b[2J", "line break [2J"},
        {"\xe2\x80\xae"
         "evil",
         " evil"},                     /* U+202E turns text around */
        {"\xc3\xbc\xff", "\xc3\xbc?"}, /* ü stays, a broken byte does not */
        {"\xc0\xaf", "??"},            /* an overlong slash */
        {"", ""},
    };
    CHECK(pairs, gnt_escape_html);
}

static void markdown_is_escaped(void **state) {
    (void)state;
    static const pair pairs[] = {
        {"a|b", "a\\|b"},
        {"[x](y)", "\\[x\\](y)"},
        {"*_`#!~\\", "\\*\\_\\`\\#\\!\\~\\\\"},
        {"<img src=x>", "&lt;img src=x&gt;"},
        {"row\r\nend", "row  end"},
    };
    CHECK(pairs, gnt_escape_markdown);
}

/* RFC 4180, and no field that a spreadsheet would run. */
static void csv_is_quoted(void **state) {
    (void)state;
    static const pair pairs[] = {
        {"plain", "plain"},
        {"a,b", "\"a,b\""},
        {"say \"hi\"", "\"say \"\"hi\"\"\""},
        {"a\nb", "\"a b\""},
        {"=1+1", "\"'=1+1\""},
        {"+cmd|' /C calc'!A0", "\"'+cmd|' /C calc'!A0\""},
        {"-2", "\"'-2\""},
        {"@SUM(A1)", "\"'@SUM(A1)\""},
        {" =1", "\"' =1\""},
        {"\t=1", "\"' =1\""},
        {"", ""},
    };
    CHECK(pairs, gnt_escape_csv);
}

static void plot_text(gnt_text *out, const char *text) {
    gnt_escape_plot(out, text, 8);
}

static void plot_text_loses_what_gnuplot_minds(void **state) {
    (void)state;
    static const pair pairs[] = {
        {"`\"\\{}&", "''/()+"},
        {"<>", "‹›"},
        {"a\tb\n", "a b "},
        {"12345678", "12345678"},
        {"123456789", "1234567…"},
        {"\xe6\x97\xa5x", "?x"}, /* U+65E5: a font may lack it */
        {"ε≤1", "ε≤1"},
    };
    CHECK(pairs, plot_text);
}

static void slugs_never_collide(void **state) {
    (void)state;
    static const char *const texts[] = {"[-1]", "[1]", "1", "a/b", "a b", "../../etc/passwd",
                                        "",     "-x",  "x", "日本"};
    char slug[sizeof texts / sizeof texts[0]][GNT_SLUG_SIZE];
    size_t n = sizeof texts / sizeof texts[0];
    for (size_t i = 0; i < n; i++) {
        gnt_slug(texts[i], slug[i]);
        assert_true(slug[i][0] != 0 && slug[i][0] != '-');
        assert_int_equal(
            slug[i][strspn(slug[i], "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_")], 0);
        for (size_t k = 0; k < i; k++)
            assert_string_not_equal(slug[i], slug[k]);
    }
    gnt_slug("glyphs-lenet_2", slug[0]);
    assert_string_equal(slug[0], "glyphs-lenet_2");
    char longer[300];
    memset(longer, 'a', sizeof longer - 1);
    longer[sizeof longer - 1] = 0;
    gnt_slug(longer, slug[0]);
    longer[298] = 'b';
    gnt_slug(longer, slug[1]);
    assert_string_not_equal(slug[0], slug[1]);
}

/* ---- tables ---- */

static void tables_write_numbers_and_absence(void **state) {
    (void)state;
    gnt_table t;
    gnt_text out;
    gnt_table_init(&t, "T");
    gnt_table_column(&t, "na|me");
    gnt_table_column(&t, "x");
    gnt_table_text(&t, "a,\"b\"");
    gnt_table_number(&t, 1.0 / 3);
    gnt_table_text(&t, "c");
    gnt_table_number(&t, NAN);
    gnt_table_text(&t, "d");
    gnt_table_number(&t, -0.0);
    assert_int_equal(gnt_table_rows(&t), 3);
    gnt_text_init(&out, 4096);
    gnt_table_csv(&t, &out);
    assert_string_equal(gnt_text_get(&out), "na|me,x\r\n\"a,\"\"b\"\"\",0.333333333\r\nc,\r\nd,0\r\n");
    gnt_text_free(&out);
    gnt_text_init(&out, 4096);
    gnt_table_markdown(&t, &out);
    assert_string_equal(
        gnt_text_get(&out),
        "### T\n\n| na\\|me | x |\n|---|---:|\n| a,\"b\" | 0.3333 |\n| c | – |\n| d | 0 |\n\n");
    gnt_text_free(&out);
    gnt_text_init(&out, 4096);
    gnt_table_json(&t, &out);
    json_t *back = json_loads(gnt_text_get(&out), 0, NULL);
    assert_non_null(back);
    assert_string_equal(json_string_value(json_object_get(json_array_get(back, 0), "na|me")), "a,\"b\"");
    assert_true(json_is_null(json_object_get(json_array_get(back, 1), "x")));
    json_decref(back);
    gnt_text_free(&out);
    gnt_table_free(&t);
}

/* ---- reading ---- */

static int parse(gnt_results *r, const char *text, gnt_err *err) {
    return gnt_results_parse(r, "results.json", text, strlen(text), err);
}

static void wrong_files_are_refused_by_place(void **state) {
    (void)state;
    static const pair pairs[] = {
        /* text, what the sentence must name */
        {"", "results.json:1"},
        {"[]", "expected one object"},
        {"{\"format\": 2, \"cells\": [], \"groups\": []}", "format: expected 1"},
        {"{\"format\": 1, \"format\": 1, \"cells\": [], \"groups\": []}", "duplicate"},
        {"{\"format\": 1, \"groups\": []}", "cells: is missing"},
        {"{\"format\": 1, \"cells\": [3], \"groups\": []}", "cells[0]: is 3, expected an object"},
        {"{\"format\": 1, \"cells\": [], \"groups\": [{\"task\": \"t\"}]}", "groups[0].defense: is missing"},
        {"{\"format\": 1, \"cells\": [], \"groups\": [{\"task\": \"t\", \"defense\": \"d\", \"attack\": "
         "\"a\", "
         "\"status\": \"fine\", \"mode\": \"none\"}]}",
         "groups[0].status: is \"fine\""},
        {"{\"format\": 1, \"cells\": [], \"groups\": [{\"task\": \"t\", \"defense\": \"d\", \"attack\": "
         "\"a\", "
         "\"status\": \"ok\", \"mode\": \"none\", \"measures\": {\"psnr\": {\"mean\": \"high\"}}}]}",
         "groups[0].measures.psnr.mean: is \"high\", expected a number or null"},
        {"{\"format\": 1, \"cells\": [], \"groups\": [{\"task\": \"t\", \"defense\": \"d\", \"attack\": "
         "\"a\", "
         "\"status\": \"ok\", \"mode\": \"none\", \"measures\": {\"psnr\": {\"interval\": \"seeds\"}}}]}",
         "groups[0].measures.psnr.interval: is \"seeds\", expected one of none, targets, trainings"},
        {"{\"format\": 1, \"cells\": [], \"groups\": [], \"matches\": [{\"task\": \"t\", \"defense\": \"d\", "
         "\"verdict\": \"matched\", \"history\": [1]}]}",
         "matches[0].history[0]: is 1, expected an object"},
    };
    for (size_t i = 0; i < sizeof pairs / sizeof pairs[0]; i++) {
        gnt_results r;
        gnt_err err = {""};
        assert_int_equal(parse(&r, pairs[i].in, &err), -1);
        if (!strstr(err.text, pairs[i].out))
            fail_msg("\"%s\" does not name \"%s\"", err.text, pairs[i].out);
    }
}

/* n groups: the i-th of attack i, and of task and defense i where those are its own. */
static int parse_many(int n, int own_task, int own_defense, gnt_err *err) {
    gnt_results r;
    gnt_text text;
    gnt_text_init(&text, 1 << 20);
    gnt_text_add(&text, "{\"format\": 1, \"cells\": [], \"groups\": [");
    for (int i = 0; i < n; i++)
        gnt_text_add(&text,
                     "%s{\"task\": \"t%d\", \"defense\": \"d%d\", \"attack\": \"a%d\", \"status\": \"ok\", "
                     "\"mode\": \"none\"}",
                     i ? "," : "", own_task ? i : 0, own_defense ? i : 0, i);
    gnt_text_add(&text, "]}");
    int rc = parse(&r, gnt_text_get(&text), err);
    if (rc == 0)
        gnt_results_free(&r);
    gnt_text_free(&text);
    return rc;
}

/* A report looks through all groups for each pair of a defense and an attack on each task, and a third
 * party's file must not make it do so for hours: 1024 names of a kind and 2³⁴ looks are allowed. 1·1024²·1025
 * < 2³⁴ < 400³·401. */
static void files_that_would_take_for_ever_are_refused(void **state) {
    gnt_err err = {""};
    (void)state;
    assert_int_equal(parse_many(1024, 0, 0, &err), 0);
    assert_int_equal(parse_many(1024, 0, 1, &err), 0);
    assert_int_equal(parse_many(1025, 0, 0, &err), -1);
    assert_non_null(strstr(err.text, "more than 1024 different attacks"));
    assert_int_equal(parse_many(1025, 0, 1, &err), -1);
    assert_non_null(strstr(err.text, "more than 1024 different defenses"));
    assert_int_equal(parse_many(400, 1, 1, &err), -1);
    assert_non_null(strstr(err.text, "400 tasks, 400 defenses and 400 attacks in 400 groups"));
}

static void absent_and_null_numbers_are_nan(void **state) {
    (void)state;
    gnt_results r;
    gnt_err err;
    assert_int_equal(
        parse(&r,
              "{\"format\": 1, \"cells\": [], \"groups\": [{\"task\": \"t\", \"defense\": \"d\", \"attack\": "
              "\"a\", "
              "\"status\": \"ok\", \"mode\": \"fixed\", \"strength\": null, \"utility\": null, \"measures\": "
              "{\"psnr\": {\"mean\": null, \"low\": 2}, \"mse\": null}}]}",
              &err),
        0);
    assert_int_equal(r.n_group, 1);
    assert_true(isnan(r.group[0].strength) && isnan(r.group[0].utility.value));
    assert_int_equal(r.group[0].n_score, 1);
    assert_true(isnan(r.group[0].score[0].stat.mean) && isnan(r.group[0].score[0].chance));
    assert_true(r.group[0].score[0].stat.low == 2);
    assert_false(gnt_has_measure(&r, "t", 0, "a", "psnr")); /* a null mean is no number */
    assert_null(gnt_section_lead(&r, "t", 0));
    gnt_results_free(&r);
}

/* ---- matrix ---- */

/* One group as JSON. */
static void add_group(gnt_text *t, const char *defense, const char *attack, const char *mode, int matched,
                      const char *status, const char *measure, double mean) {
    gnt_text_add(t,
                 "%s{\"task\": \"t\", \"stage\": 0, \"defense\": \"%s\", \"attack\": \"%s\", \"mode\": "
                 "\"%s\", \"matched\": %s, "
                 "\"status\": \"%s\", \"utility\": {\"mean\": 0.9}, \"measures\": {\"%s\": {\"mean\": %g, "
                 "\"low\": %g, "
                 "\"high\": %g}}}",
                 t->size ? ", " : "", defense, attack, mode, matched ? "true" : "false", status, measure,
                 mean, mean - 1, mean + 1);
}

static void parse_groups(gnt_results *r, gnt_text *groups) {
    gnt_text all;
    gnt_err err = {""};
    gnt_text_init(&all, 1 << 20);
    gnt_text_add(&all, "{\"format\": 1, \"cells\": [], \"groups\": [%s]}", gnt_text_get(groups));
    if (parse(r, gnt_text_get(&all), &err))
        fail_msg("%s", err.text);
    gnt_text_free(&all);
    gnt_text_free(groups);
}

static void matrix_shows_why_a_number_is_missing(void **state) {
    (void)state;
    gnt_results r;
    gnt_text g, out;
    gnt_table t;
    gnt_text_init(&g, 1 << 20);
    add_group(&g, "none", "a", "none", 0, "ok", "psnr", 30);
    add_group(&g, "d", "a", "matched", 1, "timeout", "psnr", 0);
    parse_groups(&r, &g);
    gnt_table_matrix(&r, "t", 0, gnt_measure_find("psnr"), &t);
    gnt_text_init(&out, 1 << 16);
    gnt_table_csv(&t, &out);
    assert_non_null(strstr(gnt_text_get(&out), "d,0.9,matched,timeout\r\n"));
    gnt_text_free(&out);
    gnt_table_free(&t);
    gnt_results_free(&r);
}

static void ranges_are_never_empty(void **state) {
    (void)state;
    double low = 5, high = 5;
    gnt_range(&low, &high, 0.1);
    assert_true(low < 5 && high > 5);
    low = high = 0;
    gnt_range(&low, &high, 0.1);
    assert_true(low < 0 && high > 0);
    low = high = NAN;
    gnt_range(&low, &high, 0.1);
    assert_true(low == 0 && high == 1);
}

static void small_errors_are_not_written_as_zero(void **state) {
    (void)state;
    gnt_text t;
    gnt_text_init(&t, 256);
    gnt_measure_number(gnt_measure_find("mse"), 3.2e-7, &t);
    gnt_text_add(&t, " ");
    gnt_measure_number(gnt_measure_find("mse"), 0, &t);
    gnt_text_add(&t, " ");
    gnt_measure_number(gnt_measure_find("identification"), 0.125, &t);
    assert_string_equal(gnt_text_get(&t), "3.2e-07 0.0000 12.5");
    gnt_text_free(&t);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(html_is_escaped),
        cmocka_unit_test(markdown_is_escaped),
        cmocka_unit_test(csv_is_quoted),
        cmocka_unit_test(plot_text_loses_what_gnuplot_minds),
        cmocka_unit_test(slugs_never_collide),
        cmocka_unit_test(tables_write_numbers_and_absence),
        cmocka_unit_test(wrong_files_are_refused_by_place),
        cmocka_unit_test(files_that_would_take_for_ever_are_refused),
        cmocka_unit_test(absent_and_null_numbers_are_nan),
        cmocka_unit_test(matrix_shows_why_a_number_is_missing),
        cmocka_unit_test(ranges_are_never_empty),
        cmocka_unit_test(small_errors_are_not_written_as_zero),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
