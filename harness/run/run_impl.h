/* run_impl: what the files of the engine share. */
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
    RUN_WAITING, /* for its inputs */
    RUN_READY,
    RUN_RUNNING,
    RUN_OK,
    RUN_ENDED /* it failed, or what it needs did */
} run_state;

typedef struct run_job run_job;

typedef struct run_input {
    const char *name;   /* constant text */
    run_job *from;      /* the job whose output it is, or NULL: */
    const char *output; /* constant text */
    char *path;         /* a file of the user's */
} run_input;

enum { RUN_MOST_INPUTS = 48, RUN_MOST_PLUGINS = 17, RUN_SIDES = 3 };

struct run_job {
    char *name;
    gnt_request request;
    run_input input[RUN_MOST_INPUTS];
    size_t n_inputs;
    const char *const *outputs;           /* NULL-terminated, constant */
    const char *plugin[RUN_MOST_PLUGINS]; /* files it opens */
    size_t n_plugins;
    const char *broken; /* the part of the request that could not be made */
    run_state state;
    gnt_digest key;
    json_t *record; /* of the store, once OK */
    const char *verdict;
    char *reason;
    char *sandbox;
    int cached;
    gnt_utility_kind utility_kind; /* of a training: */
    int untrained;                 /* weights nobody trained have no utility */
    int measured;                  /* utility and noise are known */
    double utility, noise;
    double wall, cpu;
    uint64_t peak;
    int exit_code, signal; /* how its process ended: −1 and the signal, or the code and 0 */
    char *tail;            /* the end of what it wrote to stderr, where its process ended badly; else NULL */
    const run_job *origin; /* the job whose failure ended this one that never ran; NULL for its own */
    uint64_t done, total;  /* what it last said of how far it is; total 0: nothing */
    gnt_child *child;
    gnt_child *side[RUN_SIDES]; /* of the running child: processes in which a defense's hooks run */
    size_t n_sides;
    double ended_at;         /* when its own process ended badly, while sides went on; else 0 */
    int fd[RUN_MOST_INPUTS]; /* of the running child */
};

typedef struct run_search { /* for the strength of one defense on one task */
    size_t task, defense;
    int settled;
    gnt_match_spec spec;
    gnt_match_point *history;
    size_t n, room;
    gnt_match_next_step step;
    double none;  /* utility of the plain training, mean over the search's seeds */
    char *reason; /* why it came to nothing: a training failed, namely: */
    const run_job *failed;
} run_search;

typedef struct run_cell {
    const gnt_cell *cell;
    const char *status; /* NULL: not finished */
    char *reason;
    double strength; /* NaN: none */
    int matched;
    double utility, utility_none; /* NaN: unknown */
    double utility_error;         /* standard error of `utility` */
    json_t *score;                /* metadata of the score */
    json_t *facts;
    json_t *marks;   /* what the host found wrong with the defense: [{"what", "says"}] */
    run_job *replay; /* NULL where there is nothing to compute again */
    run_job *shuffled,
        *shuffled_none; /* with labels of others, defended and not; NULL where nothing is judged by it */
    run_job *train, *first, *attack, *score_job; /* first: of a chain, else NULL */
    const run_job *failed;                       /* the job whose failure is the cell's; else NULL */
} run_cell;

typedef struct run {
    const gnt_suite *suite;
    const gnt_plan *plan;
    const gnt_run_options *options;
    gnt_store *store;
    json_t *index; /* job name -> number */
    run_job **job;
    size_t n_jobs, room;
    run_cell *cell;
    run_search *search;         /* n_tasks × n_defenses */
    gnt_digest *data_digest;    /* of each task's data set */
    gnt_digest *lent_digest;    /* of the one that lends it public rows */
    gnt_digest lpips_digest[3]; /* of the weights of gnt_lpips_names */
    char *lpips_path[3];        /* NULL: not asked for, or not there */
    gnt_digest *weights_digest;
    gnt_digest *model_data, *model_weights; /* of each of the suite's models */
    char *host;                             /* the program's digest and the numerics identity */
    size_t running, finished;
    size_t n_wanted;              /* cells that this run is to finish */
    struct timespec start, shown; /* shown: when running jobs were last listed */
    time_t started;               /* by the clock on the wall */
    int interrupted;
} run;

