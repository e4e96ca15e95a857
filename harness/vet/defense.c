#include "vet/defense.h"

#include "base/mem.h"
#include "plugin/load.h"

struct gnt_vet_defense {
    gnt_vet_models models;
    gnt_instance *instance;
    gnt_member member;
    gnt_chain chain;
    gnt_artefacts *artefacts; /* on guard pages */
    gnt_attribute hidden[GNT_DATA_ATTRS];
    int32_t n_hidden;
    int is_private;
};

static void begin(void *owner, const char *hook) {
    gnt_vet_defense *d = owner;
    gnt_instance_enter(d->instance, hook);
}

static int done(void *owner, gnt_status status, gnt_err *err) {
    gnt_vet_defense *d = owner;
    return gnt_instance_leave(d->instance, status, err) == GNT_OK ? 0 : -1;
}

/* Marks all attributes as hidden for the defense; the attack's inputs do not have these weights. */
static void hide_all(gnt_vet_defense *d, const gnt_samples *s) {
    d->n_hidden = s->n_attributes;
    for (int32_t i = 0; i < d->n_hidden; i++) {
        d->hidden[i] = s->attribute[i];
        d->hidden[i].weight = 1;
    }
}

gnt_fl_hidden gnt_vet_defense_hidden(const gnt_vet_defense *d) {
    return (gnt_fl_hidden){d->hidden, d->n_hidden, 1};
}

static int prepare(gnt_vet_defense *d, gnt_vet_setting *s, gnt_err *err) {
    const gnt_defense *hooks = gnt_instance_defense(d->instance);
    const gnt_fl_hidden hidden = gnt_vet_defense_hidden(d);
    gnt_defense_prepare in = gnt_vet_prepare_input(s);
    gnt_samples shadow = *in.shadow_data, public_data = *in.public_data;
    gnt_hide_for(&hidden, 0, &shadow);
    gnt_hide_for(&hidden, 0, &public_data);
    in.shadow_data = &shadow;
    in.public_data = &public_data;
    gnt_artefact_set set = {0};
    gnt_st st;
    if (!hooks->prepare)
        return 0;
    gnt_st_init(&st);
    gnt_sink sink = gnt_sink_into(&st);
    begin(d, "prepare");
    int rc = done(d, hooks->prepare(gnt_instance_self(d->instance), &in, &sink), err);
    if (rc == 0)
        rc = gnt_artefact_set_from(&set, &st, err);
    if (rc == 0 && !(d->artefacts = gnt_vet_guard_artefacts(s, "the defense's artefacts", &set.view)))
        rc = gnt_fail(err, "its artefacts are too large");
    gnt_artefact_set_free(&set);
    gnt_st_free(&st);
    return rc;
}

int gnt_vet_defense_open(gnt_vet_defense **out, gnt_vet_setting *s, const gnt_descriptor *descriptor,
                         const gnt_params *params, gnt_err *err) {
    gnt_vet_defense *d = gnt_alloc(sizeof *d);
    gnt_err why = {0};
    *out = NULL;
    if (!d)
        return gnt_fail(err, "out of memory for a defense");
    hide_all(d, s->shadow);
    gnt_key all = gnt_key_of_seed(1);
    gnt_instance_spec spec = {.descriptor = descriptor,
                              .params = params,
                              .key = gnt_key_derive(&all, "defense"),
                              .memory = (size_t)1 << 30};
    d->is_private =
        descriptor->flags & GNT_FLAG_ARTEFACTS_PRIVATE && !(s->spec.granted & GNT_KNOWS_DEFENSE_PRIVATE);
    int rc = gnt_vet_models_open(&d->models, s, params, NULL, &why);
    if (rc == 0) {
        spec.model = d->models.service;
        spec.models = d->models.model;
        spec.n_models = d->models.n;
        rc = gnt_instance_new(&d->instance, &spec, NULL, &why);
    }
    if (rc == 0)
        rc = prepare(d, s, &why);
    if (rc != 0) {
        gnt_vet_defense_free(d);
        return gnt_fail(err, "the defense %.60s cannot produce observations: %s", descriptor->id, why.text);
    }
    d->member = (gnt_member){.hooks = gnt_instance_defense(d->instance),
                             .self = gnt_instance_self(d->instance),
                             .artefacts = d->artefacts,
                             .begin = begin,
                             .done = done,
                             .owner = d,
                             .id = descriptor->id};
    d->chain = (gnt_chain){.member = &d->member,
                           .n = 1,
                           .n_params = gnt_model_size(s->model.model),
                           .n_buffers = gnt_model_buffer_size(s->model.model)};
    *out = d;
    return 0;
}

void gnt_vet_defense_free(gnt_vet_defense *d) {
    if (!d)
        return;
    gnt_instance_free(d->instance);
    gnt_vet_models_close(&d->models);
    gnt_free(d);
}

const gnt_chain *gnt_vet_defense_chain(const gnt_vet_defense *d) {
    return &d->chain;
}

gnt_artefacts *gnt_vet_defense_artefacts(const gnt_vet_defense *d) {
    return d->is_private ? NULL : d->artefacts;
}
