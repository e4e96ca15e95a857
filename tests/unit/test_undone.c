/* Influences are like updates as they were sent, or as they would have been sent without a defense. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "base/random.h"
#include "job/undone.h"

enum { N = 400 };

static float plain[N], sent[N], influence[N];

/* Updates, and the same with noise of ten times their size. */
static void draw(void) {
    const gnt_key key = gnt_key_of_seed(3);
    gnt_stream random = gnt_stream_open(&key, "updates");
    for (int i = 0; i < N; i++) {
        plain[i] = (float)gnt_random_normal(&random);
        sent[i] = plain[i] + 10 * (float)gnt_random_normal(&random);
    }
}

static int undone(void) {
    gnt_undone u = {0};
    gnt_undone_add(&u, influence, plain, sent, N);
    return gnt_is_undone(&u);
}

/* A mean gives an update whatever weight; a median takes some entries alone. Neither takes noise off. */
static void what_was_sent_is_not_undone(void **state) {
    (void)state;
    draw();
    for (int w = 1; w <= 100; w *= 10) {
        for (int i = 0; i < N; i++)
            influence[i] = sent[i] / (float)w;
        assert_false(undone());
        for (int i = 0; i < N; i++)
            influence[i] = i % 5 ? 0 : 2 * sent[i] / (float)w;
        assert_false(undone());
    }
}

/* Noise of which at most a twentieth is left, whatever weight the rest gets. */
static void noise_that_is_subtracted_is_undone(void **state) {
    (void)state;
    draw();
    for (int w = 1; w <= 100; w *= 10)
        for (int left = 0; left < 2; left++) {
            for (int i = 0; i < N; i++)
                influence[i] = (plain[i] + 0.05f * (float)left * (sent[i] - plain[i])) / (float)w;
            assert_true(undone());
        }
}

/* A factor has no direction: distances decide. */
static void a_factor_is_undone_where_it_is_taken_back(void **state) {
    (void)state;
    draw();
    for (int i = 0; i < N; i++) {
        sent[i] = 4 * plain[i];
        influence[i] = 1.1f * plain[i];
    }
    assert_true(undone());
    for (int i = 0; i < N; i++)
        influence[i] = 3.5f * plain[i];
    assert_false(undone());
}

static void hooks_that_change_nothing_are_not_undone(void **state) {
    (void)state;
    draw();
    for (int i = 0; i < N; i++)
        influence[i] = sent[i] = plain[i];
    assert_false(undone());
    assert_false(gnt_is_undone(&(gnt_undone){0}));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_was_sent_is_not_undone),
        cmocka_unit_test(noise_that_is_subtracted_is_undone),
        cmocka_unit_test(a_factor_is_undone_where_it_is_taken_back),
        cmocka_unit_test(hooks_that_change_nothing_are_not_undone),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
