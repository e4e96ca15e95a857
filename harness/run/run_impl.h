/* run_impl: what the files of the scheduler share. Private to run/.
 *
 * Owner and lifetime: the run owns its jobs, cells and searches, and what they point to, until gnt_run
 * returns; the suite, the plan and the options are borrowed. A job never moves in memory. Thread: one thread
 * runs everything; the work is done in children. Errors: −1 or NULL with a sentence in err: the run itself
 * cannot go on. A job or a cell that fails is no error but has a verdict and a reason. */
#ifndef GNT_RUN_RUN_IMPL_H
#define GNT_RUN_RUN_IMPL_H

#include <time.h>

#include <jansson.h>

#include "base/digest.h"
#include "match/match.h"
#include "process/child.h"
#include "request/request.h"
#include "run/engine.h"
#include "run/store.h"

typedef enum run_state {
    /* For its inputs. */
    RUN_WAITING,
    RUN_READY,
    RUN_RUNNING,
    RUN_OK,
    /* It failed, or what it needs did. */
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
} run_input;

enum { RUN_MOST_INPUTS = 48, RUN_MOST_PLUGINS = 17, RUN_MOST_SIDES = 3 };

struct run_job {
    char *name;
    gnt_request request;
    /* The part of the request that could not be made, as constant text; NULL: none. */
    const char *request_error;
    run_input input[RUN_MOST_INPUTS];
    size_t n_inputs;
    /* NULL-terminated, constant. */
    const char *const *outputs;
    /* Plugin files that it opens. */
    const char *plugin[RUN_MOST_PLUGINS];
    size_t n_plugins;

    run_state state;
    /* Of its outputs in the store, once its inputs are there. */
    gnt_digest key;
    /* Its record in the store, once RUN_OK. */
    json_t *record;
    /* How it ended, as gnt_child_verdict has it. */
    const char *verdict;
    char *reason;
    /* The level of its sandbox. */
    char *sandbox;
    /* Its output was in the store already. */
    int cached;
    /* The job whose failure ended this one, which never ran; NULL: its own. */
    const run_job *origin;
    /* The machine on which another run found that it fails; NULL: this run found it. */
    char *node;

    /* Of a training: what utility is measured by, and whether nobody trained the
     * weights, which then have none. */
    gnt_utility_kind utility_kind;
    int untrained;
    /* Of a training: whether `utility` and `noise`, its standard error, have been read from the store. */
    int measured;
    double utility, noise;
    /* Of the same: [{"round", "accuracy", "loss", of maps "iou"}] of every round after which utility was
     * measured, where the suite asks for that; NULL: it does not, or there is no utility. */
    json_t *by_round;
    /* Of the same: {ATTRIBUTE: [{"n", "right", "labels"}]}, the test samples by value. NULL: there is no
     * utility. */
    json_t *by_value;
    /* Of the same, where the test samples have maps: {NAME: {"value", "standard_error"}}, the numbers beside
     * the utility. */
    json_t *beside;

    /* When its output was made, by this run or by an earlier one. */
    double wall_seconds, cpu_seconds;
    /* Bytes. */
    uint64_t peak;
    /* What its plugins' hooks took (plugin/hook_times.h); NULL: nobody knows. */
    json_t *hooks;
    /* Labels of the defense whose hooks it calls, and of the attack; NULL: none. */
    const char *defense, *attack;
    /* How its process ended: −1 and the signal, or the code and 0. */
    int exit_code, signal;
    /* The end of what it wrote to stderr, where its process ended badly; else NULL. */
    char *stderr_tail;
    /* The progress that it last reported; total 0: none. */
    uint64_t done, total;

    /* While it runs: its process, the processes in which a defense's hooks run, and
     * the inputs that they read. */
    gnt_child *child;
    gnt_child *side[RUN_MOST_SIDES];
    size_t n_sides;
    int fd[RUN_MOST_INPUTS];
    /* When its own process ended badly while sides went on, in seconds of the monotonic clock; else 0. */
    double ended_badly_at;
};

/* The search for the strength of one defense on one task. */
typedef struct run_search {
    size_t task, defense;
    int settled;
    gnt_match_spec spec;
    gnt_match_point *history;
    size_t n, room;
    gnt_match_next_step step;
    /* Utility of the plain training, mean over the suite's seeds. */
    double none;
    /* Why it found nothing: the training `failed` failed. */
    char *reason;
    const run_job *failed;
} run_search;

typedef enum run_status {
    RUN_CELL_UNFINISHED,
    RUN_CELL_OK,
    /* The plan rules the cell out, or a plugin does not support it. */
    RUN_CELL_NA,
    RUN_CELL_FAILED,
    RUN_CELL_CRASHED,
    RUN_CELL_TIMEOUT
} run_status;

