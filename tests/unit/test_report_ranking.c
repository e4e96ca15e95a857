/* How a report ranks, on results written by hand: the floor below which all are level, drawn rounds, marks,
 * utility against public data alone, identification beside PSNR; how the page says so; wrong types of what a
 * run says of them. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "report/tables_impl.h"
#include "report/report_impl.h"
#include "results/ranking.h"
#include "report_folder.h"

/* A defense under the attack "a": of the group, and of the cell of seed 1. */
typedef struct entry {
    const char *defense, *mode, *status;
    int stage;
    double psnr, identified, utility;
    const char *mark; /* or NULL */
} entry;

static void add_outcome(gnt_text *t, const entry *e, int cell) {
    gnt_text_add(
        t,
        "%s{\"task\": \"t\", \"stage\": %d, \"defense\": \"%s\", \"attack\": \"a\", \"mode\": \"%s\", "
        "\"matched\": %s, \"status\": \"%s\", \"seed\": 1, \"utility\": {\"measure\": \"accuracy\", "
        "\"value\": "
        "%g, \"standard_error\": 0.01}",
        t->size && gnt_text_get(t)[t->size - 1] == '}' ? ", " : "", e->stage, e->defense, e->mode,
        strcmp(e->mode, "matched") ? "false" : "true", e->status, e->utility);
    if (!strcmp(e->status, "ok"))
        gnt_text_add(
            t,
            ", \"measures\": {\"psnr\": {\"mean\": %g, \"low\": %g, \"high\": %g}, \"identification\": "
            "{\"mean\": %g, \"low\": %g, \"high\": %g}}, \"floors\": {\"psnr\": {\"mean_image\": 11, "
            "\"nearest_public\": 13}}",
            e->psnr, e->psnr - 1, e->psnr + 1, e->identified, e->identified - 0.05, e->identified + 0.05);
    if (cell && e->mark)
        gnt_text_add(t, ", \"marks\": [{\"what\": \"acts-otherwise\", \"says\": \"%s\"}]", e->mark);
    gnt_text_add(t, "}");
}

/* results.json of the entries; `facts` are members of the task's entry. */
static char *results_of(const entry *e, size_t n, const char *facts) {
    gnt_text t;
    gnt_text_init(&t, 1 << 20);
    gnt_text_add(&t, "{\"format\": 1, \"suite\": \"s\", \"tasks\": [{\"id\": \"t\"%s%s}], \"cells\": [",
                 *facts ? ", " : "", facts);
    for (size_t i = 0; i < n; i++)
        add_outcome(&t, &e[i], 1);
    gnt_text_add(&t, "], \"groups\": [");
    for (size_t i = 0; i < n; i++)
        add_outcome(&t, &e[i], 0);
    gnt_text_add(&t, "]}");
    char *text = gnt_strdup(gnt_text_get(&t));
    gnt_text_free(&t);
    return text;
}

static void parse_entries(gnt_results *r, const entry *e, size_t n, const char *facts) {
    gnt_err err = {""};
    char *text = results_of(e, n, facts);
    if (gnt_results_parse(r, "results.json", text, strlen(text), &err))
        fail_msg("%s", err.text);
    gnt_free(text);
}

#define PARSE(r, entries, facts) parse_entries(r, entries, sizeof entries / sizeof *entries, facts)

static void expect_row(const gnt_rank_row *row, const char *defense, gnt_rank_state state, int rank,
                       int tied) {
    assert_string_equal(row->defense, defense);
    assert_int_equal(row->state, state);
    assert_int_equal(row->place.rank, rank);
    assert_int_equal(row->place.tied, tied);
}

static const entry floored[] = {{"low", "matched", "ok", 3, 9, 0.9, 0.8, NULL},
                                {"crafted", "matched", "ok", 3, 2, 0.1, 0.8, NULL},
                                {"open", "matched", "ok", 3, 20, 0.9, 0.8, NULL},
                                {"none", "none", "ok", 3, 40, 1, 0.9, NULL}};

