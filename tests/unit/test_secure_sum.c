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

/* χ² of the 256 values that bytes take: 255 degrees of freedom, deviation √510. */
static double chi_square_of_bytes(const uint64_t *word, int n) {
    double count[256] = {0}, expected = 8.0 * n / 256, sum = 0;
    for (int i = 0; i < n; i++)
        for (int b = 0; b < 64; b += 8)
            count[word[i] >> b & 255]++;
    for (int v = 0; v < 256; v++)
        sum += (count[v] - expected) * (count[v] - expected) / expected;
    return sum;
}

/* Whatever a client's value is; its words without a mask are far from it. */
static void masked_words_are_uniform_bytes(void **state) {
    (void)state;
    enum { MANY = 8192 };
    static double value[3 * MANY], sum[MANY];
    static uint64_t masked[3 * MANY], alone[MANY];
    for (int i = 0; i < 3 * MANY; i++)
        value[i] = 60 + i / MANY; /* numbers of samples */
    gnt_key key = gnt_key_of_seed(4);
    assert_int_equal(gnt_secure_sum(value, 3, MANY, &key, masked, sum, NULL), 0);
    for (int k = 0; k < 3; k++) {
        double found = chi_square_of_bytes(masked + k * MANY, MANY);
        assert_true(fabs(found - 255) < 5 * sqrt(510));
    }
    assert_int_equal(gnt_secure_sum(value, 1, MANY, &key, alone, sum, NULL), 0);
    assert_true(chi_square_of_bytes(alone, MANY) > 1e5);
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
        cmocka_unit_test(masked_words_are_uniform_bytes),
        cmocka_unit_test(a_sum_of_one_client_hides_nothing_and_works),
        cmocka_unit_test(what_cannot_be_summed_is_refused),
    };
    return cmocka_run_group_tests_name("secure sum", tests, NULL, NULL);
}
