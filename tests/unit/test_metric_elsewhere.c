/* When a control training shows that a model comes from elsewhere, by hand: a model that learnt nothing
 * shows nothing. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "metric/elsewhere.h"

typedef struct control {
    gnt_measured with, left, nothing;
    int sign, half, all;
} control;

/* Errors of 0.01: √2 · 3 · 0.01 = 0.0424 is sure. */
static const control cases[] = {
    /* as good without the clients' data; half as good; less than half; what no defense leaves */
    {{0.80, 0.01}, {0.80, 0.01}, {0.10, 0.01}, 1, 1, 1},
    {{0.80, 0.01}, {0.46, 0.01}, {0.10, 0.01}, 1, 1, 0},
    {{0.80, 0.01}, {0.44, 0.01}, {0.10, 0.01}, 1, 0, 0},
    {{0.80, 0.01}, {0.11, 0.01}, {0.10, 0.01}, 1, 0, 0},
    /* the model learnt nothing, and chance decides which one is better */
    {{0.114, 0.01}, {0.113, 0.01}, {0.113, 0.01}, 1, 0, 0},
    {{0.140, 0.01}, {0.150, 0.01}, {0.110, 0.01}, 1, 0, 0},
    {{0.110, 0.01}, {0.300, 0.01}, {0.110, 0.01}, 1, 0, 0},
    {{0.154, 0.01}, {0.153, 0.01}, {0.110, 0.01}, 1, 1, 1},
    /* a loss: lower is better */
    {{0.50, 0.01}, {0.50, 0.01}, {2.30, 0.01}, -1, 1, 1},
    {{2.29, 0.01}, {2.29, 0.01}, {2.30, 0.01}, -1, 0, 0},
    /* a utility that is not known */
    {{NAN, NAN}, {0.80, 0.01}, {0.10, 0.01}, 1, 0, 0},
    {{0.80, 0.01}, {NAN, NAN}, {0.10, 0.01}, 1, 0, 0},
    {{0.80, 0.01}, {0.80, 0.01}, {NAN, NAN}, 1, 0, 0},
};

static void only_good_models_are_from_elsewhere(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const control *c = &cases[i];
        if (gnt_metric_leaves_half(&c->with, &c->left, &c->nothing, c->sign) != c->half ||
            gnt_metric_leaves_all(&c->with, &c->left, &c->nothing, c->sign) != c->all)
            fail_msg("case %zu", i);
    }
}

static void the_best_is_by_the_sign(void **state) {
    (void)state;
    static const gnt_measured list[] = {{NAN, 0.1}, {0.2, 0.01}, {0.3, 0.02}, {0.1, 0.03}};
    assert_float_equal(gnt_metric_best(list, 4, 1).error, 0.02, 0);
    assert_float_equal(gnt_metric_best(list, 4, -1).error, 0.03, 0);
    assert_true(isnan(gnt_metric_best(list, 1, 1).value) && isnan(gnt_metric_best(list, 0, 1).value));
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(only_good_models_are_from_elsewhere),
                                       cmocka_unit_test(the_best_is_by_the_sign)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