/* ---- job_table.c ---- */
/* The job of that name; *fresh: it was just made and its request is to be filled in. NULL when out of memory. */
run_job *run_need(run *r, const char *name, int *fresh);
/* The job of that name, if there is one and it is done; else NULL. */
run_job *run_find_ok(const run *r, const char *name);
int run_add_input(run_job *j, const char *name, run_job *from, const char *output);
/* The job whose failure ended this one: itself, or one whose output it needed. */
const run_job *run_origin(const run_job *j);
/* Metadata of a stored bundle as JSON; NULL when it cannot be read. */
json_t *run_metadata(const run *r, const run_job *j, const char *output);

/* ---- jobs.c ---- */
/* Moves waiting jobs on and starts ready ones; *moved is set when anything changed. */
int run_step_jobs(run *r, int *moved, gnt_err *err);
/* Waits a while for a running job to end and takes in what it left. */
int run_wait_job(run *r, gnt_err *err);
/* Runs a job that is done once more and throws away what it leaves; *seconds of processor time it took. */
int run_job_again(run *r, run_job *j, double *seconds, gnt_err *err);
void run_free_jobs(run *r);

/* ---- requests_*.c: the jobs of a task; each returns NULL when out of memory ---- */
enum {
    RUN_PLAIN = -1, /* no defense at all */
    RUN_PUBLIC = -2 /* none, and public data in the clients' hands */
};
run_job *run_data_job(run *r, size_t task, uint64_t seed);
run_job *run_model_job(run *r, size_t model);
const run_job *run_model_made(const run *r, size_t model); /* NULL when it is not done */
run_job *run_initial_job(run *r, size_t task, uint64_t seed);
run_job *run_train_job(run *r, size_t task, int defense, double strength, uint64_t seed);
/* The same training where every sample has the label of another: what is left of its utility does not come from the
 * clients' data. NULL where utility is no accuracy. */
run_job *run_shuffled_job(run *r, size_t task, int defense, double strength, uint64_t seed);
/* Recorded updates computed again; NULL where nothing was recorded, or no plugin had a hand in it. */
run_job *run_replay_job(run *r, size_t task, int defense, double strength, uint64_t seed);
run_job *run_attack_job(run *r, const gnt_cell *c, double strength);
run_job *run_first_job(run *r, const gnt_cell *c, double strength); /* of a chain */
run_job *run_score_job(run *r, const gnt_cell *c, double strength, run_job *attack);

/* ---- keep_failed.c ---- */
/* Before the job's inputs are closed; nothing happens where the user did not ask for it. What cannot be kept is a warning. */
void run_keep_failed(const run *r, const run_job *j);

/* ---- utility.c ---- */
/* Utility after the last round; NaN when the job has none. *noise (may be NULL): its standard error. */
double run_utility(const run *r, run_job *train, double *noise);
/* Whether what a training left tells its utility at all: a search must not take rubbish for a training that diverged. */
int run_utility_holds(const run *r, const run_job *train);

/* ---- searches.c ---- */
int run_step_search(run *r, run_search *s, int *moved, gnt_err *err);
/* The plain training (none) of a task and seed: the suite's own `none` where it has one. */
run_job *run_none_job(run *r, size_t task, uint64_t seed);

/* ---- marks.c ---- */
/* What the host found wrong with the cell's defense, as a fresh list. */
json_t *run_marks_of(const run *r, const run_cell *c);
/* The training on public data alone; NULL where there is none to make. */
run_job *run_public_job(run *r, size_t task, uint64_t seed);
run_job *run_public_made(const run *r, size_t task,
                         uint64_t seed); /* NULL where it was not asked for or failed */

/* ---- cells.c ---- */
int run_wants(const run *r, size_t cell);
int run_step_cell(run *r, run_cell *c, int *moved, gnt_err *err);

/* ---- results.c ---- */
int run_write_plan(const run *r, gnt_err *err); /* and suite.json */
int run_write_results(const run *r, gnt_err *err);
int run_write_host(const run *r, gnt_err *err);
/* score_shape.c: 1 when the metadata of a score have the shape that results.json takes over. */
int run_score_holds(const json_t *score);

/* ---- progress.c ---- */
void run_show_progress(run *r, int last);
void run_show_warning(const run *r, const char *format, ...) __attribute__((format(printf, 2, 3)));
void run_show_cell(const run *r, const run_cell *c);

/* ---- provenance.c ---- */
json_t *run_provenance(const run *r); /* NULL when out of memory */

#endif
