/* run_impl: what the files of the scheduler share. Private to run/; its rooms (store/, lease/, job/,
 * request/) know nothing of it.
 *
 * A run turns a plan into results by pull. A cell makes the jobs that it needs, a search its training runs.
 * gnt_run (engine.c) goes round until nothing moves: searches take a step, cells, jobs; then it waits for a
 * process to end. A step is taken by what is new and by what waited for something that has happened
 * (job/waiting.h), so that the end of a job costs what follows from it, however large the plan is. All state
 * is in `run` below and in the store; a run that is killed at any moment goes on from the store.
 *
 * ---- The states of a job ----
 *
 *            1                3                 5
 *   (made) ----> WAITING -----------> READY ----------> RUNNING
 *                 | | ^                | | ^              | |
 *               2 | | |       7        | | |      6       | |
 *                 | | +----------------+ | +--------------+ |
 *                 | |                    |                  |
 *                 | |  4                 | 8             9  |
 *                 | +-----------+        |       +----------+
 *                 v             v        v       v          |
 *                OK --------> ENDED <----+-------+          | 9
 *                 ^     10                                  |
 *                 +-----------------------------------------+
 *
 *    1  run_job_get (job/job_table.c)      a request function makes the job
 *    2  look_at_waiting (job_steps.c)      its inputs are stored, and so is its output
 *    3  look_at_waiting (job_steps.c)      its inputs are stored, its output is not
 *    4  has_inputs (job_steps.c)           a job whose output it needs has ended; its reason is passed on
 *    5  start_job (job_steps.c)            its processes run
 *    6  put_back (job_steps.c)             it was ended because everything here is being ended
 *    7  is_stored (shared_jobs.c)          another run has stored its output meanwhile; 2 follows
 *    8  start_job (job_steps.c)            its processes could not be started, or may not (only_stored), or
 *       has_failed (shared_jobs.c)         another run has found that it fails
 *    9  finish_job (job_steps.c)           all of its processes have ended, well or badly
 *   10  is_usable (search_steps.c)         a run that only shares finds its utility unreadable; a run that
 *                                          writes results finds that at once, at 2 or 9 (finish_stored)
 *
 * Only run_job_end makes a job ENDED. OK and ENDED are final but for 10, and for an observation whose outputs
 * were released (released.c): it goes from OK back to WAITING once a job must read them, and that job from
 * READY if another run released them meanwhile.
 *
 * ---- Invariants ----
 *
 *  1. There is one job for each name, and the name determines the request (request/requests.h). A job is made
 *     when its output is first needed, never removed before the run ends, and never moves in memory.
 *  2. What a job does (the first part of run_job) does not change after it was made, so that a request and
 *     its key do not depend on the order in which jobs end.
 *  3. The jobs form no circle: a job reads outputs of kinds before its own alone, in the order data, start,
 *     prepare, train, prepare at a later stage, replay, observe, prepare-attack, attack, score.
 *  4. A job's key is set when its inputs are stored and is the same ever after: the digest of the program and
 *     numerics identity (run.host), of the request, and of every input's digest. Whatever can change an
 *     output is in its key.
 *  5. A job is OK only if the store has a record for its key that counts: whole, and made in a sandbox of at
 *     least the level required (run_find_stored). stored.record is that record; it is NULL before. Outputs
 *     that no job reads any more may have been released; the record keeps their digests, so that keys (4) are
 *     the same with them and without.
 *  6. A run that writes results has compared the outputs of each record with their digests. One that only
 *     shares (GNT_SHARE_WORK) trusts the record, and whatever reads an output compares it.
 *  7. An ENDED job has a verdict and a reason, and stays so for this run. ending.origin is NULL if the job
 *     itself failed, here or in another run; else it is the job that did, whose own origin is NULL.
 *  8. A job has processes and open inputs from start_job to finish_job, or while it is run again to be timed
 *     (rerun_job.c), and at no other time. run.running has the RUNNING jobs, at most options->jobs.
 *  9. A job that fails is no error of the run: every −1 here means that the run itself cannot go on (memory,
 *     disk).
 * 10. Which of several processes ends first changes the order in which jobs start, and nothing else: a search
 *     waits for all of its training runs, and results are written in the order of the plan.
 * 11. A cell gets all its jobs in one step, once its strength is known. It is settled once (settle in
 *     cell_steps.c) and does not change after that. progress.finished counts settled cells.
 * 12. A cell is ok only after its score was read and all other jobs of run_cell_jobs have ended, well or
 *     badly; it has failed as soon as its score cannot be computed.
 * 13. A search is a pure function of its history (match/match.h). It runs only if a cell that this run
 *     is to finish needs its strength. Its own training runs have seeds that no cell has.
 * 14. A run that shares computes a job only while it has the lease of its key, and gives the lease back after
 *     the output or the failure is written (run_share_ended). A lost lease costs a computation, never a wrong
 *     byte.
 * 15. Nothing that was interrupted is an outcome: after a signal no job starts, those that run are killed
 *     when they are freed, cells without outcome stay unfinished, and what is stored counts.
 * 16. One thread runs all of this; computing is done in children, and no plugin is opened here.
 * 17. A WAITING job is in jobs.look, or in the list of its first input that has not ended; a READY one is in
 *     jobs.ready. A search that is not settled is in run.searches or waits for one of its jobs; a cell that
 *     is not, in run.cells, or it waits for its search or for one of its jobs.
 *
 * Owner and lifetime: the run owns its jobs, cells and searches, and what they point to, until gnt_run
 * returns; the suite, the plan and the options are borrowed. Errors: −1 or NULL with a sentence in err. */
