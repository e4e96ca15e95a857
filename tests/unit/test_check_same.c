/* A statistic in a file compared with what its rounded scores give. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>
#include <string.h>

#include "check/check_impl.h"

/* Two scores, 290 and 340: Student's t is 12.7 and carries their rounding into the ends of the interval. */
static gnt_named_stat stat_of(double moved) {
    return (gnt_named_stat){"mse255",
                            {.mean = 315,
                             .low = 315 - 12.706 * 25 + moved,
                             .high = 315 + 12.706 * 25,
                             .deviation = 35.355339,
                             .worst = NAN,
                             .median = NAN,
                             .n = 2}};
}

static gnt_err err;
static const check of = {.file = "results.json", .err = &err};
static const check_says says = {.of = &of, .because = "the scores give"};

static int is_same(double moved) {
    const gnt_named_stat is = stat_of(moved), should = stat_of(0);
    const gnt_named_stats a = {&is, 1}, b = {&should, 1};
    return check_stats(&says, "cells[0].measures", &a, &b) == 0;
}

static void ends_of_an_interval_may_round(void **state) {
    (void)state;
    assert_true(is_same(0) && is_same(5e-5) && is_same(-5e-5));
    assert_false(is_same(1e-3));
    assert_false(is_same(-1e-3));
    assert_non_null(strstr(err.text, "results.json: cells[0].measures.mse255.low is -2.65"));
}

/* ---- structs compared by their rows ---- */

static int differs(const gnt_fields *fields, const void *is, const void *should, const char *sentence) {
    err.text[0] = 0;
    const int rc = check_same(&says, fields, "x", is, should);
    return *sentence ? rc == -1 && strstr(err.text, sentence) != NULL : rc == 0;
}

static void structs_are_compared_row_by_row(void **state) {
    (void)state;
    gnt_result_task a, b;
    gnt_fields_clear(&gnt_task_fields, &a);
    a.id = "faces";
    a.digest = a.data = a.model = a.utility = a.surface = a.observe_from = "d";
    a.stages_drawn = a.seed_public = 1;
    a.adequate = (gnt_adequate_limits){1, 2, 3};
    const double share[] = {0.5, 0.25}, other[] = {0.5, 0.75};
    const int64_t stage[] = {0, 4};
    a.equal_leakage = (gnt_reals){share, 2};
    a.stages = (gnt_ints){stage, 2};
    b = a;
    assert_true(differs(&gnt_task_fields, &a, &b, ""));
    b.batch = 3;
    assert_true(differs(&gnt_task_fields, &a, &b, "x.batch is 0, but the scores give 3"));
    b = a;
    b.equal_leakage.at = other;
    assert_true(differs(&gnt_task_fields, &a, &b, "x.equal_leakage[1] is 0.25, but the scores give 0.75"));
    b = a;
    b.stages.n = 1;
    assert_true(
        differs(&gnt_task_fields, &a, &b, "x.stages is a list of 2, but the scores give a list of 1"));
    b = a;
    b.width = 0.5;
    assert_true(differs(&gnt_task_fields, &a, &b, "x.width is null, but the scores give 0.5"));
    assert_true(differs(&gnt_task_fields, &b, &a, "x.width is 0.5, but the scores give null"));
    b = a;
    b.adequate.gain = 4;
    assert_true(differs(&gnt_task_fields, &a, &b, "x.adequate.gain is 3, but the scores give 4"));
}

/* What older builds did not write is not missed; what they wrote is compared. */
static void what_a_file_is_too_old_for_is_not_compared(void **state) {
    (void)state;
    gnt_result_task a, b;
    gnt_fields_clear(&gnt_task_fields, &a);
    b = a;
    b.stages_drawn = b.seed_public = 1;
    b.surface = b.observe_from = "update";
    b.adequate = (gnt_adequate_limits){1, 2, 3};
    assert_true(differs(&gnt_task_fields, &a, &b, ""));
    a.seed_public = 0;
    assert_true(differs(&gnt_task_fields, &a, &b, "x.seed_public is false, but the scores give true"));
}

static void maps_are_compared_by_name(void **state) {
    (void)state;
    static const size_t chance[] = {offsetof(gnt_outcome, chance)};
    const gnt_named_real ab[] = {{"a", 1}, {"b", 2}}, ba[] = {{"b", 2}, {"a", 1 + 1e-9}},
                         null[] = {{"a", NAN}};
    const gnt_named_reals lists[] = {{ab, 2}, {ba, 2}, {ab, 1}, {null, 1}, {null, 0}};
    static const struct {
        int is, should, more, rc;
    } cases[] = {{0, 1, 0, 0}, {0, 2, 0, -1}, {0, 2, 1, 0}, {2, 0, 1, -1},
                 {3, 4, 0, 0}, {4, 3, 0, 0},  {2, 3, 1, -1}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const check_says with = {.of = &of, .because = "x gives", .may_have_more = cases[i].more};
        gnt_outcome is = {.chance = lists[cases[i].is]}, should = {.chance = lists[cases[i].should]};
        assert_int_equal(check_members(&with, &gnt_cell_fields, "c", &is, &should, chance, 1), cases[i].rc);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(ends_of_an_interval_may_round),
                                       cmocka_unit_test(structs_are_compared_row_by_row),
                                       cmocka_unit_test(what_a_file_is_too_old_for_is_not_compared),
                                       cmocka_unit_test(maps_are_compared_by_name)};
    return cmocka_run_group_tests_name("check_same", tests, NULL, NULL);
}
