/* Captures read and checked. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/digest.h"
#include "base/file.h"
#include "base/finite.h"
#include "base/json.h"
#include "base/mem.h"
#include "capture/capture.h"
#include "gauntlet/plugin.h"

enum { NAME_SIZE = GNT_ST_NAME + 16 };
#define MOST_FILE ((size_t)1 << 32)

/* ---- capture.json ---- */

/* Returns a copy of a value in canonical JSON; NULL where there is none, or when out of memory. */
static const char *canonical_of(gnt_arena *memory, const json_t *value) {
    char *text = value ? gnt_json_canonical(value) : NULL;
    const char *copy = gnt_arena_text(memory, text);
    memory->failed |= value && !text;
    gnt_free(text);
    return copy;
}

/* Gives values that were missing their defaults, and JSON within JSON its digits. */
static void complete(gnt_capture *c, const json_t *root) {
    gnt_capture_settings *s = &c->settings;
    gnt_capture_training *t = &s->training;
    t->momentum = isnan(t->momentum) ? 0 : t->momentum;
    t->decay = isnan(t->decay) ? 0 : t->decay;
    if (!s->data_kind)
        s->data_kind = s->model.sample.n == 3 ? GNT_KIND_IMAGE : GNT_KIND_TABULAR;
    s->model.architecture =
        canonical_of(&c->memory, json_object_get(json_object_get(root, "model"), "architecture"));
    gnt_capture_member *member =
        gnt_arena_copy(&c->memory, s->defense.at, s->defense.n, sizeof *s->defense.at);
    for (size_t i = 0; member && i < s->defense.n; i++) {
        const json_t *one = json_array_get(json_object_get(root, "defense"), i);
        member[i].params = member[i].params ? canonical_of(&c->memory, json_object_get(one, "params")) : NULL;
    }
    if (s->defense.at)
        s->defense.at = member;
}

/* Refuses another format or version before its keys are read. */
static int check_format(const gnt_doc *doc, gnt_err *err) {
    const char *format = json_string_value(json_object_get(doc->root, "format"));
    const json_t *version = json_object_get(doc->root, "version");
    if (!format || strcmp(format, GNT_CAPTURE_FORMAT) != 0)
        return gnt_fail(err, "%s: is not the capture.json of a capture: \"format\" is %s, expected \"%s\"",
                        doc->name, format ? gnt_show_text(format).text : "missing", GNT_CAPTURE_FORMAT);
    if (json_is_integer(version) && json_integer_value(version) > GNT_CAPTURE_VERSION)
        return gnt_fail(err,
                        "%s: has version %lld of the format; this program reads version %d: use a newer one",
                        doc->name, (long long)json_integer_value(version), GNT_CAPTURE_VERSION);
    return 0;
}

static int decode_settings(gnt_capture *c, const gnt_doc *doc, gnt_err *err) {
    gnt_path unknown;
    if (check_format(doc, err) != 0)
        return -1;
    if (gnt_fields_unknown(&gnt_capture_fields, doc->root, "", 0, &unknown))
        return gnt_doc_fail(err, doc, unknown.text, "is no key of a capture; docs/captures.md lists them");
    if (gnt_fields_decode(&gnt_capture_fields, &c->settings, doc->root, &c->memory, "", err) != 0)
        return gnt_fail_in(err, "%s", doc->name);
    complete(c, doc->root);
    return c->memory.failed ? gnt_fail(err, "out of memory for %s", doc->name) : 0;
}

static int open_model(gnt_capture *c, const char *where, gnt_err *err) {
    const gnt_capture_model *m = &c->settings.model;
    gnt_nn_shape sample = {.rank = (int32_t)m->sample.n};
    memcpy(sample.dim, m->sample.at, m->sample.n * sizeof *m->sample.at);
    if (gnt_model_parse(&c->model, m->name, m->architecture, &sample, (int32_t)m->classes, m->mean.at,
                        m->deviation.at, err) != 0)
        return gnt_fail_in(err, "%s: model.architecture", where);
    return 0;
}

