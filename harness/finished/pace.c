#include "finished/pace.h"

#include "base/mem.h"
#include "finished/rerun.h"
#include "run/run_impl.h"

typedef struct pace {
    const gnt_pace_options *options;
    size_t cell[GNT_RACE_MOST_JOBS]; /* of the plan */
} pace;

static int find_cells(pace *p, const gnt_plan *plan, uint8_t *wanted, gnt_err *err) {
    if (p->options->n > GNT_RACE_MOST_JOBS)
        return gnt_fail(err, "%zu jobs are too many to time; at most %d", p->options->n, GNT_RACE_MOST_JOBS);
    for (size_t i = 0; i < p->options->n; i++) {
        const gnt_cell *c = gnt_plan_find(plan, p->options->job[i].cell);
        if (!c)
            return gnt_fail(err, "there is no cell %.200s in the plan", p->options->job[i].cell);
        p->cell[i] = (size_t)(c - plan->cell);
        wanted[p->cell[i]] = 1;
    }
    return 0;
}

static run_job *job_of(const pace *p, const run *r, size_t i) {
    const run_cell *c = &r->cell[p->cell[i]];
    return p->options->job[i].is_training ? c->train : c->attack;
}

/* Once all cells are done. */
static int time_rounds(void *user, run *r, gnt_err *err) {
    const pace *p = user;
    double seconds[GNT_RACE_MOST_JOBS];
    for (size_t i = 0; i < p->options->n; i++) {
        const run_job *j = job_of(p, r, i);
        const run_cell *c = &r->cell[p->cell[i]];
        if (!j || j->state != RUN_OK)
            return gnt_fail(err, "the cell %s cannot be timed, for it ends as %s: %s", c->cell->id,
                            c->status ? c->status : "unfinished", c->reason ? c->reason : "");
    }
    for (const double *last = NULL; p->options->next(p->options->user, last); last = seconds)
        for (size_t i = 0; i < p->options->n; i++)
            if (run_job_again(r, job_of(p, r, i), &seconds[i], err) != 0)
                return -1;
    return 0;
}

int gnt_pace(const gnt_suite *suite, const gnt_plan *plan, const gnt_pace_options *options, gnt_err *err) {
    pace p = {.options = options};
    gnt_doc doc;
    gnt_run_counts counts;
    if (rerun_results(&doc, options->folder, suite, plan, err) != 0)
        return -1;
    char *scratch = NULL;
    double *strength = NULL;
    uint8_t *wanted = gnt_array(plan->n, 1);
    int rc = wanted ? find_cells(&p, plan, wanted, err) : gnt_fail(err, "out of memory");
    if (rc == 0)
        rc = (strength = rerun_strengths(suite, plan, json_object_get(doc.root, "cells"), wanted, err)) ? 0
                                                                                                        : -1;
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
                               .user = &p};
        rc = gnt_run(suite, plan, &how, &counts, err);
        if (rc == 0 && counts.interrupted)
            rc = gnt_fail(err, "interrupted");
    }
    rerun_remove(scratch);
    gnt_free(wanted);
    gnt_free(strength);
    gnt_doc_free(&doc);
    return rc;
}
