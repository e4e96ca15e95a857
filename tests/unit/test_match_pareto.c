/* Pareto fronts, against the definition tried on every pair, and areas worked out by hand and by counting. */
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

static void area_by_hand(void **state) {
    (void)state;
    /* from the corner (0.1, 1): strips 0.8 × 0.2 (leakage 1 to 0.8), 0.5 × 0.5 (to 0.3), 0.1 × 0.2 (to 0.1)
     */
    const gnt_match_tradeoff p[] = {{0.6, 0.3}, {0.9, 0.8}, {0.2, 0.1}, {0.5, 0.9},
                                    {0.05, 0},  {NAN, 0},   {0.6, 0.3}};
    double area;
    assert_int_equal(gnt_match_area(&area, p, 7, (gnt_match_tradeoff){0.1, 1}, NULL), 0);
    assert_true(fabs(area - (0.16 + 0.25 + 0.02)) < 1e-12);
    assert_int_equal(gnt_match_area(&area, p, 7, (gnt_match_tradeoff){0.95, 1}, NULL), 0);
    assert_true(area == 0);
    assert_int_equal(gnt_match_area(&area, p, 0, (gnt_match_tradeoff){0, 1}, NULL), 0);
    assert_true(area == 0);
}

/* On a grid of whole numbers the area is the number of unit cells that some point dominates. */
static void area_by_counting(void **state) {
    (void)state;
    gnt_key key = gnt_key_of_seed(4);
    gnt_stream s = gnt_stream_open(&key, "cells");
    for (int round = 0; round < 200; round++) {
        gnt_match_tradeoff p[MOST];
        size_t n = gnt_random_below(&s, MOST);
        double area;
        for (size_t i = 0; i < n; i++)
            p[i] = (gnt_match_tradeoff){(double)gnt_random_below(&s, 12), (double)gnt_random_below(&s, 12)};
        int cells = 0;
        for (int u = 2; u < 12; u++)
            for (int l = 0; l < 9; l++) {
                int covered = 0;
                for (size_t i = 0; i < n; i++)
                    covered |= p[i].utility >= u + 1 && p[i].leakage <= l;
                cells += covered;
            }
        assert_int_equal(gnt_match_area(&area, p, n, (gnt_match_tradeoff){2, 9}, NULL), 0);
        assert_true(area == cells);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(front_is_the_definition),
        cmocka_unit_test(area_by_hand),
        cmocka_unit_test(area_by_counting),
    };
    return cmocka_run_group_tests_name("match pareto", tests, NULL, NULL);
}
