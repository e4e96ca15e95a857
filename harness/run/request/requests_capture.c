/* Makes the job that reads captures: it has the outputs of a training and of its observation at once. */
#include <inttypes.h>
#include <stdio.h>

#include "run/request/request_parts.h"

static run_job *capture_job(run_requests *r, size_t task, const gnt_suite_folders *of) {
    static const char *const outputs[] = {"seen",  "broadcast", "trained", "labels", "rates",
                                          "stats", "outside",   "targets", NULL};
    const gnt_suite_task *t = &r->suite->task[task];
    char name[NAME_SIZE];
    int fresh;
    snprintf(name, sizeof name, "capture %s/r%" PRId64, t->id, of->round);
    run_job *j = request_begin(r, name, GNT_JOB_CAPTURE, outputs, &fresh);
    if (!j || !fresh)
        return j;
    gnt_request_captured *list = gnt_arena_array(&j->request.memory, of->n, sizeof *list);
    for (size_t i = 0; list && i < of->n; i++)
        list[i] = (gnt_request_captured){of->folder[i], of->digest[i]};
    j->request.capture = (gnt_request_capture){.folders = {list, list ? of->n : 0}, .stage = of->round};
    j->untrained = 1;
    j->stays = ""; /* the captures have them */
    return j;
}

run_job *run_capture_job(run_requests *r, size_t task) {
    return capture_job(r, task, &r->suite->task[task].captures->attacked);
}

run_job *run_earlier_capture_job(run_requests *r, size_t task, size_t i) {
    return capture_job(r, task, &r->suite->task[task].captures->earlier[i]);
}
