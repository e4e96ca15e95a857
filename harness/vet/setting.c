#include "vet/setting.h"

#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "fl/secure_sum.h"
#include "vet/defense.h"
#include "vet/samples.h"

enum {
    SHADOW = 48, /* samples of the shadow part */
    PUBLIC = 16,
    PUBLIC_BEHIND = 48, /* attacks that answer one defense learn on more of it */
    OWN = 40,           /* of the clients and the targets */
    FEW = 6,            /* behind an observation of encodings and the like */
    SHADOW_SEEN = 24,
    ENCODED_TWICE = 2, /* each private sample is released so often */
    SUM = 4,           /* entries of a secure sum */
    SUM_CLIENTS = 3
};
static const size_t most_guarded = (size_t)64 << 20;

#define LAYERS(list) "{\"init\": \"kaiming\", \"layers\": [" list "]}"
#define CONV(name)                                                                                           \
    "{\"type\": \"conv\", \"name\": \"" name "\", \"out\": 4, \"kernel\": 5, \"stride\": 2, \"pad\": 2},"
#define DENSE(name, out) "{\"type\": \"dense\", \"name\": \"" name "\", \"out\": " out "}"
#define PLAIN(type) "{\"type\": \"" type "\"},"

static const char convolutions[] = LAYERS(CONV("conv1") PLAIN("sigmoid") CONV("conv2") PLAIN("sigmoid")
                                              PLAIN("flatten") DENSE("fc", "\"classes\""));
static const char normalised[] = LAYERS(CONV("conv1") "{\"type\": \"batch_norm\", \"name\": \"bn1\"}," PLAIN(
    "relu") PLAIN("flatten") DENSE("fc1", "16") "," PLAIN("relu") DENSE("fc2", "\"classes\""));
static const char map[] =
    "{\"output\": \"map\", \"layers\": [" PLAIN("flatten") DENSE("fc", "\"classes\"") "]}";
static const char dense[] =
    LAYERS(PLAIN("flatten") DENSE("fc1", "16") "," PLAIN("relu") DENSE("fc2", "\"classes\""));

#define SMALL(name)                                                                                          \
    "{\"type\": \"conv\", \"name\": \"" name "\", \"out\": 3, \"kernel\": 3, \"pad\": 1}," PLAIN("relu")
static const char deep[] = LAYERS(CONV("conv1") PLAIN("relu") SMALL("conv2") SMALL("conv3") SMALL(
    "conv4") SMALL("conv5") SMALL("conv6") PLAIN("flatten") DENSE("fc", "\"classes\""));

/* ---- which settings ---- */

static void add_spec(gnt_vet_spec *list, int *n, const gnt_descriptor *d, uint32_t kind, uint32_t surface,
                     int32_t steps, int64_t budget) {
    int attack = d->kind == GNT_PLUGIN_ATTACK;
    /* the hooks of a defense are called whatever surface is watched */
    const uint32_t surfaces = attack ? d->surfaces : surface;
    if (!(d->data_kinds & kind) || !(surfaces & surface) || *n == GNT_VET_MOST_SETTINGS)
        return;
    list[(*n)++] = (gnt_vet_spec){.kind = kind,
                                  .surface = surface,
                                  .steps = steps,
                                  .dense = (d->flags & GNT_FLAG_FIRST_DENSE) || kind == GNT_KIND_TABULAR,
                                  .granted = d->needs | d->uses,
                                  .goals = d->goals,
                                  .batch = !attack                         ? GNT_VET_SET
                                           : surface != GNT_SURFACE_UPDATE ? FEW
                                           : steps                         ? 2
                                                                           : 1,
                                  .budget = budget};
}

int gnt_vet_specs(const gnt_descriptor *d, int64_t budget, gnt_vet_spec list[GNT_VET_MOST_SETTINGS]) {
    static const uint32_t kinds[] = {GNT_KIND_IMAGE, GNT_KIND_TABULAR};
    int n = 0;
    for (size_t k = 0; k < 2; k++) {
        if (d->kind == GNT_PLUGIN_DEFENSE) {
            add_spec(list, &n, d, kinds[k], GNT_SURFACE_UPDATE, 0, budget);
            add_spec(list, &n, d, kinds[k], GNT_SURFACE_UPDATE, 2, budget);
            const int before = n;
            if (kinds[k] == GNT_KIND_IMAGE)
                add_spec(list, &n, d, kinds[k], GNT_SURFACE_UPDATE, 0, budget);
            if (n > before)
                list[before].map = 1;
            continue;
        }
        add_spec(list, &n, d, kinds[k], GNT_SURFACE_UPDATE, 0, budget);
        add_spec(list, &n, d, kinds[k], GNT_SURFACE_UPDATE, 2, budget);
        add_spec(list, &n, d, kinds[k], GNT_SURFACE_ENCODING, 0, budget);
        add_spec(list, &n, d, kinds[k], GNT_SURFACE_REPRESENTATION, 0, budget);
        add_spec(list, &n, d, kinds[k], GNT_SURFACE_TRANSCRIPT, 0, budget);
    }
    return n;
}

