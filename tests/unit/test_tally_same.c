/* What a file says of a statistic against what its rounded scores give. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "tally/same_impl.h"

/* Two scores, 290 and 340: Student's t is 12.7 and carries their rounding into the ends of the interval. */
static json_t *measures(double low) {
    return json_pack("{s: {s:f, s:f, s:f, s:f, s:i}}", "mse255", "mean", 315.0, "low", low, "high",
                     315 + 12.706 * 25, "deviation", 35.355339, "n", 2);
}

static int is_same(double moved) {
    gnt_err err;
    const gnt_tally_says says = {"results.json", "the scores give", &err};
    json_t *is = measures(315 - 12.706 * 25 + moved), *should = measures(315 - 12.706 * 25);
    const int rc = gnt_tally_same_measures(&says, "cells[0].measures", is, should);
    json_decref(is);
    json_decref(should);
    return rc == 0;
}

static void ends_of_an_interval_may_round(void **state) {
    (void)state;
    assert_true(is_same(0) && is_same(5e-5) && is_same(-5e-5));
    assert_false(is_same(1e-3));
    assert_false(is_same(-1e-3));
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(ends_of_an_interval_may_round)};
    return cmocka_run_group_tests_name("tally_same", tests, NULL, NULL);
}
