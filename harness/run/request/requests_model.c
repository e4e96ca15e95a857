/* Makes the jobs of the suite's models: their data, and their training. */
#include <stdio.h>

#include "run/request/request_parts.h"

static run_job *public_data_job(run_requests *r, size_t model, const char *coordinates) {
    static const char *const outputs[] = {"public",          "test", "clients", "targets", "shadow",
                                          "defender_shadow", NULL};
    char name[NAME_SIZE];
    int fresh;
    snprintf(name, sizeof name, "data %s", coordinates);
    run_job *j = request_begin(r, name, GNT_JOB_DATA, outputs, &fresh);
    if (j && fresh)
        request_data(r, j, &r->suite->model[model].of, &r->inputs.model_data[model], coordinates);
    return j;
}

static const gnt_request_central *training_of(run_job *j, const gnt_suite_model *m) {
    const gnt_request_central of = {.epochs = m->epochs,
                                    .batch = m->batch,
                                    .rate = m->rate,
                                    .momentum = m->momentum,
                                    .decay = m->decay,
                                    .cosine = m->schedule == GNT_SCHEDULE_COSINE,
                                    .flip = m->flip};
    return m->epochs ? gnt_arena_copy(&j->request.memory, &of, 1, sizeof of) : NULL;
}

run_job *run_model_job(run_requests *r, size_t model) {
    static const char *const outputs[] = {"model", NULL};
    const gnt_suite_model *m = &r->suite->model[model];
    char name[NAME_SIZE], coordinates[PART_SIZE];
    int fresh;
    snprintf(coordinates, sizeof coordinates, "models/%s", m->of.id);
    snprintf(name, sizeof name, "model %s", m->of.id);
    run_job *j = request_begin(r, name, GNT_JOB_MODEL, outputs, &fresh);
    if (!j || !fresh)
        return j;
    gnt_request_public_model *q = &j->request.model;
    *q = (gnt_request_public_model){.model = request_model(&m->of),
                                    .train = training_of(j, m),
                                    .init_key = request_key(r, "init", coordinates),
                                    .train_key = request_key(r, "train", coordinates)};
    run_job *data = public_data_job(r, model, coordinates);
    if (run_job_add_input(j, "public", data, "public") != 0 ||
        run_job_add_input(j, "test", data, "test") != 0 ||
        request_add_weights(j, &m->of, &r->inputs.model_weights[model], &q->weights_digest) != 0)
        return NULL;
    return j;
}

const run_job *run_model_made(const run_requests *r, size_t model) {
    char name[NAME_SIZE];
    snprintf(name, sizeof name, "model %s", r->suite->model[model].of.id);
    return run_job_find_ok(r->jobs, name);
}