const char *gnt_vet_spec_name(const gnt_vet_spec *spec, char text[80]) {
    const char *what = spec->map                                     ? "one gradient of a map"
                       : spec->surface == GNT_SURFACE_ENCODING       ? "encodings"
                       : spec->surface == GNT_SURFACE_REPRESENTATION ? "representations"
                       : spec->surface == GNT_SURFACE_TRANSCRIPT     ? "a transcript"
                       : spec->steps                                 ? "local steps"
                                                                     : "one gradient";
    snprintf(text, 80, "%s, %s", spec->kind == GNT_KIND_IMAGE ? "images" : "a table", what);
    return text;
}

/* ---- the network and what clients compute on it ---- */

static gnt_key key_of(const char *name) {
    gnt_key all = gnt_key_of_seed(1);
    return gnt_key_derive(&all, name);
}

/* A network for samples like these, with fresh weights. */
static int make_network(gnt_vet_setting *s, gnt_work_model *m, const char *name, const char *json,
                        const gnt_samples *like, float **weights, float **buffers, gnt_err *err) {
    m->name = name;
    m->sample.rank = like->rank;
    for (int32_t i = 0; i < like->rank; i++)
        m->sample.dim[i] = like->dim[i];
    if (gnt_model_parse(&m->model, name, json, &m->sample, like->classes, NULL, NULL, err) != 0)
        return -1;
    *weights = gnt_guard_put(s->guard, "weights", NULL, (size_t)gnt_model_size(m->model) * sizeof **weights);
    *buffers =
        gnt_guard_put(s->guard, "buffers", NULL, (size_t)gnt_model_buffer_size(m->model) * sizeof **buffers);
    if (!*weights || !*buffers)
        return gnt_fail(err, "out of memory for a network");
    gnt_key key = key_of("init");
    gnt_stream random = gnt_stream_open(&key, name);
    gnt_model_init(m->model, &random, *weights, *buffers);
    return 0;
}

static int make_model(gnt_vet_setting *s, const gnt_samples *like, gnt_err *err) {
    const int image = like->rank == 3;
    const char *name = s->spec.map     ? "map"
                       : s->spec.dense ? "dense"
                       : s->spec.steps ? "normalised"
                                       : "convolutions";
    const char *json = s->spec.map ? map : s->spec.dense ? dense : s->spec.steps ? normalised : convolutions;
    if (make_network(s, &s->model, name, json, like, &s->weights, &s->buffers, err) != 0)
        return -1;
    return make_network(s, &s->extractor, "extractor", image ? deep : dense, like, &s->extractor_weights,
                        &s->extractor_buffers, err);
}

/* What a client shares of these samples, undefended but for the defense behind an attack's observations. */
static int share(gnt_vet_setting *s, const gnt_samples *samples, float *update, float *rates, gnt_err *err) {
    gnt_fl_config config = gnt_vet_config(s);
    const gnt_chain none = {.n_params = gnt_model_size(s->model.model),
                            .n_buffers = gnt_model_buffer_size(s->model.model)};
    const gnt_chain *chain = s->defense ? gnt_vet_defense_chain(s->defense) : &none;
    gnt_fl_shared shared = {.update = update, .rates = rates};
    gnt_key key = key_of("train");
    gnt_fl *fl = NULL;
    int rc = gnt_fl_new(&fl, s->model.model, &config, chain, &key, err);
    if (rc == 0)
        rc = gnt_fl_client(fl, 0, 0, samples, NULL, s->public_data, s->weights, s->buffers, GNT_FL_WHOLE,
                           &shared, err);
    gnt_fl_free(fl);
    return rc;
}

/* ---- for defenses ---- */

