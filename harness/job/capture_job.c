/* The job `capture`: captures in the place of observations that a training made. It opens the captures of one
 * task, refuses what was changed since the run began or contradicts itself, and writes what the job `observe`
 * writes of updates (job/observe/observe.c), each output to be granted by itself:
 *
 *   seen, broadcast, labels, rates, stats, outside
 *   trained    as broadcast: the weights that shadow updates start from
 *   targets    the private samples, to be scored; left out where they are withheld */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "capture/capture_check.h"
#include "job/job.h"
#include "nn/model/train.h"

typedef struct capturing {
    gnt_work *work;
    const gnt_request_capture *request;
    int64_t n;
    /* The first capture, which the others are like. */
    gnt_capture first;
    /* Outputs, and where the rows of each lie. An empty one is not written. */
    gnt_st seen, labels, rates, stats, outside, targets;
    float *update, *sent, *label, *rate, *stat, *around, *x;
    int64_t *sends;
    int32_t *class, *attribute;
    uint8_t *mask, *map, *around_mask;
    gnt_err contradiction;
} capturing;

/* ---- room for all ---- */

static int add(gnt_st *st, const char *name, gnt_st_type type, int32_t rank, const int64_t *dim, void *out,
               gnt_err *err) {
    gnt_st_tensor *t;
    if (gnt_st_add(st, name, type, rank, dim, NULL, &t, err) != 0)
        return -1;
    memcpy(out, &t->data, sizeof t->data);
    return 0;
}

static int add_floats(gnt_st *st, const char *name, int64_t rows, int64_t columns, float **out,
                      gnt_err *err) {
    const int64_t dim[2] = {rows, columns};
    return add(st, name, GNT_ST_F32, 2, dim, out, err);
}

static int has_steps(const capturing *k) {
    return k->first.settings.training.local_steps > 0;
}

/* True if the private samples are those that the update was computed with. */
static int is_whole(const capturing *k) {
    return k->first.batch.rows == k->first.settings.training.samples;
}

static int64_t features_of(const capturing *k) {
    const gnt_nn_shape sample = gnt_model_sample(k->first.model);
    return gnt_nn_count(&sample);
}

/* Returns the pixels of a mask; 0: samples are no images. */
static int64_t pixels_of(const capturing *k) {
    const gnt_nn_shape sample = gnt_model_sample(k->first.model);
    return sample.rank == 3 ? sample.dim[1] * sample.dim[2] : 0;
}

static int make_seen(capturing *k, gnt_err *err) {
    const gnt_capture *c = &k->first;
    const int64_t p = gnt_model_size(c->model), b = gnt_model_buffer_size(c->model);
    if (add_floats(&k->seen, "update", k->n, gnt_model_shared_size(c->model), &k->update, err) != 0 ||
        gnt_st_add(&k->seen, "weights", GNT_ST_F32, 1, &p, c->weights, NULL, err) != 0 ||
        gnt_st_add(&k->seen, "buffers", GNT_ST_F32, 1, &b, c->buffers, NULL, err) != 0)
        return -1;
    if (b == 0 || c->settings.training.batch_norm == GNT_CAPTURE_EVALUATION)
        return 0;
    return add_floats(&k->seen, "sent_buffers", k->n, b, &k->sent, err) ||
                   add(&k->seen, "sends_buffers", GNT_ST_I64, 1, &k->n, &k->sends, err)
               ? -1
               : 0;
}

static int make_targets(capturing *k, gnt_err *err) {
    const gnt_capture *c = &k->first;
    const int64_t rows = k->n * c->batch.rows, pixels = pixels_of(k),
                  a[2] = {rows, (int64_t)c->settings.attributes.n}, mask[2] = {rows, pixels};
    const int is_map = gnt_model_is_map(c->model) && c->settings.model.classes == pixels;
    if (add_floats(&k->targets, "x", rows, features_of(k), &k->x, err) ||
        add(&k->targets, "label", GNT_ST_I32, 1, &rows, &k->class, err) ||
        add(&k->targets, "a", GNT_ST_I32, 2, a, &k->attribute, err))
        return -1;
    if (c->batch.mask && add(&k->targets, "mask", GNT_ST_U8, 2, mask, &k->mask, err) != 0)
        return -1;
    return c->batch.mask && is_map ? add(&k->targets, "map", GNT_ST_U8, 2, mask, &k->map, err) : 0;
}

