/* gnt_first_not_finite: the first value that is NaN or infinite, whatever its place and its kind. */
#include <float.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "base/finite.h"

enum { MOST = 200 };

static float from_bits(uint32_t bits) {
    float x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

/* The largest and the smallest of either sign, both zeros. */
static void fill_finite(float *x, int64_t n) {
    const float value[] = {FLT_MAX, -FLT_MAX, from_bits(1), from_bits(0x80000001u), 0, -0.0f, 1, -3};
    for (int64_t i = 0; i < n; i++)
        x[i] = value[i % 8];
}

static void all_finite_gives_the_length(void **state) {
    (void)state;
    float x[MOST];
    fill_finite(x, MOST);
    for (int64_t n = 0; n <= MOST; n++)
        assert_int_equal(gnt_first_not_finite(x, n), n);
}

static void every_kind_is_found_at_every_place(void **state) {
    (void)state;
    const uint32_t kind[] = {0x7f800000u, 0xff800000u, 0x7fc00000u, 0xffc00000u, 0x7f800001u, 0xffffffffu};
    for (size_t k = 0; k < sizeof kind / sizeof *kind; k++)
        for (int64_t at = 0; at < MOST; at++) {
            float x[MOST];
            fill_finite(x, MOST);
            memcpy(x + at, &kind[k], sizeof *x);
            assert_int_equal(gnt_first_not_finite(x, MOST), at);
            assert_int_equal(gnt_first_not_finite(x, at), at);
        }
}

static void the_first_of_several_is_given(void **state) {
    (void)state;
    float x[MOST];
    fill_finite(x, MOST);
    x[70] = x[90] = x[150] = NAN;
    assert_int_equal(gnt_first_not_finite(x, MOST), 70);
    assert_int_equal(gnt_first_not_finite(x + 71, MOST - 71), 19);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_finite_gives_the_length),
        cmocka_unit_test(every_kind_is_found_at_every_place),
        cmocka_unit_test(the_first_of_several_is_given),
    };
    return cmocka_run_group_tests_name("finite", tests, NULL, NULL);
}