typedef struct run_cell {
    const gnt_cell *cell;
    run_status status;
    char *reason;
    /* NaN: none. */
    double strength;
    int matched;
    /* NaN: unknown. */
    double utility, utility_none;
    /* Standard error of `utility`. */
    double utility_error;
    /* Metadata of the score. */
    json_t *score;
    json_t *facts;
    /* What the host found wrong with the defense: [{"what", "says"}]. */
    json_t *marks;

    run_job *train, *attack, *score_job;
    /* Of a chain of attacks, the first one; else NULL. */
    run_job *first_attack;
    /* NULL where there is nothing to compute again. */
    run_job *replay;
    /* The plain training, and the one on public data alone, if any: what the utility stands beside. */
    run_job *none;
    const run_job *public_only;
    /* Trainings with labels of other samples, defended and not. NULL where nothing is judged by them. */
    run_job *shuffled, *shuffled_none;
    /* The job whose failure is the cell's; else NULL. */
    const run_job *failed;
} run_cell;

typedef struct run {
    const gnt_suite *suite;
    const gnt_plan *plan;
    const gnt_run_options *options;
    gnt_store *store;

    /* Job name -> its index in `job`. */
    json_t *index;
    run_job **job;
    size_t n_jobs, room;
    /* plan->n. */
    run_cell *cell;
    /* n_tasks × n_defenses. */
    run_search *search;

    /* Of each task: its data set, the set that its public rows come from where that is
     * another one, its weights. */
    gnt_digest *data_digest, *public_digest, *weights_digest;
    /* Of each of the suite's models. */
    gnt_digest *model_data, *model_weights;
    /* Of each attack's starting points. */
    gnt_digest *start_digest;
    /* The weights of gnt_lpips_names: digests and paths; a path is NULL where they are not
     * asked for, or not there. */
    gnt_digest lpips_digest[3];
    char *lpips_path[3];
    /* The program's digest and the numerics identity (run/identity.h). */
    char *host;

    /* Jobs that run, cells that have a status. */
    size_t running, finished;
    /* Cells that this run is to finish. */
    size_t n_wanted;
    /* shown: when running jobs were last listed. Both by the monotonic clock. */
    struct timespec start, shown;
    /* By the real-time clock. */
    time_t started;
    int interrupted;

    /* Where several runs share the folder; else NULL. */
    struct gnt_share *share;
    struct run_order *order;
    /* When to look next at what others do, and how long to wait then; when this run told how far it is. By
     * the monotonic clock. */
    double look_at, look_wait, told;
    /* Jobs that this run computed, and the wall time that they took. */
    size_t computed;
    double computed_seconds;
} run;

/* ---- job_table.c ---- */
/* The job of that name. *fresh: it was just made, and its request is to be filled in.
 * NULL when out of memory. */
run_job *run_get_job(run *r, const char *name, int *fresh);
/* The job of that name, if there is one and it is done; else NULL. */
run_job *run_find_ok(const run *r, const char *name);
int run_add_input(run_job *j, const char *name, run_job *from, const char *output);
/* The job whose output is this input of a job; NULL where it has none of that name, or is NULL. */
const run_job *run_input_of(const run_job *j, const char *name);
/* The job has failed. verdict: constant text. */
void run_end_job(run_job *j, const char *verdict, const char *sentence);
/* *record: a new reference to that of the job's output where the store has one that counts, else NULL. A run
 * that shares believes a record without reading the outputs: who reads one holds it against its digest. */
int run_find_stored(const run *r, const run_job *j, json_t **record, gnt_err *err);
/* The job whose failure ended this one: itself, or one whose output it needed. */
const run_job *run_origin(const run_job *j);
/* Metadata of a stored bundle as JSON; NULL when it cannot be read. */
json_t *run_metadata(const run *r, const run_job *j, const char *output);

/* ---- jobs.c ---- */
/* Moves waiting jobs on and starts ready ones; *moved is set when anything changed. */
int run_step_jobs(run *r, int *moved, gnt_err *err);
/* Waits a while for a running job to end and takes in what it left. */
int run_wait_job(run *r, gnt_err *err);
/* Runs a job that is done once more and throws away what it leaves. *seconds: the
 * processor time that it took. */
int run_rerun_job(run *r, run_job *j, double *seconds, gnt_err *err);
void run_free_jobs(run *r);

/* ---- shared_jobs.c: nothing but run_next_job does anything where the run does not share ---- */
int run_share_open(run *r, gnt_err *err);
void run_share_close(run *r);
/* The ready job to start next; NULL: there is none, or others hold them. *moved is set when a job turned out
 * to be stored or to have failed elsewhere. */
