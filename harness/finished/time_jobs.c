#include "finished/time_jobs.h"

#include "base/mem.h"
#include "finished/rerun.h"
#include "run/engine.h"
#include "run/rerun_job.h"

typedef struct timing {
    const gnt_time_jobs_options *options;
    /* The index in the plan of each job's cell. */
    size_t cell[GNT_TIMED_JOBS_MOST];
} timing;

static int find_cells(timing *t, const gnt_plan *plan, uint8_t *wanted, gnt_err *err) {
    if (t->options->n > GNT_TIMED_JOBS_MOST)
        return gnt_fail(err, "%zu jobs are too many to time; at most %d", t->options->n, GNT_TIMED_JOBS_MOST);
    for (size_t i = 0; i < t->options->n; i++) {
        const gnt_cell *c = gnt_plan_find(plan, t->options->job[i].cell);
        if (!c)
            return gnt_fail(err, "there is no cell %.200s in the plan", t->options->job[i].cell);
        t->cell[i] = (size_t)(c - plan->cell);
        wanted[t->cell[i]] = 1;
    }
    return 0;
}

static gnt_cell_job job_of(const timing *t, size_t i) {
    return t->options->job[i].is_training ? GNT_CELL_TRAINING : GNT_CELL_ATTACK;
}

/* Times the jobs once all cells are done. */
static int time_rounds(void *user, struct run *r, gnt_err *err) {
    const timing *t = user;
    double seconds[GNT_TIMED_JOBS_MOST];
    for (size_t i = 0; i < t->options->n; i++)
        if (gnt_run_check_job(r, t->cell[i], job_of(t, i), err) != 0)
            return -1;
    for (const double *last = NULL; t->options->next(t->options->user, last); last = seconds)
        for (size_t i = 0; i < t->options->n; i++)
            if (gnt_run_rerun_job(r, t->cell[i], job_of(t, i), &seconds[i], err) != 0)
                return -1;
    return 0;
}

int gnt_time_jobs(const gnt_suite *suite, const gnt_plan *plan, const gnt_time_jobs_options *options,
                  gnt_err *err) {
    timing t = {.options = options};
    gnt_result of;
    gnt_run_counts counts;
    if (rerun_results(&of, options->folder, suite, plan, err) != 0)
        return -1;
    char *scratch = NULL;
    double *strength = NULL;
    uint8_t *wanted = gnt_array(plan->n, 1);
    int rc = wanted ? find_cells(&t, plan, wanted, err) : gnt_fail(err, "out of memory");
    if (rc == 0)
        rc = (strength = rerun_strengths(suite, plan, &of.cells, wanted, err)) ? 0 : -1;
    if (rc == 0)
        rc = (scratch = rerun_scratch(err)) ? 0 : -1;
    if (rc == 0) {
        gnt_run_options how = {.folder = scratch,
                               .data_folder = options->data_folder,
                               .jobs = 1,
                               .quiet = 1,
                               .wanted = wanted,
                               .sandbox = options->sandbox,
                               .strength = strength,
                               .done = time_rounds,
                               .user = &t};
        rc = gnt_run(suite, plan, &how, &counts, err);
        if (rc == 0 && counts.interrupted)
            rc = gnt_fail(err, "interrupted");
    }
    rerun_remove(scratch);
    gnt_free(wanted);
    gnt_free(strength);
    gnt_result_free(&of);
    return rc;
}
