/* time_jobs: times jobs of a finished run. Cells of it are run in a scratch folder, and then the training or
 * the attack of each as often as the caller wants: nothing but that job is run again. time_builds.h starts it
 * in another process, as `gauntlet pace`.
 *
 * Owner and lifetime: everything is borrowed for the call; the scratch folder is gone after it.
 * Thread: the one that handles the children.
 * Errors: −1 with a sentence. */
#ifndef GNT_FINISHED_TIME_JOBS_H
#define GNT_FINISHED_TIME_JOBS_H

#include <stddef.h>

#include "finished/time_builds.h"
#include "process/sandbox.h"
#include "suite/plan.h"

typedef struct gnt_time_jobs_options {
    /* The run's folder. */
    const char *folder;
    /* As in gnt_run_options. */
    const char *data_folder;
    gnt_sandbox_options sandbox;
    const gnt_timed_job *job;
    /* At most GNT_TIMED_JOBS_MOST. */
    size_t n;
    /* Called with NULL when everything is ready, and after each round with the processor seconds of each job.
     * Returns 1 for one more round, 0 for none. */
    int (*next)(void *user, const double *seconds);
    void *user;
} gnt_time_jobs_options;

/* Times jobs. `suite` is that of the run, as its folder keeps it, and `plan` its plan. Matched strengths are
 * the run's. Fails, too, if a job is not in the plan or did not end well. */
int gnt_time_jobs(const gnt_suite *suite, const gnt_plan *plan, const gnt_time_jobs_options *options,
                  gnt_err *err);

#endif
