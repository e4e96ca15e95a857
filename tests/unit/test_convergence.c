/* When a search counts as cut off by its budget, on curves written by hand. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/mem.h"
#include "base/text.h"
#include "judge/convergence.h"

enum { MOST_STEPS = 101 };

/* cost = first · factor^step down to `floor`. */
static double cost_at(size_t step, double first, double factor, double floor) {
    return fmax(floor, first * pow(factor, (double)step));
}

/* The costs of steps 0 … n − 1. */
static char *curve_text(size_t n, double first, double factor, double floor) {
    gnt_text t;
    gnt_text_init(&t, 1 << 16);
    gnt_text_add(&t, "[");
    for (size_t i = 0; i < n; i++)
        gnt_text_add(&t, "%s[%zu, %.9g]", i ? ", " : "", i, cost_at(i, first, factor, floor));
    gnt_text_add(&t, "]");
    char *text = gnt_strdup(gnt_text_get(&t));
    gnt_text_free(&t);
    return text;
}

static void what_still_falls_is_starved(void **state) {
    (void)state;
    static const struct {
        size_t n;
        double first, factor, floor;
        int starved, done;
    } cases[] = {
        {101, 1, 0.97, 0, 1, 0},   /* falls to 0.74 of what it was over the last ten steps */
        {101, 1, 0.995, 0, 0, 0},  /* to 0.95 */
        {101, 1, 0.97, 0.5, 0, 0}, /* converged long before */
        {101, 1, 0.5, 1e-9, 0, 1}, /* done */
        {101, 1000, 0.9, 0, 1, 0}, /* 2.7e-5 of the first, and still on its way */
        {7, 1, 0.5, 0, 0, 0},      /* too short to say */
        {101, 0, 0.5, 0, 0, 1},    /* nothing to do */
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        gnt_cost at[MOST_STEPS];
        for (size_t k = 0; k < cases[i].n; k++)
            at[k] = (gnt_cost){(int64_t)k, cost_at(k, cases[i].first, cases[i].factor, cases[i].floor)};
        const gnt_costs curve = {at, cases[i].n};
        if (gnt_convergence_is_starved(&curve) != cases[i].starved ||
            gnt_convergence_is_done(&curve) != cases[i].done)
            fail_msg("case %zu", i);
    }
    const gnt_costs empty = {NULL, 0};
    assert_int_equal(gnt_convergence_is_starved(&empty), 0);
    assert_int_equal(gnt_convergence_is_done(&empty), 0);
}

/* A curve with a point that is none is refused with the file, so no reader meets it. */
static void what_is_no_point_is_refused(void **state) {
    static const char *const odd[] = {"1", "[2]", "[3, \"x\"]", "[]", "{}", "null", "[5, null]"};
    (void)state;
    for (size_t i = 0; i < sizeof odd / sizeof *odd; i++) {
        char *text = gnt_format("{\"format\": 1, \"groups\": [], \"cells\": [{\"task\": \"t\", \"defense\": "
                                "\"d\", \"attack\": \"a\", \"mode\": \"none\", \"status\": \"ok\", "
                                "\"convergence\": [{\"target\": 0, \"points\": [[4, 5], %s]}]}]}",
                                odd[i]);
        gnt_results r;
        gnt_err err = {""};
        assert_int_equal(gnt_results_parse(&r, "results.json", text, strlen(text), &err), -1);
        if (!strstr(err.text, "convergence[0].points[1]"))
            fail_msg("%s: %s", odd[i], err.text);
        gnt_free(text);
    }
}

