/* A job's way from one state to the next (the diagram in run_impl.h), and waiting for those that run. */
#include <string.h>
#include <sys/stat.h>

#include "base/mem.h"
#include "run/run_impl.h"
#include "run/side_processes.h"

/* Takes a job from RUN_WAITING or RUN_RUNNING → RUN_OK, for its output is in the store; → RUN_ENDED if
 * that cannot be read. */
static void finish_stored(const run *r, run_job *j) {
    gnt_err why;
    run_drop_unfinished(r, j);
    run_job_is_ok(j);
    if (strcmp(j->outputs[0], "trained") != 0 || r->options->share == GNT_SHARE_WORK || run_has_utility(r, j))
        return; /* a run that shares reads it when a search needs it (search_steps.c) */
    gnt_fail(&why,
             "the utility that the job %s left cannot be read back from the store: expected numbers of "
             "rounds that "
             "rise; remove its folder there to compute it again",
             j->name);
    run_job_end(j, "failed", why.text);
}

/* True if all inputs are stored that will be; else the job waits for the first that is not.
 * RUN_WAITING → RUN_ENDED if one that the job needs will not be. */
static int has_inputs(run_job *j) {
    for (size_t i = 0; i < j->n_inputs; i++) {
        run_job *from = j->input[i].from;
        if (!from || from->state == RUN_OK || (from->state == RUN_ENDED && j->input[i].optional))
            continue;
        if (from->state == RUN_ENDED) {
            run_job_end(j, from->ending.verdict, from->ending.reason);
            j->ending.origin = run_job_origin(from);
        } else
            run_wait_for(&j->waiter, &from->waiters);
        return 0;
    }
    return 1;
}

/* Takes a job from RUN_WAITING → RUN_READY once its inputs are stored; → RUN_OK if its output is, too. */
static int look_at_waiting(run *r, run_job *j, gnt_err *err) {
    json_t *record;
    if (!has_inputs(j))
        return run_release_inputs(r, j, err);
    if (j->request.memory.failed)
        return gnt_fail(err, "out of memory for the request of the job %s", j->name);
    if (j->request_error)
        return gnt_fail(err, "the request of the job %s cannot be made: %s", j->name, j->request_error);
    if (run_set_key(r, j) != 0)
        return gnt_fail(err, "out of memory for the job %s", j->name);
    if (run_find_stored(r, j, &record, err) != 0)
        return -1;
    j->stored.cached = record != NULL;
    if (record) {
        json_decref(j->stored.record);
        j->stored.record = record;
        j->stored.restoring = 0;
        gnt_free(j->sandbox);
        j->sandbox = gnt_strdup(json_string_value(json_object_get(j->stored.record, "sandbox")));
        run_cost_read(r, j);
        finish_stored(r, j);
    } else if (run_restore_inputs(r, j))
        run_job_look_again(&r->jobs, j);
    else
        run_job_is_ready(&r->jobs, j);
    return run_release_inputs(r, j, err);
}

/* Starts a job: RUN_READY → RUN_RUNNING; → RUN_WAITING if another run has released what it reads; →
 * RUN_ENDED if it cannot or may not be started: the rest of the run goes on. */
static void start_job(run *r, run_job *j) {
    gnt_err why = {0}, whole;
    if (r->options->only_stored) {
        gnt_fail(
            &whole,
            "the store has no output of the job %s that this program would make here; run the suite again "
            "in that folder",
            j->name);
        run_job_end(j, "failed", whole.text);
        return;
    }
    if (run_processes_start(r, j, &why) == 0) {
        j->state = RUN_RUNNING;
        r->running.at[r->running.n++] = j;
        return;
    }
    if (run_restore_inputs(r, j)) {
        run_job_look_again(&r->jobs, j);
        return;
    }
    gnt_fail(&whole, "the job %s could not be started: %s", j->name, why.text);
    run_job_end(j, "failed", whole.text);
}

/* True if its first output, which is its purpose, is empty. Others may be left out. */
static int left_nothing(const run_job *j) {
    struct stat st;
    int fd = gnt_child_output_fd(j->processes.child, j->outputs[0], NULL);
    return fd < 0 || fstat(fd, &st) != 0 || st.st_size == 0;
}

/* Ends a failed job: RUN_RUNNING → RUN_ENDED. A worker's own sentence names what failed; how a process
 * ended does not. */
