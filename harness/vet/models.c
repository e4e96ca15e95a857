#include "vet/models.h"

#include "base/mem.h"

static int add_models(gnt_vet_models *m, const gnt_vet_setting *s, const gnt_params *params, gnt_err *err) {
    const gnt_service_spec spec = {
        .model = s->extractor.model, .name = s->extractor.name, .errors = m->service};
    for (int32_t i = 0; i < params->n; i++) {
        const gnt_value *v = &params->value[i];
        if (v->type != GNT_TYPE_MODEL || !v->text || !*v->text)
            continue;
        if (!m->extractor && gnt_service_new(&m->extractor, &spec, err) != 0)
            return -1;
        m->model[m->n++] = (gnt_instance_model){.parameter = v->id,
                                                .model = {.size = sizeof(gnt_named_model),
                                                          .id = v->text,
                                                          .service = gnt_service_table(m->extractor),
                                                          .weights = s->extractor_weights,
                                                          .buffers = s->extractor_buffers}};
    }
    return 0;
}

int gnt_vet_models_open(gnt_vet_models *m, const gnt_vet_setting *s, const gnt_params *params,
                        const gnt_params *more, gnt_err *err) {
    const gnt_service_spec spec = {
        .model = s->model.model, .name = s->model.name, .training = s->model.training_stats};
    *m = (gnt_vet_models){0};
    if (gnt_service_new(&m->service, &spec, err) != 0)
        return -1;
    m->model = gnt_array((size_t)params->n + (more ? (size_t)more->n : 0), sizeof *m->model);
    if (!m->model)
        return gnt_fail(err, "out of memory for models");
    return add_models(m, s, params, err) || (more && add_models(m, s, more, err)) ? -1 : 0;
}

void gnt_vet_models_close(gnt_vet_models *m) {
    gnt_service_free(m->extractor);
    gnt_service_free(m->service);
    gnt_free(m->model);
    *m = (gnt_vet_models){0};
}
