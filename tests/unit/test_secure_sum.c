/* Secure sums: the sum is right, and what the server sees of one client says nothing about its value. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "fl/secure_sum.h"

enum { CLIENTS = 9, N = 5 };

static void the_sum_is_the_sum(void **state) {
    (void)state;
    double value[CLIENTS * N], sum[N], expected[N] = {0};
    uint64_t masked[CLIENTS * N];
    gnt_key key = gnt_key_of_seed(4);
    gnt_stream random = gnt_stream_open(&key, "values");
    for (int i = 0; i < CLIENTS * N; i++) {
        value[i] = 1000 * gnt_random_normal(&random);
        expected[i % N] += value[i];
    }
    assert_int_equal(gnt_secure_sum(value, CLIENTS, N, &key, masked, sum, NULL), 0);
    for (int i = 0; i < N; i++)
        assert_true(fabs(sum[i] - expected[i]) <= CLIENTS * 0x1p-21);
}

/* Bits of one client's masked words are as good as fair coins though its values are all 0. */
static void one_client_is_hidden(void **state) {
    (void)state;
    enum { MANY = 4096 };
    static double value[2 * MANY], sum[MANY];
    static uint64_t masked[2 * MANY];
    gnt_key key = gnt_key_of_seed(4);
    assert_int_equal(gnt_secure_sum(value, 2, MANY, &key, masked, sum, NULL), 0);
    for (int bit = 0; bit < 64; bit++) {
        int ones = 0;
        for (int i = 0; i < MANY; i++)
            ones += (int)(masked[i] >> bit & 1);
        assert_in_range(ones, MANY / 2 - 5 * 32, MANY / 2 + 5 * 32); /* five deviations of √(4096/4) */
    }
}

/* Chance of a χ² this large or larger in 255 degrees of freedom (Wilson and Hilferty, 1931). */
static double chance_of(double chi_square) {
    const double v = 2.0 / (9 * 255);
    return erfc((cbrt(chi_square / 255) - (1 - v)) / sqrt(2 * v)) / 2;
}

/* The least chance over: each of the eight bytes of n words, and the first four bits of a word with those of
 * the next one. */
static double least_chance(const uint64_t *word, int n) {
    double least = 1;
    for (int bit = 0; bit <= 64; bit += 8) {
        const int seen = bit < 64 ? n : n / 2;
        double count[256] = {0}, expected = seen / 256.0, sum = 0;
        for (int i = 0; i < seen; i++)
            count[bit < 64 ? word[i] >> bit & 255 : word[2 * i] >> 60 << 4 | word[2 * i + 1] >> 60]++;
        for (int v = 0; v < 256; v++)
            sum += (count[v] - expected) * (count[v] - expected) / expected;
        least = fmin(least, chance_of(sum));
    }
    return least;
}

/* A million words of one client, who gives the same number of samples in each. The key is fixed, so that a
 * law that holds passes always; words that are a little less than uniform do not. */
static void words_of_one_client_are_uniform(void **state) {
    (void)state;
    enum { MANY = 1000000 };
    static double value[3 * MANY], sum[MANY];
    static uint64_t masked[3 * MANY], bad[MANY];
    for (int i = 0; i < 3 * MANY; i++)
        value[i] = 60 + i / MANY;
    gnt_key key = gnt_key_of_seed(4);
    assert_int_equal(gnt_secure_sum(value, 3, MANY, &key, masked, sum, NULL), 0);
    for (int i = 0; i < MANY; i++)
        assert_true(sum[i] == 60 + 61 + 62); /* exactly */
    for (int k = 0; k < 3; k++) {
        const double p = least_chance(masked + k * MANY, MANY);
        print_message("# client %d: least p of nine %.3f\n", k, p);
        assert_true(p > 1e-3);
    }
    for (int i = 0; i < MANY; i++) /* one in 100 without its mask */
        bad[i] = i % 100 ? masked[i] : (uint64_t)(60 * GNT_SUM_SCALE);
    assert_true(least_chance(bad, MANY) < 1e-6);
    for (int i = 0; i < MANY; i++) /* one in 50 without its highest bit */
        bad[i] = i % 50 ? masked[i] : masked[i] << 1 >> 1;
    assert_true(least_chance(bad, MANY) < 1e-6);
    for (int i = 0; i < MANY; i++) /* one in 20 with the first bits of the word before it */
        bad[i] = i % 20 == 1 ? masked[i] << 4 >> 4 | masked[i - 1] >> 60 << 60 : masked[i];
    assert_true(least_chance(bad, MANY) < 1e-6);
    assert_int_equal(gnt_secure_sum(value, 1, MANY, &key, bad, sum, NULL), 0); /* nobody to mask with */
    assert_true(least_chance(bad, MANY) < 1e-6);
}

static void a_sum_of_one_client_hides_nothing_and_works(void **state) {
    (void)state;
    double value[1] = {-2.5}, sum[1];
    uint64_t masked[1];
    gnt_key key = gnt_key_of_seed(4);
    assert_int_equal(gnt_secure_sum(value, 1, 1, &key, masked, sum, NULL), 0);
    assert_true(sum[0] == -2.5);
}

static void what_cannot_be_summed_is_refused(void **state) {
    (void)state;
    double value[2] = {NAN, 1}, huge[2] = {0x1p40, 0}, sum[1];
    uint64_t masked[2];
    gnt_key key = gnt_key_of_seed(4);
    gnt_err err = {0};
    assert_int_equal(gnt_secure_sum(value, 2, 1, &key, masked, sum, &err), -1);
    assert_true(err.text[0]);
    assert_int_equal(gnt_secure_sum(huge, 2, 1, &key, masked, sum, &err), -1);
    assert_int_equal(gnt_secure_sum(value, 0, 1, &key, masked, sum, &err), -1);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_sum_is_the_sum),
        cmocka_unit_test(one_client_is_hidden),
        cmocka_unit_test(words_of_one_client_are_uniform),
        cmocka_unit_test(a_sum_of_one_client_hides_nothing_and_works),
        cmocka_unit_test(what_cannot_be_summed_is_refused),
    };
    return cmocka_run_group_tests_name("secure sum", tests, NULL, NULL);
}