static void end_badly(const run *r, run_job *j, const char *verdict, const gnt_err *reason) {
    const json_t *status = gnt_child_result_of(run_sides_verdict_child(j))->status;
    const char *said = json_string_value(json_object_get(status, "sentence"));
    gnt_err whole = *reason;
    if (!said || strcmp(said, reason->text) != 0)
        gnt_fail(&whole, "the job %s %s", j->name, reason->text);
    run_job_end(j, verdict, whole.text);
    if (strcmp(verdict, "failed") == 0 || strcmp(verdict, "unsupported") == 0)
        run_drop_unfinished(r, j); /* nothing that it left may make it fail again */
}

/* Keeps how the process of a job ended that is now RUN_ENDED, and its inputs if the user wants them. */
static void note_ending(const run *r, run_job *j) {
    const gnt_child_result *result = gnt_child_result_of(run_sides_verdict_child(j));
    j->ending.exit_code = result->exit_code;
    j->ending.signal = result->signal;
    j->ending.stderr_tail = gnt_strdup(result->stderr_tail);
    if (strcmp(j->ending.verdict, "unsupported") != 0 && strcmp(j->ending.verdict, "stopped") != 0)
        run_keep_failed(r, j);
}

/* Puts a job back: RUN_RUNNING → RUN_READY: it was ended together with this run, which is being
 * interrupted. */
static void put_back(run *r, run_job *j) {
    r->interrupted = 1;
    run_job_is_ready(&r->jobs, j);
}

/* Removes a job from those that run. */
static void remove_running(run *r, const run_job *j) {
    run_running *all = &r->running;
    size_t i = 0;
    while (all->at[i] != j)
        i++;
    for (all->n--; i < all->n; i++)
        all->at[i] = all->at[i + 1];
}

/* Finishes a job: RUN_RUNNING → RUN_OK or RUN_ENDED, all its processes having ended; or put_back. */
static int finish_job(run *r, run_job *j, gnt_err *err) {
    gnt_err reason = {0};
    const char *verdict = run_sides_verdict(j, &reason);
    const int good = strcmp(verdict, "ok") == 0, ended_with_us = !good && run_share_was_ended(r, j, verdict);
    int rc = 0;
    gnt_free(j->sandbox);
    j->sandbox = gnt_strdup(run_sides_sandbox(j));
    run_cost_measure(j);
    if (ended_with_us)
        put_back(r, j);
    else if (!good)
        end_badly(r, j, verdict, &reason);
    else if (left_nothing(j)) {
        gnt_fail(&reason, "says it is done but left no \"%s\"", j->outputs[0]);
        end_badly(r, j, "failed", &reason);
    } else if (run_check_restored(j, &reason) != 0)
        end_badly(r, j, "failed", &reason);
    else if ((rc = run_store_outputs(r, j, err)) == 0)
        finish_stored(r, j);
    run_show_said(r, j);
    if (j->state == RUN_ENDED)
        note_ending(r, j);
    run_processes_free(j);
    remove_running(r, j);
    if (rc == 0)
        rc = run_release_inputs(r, j, err);
    return rc == 0 && !ended_with_us ? run_share_ended(r, j, err) : rc;
}

int run_step_jobs(run *r, gnt_err *err) {
    for (size_t i; run_queue_take(&r->jobs.look, &i);)
        if (look_at_waiting(r, r->jobs.at[i], err) != 0)
            return -1;
    while (r->running.n < (size_t)r->options->jobs && !r->interrupted) {
        run_job *next;
        if (run_next_job(r, &next, err) != 0)
            return -1;
        if (!next)
            return 0;
        start_job(r, next);
        if (next->state == RUN_ENDED && run_share_ended(r, next, err) != 0)
            return -1;
        if (next->state == RUN_WAITING)
            run_share_put_back(r, next);
    }
    return 0;
}

int run_wait_job(run *r, gnt_err *err) {
    enum { MOST_CHILDREN = 4096, WAIT_MS = 500 };
    gnt_child *children[MOST_CHILDREN] = {0};
    run_job *owner[MOST_CHILDREN];
    size_t n = 0;
    for (size_t i = 0; i < r->running.n && n + RUN_MOST_SIDES < MOST_CHILDREN; i++) {
        run_job *j = r->running.at[i];
        for (size_t k = 0; k <= j->processes.n_sides; k++) {
            owner[n] = j;
            children[n++] = k ? j->processes.side[k - 1] : j->processes.child;
        }
    }
    int which = gnt_children_wait(children, n, WAIT_MS);
    if (which == GNT_WAIT_INTERRUPTED)
        r->interrupted = 1;
    for (size_t i = 0; i < r->running.n; i++)
        run_show_said(r, r->running.at[i]);
    for (size_t i = 0; which < 0 && i < n; i++)
        run_sides_have_ended(owner[i]);
    return which >= 0 && run_sides_have_ended(owner[which]) ? finish_job(r, owner[which], err) : 0;
}
