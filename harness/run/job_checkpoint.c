/* What a job goes on from after it was killed: the checkpoint of a training, where it is and how often it is
 * written; the memos of plugins; and when they go. They lie in the job's entry of the store, which does not
 * count before the job is done. */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/mem.h"
#include "run/run_impl.h"

/* Seconds between two checkpoints, at least. */
static const double seconds_apart = 60;

/* For tests: GAUNTLET_CHECKPOINT is that number; 0: after every round. */
static double seconds_between(void) {
    const char *text = getenv("GAUNTLET_CHECKPOINT");
    char *end;
    const double seconds = text ? strtod(text, &end) : seconds_apart;
    return !text || end == text || !(seconds >= 0) || !(seconds <= 1e9) ? seconds_apart : seconds;
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

int run_memo_open(const run *r, const run_job *j, const char *name, run_memo *out, gnt_err *err) {
    char job[GNT_HEX_SIZE], program[GNT_HEX_SIZE];
    *out = (run_memo){.launch.fd = -1};
    if (!j->has_memo || j->state != RUN_READY)
        return 1;
    gnt_digest_hex(&j->stored.key, job);
    gnt_digest_hex(&r->program, program);
    snprintf(out->job, sizeof out->job, "%s %s", job, program);
    out->launch = (gnt_launch_memo){gnt_store_open_memo(r->store, &j->stored.key, name, err), out->job};
    return out->launch.fd < 0 ? -1 : 0;
}

void run_memo_close(run_memo *m) {
    if (m->launch.fd >= 0)
        close((int)m->launch.fd);
    m->launch.fd = -1;
}

void run_drop_unfinished(const run *r, const run_job *j) {
    if ((j->resumes || j->has_memo) && !r->options->only_stored)
        gnt_store_drop_unfinished(r->store, &j->stored.key);
}
