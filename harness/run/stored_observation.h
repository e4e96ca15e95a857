/* stored_observation: what the attack of a cell observed, and the samples behind it, out of the store. What
 * the store has released is computed again, in a process of its own, and has the bytes that it had. For
 * gnt_run_options.done, which is given the run.
 *
 * Owner and lifetime: the run belongs to gnt_run and lives as long as the call of `done`, as do requests of
 * its jobs.
 * Thread: that of `done`.
 * Errors: −1 with a sentence. */
#ifndef GNT_RUN_STORED_OBSERVATION_H
#define GNT_RUN_STORED_OBSERVATION_H

#include "nn/io/safetensors.h"
#include "request/request.h"

struct run;

typedef struct gnt_stored_observation {
    const gnt_request_observation *request;
    /* The members of the defense behind it. */
    const gnt_request_plugins *defense;
    /* The attribute that is scored; NULL: none. */
    const gnt_request_attribute *attribute;
    /* Bundles as the job `observe` and, of a probe, `data` leave them (job/job.h); empty where there is
     * none. */
    gnt_st seen, labels, rates, targets;
} gnt_stored_observation;

/* Reads that of a cell of the plan. The caller frees; *out is empty after a failure. */
int gnt_run_stored_observation(struct run *r, size_t cell, gnt_stored_observation *out, gnt_err *err);
void gnt_stored_observation_free(gnt_stored_observation *o);

#endif
