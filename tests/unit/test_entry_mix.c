/* A matrix of which each entry is that of one of two or three matrices of rank one, found again; and what is
 * no such matrix is not taken for one. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>

#include "base/random.h"
#include "../../plugins/attacks/gradient/linear/entry_mix.c"

enum { ROWS = 40, COLUMNS = 301 };

static double m[ROWS * COLUMNS], value[COLUMNS], us[ROWS], vs[COLUMNS];
static double found_u[ENTRY_MIX_MOST * ROWS], found_v[ENTRY_MIX_MOST * COLUMNS];
static double u[3][ROWS], v[3][COLUMNS];
static uint8_t left[ROWS * COLUMNS];

static int always(void *user) {
    (void)user;
    return 1;
}

static int never(void *user) {
    (void)user;
    return 0;
}

/* Draws `n` samples, half of whose pixels are 0, and their δ, of which a third are 0; the last column is the
 * bias. */
static void draw(gnt_stream *random, int n) {
    for (int k = 0; k < n; k++) {
        for (int i = 0; i < ROWS; i++)
            u[k][i] = i % 3 == 2 ? 0 : gnt_random_normal(random);
        for (int j = 0; j < COLUMNS; j++)
            v[k][j] = gnt_random_uniform(random) < 0.5 ? 0 : 0.1 + gnt_random_uniform(random);
        v[k][COLUMNS - 1] = 1;
    }
}

static entry_mix find(int (*may_go_on)(void *user)) {
    entry_mix e = {.rows = ROWS, .columns = COLUMNS, .m = m, .value = value, .u = found_u, .v = found_v};
    e.us = us;
    e.vs = vs;
    e.left = left;
    entry_mix_find(&e, may_go_on, NULL);
    return e;
}

/* Returns how many of a sample's pixels the k-th matrix found gives, or −1 if it is not that sample. */
static int matches(int k, int sample) {
    const double *w = found_v + k * COLUMNS, bias = w[COLUMNS - 1];
    int n = 0;
    for (int j = 0; j < COLUMNS; j++) {
        if (isnan(w[j]))
            continue;
        if (!(fabs(w[j] / bias - v[sample][j]) < 1e-4))
            return -1;
        n++;
    }
    return n;
}

static void samples_of_drawn_entries_are_found_whole(void **state) {
    (void)state;
    const gnt_key key = gnt_key_of_seed(3);
    gnt_stream random = gnt_stream_open(&key, "entries");
    draw(&random, 2);
    for (int i = 0; i < ROWS; i++)
        for (int j = 0; j < COLUMNS; j++) {
            const int k = gnt_random_uniform(&random) < 0.5;
            m[i * COLUMNS + j] = (float)(u[k][i] * v[k][j]);
        }
    const entry_mix e = find(always);
    assert_int_equal(e.n, 2);
    assert_true(e.explained > 0.999);
    const int first = matches(0, 0) > 0 ? 0 : 1;
    assert_int_equal(matches(0, first), COLUMNS);
    assert_int_equal(matches(1, 1 - first), COLUMNS);
}

/* Each sample has every third column. A column of zeros could be any sample's. */
static void samples_of_columns_are_found_in_part(void **state) {
    (void)state;
    const gnt_key key = gnt_key_of_seed(4);
    gnt_stream random = gnt_stream_open(&key, "columns");
    draw(&random, 3);
    for (int i = 0; i < ROWS; i++)
        for (int j = 0; j < COLUMNS; j++) {
            const int k = j == COLUMNS - 1 ? i / 3 % 3 : j % 3; /* the bias is shared out among rows */
            m[i * COLUMNS + j] = (float)(u[k][i] * v[k][j]);
        }
    for (int k = 0; k < 3; k++)
        for (int j = 0; j < COLUMNS - 1; j++)
            v[k][j] = j % 3 == k ? v[k][j] : 0;
    const entry_mix e = find(always);
    int seen = 0;
    assert_int_equal(e.n, 3);
    for (int k = 0; k < 3; k++)
        for (int sample = 0; sample < 3; sample++)
            if (matches(k, sample) > COLUMNS / 3)
                seen |= 1 << sample;
    assert_int_equal(seen, 7);
}

static void other_matrices_are_not_explained(void **state) {
    (void)state;
    const gnt_key key = gnt_key_of_seed(5);
    gnt_stream random = gnt_stream_open(&key, "others");
    draw(&random, 2);
    for (int i = 0; i < ROWS; i++)
        for (int j = 0; j < COLUMNS; j++)
            m[i * COLUMNS + j] = (float)(u[0][i] * (v[0][j] + 0.1) + u[1][i] * v[1][j]); /* a sum */
    assert_true(find(always).explained < 0.5);
    for (int i = 0; i < ROWS * COLUMNS; i++)
        m[i] = gnt_random_normal(&random);
    assert_int_equal(find(always).n, 0);
    for (int i = 0; i < ROWS * COLUMNS; i++)
        m[i] = i == 7;
    assert_int_equal(find(always).n, 0);
    for (int i = 0; i < ROWS * COLUMNS; i++)
        m[i] = 0;
    assert_int_equal(find(always).n, 0);
    for (int i = 0; i < ROWS; i++)
        for (int j = 0; j < COLUMNS; j++)
            m[i * COLUMNS + j] = (float)(u[0][i] * v[0][j]); /* one alone */
    assert_int_equal(find(always).n, 1);
    assert_int_equal(find(never).n, 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(samples_of_drawn_entries_are_found_whole),
        cmocka_unit_test(samples_of_columns_are_found_in_part),
        cmocka_unit_test(other_matrices_are_not_explained),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