static void below_the_floor_all_are_level(void **state) {
    (void)state;
    gnt_results r;
    gnt_rank_row rows[4];
    gnt_table t;
    gnt_text said;
    PARSE(&r, floored, "");
    const gnt_measure *psnr = gnt_measure_find("psnr");
    assert_int_equal(gnt_rank(&r, "t", 3, psnr, rows), 4);
    expect_row(&rows[0], "low", GNT_RANKED, 1, 1);
    expect_row(&rows[1], "crafted", GNT_RANKED, 1, 1);
    expect_row(&rows[2], "open", GNT_RANKED, 3, 0);
    expect_row(&rows[3], "none", GNT_UNRANKED_UNDEFENDED, 0, 0);
    gnt_text_init(&said, 4096);
    gnt_report_sentence(&r, "t", 3, psnr, &said);
    assert_string_equal(
        gnt_text_get(&said),
        "At matched utility low leaks least: PSNR 9.0 dB [8.0, 10.0] under a; identified 90.0 % [85.0, "
        "95.0], its worst case over 1 attack; no more than a guess at 13.0 dB, got without the update "
        "(so does crafted: they are level). Undefended: PSNR 40.0 dB [39.0, 41.0] under a; identified "
        "100.0 % [95.0, 105.0].");
    gnt_text_free(&said);
    gnt_table_matrix(&r, "t", 3, psnr, &t);
    assert_string_equal(t.item[3].text, "9.0 dB [8.0, 10.0]; identified 90.0 % [85.0, 95.0]");
    gnt_table_free(&t);
    gnt_results_free(&r);
}

static const entry three[] = {
    {"early", "matched", "ok", 1, 30, 1, 0.8, NULL}, {"early", "matched", "ok", 9, 15, 1, 0.8, NULL},
    {"even", "matched", "ok", 1, 20, 1, 0.8, NULL},  {"even", "matched", "ok", 9, 21, 1, 0.8, NULL},
    {"hole", "matched", "ok", 1, 14, 1, 0.8, NULL},  {"hole", "matched", "crashed", 9, 0, 0, 0.8, NULL}};

static void drawn_rounds_rank_by_the_worst(void **state) {
    (void)state;
    gnt_results r;
    gnt_rank_row rows[3];
    gnt_table t;
    PARSE(&r, three, "\"observe_from\": \"round\", \"stages_drawn\": true");
    assert_int_equal(gnt_rank(&r, "t", GNT_EVERY_STAGE, gnt_measure_find("psnr"), rows), 3);
    expect_row(&rows[0], "even", GNT_RANKED, 1, 0);
    assert_int_equal(rows[0].worst->stage, 9);
    expect_row(&rows[1], "early", GNT_RANKED, 2, 0);
    assert_int_equal(rows[1].worst->stage, 1);
    expect_row(&rows[2], "hole", GNT_UNRANKED_LACKING, 0, 0);
    gnt_table_summary(&r, &t);
    assert_int_equal(gnt_table_rows(&t), 1);
    assert_string_equal(t.item[0].text, "t, worst of rounds 1, 9");
    assert_string_equal(t.item[1].text, "even");
    gnt_table_free(&t);
    gnt_results_free(&r);
    PARSE(&r, three, "\"observe_from\": \"round\"");
    gnt_table_summary(&r, &t);
    assert_int_equal(gnt_table_rows(&t), 2); /* fixed rounds stand for themselves */
    gnt_table_free(&t);
    gnt_results_free(&r);
}

static const entry with_liar[] = {{"liar", "matched", "ok", 3, 14, 1, 0.8, "it sent <b>noise</b>"},
                                  {"liar", "matched", "ok", 5, 14, 1, 0.8, "it sent <b>noise</b>"},
                                  {"a", "matched", "ok", 3, 20, 1, 0.8, NULL},
                                  {"b", "matched", "ok", 3, 30, 1, 0.8, NULL}};

static void a_mark_costs_the_rank_and_is_told_first(void **state) {
    const bench *b = *state;
    gnt_results r;
    gnt_rank_row rows[3];
    gnt_table t;
    gnt_err err = {""};
    PARSE(&r, with_liar, "");
    assert_int_equal(gnt_rank(&r, "t", 3, gnt_measure_find("psnr"), rows), 3);
    expect_row(&rows[0], "a", GNT_RANKED, 1, 0);
    expect_row(&rows[1], "b", GNT_RANKED, 2, 0);
    expect_row(&rows[2], "liar", GNT_UNRANKED_MARKED, 0, 0);
    gnt_table_found(&r, &t);
    assert_int_equal(gnt_table_rows(&t), 1); /* the same sentence twice */
    assert_string_equal(t.item[4].text, "2");
    gnt_table_free(&t);
    gnt_results_free(&r);
    char path[128], *text = results_of(with_liar, 4, "\"seed_public\": true");
    snprintf(path, sizeof path, "%s/results.json", b->folder);
    assert_int_equal(gnt_file_write(path, text, strlen(text), &err), 0);
    gnt_free(text);
    gnt_report_options options = {.formats = 0};
    if (gnt_report_make(b->folder, &options, NULL, &err))
        fail_msg("%s", err.text);
    char *page = read_text(b->folder, "report/index.html", NULL);
    assert_non_null(strstr(page, "<h2>What the host found</h2>"));
    assert_non_null(strstr(page, "it sent &lt;b&gt;noise"));
    assert_non_null(strstr(page, "matched, marked by the host"));
    assert_non_null(strstr(page, "Probe: t. What the attacks saw there"));
    assert_non_null(strstr(page, "Run under a public seed: t."));
    gnt_free(page);
}