/* Makes room for what an attacker may be granted of private batches. */
static int make_granted(capturing *k, gnt_err *err) {
    const gnt_capture *c = &k->first;
    const gnt_capture_training *t = &c->settings.training;
    const int64_t n = k->n * t->samples, b = gnt_model_buffer_size(c->model), pixels = pixels_of(k),
                  mask[2] = {n, pixels};
    int rc = 0;
    if (c->batch.labels || is_whole(k))
        rc = add_floats(&k->labels, "labels", n, c->settings.model.classes, &k->label, err);
    if (rc == 0 && has_steps(k))
        rc = add_floats(&k->rates, "rates", k->n, t->local_steps, &k->rate, err);
    if (rc == 0 && is_whole(k) && b)
        rc = add_floats(&k->stats, "stats", k->n, b, &k->stat, err);
    if (rc == 0 && is_whole(k) && c->batch.mask)
        rc = add_floats(&k->outside, "outside", n, features_of(k), &k->around, err) ||
                     add(&k->outside, "mask", GNT_ST_U8, 2, mask, &k->around_mask, err)
                 ? -1
                 : 0;
    return rc;
}

static int make_room(capturing *k, gnt_err *err) {
    return make_seen(k, err) || (k->first.batch.rows && (make_targets(k, err) || make_granted(k, err))) ? -1
                                                                                                        : 0;
}

/* ---- one capture ---- */

static void take_update(capturing *k, const gnt_capture *c, int64_t j) {
    const int64_t p = gnt_model_shared_size(c->model), b = gnt_model_buffer_size(c->model);
    memcpy(k->update + j * p, c->update, (size_t)p * sizeof *k->update);
    if (!k->sent)
        return;
    k->sends[j] = c->sent_buffers != NULL;
    if (c->sent_buffers)
        memcpy(k->sent + j * b, c->sent_buffers, (size_t)b * sizeof *k->sent);
}

/* Returns the class with the largest share (ties: the first). */
static int32_t class_of(const float *y, int64_t classes) {
    int32_t best = 0;
    for (int32_t i = 1; i < classes; i++)
        best = y[i] > y[best] ? i : best;
    return best;
}

static void take_targets(capturing *k, const gnt_capture *c, int64_t j) {
    const gnt_capture_private *b = &c->batch;
    const int64_t f = features_of(k), classes = c->settings.model.classes, m = pixels_of(k),
                  attributes = (int64_t)c->settings.attributes.n, first = j * b->rows;
    memcpy(k->x + first * f, b->x, (size_t)(b->rows * f) * sizeof *k->x);
    for (int64_t i = 0; i < b->rows && !gnt_model_is_map(c->model); i++)
        k->class[first + i] = class_of(b->y + i * classes, classes);
    if (b->a)
        memcpy(k->attribute + first * attributes, b->a, (size_t)(b->rows * attributes) * sizeof *b->a);
    if (k->mask)
        memcpy(k->mask + first * m, b->mask, (size_t)(b->rows * m));
    for (int64_t i = 0; k->map && i < b->rows * m; i++)
        k->map[first * m + i] = b->y[i] >= 0.5f;
}

/* Computes the statistics of the batch, as batch norms have them at the weights before. */
static int take_stats(capturing *k, const gnt_capture *c, int64_t j, gnt_err *err) {
    const int64_t b = gnt_model_buffer_size(c->model);
    float *grad = gnt_array((size_t)gnt_model_size(c->model), sizeof *grad);
    gnt_trainer *t = NULL;
    int rc = grad ? gnt_trainer_new(&t, c->model, c->batch.rows, 1, err)
                  : gnt_fail(err, "out of memory for statistics");
    if (rc == 0)
        rc = gnt_trainer_gradient(t, c->weights, c->buffers, c->batch.x, c->batch.y, grad, NULL,
                                  k->stat + j * b, err);
    gnt_trainer_free(t);
    gnt_free(grad);
    return rc;
}

