/* What a run looks at when a job has ended: what waited for it, and nothing else. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "run/job/run_job.h"

static void numbers_come_out_in_rising_order(void **state) {
    (void)state;
    enum { N = 1000 };
    run_queue q = {0};
    size_t got, last = 0;
    assert_int_equal(run_queue_reserve(&q, N), 0);
    for (size_t i = 0; i < N; i++)
        run_queue_add(&q, i * 617 % N); /* 617 and 1000 have no common divisor: each number once */
    for (size_t i = 0; i < N / 2; i++) {
        assert_true(run_queue_take(&q, &got));
        assert_int_equal(got, i);
    }
    for (size_t i = N / 2; i > 0; i--)
        run_queue_add(&q, i - 1);
    for (size_t i = 0; i < N; i++, last = got) {
        assert_true(run_queue_take(&q, &got));
        assert_true(i == 0 || got == last + 1);
    }
    assert_false(run_queue_take(&q, &got));
    run_queue_free(&q);
}

static run_job *made(run_jobs *jobs, const char *name) {
    int fresh;
    run_job *j = run_job_get(jobs, name, &fresh);
    assert_true(j && fresh);
    return j;
}

static void expect_queue(run_queue *q, const char *numbers) {
    char all[256] = "";
    size_t n = 0;
    for (size_t i; run_queue_take(q, &i);)
        n += (size_t)snprintf(all + n, sizeof all - n, "%zu ", i);
    assert_string_equal(all, numbers);
}

static void a_new_job_is_looked_at_once(void **state) {
    (void)state;
    run_jobs jobs;
    int fresh;
    assert_int_equal(run_jobs_open(&jobs), 0);
    const run_job *a = made(&jobs, "a");
    made(&jobs, "b");
    assert_ptr_equal(run_job_get(&jobs, "a", &fresh), a);
    assert_false(fresh);
    expect_queue(&jobs.look, "0 1 ");
    run_jobs_free(&jobs);
}

static void the_end_of_a_job_wakes_those_that_wait_for_it_alone(void **state) {
    (void)state;
    enum { N = 40 };
    run_jobs jobs;
    run_queue cells = {0};
    run_waiter cell = {.queue = &cells, .number = 7};
    char name[16];
    assert_int_equal(run_jobs_open(&jobs), 0);
    assert_int_equal(run_queue_reserve(&cells, 10), 0);
    run_job *first = made(&jobs, "first"), *second = made(&jobs, "second");
    for (int i = 0; i < N; i++) {
        snprintf(name, sizeof name, "%d", i);
        run_job *j = made(&jobs, name);
        run_wait_for(&j->waiter, i % 10 == 0 ? &first->waiters : &second->waiters);
    }
    run_wait_for(&cell, &first->waiters);
    for (size_t i; run_queue_take(&jobs.look, &i);)
        ;
    run_job_is_ok(first);
    expect_queue(&cells, "7 ");
    expect_queue(&jobs.look, "2 12 22 32 ");
    run_job_end(second, "failed", "why");
    assert_int_equal(jobs.look.n, N - 4);
    assert_int_equal(cells.n, 0);
    run_queue_free(&cells);
    run_jobs_free(&jobs);
}

static void a_job_whose_output_must_be_stored_again_waits_and_wakes_again(void **state) {
    (void)state;
    run_jobs jobs;
    assert_int_equal(run_jobs_open(&jobs), 0);
    run_job *from = made(&jobs, "from"), *reader = made(&jobs, "reader");
    expect_queue(&jobs.look, "0 1 ");
    run_wait_for(&reader->waiter, &from->waiters);
    run_job_is_ok(from);
    expect_queue(&jobs.look, "1 ");
    run_job_look_again(&jobs, from);
    assert_int_equal(from->state, RUN_WAITING);
    run_wait_for(&reader->waiter, &from->waiters);
    expect_queue(&jobs.look, "0 ");
    run_job_is_ready(&jobs, from);
    expect_queue(&jobs.ready, "0 ");
    run_job_is_ok(from);
    expect_queue(&jobs.look, "1 ");
    run_jobs_free(&jobs);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbers_come_out_in_rising_order),
        cmocka_unit_test(a_new_job_is_looked_at_once),
        cmocka_unit_test(the_end_of_a_job_wakes_those_that_wait_for_it_alone),
        cmocka_unit_test(a_job_whose_output_must_be_stored_again_waits_and_wakes_again),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