/* ---- tensors ---- */

/* The tensors of one file: those that were taken are known, the rest is refused. */
typedef struct tensors {
    const char *where;
    gnt_st st;
    uint8_t *known;
    /* Size of the file in bytes. */
    size_t size;
    gnt_arena *memory;
} tensors;

static int open_tensors(tensors *t, const gnt_capture_file *f, gnt_arena *memory, gnt_err *err) {
    *t = (tensors){.where = f->name, .size = f->size, .memory = memory};
    gnt_st_init(&t->st);
    if (gnt_st_parse(&t->st, f->name, f->bytes, f->size, err) != 0)
        return -1;
    t->known = gnt_array(t->st.n + 1, 1);
    return t->known ? 0 : gnt_fail(err, "out of memory for %s", f->name);
}

static void close_tensors(tensors *t) {
    gnt_free(t->known);
    gnt_st_free(&t->st);
}

/* Returns the data of a tensor of this shape, in the memory of the capture; NULL with a sentence. */
static void *take(tensors *t, const char *name, gnt_st_type type, int32_t rank, const int64_t *dim,
                  gnt_err *err) {
    const gnt_st_tensor *found = gnt_st_need(&t->st, t->where, name, type, rank, dim, err);
    if (!found)
        return NULL;
    t->known[found - t->st.tensor] = 1;
    const int64_t n = (int64_t)(found->bytes / gnt_st_type_size(type));
    const int64_t wrong = type == GNT_ST_F32 ? gnt_first_not_finite(found->data, n) : n;
    if (wrong < n) {
        gnt_fail(err, "%s: tensor %s: entry %" PRId64 " is not finite", t->where, name, wrong);
        return NULL;
    }
    void *copy = gnt_arena_copy(t->memory, found->data, found->bytes, 1);
    if (!copy)
        gnt_fail(err, "out of memory for the tensor %s", name);
    return copy;
}

/* Takes a tensor, if it is there; *out is NULL if not. */
static int take_optional(tensors *t, const char *name, gnt_st_type type, int32_t rank, const int64_t *dim,
                         const void **out, gnt_err *err) {
    *out = NULL;
    if (!gnt_st_find(&t->st, name))
        return 0;
    *out = take(t, name, type, rank, dim, err);
    return *out ? 0 : -1;
}

/* True for a counter of batches, which PyTorch keeps with each batch norm and nothing reads. */
static int is_counter(const char *name) {
    static const char tail[] = ".num_batches_tracked";
    const size_t n = strlen(name), k = sizeof tail - 1;
    return n >= k && strcmp(name + n - k, tail) == 0;
}

static int refuse_others(const tensors *t, const char *expected, gnt_err *err) {
    for (size_t i = 0; i < t->st.n; i++)
        if (!t->known[i] && !is_counter(t->st.tensor[i].name))
            return gnt_fail(err, "%s: tensor %s: is none of a capture of this model; expected %s", t->where,
                            t->st.tensor[i].name, expected);
    return 0;
}

/* ---- observed.safetensors ---- */

static const char *name_of(char name[NAME_SIZE], const char *prefix, const gnt_param *p) {
    snprintf(name, NAME_SIZE, "%s.%s", prefix, p->name);
    return name;
}

/* Takes PREFIX.NAME of a parameter into `to`, at its place. */
static int take_param(tensors *t, const char *prefix, const gnt_param *p, float *to, gnt_err *err) {
    char name[NAME_SIZE];
    const float *from = take(t, name_of(name, prefix, p), GNT_ST_F32, p->shape.rank, p->shape.dim, err);
    const int64_t n = gnt_nn_count(&p->shape);
    if (!from)
        return -1;
    if (n)
        memcpy(to + p->offset, from, (size_t)n * sizeof *to);
    return 0;
}

