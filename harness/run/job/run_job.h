/* run_job: one unit of work of a run, and the table in which a run finds its jobs by name. A job is made once
 * by the code that wants its output (run/request/); two uses of one name are one job. What moves a job from
 * one state to the next is in run/run_impl.h.
 *
 * Owner and lifetime: the table owns its jobs, and each job what it points to except constant text and other
 * jobs, until run_jobs_free. A job never moves in memory. Thread: the scheduler's only one. Errors: NULL or
 * −1 when out of memory. */
#ifndef GNT_RUN_JOB_H
#define GNT_RUN_JOB_H

#include <jansson.h>

#include "base/digest.h"
#include "process/child.h"
#include "request/request.h"
#include "request/side.h"
#include "run/job/waiting.h"
#include "suite/suite.h"

typedef enum run_state {
    /* Some of its inputs are missing. */
    RUN_WAITING,
    /* All inputs are stored, its output is not. */
    RUN_READY,
    RUN_RUNNING,
    /* Its output is stored. */
    RUN_OK,
    /* It failed, or a job whose output it needs did. */
    RUN_ENDED
} run_state;

typedef struct run_job run_job;

typedef struct run_input {
    /* Constant text. */
    const char *name;
    /* The job whose output it is, and which one (constant text). NULL: a file of the user's, at path. */
    run_job *from;
    const char *output;
    char *path;
    /* 1: the job starts without it if `from` ended badly. */
    int optional;
} run_input;

/* Sides: one of each kind, and further ones of the server. */
enum { RUN_MOST_INPUTS = 48, RUN_MOST_PLUGINS = 17, RUN_MOST_SIDES = 3 + GNT_SIDE_MOST_COPIES };

/* Its entry of the store. Set by job_steps.c. */
typedef struct run_stored {
    /* Known once its inputs are stored. */
    gnt_digest key;
    /* The entry's record, once the job is RUN_OK. */
    json_t *record;
    /* The output was in the store when the job was first looked at. */
    int cached;
    /* 1: a job must read an output that was released, so the entry counts again once all are there. */
    int restoring;
} run_stored;

/* How it ended badly. Set by run_job_end, but for `node` (shared_jobs.c), and for how its process ended
 * (job_steps.c). */
typedef struct run_ending {
    /* As gnt_child_verdict has it; constant text. */
    const char *verdict;
    char *reason;
    /* The job whose failure ended this one, which never ran; NULL: its own. */
    const run_job *origin;
    /* The machine on which another run found that it fails; NULL: this run found it. */
    char *node;
    /* −1 and the signal, or the code and 0. */
    int exit_code, signal;
    /* The end of what it wrote to stderr. */
    char *stderr_tail;
} run_ending;

/* Time and memory that its output took, in this run or an earlier one. Set by job_cost.c. */
typedef struct run_cost {
    double wall_seconds, cpu_seconds;
    /* Bytes. */
    uint64_t peak;
    /* Seconds of its plugins' hooks (plugin/hook_times.h); NULL: unknown. */
    json_t *hooks;
} run_cost;

/* The utility of a training, read from its output. Set by trained_utility.c. */
typedef struct run_measured {
    /* 1 once the rest has been read. */
    int is_read;
    /* NaN: it has none. `noise` is its standard error. */
    double utility, noise;
    /* The metadata of its output; NULL without utility. And of what it recorded; NULL before it is read. */
    json_t *trained, *record;
} run_measured;

/* Its processes, while it runs. Set by job_processes.c and side_processes.c. */
typedef struct run_processes {
    gnt_child *child;
    /* The processes in which a defense's hooks run. */
    gnt_child *side[RUN_MOST_SIDES];
    size_t n_sides;
    /* The first so many report facts and times; further ones of the server do the same work again. */
    size_t n_reporting;
    /* Names of the sockets to those. */
    char copy_name[GNT_SIDE_MOST_COPIES][GNT_SIDE_NAME_SIZE];
    /* The inputs that all of them read, in the job's order; −1: that output was left out. */
    int fd[RUN_MOST_INPUTS];
    size_t n_fds;
    /* When its own process ended badly while sides went on, by the monotonic clock; else 0. */
    double ended_badly_at;
    /* The progress last reported; total 0: none. */
    uint64_t done, total;
    /* The last sentence that it said, until it is shown; NULL: none. */
    char *said;
    int said_warning;
} run_processes;

