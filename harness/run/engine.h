/* engine: runs a plan. Every cell gets the jobs that it needs. A job whose output is stored is not run again;
 * the others run in children, several at once. Results never depend on which child ended first.
 *
 * Owner and lifetime: suite, plan and options are borrowed for the call.
 * Thread: one run at a time in a program, for it handles all children.
 * Errors: −1 with a sentence. Cells that fail are counted, not an error. */
#ifndef GNT_RUN_ENGINE_H
#define GNT_RUN_ENGINE_H

#include <stdint.h>

#include "base/err.h"
#include "process/sandbox.h"
#include "suite/plan.h"
#include "suite/suite.h"

struct run;

/* The part that this run has where several work in one folder, on one machine or on several
 * (run/lease/share.h). */
typedef enum gnt_share_kind {
    /* It does not share: it runs its jobs as they come, and knows nothing of other runs. */
    GNT_SHARE_NOT,
    /* Computes what nobody else does until nothing is left, into the store alone: no file of the run is
     * written, and what failed elsewhere is not tried again. */
    GNT_SHARE_WORK,
    /* The same, but retries what failed, and writes the files of the run. */
    GNT_SHARE_GATHER
} gnt_share_kind;

typedef struct gnt_run_options {
    /* The run's folder: store/, images/ and the JSON files go there. */
    const char *folder;
    /* --data, or NULL. */
    const char *data_folder;
    /* Children at once, ≥ 1. */
    int jobs;
    /* No progress, no warnings. */
    int quiet;
    /* plan->n flags: cells to run, the others stay unfinished. NULL: all. */
    const uint8_t *wanted;
    /* An output that was made in a sandbox below sandbox.least is recomputed. */
    gnt_sandbox_options sandbox;
    /* The layers in force on this machine, for the record; may be NULL. */
    const char *sandbox_here;
    /* And their level, for others that share the folder; may be NULL. */
    const char *sandbox_level;
    /* Called when every cell is done, while its jobs can still be run again (run/rerun_job.h). NULL: not. */
    int (*done)(void *user, struct run *r, gnt_err *err);
    void *user;
    /* Where each job that fails leaves a folder with its request and inputs; NULL: nowhere. */
    const char *keep_failed;
    /* In place of searches, n_tasks × n_defenses × GNT_BRACKETS: the matched strength and, at its
     * gnt_bracket, those next to it. NULL: searches. */
    const double *strength;
    /* 1: nothing but the searches of the wanted cells, which stay unfinished. */
    int searches_only;
    gnt_share_kind share;
    /* 1: nothing is computed and no file is written; a job whose output is not stored fails. */
    int only_stored;
    /* Seconds without a sign of life after which other runs take its leases over; 0: GNT_LEASE_TERM. */
    double lease_term;
    /* The number of the Slurm job that this run is, for the record; NULL: none. */
    const char *slurm_job;
} gnt_run_options;

typedef struct gnt_run_counts {
    /* Numbers of cells to run, by status. */
    size_t ok, failed, crashed, timeout, na, unfinished;
    /* Number of the ok ones of which an earlier run computed all. */
    size_t reused;
    int interrupted;
} gnt_run_counts;

/* Writes plan.json, results.json and host.json into the folder, unless it shares in the work alone or
 * computes nothing. −1: the run itself could not go on (disk, memory). After an interruption what was
 * finished is stored and written. */
int gnt_run(const gnt_suite *suite, const gnt_plan *plan, const gnt_run_options *options,
            gnt_run_counts *counts, gnt_err *err);

#endif