/* True if there is a tensor whose name begins with the prefix and a dot. */
static int has_prefix(const tensors *t, const char *prefix) {
    const size_t n = strlen(prefix);
    for (size_t i = 0; i < t->st.n; i++)
        if (strncmp(t->st.tensor[i].name, prefix, n) == 0 && t->st.tensor[i].name[n] == '.')
            return 1;
    return 0;
}

/* True if a running statistic is among the tensors of that prefix. */
static int has_statistics(const tensors *t, const char *prefix, const gnt_model *m) {
    const gnt_param *list;
    const int32_t n = gnt_model_params(m, &list);
    char name[NAME_SIZE];
    for (int32_t i = 0; i < n; i++)
        if (list[i].buffer && gnt_st_find(&t->st, name_of(name, prefix, &list[i])))
            return 1;
    return 0;
}

/* Tensors that were sent, laid out as the whole of the model. */
typedef struct sent {
    float *params, *buffers;
    int has_buffers;
} sent;

static int take_before(tensors *t, const gnt_model *m, float *weights, float *buffers, gnt_err *err) {
    const gnt_param *list;
    const int32_t n = gnt_model_params(m, &list);
    for (int32_t i = 0; i < n; i++)
        if (take_param(t, "before", &list[i], list[i].buffer ? buffers : weights, err) != 0)
            return -1;
    return 0;
}

static int take_sent(tensors *t, const gnt_model *m, const char *prefix, sent *out, gnt_err *err) {
    const gnt_param *list;
    const uint8_t *shared = gnt_model_shared(m);
    const int32_t n = gnt_model_params(m, &list);
    out->has_buffers = has_statistics(t, prefix, m);
    for (int32_t i = 0; i < n; i++) {
        if (list[i].buffer ? !out->has_buffers : shared && !shared[i])
            continue;
        if (take_param(t, prefix, &list[i], list[i].buffer ? out->buffers : out->params, err) != 0)
            return -1;
    }
    return 0;
}

/* Returns "update" or "after", whichever there is; NULL with a sentence. */
static const char *which_is_sent(const tensors *t, const gnt_capture_training *how, gnt_err *err) {
    const int update = has_prefix(t, "update"), after = has_prefix(t, "after");
    if (update == after) {
        gnt_fail(err,
                 "%s: has %s update.… %s after.…; expected one of them: the update, or the weights after",
                 t->where, update ? "both" : "neither", update ? "and" : "nor");
        return NULL;
    }
    if (after && how->local_steps == 0) {
        gnt_fail(err,
                 "%s: has weights after (after.…), but training.local_steps is 0: one gradient leaves none; "
                 "expected "
                 "update.…, or local_steps of 1 or more",
                 t->where);
        return NULL;
    }
    return after ? "after" : "update";
}

static float *room(gnt_capture *c, int64_t n) {
    return gnt_arena_array(&c->memory, (size_t)n, sizeof(float));
}

static void subtract(float *from, const float *what, int64_t n) {
    for (int64_t i = 0; i < n; i++)
        from[i] -= what[i];
}

static int check_statistics(const gnt_capture *c, const char *where, gnt_err *err) {
    if (c->sent_buffers && c->settings.training.batch_norm == GNT_CAPTURE_EVALUATION)
        return gnt_fail(
            err,
            "%s: has running statistics among what was sent, but training.batch_norm is evaluation: such "
            "clients change none; expected training, or no such tensors",
            where);
    return 0;
}

