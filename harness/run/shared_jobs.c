/* Jobs of runs that share a folder: which to compute next, what others have computed meanwhile, and reports
 * of how far this run is. A run that does not share starts its jobs as they come.
 *
 * A ready job is looked up in the store, then its lease is acquired, then it is looked up again: the last
 * holder may have stored it in between. One whose lease others have is tried again later, after pauses that
 * double. */
#include <math.h>
#include <poll.h>
#include <signal.h>
#include <string.h>

#include "base/clock.h"
#include "base/mem.h"
#include "run/lease/order.h"
#include "run/run_impl.h"
#include "run/lease/share.h"
#include "run/side_processes.h"

/* Seconds between two looks at what others do, least and most, and between two records of how far this is. */
static const double least_wait = 0.1, most_wait = 4, between_records = 15;
/* Failed cells that a record names, at most. */
enum { MOST_FAILED = 200 };

int run_share_open(run *r, gnt_err *err) {
    const gnt_run_options *o = r->options;
    if (o->share == GNT_SHARE_NOT)
        return 0;
    r->sharing.order = run_order_make();
    if (!r->sharing.order)
        return gnt_fail(err, "out of memory for a run");
    r->sharing.look_wait = least_wait;
    return gnt_share_open(&r->sharing.share, o->folder, r->host, o->slurm_job ? o->slurm_job : "",
                          o->lease_term > 0 ? o->lease_term : GNT_LEASE_TERM, err);
}

void run_share_close(run *r) {
    gnt_share_close(r->sharing.share);
    run_order_free(r->sharing.order);
}

/* ---- reports ---- */

static void count_jobs(const run *r, json_int_t *stored, json_int_t *failed, double *left) {
    size_t begun = 0;
    *stored = *failed = 0;
    *left = 0;
    for (size_t i = 0; i < r->jobs.n; i++) {
        const run_job *j = r->jobs.at[i];
        *stored += j->state == RUN_OK;
        *failed += j->state == RUN_ENDED && !j->ending.origin;
        if (j->state != RUN_OK && j->state != RUN_ENDED)
            *left += run_order_seconds(r->sharing.order, j->name, j->attack);
    }
    /* cells whose strength is still searched for have no jobs yet: they will need what others did */
    double known = 0;
    for (size_t i = 0; i < r->jobs.n; i++)
        known += run_order_seconds(r->sharing.order, r->jobs.at[i]->name, r->jobs.at[i]->attack);
    for (size_t i = 0; i < r->plan->n; i++)
        begun += r->cell[i].jobs.score != NULL;
    const size_t open =
        r->progress.n_wanted - r->plan->n_na > begun ? r->progress.n_wanted - r->plan->n_na - begun : 0;
    if (begun)
        *left += known / (double)begun * (double)open;
}

static json_t *failed_cells(run *r) {
    json_t *list = json_array();
    for (size_t i = 0; i < r->plan->n && json_array_size(list) < MOST_FAILED; i++) {
        const run_cell *c = &r->cell[i];
        if (!run_is_bad(c->status))
            continue;
        const run_job *by = c->failed;
        json_array_append_new(
            list,
            json_pack("{s:s, s:s, s:s, s:s, s:s}", "cell", c->cell->id, "status", gnt_status_name(c->status),
                      "reason", c->reason ? c->reason : "", "job", by ? by->name : "", "node",
                      by && by->ending.node ? by->ending.node : gnt_share_node(r->sharing.share)));
    }
    return list;
}

void run_share_report(run *r, const char *state) {
    json_int_t stored, failed;
    double left;
    if (!r->sharing.share || (!state && gnt_clock() - r->sharing.reported < between_records))
        return;
    count_jobs(r, &stored, &failed, &left);
    json_t *all = json_pack(
        "{s:s, s:f, s:b, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:f, s:f, s:i, s:s, s:o}", "state",
        state ? state : "running", "seconds", gnt_clock() - r->progress.start, "gathers",
        r->options->share == GNT_SHARE_GATHER, "cells", (json_int_t)r->progress.n_wanted, "finished",
        (json_int_t)r->progress.finished, "bad", (json_int_t)r->progress.bad, "jobs", (json_int_t)r->jobs.n,
        "stored", stored, "failed", failed, "running", (json_int_t)r->running.n, "computed",
        (json_int_t)r->sharing.computed, "computed_seconds", r->sharing.computed_seconds, "seconds_left",
        left, "at_once", r->options->jobs, "sandbox",
        r->options->sandbox_level ? r->options->sandbox_level : "", "failed_cells", failed_cells(r));
    gnt_share_report(r->sharing.share, all, NULL); /* only people read it: the run goes on without */
    json_decref(all);
    r->sharing.reported = gnt_clock();
}

