/* How far the difference that two replacements made follows from these. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "job/agreement.h"
#include "must_work.h"

enum { N = 16 };

/* Two tensors of 12 and 4 entries. */
static gnt_tensor tensor[] = {{.count = 12}, {.count = 4}};
static const gnt_tensors tensors = {.n = 2, .tensor = tensor};

static double in_span(const float *d, const float *const *update, int64_t n) {
    double share = -1;
    MUST_WORK(gnt_agreement_in_span(&tensors, d, update, n, &share, err));
    return share;
}

/* Means, medians and multiples keep signs; 3 of 4 equal products agree by (3 − 1) / 4. */
static void signs_agree(void **state) {
    static const float u[] = {1, -2, 3, -4}, same[] = {0.5f, -1, 0, -9},
                       other[] = {1, -0.5f, 1.0f / 3, 0.25f}, none[] = {0, 0, 0, 0};
    (void)state;
    assert_float_equal(gnt_agreement_of_signs(same, u, 4), 1, 1e-6);
    assert_float_equal(gnt_agreement_of_signs(other, u, 4), 0.5, 1e-6);
    assert_float_equal(gnt_agreement_of_signs(none, u, 4), 0, 0);
}

/* Updates a and b are orthogonal, and a is there twice: 2a − b lies in their span. Of a plus a vector of as
 * much energy that is orthogonal to both, one half does. A tensor of four entries says nothing of two
 * updates. */
static void weighed_updates_are_in_the_span(void **state) {
    float a[N] = {0}, b[N] = {0}, d[N] = {0};
    const float *update[] = {a, b, a};
    (void)state;
    for (int i = 0; i < 4; i++) {
        a[i] = 1;
        b[4 + i] = 1;
        d[i] = 2;
        d[4 + i] = -1;
    }
    d[15] = 100;
    assert_float_equal(in_span(d, update, 2), 1, 1e-9);
    assert_float_equal(in_span(d, update, 3), 1, 1e-9);
    for (int i = 0; i < 4; i++) {
        d[i] = 1;
        d[4 + i] = 0;
        d[8 + i] = 1;
    }
    assert_float_equal(in_span(d, update, 2), 0.5, 1e-9);
    assert_float_equal(in_span(d, update, 3), 0.5, 1e-9);
    assert_float_equal(in_span(b, update + 2, 1), 0, 1e-9);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(signs_agree),
        cmocka_unit_test(weighed_updates_are_in_the_span),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
