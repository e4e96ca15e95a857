/* keep_captures: writes the updates that a cell of a finished run observed as captures (capture/capture.h),
 * out of the run's store. What that has released is computed again, and the run's folder is not written to.
 *
 * Owner and lifetime: everything is borrowed for the call.
 * Thread: the one that handles the children.
 * Errors: −1 with a sentence. */
#ifndef GNT_FINISHED_KEEP_CAPTURES_H
#define GNT_FINISHED_KEEP_CAPTURES_H

#include <stddef.h>
#include <stdint.h>

#include "process/sandbox.h"
#include "suite/plan.h"

typedef struct gnt_keep_options {
    /* The run's folder, and the id of a cell of it. */
    const char *folder, *cell;
    /* As in gnt_run_options. */
    const char *data_folder;
    gnt_sandbox_options sandbox;
    /* Target T becomes output/T. */
    const char *output;
    /* The only target to write; −1: all. */
    int64_t target;
    /* The private batches too. */
    int with_private;
    /* Called for each capture that was written. */
    void (*wrote)(void *user, const char *folder);
    void *user;
} gnt_keep_options;

/* `suite` is that of the run, as its folder keeps it, and `plan` its plan. */
int gnt_keep_captures(const gnt_suite *suite, const gnt_plan *plan, const gnt_keep_options *options,
                      gnt_err *err);

#endif
