/* Leakage at equal utility: known answers on straight and broken lines, what is not answered, the jackknife
 * against its closed form, and by simulation how often the interval holds the truth. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "base/random.h"
#include "metric/interpolate.h"
#include "metric/stats.h"

static gnt_equal read_at(const gnt_equal_point *p, size_t strengths, size_t seeds, double at) {
    gnt_equal e;
    assert_int_equal(gnt_metric_equal(&e, p, strengths, seeds, at, NULL, NULL), 0);
    return e;
}

static int near(double a, double b) {
    return fabs(a - b) < 1e-9 * (1 + fabs(b));
}

/* Utility falls .9, .8, .6; leakage 30, 24, 10. */
static void broken_lines(void **state) {
    (void)state;
    const gnt_equal_point p[] = {{0.9, 30}, {0.8, 24}, {0.6, 10}};
    static const double known[][2] = {{0.9, 30}, {0.85, 27}, {0.8, 24}, {0.75, 20.5}, {0.7, 17}, {0.6, 10}};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        const gnt_equal e = read_at(p, 3, 1, known[i][0]);
        assert_int_equal(e.verdict, GNT_EQUAL_FOUND);
        assert_true(near(e.value, known[i][1]));
        assert_true(isnan(e.low) && isnan(e.high) && e.seeds == 1 && e.strengths == 3);
    }
    gnt_equal e = read_at(p, 3, 1, 0.7);
    assert_true(e.from == 1 && e.to == 2);
    e = read_at(p, 3, 1, 0.8);
    assert_true(e.from == 1 && e.to == 1);
    /* the same curve with its strengths in the other order */
    const gnt_equal_point back[] = {p[2], p[1], p[0]};
    assert_true(near(read_at(back, 3, 1, 0.75).value, 20.5));
    /* and with the two exchanged: utility at a leakage of 17 */
    const gnt_equal_point other[] = {{30, 0.9}, {24, 0.8}, {10, 0.6}};
    assert_true(near(read_at(other, 3, 1, 17).value, 0.7));
}

/* Each seed's two training runs moved to x = at by the slope of the means, 20 dB for each tenth: (1 − part)
 * of one and part of the other. The mean over seeds is the answer. */
static void seeds_say_their_part(void **state) {
    (void)state;
    const gnt_equal_point p[] = {{0.92, 31}, {0.88, 29}, {NAN, 5}, {0.79, 11}, {0.81, 9}, {0.8, 10}};
    gnt_equal e;
    double by_seed[3];
    assert_int_equal(gnt_metric_equal(&e, p, 2, 3, 0.85, by_seed, NULL), 0);
    assert_true(near(e.value, 20));
    /* seed 0: 31 − 200·.07 = 17 and 11 + 200·.06 = 23, half of each */
    assert_true(near(by_seed[0] + by_seed[1], 40) && isnan(by_seed[2]));
    const gnt_equal_point q[] = {{0.9, 31}, {0.9, 29}, {0.82, 10}, {0.78, 10}};
    assert_int_equal(gnt_metric_equal(&e, q, 2, 2, 0.85, by_seed, NULL), 0);
    /* 31 − 10 = 21 and 10 + 6 = 16; 29 − 10 = 19 and 10 + 14 = 24: 18.5 and 21.5, wider by the jackknife */
    assert_true(near(by_seed[0] + by_seed[1], 40) && near(e.value, 20));
    assert_true(e.error >= 1.5 && near((by_seed[1] - by_seed[0]) / 2, e.error));
    assert_int_equal(gnt_metric_equal(&e, q, 2, 2, 0.95, by_seed, NULL), 0);
    assert_true(isnan(by_seed[0]) && isnan(by_seed[1]));
}