static int take_granted(capturing *k, const gnt_capture *c, int64_t j, gnt_err *err) {
    const gnt_capture_private *b = &c->batch;
    const gnt_capture_training *t = &c->settings.training;
    const int64_t f = features_of(k), labels = t->samples * c->settings.model.classes, m = pixels_of(k);
    if (k->label)
        memcpy(k->label + j * labels, b->labels ? b->labels : b->y, (size_t)labels * sizeof *k->label);
    for (int64_t i = 0; k->rate && i < t->local_steps; i++)
        k->rate[j * t->local_steps + i] = b->rates ? b->rates[i] : (float)t->rate;
    for (int64_t i = 0; k->around && i < b->rows * f; i++)
        k->around[j * b->rows * f + i] = b->mask[i / f * m + i % f % m] ? 0 : b->x[i];
    if (k->around)
        memcpy(k->around_mask + j * b->rows * m, b->mask, (size_t)(b->rows * m));
    return k->stat ? take_stats(k, c, j, err) : 0;
}

static void note_contradiction(void *user, const char *line) {
    gnt_err *to = user;
    if (!to->text[0] && strncmp(line, "contradiction: ", strlen("contradiction: ")) == 0)
        gnt_fail(to, "%s", line);
}

/* Opens capture j, which must be the one that the run began with and must not contradict itself. */
static int open_capture(capturing *k, int64_t j, gnt_capture *c, gnt_err *err) {
    const gnt_request_captured *of = &k->request->folders.at[j];
    gnt_digest is;
    char hex[GNT_HEX_SIZE];
    if (gnt_capture_digest(of->folder, &is, err) != 0)
        return -1;
    gnt_digest_hex(&is, hex);
    if (strcmp(hex, of->digest) != 0)
        return gnt_fail(err, "%s was changed since the run began; run again", of->folder);
    if (gnt_capture_read(c, of->folder, err) != 0)
        return -1;
    const int wrong = gnt_capture_check(c, note_contradiction, &k->contradiction, err);
    if (wrong > 0)
        gnt_fail(err, "%s: %s", of->folder, k->contradiction.text);
    if (wrong != 0)
        gnt_capture_free(c);
    return wrong != 0 ? -1 : 0;
}

/* True if a capture has what the first one has, as the suite's reader has checked. */
static int is_alike(const capturing *k, const gnt_capture *c) {
    gnt_digest of, first;
    return gnt_capture_group(c, &of, NULL) == 0 && gnt_capture_group(&k->first, &first, NULL) == 0 &&
           memcmp(&of, &first, sizeof of) == 0;
}

static int take_one(capturing *k, int64_t j, gnt_err *err) {
    gnt_capture c = {0};
    int rc = j == 0 ? 0 : open_capture(k, j, &c, err);
    const gnt_capture *of = j == 0 ? &k->first : &c;
    if (rc == 0 && j > 0 && !is_alike(k, &c))
        rc = gnt_fail(err, "%s has other settings or weights than the first capture",
                      k->request->folders.at[j].folder);
    if (rc == 0)
        take_update(k, of, j);
    if (rc == 0 && of->batch.rows) {
        take_targets(k, of, j);
        rc = take_granted(k, of, j, err);
    }
    gnt_capture_free(&c);
    return rc;
}

/* ---- outputs ---- */

/* Sets a bundle's metadata to what all observations have in common. */
static int set_setting(const capturing *k, gnt_st *st, gnt_err *err) {
    const gnt_capture_training *t = &k->first.settings.training;
    const int64_t clients = k->first.settings.federation.clients, rows = k->first.batch.rows;
    json_t *all = json_pack("{s:I, s:I, s:I, s:I, s:I, s:f, s:i, s:I, s:I}", "surface",
                            (json_int_t)GNT_SURFACE_UPDATE, "round", (json_int_t)k->request->stage,
                            "observations", (json_int_t)k->n, "n", (json_int_t)t->samples, "steps",
                            (json_int_t)t->local_steps, "rate", isnan(t->rate) ? 0.0 : t->rate,
                            "n_contribution", 0, "clients", (json_int_t)(clients > 0 ? clients : 0), "batch",
                            (json_int_t)(t->local_steps ? t->batch : t->samples));
    json_t *sample = json_array();
    int whole = all != NULL;
    for (size_t i = 0; i < k->first.settings.model.sample.n; i++)
        json_array_append_new(sample, json_integer(k->first.settings.model.sample.at[i]));
    whole &= json_object_set_new(all, "sample", sample) == 0;
    if (whole && rows)
        whole = json_object_set_new(all, "members", json_integer(rows)) == 0;
    if (whole && t->local_steps)
        whole = json_object_set_new(all, "momentum", json_real(t->momentum)) == 0;
    if (whole && t->local_steps && t->decay > 0)
        whole = json_object_set_new(all, "decay", json_real(t->decay)) == 0;
    if (!whole) {
        json_decref(all);
        all = NULL;
    }
    return gnt_st_set_json(st, all, JSON_COMPACT | JSON_REAL_PRECISION(17), "an observation", err);
}

