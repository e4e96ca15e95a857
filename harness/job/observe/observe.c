/* The job `observe`: what an attacker sees of each target under the defense, and what a suite may grant, each
 * in a bundle of its own. T observations of B samples, F features, C classes.
 *
 *   seen       weights, buffers, the setting as metadata, and one of
 *                update          F32 T × S, the parameters that clients share; where clients send running
 *                                statistics also sent_buffers F32 T × buffers, less those broadcast, and
 *                                sends_buffers I64 T, 0: this one withheld them
 *                encoded_x       F32 M × F, and encoded_y M × C: the encodings of set after set
 *                representation  F32 T·B × R
 *                transcript      I64 clients × n
 *   broadcast  weights.R and buffers.R of stage R, and the setting
 *   labels     F32 T·B × C
 *   rates      F32 T × steps
 *   stats      F32 T × buffers
 *   outside    F32 T·B × F: the samples with the sensitive region blank; mask U8 T·B × H·W: 1 inside it
 *   sum        F64 n: the result of a secure sum
 * For scoring and for marks alone:
 *   targets    in the round: the samples behind the observations (a probe's are those of the job `data`)
 * Observations of a round may be of fewer than B samples; the metadata says then of how many ("used": the
 * client computed with so many, "rows": it may be any of these), and the other rows of tables repeat them.
 *   mixing     where samples are encoded in sets (observe_sets.c), of set J: weight.J F32 M_J × m, what each
 *              encoding is said to be made of, and source.J I64 M_J, what it is mostly of
 *   compared   of a probe and of shadow rows: marks, and "without_hooks": true if no hook made them */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "job/work/defense_state.h"
#include "job/observe/observe.h"

/* Returns what the client computed observation j from: its samples, or one of their encodings. */
static gnt_samples batch_of(observing *o, int64_t j) {
    return o->sets.size && o->surface == GNT_SURFACE_UPDATE ? observe_encoding(o, j) : observe_batch(o, j);
}

/* Writes the output `compared`: marks, if hooks did something else here than in the training. */
static int compare_with_training(observing *o, const gnt_fl_treatment *t, gnt_err *err) {
    static const char *const what[] = {"probe-differs", "shadow-differs"};
    gnt_work *w = o->work;
    gnt_st treatments, out;
    gnt_err says = {0};
    gnt_st_init(&treatments);
    gnt_st_init(&out);
    if (!w->has(w->context, "treatments"))
        return 0;
    int rc = w->read(w->context, "treatments", &treatments, err);
    const int differs =
        rc == 0 ? gnt_record_treatment_differs(&treatments, o->stage, t, o->targets, o->shadow != 0, &says)
                : 0;
    gnt_st_free(&treatments);
    json_t *all = json_pack("{s:[], s:b}", "marks", "without_hooks", o->without_hooks);
    if (differs > 0)
        json_array_append_new(json_object_get(all, "marks"),
                              json_pack("{s:s, s:s}", "what", what[o->shadow != 0], "says", says.text));
    const int set = gnt_st_set_json(&out, all, JSON_COMPACT, "a comparison", &says);
    if (rc == 0)
        rc = set == 0 && differs >= 0 ? w->write(w->context, "compared", &out, err)
                                      : gnt_fail(err, "out of memory for a comparison");
    gnt_st_free(&out);
    return rc;
}

/* Adds tensors for what the clients of a probe send of their running statistics; *sent is NULL if they
 * send none. */
static int add_buffers(observing *o, float **sent, int64_t **sends, gnt_err *err) {
    const int64_t n = gnt_model_buffer_size(o->model.model);
    gnt_st_tensor *t;
    *sent = NULL;
    if (n == 0 || !o->config.training_stats)
        return 0;
    if (gnt_st_add(&o->observations, "sends_buffers", GNT_ST_I64, 1, &o->targets, NULL, &t, err) != 0)
        return -1;
    *sends = t->data;
    return observe_add(&o->observations, "sent_buffers", o->targets, n, sent, err);
}

