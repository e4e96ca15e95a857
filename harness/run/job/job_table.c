#include <string.h>

#include "base/mem.h"
#include "run/job/run_job.h"

int run_jobs_open(run_jobs *jobs) {
    *jobs = (run_jobs){.index = json_object()};
    return jobs->index ? 0 : -1;
}

static void free_job(run_job *j) {
    for (size_t k = 0; k < j->n_inputs; k++)
        gnt_free(j->input[k].path);
    gnt_request_free(&j->request);
    json_decref(j->stored.record);
    json_decref(j->measured.trained);
    json_decref(j->measured.record);
    json_decref(j->cost.hooks);
    gnt_free(j->name);
    gnt_free(j->ending.reason);
    gnt_free(j->ending.node);
    gnt_free(j->ending.stderr_tail);
    gnt_free(j->sandbox);
    gnt_free(j);
}

void run_jobs_free(run_jobs *jobs) {
    for (size_t i = 0; i < jobs->n; i++)
        free_job(jobs->at[i]);
    gnt_free(jobs->at);
    run_queue_free(&jobs->look);
    run_queue_free(&jobs->ready);
    json_decref(jobs->index);
}

run_job *run_job_get(run_jobs *jobs, const char *name, int *fresh) {
    const json_t *known = json_object_get(jobs->index, name);
    *fresh = !known;
    if (known)
        return jobs->at[json_integer_value(known)];
    if (GNT_GROW(jobs->at, jobs->n) != 0 || run_queue_reserve(&jobs->look, jobs->n + 1) != 0 ||
        run_queue_reserve(&jobs->ready, jobs->n + 1) != 0)
        return NULL;
    run_job *j = gnt_alloc(sizeof *j);
    if (j)
        j->name = gnt_strdup(name);
    if (!j || !j->name || json_object_set_new(jobs->index, name, json_integer((json_int_t)jobs->n)) != 0) {
        if (j)
            gnt_free(j->name);
        gnt_free(j);
        return NULL;
    }
    j->number = jobs->n;
    j->waiter = (run_waiter){.queue = &jobs->look, .number = j->number};
    run_queue_add(&jobs->look, j->number);
    return jobs->at[jobs->n++] = j;
}

run_job *run_job_find_ok(const run_jobs *jobs, const char *name) {
    const json_t *index = json_object_get(jobs->index, name);
    run_job *j = index ? jobs->at[json_integer_value(index)] : NULL;
    return j && j->state == RUN_OK ? j : NULL;
}

int run_job_add_input(run_job *j, const char *name, run_job *from, const char *output) {
    if (!from || j->n_inputs == RUN_MOST_INPUTS)
        return -1;
    j->input[j->n_inputs++] = (run_input){.name = name, .from = from, .output = output};
    from->readers++;
    return 0;
}

int run_job_add_file(run_job *j, const char *name, const char *path) {
    char *copy = gnt_strdup(path);
    if (!copy || j->n_inputs == RUN_MOST_INPUTS) {
        gnt_free(copy);
        return -1;
    }
    j->input[j->n_inputs++] = (run_input){.name = name, .path = copy};
    return 0;
}

run_job *run_job_input(const run_job *j, const char *name) {
    for (size_t i = 0; j && i < j->n_inputs; i++)
        if (strcmp(j->input[i].name, name) == 0)
            return j->input[i].from;
    return NULL;
}

void run_job_look_again(run_jobs *jobs, run_job *j) {
    j->state = RUN_WAITING;
    run_queue_add(&jobs->look, j->number);
}

void run_job_is_ready(run_jobs *jobs, run_job *j) {
    j->state = RUN_READY;
    run_queue_add(&jobs->ready, j->number);
}

void run_job_is_ok(run_job *j) {
    j->state = RUN_OK;
    run_wake(&j->waiters);
}

void run_job_end(run_job *j, const char *verdict, const char *sentence) {
    j->state = RUN_ENDED;
    j->ending.verdict = verdict;
    j->ending.reason = gnt_strdup(sentence);
    run_wake(&j->waiters);
}

int run_job_has_ended(const run_job *j) {
    return j->state == RUN_OK || j->state == RUN_ENDED;
}

const run_job *run_job_origin(const run_job *j) {
    return j->ending.origin ? j->ending.origin : j;
}