/* Writes the weights before under the names of the round's, as `broadcast` and `trained`. */
static int write_broadcast(const capturing *k, gnt_err *err) {
    static const char *const outputs[] = {"broadcast", "trained"};
    const int64_t p = gnt_model_size(k->first.model), b = gnt_model_buffer_size(k->first.model);
    char weights[32], buffers[32];
    gnt_st st;
    gnt_st_init(&st);
    snprintf(weights, sizeof weights, "weights.%" PRId64, k->request->stage);
    snprintf(buffers, sizeof buffers, "buffers.%" PRId64, k->request->stage);
    int rc = gnt_st_add(&st, weights, GNT_ST_F32, 1, &p, k->first.weights, NULL, err) ||
                     gnt_st_add(&st, buffers, GNT_ST_F32, 1, &b, k->first.buffers, NULL, err) ||
                     set_setting(k, &st, err)
                 ? -1
                 : 0;
    for (size_t i = 0; rc == 0 && i < sizeof outputs / sizeof *outputs; i++)
        rc = k->work->write(k->work->context, outputs[i], &st, err);
    gnt_st_free(&st);
    return rc;
}

/* Sets the metadata of the private samples: their kind, shape and attributes (job/work/sampleset.h). */
static int describe_targets(capturing *k, gnt_err *err) {
    const gnt_capture_settings *s = &k->first.settings;
    json_t *dim = json_array(), *attributes = json_array();
    for (size_t i = 0; i < s->model.sample.n; i++)
        json_array_append_new(dim, json_integer(s->model.sample.at[i]));
    for (size_t i = 0; i < s->attributes.n; i++)
        json_array_append_new(attributes, json_pack("{s:s, s:I}", "name", s->attributes.at[i].name, "values",
                                                    (json_int_t)s->attributes.at[i].values));
    json_t *all = json_pack("{s:i, s:o, s:I, s:o}", "kind", __builtin_ctz(s->data_kind), "dim", dim,
                            "classes", (json_int_t)s->model.classes, "attributes", attributes);
    return gnt_st_set_json(&k->targets, all, JSON_COMPACT, "private samples", err);
}

static int write_all(capturing *k, gnt_err *err) {
    const struct {
        const char *name;
        const gnt_st *st;
    } outputs[] = {{"seen", &k->seen},   {"labels", &k->labels},   {"rates", &k->rates},
                   {"stats", &k->stats}, {"outside", &k->outside}, {"targets", &k->targets}};
    if (set_setting(k, &k->seen, err) != 0 || (k->targets.n && describe_targets(k, err) != 0))
        return -1;
    for (size_t i = 0; i < sizeof outputs / sizeof *outputs; i++)
        if (outputs[i].st->n && k->work->write(k->work->context, outputs[i].name, outputs[i].st, err) != 0)
            return -1;
    return write_broadcast(k, err);
}

int gnt_job_capture(gnt_work *w, gnt_err *err) {
    capturing k = {.work = w, .request = &w->request->capture};
    gnt_st *const bundles[] = {&k.seen, &k.labels, &k.rates, &k.stats, &k.outside, &k.targets};
    for (size_t i = 0; i < sizeof bundles / sizeof *bundles; i++)
        gnt_st_init(bundles[i]);
    k.n = (int64_t)k.request->folders.n;
    int rc = k.n ? open_capture(&k, 0, &k.first, err) : gnt_fail(err, "there are no captures");
    if (rc == 0)
        rc = make_room(&k, err);
    for (int64_t j = 0; rc == 0 && j < k.n; j++) {
        rc = take_one(&k, j, err);
        w->progress(w->context, (double)j + 1, (double)k.n);
    }
    if (rc == 0)
        rc = write_all(&k, err);
    for (size_t i = 0; i < sizeof bundles / sizeof *bundles; i++)
        gnt_st_free(bundles[i]);
    gnt_capture_free(&k.first);
    return rc;
}
