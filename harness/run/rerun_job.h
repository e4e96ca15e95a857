/* rerun_job: jobs of a run that has just ended, run once more to be timed. For
 * gnt_run_options.done, which is given the run.
 *
 * Owner and lifetime: the run belongs to gnt_run and lives as long as the call of `done`.
 * Thread: that of `done`.
 * Errors: −1 with a sentence. */
#ifndef GNT_RUN_RERUN_JOB_H
#define GNT_RUN_RERUN_JOB_H

#include <stddef.h>

#include "base/err.h"

struct run;

typedef enum gnt_cell_job { GNT_CELL_TRAINING, GNT_CELL_ATTACK } gnt_cell_job;

/* Fails with a sentence unless that job of a cell of the plan ended well. */
int gnt_run_check_job(const struct run *r, size_t cell, gnt_cell_job which, gnt_err *err);
/* Runs a job that ended well once more and throws away what it leaves. *seconds: the
 * processor time that it took. */
int gnt_run_rerun_job(struct run *r, size_t cell, gnt_cell_job which, double *seconds, gnt_err *err);

#endif
