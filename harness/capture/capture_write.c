/* Captures written as files. */
#include <stdio.h>
#include <string.h>

#include "base/digest.h"
#include "base/file.h"
#include "base/json.h"
#include "base/mem.h"
#include "capture/capture.h"

enum { NAME_SIZE = GNT_ST_NAME + 16 };

static int add_param(gnt_st *st, const char *prefix, const gnt_param *p, const float *from, gnt_err *err) {
    char name[NAME_SIZE];
    snprintf(name, sizeof name, "%s.%s", prefix, p->name);
    return gnt_st_add(st, name, GNT_ST_F32, p->shape.rank, p->shape.dim, from, NULL, err);
}

static int add_before(gnt_st *st, const gnt_capture *c, gnt_err *err) {
    const gnt_param *list;
    const int32_t n = gnt_model_params(c->model, &list);
    for (int32_t i = 0; i < n; i++)
        if (add_param(st, "before", &list[i], (list[i].buffer ? c->buffers : c->weights) + list[i].offset,
                      err) != 0)
            return -1;
    return 0;
}

static int add_update(gnt_st *st, const gnt_capture *c, gnt_err *err) {
    const gnt_param *list;
    const uint8_t *shared = gnt_model_shared(c->model);
    const int32_t n = gnt_model_params(c->model, &list);
    const float *at = c->update;
    for (int32_t i = 0; i < n; i++) {
        const gnt_param *p = &list[i];
        if (p->buffer ? !c->sent_buffers : shared && !shared[i])
            continue;
        if (add_param(st, "update", p, p->buffer ? c->sent_buffers + p->offset : at, err) != 0)
            return -1;
        at += p->buffer ? 0 : gnt_nn_count(&p->shape);
    }
    return 0;
}

static int add_private(gnt_st *st, const gnt_capture *c, gnt_err *err) {
    const gnt_capture_private *b = &c->batch;
    const gnt_capture_training *t = &c->settings.training;
    const gnt_nn_shape sample = gnt_model_sample(c->model);
    int64_t x[1 + GNT_NN_RANK] = {b->rows};
    memcpy(x + 1, sample.dim, (size_t)sample.rank * sizeof *x);
    const int64_t y[2] = {b->rows, c->settings.model.classes},
                  a[2] = {b->rows, (int64_t)c->settings.attributes.n},
                  mask[3] = {b->rows, sample.dim[1], sample.dim[2]}, labels[2] = {t->samples, y[1]},
                  order[2] = {t->local_steps, t->batch};
    if (gnt_st_add(st, "x", GNT_ST_F32, sample.rank + 1, x, b->x, NULL, err) != 0 ||
        gnt_st_add(st, "y", GNT_ST_F32, 2, y, b->y, NULL, err) != 0 ||
        (b->labels && gnt_st_add(st, "labels", GNT_ST_F32, 2, labels, b->labels, NULL, err) != 0) ||
        (b->a && gnt_st_add(st, "a", GNT_ST_I32, 2, a, b->a, NULL, err) != 0) ||
        (b->mask && gnt_st_add(st, "mask", GNT_ST_U8, 3, mask, b->mask, NULL, err) != 0) ||
        (b->rates && gnt_st_add(st, "rates", GNT_ST_F32, 1, &t->local_steps, b->rates, NULL, err) != 0) ||
        (b->order && gnt_st_add(st, "order", GNT_ST_I64, 2, order, b->order, NULL, err) != 0))
        return -1;
    return 0;
}

static int write_file(const char *folder, const char *name, const void *bytes, size_t size, gnt_err *err) {
    char *path = gnt_format("%s/%s", folder, name);
    const int rc =
        path ? gnt_file_write(path, bytes, size, err) : gnt_fail(err, "out of memory for %s", name);
    gnt_free(path);
    return rc;
}

/* Writes a set of tensors; *digest: of the file's bytes. */
static int write_tensors(const char *folder, const char *name, const gnt_st *st, gnt_digest *digest,
                         gnt_err *err) {
    uint8_t *bytes = NULL;
    size_t size = 0;
    int rc = gnt_st_write(st, &bytes, &size, err);
    if (rc == 0)
        rc = write_file(folder, name, bytes, size, err);
    if (rc == 0)
        *digest = gnt_digest_bytes(bytes, size);
    gnt_free(bytes);
    return rc;
}

static int write_observed(const gnt_capture *c, const char *folder, gnt_digest *digest, gnt_err *err) {
    gnt_st st;
    gnt_st_init(&st);
    int rc = add_before(&st, c, err) || add_update(&st, c, err)
                 ? -1
                 : write_tensors(folder, "observed.safetensors", &st, digest, err);
    gnt_st_free(&st);
    return rc;
}

static int write_private(const gnt_capture *c, const char *folder, const gnt_digest *observed, gnt_err *err) {
    gnt_st st;
    gnt_digest unused;
    char hex[GNT_HEX_SIZE];
    gnt_st_init(&st);
    gnt_digest_hex(observed, hex);
    int rc = add_private(&st, c, err) || gnt_st_set_json(&st, json_pack("{s:s}", "observed", hex),
                                                         JSON_COMPACT, "a private batch", err)
                 ? -1
                 : write_tensors(folder, "private.safetensors", &st, &unused, err);
    gnt_st_free(&st);
    return rc;
}

static int write_settings(const gnt_capture *c, const char *folder, gnt_err *err) {
    json_t *all = gnt_fields_encode(&gnt_capture_fields, &c->settings, GNT_FIELDS_ALL);
    char *text = all ? gnt_json_readable(all) : NULL;
    json_decref(all);
    const int rc = text ? write_file(folder, "capture.json", text, strlen(text), err)
                        : gnt_fail(err, "out of memory for capture.json");
    gnt_free(text);
    return rc;
}

/* Fails if the folder has a file of a capture: one that was written with a private batch must not pass for
 * another's. */
static int check_empty(const char *folder, gnt_err *err) {
    static const char *const names[] = {"capture.json", "observed.safetensors", "private.safetensors"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        char *path = gnt_format("%s/%s", folder, names[i]);
        const int there = path && gnt_file_exists(path);
        const int rc = !path   ? gnt_fail(err, "out of memory")
                       : there ? gnt_fail(err, "%s is there already; name a folder without a capture", path)
                               : 0;
        gnt_free(path);
        if (rc != 0)
            return -1;
    }
    return 0;
}

int gnt_capture_write(const gnt_capture *c, const char *folder, int with_private, gnt_err *err) {
    gnt_digest observed;
    if (gnt_capture_check_settings(&c->settings, folder, err) != 0 || gnt_make_dirs(folder, err) != 0 ||
        check_empty(folder, err) != 0 || write_observed(c, folder, &observed, err) != 0 ||
        (with_private && c->batch.rows && write_private(c, folder, &observed, err) != 0))
        return -1;
    return write_settings(c, folder, err); /* last: without it nothing is a capture */
}