static int observe_updates(observing *o, gnt_err *err) {
    gnt_work *w = o->work;
    int64_t p = gnt_model_shared_size(o->model.model), buffers = gnt_model_buffer_size(o->model.model);
    int64_t *sends = NULL;
    gnt_fl_statistics statistics;
    gnt_st rates;
    gnt_st_init(&rates);
    float *update = NULL, *used = NULL, *sent = NULL;
    gnt_fl *fl = NULL;
    gnt_fl_treatment *treatment = gnt_array((size_t)o->targets, sizeof *treatment);
    int rc = treatment ? observe_add(&o->observations, "update", o->targets, p, &update, err)
                       : gnt_fail(err, "out of memory for %" PRId64 " observations", o->targets);
    if (rc == 0)
        rc = add_buffers(o, &sent, &sends, err);
    if (rc == 0)
        rc = observe_add(&rates, "rates", o->targets, o->config.steps, &used, err);
    if (rc == 0)
        rc = gnt_fl_new(&fl, o->model.model, &o->config, &o->chain.chain, &o->request->probe->train_key, err);
    for (int64_t j = 0; rc == 0 && j < o->targets; j++) {
        gnt_samples b = batch_of(o, j);
        const int32_t client = (int32_t)(j % (o->config.clients > 0 ? o->config.clients : 1));
        if ((rc = observe_load_client(o, client, err)) != 0)
            break;
        gnt_fl_shared shared = {.update = update + j * p,
                                .sent_buffers = sent ? sent + j * buffers : NULL,
                                .statistics = &statistics,
                                .treatment = &treatment[j],
                                .rates = o->config.steps ? used + j * o->config.steps : NULL};
        gnt_fl_holding holding;
        /* a shadow client must not show how much a real one holds */
        const int known = gnt_state_holding(&holding, &o->trained, o->shadow ? GNT_STATE_AVERAGE : client);
        rc = gnt_fl_client(fl, o->stage, client, &b, known ? &holding : NULL,
                           o->public_data.view.n ? &o->public_data.view : NULL, observe_weights(o, client),
                           o->broadcast.buffers, o->passes, &shared, err);
        if (rc == 0 && sent)
            sends[j] = statistics != GNT_FL_STATISTICS_WITHHELD;
        w->progress(w->context, (double)j + 1, (double)o->targets);
        if (rc == 0 && w->should_stop(w->context))
            rc = gnt_fail(err, "stopped at target %" PRId64, j);
    }
    gnt_fl_free(fl);
    if (rc == 0)
        rc = compare_with_training(o, treatment, err);
    gnt_free(treatment);
    if (rc == 0)
        return observe_write(o, "rates", &rates, err);
    gnt_st_free(&rates);
    return -1;
}

static int observe_encodings(observing *o, gnt_err *err) {
    const gnt_samples *s = &o->samples.view;
    const int64_t n = observe_encodings_of_all(o);
    float *x, *y;
    if (observe_add(&o->observations, "encoded_x", n, s->features, &x, err) != 0 ||
        observe_add(&o->observations, "encoded_y", n, s->classes, &y, err) != 0)
        return -1;
    for (int64_t j = 0; j < o->sets.n; j++) {
        const gnt_encoded_set *r = &o->sets.encoded[j];
        memcpy(x, r->x, (size_t)(r->n * s->features) * sizeof *x);
        memcpy(y, r->y, (size_t)(r->n * s->classes) * sizeof *y);
        x += r->n * s->features;
        y += r->n * s->classes;
    }
    return 0;
}

static int observe_representation(observing *o, gnt_err *err) {
    gnt_service_spec spec = {.model = o->model.model, .name = o->model.name};
    int32_t layer = gnt_model_representation(o->model.model);
    gnt_function_spec wanted = {
        .size = sizeof wanted, .kind = GNT_FN_FEATURES, .n = o->batch, .layer = &layer, .n_layers = 1};
    gnt_service *service = NULL;
    if (gnt_service_new(&service, &spec, err) != 0)
        return -1;
    const gnt_model_service *table = gnt_service_table(service);
    gnt_function *f = table->prepare(table->context, &wanted);
    int rc = f ? 0 : -1;
    float *r = NULL;
    for (int64_t j = 0; rc == 0 && j < o->targets; j++) {
        gnt_samples b = batch_of(o, j);
        gnt_function_args args = {
            .size = sizeof args, .x = b.x, .weights = o->broadcast.weights, .buffers = o->broadcast.buffers};
        const gnt_views *out;
        if (table->eval(table->context, f, &args, &out) != GNT_OK)
            rc = -1;
        else if (r || observe_add(&o->observations, "representation", o->targets * o->batch,
                                  out->view[0].count / o->batch, &r, err) == 0)
            memcpy(r + j * out->view[0].count, out->view[0].data, (size_t)out->view[0].count * sizeof *r);
    }
    if (rc != 0 || !r)
        rc = gnt_fail(err, "cannot compute the representation: %s", gnt_service_error(service));
    gnt_service_free(service);
    return rc;
}