static gnt_client *put_query(gnt_vet_setting *s, const gnt_client *client) {
    gnt_samples samples = *client->samples;
    gnt_client query = *client;
    samples.y = NULL;
    samples.id = NULL;
    samples.a = NULL;
    samples.mask = NULL;
    query.index = -1;
    query.samples = gnt_guard_put(s->guard, "samples to be asked about", &samples, sizeof samples);
    return query.samples ? gnt_guard_put(s->guard, "client", &query, sizeof query) : NULL;
}

static int make_clients(gnt_vet_setting *s, const gnt_samples *own, gnt_err *err) {
    gnt_fl_config c = gnt_vet_config(s);
    size_t size = (size_t)gnt_model_size(s->model.model) * sizeof(float);
    for (int32_t k = 0; k < GNT_VET_CLIENTS; k++) {
        gnt_samples part = gnt_samples_part(own, k * s->spec.batch, s->spec.batch);
        gnt_samples *samples = gnt_vet_put_samples(s, "samples", &part);
        s->update[k] = gnt_guard_put(s->guard, "update", NULL, size);
        if (!samples || !s->update[k])
            return gnt_fail(err, "out of memory for a client");
        if (share(s, samples, s->update[k], NULL, err) != 0)
            return -1;
        gnt_client client = {.size = sizeof client,
                             .index = k,
                             .n_clients = c.clients,
                             .n_samples = part.n,
                             .n_labels = part.n < part.classes ? part.n : part.classes,
                             .rate = c.rate,
                             .steps = c.steps,
                             .batch = c.batch,
                             .samples = samples,
                             .weights = s->weights,
                             .buffers = s->buffers,
                             .public_data = s->public_data,
                             .rounds = c.rounds,
                             .per_round = gnt_fl_per_round(&c)};
        s->client[k] = gnt_guard_put(s->guard, "client", &client, sizeof client);
        s->query[k] = put_query(s, &client);
        if (!s->client[k] || !s->query[k])
            return gnt_fail(err, "out of memory for a client");
    }
    return 0;
}

/* The network's statistics before the round and those of each client; new_buffers is for the hook to
 * write. */
static int add_buffers(gnt_vet_setting *s, gnt_aggregate *all, gnt_err *err) {
    const int64_t n = gnt_model_buffer_size(s->model.model);
    const float *of_client[GNT_VET_CLIENTS];
    if (n == 0)
        return 0;
    for (int k = 0; k < GNT_VET_CLIENTS; k++)
        of_client[k] = gnt_guard_put(s->guard, "statistics", s->buffers, (size_t)n * sizeof(float));
    all->client_buffers = gnt_guard_put(s->guard, "statistics", of_client, sizeof of_client);
    all->buffers = s->buffers;
    all->n_buffers = n;
    s->new_buffers = gnt_aligned((size_t)n, sizeof *s->new_buffers);
    all->new_buffers = s->new_buffers;
    return s->new_buffers ? 0 : gnt_fail(err, "out of memory for a defense's input");
}

static int make_defense(gnt_vet_setting *s, const gnt_samples *own, gnt_err *err) {
    static const int32_t clients[GNT_VET_CLIENTS] = {0, 1};
    const int64_t samples[GNT_VET_CLIENTS] = {s->spec.batch, 3 * s->spec.batch};
    static const double shares[GNT_VET_CLIENTS] = {0.25, 0.75};
    gnt_fl_config c = gnt_vet_config(s);
    if (make_clients(s, own, err) != 0)
        return -1;
    const gnt_defense_prepare prepare = gnt_vet_prepare_input(s);
    s->prepare = gnt_guard_put(s->guard, "prepare's input", &prepare, sizeof prepare);
    gnt_aggregate all = {.size = sizeof all,
                         .n_clients = GNT_VET_CLIENTS,
                         .n_params = gnt_model_size(s->model.model),
                         .old_weights = s->weights,
                         .update = gnt_guard_put(s->guard, "update", s->update, sizeof s->update),
                         .share = gnt_guard_put(s->guard, "share", shares, sizeof shares),
                         .rate = c.rate,
                         .is_gradient = c.steps == 0,
                         .public_data = s->public_data,
                         .client = gnt_guard_put(s->guard, "client", clients, sizeof clients),
                         .samples = gnt_guard_put(s->guard, "numbers of samples", samples, sizeof samples)};
    if (add_buffers(s, &all, err) != 0)
        return -1;
    s->aggregate = gnt_guard_put(s->guard, "aggregate's input", &all, sizeof all);
    return gnt_guard_full(s->guard) ? gnt_fail(err, "out of memory for a defense's input") : 0;
}

