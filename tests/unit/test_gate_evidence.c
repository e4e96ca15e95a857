/* The gate's statistics, against enumeration and formulas. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <math.h>

#include "base/random.h"
#include "gate/evidence.h"

/* P(Σ ±|x| ≥ Σ x) by trying every pattern, each sum from scratch. */
static double enumerate(const double *x, int n) {
    double seen = 0;
    long extreme = 0;
    for (int i = 0; i < n; i++)
        seen += x[i];
    for (long pattern = 0; pattern < 1L << n; pattern++) {
        double sum = 0;
        for (int i = 0; i < n; i++)
            sum += pattern >> i & 1 ? -fabs(x[i]) : fabs(x[i]);
        extreme += sum >= seen - 1e-9;
    }
    return (double)extreme / (double)(1L << n);
}

static void test_flips_are_those_of_enumeration(void **state) {
    (void)state;
    gnt_key key = gnt_key_of_seed(1);
    gnt_stream s = gnt_stream_open(&key, "x");
    for (int n = 1; n <= 12; n++) {
        double x[12];
        for (int i = 0; i < n; i++)
            x[i] = gnt_random_normal(&s) + 0.5;
        assert_float_equal(gnt_flip_tail(x, (size_t)n), enumerate(x, n), 1e-12);
    }
    double tied[] = {1, 1, 1, -1, 0, 0}; /* of 16 patterns of four ones: sums ≥ 2 are 1 + 4 */
    assert_float_equal(gnt_flip_tail(tied, 6), 5.0 / 16, 1e-12);
    double all[40];
    for (int i = 0; i < 40; i++)
        all[i] = 1 + 0.01 * i;
    assert_float_equal(gnt_flip_tail(all, 40) * ldexp(1, 40), 1, 1e-9); /* the one pattern that is seen */
    for (int i = 0; i < 40; i++)
        all[i] = -all[i];
    assert_float_equal(gnt_flip_tail(all, 40), 1, 0);
    assert_float_equal(gnt_flip_tail(all, 0), 1, 0);
}

/* Beyond 20 units the tail is approximated: within a twentieth of what enumeration says, far out too. Where
 * only a few patterns are left in it, a smooth tail is of its order. */
static void test_the_saddlepoint_is_near_enumeration(void **state) {
    (void)state;
    gnt_key key = gnt_key_of_seed(2);
    gnt_stream s = gnt_stream_open(&key, "x");
    for (int trial = 0; trial < 8; trial++) {
        double x[22];
        for (int i = 0; i < 22; i++) {
            double scale = trial % 2 && i % 4 == 0 ? 8 : 1; /* heavy tails too */
            x[i] = scale * gnt_random_normal(&s) + 0.2 * trial;
        }
        double p = gnt_flip_tail(x, 22), truth = enumerate(x, 22);
        const double near = truth * ldexp(1, 22) < 100 ? 0.5 : 0.05;
        if (fabs(p - truth) > near * truth)
            fail_msg("trial %d: %g, enumeration says %g", trial, p, truth);
    }
}

static void test_f_is_that_of_the_analysis_of_variance(void **state) {
    (void)state;
    /* seeds with means 2 and 6, grand mean 4: between 3·(4 + 4)/1 = 24; within (1 + 0 + 1) + (4 + 0 + 4) over
     * 4 = 2.5 */
    double d[] = {1, 2, 3, 4, 6, 8};
    int64_t seed[] = {1, 1, 1, 2, 2, 2};
    gnt_evidence e;
    assert_int_equal(gnt_evidence_weigh(&e, d, seed, 6, 0, NULL), 0);
    assert_float_equal(e.mean, 4, 1e-12);
    assert_float_equal(e.f, 24 / 2.5, 1e-12);
    assert_int_equal(e.seeds, 2);
    assert_float_equal(e.p_least, 1.0 / 64, 0);
    assert_float_equal(e.p_flip, 1.0 / 64, 1e-12);
    /* t = 4/√(2.5/6) = 6.1968 over √9.6 is 2; one freedom: P(t > 2) = 1/2 − atan(2)/π */
    gnt_evidence_pool none = {0};
    gnt_evidence_settle(&e, &none);
    assert_float_equal(e.t, 4 / sqrt(2.5 / 6), 1e-12);
    assert_float_equal(e.freedom, 4, 0);
    assert_float_equal(e.p, 0.5 - atan(2) / acos(-1), 1e-9);
    assert_true(e.p_less > 0.8);
}

static void test_the_weaker_evidence_counts(void **state) {
    (void)state;
    double d[] = {1, 1.1, 0.9, 1, 1, 1.1, 0.9, 1};
    int64_t seed[] = {1, 1, 1, 1, 2, 2, 2, 2};
    gnt_evidence e;
    gnt_evidence_pool many = {.sum = 20, .n = 20, .trainings = 20};
    assert_int_equal(gnt_evidence_weigh(&e, d, seed, 8, 0, NULL), 0);
    gnt_evidence_settle(&e, &many);
    assert_true(e.t > 30);
    assert_float_equal(e.p, 1.0 / 256, 1e-12); /* eight signs can say no more */
}