static int write_labels(observing *o, gnt_err *err) {
    gnt_st st;
    float *y;
    gnt_st_init(&st);
    if (observe_add(&st, "labels", o->targets * o->batch, o->samples.view.classes, &y, err) != 0)
        return -1;
    for (int64_t j = 0; j < o->targets; j++) {
        gnt_samples b = batch_of(o, j);
        memcpy(y + j * o->batch * b.classes, b.y, (size_t)(o->batch * b.classes) * sizeof *y);
    }
    return observe_write(o, "labels", &st, err);
}

/* Writes the samples with the sensitive region blank, and the region's mask, for attackers that know the
 * rest. */
static int write_outside(observing *o, gnt_err *err) {
    const gnt_samples *all = &o->samples.view;
    const int64_t f = all->features, m = gnt_mask_size(all), dim[2] = {o->targets * o->batch, m};
    gnt_st st;
    gnt_st_tensor *mask;
    float *x;
    gnt_st_init(&st);
    if (observe_add(&st, "outside", dim[0], f, &x, err) != 0 ||
        gnt_st_add(&st, "mask", GNT_ST_U8, 2, dim, NULL, &mask, err) != 0) {
        gnt_st_free(&st);
        return -1;
    }
    for (int64_t j = 0; j < o->targets; j++) {
        gnt_samples b = batch_of(o, j);
        float *out = x + j * o->batch * f;
        memcpy((uint8_t *)mask->data + j * o->batch * m, b.mask, (size_t)(o->batch * m));
        for (int64_t i = 0; i < o->batch * f; i++)
            out[i] = b.mask[i / f * m + i % f % m] ? 0 : b.x[i];
    }
    return observe_write(o, "outside", &st, err);
}

/* Keeps the result of the defense's secure sum, if any. Every client knows it, so it may be granted. */
static int keep_sum(observing *o, gnt_err *err) {
    const gnt_st_tensor *t = gnt_state_first(&o->trained, "sum", GNT_ST_F64, 1);
    return t ? gnt_st_add(&o->sum, "sum", t->type, t->rank, t->dim, t->data, NULL, err) : 0;
}

/* Writes what the server received for the secure sum: one observation of all clients, without a private
 * batch behind it. */
static int observe_transcript(observing *o, gnt_err *err) {
    const gnt_st_tensor *t = gnt_state_first(&o->trained, "transcript", GNT_ST_I64, 2);
    if (t)
        return gnt_st_add(&o->observations, "transcript", t->type, t->rank, t->dim, t->data, NULL, err);
    o->work->status = GNT_UNSUPPORTED;
    return gnt_fail(err, "the defense made no secure sum, so there is no transcript of one");
}

/* Writes the batch statistics of each target's own samples, before any defense, at the broadcast weights. */
static int write_stats(observing *o, gnt_err *err) {
    int64_t n = gnt_model_buffer_size(o->model.model), made_for = 0;
    gnt_st st;
    float *stats = NULL, *grad = gnt_array((size_t)gnt_model_size(o->model.model), sizeof *grad);
    gnt_trainer *t = NULL;
    gnt_st_init(&st);
    int rc = grad ? observe_add(&st, "stats", o->targets, n, &stats, err)
                  : gnt_fail(err, "out of memory for statistics");
    for (int64_t j = 0; rc == 0 && n > 0 && j < o->targets; j++) {
        gnt_samples b = batch_of(o, j);
        if (b.n != made_for) {
            gnt_trainer_free(t);
            t = NULL;
            made_for = b.n;
            rc = gnt_trainer_new(&t, o->model.model, made_for, 1, err);
        }
        if (rc == 0)
            rc = gnt_trainer_gradient(t, o->broadcast.weights, o->broadcast.buffers, b.x, b.y, grad, NULL,
                                      stats + j * n, err);
    }
    gnt_trainer_free(t);
    gnt_free(grad);
    if (rc == 0)
        return observe_write(o, "stats", &st, err);
    gnt_st_free(&st);
    return -1;
}

