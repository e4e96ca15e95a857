#include "run/stored_observation.h"

#include "base/mem.h"
#include "run/run_impl.h"

/* Reads an output of a job that is RUN_OK, if it left that one: from the store, or from its process, which
 * computed it again. */
static int read_output(const run *r, const run_job *j, const char *name, gnt_st *out, gnt_err *err) {
    uint8_t *bytes = NULL;
    size_t size = 0;
    if (!gnt_store_digest(j->stored.record, name))
        return 0;
    int rc = j->processes.child
                 ? gnt_child_output_read(j->processes.child, name, &bytes, &size, err)
                 : gnt_store_read(r->store, &j->stored.key, j->stored.record, name, &bytes, &size, err);
    if (rc == 0)
        rc = gnt_st_parse(out, name, bytes, size, err);
    gnt_free(bytes);
    return rc;
}

/* Computes the outputs of a job again if the store has released them; run_processes_free drops them. */
static int compute_released(run *r, run_job *j, gnt_err *err) {
    gnt_err why = {0};
    if (run_is_restored(r, j, j->stored.record))
        return 0;
    j->stored.restoring = 1;
    const int rc = run_processes_start(r, j, &why) == 0 && run_processes_wait(j, &why) == 0 &&
                           run_check_restored(j, &why) == 0
                       ? 0
                       : gnt_fail(err, "the job %s, run again: %s", j->name, why.text);
    j->stored.restoring = 0;
    return rc;
}

/* Returns the job that is this input of the cell's score, if it is RUN_OK; else NULL with a sentence. */
static run_job *job_behind(const run_cell *c, const char *input, gnt_err *err) {
    run_job *j = run_job_input(c->jobs.score, input);
    if (j && j->state == RUN_OK)
        return j;
    const char *why = j && j->ending.reason ? j->ending.reason : c->reason ? c->reason : "";
    gnt_fail(err, "the cell %s has no stored observation%s%s", c->cell->id, *why ? ": " : "", why);
    return NULL;
}

int gnt_run_stored_observation(run *r, size_t cell, gnt_stored_observation *out, gnt_err *err) {
    const run_cell *c = &r->cell[cell];
    *out = (gnt_stored_observation){0};
    run_job *seen = job_behind(c, "seen", err), *targets = seen ? job_behind(c, "targets", err) : NULL;
    if (!targets)
        return -1;
    out->request = &seen->request.observe;
    out->defense =
        out->request->probe ? &out->request->probe->defense : &c->jobs.train->request.train.defense;
    out->attribute = c->jobs.score->request.score.attribute;
    const int rc = compute_released(r, seen, err) || read_output(r, seen, "seen", &out->seen, err) ||
                           read_output(r, seen, "labels", &out->labels, err) ||
                           read_output(r, seen, "rates", &out->rates, err) ||
                           read_output(r, targets, "targets", &out->targets, err)
                       ? -1
                       : 0;
    run_processes_free(seen);
    if (rc != 0)
        gnt_stored_observation_free(out);
    return rc;
}

void gnt_stored_observation_free(gnt_stored_observation *o) {
    gnt_st_free(&o->seen);
    gnt_st_free(&o->labels);
    gnt_st_free(&o->rates);
    gnt_st_free(&o->targets);
}