/* ---- the next job ---- */

typedef struct ready_job {
    run_job *job;
    double priority;
    size_t index;
} ready_job;

/* A heap whose top is the job to try first; those taken off it lie behind. */
typedef struct ready_jobs {
    ready_job *at;
    size_t n, left;
} ready_jobs;

static int is_before(const ready_job *x, const ready_job *y) {
    return x->priority != y->priority ? x->priority > y->priority : x->index < y->index;
}

static void sink(const ready_jobs *all, size_t i) {
    const ready_job moved = all->at[i];
    for (size_t child; (child = 2 * i + 1) < all->left; i = child) {
        child += child + 1 < all->left && is_before(&all->at[child + 1], &all->at[child]);
        if (!is_before(&all->at[child], &moved))
            break;
        all->at[i] = all->at[child];
    }
    all->at[i] = moved;
}

/* Lists the ready jobs. Few are tried before one is started, so that they are not sorted. −1 when out of
 * memory. */
static int list_ready(run *r, ready_jobs *all) {
    const run_queue *ready = &r->jobs.ready;
    *all = (ready_jobs){.at = gnt_array(ready->n + 1, sizeof *all->at)};
    if (!all->at)
        return -1;
    all->n = all->left = ready->n;
    for (size_t i = 0; i < all->n; i++) {
        run_job *j = r->jobs.at[ready->at[i]];
        if (!j->has_rank)
            j->rank = run_order_rank_of(r->sharing.order, j->name, j->attack);
        j->has_rank = 1;
        all->at[i] = (ready_job){j, run_order_rank_priority(r->sharing.order, j->rank), j->number};
    }
    for (size_t i = all->n / 2; i > 0; i--)
        sink(all, i - 1);
    return 0;
}

/* Takes the job to try first; NULL: none is left. */
static run_job *take_first(ready_jobs *all) {
    if (all->left == 0)
        return NULL;
    const ready_job first = all->at[0];
    all->at[0] = all->at[--all->left];
    if (all->left)
        sink(all, 0);
    all->at[all->left] = first;
    return first.job;
}

/* True if its output is in the store now. READY → WAITING: it is read from there like any other. */
static int is_stored(run *r, run_job *j) {
    json_t *record;
    const int found = run_find_stored(r, j, &record, NULL) == 0 && record;
    json_decref(record);
    if (found)
        run_job_look_again(&r->jobs, j);
    return found;
}

/* Returns the verdict, as constant text; "failed" unless it is one of these. */
static const char *verdict_of(const json_t *failure) {
    static const char *const verdicts[] = {"unsupported", "stopped", "crashed", "timeout"};
    const char *said = json_string_value(json_object_get(failure, "verdict"));
    for (size_t i = 0; said && i < sizeof verdicts / sizeof *verdicts; i++)
        if (strcmp(said, verdicts[i]) == 0)
            return verdicts[i];
    return "failed";
}

/* True if another run has found that it fails. READY → ENDED. The run that gathers tries for itself. */
static int has_failed(run *r, run_job *j) {
    if (r->options->share == GNT_SHARE_GATHER)
        return 0;
    json_t *failure = gnt_share_failure(r->sharing.share, &j->stored.key);
    const char *reason = json_string_value(json_object_get(failure, "reason"));
    if (failure) {
        run_job_end(j, verdict_of(failure), reason ? reason : "the other run gave no reason");
        j->ending.node = gnt_strdup(json_string_value(json_object_get(failure, "node")));
    }
    json_decref(failure);
    return j->state == RUN_ENDED;
}

/* Returns 1 if this run has the lease and is to compute the job; 0 if others have it, or it is READY no
 * more. */
static int try_job(run *r, run_job *j, gnt_err *err) {
    if (is_stored(r, j) || has_failed(r, j))
        return 0;
    int got = gnt_leases_claim(gnt_share_leases(r->sharing.share), &j->stored.key, err);
    if (got == 1 && is_stored(r, j)) {
        gnt_leases_release(gnt_share_leases(r->sharing.share), &j->stored.key);
        got = 0;
    }
    return got;
}