/* Adds the sizes of released sets, which are not secret. */
static int add_sets(const observing *o, json_t *all) {
    json_t *counts = json_array();
    for (int64_t j = 0; j < o->sets.n && o->sets.encoded; j++)
        json_array_append_new(counts, json_integer((json_int_t)o->sets.encoded[j].n));
    for (int64_t j = 0; j < o->targets && o->in_round; j++)
        json_array_append_new(counts, json_integer((json_int_t)o->round.recorded.count[j]));
    return json_object_set_new(all, "encodings", counts) |
           json_object_set_new(all, "set", json_integer(o->sets.size));
}

/* Sets a bundle's metadata to what all observations have in common. */
static int set_setting(const observing *o, gnt_st *st, gnt_err *err) {
    int of_all = o->surface == GNT_SURFACE_TRANSCRIPT;
    const int64_t n = observe_samples(o);
    const gnt_st_tensor *sum = gnt_st_find(&o->sum, "sum");
    json_t *all = json_pack("{s:I, s:i, s:I, s:I, s:i, s:f, s:I, s:i}", "surface", (json_int_t)o->surface,
                            "round", (int)o->stage, "observations", (json_int_t)(of_all ? 1 : o->targets),
                            "n", (json_int_t)(of_all ? 0 : n), "steps", (int)o->config.steps, "rate",
                            gnt_fl_rate(&o->config, o->stage), "n_contribution",
                            (json_int_t)(sum ? sum->dim[0] : 0), "clients", (int)o->config.clients);
    int whole = all && (!o->sets.size || add_sets(o, all) == 0);
    if (whole && o->in_round && o->surface != GNT_SURFACE_TRANSCRIPT)
        whole = json_object_set_new(all, "members", json_integer(o->batch)) == 0 &&
                json_object_set_new(all, "batch", json_integer(o->config.steps ? o->config.batch : n)) == 0 &&
                observe_add_sizes(o, all) == 0;
    if (whole && o->config.steps)
        whole = json_object_set_new(all, "momentum", json_real(o->config.momentum)) == 0;
    if (whole && o->config.steps && o->config.decay > 0)
        whole = json_object_set_new(all, "decay", json_real(o->config.decay)) == 0;
    if (whole && o->config.steps && o->config.adam)
        whole = json_object_set_new(all, "adam", json_true()) == 0;
    if (!whole) {
        json_decref(all);
        all = NULL;
    }
    return gnt_st_set_json(st, all, JSON_COMPACT | JSON_REAL_PRECISION(17), "an observation", err);
}

/* Writes the broadcast weights as a bundle of their own: prepare-attack reads them, and the training's
 * bundle contains more than an attacker may see (other stages, defenses' state). */
static int write_broadcast(observing *o, gnt_err *err) {
    int64_t p = gnt_model_size(o->model.model), b = gnt_model_buffer_size(o->model.model);
    char weights[32], buffers[32];
    gnt_st st;
    gnt_st_init(&st);
    snprintf(weights, sizeof weights, "weights.%d", o->stage);
    snprintf(buffers, sizeof buffers, "buffers.%d", o->stage);
    if (gnt_st_add(&st, weights, GNT_ST_F32, 1, &p, o->broadcast.weights, NULL, err) != 0 ||
        gnt_st_add(&st, buffers, GNT_ST_F32, 1, &b, o->broadcast.buffers, NULL, err) != 0 ||
        set_setting(o, &st, err) != 0) {
        gnt_st_free(&st);
        return -1;
    }
    return observe_write(o, "broadcast", &st, err);
}

static int write_observations(observing *o, gnt_err *err) {
    int64_t p = gnt_model_size(o->model.model), b = gnt_model_buffer_size(o->model.model);
    if (gnt_st_add(&o->observations, "weights", GNT_ST_F32, 1, &p, o->broadcast.weights, NULL, err) != 0 ||
        gnt_st_add(&o->observations, "buffers", GNT_ST_F32, 1, &b, o->broadcast.buffers, NULL, err) != 0 ||
        set_setting(o, &o->observations, err) != 0)
        return -1;
    return o->work->write(o->work->context, "seen", &o->observations, err);
}

static int observe(observing *o, gnt_err *err) {
    switch (o->surface) {
    case GNT_SURFACE_UPDATE:
        return observe_updates(o, err);
    case GNT_SURFACE_ENCODING:
        return observe_encodings(o, err);
    case GNT_SURFACE_REPRESENTATION:
        return observe_representation(o, err);
    case GNT_SURFACE_TRANSCRIPT:
        return observe_transcript(o, err);
    default:
        return gnt_fail(err, "the request asks for an unknown surface %u", o->surface);
    }
}