struct run_job {
    /* Its task: set by run/request/ when the job is made, then constant. */
    char *name;
    gnt_request request;
    /* The part of the request that could not be made, as constant text; NULL: none. */
    const char *request_error;
    run_input input[RUN_MOST_INPUTS];
    size_t n_inputs;
    /* NULL-terminated, constant. */
    const char *const *outputs;
    /* The one output that stays in the store when all jobs that read it or another have ended; "": none. The
     * others are large, hardly ever needed again, and released (run/released.c). NULL: all stay. Constant
     * text. */
    const char *stays;
    /* Plugin files that it opens. */
    const char *plugin[RUN_MOST_PLUGINS];
    size_t n_plugins;
    /* Labels of the defense whose hooks it calls, and of the attack; NULL: none. */
    const char *defense, *attack;
    /* 1: a checkpoint of it after any round is all that it needs to go on. */
    int resumes;
    /* 1: a plugin that it opens uses a memo (plugin/memo.h). */
    int has_memo;
    /* For a training: the measure of utility, and 1 if its weights are initial ones, which have no
     * utility. */
    gnt_utility_kind utility_kind;
    int untrained;

    run_state state;
    /* Its place in the table. Set when the job is made. */
    size_t number;
    /* The number of jobs with its priority (lease/order.h), and 1 once that is known. Set by
     * shared_jobs.c. */
    size_t rank;
    int has_rank;
    /* Itself among what waits, and what waits for it to end. */
    run_waiter waiter, *waiters;
    run_stored stored;
    /* Inputs that jobs have from it and may still read. Set by run_job_add_input and released.c. */
    size_t readers;
    /* 1: it reads none of its inputs any more. Set by released.c. */
    int has_read;
    run_ending ending;
    run_cost cost;
    run_measured measured;
    run_processes processes;
    /* The lowest level among the sandboxes in which its output was made; NULL: unknown. Set by
     * job_steps.c. */
    char *sandbox;
};

typedef struct run_jobs {
    /* Name -> index in `at`. */
    json_t *index;
    run_job **at;
    size_t n;
    /* Jobs to look at, which are RUN_WAITING and new, or what they waited for has ended; and those that are
     * RUN_READY. */
    run_queue look, ready;
} run_jobs;

int run_jobs_open(run_jobs *jobs);
/* Frees the jobs; their processes must have been freed. */
void run_jobs_free(run_jobs *jobs);

/* Returns the job of that name. *fresh: it was just made, and what it does is to be filled in. NULL when out
 * of memory. */
run_job *run_job_get(run_jobs *jobs, const char *name, int *fresh);
/* Returns the job of that name if it is RUN_OK; else NULL. */
run_job *run_job_find_ok(const run_jobs *jobs, const char *name);

/* Adds an output of the job `from` as an input. */
int run_job_add_input(run_job *j, const char *name, run_job *from, const char *output);
/* Adds a file of the user's as an input. */
int run_job_add_file(run_job *j, const char *name, const char *path);
/* Returns the job whose output is this input of j; NULL if j has none of that name or is NULL. */
run_job *run_job_input(const run_job *j, const char *name);

/* Makes it RUN_WAITING again, and has it looked at. */
void run_job_look_again(run_jobs *jobs, run_job *j);
/* Makes it RUN_READY. */
void run_job_is_ready(run_jobs *jobs, run_job *j);
/* Makes it RUN_OK, and has what waits for it looked at. */
void run_job_is_ok(run_job *j);
/* Makes it RUN_ENDED, and has what waits for it looked at. verdict: constant text. */
void run_job_end(run_job *j, const char *verdict, const char *sentence);
/* True if it is RUN_OK or RUN_ENDED. */
int run_job_has_ended(const run_job *j);
/* Returns the job whose failure ended this one: itself, or one whose output it needed. */
const run_job *run_job_origin(const run_job *j);

#endif