/* ---- for attacks ---- */

static gnt_views *put_update(gnt_vet_setting *s, const gnt_samples *samples, float *rates, gnt_err *err) {
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
    if (share(s, samples, flat, rates, err) != 0)
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

/* What the defense makes of one set, in so many epochs. */
static gnt_samples *put_encoded_by(gnt_vet_setting *s, const gnt_samples *own, gnt_err *err) {
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
    gnt_samples all = *own, *out = NULL;
    float *x = NULL, *y = NULL;
    int rc = 0;
    all.n = 0;
    for (int64_t epoch = 0; rc == 0 && epoch < ENCODED_TWICE; epoch++) {
        gnt_batch b;
        gnt_batch_borrow(&b, own);
        rc = gnt_chain_encode_set(gnt_vet_defense_chain(s->defense), &client, epoch, &b, err);
        if (rc == 0) {
            const size_t room = (size_t)(all.n + b.view.n), f = (size_t)own->features,
                         k = (size_t)own->classes;
            float *more = gnt_resize(x, room, f * sizeof *x);
            x = more ? more : x;
            float *labels = more ? gnt_resize(y, room, k * sizeof *y) : NULL;
            y = labels ? labels : y;
            if (labels) {
                memcpy(x + (size_t)all.n * f, b.view.x, (size_t)b.view.n * f * sizeof *x);
                memcpy(y + (size_t)all.n * k, b.view.y, (size_t)b.view.n * k * sizeof *y);
                all.n += b.view.n;
            } else
                rc = gnt_fail(err, "out of memory for encodings");
        }
        gnt_batch_free(&b);
    }
    if (rc == 0) {
        gnt_samples view = all;
        view.n_attributes = 0;
        view.a = NULL;
        view.id = NULL;
        view.x = x;
        view.y = y;
        out = gnt_vet_put_samples(s, "encoded samples", &view);
        if (!out)
            gnt_fail(err, "out of memory for encodings");
    }
    gnt_free(x);
    gnt_free(y);
    return out;
}

/* Every private sample mixed with a public one, twice, in the order of release. */
static gnt_samples *put_encoded(gnt_vet_setting *s, const gnt_samples *own) {
    gnt_samples view = *own;
    view.n = own->n * ENCODED_TWICE;
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

static gnt_views *put_representation(gnt_vet_setting *s, const gnt_samples *own, gnt_err *err) {
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

/* A secure sum of numbers that nobody else needs to know; *sum: what it comes to. */
static gnt_transcript *put_transcript(gnt_vet_setting *s, double *sum, gnt_err *err) {
    double value[SUM_CLIENTS * SUM];
    for (int i = 0; i < SUM_CLIENTS * SUM; i++)
        value[i] = 1 + i % 5;
    uint64_t *masked = gnt_guard_put(s->guard, "transcript", NULL, SUM_CLIENTS * SUM * sizeof *masked);
    gnt_transcript t = {
        .size = sizeof t, .n_clients = SUM_CLIENTS, .n = SUM, .masked = masked, .scale = 0x1p20};
    gnt_transcript *out = gnt_guard_put(s->guard, "transcript", &t, sizeof t);
    gnt_key key = key_of("sum");
    if (!out || !masked)
        gnt_fail(err, "out of memory for a transcript");
    else if (gnt_secure_sum(value, SUM_CLIENTS, SUM, &key, masked, sum, err) != 0)
        return NULL;
    return out;
}

/* What all observations have in common. */
static gnt_observation setting_of(gnt_vet_setting *s, const gnt_samples *own) {
    const gnt_fl_config c = gnt_vet_config(s);
    const uint32_t granted = s->spec.granted;
    gnt_observation o = {.size = sizeof o,
                         .surface = s->spec.surface,
                         .granted = granted,
                         .goals = s->spec.goals,
                         .update_kind = c.steps ? GNT_UPDATE_DELTA : GNT_UPDATE_GRADIENT,
                         .steps = c.steps,
                         .attribute = -1,
                         .classes = own->classes,
                         .n = s->spec.batch,
                         .batch = s->spec.batch,
                         .rate = c.rate,
                         .weights = s->weights,
                         .buffers = s->buffers,
                         .budget = s->spec.budget,
                         .n_clients = c.clients};
    if (s->spec.surface == GNT_SURFACE_TRANSCRIPT || granted & GNT_KNOWS_SUM) {
        o.n_contribution = SUM;
        o.n_clients = SUM_CLIENTS;
    }
    if (own->n_attributes > 0 && s->spec.goals & GNT_GOAL_ATTRIBUTE) {
        o.attribute = 0;
        o.attribute_values = own->attribute[0].values;
    }
    if (granted & GNT_KNOWS_PUBLIC)
        o.public_data = s->public_data;
    if (granted & GNT_KNOWS_DEFENSE) {
        const gnt_artefacts nothing = {.size = sizeof nothing};
        const char *id = s->spec.behind ? s->spec.behind->id : "none";
        const gnt_params *params = s->spec.behind_params;
        o.defense = gnt_guard_put(s->guard, "the defense's id", id, strlen(id) + 1);
        o.n_defense_values = params ? params->n : 0;
        o.defense_values = gnt_guard_put(s->guard, "the defense's parameters", params ? params->value : NULL,
                                         (size_t)(params ? params->n : 1) * sizeof *o.defense_values);
        o.defense_artefacts = s->defense ? gnt_vet_defense_artefacts(s->defense) : NULL;
        if (!o.defense_artefacts)
            o.defense_artefacts =
                gnt_guard_put(s->guard, "the defense's artefacts", &nothing, sizeof nothing);
    }
    return o;
}

/* One observation of these samples; NULL with a sentence. */
static gnt_observation *put_seen(gnt_vet_setting *s, const gnt_samples *own, gnt_err *err) {
    gnt_guard *g = s->guard;
    const uint32_t granted = s->spec.granted;
    const int64_t buffers = gnt_model_buffer_size(s->model.model);
    gnt_observation o = setting_of(s, own);
    float *rates = o.steps ? gnt_guard_put(g, "rates", NULL, (size_t)o.steps * sizeof *rates) : NULL;
    double sum[SUM] = {1, 2, 3, 4};
    int made = 1;
    if (o.surface == GNT_SURFACE_UPDATE)
        made = (o.update = put_update(s, own, rates, err)) != NULL;
    else if (o.surface == GNT_SURFACE_ENCODING && s->defense)
        made = (o.encoded = put_encoded_by(s, own, err)) != NULL;
    else if (o.surface == GNT_SURFACE_ENCODING)
        made = (o.encoded = put_encoded(s, own)) != NULL || gnt_fail(err, "out of memory for encodings") == 0;
    else if (o.surface == GNT_SURFACE_REPRESENTATION)
        made = (o.representation = put_representation(s, own, err)) != NULL;
    else
        made = (o.transcript = put_transcript(s, sum, err)) != NULL;
    if (!made)
        return NULL;
    if (granted & GNT_KNOWS_LABELS)
        o.labels = gnt_guard_put(g, "labels", own->y, (size_t)(own->n * own->classes) * sizeof *own->y);
    if (granted & GNT_KNOWS_RATES)
        o.rates = rates;
    if (granted & GNT_KNOWS_ORDER && o.steps) { /* every step takes the whole batch */
        int32_t *order = gnt_guard_put(g, "order", NULL, (size_t)(o.steps * o.batch) * sizeof *order);
        for (int64_t i = 0; order && i < o.steps * o.batch; i++)
            order[i] = (int32_t)(i % o.n);
        o.order = order;
    }
    if (granted & GNT_KNOWS_BN_STATS && buffers)
        o.batch_mean = gnt_guard_put(g, "batch statistics", s->buffers, (size_t)buffers * sizeof(float));
    if (s->spec.goals & GNT_GOAL_MEMBERSHIP)
        o.candidates = s->shadow;
    if (granted & GNT_KNOWS_SUM) {
        o.sum = gnt_guard_put(g, "sum", sum, sizeof sum);
        o.n_sum = SUM;
    }
    gnt_observation *out = gnt_guard_put(g, "observation", &o, sizeof o);
    if (out && granted & GNT_KNOWS_HISTORY) { /* the client looked the same a round ago */
        const gnt_observation *past = gnt_guard_put(g, "history", &o, sizeof o);
        out->round = 1;
        out->history = gnt_guard_put(g, "history", &past, sizeof past);
        out->n_history = 1;
    }
    if (gnt_guard_full(g)) {
        gnt_fail(err, "out of memory for an observation");
        return NULL;
    }
    return out;
}

static int make_shadow_seen(gnt_vet_setting *s, gnt_attack_prepare *in, const gnt_samples *shadow,
                            gnt_err *err) {
    const gnt_observation **seen =
        gnt_guard_put(s->guard, "shadow observations", NULL, SHADOW_SEEN * sizeof *seen);
    const gnt_samples **truth = gnt_guard_put(s->guard, "shadow samples", NULL, SHADOW_SEEN * sizeof *truth);
    for (int64_t j = 0; seen && truth && j < SHADOW_SEEN; j++) {
        const int64_t whole = shadow->n / s->spec.batch;
        const gnt_samples part = gnt_samples_part(shadow, j % whole * s->spec.batch, s->spec.batch);
        if (!(truth[j] = gnt_guard_put(s->guard, "shadow samples", &part, sizeof part)))
            break;
        if (!(seen[j] = put_seen(s, truth[j], err)))
            return -1;
    }
    in->n_shadow = SHADOW_SEEN;
    in->shadow = seen;
    in->shadow_truth = truth;
    return gnt_guard_full(s->guard) ? gnt_fail(err, "out of memory for shadow observations") : 0;
}

static int make_attack(gnt_vet_setting *s, const gnt_samples *own, gnt_err *err) {
    const uint32_t granted = s->spec.granted;
    gnt_observation setting = setting_of(s, own);
    gnt_attack_prepare in = {.size = sizeof in,
                             .stage = -1,
                             .public_data = granted & GNT_KNOWS_PUBLIC ? s->public_data : NULL,
                             .shadow_data =
                                 granted & (GNT_KNOWS_SHADOW | GNT_KNOWS_SHADOW_OBS) ? s->shadow : NULL,
                             .attribute = setting.attribute,
                             .attribute_values = setting.attribute_values,
                             .weights = s->weights,
                             .buffers = s->buffers};
    for (int64_t j = 0; j < GNT_VET_SEEN; j++) {
        gnt_samples part = gnt_samples_part(own, j * s->spec.batch, s->spec.batch);
        if (!(s->seen[j] = put_seen(s, &part, err)))
            return -1;
    }
    if (granted & GNT_KNOWS_SHADOW_OBS && make_shadow_seen(s, &in, s->shadow, err) != 0)
        return -1;
    in.setting = gnt_guard_put(s->guard, "setting", &setting, sizeof setting);
    s->learn = gnt_guard_put(s->guard, "prepare's input", &in, sizeof in);
    return gnt_guard_full(s->guard) ? gnt_fail(err, "out of memory for an attack's input") : 0;
}

/* ---- all of it ---- */

int gnt_vet_setting_open(gnt_vet_setting *out, const gnt_vet_spec *spec, gnt_err *err) {
    *out = (gnt_vet_setting){.spec = *spec};
    gnt_vet_setting *s = out;
    const int64_t public_rows = spec->behind ? PUBLIC_BEHIND : PUBLIC;
    gnt_sampleset all = {0};
    int rc = gnt_vet_make_samples(&all, spec, OWN + SHADOW, public_rows, err);
    if (rc == 0)
        rc = gnt_guard_new(&s->guard, most_guarded, err);
    if (rc == 0) {
        gnt_samples shadow = gnt_samples_part(&all.view, OWN, SHADOW);
        gnt_samples public_data = gnt_samples_part(&all.view, OWN + SHADOW, public_rows);
        s->shadow = gnt_vet_put_samples(s, "shadow data", &shadow);
        s->public_data = gnt_vet_put_samples(s, "public data", &public_data);
        rc = s->shadow && s->public_data ? make_model(s, &all.view, err)
                                         : gnt_fail(err, "out of memory for samples");
    }
    if (rc == 0 && spec->behind)
        rc = gnt_vet_defense_open(&s->defense, s, spec->behind, spec->behind_params, err);
    if (rc == 0)
        rc = spec->goals ? make_attack(s, &all.view, err) : make_defense(s, &all.view, err);
    gnt_vet_defense_free(s->defense);
    s->defense = NULL;
    if (rc == 0)
        gnt_guard_keep(s->guard);
    else
        gnt_vet_setting_free(s);
    gnt_sampleset_free(&all);
    return rc;
}

void gnt_vet_setting_free(gnt_vet_setting *s) {
    gnt_work_model_free(&s->model);
    gnt_work_model_free(&s->extractor);
    gnt_guard_free(s->guard);
    gnt_free_aligned(s->new_buffers);
    *s = (gnt_vet_setting){0};
}