#ifndef GNT_RUN_RUN_IMPL_H
#define GNT_RUN_RUN_IMPL_H

#include <time.h>

#include <jansson.h>

#include "base/arena.h"
#include "match/match.h"
#include "metric/secret.h"
#include "process/launch.h"
#include "result/result.h"
#include "run/engine.h"
#include "run/job/run_job.h"
#include "run/request/requests.h"
#include "run/store/store.h"

enum { RUN_MOST_OUTPUTS = 12 }; /* of one job */

/* The search for the strength of one defense on one task. Set by search_steps.c. */
typedef struct run_search {
    size_t task, defense;
    int settled;
    int has_target; /* `spec` is set */
    gnt_match_spec spec;
    gnt_match_point *history;
    size_t n;
    gnt_match_next_step step;
    /* Utility of the undefended training, mean over the suite's seeds. */
    double none;
    /* Utility of public data alone, likewise; NaN where the target does not depend on it. */
    double public_only;
    /* Why it found nothing: the training `failed` failed. */
    char *reason;
    const run_job *failed;
    /* So many of the jobs of this step, the first ones, have ended. */
    size_t n_ended;
    /* Itself among what waits, and the cells that wait for its strength. */
    run_waiter waiter, *waiters;
} run_search;

/* The jobs of a cell; NULL: not made yet, or not needed. */
typedef struct run_cell_jobs {
    run_job *train, *attack, *score;
    /* The first attack of a chain. */
    run_job *first_attack;
    /* The score of the attack with a quarter of its budget. */
    run_job *quarter;
    run_job *replay;
    /* The undefended training, and the one on public data alone, with which the utility is compared. */
    run_job *none;
    run_job *public_only;
    /* Training runs with the labels of other samples, defended and not. */
    run_job *shuffled, *shuffled_none;
    /* Training runs whose labels a secret rule changes, defended and not. */
    run_job *secret, *secret_none;
} run_cell_jobs;

/* Set by cell_steps.c. */
typedef struct run_cell {
    const gnt_cell *cell;
    gnt_cell_status status;
    char *reason;
    /* The job whose failure is the cell's; else NULL. */
    const run_job *failed;
    /* NaN: none. */
    double strength;
    int matched;
    run_cell_jobs jobs;
    /* Itself among what waits. */
    run_waiter waiter;
    /* NaN: unknown. `utility_error` is the standard error of `utility`. */
    double utility, utility_error, utility_none;
    /* What its jobs found: the parts of gnt_score_fields, in the run's memory. */
    gnt_outcome found;
} run_cell;

/* How far it is. Set by engine.c, but for `finished` and `bad` (cell_steps.c) and `shown` (progress.c). */
typedef struct run_progress {
    /* Cells that this run is to finish, and cells that have a status. */
    size_t n_wanted, finished;
    /* Cells that failed (run_is_bad). */
    size_t bad;
    /* When the run began, and when running jobs were last listed, by the monotonic clock. */
    double start, shown;
    /* When it began, by the real-time clock. */
    time_t started;
} run_progress;

/* Several runs in one folder. Set by shared_jobs.c; all 0 in a run that does not share. */
typedef struct run_sharing {
    struct gnt_share *share;
    struct run_order *order;
    /* When to look next at what others do, how long to wait then, and when this run last reported how far it
     * is. By the monotonic clock. */
    double look_at, look_wait, reported;
    /* Jobs that this run computed, and the wall time that they took. */
    size_t computed;
    double computed_seconds;
} run_sharing;

/* The jobs that run, in the order in which they were started. Set by job_steps.c. */
typedef struct run_running {
    run_job **at;
    size_t n;
} run_running;

