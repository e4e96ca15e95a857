/* pace: how long jobs of a finished run take. Cells of it are run in a scratch folder, and then the training or the
 * attack of each as often as the caller asks: nothing but that job is run again. */
#ifndef GNT_RUN_PACE_H
#define GNT_RUN_PACE_H

#include <stddef.h>

#include "finished/race.h"
#include "process/sandbox.h"
#include "suite/plan.h"

typedef struct gnt_pace_options {
    const char *folder;      /* of the run */
    const char *data_folder; /* as in gnt_run_options */
    gnt_sandbox_options sandbox;
    const gnt_race_job *job;
    size_t n; /* ≤ GNT_RACE_MOST_JOBS */
    /* Called when all is ready, with NULL, and after each round with the processor seconds of each job; 1 asks for a
     * round more, 0 for none. */
    int (*next)(void *user, const double *seconds);
    void *user;
} gnt_pace_options;

/* `suite` is that of the run, as its folder keeps it, and `plan` its plan. Matched strengths are the run's. −1: a job is
 * not of the plan, or did not end well. */
int gnt_pace(const gnt_suite *suite, const gnt_plan *plan, const gnt_pace_options *options, gnt_err *err);

#endif