static int read_observed(gnt_capture *c, tensors *t, gnt_err *err) {
    const gnt_model *m = c->model;
    const int64_t p = gnt_model_size(m), b = gnt_model_buffer_size(m);
    if ((size_t)p + (size_t)b > t->size / sizeof(float)) /* before there is room for them */
        return gnt_fail(err,
                        "%s: has %zu bytes, but the model's %" PRId64 " weights and %" PRId64
                        " running statistics alone take more; expected before.NAME of each of its tensors",
                        t->where, t->size, p, b);
    float *weights = room(c, p), *buffers = room(c, b), *update = room(c, gnt_model_shared_size(m));
    sent of = {room(c, p), room(c, b), 0};
    if (c->memory.failed)
        return gnt_fail(err, "out of memory for %" PRId64 " weights", p);
    if (take_before(t, m, weights, buffers, err) != 0)
        return -1;
    const char *prefix = which_is_sent(t, &c->settings.training, err);
    if (!prefix || take_sent(t, m, prefix, &of, err) != 0)
        return -1;
    if (strcmp(prefix, "after") == 0) {
        subtract(of.params, weights, p);
        subtract(of.buffers, buffers, b);
    }
    gnt_model_pick(m, 1, of.params, update);
    c->weights = weights;
    c->buffers = buffers;
    c->update = update;
    c->sent_buffers = of.has_buffers ? of.buffers : NULL;
    return check_statistics(c, t->where, err) == 0
               ? refuse_others(t, "before.NAME and update.NAME or after.NAME", err)
               : -1;
}

static int parse_observed(gnt_capture *c, const gnt_capture_file *f, gnt_err *err) {
    tensors t;
    int rc = open_tensors(&t, f, &c->memory, err);
    if (rc == 0)
        rc = read_observed(c, &t, err);
    close_tensors(&t);
    return rc;
}

/* ---- private.safetensors ---- */

/* Fails if the private batch says that it belongs to other observed tensors. */
static int check_digest(const tensors *t, const gnt_capture_file *observed, gnt_err *err) {
    char is[GNT_HEX_SIZE];
    const gnt_digest d = gnt_digest_bytes(observed->bytes, observed->size);
    gnt_digest_hex(&d, is);
    json_t *all = json_loads(t->st.metadata ? t->st.metadata : "", JSON_REJECT_DUPLICATES, NULL);
    const char *said = json_string_value(json_object_get(all, "observed"));
    const int same = said && strcmp(said, is) == 0;
    json_decref(all);
    return same ? 0
                : gnt_fail(err,
                           "%s: is the private batch of another capture: its metadata do not have the digest "
                           "of %s; "
                           "expected the file that was written with it",
                           t->where, observed->name);
}

static int check_values(const tensors *t, const char *name, const float *x, int64_t n, gnt_err *err) {
    for (int64_t i = 0; i < n; i++)
        if (x[i] < 0 || x[i] > 1)
            return gnt_fail(err, "%s: tensor %s: entry %" PRId64 " is %g; expected values from 0 to 1%s",
                            t->where, name, i, (double)x[i],
                            name[0] == 'x' ? ", from which the model's own mean and deviation are taken off"
                                           : "");
    return 0;
}

static int check_labels(const tensors *t, const float *y, int64_t rows, int64_t classes, gnt_err *err) {
    for (int64_t i = 0; i < rows; i++) {
        double sum = 0;
        for (int64_t k = 0; k < classes; k++)
            sum += (double)y[i * classes + k];
        if (fabs(sum - 1) > 1e-3)
            return gnt_fail(err, "%s: tensor y: the labels of sample %" PRId64 " add up to %g; expected 1",
                            t->where, i, sum);
    }
    return 0;
}

static int check_attribute_values(const gnt_capture *c, const tensors *t, int64_t rows, gnt_err *err) {
    const size_t n = c->settings.attributes.n;
    for (int64_t i = 0; c->batch.a && i < rows * (int64_t)n; i++) {
        const gnt_capture_attribute *of = &c->settings.attributes.at[(size_t)i % n];
        if (c->batch.a[i] < 0 || c->batch.a[i] >= of->values)
            return gnt_fail(err,
                            "%s: tensor a: sample %" PRId64 " has the value %" PRId32
                            " of %s; expected 0 to %" PRId64,
                            t->where, i / (int64_t)n, c->batch.a[i], of->name, of->values - 1);
    }
    return 0;
}

static int check_mask(const gnt_capture *c, const tensors *t, int64_t n, gnt_err *err) {
    for (int64_t i = 0; c->batch.mask && i < n; i++)
        if (c->batch.mask[i] > 1)
            return gnt_fail(err, "%s: tensor mask: entry %" PRId64 " is %d; expected 0 or 1", t->where, i,
                            c->batch.mask[i]);
    return 0;
}