typedef struct run {
    const gnt_suite *suite;
    const gnt_plan *plan;
    const gnt_run_options *options;
    gnt_store *store;
    /* The lock of the store's folder; −1: none. */
    int lock;
    /* The identity (run/identity.h), and the program's digest, which is part of it. */
    char *host;
    gnt_digest program;
    /* What the numbers of the suite's scripts depend on (plugin/python.h); NULL if no plugin is one. */
    char *scripts;
    run_jobs jobs;
    run_requests requests;
    /* plan->n. */
    run_cell *cell;
    /* n_tasks × n_defenses. */
    run_search *search;
    /* Results of cells. */
    gnt_arena memory;
    run_progress progress;
    run_sharing sharing;
    /* Searches and cells to step: not settled, and new or what they waited for has happened. */
    run_queue searches, cells;
    run_running running;
    int interrupted;
} run;

/* Where a job keeps its checkpoint. */
typedef struct run_checkpoint {
    gnt_launch_checkpoint launch;
    char *path, job[GNT_HEX_SIZE], program[GNT_HEX_SIZE];
} run_checkpoint;

/* The file in which plugins of one of a job's processes put results that outlive it. */
typedef struct run_memo {
    gnt_launch_memo launch;
    char job[2 * GNT_HEX_SIZE];
} run_memo;

/* ---- job_store.c ---- */
/* Sets the key of a job whose inputs are stored; −1 when out of memory. */
int run_set_key(const run *r, run_job *j);
/* Sets *record to a new reference to that of the job's output if the store has a valid one, else to NULL. */
int run_find_stored(const run *r, const run_job *j, json_t **record, gnt_err *err);
/* Returns the metadata of a stored output; NULL if it cannot be read. */
json_t *run_metadata(const run *r, const run_job *j, const char *output);
/* Puts what the job's processes left into the store. */
int run_store_outputs(run *r, run_job *j, gnt_err *err);

/* ---- released.c ---- */
/* Notes that a job which has ended well reads its inputs no more, and releases those that no job reads. */
int run_release_inputs(run *r, run_job *j, gnt_err *err);
/* Puts back those of the job's inputs whose outputs were released. True if there are any. */
int run_restore_inputs(run *r, const run_job *j);
/* True if no output of the record is released. */
int run_is_restored(const run *r, const run_job *j, const json_t *record);
/* Compares what the job's process left with the digests of what was released, if that is restored. */
int run_check_restored(const run_job *j, gnt_err *reason);

/* ---- job_cost.c ---- */
/* Takes the cost from the job's processes, which have ended. */
void run_cost_measure(run_job *j);
/* Writes it next to the job's entry in the store. */
int run_cost_put(run *r, const run_job *j, gnt_err *err);
/* Reads what the job took when its output was made; 0 if that is not known. */
void run_cost_read(run *r, run_job *j);

/* ---- job_checkpoint.c ---- */
/* Fills in where a job that is about to start keeps its checkpoint; `path` and the texts are the caller's
 * until the job was started. Returns 0, 1 if it keeps none, or −1. */
int run_checkpoint_of(const run *r, const run_job *j, run_checkpoint *out, gnt_err *err);
void run_checkpoint_free(run_checkpoint *c);
/* Opens the memo of one of the job's processes (GNT_STORE_MEMO_*). Returns 0, 1 if it has none, or −1. */
int run_memo_open(const run *r, const run_job *j, const char *name, run_memo *out, gnt_err *err);
void run_memo_close(run_memo *m);
/* Removes what a job left in order to go on, once it is stored, or has failed by itself and is to begin
 * again. */
void run_drop_unfinished(const run *r, const run_job *j);

/* ---- job_processes.c ---- */
int run_processes_start(run *r, run_job *j, gnt_err *err);
/* Waits until all of a job's processes have ended, outside of the scheduler's loop; −1 if not all ended
 * well. */
int run_processes_wait(run_job *j, gnt_err *reason);
/* Kills those that still run. Nothing happens where there are none. */
void run_processes_free(run_job *j);

/* ---- keep_failed.c ---- */
/* Keeps the request and inputs of a job whose processes have ended, if the user wants that. Failing to is a
 * warning. */
void run_keep_failed(const run *r, const run_job *j);

/* ---- job_steps.c ---- */
/* Moves waiting jobs on and starts ready ones. */
int run_step_jobs(run *r, gnt_err *err);
/* Waits a while for a running job to end, and finishes it. */
int run_wait_job(run *r, gnt_err *err);