/* Leaves in the queue what is READY, but `next`. */
static void keep_ready(run *r, const ready_jobs *all, const run_job *next) {
    r->jobs.ready.n = 0;
    for (size_t i = 0; i < all->n; i++)
        if (all->at[i].job->state == RUN_READY && all->at[i].job != next)
            run_queue_add(&r->jobs.ready, all->at[i].index);
}

static int next_shared(run *r, run_job **next, gnt_err *err) {
    ready_jobs all;
    *next = NULL;
    if (gnt_clock() < r->sharing.look_at || r->jobs.ready.n == 0)
        return 0;
    if (list_ready(r, &all) != 0)
        return gnt_fail(err, "out of memory for the jobs of a run");
    int rc = gnt_leases_look(gnt_share_leases(r->sharing.share), err) != 0 ||
                     gnt_share_look(r->sharing.share, err) != 0
                 ? -1
                 : 0;
    for (run_job *j; rc == 0 && !*next && (j = take_first(&all));) {
        rc = try_job(r, j, err);
        if (rc == 1) {
            *next = j;
            rc = 0;
        }
    }
    keep_ready(r, &all, *next);
    gnt_free(all.at);
    if (*next || r->jobs.ready.n < all.n)
        r->sharing.look_wait = least_wait;
    else {
        r->sharing.look_at = gnt_clock() + r->sharing.look_wait;
        r->sharing.look_wait = fmin(2 * r->sharing.look_wait, most_wait);
    }
    return rc;
}

int run_next_job(run *r, run_job **next, gnt_err *err) {
    size_t first;
    if (r->sharing.share)
        return next_shared(r, next, err);
    *next = run_queue_take(&r->jobs.ready, &first) ? r->jobs.at[first] : NULL;
    return 0;
}

/* ---- between jobs ---- */

int run_share_waits(run *r) {
    enum { MOST_MS = 250 };
    if (!r->sharing.share || r->jobs.ready.n == 0)
        return 0;
    const double ms = 1e3 * (r->sharing.look_at - gnt_clock());
    poll(NULL, 0, ms < 1 ? 1 : ms > MOST_MS ? MOST_MS : (int)ms);
    r->interrupted |= gnt_interrupted() != 0;
    return 1;
}

void run_share_renew(run *r) {
    if (r->sharing.share)
        gnt_leases_renew(gnt_share_leases(r->sharing.share));
    run_share_report(r, NULL);
}

int run_share_was_ended(const run *r, const run_job *j, const char *verdict) {
    const int signal = gnt_child_result_of(run_sides_verdict_child(j))->signal;
    const int killed = signal == SIGKILL || signal == SIGTERM || strcmp(verdict, "stopped") == 0;
    /* what ends a whole group of processes may end the jobs' a moment before this one */
    for (int i = 0; r->sharing.share && killed && i < 20 && !gnt_interrupted(); i++)
        poll(NULL, 0, 50);
    return r->sharing.share && gnt_interrupted() != 0;
}

void run_share_put_back(run *r, const run_job *j) {
    if (r->sharing.share)
        gnt_leases_release(gnt_share_leases(r->sharing.share), &j->stored.key);
}

int run_share_ended(run *r, run_job *j, gnt_err *err) {
    int rc = 0;
    if (!r->sharing.share)
        return 0;
    r->sharing.computed++;
    r->sharing.computed_seconds += j->cost.wall_seconds;
    run_order_learn(r->sharing.order, j->name, j->attack, j->cost.wall_seconds);
    if (j->state == RUN_OK)
        gnt_share_forget_failure(r->sharing.share, &j->stored.key);
    else {
        json_t *failure = json_pack("{s:s, s:s, s:s}", "job", j->name, "verdict", j->ending.verdict, "reason",
                                    j->ending.reason ? j->ending.reason : "");
        rc = failure ? gnt_share_put_failure(r->sharing.share, &j->stored.key, failure, err)
                     : gnt_fail(err, "out of memory for the job %s", j->name);
        json_decref(failure);
    }
    gnt_leases_release(gnt_share_leases(r->sharing.share), &j->stored.key);
    return rc;
}
