/* Observations on each surface: updates, encodings, representations, the transcript of a secure sum. */
#include <string.h>

#include "base/mem.h"
#include "fl/secure_sum.h"
#include "vet/defense.h"
#include "vet/samples.h"
#include "vet/setting_impl.h"

/* Passes over a set: how often each private sample is encoded. */
enum { PASSES = 2 };

gnt_views *gnt_vet_put_update(gnt_vet_setting *s, const gnt_samples *own, float *rates, gnt_err *err) {
    const gnt_param *list;
    const gnt_model *m = s->model.model;
    int64_t n = 0, size = gnt_model_size(m);
    gnt_model_params(m, &list);
    for (int64_t at = 0; at < size; at += gnt_nn_count(&list[n].shape), n++)
        ;
    float *flat = gnt_guard_put(s->guard, "update", NULL, (size_t)size * sizeof *flat);
    gnt_view *view = gnt_guard_put(s->guard, "update", NULL, (size_t)n * sizeof *view);
    gnt_views all = {n, view}, *out = gnt_guard_put(s->guard, "update", &all, sizeof all);
    if (!flat || !view || !out) {
        gnt_fail(err, "out of memory for an update");
        return NULL;
    }
    if (gnt_vet_share(s, own, flat, rates, err) != 0)
        return NULL;
    for (int64_t i = 0; i < n; i++) {
        view[i] = (gnt_view){.name = list[i].name,
                             .rank = list[i].shape.rank,
                             .layer = list[i].layer,
                             .count = gnt_nn_count(&list[i].shape),
                             .data = flat + list[i].offset};
        memcpy(view[i].dim, list[i].shape.dim, sizeof view[i].dim);
    }
    return out;
}

/* Encodings, in the order of passes. */
typedef struct encodings {
    int64_t n;
    float *x, *y;
} encodings;

static int add_encodings(encodings *e, const gnt_samples *batch, gnt_err *err) {
    const size_t room = (size_t)(e->n + batch->n), f = (size_t)batch->features, k = (size_t)batch->classes;
    float *x = gnt_resize(e->x, room, f * sizeof *x);
    e->x = x ? x : e->x;
    float *y = gnt_resize(e->y, room, k * sizeof *y);
    e->y = y ? y : e->y;
    if (!x || !y)
        return gnt_fail(err, "out of memory for encodings");
    memcpy(x + (size_t)e->n * f, batch->x, (size_t)batch->n * f * sizeof *x);
    memcpy(y + (size_t)e->n * k, batch->y, (size_t)batch->n * k * sizeof *y);
    e->n += batch->n;
    return 0;
}

/* Puts the defense's encodings of one set. */
static gnt_samples *put_encoded_by_defense(gnt_vet_setting *s, const gnt_samples *own, gnt_err *err) {
    const gnt_fl_config c = gnt_vet_config(s);
    gnt_client client = {.size = sizeof client,
                         .n_clients = c.clients,
                         .n_samples = own->n,
                         .batch = own->n,
                         .rate = c.rate,
                         .steps = c.steps,
                         .weights = s->weights,
                         .buffers = s->buffers,
                         .public_data = s->public_data,
                         .rounds = c.rounds,
                         .per_round = gnt_fl_per_round(&c)};
    const gnt_fl_hidden hidden = gnt_vet_defense_hidden(s->defense);
    encodings e = {0};
    gnt_samples view = *own, *out = NULL;
    int rc = 0;
    for (int64_t epoch = 0; rc == 0 && epoch < PASSES; epoch++) {
        gnt_batch b;
        gnt_batch_borrow(&b, own);
        gnt_hide_for(&hidden, 0, &b.view);
        rc = gnt_chain_encode_set(gnt_vet_defense_chain(s->defense), &client, epoch, &b, err);
        if (rc == 0)
            rc = add_encodings(&e, &b.view, err);
        gnt_batch_free(&b);
    }
    if (rc == 0) {
        view.n = e.n;
        view.n_attributes = 0;
        view.a = NULL;
        view.id = NULL;
        view.x = e.x;
        view.y = e.y;
        out = gnt_vet_put_samples(s, "encoded samples", &view);
        if (!out)
            gnt_fail(err, "out of memory for encodings");
    }
    gnt_free(e.x);
    gnt_free(e.y);
    return out;
}

