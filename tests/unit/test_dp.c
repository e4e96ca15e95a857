/* Privacy accounting, against tests/golden/dp.py (the printed formula in 120 digits) and against its own
 * inverses. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "gauntlet/dp.h"

static int close_to(double got, double expected, double relative) {
    return fabs(got - expected) <= relative * fabs(expected);
}

static const struct {
    double sigma, epsilon, sensitivity, delta;
} deltas[] = {
    {1, 1, 1, 0.126936737506643946},
    {0.5, 0.1, 1, 0.666639515528845977},
    {4, 0.25, 1, 0.0234854811937915626},
    {100, 0.01, 1, 0.000837324267477342295},
    {100, 0.03, 1, 3.87925642213078313e-6},
    {10000.0, 0.0001, 1, 8.33196363992520879e-6},
    {10000.0, 0.002, 1, 1.37138319075313367e-94},
    {1000000.0, 0, 1, 3.98942280401416055e-7},
    {1000000.0, 8e-06, 1, 7.5502926130556543e-23},
    {1, 8, 1, 3.65082168742179086e-15},
    {1, 20, 1, 2.66470670536549765e-86},
    {1, 35, 1, 1.1279712145050899e-262},
    {0.1, 60, 1, 0.136835380396461131},
    {0.01, 5100, 1, 0.15625973896910934},
    {0.02, 800, 1, 1.0},
    {3, 1, 2.5, 0.0727143732990104652},
    {10.5, 0.2, 1, 0.000680203584362925874},
    {9.5, 0.2, 1, 0.0012846143964217689},
};

static const struct {
    double sigma, delta, epsilon;
} epsilons[] = {
    {1, 1e-05, 4.37717809568122461},       {0.5, 1e-05, 9.99725614643430036},
    {5, 1e-05, 0.725521750857795823},      {50, 1e-06, 0.0709606829854331576},
    {1, 1e-10, 6.547924066864951},         {0.01, 1e-05, 5425.50984614742935},
    {1000, 1e-05, 0.00193872496986010993}, {4, 1e-08, 1.29268005381998837},
};

static void deltas_keep_their_precision_in_the_tails(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof deltas / sizeof *deltas; i++)
        assert_true(close_to(gnt_dp_gaussian_delta(deltas[i].sigma, deltas[i].epsilon, deltas[i].sensitivity),
                             deltas[i].delta, 1e-12));
}

static void epsilons_and_sigmas(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof epsilons / sizeof *epsilons; i++) {
        double s = epsilons[i].sigma, d = epsilons[i].delta, e = epsilons[i].epsilon;
        assert_true(close_to(gnt_dp_gaussian_epsilon(s, d, 1), e, 1e-11));
        assert_true(close_to(gnt_dp_gaussian_sigma(e, d, 1), s, 1e-11));
        /* only the ratio of noise and sensitivity counts */
        assert_true(close_to(gnt_dp_gaussian_epsilon(s * 1e-7, d, 1e-7), e, 1e-11));
        assert_true(close_to(gnt_dp_gaussian_sigma(e, d, 22), 22 * s, 1e-11));
    }
}

static void answers_are_on_the_safe_side(void **state) {
    (void)state;
    for (double sigma = 0.03; sigma < 2000; sigma *= 3)
        for (double delta = 0.1; delta > 1e-14; delta /= 30) {
            double e = gnt_dp_gaussian_epsilon(sigma, delta, 1);
            assert_true(gnt_dp_gaussian_delta(sigma, e, 1) <= delta);
            double s = gnt_dp_gaussian_sigma(0.5, delta, sigma);
            assert_true(gnt_dp_gaussian_delta(s, 0.5, sigma) <= delta);
        }
}

/* delta falls with epsilon and with sigma, also across the places where one formula takes over from another
 */
