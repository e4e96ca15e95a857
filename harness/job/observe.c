/* The job `observe`: what an attacker sees of each target under the defense, and beside it, each in a bundle
 * of its own, what a suite may grant. The truth itself is not among the outputs: it stays in the bundle the
 * targets came in.
 *
 *   seen    update T×P (or encoded_x M×F and encoded_y M×C, or representation T·B×R, or transcript clients×n),
 *           weights P, buffers; metadata: the setting
 *   broadcast  weights and buffers of the stage, as a trained bundle names them
 *   labels  T·B×C          rates  T×steps          stats  T×buffers          sum  n, of a secure sum */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "job/carry.h"
#include "job/job.h"

typedef struct observing {
    gnt_work *work;
    gnt_work_model model;
    gnt_work_chain chain;
    gnt_sampleset samples, public_data;
    gnt_st trained;
    float *weights, *buffers;
    gnt_fl_config config; /* of the observed client */
    int32_t stage;
    int64_t targets, batch;
    uint32_t surface;
    int shadow;       /* the samples are the shadow part's */
    gnt_st seen, sum; /* sum: of a secure sum, where a defense took one */
    float *x, *y;     /* the batch of one target, B samples */
    int32_t *a;
    int64_t *id;
} observing;

/* Samples of target j: batch j of the role, round and round over whole batches when a shadow part has fewer
 * than asked. */
static gnt_samples batch_of(observing *o, int64_t j) {
    const gnt_samples *all = &o->samples.view;
    gnt_samples b = *all;
    for (int64_t i = 0; i < o->batch; i++) {
        int64_t row = j % (all->n / o->batch) * o->batch + i;
        memcpy(o->x + i * all->features, all->x + row * all->features, (size_t)all->features * sizeof *o->x);
        memcpy(o->y + i * all->classes, all->y + row * all->classes, (size_t)all->classes * sizeof *o->y);
        if (all->n_attributes)
            memcpy(o->a + i * all->n_attributes, all->a + row * all->n_attributes,
                   (size_t)all->n_attributes * sizeof *o->a);
        o->id[i] = i;
    }
    b.n = o->batch;
    b.x = o->x;
    b.y = o->y;
    b.a = all->n_attributes ? o->a : NULL;
    b.id = o->id;
    return b;
}

static int add(gnt_st *st, const char *name, int64_t rows, int64_t columns, float **out, gnt_err *err) {
    int64_t dim[2] = {rows, columns};
    gnt_st_tensor *t;
    if (gnt_st_add(st, name, GNT_ST_F32, 2, dim, NULL, &t, err) != 0)
        return -1;
    *out = t->data;
    return 0;
}

static int write_one(observing *o, const char *output, gnt_st *st, gnt_err *err) {
    int rc = o->work->write(o->work->context, output, st, err);
    gnt_st_free(st);
    return rc;
}

static int observe_updates(observing *o, gnt_err *err) {
    gnt_work *w = o->work;
    int64_t p = gnt_model_size(o->model.model);
    gnt_st rates;
    gnt_st_init(&rates);
    float *update = NULL, *used = NULL;
    gnt_fl *fl = NULL;
    gnt_key key;
    int rc = add(&o->seen, "update", o->targets, p, &update, err);
    if (rc == 0)
        rc = add(&rates, "rates", o->targets, o->config.steps, &used, err);
    if (rc == 0)
        rc = gnt_request_key(w, "keys.train", &key, err);
    if (rc == 0)
        rc = gnt_fl_new(&fl, o->model.model, &o->config, &o->chain.chain, &key, err);
    for (int64_t j = 0; rc == 0 && j < o->targets; j++) {
        gnt_samples b = batch_of(o, j);
        gnt_fl_shared shared = {.update = update + j * p,
                                .rates = o->config.steps ? used + j * o->config.steps : NULL};
        int32_t client = (int32_t)(j % (o->config.clients > 0 ? o->config.clients : 1));
        gnt_fl_holding held;
        /* a shadow client must not tell what a real one holds */
        int dealt = gnt_carry_holding(&held, &o->trained, o->shadow ? GNT_CARRY_AVERAGE : client);
        rc = gnt_fl_client(fl, o->stage, client, &b, dealt ? &held : NULL,
                           o->public_data.view.n ? &o->public_data.view : NULL, o->weights, o->buffers, 1,
                           &shared, err);
        w->progress(w->context, (double)j + 1, (double)o->targets);
        if (rc == 0 && w->should_stop(w->context))
            rc = gnt_fail(err, "stopped at target %" PRId64, j);
    }
    gnt_fl_free(fl);
    if (rc == 0)
        return write_one(o, "rates", &rates, err);
    gnt_st_free(&rates);
    return -1;
}