static int check_rates(const gnt_capture *c, const tensors *t, gnt_err *err) {
    for (int64_t i = 0; c->batch.rates && i < c->settings.training.local_steps; i++)
        if (!(c->batch.rates[i] >= 0))
            return gnt_fail(err, "%s: tensor rates: that of step %" PRId64 " is %g; expected 0 or more",
                            t->where, i, (double)c->batch.rates[i]);
    return 0;
}

static int check_order(const gnt_capture *c, const tensors *t, int64_t rows, gnt_err *err) {
    const gnt_capture_training *how = &c->settings.training;
    for (int64_t i = 0; c->batch.order && i < how->local_steps * how->batch; i++)
        if (c->batch.order[i] < 0 || c->batch.order[i] >= rows)
            return gnt_fail(err,
                            "%s: tensor order: entry %" PRId64 " is %" PRId64
                            "; expected a sample from 0 to %" PRId64,
                            t->where, i, c->batch.order[i], rows - 1);
    return 0;
}

/* Checks the number of samples: a defense may have made others of them. */
static int check_rows(const gnt_capture *c, const tensors *t, int64_t rows, gnt_err *err) {
    const int64_t n = c->settings.training.samples;
    const int undefended = gnt_capture_is_undefended(&c->settings);
    if (rows < 1 || (undefended && rows != n))
        return gnt_fail(err,
                        "%s: has %" PRId64 " samples, but training.samples is %" PRId64
                        "%s; expected those that the "
                        "update was computed with",
                        t->where, rows, n, undefended ? " and there was no defense" : "");
    return 0;
}

/* Takes the tensors that describe local steps. */
static int take_steps(gnt_capture *c, tensors *t, gnt_err *err) {
    const gnt_capture_training *how = &c->settings.training;
    const int64_t rates = how->local_steps, order[2] = {how->local_steps, how->batch};
    const void *r, *o;
    if (how->local_steps == 0)
        return 0;
    if (take_optional(t, "rates", GNT_ST_F32, 1, &rates, &r, err) != 0 ||
        take_optional(t, "order", GNT_ST_I64, 2, order, &o, err) != 0)
        return -1;
    c->batch.rates = r;
    c->batch.order = o;
    return 0;
}

static int take_optional_samples(gnt_capture *c, tensors *t, int64_t rows, gnt_err *err) {
    const gnt_ints *sample = &c->settings.model.sample;
    const int64_t a_dim[2] = {rows, (int64_t)c->settings.attributes.n};
    const int64_t mask[3] = {rows, sample->n == 3 ? sample->at[1] : 0, sample->n == 3 ? sample->at[2] : 0};
    const int64_t labels[2] = {c->settings.training.samples, c->settings.model.classes};
    const void *a, *m = NULL, *y;
    if (take_optional(t, "labels", GNT_ST_F32, 2, labels, &y, err) != 0 ||
        take_optional(t, "a", GNT_ST_I32, 2, a_dim, &a, err) != 0 ||
        (sample->n == 3 && take_optional(t, "mask", GNT_ST_U8, 3, mask, &m, err) != 0))
        return -1;
    c->batch.labels = y;
    c->batch.a = a;
    c->batch.mask = m;
    return check_attribute_values(c, t, rows, err) || check_mask(c, t, mask[0] * mask[1] * mask[2], err) ? -1
                                                                                                         : 0;
}