static void delta_is_monotone(void **state) {
    (void)state;
    for (double sigma = 0.02; sigma < 300; sigma *= 1.7) {
        double last = 1;
        for (double e = 0; e < 60; e = e * 1.05 + 0.001) {
            double d = gnt_dp_gaussian_delta(sigma, e, 1);
            assert_true(d >= 0 && d <= last);
            last = d;
        }
    }
    for (double e = 0.001; e < 40; e *= 3) {
        double last = 1;
        for (double sigma = 0.05; sigma < 200; sigma *= 1.01) {
            double d = gnt_dp_gaussian_delta(sigma, e, 1);
            assert_true(d <= last);
            last = d;
        }
    }
}

static void limits(void **state) {
    (void)state;
    assert_true(isinf(gnt_dp_gaussian_epsilon(0, 1e-5, 1)));
    assert_true(isinf(gnt_dp_gaussian_epsilon(1, 0, 1)));
    assert_true(isinf(gnt_dp_gaussian_sigma(1, 0, 1)));
    assert_true(gnt_dp_gaussian_epsilon(1e9, 1e-5, 1) == 0); /* total variation is below delta */
    assert_true(gnt_dp_gaussian_epsilon(0, 1e-5, 0) == 0 && gnt_dp_gaussian_sigma(1, 1e-5, 0) == 0);
    assert_true(gnt_dp_gaussian_delta(0, 3, 1) == 1 && gnt_dp_gaussian_delta(INFINITY, 0, 1) == 0);
    assert_true(gnt_dp_gaussian_delta(1e-300, 1, 1e10) == 1);
    assert_true(gnt_dp_gaussian_delta(0.05, 1200, 1) >= 0 && gnt_dp_gaussian_delta(0.05, 1200, 1) < 1e-300);
    /* at epsilon 0, delta is the total variation 2 Φ(m/2) − 1 = erf(m/√8), and sigma its inverse */
    for (double m = 1e-6; m < 20; m *= 7) {
        assert_true(close_to(gnt_dp_gaussian_delta(1, 0, m), erf(m / sqrt(8)), 1e-13));
        if (m < 5)
            assert_true(close_to(gnt_dp_gaussian_sigma(0, erf(m / sqrt(8)), 1), 1 / m, 1e-11));
    }
    assert_true(isnan(gnt_dp_gaussian_epsilon(-1, 1e-5, 1)) && isnan(gnt_dp_gaussian_epsilon(1, 1.5, 1)));
    assert_true(isnan(gnt_dp_gaussian_sigma(NAN, 1e-5, 1)) && isnan(gnt_dp_gaussian_delta(1, NAN, 1)));
}

/* 100 releases are one of ten times the sensitivity; zCDP's bound is never better than the exact one. */
static void plain_conversions(void **state) {
    (void)state;
    assert_true(gnt_dp_laplace_epsilon(0.5, 2) == 4 && gnt_dp_laplace_scale(4, 2) == 0.5);
    assert_true(isinf(gnt_dp_laplace_epsilon(0, 1)) && gnt_dp_laplace_epsilon(0, 0) == 0);
    assert_true(isnan(gnt_dp_laplace_epsilon(-1, 1)));
    assert_true(gnt_dp_zcdp_gaussian(2, 3) == 1.125 && gnt_dp_zcdp_pure(0.5) == 0.125);
    assert_true(close_to(gnt_dp_zcdp_epsilon(0.5, 1e-5), 0.5 + 2 * sqrt(0.5 * log(1e5)), 1e-15));
    for (double sigma = 0.3; sigma < 100; sigma *= 2) {
        double exact = gnt_dp_gaussian_epsilon(sigma, 1e-5, 1);
        double bound = gnt_dp_zcdp_epsilon(gnt_dp_zcdp_gaussian(sigma, 1), 1e-5);
        assert_true(exact < bound && bound < 3 * exact);
        assert_true(close_to(gnt_dp_zcdp_gaussian(sigma, 10), 100 * gnt_dp_zcdp_gaussian(sigma, 1), 1e-14));
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(deltas_keep_their_precision_in_the_tails),
        cmocka_unit_test(epsilons_and_sigmas),
        cmocka_unit_test(answers_are_on_the_safe_side),
        cmocka_unit_test(delta_is_monotone),
        cmocka_unit_test(limits),
        cmocka_unit_test(plain_conversions),
    };
    return cmocka_run_group_tests_name("dp", tests, NULL, NULL);
}