/* All targets are one set to an encoding, which may mix them. */
static int observe_encodings(observing *o, gnt_err *err) {
    gnt_samples all = gnt_samples_part(&o->samples.view, 0, o->targets * o->batch);
    gnt_client client = {.size = sizeof client,
                         .round = o->stage,
                         .n_clients = 1,
                         .n_samples = all.n,
                         .batch = all.n,
                         .rate = gnt_fl_rate(&o->config, o->stage),
                         .steps = o->config.steps,
                         .weights = o->weights,
                         .buffers = o->buffers,
                         .public_data = o->public_data.view.n ? &o->public_data.view : NULL};
    gnt_batch b;
    float *x, *y;
    gnt_batch_borrow(&b, &all);
    int rc = gnt_chain_encode_set(&o->chain.chain, &client, 0, &b, err);
    if (rc == 0)
        rc = add(&o->seen, "encoded_x", b.view.n, all.features, &x, err);
    if (rc == 0) {
        memcpy(x, b.view.x, (size_t)(b.view.n * all.features) * sizeof *x);
        rc = add(&o->seen, "encoded_y", b.view.n, all.classes, &y, err);
    }
    if (rc == 0)
        memcpy(y, b.view.y, (size_t)(b.view.n * all.classes) * sizeof *y);
    gnt_batch_free(&b);
    return rc;
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
            .size = sizeof args, .x = b.x, .weights = o->weights, .buffers = o->buffers};
        const gnt_views *out;
        if (table->eval(table->context, f, &args, &out) != GNT_OK)
            rc = -1;
        else if (r || add(&o->seen, "representation", o->targets * o->batch, out->view[0].count / o->batch,
                          &r, err) == 0)
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
    if (add(&st, "labels", o->targets * o->batch, o->samples.view.classes, &y, err) != 0)
        return -1;
    for (int64_t j = 0; j < o->targets; j++) {
        gnt_samples b = batch_of(o, j);
        memcpy(y + j * o->batch * b.classes, b.y, (size_t)(o->batch * b.classes) * sizeof *y);
    }
    return write_one(o, "labels", &st, err);
}

/* What the defense's secure sum came to, if any: everyone who took part knows it, so it may be granted. */
static int keep_sum(observing *o, gnt_err *err) {
    const gnt_st_tensor *t = gnt_carry_first(&o->trained, "sum", GNT_ST_F64, 1);
    return t ? gnt_st_add(&o->sum, "sum", t->type, t->rank, t->dim, t->data, NULL, err) : 0;
}

/* What the server saw of the secure sum: one observation of all clients, with no private batch behind it. */
static int observe_transcript(observing *o, gnt_err *err) {
    const gnt_st_tensor *t = gnt_carry_first(&o->trained, "transcript", GNT_ST_I64, 2);
    if (t)
        return gnt_st_add(&o->seen, "transcript", t->type, t->rank, t->dim, t->data, NULL, err);
    o->work->status = GNT_UNSUPPORTED;
    return gnt_fail(err, "the defense made no secure sum, so there is no transcript of one");
}

/* Batch statistics of each target at the broadcast weights; what the defense did to the samples is not in
 * them. */
static int write_stats(observing *o, gnt_err *err) {
    int64_t n = gnt_model_buffer_size(o->model.model);
    gnt_st st;
    float *stats = NULL, *grad = gnt_array((size_t)gnt_model_size(o->model.model), sizeof *grad);
    gnt_trainer *t = NULL;
    gnt_st_init(&st);
    int rc =
        grad ? add(&st, "stats", o->targets, n, &stats, err) : gnt_fail(err, "out of memory for statistics");
    if (rc == 0 && n > 0)
        rc = gnt_trainer_new(&t, o->model.model, o->batch, 1, err);
    for (int64_t j = 0; rc == 0 && n > 0 && j < o->targets; j++) {
        gnt_samples b = batch_of(o, j);
        rc = gnt_trainer_gradient(t, o->weights, o->buffers, b.x, b.y, grad, NULL, stats + j * n, err);
    }
    gnt_trainer_free(t);
    gnt_free(grad);
    if (rc == 0)
        return write_one(o, "stats", &st, err);
    gnt_st_free(&st);
    return -1;
}

/* The weights that were broadcast, by themselves: an attack may learn on them, and the training's bundle holds more than
 * an attacker may see (other stages, defenses' state). */
static int write_broadcast(observing *o, gnt_err *err) {
    int64_t p = gnt_model_size(o->model.model), b = gnt_model_buffer_size(o->model.model);
    const gnt_st_tensor *sum = gnt_st_find(&o->sum, "sum");
    char weights[32], buffers[32], known[64];
    gnt_st st;
    gnt_st_init(&st);
    snprintf(known, sizeof known, "{\"n_contribution\": %" PRId64 "}", sum ? sum->dim[0] : 0);
    snprintf(weights, sizeof weights, "weights.%d", o->stage);
    snprintf(buffers, sizeof buffers, "buffers.%d", o->stage);
    if (gnt_st_add(&st, weights, GNT_ST_F32, 1, &p, o->weights, NULL, err) != 0 ||
        gnt_st_add(&st, buffers, GNT_ST_F32, 1, &b, o->buffers, NULL, err) != 0 ||
        gnt_st_set_metadata(&st, known, err) != 0) {
        gnt_st_free(&st);
        return -1;
    }
    return write_one(o, "broadcast", &st, err);
}

