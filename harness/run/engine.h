/* engine: runs a plan. Every cell pulls the jobs it needs, jobs whose output is stored are not run again, the
 * others run in children, several at once. What happens never depends on which child ended first: a search
 * for a strength waits for all it asked for, and results are written in the order of the plan. */
#ifndef GNT_RUN_ENGINE_H
#define GNT_RUN_ENGINE_H

#include <stdint.h>

#include "base/err.h"
#include "process/sandbox.h"
#include "suite/plan.h"
#include "suite/suite.h"

struct run;

typedef struct gnt_run_options {
    const char *folder;      /* of the run: store/, images/ and the JSON files go there */
    const char *data_folder; /* --data, or NULL */
    int jobs;                /* children at once, ≥ 1 */
    int quiet;               /* no progress */
    const uint8_t *wanted;   /* plan->n flags: cells to run, the others stay unfinished; NULL: all */
    gnt_sandbox_wish walls;  /* an output that was made behind less than walls.least is made anew */
    const char *walls_here;  /* which stand here, for the record; may be NULL */
    /* Called when every cell is done, while its jobs can still be run again (run/pace.h); NULL: not. */
    int (*done)(void *user, struct run *r, gnt_err *err);
    void *user;
    /* Where each job that fails leaves a folder with its request and inputs; NULL: nowhere. */
    const char *keep_failed;
    const double *strength; /* of matched cells, n_tasks × n_defenses, in place of searches; NULL: searches */
} gnt_run_options;

typedef struct gnt_run_counts {
    size_t ok, failed, crashed, timeout, na, unfinished;
    size_t left_out; /* not wanted */
    int interrupted;
} gnt_run_counts;

/* Writes plan.json, results.json and host.json into the folder. Cells that fail are counted, not an error; −1
 * when the run itself could not go on (disk, memory). After an interruption what was finished is stored and
 * written. */
int gnt_run(const gnt_suite *suite, const gnt_plan *plan, const gnt_run_options *options,
            gnt_run_counts *counts, gnt_err *err);

#endif