/* Reads each client's own parameters after the stage's round. */
static int read_own(observing *o, const gnt_st *trained, gnt_err *err) {
    const gnt_model *m = o->model.model;
    int64_t dim[2] = {o->config.clients, gnt_model_own_size(m)};
    char name[32];
    snprintf(name, sizeof name, "own.%d", o->stage);
    if (dim[1] == 0)
        return 0;
    const gnt_st_tensor *t = gnt_st_need(trained, "the trained weights", name, GNT_ST_F32, 2, dim, err);
    if (!t)
        return -1;
    o->broadcast.own = gnt_array(t->bytes, 1);
    o->broadcast.merged = gnt_array((size_t)gnt_model_size(m), sizeof *o->broadcast.merged);
    if (!o->broadcast.own || !o->broadcast.merged)
        return gnt_fail(err, "out of memory for what %" PRId64 " clients keep", dim[0]);
    memcpy(o->broadcast.own, t->data, t->bytes);
    return 0;
}

/* Finds whether shadow updates are to be made without hooks, for an attack on influence: where these are like
 * that, and no hook encodes samples first. */
static int find_without_hooks(observing *o, gnt_err *err) {
    gnt_st record;
    gnt_st_init(&record);
    if (!o->shadow || !o->request->influence || o->sets.size)
        return 0;
    const int rc = o->work->read(o->work->context, "record", &record, err);
    o->without_hooks = rc == 0 && gnt_recorded_undone(&record, o->stage);
    gnt_st_free(&record);
    return rc;
}

static int open_chain(observing *o, gnt_err *err) {
    static const gnt_request_plugins none;
    const gnt_request_probe *q = o->request->probe;
    int rc = find_without_hooks(o, err);
    if (rc == 0)
        rc = gnt_work_chain_open(&o->chain, o->work, &o->model, o->without_hooks ? &none : &q->defense,
                                 &q->defense_key, err);
    if (rc == 0)
        rc = gnt_state_load_sums(&o->chain.chain, &o->trained, err);
    return rc == 0 ? gnt_state_load(&o->chain.chain, &o->trained, o->stage, -1, err) : -1;
}

static int open_all(observing *o, gnt_err *err) {
    gnt_work *w = o->work;
    const gnt_request_observation *q = o->request;
    int rc = gnt_work_model_open(&o->model, &q->model, q->federated.training_stats, err);
    if (rc == 0 && !o->in_round)
        rc = gnt_work_samples(&o->samples, w, "samples", &q->samples, err);
    if (rc == 0 && !o->in_round)
        rc = gnt_work_hidden_open(&o->hidden, &q->samples, q->federated.clients, &o->samples, err);
    o->config.hidden = o->hidden.view;
    if (rc == 0)
        rc = gnt_work_samples(&o->public_data, w, "public", &q->samples, err) ||
                     w->read(w->context, "trained", &o->trained, err) ||
                     gnt_work_weights(&o->trained, o->model.model, o->stage, &o->broadcast.weights,
                                      &o->broadcast.buffers, err) ||
                     read_own(o, &o->trained, err)
                 ? -1
                 : 0;
    if (rc == 0)
        rc = o->in_round ? observe_open_round(o, err) : open_chain(o, err);
    if (rc == 0)
        rc = keep_sum(o, err);
    if (rc != 0)
        return -1;
    const gnt_samples *s = &o->samples.view;
    if (s->n < o->batch)
        return gnt_fail(err,
                        "%" PRId64 " samples do not make one batch of %" PRId64
                        "; ask for more targets or shadow rows in the task's data",
                        s->n, o->batch);
    size_t n = (size_t)o->batch;
    o->one.x = gnt_array(n * (size_t)s->features, sizeof *o->one.x);
    o->one.y = gnt_array(n * (size_t)s->classes, sizeof *o->one.y);
    o->one.a = gnt_array(n * (size_t)s->n_attributes, sizeof *o->one.a);
    o->one.id = gnt_array(n, sizeof *o->one.id);
    return o->one.x && o->one.y && o->one.a && o->one.id
               ? 0
               : gnt_fail(err, "out of memory for a batch of %zu", n);
}