static int write_seen(observing *o, gnt_err *err) {
    int64_t p = gnt_model_size(o->model.model), b = gnt_model_buffer_size(o->model.model);
    int one_set = o->surface == GNT_SURFACE_ENCODING, of_all = o->surface == GNT_SURFACE_TRANSCRIPT;
    const gnt_st_tensor *sum = gnt_st_find(&o->sum, "sum");
    if (gnt_st_add(&o->seen, "weights", GNT_ST_F32, 1, &p, o->weights, NULL, err) != 0 ||
        gnt_st_add(&o->seen, "buffers", GNT_ST_F32, 1, &b, o->buffers, NULL, err) != 0)
        return -1;
    json_t *all =
        json_pack("{s:I, s:i, s:I, s:I, s:i, s:f, s:I, s:i}", "surface", (json_int_t)o->surface, "round",
                  (int)o->stage, "observations", (json_int_t)(one_set || of_all ? 1 : o->targets), "n",
                  (json_int_t)(of_all    ? 0
                               : one_set ? o->targets * o->batch
                                         : o->batch),
                  "steps", (int)o->config.steps, "rate", gnt_fl_rate(&o->config, o->stage), "n_contribution",
                  (json_int_t)(sum ? sum->dim[0] : 0), "clients", (int)o->config.clients);
    char *text = all ? json_dumps(all, JSON_COMPACT | JSON_REAL_PRECISION(17)) : NULL;
    int rc =
        text ? gnt_st_set_metadata(&o->seen, text, err) : gnt_fail(err, "out of memory for an observation");
    gnt_free(text);
    json_decref(all);
    return rc == 0 ? o->work->write(o->work->context, "seen", &o->seen, err) : -1;
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

static int open_all(observing *o, gnt_err *err) {
    gnt_work *w = o->work;
    int rc = gnt_work_model_open(&o->model, w, err);
    if (rc == 0)
        rc = gnt_work_samples(&o->samples, w, "samples", err);
    if (rc == 0)
        rc = gnt_work_samples(&o->public_data, w, "public", err);
    if (rc == 0)
        rc = w->read(w->context, "trained", &o->trained, err);
    if (rc == 0)
        rc = gnt_work_weights(&o->trained, o->model.model, o->stage, &o->weights, &o->buffers, err);
    if (rc == 0)
        rc = gnt_work_chain_open(&o->chain, w, &o->model, err);
    if (rc == 0)
        rc = gnt_carry_load(&o->chain, &o->trained, o->stage, o->config.clients, err);
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
    o->x = gnt_array(n * (size_t)s->features, sizeof *o->x);
    o->y = gnt_array(n * (size_t)s->classes, sizeof *o->y);
    o->a = gnt_array(n * (size_t)s->n_attributes, sizeof *o->a);
    o->id = gnt_array(n, sizeof *o->id);
    return o->x && o->y && o->a && o->id ? 0 : gnt_fail(err, "out of memory for a batch of %zu", n);
}

int gnt_job_observe(gnt_work *w, gnt_err *err) {
    observing o = {.work = w,
                   .stage = (int32_t)gnt_request_int(w, "stage"),
                   .targets = gnt_request_int(w, "observe.targets"),
                   .batch = gnt_request_int(w, "observe.batch"),
                   .surface = (uint32_t)gnt_request_int(w, "observe.surface"),
                   .shadow = (int)gnt_request_int(w, "shadow"),
                   .config = gnt_work_config(w)};
    o.config.steps = (int32_t)gnt_request_int(w, "observe.local_steps");
    o.config.batch = o.batch;
    gnt_st_init(&o.trained);
    gnt_st_init(&o.seen);
    int rc = open_all(&o, err);
    if (rc == 0)
        rc = observe(&o, err);
    if (rc == 0 && o.surface != GNT_SURFACE_TRANSCRIPT)
        rc = write_labels(&o, err);
    if (rc == 0 && o.surface != GNT_SURFACE_TRANSCRIPT)
        rc = write_stats(&o, err);
    if (rc == 0 && o.sum.n)
        rc = w->write(w->context, "sum", &o.sum, err);
    if (rc == 0)
        rc = write_broadcast(&o, err);
    if (rc == 0)
        rc = write_seen(&o, err);
    gnt_work_chain_free(&o.chain);
    gnt_sampleset_free(&o.samples);
    gnt_sampleset_free(&o.public_data);
    gnt_free(o.weights);
    gnt_free(o.buffers);
    gnt_free(o.x);
    gnt_free(o.y);
    gnt_free(o.a);
    gnt_free(o.id);
    gnt_st_free(&o.trained);
    gnt_st_free(&o.seen);
    gnt_st_free(&o.sum);
    gnt_work_model_free(&o.model);
    return rc;
}
