/* Pareto fronts, against the definition tried on every pair. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "base/random.h"
#include "match/pareto.h"

enum { MOST = 30 };

static int beats(gnt_match_tradeoff a, gnt_match_tradeoff b) {
    return a.utility >= b.utility && a.leakage <= b.leakage &&
           (a.utility > b.utility || a.leakage < b.leakage);
}

static void front_is_the_definition(void **state) {
    (void)state;
    gnt_key key = gnt_key_of_seed(2);
    gnt_stream s = gnt_stream_open(&key, "points");
    for (int round = 0; round < 300; round++) {
        gnt_match_tradeoff p[MOST];
        unsigned char on[MOST];
        size_t order[MOST], found, n = gnt_random_below(&s, MOST + 1), expected = 0;
        for (size_t i = 0; i < n; i++) /* few distinct values: many ties and equal points */
            p[i] = (gnt_match_tradeoff){(double)gnt_random_below(&s, 7), (double)gnt_random_below(&s, 7)};
        if (n > 3)
            p[3].leakage = NAN;
        assert_int_equal(gnt_match_pareto(on, order, &found, p, n, NULL), 0);
        for (size_t i = 0; i < n; i++) {
            int beaten = isnan(p[i].leakage);
            for (size_t j = 0; j < n; j++)
                beaten |= beats(p[j], p[i]);
            assert_int_equal(on[i], !beaten);
            expected += !beaten;
        }
        assert_int_equal(found, expected);
        for (size_t i = 0; i < found; i++) {
            assert_true(on[order[i]]);
            if (i == 0)
                continue;
            double a = p[order[i - 1]].utility, b = p[order[i]].utility;
            assert_true(a < b || (a == b && order[i - 1] < order[i]));
        }
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(front_is_the_definition),
    };
    return cmocka_run_group_tests_name("match pareto", tests, NULL, NULL);
}