/* Encodes the sets. On the surface update each encoding is the batch of an observation of its own. */
static int encode_sets(observing *o, gnt_err *err) {
    if (!o->sets.size)
        return 0;
    if (observe_encode_sets(o, err) != 0)
        return -1;
    if (o->surface == GNT_SURFACE_UPDATE) {
        o->targets = observe_encodings_of_all(o);
        o->batch = 1;
    }
    return observe_write_mixing(o, err);
}

/* Sets for a probe which sets are encoded and how clients go through their samples. */
static void configure_probe(observing *o) {
    const int probe = o->request->observe.probe;
    if (o->sets.size) {
        o->targets = o->targets * o->batch / o->sets.size;
        o->batch = o->sets.size;
    }
    if (!o->sets.epochs) /* all passes that a client has made by the end of that round */
        o->sets.epochs = (o->stage + 1) * gnt_fl_passes_begun(&o->config, o->batch);
    o->passes = o->sets.size && o->surface == GNT_SURFACE_UPDATE ? GNT_FL_ENCODED
                : probe                                          ? GNT_FL_WHOLE
                                                                 : GNT_FL_BATCHES;
    if (!probe)
        return;
    o->config.steps = (int32_t)o->request->observe.local_steps;
    o->config.batch = o->batch;
}

static int observe_probe(observing *o, gnt_err *err) {
    int rc = encode_sets(o, err) || observe(o, err) ? -1 : 0;
    if (rc == 0 && o->surface != GNT_SURFACE_TRANSCRIPT)
        rc = write_labels(o, err);
    if (rc == 0 && (o->surface & (GNT_SURFACE_UPDATE | GNT_SURFACE_REPRESENTATION)))
        rc = write_stats(o, err);
    if (rc == 0 && o->samples.mask && o->surface != GNT_SURFACE_TRANSCRIPT)
        rc = write_outside(o, err);
    return rc;
}

static int observe_round(observing *o, gnt_err *err) {
    int rc =
        o->surface == GNT_SURFACE_REPRESENTATION ? observe_representation(o, err) : observe_recorded(o, err);
    if (rc == 0)
        rc = observe_write_recorded(o, err);
    /* statistics of the samples say nothing of encodings */
    if (rc == 0 && !o->round.recorded.whole && o->surface != GNT_SURFACE_ENCODING)
        rc = write_stats(o, err);
    if (rc == 0 && !o->round.recorded.whole && o->samples.mask)
        rc = write_outside(o, err);
    return rc;
}

int gnt_job_observe(gnt_work *w, gnt_err *err) {
    const gnt_request_observation *q = &w->request->observe;
    observing o = {.work = w,
                   .request = q,
                   .stage = (int32_t)q->stage,
                   .targets = q->observe.targets,
                   .batch = q->observe.batch,
                   .sets = {.size = q->observe.set, .epochs = q->observe.epochs},
                   .surface = q->observe.surface,
                   .shadow = q->shadow,
                   .in_round = !q->probe,
                   .config = gnt_work_config(&q->federated)};
    if (!o.in_round)
        configure_probe(&o);
    gnt_st_init(&o.trained);
    gnt_st_init(&o.observations);
    int rc = open_all(&o, err);
    if (rc == 0)
        rc = o.in_round && o.surface != GNT_SURFACE_TRANSCRIPT ? observe_round(&o, err)
                                                               : observe_probe(&o, err);
    if (rc == 0 && o.sum.n)
        rc = w->write(w->context, "sum", &o.sum, err);
    if (rc == 0)
        rc = write_broadcast(&o, err);
    if (rc == 0)
        rc = write_observations(&o, err);
    observe_free_sets(&o);
    gnt_st_free(&o.round.record);
    gnt_st_free(&o.round.behind);
    gnt_st_free(&o.round.truth);
    gnt_work_chain_free(&o.chain);
    gnt_work_hidden_free(&o.hidden);
    gnt_sampleset_free(&o.samples);
    gnt_sampleset_free(&o.public_data);
    gnt_free(o.broadcast.weights);
    gnt_free(o.broadcast.buffers);
    gnt_free(o.broadcast.own);
    gnt_free(o.broadcast.merged);
    gnt_free(o.one.x);
    gnt_free(o.one.y);
    gnt_free(o.one.a);
    gnt_free(o.one.id);
    gnt_st_free(&o.trained);
    gnt_st_free(&o.observations);
    gnt_st_free(&o.sum);
    gnt_work_model_free(&o.model);
    return rc;
}