static void nothing_is_extrapolated(void **state) {
    (void)state;
    const gnt_equal_point p[] = {{0.9, 30}, {0.8, 24}, {0.6, 10}};
    gnt_equal e = read_at(p, 3, 1, 0.91);
    assert_true(e.verdict == GNT_EQUAL_ALL_BELOW && isnan(e.value));
    e = read_at(p, 3, 1, 0.59);
    assert_true(e.verdict == GNT_EQUAL_ALL_ABOVE && isnan(e.value));
    e = read_at(p, 1, 1, 0.9);
    assert_true(e.verdict == GNT_EQUAL_NO_CURVE && isnan(e.value));
    const gnt_equal_point lost[] = {{0.9, 30}, {NAN, 24}, {0.6, NAN}};
    assert_int_equal(read_at(lost, 3, 1, 0.7).verdict, GNT_EQUAL_NO_CURVE);
    assert_int_equal(read_at(p, 3, 1, NAN).verdict, GNT_EQUAL_NO_CURVE);
    const gnt_equal_point level[] = {{0.8, 30}, {0.8, 24}};
    assert_true(isnan(read_at(level, 2, 1, 0.8).value)); /* which of the two? */
}

/* Where weak strengths cost no utility their means go up and down by chance: .80, .82, .84 are pooled to
 * .82, and the answer lies between the strongest of them and the next, whose leakages are 20 and 10. */
static void what_rises_by_chance_is_pooled(void **state) {
    (void)state;
    const gnt_equal_point p[] = {{0.80, 60}, {0.82, 40}, {0.84, 20}, {0.72, 10}};
    const gnt_equal e = read_at(p, 4, 1, 0.77);
    assert_true(near(e.value, 15) && e.from == 2 && e.to == 3);
}

/* One straight line y = 100 x between two strengths, and both seeds on it: wherever the seeds are, the
 * answer is that of the line, and the error is 0. */
static void scatter_along_the_curve_costs_nothing(void **state) {
    (void)state;
    const gnt_equal_point p[] = {{0.91, 91}, {0.87, 87}, {0.70, 70}, {0.76, 76}};
    const gnt_equal e = read_at(p, 2, 2, 0.8);
    assert_true(near(e.value, 80) && e.error < 1e-9 && e.seeds == 2);
}

/* Utilities without scatter: at x = .8, half of the way, y of a seed is the mean of its two, and the
 * jackknife of a mean is the usual error: y = 1, 2, 6 has deviation √7, error √(7/3), t(2) = 4.302653. */
static void jackknife_of_a_mean(void **state) {
    (void)state;
    const gnt_equal_point p[] = {{0.9, 2}, {0.9, 4}, {0.9, 7}, {0.7, 0}, {0.7, 0}, {0.7, 5}};
    const gnt_equal e = read_at(p, 2, 3, 0.8);
    assert_true(near(e.value, 3));
    assert_true(near(e.error, sqrt(7.0 / 3)));
    assert_true(fabs(e.high - e.value - 4.302653 * sqrt(7.0 / 3)) < 1e-5 &&
                near(e.value - e.low, e.high - e.value));
}

/* Leakage without scatter, slope s = 300 dB per unit of utility: the error of utility comes out times s. Both
 * strengths of a seed are off by the same, so the mean's error is deviation/√n. */
static void error_of_utility_is_carried_over(void **state) {
    (void)state;
    static const double off[] = {-0.01, 0, 0.01, 0.02, -0.02};
    gnt_equal_point p[10];
    for (int s = 0; s < 5; s++) {
        p[s] = (gnt_equal_point){0.85 + off[s], 30};
        p[5 + s] = (gnt_equal_point){0.75 + off[s], 0};
    }
    const gnt_equal e = read_at(p, 2, 5, 0.8);
    assert_true(near(e.value, 15));
    assert_true(near(e.error, 300 * sqrt(0.00025 / 5)));
}

static void a_seed_that_is_missing(void **state) {
    (void)state;
    gnt_equal_point p[] = {{0.9, 30}, {0.9, 32}, {NAN, NAN}, {0.7, 10}, {0.7, 12}, {NAN, NAN}};
    gnt_equal e = read_at(p, 2, 3, 0.8);
    assert_true(e.seeds == 2 && near(e.value, 21) && isfinite(e.low));
    p[1].x = NAN; /* without the first seed the weaker strength has no training */
    e = read_at(p, 2, 3, 0.8);
    assert_true(e.seeds == 2 && near(e.value, (30 + 11) / 2.0) && isnan(e.low));
}

