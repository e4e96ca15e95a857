/* requests: the jobs of a suite. Each function makes a job, with those that it needs, or returns the one that
 * has been made; two with the same coordinates are the same job. Everything in a request comes from the
 * plan's coordinates and from the content of the inputs.
 *
 * Owner and lifetime: jobs are the table's. The suite outlives them. Thread: the scheduler's only one.
 * Errors: NULL when out of memory. A request whose arena ran out of memory is refused when the job's turn
 * comes. */
#ifndef GNT_RUN_REQUESTS_H
#define GNT_RUN_REQUESTS_H

#include "metric/features.h"
#include "run/job/run_job.h"
#include "suite/plan.h"

/* Digests of everything that a suite reads besides plugins. Set by input_digests.c. */
typedef struct run_inputs {
    /* One for each task: its data set, the sets of its public rows, if that is another one, and of
     * prior_data, its weights. */
    gnt_digest *data, *public_set, *prior_set, *weights;
    /* One for each of the suite's models. */
    gnt_digest *model_data, *model_weights;
    /* One for each attack: its starting points. */
    gnt_digest *start;
    /* The weights of gnt_lpips_names; a path is NULL if they are not wanted or not there. */
    gnt_digest lpips[GNT_LPIPS_NETS];
    char *lpips_path[GNT_LPIPS_NETS];
} run_inputs;

/* What jobs are made from, and the table that they are put into. Everything but the inputs is borrowed. */
typedef struct run_requests {
    const gnt_suite *suite;
    /* --data, or NULL. */
    const char *data_folder;
    /* What computes here, as in gnt_run_identity: what is known of built-in sets holds for it alone. */
    const char *host;
    run_jobs *jobs;
    run_inputs inputs;
} run_requests;

/* Digests the inputs of r->suite. To be closed after a failure too. */
int run_requests_open(run_requests *r, gnt_err *err);
/* The same without digests, to know the jobs of a suite without running any. −1 when out of memory. */
int run_requests_open_blank(run_requests *r);
void run_requests_close(run_requests *r);

/* In place of the index of a defense. */
enum {
    /* No defense at all. */
    RUN_PLAIN = -1,
    /* None, and public data in the clients' hands. */
    RUN_PUBLIC = -2
};

/* Returns the seed of a search's training run, which no suite can name: data, weights, batches and noise of a
 * cell then had no part in the choice of its strength. */
static inline uint64_t run_search_seed(int64_t training) {
    return UINT64_C(1) << 63 | (uint64_t)training;
}
static inline int run_is_search_seed(uint64_t seed) {
    return seed >> 63 != 0;
}

/* ---- requests_model.c ---- */
run_job *run_model_job(run_requests *r, size_t model);
/* Returns NULL if it is not done. */
const run_job *run_model_made(const run_requests *r, size_t model);

/* ---- requests_train.c ---- */
run_job *run_data_job(run_requests *r, size_t task, uint64_t seed);
run_job *run_initial_job(run_requests *r, size_t task, uint64_t seed);
run_job *run_train_job(run_requests *r, size_t task, int defense, double strength, uint64_t seed);
/* Returns the undefended training of a task and seed: the suite's own `none` if it has one. */
run_job *run_none_job(run_requests *r, size_t task, uint64_t seed);
/* Returns the training on public data alone; NULL, too, if there is none to make. */
run_job *run_public_job(run_requests *r, size_t task, uint64_t seed);
/* Returns NULL if it was not requested or failed. */
run_job *run_public_made(const run_requests *r, size_t task, uint64_t seed);
/* Returns the same training where every sample has the label of another: the utility that remains does not
 * come from the clients' data. NULL, too, if utility is not accuracy. */
run_job *run_shuffled_job(run_requests *r, size_t task, int defense, double strength, uint64_t seed);
/* Returns the same training where a rule that clients' samples alone show changes labels
 * (job/secret_labels.h). NULL, too, if the task does not request it. */
run_job *run_secret_job(run_requests *r, size_t task, int defense, double strength, uint64_t seed);
/* Returns the job that recomputes recorded updates. NULL, too, if nothing was recorded or no plugin took
 * part. */
run_job *run_replay_job(run_requests *r, size_t task, int defense, double strength, uint64_t seed);

/* ---- requests_capture.c ---- */
/* Returns the job that reads the captures of a task, which stands for its observations and its trained
 * weights; NULL: out of memory. */
run_job *run_capture_job(run_requests *r, size_t task);
/* Returns the same for the captures of the i-th earlier round. */
run_job *run_earlier_capture_job(run_requests *r, size_t task, size_t i);

/* ---- requests_attack.c ---- */
run_job *run_attack_job(run_requests *r, const gnt_cell *c, double strength);
/* Returns the same attack with a quarter of its budget, and the same random streams. */
run_job *run_quarter_attack_job(run_requests *r, const gnt_cell *c, double strength);
/* Returns the first attack of a chain. */
run_job *run_first_attack_job(run_requests *r, const gnt_cell *c, double strength);
run_job *run_score_job(run_requests *r, const gnt_cell *c, double strength, run_job *attack);

#endif
