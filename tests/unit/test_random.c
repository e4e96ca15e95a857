/* Streams of random numbers: reproducible, named, and of the stated laws. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "base/random.h"

static void same_key_same_numbers(void **state) {
    (void)state;
    gnt_key key = gnt_key_of_seed(7);
    gnt_stream a = gnt_stream_open(&key, "noise"), b = gnt_stream_open(&key, "noise");
    for (int i = 0; i < 1000; i++)
        assert_int_equal(gnt_random_u32(&a), gnt_random_u32(&b));
}

static void names_and_keys_separate_streams(void **state) {
    (void)state;
    gnt_key key = gnt_key_of_seed(7), other = gnt_key_of_seed(8), child = gnt_key_derive(&key, "noise");
    gnt_stream s[4] = {gnt_stream_open(&key, "noise"), gnt_stream_open(&key, "noisf"),
                       gnt_stream_open(&other, "noise"), gnt_stream_open(&child, "noise")};
    uint32_t first[4][4];
    for (int i = 0; i < 4; i++)
        for (int j = 0; j < 4; j++)
            first[i][j] = gnt_random_u32(&s[i]);
    for (int i = 0; i < 4; i++)
        for (int j = 0; j < i; j++)
            assert_int_not_equal(memcmp(first[i], first[j], sizeof first[i]), 0);
}

/* A fill gives what single draws give, and leaves the stream where they leave it: from each place in a block,
 * at sizes around those of the blocks computed at once, and where the counter's lower word overflows. */
static void fills_equal_single_draws(void **state) {
    (void)state;
    static const size_t sizes[] = {0, 1, 2, 3, 127, 128, 129, 255, 1000, 5000};
    static float filled[5000];
    const gnt_key key = gnt_key_of_seed(7);
    for (unsigned before = 0; before < 6; before++)
        for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++)
            for (int laplace = 0; laplace < 2; laplace++) {
                gnt_stream one = gnt_stream_open(&key, "noise");
                one.counter[0] = before % 2 ? UINT32_MAX - 40 : 0;
                for (unsigned b = 0; b < before; b++)
                    gnt_random_u32(&one);
                gnt_stream fill = one;
                (laplace ? gnt_random_laplaces : gnt_random_normals)(&fill, filled, sizes[k]);
                for (size_t i = 0; i < sizes[k]; i++) {
                    const double draw = (laplace ? gnt_random_laplace : gnt_random_normal)(&one);
                    assert_true(filled[i] == (float)draw);
                }
                for (int i = 0; i < 5; i++)
                    assert_int_equal(gnt_random_u32(&fill), gnt_random_u32(&one));
            }
}

enum { DRAWS = 200000 };

/* Mean within 5 standard errors, variance within 5 of its own (kurtosis bounds the latter). */
static void check_moments(double (*draw)(gnt_stream *), double mean, double variance, double kurtosis) {
    gnt_key key = gnt_key_of_seed(3);
    gnt_stream s = gnt_stream_open(&key, "moments");
    double sum = 0, square = 0;
    for (int i = 0; i < DRAWS; i++) {
        double x = draw(&s) - mean;
        sum += x;
        square += x * x;
    }
    assert_true(fabs(sum / DRAWS) < 5 * sqrt(variance / DRAWS));
    assert_true(fabs(square / DRAWS - variance) < 5 * variance * sqrt((kurtosis - 1) / DRAWS));
}

static double gamma_small(gnt_stream *s) {
    return gnt_random_gamma(s, 0.5);
}

static void laws_have_their_moments(void **state) {
    (void)state;
    check_moments(gnt_random_uniform, 0.5, 1.0 / 12, 1.8);
    check_moments(gnt_random_normal, 0, 1, 3);
    check_moments(gnt_random_laplace, 0, 2, 6);
    check_moments(gamma_small, 0.5, 0.5, 15);
}

/* In every stretch of a quarter of a deviation as many as the law says, and behind the last layer of the
 * ziggurat (3.654 deviations), on either side; within 5 standard errors. */
static void normal_has_its_shape(void **state) {
    (void)state;
    enum { MANY = 4000000, HALF = 15, BINS = 2 * HALF + 2 };
    const double reach = 3.6541528853610088;
    gnt_key key = gnt_key_of_seed(11);
    gnt_stream s = gnt_stream_open(&key, "shape");
    double edge[BINS + 1], far = 0;
    long count[BINS] = {0};
    for (int i = -HALF; i <= HALF; i++)
        edge[i + HALF + 1] = i == -HALF ? -reach : i == HALF ? reach : i * 0.25;
    edge[0] = -INFINITY;
    edge[BINS] = INFINITY;
    for (long n = 0; n < MANY; n++) {
        const double x = gnt_random_normal(&s);
        int b = (int)floor(x * 4) + HALF + 1;
        b = x < -reach ? 0 : x >= reach ? BINS - 1 : b < 1 ? 1 : b > BINS - 2 ? BINS - 2 : b;
        count[b]++;
        far = fmax(far, fabs(x));
    }
    for (int b = 0; b < BINS; b++) {
        const double p = (erfc(-edge[b + 1] / M_SQRT2) - erfc(-edge[b] / M_SQRT2)) / 2;
        assert_true(fabs((double)count[b] - MANY * p) < 5 * sqrt(MANY * p * (1 - p)));
    }
    assert_true(far > 4.5 && far < 7);
}

static void below_is_even_and_bounded(void **state) {
    (void)state;
    gnt_key key = gnt_key_of_seed(5);
    gnt_stream s = gnt_stream_open(&key, "below");
    int count[7] = {0};
    for (int i = 0; i < 70000; i++) {
        uint64_t x = gnt_random_below(&s, 7);
        assert_true(x < 7);
        count[x]++;
    }
    for (int i = 0; i < 7; i++)
        assert_in_range(count[i], 9500, 10500);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(same_key_same_numbers),    cmocka_unit_test(names_and_keys_separate_streams),
        cmocka_unit_test(fills_equal_single_draws), cmocka_unit_test(laws_have_their_moments),
        cmocka_unit_test(normal_has_its_shape),     cmocka_unit_test(below_is_even_and_bounded),
    };
    return cmocka_run_group_tests_name("random", tests, NULL, NULL);
}
