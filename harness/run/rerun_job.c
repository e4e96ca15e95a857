#include "run/rerun_job.h"

#include "run/run_impl.h"

static run_job *job_of(const run *r, size_t cell, gnt_cell_job which) {
    return which == GNT_CELL_TRAINING ? r->cell[cell].train : r->cell[cell].attack;
}

int gnt_run_check_job(const run *r, size_t cell, gnt_cell_job which, gnt_err *err) {
    const run_job *j = job_of(r, cell, which);
    const run_cell *c = &r->cell[cell];
    if (j && j->state == RUN_OK)
        return 0;
    return gnt_fail(err, "the cell %s cannot be timed, for it ends as %s: %s", c->cell->id,
                    run_status_name(c->status), c->reason ? c->reason : "");
}

int gnt_run_rerun_job(run *r, size_t cell, gnt_cell_job which, double *seconds, gnt_err *err) {
    return run_rerun_job(r, job_of(r, cell, which), seconds, err);
}