/* ---- shared_jobs.c: in a run that does not share only run_next_job does anything ---- */
int run_share_open(run *r, gnt_err *err);
void run_share_close(run *r);
/* Takes the ready job to start next; NULL: there is none, or others have their leases. One that turned out to
 * be stored, or to have failed elsewhere, is moved on. */
int run_next_job(run *r, run_job **next, gnt_err *err);
/* True if others compute what this run needs, after a while of waiting. */
int run_share_waits(run *r);
/* Renews this run's leases, and reports progress now and then. To be called often. */
void run_share_renew(run *r);
/* Reports how far it is, now. state: "running", "ended", "stopped". */
void run_share_report(run *r, const char *state);
/* True if a job ended badly because everything here is being ended. */
int run_share_was_ended(const run *r, const run_job *j, const char *verdict);
/* Releases the lease of a job that this run did not start after all. */
void run_share_put_back(run *r, const run_job *j);
/* Releases the lease of a job that this run computed, once it has ended and its output, if any, is stored. */
int run_share_ended(run *r, run_job *j, gnt_err *err);

/* ---- trained_utility.c ---- */
/* Returns the utility after the last round; NaN if the job has none. *noise (may be NULL): its standard
 * error. */
double run_utility(const run *r, run_job *train, double *noise);
/* Fills what results.json has of a training's utility in addition to the number: by round, by the value of an
 * attribute (NULL: not), and what else was measured. */
void run_fill_utility(const run *r, run_job *train, const char *attribute, gnt_utility *out,
                      gnt_arena *arena);
/* Returns by how much the utility of a training exceeds that of `none`, measured on the same rows; NaN if
 * either has none. *noise: the standard error of the mean difference over these rows. */
double run_utility_above(const run *r, run_job *train, run_job *none, double *noise);
/* Utility where no update was what its client sent (job/influence.h), and of models that learnt nothing: the
 * one before the first round, and the best constant outputs. */
typedef struct run_control {
    /* The sentence of a server that refused such updates; else NULL. */
    const char *refused;
    gnt_measured left, untrained, constant;
} run_control;
/* Returns a new reference to the metadata of what a training recorded; NULL if it recorded nothing. */
json_t *run_record_of(const run *r, run_job *train);
/* False if the training measured none. */
int run_control_utility(const run *r, const run_job *train, run_control *out, gnt_arena *arena);
/* What a control training with secret labels learnt of them after its last round, what the undefended one had
 * learnt when it was as accurate (metric/secret.h), and before the first round. */
typedef struct run_secret {
    gnt_secret_learnt own, none, untrained;
} run_secret;
/* False if either training did not measure it. */
int run_secret_learnt(const run *r, const run_job *secret, const run_job *none, run_secret *out);
/* True if the utility of a training can be read from the store at all: a search must not take garbage for a
 * training that diverged. */
int run_has_utility(const run *r, const run_job *train);

/* ---- search_steps.c ---- */
/* Moves a search on that is not settled; what it then waits for puts it into r->searches. */
int run_step_search(run *r, run_search *s, gnt_err *err);

/* ---- cell_marks.c ---- */
/* Returns what the host found wrong with the cell's defense; at NULL: nothing. */
gnt_marks run_marks_of(run *r, const run_cell *c);

/* ---- cell_steps.c ---- */
/* True if this run is to finish that cell. */
int run_wants(const run *r, size_t cell);
/* True if it is finished, and neither ok nor n/a. */
static inline int run_is_bad(gnt_cell_status status) {
    return status != GNT_CELL_UNFINISHED && status != GNT_CELL_OK && status != GNT_CELL_NA;
}
/* Moves a cell on that is wanted and not settled; what it then waits for puts it into r->cells. */
int run_step_cell(run *r, run_cell *c, gnt_err *err);
/* Makes all jobs of a cell whose strength is known; −1 when out of memory. */
int run_make_cell_jobs(run *r, run_cell *c, gnt_err *err);

/* ---- results.c, provenance.c ---- */
/* Writes plan.json and suite.json. */
int run_write_plan(const run *r, gnt_err *err);
int run_write_results(const run *r, gnt_err *err);
int run_write_host(const run *r, gnt_err *err);
/* Returns "provenance" of host.json; NULL when out of memory. */
json_t *run_provenance(const run *r);

/* ---- progress.c ---- */
void run_show_progress(run *r, int last);
void run_show_warning(const run *r, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Shows what the job's process said, once. */
void run_show_said(const run *r, run_job *j);
void run_show_cell(const run *r, const run_cell *c);

/* ---- warnings.c ---- */
/* Warns of what can be known before anything runs, and of what the training runs have shown. */
void run_warn_before(const run *r);
void run_warn_after(const run *r);

#endif
