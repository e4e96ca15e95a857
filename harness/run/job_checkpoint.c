/* The checkpoint of a training job: where it is, how often it is written, and when it goes. It lies in the
 * job's entry of the store, which does not count before the job is done. */
#include <stdlib.h>

#include "base/mem.h"
#include "run/run_impl.h"

/* Seconds between two checkpoints, at least. */
static const double pause = 60;

/* For tests: GAUNTLET_CHECKPOINT is that number; 0: after every round. */
static double seconds_between(void) {
    const char *text = getenv("GAUNTLET_CHECKPOINT");
    char *end;
    const double seconds = text ? strtod(text, &end) : pause;
    return !text || end == text || !(seconds >= 0) || !(seconds <= 1e9) ? pause : seconds;
}

int run_checkpoint_of(const run *r, const run_job *j, run_checkpoint *out, gnt_err *err) {
    *out = (run_checkpoint){0};
    if (!j->resumes || j->state != RUN_READY) /* one that is run again to be timed does all of its work */
        return 1;
    out->path = gnt_store_checkpoint(r->store, &j->stored.key, err);
    if (!out->path)
        return -1;
    gnt_digest_hex(&j->stored.key, out->job);
    gnt_digest_hex(&r->program, out->program);
    out->launch = (gnt_launch_checkpoint){out->path, out->job, out->program, seconds_between()};
    return 0;
}

void run_checkpoint_free(run_checkpoint *c) {
    gnt_free(c->path);
    c->path = NULL;
}

void run_checkpoint_drop(const run *r, const run_job *j) {
    if (j->resumes && !r->options->only_stored)
        gnt_store_drop_checkpoint(r->store, &j->stored.key);
}
