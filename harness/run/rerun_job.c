#include "run/rerun_job.h"

#include <string.h>

#include "run/run_impl.h"
#include "run/side_processes.h"

static run_job *job_of(const run *r, size_t cell, gnt_cell_job which) {
    return which == GNT_CELL_TRAINING ? r->cell[cell].jobs.train : r->cell[cell].jobs.attack;
}

int gnt_run_check_job(const run *r, size_t cell, gnt_cell_job which, gnt_err *err) {
    const run_job *j = job_of(r, cell, which);
    const run_cell *c = &r->cell[cell];
    if (j && j->state == RUN_OK)
        return 0;
    return gnt_fail(err, "the cell %s cannot be timed, for it ends as %s: %s", c->cell->id,
                    gnt_status_name(c->status), c->reason ? c->reason : "");
}

int gnt_run_rerun_job(run *r, size_t cell, gnt_cell_job which, double *seconds, gnt_err *err) {
    run_job *j = job_of(r, cell, which);
    gnt_err why = {0};
    *seconds = 0;
    if (run_processes_start(r, j, &why) != 0)
        return gnt_fail(err, "the job %s could not be started: %s", j->name, why.text);
    const int good = run_processes_wait(j, &why) == 0;
    for (size_t i = 0; run_sides_have_ended(j) && i <= j->processes.n_sides; i++)
        *seconds += run_process_result(j, i)->cpu_seconds;
    run_processes_free(j);
    return good ? 0 : gnt_fail(err, "the job %s, run again: %s", j->name, why.text);
}