/* How often the interval at five training runs holds the truth. The curve is 15 + 300·(u − .8) dB, bent by
 * `bend`; the three strengths are where a search and its bracket may end up: the middle one up to a
 * tolerance (.02) off, the others 1.5 tolerances from the target. One training's utility scatters by
 * `scatter` tolerances, its leakage by 1.5 dB, of which `together` is the same at all strengths. */
static double coverage(double scatter, double together, double bend, double *width, double *by_seeds) {
    enum { RUNS = 20000, SEEDS = 5 };
    gnt_key key = gnt_key_of_seed(5);
    gnt_stream stream = gnt_stream_open(&key, "equal");
    int covered = 0, read = 0, covered_by_seeds = 0;
    double sum = 0, by_seed[SEEDS], centre[SEEDS] = {15, 15, 15, 15, 15};
    for (int run = 0; run < RUNS; run++) {
        const double off = 0.02 * (2 * gnt_random_uniform(&stream) - 1);
        const double at[3] = {0.83, 0.8 + off, 0.77};
        gnt_equal_point p[3 * SEEDS];
        for (int s = 0; s < SEEDS; s++) {
            const double u0 = gnt_random_normal(&stream), y0 = gnt_random_normal(&stream);
            for (int k = 0; k < 3; k++) {
                const double own = sqrt(1 - together * together), d = at[k] - 0.8;
                const double u = together * u0 + own * gnt_random_normal(&stream);
                const double y = together * y0 + own * gnt_random_normal(&stream);
                p[k * SEEDS + s] =
                    (gnt_equal_point){at[k] + 0.02 * scatter * u, 15 + 300 * d + bend * d * d + 1.5 * y};
            }
        }
        gnt_equal e;
        gnt_metric_difference d;
        assert_int_equal(gnt_metric_equal(&e, p, 3, SEEDS, 0.8, by_seed, NULL), 0);
        if (e.verdict != GNT_EQUAL_FOUND)
            continue;
        read++;
        covered += e.low <= 15 && 15 <= e.high;
        sum += e.high - e.low;
        assert_int_equal(gnt_metric_paired(&d, by_seed, centre, SEEDS, NULL), 0);
        covered_by_seeds += d.p > 0.05;
    }
    *by_seeds = (double)covered_by_seeds / read;
    *width = sum / read;
    assert_true(read > RUNS * 0.98);
    return (double)covered / read;
}

static void the_interval_holds_the_truth(void **state) {
    (void)state;
    static const double scatter[] = {0.25, 0.5, 1}, together[] = {0, 0.8};
    for (size_t i = 0; i < 3; i++)
        for (size_t k = 0; k < 2; k++)
            for (int bent = 0; bent < 2; bent++) {
                double width, by_seeds;
                const double c = coverage(scatter[i], together[k], bent ? 1000 : 0, &width, &by_seeds);
                print_message(
                    "scatter %.2f tolerances, %.1f together%s: %.3f of the intervals hold, %.1f dB; "
                    "%.3f of the tests over seeds\n",
                    scatter[i], together[k], bent ? ", bent" : "", c, width, by_seeds);
                assert_true(c >= 0.93 && by_seeds >= 0.93);
            }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(broken_lines),
        cmocka_unit_test(seeds_say_their_part),
        cmocka_unit_test(nothing_is_extrapolated),
        cmocka_unit_test(what_rises_by_chance_is_pooled),
        cmocka_unit_test(scatter_along_the_curve_costs_nothing),
        cmocka_unit_test(jackknife_of_a_mean),
        cmocka_unit_test(error_of_utility_is_carried_over),
        cmocka_unit_test(a_seed_that_is_missing),
        cmocka_unit_test(the_interval_holds_the_truth),
    };
    return cmocka_run_group_tests_name("metric_equal", tests, NULL, NULL);
}