static int read_private(gnt_capture *c, tensors *t, gnt_err *err) {
    const gnt_nn_shape sample = gnt_model_sample(c->model);
    const int64_t classes = c->settings.model.classes, features = gnt_nn_count(&sample);
    const gnt_st_tensor *x = gnt_st_need(&t->st, t->where, "x", GNT_ST_F32, -1, NULL, err);
    int64_t x_dim[1 + GNT_NN_RANK] = {x ? x->dim[0] : 0}, y_dim[2] = {x_dim[0], classes};
    const int64_t rows = x_dim[0];
    memcpy(x_dim + 1, sample.dim, (size_t)sample.rank * sizeof *x_dim);
    if (!x || !(c->batch.x = take(t, "x", GNT_ST_F32, sample.rank + 1, x_dim, err)) ||
        !(c->batch.y = take(t, "y", GNT_ST_F32, 2, y_dim, err)) || check_rows(c, t, rows, err) != 0 ||
        check_values(t, "x", c->batch.x, rows * features, err) != 0 ||
        check_values(t, "y", c->batch.y, rows * classes, err) != 0 ||
        (!gnt_model_is_map(c->model) && check_labels(t, c->batch.y, rows, classes, err) != 0) ||
        take_optional_samples(c, t, rows, err) != 0 || take_steps(c, t, err) != 0 ||
        check_rates(c, t, err) != 0 || check_order(c, t, rows, err) != 0)
        return -1;
    c->batch.rows = rows;
    return refuse_others(t, "x, y, labels, a, mask (of images), rates and order (of local steps)", err);
}

static int parse_private(gnt_capture *c, const gnt_capture_files *files, gnt_err *err) {
    tensors t;
    int rc = open_tensors(&t, &files->private_batch, &c->memory, err);
    if (rc == 0)
        rc = check_digest(&t, &files->observed, err);
    if (rc == 0)
        rc = read_private(c, &t, err);
    close_tensors(&t);
    return rc;
}

/* ---- the whole ---- */

void gnt_capture_free(gnt_capture *c) {
    gnt_model_free(c->model);
    gnt_arena_free(&c->memory);
    *c = (gnt_capture){0};
}

int gnt_capture_parse_settings(gnt_capture *out, const gnt_capture_file *f, gnt_err *err) {
    gnt_doc doc;
    *out = (gnt_capture){0};
    if (gnt_doc_parse(&doc, f->name, (const char *)f->bytes, f->size, err) != 0)
        return -1;
    int rc = decode_settings(out, &doc, err);
    if (rc == 0)
        rc = gnt_capture_check_settings(&out->settings, f->name, err);
    if (rc == 0)
        rc = open_model(out, f->name, err);
    gnt_doc_free(&doc);
    if (rc != 0)
        gnt_capture_free(out);
    return rc;
}

int gnt_capture_parse(gnt_capture *out, const gnt_capture_files *files, gnt_err *err) {
    int rc = gnt_capture_parse_settings(out, &files->settings, err);
    if (rc == 0)
        rc = parse_observed(out, &files->observed, err);
    if (rc == 0 && files->private_batch.bytes)
        rc = parse_private(out, files, err);
    if (rc != 0)
        gnt_capture_free(out);
    return rc;
}

static int load(gnt_capture_file *f, const char *folder, const char *name, int optional, gnt_err *err) {
    char *path = gnt_format("%s/%s", folder, name);
    uint8_t *bytes = NULL;
    f->name = path;
    if (!path)
        return gnt_fail(err, "out of memory for %s", name);
    if (optional && !gnt_file_exists(path))
        return 0;
    if (gnt_file_read(path, MOST_FILE, &bytes, &f->size, err) != 0)
        return -1;
    f->bytes = bytes;
    return 0;
}

static void unload(gnt_capture_file *f) {
    gnt_free((char *)(uintptr_t)f->name);
    gnt_free((uint8_t *)(uintptr_t)f->bytes);
}

int gnt_capture_read(gnt_capture *out, const char *folder, gnt_err *err) {
    gnt_capture_files files = {0};
    *out = (gnt_capture){0};
    int rc = load(&files.settings, folder, "capture.json", 0, err) ||
                     load(&files.observed, folder, "observed.safetensors", 0, err) ||
                     load(&files.private_batch, folder, "private.safetensors", 1, err)
                 ? -1
                 : gnt_capture_parse(out, &files, err);
    unload(&files.settings);
    unload(&files.observed);
    unload(&files.private_batch);
    return rc;
}
