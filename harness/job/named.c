/* The suite's models in a job: architectures from the request, weights from inputs, each with a service of its own. */
#include "base/mem.h"
#include "job/work.h"

static int open_one(gnt_work_named *n, gnt_instance_model *view, gnt_work *w, const char *parameter,
                    const json_t *json, gnt_service *errors, size_t memory, gnt_err *err) {
    const char *id = json_string_value(json_object_get(json, "id"));
    const char *input = json_string_value(json_object_get(json, "input"));
    if (!id || !input)
        return gnt_fail(err, "the job's request does not say which model \"%s\" is", parameter);
    if (gnt_work_model_read(&n->model, json, err) != 0 || w->read(w->context, input, &n->st, err) != 0)
        return -1;
    int64_t size = gnt_model_size(n->model.model), buffers = gnt_model_buffer_size(n->model.model);
    const gnt_st_tensor *weight = gnt_st_need(&n->st, input, "weights", GNT_ST_F32, 1, &size, err);
    const gnt_st_tensor *buffer =
        weight ? gnt_st_need(&n->st, input, "buffers", GNT_ST_F32, 1, &buffers, err) : NULL;
    if (!buffer)
        return -1;
    gnt_service_spec spec = {.model = n->model.model,
                             .name = n->model.name,
                             .mean = n->model.mean,
                             .deviation = n->model.deviation,
                             .memory = memory,
                             .errors = errors};
    if (gnt_service_new(&n->service, &spec, err) != 0)
        return -1;
    *view = (gnt_instance_model){.parameter = parameter,
                                 .model = {.size = sizeof view->model,
                                           .id = id,
                                           .service = gnt_service_table(n->service),
                                           .weights = weight->data,
                                           .buffers = buffer->data}};
    return 0;
}

int gnt_work_models_open(gnt_work_models *out, gnt_work *w, const json_t *list, gnt_service *errors,
                         size_t memory, gnt_err *err) {
    size_t n = json_object_size(list);
    *out = (gnt_work_models){0};
    if (n == 0)
        return 0;
    out->view = gnt_array(n, sizeof *out->view);
    out->named = gnt_array(n, sizeof *out->named);
    int rc = out->view && out->named ? 0 : gnt_fail(err, "out of memory for %zu models", n);
    const char *parameter;
    json_t *json;
    json_object_foreach((json_t *)(uintptr_t)list, parameter, json) {
        if (rc != 0)
            break;
        size_t i = out->n++;
        gnt_st_init(&out->named[i].st);
        rc = open_one(&out->named[i], &out->view[i], w, parameter, json, errors, memory, err);
    }
    if (rc != 0)
        gnt_work_models_free(out);
    return rc;
}

void gnt_work_models_free(gnt_work_models *m) {
    for (size_t i = 0; i < m->n; i++) {
        gnt_service_free(m->named[i].service);
        gnt_work_model_free(&m->named[i].model);
        gnt_st_free(&m->named[i].st);
    }
    gnt_free(m->view);
    gnt_free(m->named);
    *m = (gnt_work_models){0};
}