/* The best restarts of two targets count: the second's first restart was still falling when it gave way. */
static void the_best_restart_of_each_target_counts(void **state) {
    (void)state;
    char *falls = curve_text(40, 1, 0.9, 0), *rests = curve_text(40, 1, 0.5, 0.001);
    char *text = gnt_format("{\"format\": 1, \"groups\": [{\"task\": \"t\", \"defense\": \"d\", \"attack\": "
                            "\"a\", \"mode\": \"none\", "
                            "\"status\": \"ok\"}], \"cells\": [{\"task\": \"t\", \"defense\": \"d\", "
                            "\"attack\": \"a\", \"mode\": "
                            "\"none\", \"status\": \"ok\", \"seed\": 1, \"convergence\": [{\"target\": 0, "
                            "\"restart\": 0, \"points\": "
                            "%s}, {\"target\": 1, \"restart\": 0, \"points\": %s}, {\"target\": 1, "
                            "\"restart\": 1, \"points\": %s}, "
                            "{\"target\": 2, \"restart\": 0, \"points\": %s}]}]}",
                            falls, falls, rests, rests);
    gnt_results r;
    gnt_err err = {""};
    if (gnt_results_parse(&r, "results.json", text, strlen(text), &err))
        fail_msg("%s", err.text);
    assert_int_equal(gnt_is_starved(&r, &r.group[0]), 0);
    gnt_results_free(&r);
    char *at = strstr(text, "{\"target\": 2");
    at[strlen("{\"target\": ")] = '0'; /* of target 0 the second curve is the better one */
    assert_int_equal(gnt_results_parse(&r, "results.json", text, strlen(text), &err), 0);
    assert_int_equal(gnt_is_starved(&r, &r.group[0]), 0);
    gnt_results_free(&r);
    gnt_free(text);
    text = gnt_format(
        "{\"format\": 1, \"groups\": [{\"task\": \"t\", \"defense\": \"d\", \"attack\": \"a\", \"mode\": "
        "\"none\", \"status\": \"ok\"}], \"cells\": [{\"task\": \"t\", \"defense\": \"d\", \"attack\": "
        "\"a\", \"mode\": \"none\", \"status\": \"ok\", \"seed\": 1, \"convergence\": [{\"target\": 0, "
        "\"points\": %s}, {\"target\": 1, \"points\": %s}]}]}",
        falls, rests);
    assert_int_equal(gnt_results_parse(&r, "results.json", text, strlen(text), &err), 0);
    assert_int_equal(gnt_is_starved(&r, &r.group[0]), 1); /* half of them */
    gnt_results_free(&r);
    gnt_free(text);
    gnt_free(falls);
    gnt_free(rests);
}

/* A cell of n targets whose PSNR is `all`, and `quarter` with a quarter of the budget; every second target
 * has `spread` more and less. */
static int rises(size_t n, double all, double quarter, double spread) {
    enum { MOST = 8 };
    gnt_target full[MOST], less[MOST];
    assert_true(n <= MOST);
    for (size_t i = 0; i < n; i++) {
        full[i] = less[i] = (gnt_target){.id = (int64_t)i};
        for (int m = 0; m < GNT_MEASURES; m++)
            full[i].score[m] = less[i].score[m] = NAN;
        full[i].score[GNT_MEASURE_PSNR] = all + (i % 2 ? spread : -spread);
        less[i].score[GNT_MEASURE_PSNR] = quarter;
    }
    return gnt_leakage_still_rises(&(gnt_outcome){.targets = {full, n}, .quarter = {less, n}});
}

static void leakage_that_rises_from_a_quarter_of_the_budget_is_starved(void **state) {
    (void)state;
    assert_int_equal(rises(1, 12, 10, 0), 1);
    assert_int_equal(rises(2, 10.9, 10, 0), 0); /* below 1 dB */
    assert_int_equal(rises(2, 8, 10, 0), 0);    /* a shorter search found more */
    assert_int_equal(rises(4, 12, 10, 9), 1);   /* too few targets for an interval */
    assert_int_equal(rises(6, 12, 10, 9), 0);   /* within chance */
    assert_int_equal(rises(6, 12, 10, 0.5), 1);
    assert_int_equal(rises(0, 12, 10, 0), 0);
}

/* Targets are paired by id, and a group is starved where its cell rises, without any curve. */
static void a_group_is_starved_where_its_cell_rises(void **state) {
    static const char before[] =
        "{\"format\": 1, \"groups\": [{\"task\": \"t\", \"defense\": \"d\", \"attack\": \"a\", \"mode\": "
        "\"none\", \"status\": \"ok\"}], \"cells\": [{\"task\": \"t\", \"defense\": \"d\", \"attack\": "
        "\"a\", "
        "\"mode\": \"none\", \"status\": \"ok\", \"seed\": 1, \"targets\": [{\"id\": 7, \"psnr\": 20}], "
        "\"quarter\": [{\"id\": ";
    (void)state;
    for (int id = 7; id < 9; id++) {
        char *file = gnt_format("%s%d, \"psnr\": 10}]}]}", before, id);
        gnt_results r;
        gnt_err err = {""};
        if (gnt_results_parse(&r, "results.json", file, strlen(file), &err))
            fail_msg("%s", err.text);
        assert_int_equal(gnt_is_starved(&r, &r.group[0]), id == 7);
        gnt_results_free(&r);
        gnt_free(file);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_still_falls_is_starved), cmocka_unit_test(what_is_no_point_is_refused),
        cmocka_unit_test(the_best_restart_of_each_target_counts),
        cmocka_unit_test(leakage_that_rises_from_a_quarter_of_the_budget_is_starved),
        cmocka_unit_test(a_group_is_starved_where_its_cell_rises)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
