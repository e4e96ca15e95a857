/* Which ready job is started first, where several machines share a run. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>

#include <cmocka.h>

#include "run/lease/order.h"

static double priority(run_order *o, const char *name, const char *attack) {
    return run_order_priority(o, name, attack);
}

/* Where nothing is known, what a cell still needs behind a job decides. */
static void what_much_waits_for_comes_first(void **state) {
    (void)state;
    run_order *o = run_order_make();
    static const char *const names[] = {"data t/s1", "train t/dp@0.1/s1", "attack t/r0/dp@0.1/dlg/s1",
                                        "score t/r0/dp@0.1/dlg/s1"};
    for (size_t i = 1; i < sizeof names / sizeof *names; i++)
        assert_true(priority(o, names[i - 1], NULL) > priority(o, names[i], NULL));
    assert_true(priority(o, "train t/dp@0.1/search1", NULL) > priority(o, "train t/dp@0.1/s1", NULL));
    run_order_free(o);
}

static void times_count_for_more_than_guesses(void **state) {
    (void)state;
    run_order *o = run_order_make();
    for (int i = 0; i < 4; i++) {
        run_order_learn(o, "attack t/r0/none/dlg/s1", "dlg", 100 + i);
        run_order_learn(o, "attack t/r0/none/linear/s1", "linear", 0.5);
    }
    assert_true(fabs(run_order_seconds(o, "attack t/r9/dp@1/dlg/s7", "dlg") - 101.5) < 1e-9);
    assert_true(fabs(run_order_seconds(o, "attack t/r9/dp@1/linear/s7", "linear") - 0.5) < 1e-9);
    assert_true(priority(o, "attack t/r0/none/dlg/s2", "dlg") >
                priority(o, "attack t/r0/none/linear/s2", "linear"));
    /* another task's attack has a time of its own */
    assert_true(fabs(run_order_seconds(o, "attack u/r0/none/dlg/s1", "dlg") - 10) < 1e-9);
    /* an observation before a long attack comes before a short attack */
    assert_true(priority(o, "observe t/r0/none/s3", NULL) >
                priority(o, "attack t/r0/none/linear/s2", "linear"));
    run_order_free(o);
}

/* A number stays a job's, and its priority follows what is learnt of others after it was found. */
static void a_rank_that_is_kept_follows_the_times(void **state) {
    (void)state;
    run_order *o = run_order_make();
    static const char *const names[] = {"train t/none@none/s1", "train t/none@none/search0",
                                        "observe t/r0/none/s1", "attack t/r0/none/dlg/s1",
                                        "score t/r0/none/dlg/s1"};
    enum { N = sizeof names / sizeof *names };
    size_t rank[N];
    for (size_t i = 0; i < N; i++)
        rank[i] = run_order_rank_of(o, names[i], "dlg");
    assert_int_equal(rank[0], run_order_rank_of(o, "train t/dp@1/s2", "dlg"));
    assert_int_not_equal(rank[0], rank[1]);
    assert_true(run_order_rank_priority(o, rank[0]) < run_order_rank_priority(o, rank[1]));
    const double before = run_order_rank_priority(o, rank[2]);
    run_order_learn(o, "attack u/r0/none/dlg/s9", "dlg", 1000); /* behind it, of another task */
    assert_true(run_order_rank_priority(o, rank[2]) > before + 900);
    run_order_learn(o, names[0], "dlg", 50);
    for (size_t i = 0; i < N; i++)
        assert_true(run_order_rank_priority(o, rank[i]) == priority(o, names[i], "dlg"));
    run_order_free(o);
}

static void odd_names_and_times_do_no_harm(void **state) {
    (void)state;
    run_order *o = run_order_make();
    static const char *const names[] = {"", " ", "/", "xyz", "search", "train", "attack a/search"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        run_order_learn(o, names[i], NULL, NAN);
        run_order_learn(o, names[i], NULL, -1);
        run_order_learn(o, names[i], NULL, INFINITY);
        assert_true(isfinite(priority(o, names[i], names[i])));
    }
    for (int i = 0; i < 1000; i++) {
        char name[64];
        snprintf(name, sizeof name, "attack t%d/r0/none/dlg/s1", i);
        assert_true(run_order_wants(o, name, "dlg"));
        run_order_learn(o, name, "dlg", i);
    }
    assert_true(fabs(run_order_seconds(o, "attack t999/x", "dlg") - 999) < 1e-9);
    for (int i = 0; i < 50; i++)
        run_order_learn(o, "score t/x", NULL, 1);
    assert_false(run_order_wants(o, "score t/y", NULL));
    run_order_free(o);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_much_waits_for_comes_first),
        cmocka_unit_test(times_count_for_more_than_guesses),
        cmocka_unit_test(a_rank_that_is_kept_follows_the_times),
        cmocka_unit_test(odd_names_and_times_do_no_harm),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
