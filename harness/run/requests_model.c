/* What is asked of the jobs behind the suite's models, and how the jobs that open plugins get them. */
#include <stdio.h>
#include <string.h>

#include "run/request.h"

static run_job *public_data_job(run *r, size_t model, const char *coordinates) {
    static const char *const outputs[] = {"public",          "test", "clients", "targets", "shadow",
                                          "defender_shadow", NULL};
    char name[NAME_SIZE];
    int fresh;
    snprintf(name, sizeof name, "data %s", coordinates);
    run_job *j = request_begin(r, name, "data", outputs, &fresh);
    if (j && fresh)
        request_data(r, j, &r->suite->model[model].of, &r->model_data[model], coordinates);
    return j;
}

run_job *run_model_job(run *r, size_t model) {
    static const char *const outputs[] = {"model", NULL};
    const gnt_suite_model *m = &r->suite->model[model];
    char name[NAME_SIZE], coordinates[PART_SIZE];
    int fresh;
    snprintf(coordinates, sizeof coordinates, "models/%s", m->of.id);
    snprintf(name, sizeof name, "model %s", m->of.id);
    run_job *j = request_begin(r, name, "model", outputs, &fresh);
    if (!j || !fresh)
        return j;
    request_set(j, "model", request_model(&m->of));
    if (m->epochs)
        request_set(j, "train",
                    json_pack("{s:I, s:I, s:f, s:f, s:f, s:b, s:b}", "epochs", (json_int_t)m->epochs, "batch",
                              (json_int_t)m->batch, "rate", m->rate, "momentum", m->momentum, "decay",
                              m->decay, "cosine", m->schedule == GNT_SCHEDULE_COSINE, "flip", m->flip));
    request_set_key(r, j, "init", "init", coordinates);
    request_set_key(r, j, "train", "train", coordinates);
    run_job *data = public_data_job(r, model, coordinates);
    if (run_add_input(j, "public", data, "public") != 0 || run_add_input(j, "test", data, "test") != 0 ||
        request_add_weights(j, &m->of, &r->model_weights[model]) != 0)
        return NULL;
    return j;
}

const run_job *run_model_made(const run *r, size_t model) {
    char name[NAME_SIZE];
    snprintf(name, sizeof name, "model %s", r->suite->model[model].of.id);
    const json_t *index = json_object_get(r->index, name);
    const run_job *j = index ? r->job[json_integer_value(index)] : NULL;
    return j && j->state == RUN_OK ? j : NULL;
}

static const char *input_name(size_t model) {
    static const char *const names[GNT_SUITE_MOST_MODELS] = {
        "model.0", "model.1", "model.2",  "model.3",  "model.4",  "model.5",  "model.6",  "model.7",
        "model.8", "model.9", "model.10", "model.11", "model.12", "model.13", "model.14", "model.15"};
    return names[model];
}

static int add_input_once(run *r, run_job *j, size_t model) {
    const char *name = input_name(model);
    for (size_t i = 0; i < j->n_inputs; i++)
        if (strcmp(j->input[i].name, name) == 0)
            return 0;
    return run_add_input(j, name, run_model_job(r, model), "model");
}

int request_add_models(run *r, run_job *j, json_t *entry, const gnt_params *params) {
    json_t *models = json_object_get(entry, "models");
    for (int32_t i = 0; i < params->n; i++) {
        const gnt_value *v = &params->value[i];
        const gnt_suite_model *m = v->type == GNT_TYPE_MODEL ? gnt_suite_find_model(r->suite, v->text) : NULL;
        if (!m || json_object_get(models, v->id))
            continue;
        size_t index = (size_t)(m - r->suite->model);
        json_t *json = request_model(&m->of);
        if (add_input_once(r, j, index) != 0 || !json ||
            json_object_set_new(json, "id", json_string(m->of.id)) != 0 ||
            json_object_set_new(json, "input", json_string(input_name(index))) != 0) {
            json_decref(json);
            return -1;
        }
        if (json_object_set_new(models, v->id, json) != 0)
            return -1;
    }
    return 0;
}
