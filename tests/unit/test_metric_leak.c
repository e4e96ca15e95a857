/* Leakage above the floor, by hand: what lies below is level, on both kinds of measures; intervals that are
 * cut at the floor; ranks and ties. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "metric/leak.h"

static void below_the_floor_is_the_floor(void **state) {
    (void)state;
    const gnt_measure *psnr = gnt_measure_find("psnr"), *mse = gnt_measure_find("mse");
    static const struct {
        gnt_leak x;
        double floor;
        gnt_leak above;
    } higher[] = {{{8, 7, 9}, 13, {13, 13, 13}},
                  {{8, 7, 15}, 13, {13, 13, 15}},
                  {{14, 12, 16}, 13, {14, 13, 16}},
                  {{20, 19, 21}, 13, {20, 19, 21}},
                  {{8, 7, 9}, NAN, {8, 7, 9}}},
      lower[] = {{{0.2, 0.1, 0.3}, 0.05, {0.05, 0.05, 0.05}},
                 {{0.06, 0.04, 0.08}, 0.05, {0.05, 0.04, 0.05}},
                 {{0.01, 0.008, 0.02}, 0.05, {0.01, 0.008, 0.02}}};
    for (size_t i = 0; i < sizeof higher / sizeof *higher; i++) {
        const gnt_leak got = gnt_leak_above(psnr, higher[i].x, higher[i].floor);
        assert_memory_equal(&got, &higher[i].above, sizeof got);
    }
    for (size_t i = 0; i < sizeof lower / sizeof *lower; i++) {
        const gnt_leak got = gnt_leak_above(mse, lower[i].x, lower[i].floor);
        assert_memory_equal(&got, &lower[i].above, sizeof got);
    }
    assert_true(gnt_leak_is_floored(psnr, 13, 13));
    assert_true(gnt_leak_is_floored(mse, 0.06, 0.05));
    assert_false(gnt_leak_is_floored(psnr, 13.1, 13));
    assert_false(gnt_leak_is_floored(psnr, 1, NAN));
}

/* A floor must not make up an interval that was never known. */
static void what_is_unknown_stays_unknown(void **state) {
    (void)state;
    const gnt_measure *psnr = gnt_measure_find("psnr");
    const gnt_leak low = gnt_leak_above(psnr, (gnt_leak){5, NAN, NAN}, 13),
                   high = gnt_leak_above(psnr, (gnt_leak){20, 19, 21}, 13);
    assert_true(low.mean == 13 && isnan(low.low) && isnan(low.high));
    assert_false(gnt_leak_surely_less(psnr, &low, &high));
    assert_true(isnan(gnt_leak_above(psnr, (gnt_leak){NAN, NAN, NAN}, 13).mean));
}

static void every_measure_has_a_row_and_a_place(void **state) {
    (void)state;
    const char *names[GNT_MEASURES];
    gnt_measure_names(names);
    for (size_t i = 0; i < GNT_MEASURES; i++) {
        assert_non_null(names[i]);
        assert_ptr_equal(gnt_measure_find(names[i]), gnt_measure_of((gnt_measure_id)i));
        assert_non_null(gnt_measure_at(i));
        assert_int_equal(gnt_measure_at(i)->order, (int)i + 1);
        assert_true(gnt_measure_at(i)->leak == 1 || gnt_measure_at(i)->leak == -1);
    }
    assert_null(gnt_measure_at(GNT_MEASURES));
    assert_null(gnt_measure_find("beauty"));
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(below_the_floor_is_the_floor),
                                       cmocka_unit_test(what_is_unknown_stays_unknown),
                                       cmocka_unit_test(every_measure_has_a_row_and_a_place)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