/* The errors are 0.01 each, so what the private data add must exceed 1.645 · 0.0141 = 0.0233. */
static void what_public_data_give_wins_nothing(void **state) {
    (void)state;
    static const entry two[] = {{"idle", "matched", "ok", 3, 14, 1, 0.72, NULL},
                                {"works", "matched", "ok", 3, 30, 1, 0.73, NULL}};
    gnt_results r;
    gnt_rank_row rows[2];
    gnt_table t;
    PARSE(&r, two, "\"public_only\": [{\"seed\": 1, \"utility\": 0.7, \"standard_error\": 0.01}]");
    assert_int_equal(gnt_rank(&r, "t", 3, gnt_measure_find("psnr"), rows), 2);
    expect_row(&rows[0], "works", GNT_RANKED, 1, 0);
    expect_row(&rows[1], "idle", GNT_UNRANKED_PUBLIC, 0, 0);
    gnt_table_matrix(&r, "t", 3, gnt_measure_find("psnr"), &t);
    assert_int_equal(gnt_table_rows(&t), 3);
    assert_string_equal(t.item[6].text, "matched, no better than public data");
    assert_string_equal(t.item[8].text, "public data alone");
    assert_string_equal(t.item[9].text, "70.0 %");
    gnt_table_free(&t);
    gnt_results_free(&r);
}

static void wrong_types_are_refused(void **state) {
    (void)state;
    static const struct {
        const char *facts, *says;
    } bad[] = {{"\"observe_from\": \"rounds\"", "tasks[0].observe_from"},
               {"\"observe_from\": 1", "tasks[0].observe_from"},
               {"\"stages_drawn\": \"yes\"", "tasks[0].stages_drawn"},
               {"\"seed_public\": 1", "tasks[0].seed_public"},
               {"\"public_only\": 0.7", "tasks[0].public_only"},
               {"\"public_only\": [0.7]", "tasks[0].public_only"},
               {"\"public_only\": [{\"seed\": 1, \"utility\": \"0.7\"}]", "tasks[0].public_only"}};
    gnt_results r;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        gnt_err err = {""};
        char *text = results_of(floored, 1, bad[i].facts);
        assert_int_equal(gnt_results_parse(&r, "results.json", text, strlen(text), &err), -1);
        if (!strstr(err.text, bad[i].says))
            fail_msg("%s: \"%s\"", bad[i].facts, err.text);
        gnt_free(text);
    }
    static const char *const marks[] = {"\"marks\": {}", "\"marks\": [\"x\"]",
                                        "\"marks\": [{\"what\": \"x\"}]", "\"stage\": -1"};
    for (size_t i = 0; i < sizeof marks / sizeof *marks; i++) {
        gnt_err err = {""};
        char *text =
            gnt_format("{\"format\": 1, \"groups\": [], \"cells\": [{\"task\": \"t\", \"defense\": \"d\", "
                       "\"attack\": \"a\", \"mode\": \"none\", \"status\": \"ok\", %s}]}",
                       marks[i]);
        assert_int_equal(gnt_results_parse(&r, "results.json", text, strlen(text), &err), -1);
        if (!strstr(err.text, i < 3 ? "cells[0].marks" : "cells[0].stage"))
            fail_msg("%s: \"%s\"", marks[i], err.text);
        gnt_free(text);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(below_the_floor_all_are_level),
        cmocka_unit_test(drawn_rounds_rank_by_the_worst),
        cmocka_unit_test_setup_teardown(a_mark_costs_the_rank_and_is_told_first, make_folder, remove_folder),
        cmocka_unit_test(what_public_data_give_wins_nothing),
        cmocka_unit_test(wrong_types_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