int run_next_job(run *r, run_job **next, int *moved, gnt_err *err);
/* Whether others compute what this run needs: 1 after a while of waiting. */
int run_share_waits(run *r);
/* To be called often: keeps what this run holds, and tells now and then how far it is. */
void run_share_renew(run *r);
/* Tells it now. state: "running", "ended", "stopped". */
void run_share_tell(run *r, const char *state);
/* 1: the job ended badly because everything here is being ended. It is ready again, and the run
 * interrupted. */
int run_share_was_ended(run *r, run_job *j, const char *verdict);
/* A job that this run computed has ended, and its output, if any, is stored. */
int run_share_ended(run *r, run_job *j, gnt_err *err);

/* ---- requests_*.c: the jobs of a task; each returns NULL when out of memory ---- */

/* In place of the index of a defense. */
enum {
    /* No defense at all. */
    RUN_PLAIN = -1,
    /* None, and public data in the clients' hands. */
    RUN_PUBLIC = -2
};

/* Trainings of searches have seeds of their own, which no suite can name: data, weights, batches and
 * noise of a cell have then had no part in the choice of its strength. */
static inline uint64_t run_search_seed(int64_t training) {
    return UINT64_C(1) << 63 | (uint64_t)training;
}
static inline int run_is_search_seed(uint64_t seed) {
    return seed >> 63 != 0;
}
run_job *run_data_job(run *r, size_t task, uint64_t seed);
run_job *run_model_job(run *r, size_t model);
/* NULL when it is not done. */
const run_job *run_model_made(const run *r, size_t model);
run_job *run_initial_job(run *r, size_t task, uint64_t seed);
run_job *run_train_job(run *r, size_t task, int defense, double strength, uint64_t seed);
/* The same training where every sample has the label of another: the utility that remains does not come from
 * the clients' data. NULL where utility is no accuracy. */
run_job *run_shuffled_job(run *r, size_t task, int defense, double strength, uint64_t seed);
/* Recorded updates computed again. NULL where nothing was recorded, or no plugin took part. */
run_job *run_replay_job(run *r, size_t task, int defense, double strength, uint64_t seed);
run_job *run_attack_job(run *r, const gnt_cell *c, double strength);
/* The first attack of a chain. */
run_job *run_first_attack_job(run *r, const gnt_cell *c, double strength);
run_job *run_score_job(run *r, const gnt_cell *c, double strength, run_job *attack);

/* ---- keep_failed.c ---- */
/* Before the job's inputs are closed. Nothing happens where the user did not ask for it. What
 * cannot be kept is a warning. */
void run_keep_failed(const run *r, const run_job *j);

/* ---- utility.c ---- */
/* Utility after the last round; NaN when the job has none. *noise (may be NULL): its standard error. */
double run_utility(const run *r, run_job *train, double *noise);
/* How much more utility than `none` a training left that was measured on the same rows; NaN when either has
 * none. *noise: the standard error of the mean difference over these rows. */
double run_utility_beside(const run *r, run_job *train, run_job *none, double *noise);
/* Whether the utility of a training can be read from the store at all: a search must not take garbage for
 * a training that diverged. */
int run_has_utility(const run *r, const run_job *train);

/* ---- searches.c ---- */
int run_step_search(run *r, run_search *s, int *moved, gnt_err *err);
/* The plain training (none) of a task and seed: the suite's own `none` where it has one. */
run_job *run_none_job(run *r, size_t task, uint64_t seed);

/* ---- marks.c ---- */
/* What the host found wrong with the cell's defense, as a fresh list. */
json_t *run_marks_of(const run *r, const run_cell *c);
/* The training on public data alone; NULL where there is none to make. */
run_job *run_public_job(run *r, size_t task, uint64_t seed);
/* NULL where it was not asked for or failed. */
run_job *run_public_made(const run *r, size_t task, uint64_t seed);

/* ---- cell_status.c ---- */
/* As results.json has it: "unfinished", "ok", "n/a", "failed", "crashed", "timeout". */
const char *run_status_name(run_status status);
/* Neither ok nor n/a, and finished. */
int run_is_bad(run_status status);

/* ---- cells.c ---- */
/* Whether this run is to finish that cell. */
int run_wants(const run *r, size_t cell);
int run_step_cell(run *r, run_cell *c, int *moved, gnt_err *err);

/* ---- results.c ---- */
/* suite.json too. */
int run_write_plan(const run *r, gnt_err *err);
int run_write_results(const run *r, gnt_err *err);
int run_write_host(const run *r, gnt_err *err);
/* score_shape.c: 1 when the metadata of a score have the shape that results.json takes over. */
int run_score_is_valid(const json_t *score);

/* ---- progress.c ---- */
void run_show_progress(run *r, int last);
void run_show_warning(const run *r, const char *format, ...) __attribute__((format(printf, 2, 3)));
void run_show_cell(const run *r, const run_cell *c);

/* ---- provenance.c ---- */
/* NULL when out of memory. */
json_t *run_provenance(const run *r);

#endif
