/* The suite's models that a plugin may open: architectures from the request, weights from inputs, each with a
 * model service of its own. */
#include "base/mem.h"
#include "job/work/work.h"

static int open_one(gnt_work_named_model *n, gnt_instance_model *view, gnt_work *w,
                    const gnt_request_named_model *of, gnt_service *errors, gnt_err *err) {
    if (gnt_work_model_open(&n->model, &of->model, 0, err) != 0 ||
        w->read(w->context, of->input, &n->st, err) != 0)
        return -1;
    int64_t size = gnt_model_size(n->model.model), buffers = gnt_model_buffer_size(n->model.model);
    const gnt_st_tensor *weight = gnt_st_need(&n->st, of->input, "weights", GNT_ST_F32, 1, &size, err);
    const gnt_st_tensor *buffer =
        weight ? gnt_st_need(&n->st, of->input, "buffers", GNT_ST_F32, 1, &buffers, err) : NULL;
    if (!buffer)
        return -1;
    gnt_service_spec spec = {.model = n->model.model,
                             .name = n->model.name,
                             .mean = n->model.mean,
                             .deviation = n->model.deviation,
                             .memory = w->memory,
                             .errors = errors};
    if (gnt_service_new(&n->service, &spec, err) != 0)
        return -1;
    *view = (gnt_instance_model){.parameter = of->parameter,
                                 .model = {.size = sizeof view->model,
                                           .id = of->id,
                                           .service = gnt_service_table(n->service),
                                           .weights = weight->data,
                                           .buffers = buffer->data}};
    return 0;
}

int gnt_work_models_open(gnt_work_models *out, gnt_work *w, const gnt_request_named_models *list,
                         gnt_service *errors, gnt_err *err) {
    *out = (gnt_work_models){0};
    if (list->n == 0)
        return 0;
    out->view = gnt_array(list->n, sizeof *out->view);
    out->named = gnt_array(list->n, sizeof *out->named);
    int rc = out->view && out->named ? 0 : gnt_fail(err, "out of memory for %zu models", list->n);
    for (size_t i = 0; rc == 0 && i < list->n; i++) {
        gnt_st_init(&out->named[i].st);
        out->n = i + 1;
        rc = open_one(&out->named[i], &out->view[i], w, &list->at[i], errors, err);
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