/* Puts every private sample mixed with a public one, in each pass. */
static gnt_samples *put_mixed(gnt_vet_setting *s, const gnt_samples *own) {
    gnt_samples view = *own;
    view.n = own->n * PASSES;
    view.n_attributes = 0;
    view.x = view.y = NULL;
    view.id = NULL;
    view.a = NULL;
    gnt_samples *out = gnt_vet_put_samples(s, "encoded samples", &view);
    if (!out)
        return NULL;
    float *x = (float *)(uintptr_t)out->x, *y = (float *)(uintptr_t)out->y;
    const int64_t f = own->features, c = own->classes;
    for (int64_t i = 0; i < view.n; i++) {
        const int64_t from = i % own->n, with = (i * 5 + 1) % s->public_data->n;
        const float part = i < own->n ? 0.75f : 0.5f;
        for (int64_t k = 0; k < f; k++)
            x[i * f + k] = part * own->x[from * f + k] + (1 - part) * s->public_data->x[with * f + k];
        for (int64_t k = 0; k < c; k++)
            y[i * c + k] = part * own->y[from * c + k] + (1 - part) * s->public_data->y[with * c + k];
    }
    return out;
}

gnt_samples *gnt_vet_put_encoded(gnt_vet_setting *s, const gnt_samples *own, gnt_err *err) {
    if (s->defense)
        return put_encoded_by_defense(s, own, err);
    gnt_samples *out = put_mixed(s, own);
    if (!out)
        gnt_fail(err, "out of memory for encodings");
    return out;
}

gnt_views *gnt_vet_put_representation(gnt_vet_setting *s, const gnt_samples *own, gnt_err *err) {
    gnt_service_spec spec = {.model = s->model.model, .name = s->model.name};
    int32_t layer = gnt_model_representation(s->model.model);
    gnt_function_spec wanted = {
        .size = sizeof wanted, .kind = GNT_FN_FEATURES, .n = own->n, .layer = &layer, .n_layers = 1};
    gnt_function_args args = {.size = sizeof args, .x = own->x, .weights = s->weights, .buffers = s->buffers};
    gnt_service *service = NULL;
    const gnt_views *features = NULL;
    gnt_views *out = NULL;
    if (gnt_service_new(&service, &spec, err) != 0)
        return NULL;
    const gnt_model_service *table = gnt_service_table(service);
    gnt_function *f = table->prepare(table->context, &wanted);
    if (!f || table->eval(table->context, f, &args, &features) != GNT_OK)
        gnt_fail(err, "cannot compute a representation: %s", gnt_service_error(service));
    else {
        gnt_view v = {.name = "representation",
                      .rank = 2,
                      .layer = layer,
                      .dim = {own->n, features->view[0].count / own->n},
                      .count = features->view[0].count};
        v.data = gnt_guard_put(s->guard, "representation", features->view[0].data,
                               (size_t)v.count * sizeof *v.data);
        gnt_views all = {1, gnt_guard_put(s->guard, "representation", &v, sizeof v)};
        out = gnt_guard_put(s->guard, "representation", &all, sizeof all);
        if (!out)
            gnt_fail(err, "out of memory for a representation");
    }
    gnt_service_free(service);
    return out;
}

gnt_transcript *gnt_vet_put_transcript(gnt_vet_setting *s, double *sum, gnt_err *err) {
    double value[GNT_VET_SUM_CLIENTS * GNT_VET_SUM];
    for (int i = 0; i < GNT_VET_SUM_CLIENTS * GNT_VET_SUM; i++)
        value[i] = 1 + i % 5;
    uint64_t *masked =
        gnt_guard_put(s->guard, "transcript", NULL, GNT_VET_SUM_CLIENTS * GNT_VET_SUM * sizeof *masked);
    gnt_transcript t = {.size = sizeof t,
                        .n_clients = GNT_VET_SUM_CLIENTS,
                        .n = GNT_VET_SUM,
                        .masked = masked,
                        .scale = 0x1p20};
    gnt_transcript *out = gnt_guard_put(s->guard, "transcript", &t, sizeof t);
    gnt_key key = gnt_vet_key("sum");
    if (!out || !masked)
        gnt_fail(err, "out of memory for a transcript");
    else if (gnt_secure_sum(value, GNT_VET_SUM_CLIENTS, GNT_VET_SUM, &key, masked, sum, err) != 0)
        return NULL;
    return out;
}