static void test_the_tolerance_is_no_evidence(void **state) {
    (void)state;
    double d[10];
    int64_t seed[10] = {0};
    gnt_evidence e;
    gnt_evidence_pool none = {0};
    for (int i = 0; i < 10; i++)
        d[i] = 0.4;
    gnt_evidence_weigh(&e, d, seed, 10, 0.5, NULL);
    gnt_evidence_settle(&e, &none);
    assert_true(e.p > 0.99); /* worse by 0.4 everywhere is within 0.5 */
    gnt_evidence_weigh(&e, d, seed, 10, 0.3, NULL);
    gnt_evidence_settle(&e, &none);
    assert_float_equal(e.p, 1.0 / 1024, 1e-9);
    d[3] = NAN;
    assert_int_equal(gnt_evidence_weigh(&e, d, seed, 10, 0.3, NULL), -1);
}

/* Where nothing scatters inside seeds they are the units: means 1 and 3, t = 2/(√2/√2) = 2, one freedom. */
static void test_seeds_that_say_the_same_of_all_targets(void **state) {
    (void)state;
    double d[] = {1, 1, 1, 1, 3, 3, 3, 3};
    int64_t seed[] = {1, 1, 1, 1, 2, 2, 2, 2};
    gnt_evidence e;
    gnt_evidence_pool many = {.sum = 20, .n = 20, .trainings = 20};
    gnt_evidence_weigh(&e, d, seed, 8, 0, NULL);
    gnt_evidence_settle(&e, &many);
    assert_true(isnan(e.f));
    assert_float_equal(e.p, 0.5 - atan(2) / acos(-1), 1e-9);
}

/* Where other comparisons of the task show that seeds scatter, a comparison that does not is doubted too. */
static void test_scatter_between_seeds_is_shared(void **state) {
    (void)state;
    double d[] = {1, 2, 3, 1, 2, 3}, other[] = {0, 1, 2, 6, 7, 8};
    int64_t seed[] = {1, 1, 1, 2, 2, 2};
    gnt_evidence e, wild;
    gnt_evidence_pool together = {.trainings = 2};
    gnt_evidence_weigh(&e, d, seed, 6, 0, NULL);
    gnt_evidence_weigh(&wild, other, seed, 6, 0, NULL);
    assert_float_equal(e.f, 0, 0);
    gnt_evidence_pool_add(&together, &e);
    gnt_evidence_pool_add(&together, &wild); /* F = 54, counted as 30: the mean is 15 */
    assert_float_equal(together.sum, 30, 1e-12);
    gnt_evidence_settle(&e, &together);
    /* t = 2/√(1/6) = 4.899 over √15 is 1.2649 = x; 2 + 1 freedoms: P(t > x) = 1/2 − (atan(x/√3) + (x/√3)/(1 +
     * x²/3))/π */
    double x = 2 / sqrt(1.0 / 6) / sqrt(15), y = x / sqrt(3);
    assert_float_equal(e.p, 0.5 - (atan(y) + y / (1 + y * y)) / acos(-1), 1e-9);
}

static void test_those_that_cannot_fail_do_not_count(void **state) {
    (void)state;
    /* alpha 0.05. K = 3 requires 0.0167: the three last reach it, three ≤ 3; K = 2 requires 0.025,
     * three > 2 */
    double p[] = {0.25, 0.004, 0.02, 0.5}, least[] = {0.25, 0.001, 0.001, 0.001};
    int can[4];
    assert_int_equal(gnt_evidence_family(p, least, can, 4, 0.05, NULL), 0);
    assert_int_equal(can[0], 0);
    assert_float_equal(p[0], 1, 0);
    assert_float_equal(p[1], 0.012, 1e-12); /* Holm over three */
    assert_float_equal(p[2], 0.04, 1e-12);
    assert_float_equal(p[3], 0.5, 1e-12);
    /* K that swings when it is sought by repetition: five at 0.012, three of them at 0.004 */
    double q[] = {0.012, 0.012, 0.004, 0.004, 0.004};
    double same[] = {0.012, 0.012, 0.004, 0.004, 0.004};
    int able[5];
    assert_int_equal(gnt_evidence_family(q, same, able, 5, 0.05, NULL), 0);
    assert_false(able[0]); /* K = 4 would let five in, so K is 5 */
    assert_true(able[4]);
    assert_int_equal(gnt_evidence_family(q, same, able, 0, 0.05, NULL), 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_flips_are_those_of_enumeration),
                                       cmocka_unit_test(test_the_saddlepoint_is_near_enumeration),
                                       cmocka_unit_test(test_f_is_that_of_the_analysis_of_variance),
                                       cmocka_unit_test(test_the_weaker_evidence_counts),
                                       cmocka_unit_test(test_seeds_that_say_the_same_of_all_targets),
                                       cmocka_unit_test(test_the_tolerance_is_no_evidence),
                                       cmocka_unit_test(test_scatter_between_seeds_is_shared),
                                       cmocka_unit_test(test_those_that_cannot_fail_do_not_count)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
