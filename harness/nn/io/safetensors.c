/* safetensors: the set of tensors in memory. */
#include "nn/io/safetensors.h"

#include <inttypes.h>
#include <jansson.h>
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "nn/io/safetensors_impl.h"

void gnt_st_init(gnt_st *st) {
    *st = (gnt_st){0};
}

void gnt_st_free(gnt_st *st) {
    for (size_t i = 0; i < st->n; i++) {
        gnt_free(st->tensor[i].name);
        gnt_free_aligned(st->tensor[i].data);
    }
    gnt_free(st->tensor);
    gnt_free(st->metadata);
    *st = (gnt_st){0};
}

size_t gnt_st_type_size(gnt_st_type type) {
    switch (type) {
    case GNT_ST_F32:
    case GNT_ST_I32:
        return 4;
    case GNT_ST_F64:
    case GNT_ST_I64:
        return 8;
    case GNT_ST_U8:
        return 1;
    }
    return 0;
}

const char *gnt_st_type_name(gnt_st_type type) {
    static const char *const names[] = {"F32", "F64", "I32", "I64", "U8"};
    return (unsigned)type < 5 ? names[type] : "unknown";
}

int gnt_st_check_name(const char *name, gnt_err *err) {
    size_t length = name ? strnlen(name, GNT_ST_NAME) : 0;
    if (length == 0)
        return gnt_fail(err, "a tensor has no name");
    if (length >= GNT_ST_NAME)
        return gnt_fail(err, "the tensor name %.60s… is longer than %d bytes", name, GNT_ST_NAME - 1);
    for (size_t i = 0; i < length; i++)
        if ((unsigned char)name[i] < 0x20 || name[i] == 0x7f)
            return gnt_fail(err, "the tensor name %s holds a control character", name);
    if (strcmp(name, GNT_ST_METADATA_KEY) == 0)
        return gnt_fail(err, "%s is no name for a tensor: the header keeps it for itself",
                        GNT_ST_METADATA_KEY);
    json_t *text = json_string(name);
    if (!text)
        return gnt_fail(err, "the tensor name %s is not UTF-8", name);
    json_decref(text);
    return 0;
}

gnt_st_tensor *gnt_st_find(const gnt_st *st, const char *name) {
    for (size_t i = 0; i < st->n; i++)
        if (strcmp(st->tensor[i].name, name) == 0)
            return &st->tensor[i];
    return NULL;
}

enum { SHAPE_TEXT = 200 };

/* Writes a shape as "12×3×5×5", or "scalar" at rank 0. */
static const char *shape_text(char text[SHAPE_TEXT], int32_t rank, const int64_t *dim) {
    size_t at = 0;
    snprintf(text, SHAPE_TEXT, "scalar");
    for (int32_t i = 0; i < rank && at < SHAPE_TEXT; i++)
        at += (size_t)snprintf(text + at, SHAPE_TEXT - at, "%s%" PRId64, i ? "×" : "", dim[i]);
    return text;
}

gnt_st_tensor *gnt_st_need(const gnt_st *st, const char *where, const char *name, gnt_st_type type,
                           int32_t rank, const int64_t *dim, gnt_err *err) {
    char has[SHAPE_TEXT], wants[SHAPE_TEXT];
    gnt_st_tensor *t = gnt_st_find(st, name);
    if (!t) {
        gnt_fail(err, "%s: there is no tensor %s among its %zu", where, name, st->n);
        return NULL;
    }
    if (t->type != type) {
        gnt_fail(err, "%s: tensor %s holds %s where %s is needed", where, name, gnt_st_type_name(t->type),
                 gnt_st_type_name(type));
        return NULL;
    }
    if (rank < 0)
        return t;
    if (t->rank != rank || (rank > 0 && memcmp(t->dim, dim, (size_t)rank * sizeof *dim) != 0)) {
        gnt_fail(err, "%s: tensor %s is %s where %s is needed", where, name, shape_text(has, t->rank, t->dim),
                 shape_text(wants, rank, dim));
        return NULL;
    }
    return t;
}

static int grow(gnt_st *st, gnt_err *err) {
    if (st->n >= GNT_ST_MOST_TENSORS)
        return gnt_fail(err, "more than %d tensors in one set", GNT_ST_MOST_TENSORS);
    if (GNT_GROW(st->tensor, st->n) != 0)
        return gnt_fail(err, "out of memory for the list of tensors");
    return 0;
}

/* Returns the bytes of a shape, or −1 with an error. */
static int64_t shape_bytes(const char *name, gnt_st_type type, int32_t rank, const int64_t *dim,
                           gnt_err *err) {
    int64_t bytes = (int64_t)gnt_st_type_size(type);
    int64_t most = INT64_MAX / 2;
    int empty = 0;
    if (bytes == 0)
        return gnt_fail(err, "tensor %s has no known type", name);
    if (rank < 0 || rank > GNT_ST_RANK)
        return gnt_fail(err, "tensor %s has %d dimensions; at most %d are possible", name, rank, GNT_ST_RANK);
    for (int32_t i = 0; i < rank; i++) {
        if (dim[i] < 0)
            return gnt_fail(err, "tensor %s: dimension %d is %" PRId64, name, i, dim[i]);
        empty |= dim[i] == 0;
    }
    for (int32_t i = 0; i < rank && !empty; i++) {
        if (dim[i] > most / bytes)
            return gnt_fail(err, "tensor %s: its dimensions multiply beyond what a file can hold", name);
        bytes *= dim[i];
    }
    return empty ? 0 : bytes;
}

int gnt_st_append(gnt_st *st, const char *name, gnt_st_type type, int32_t rank, const int64_t *dim,
                  gnt_st_tensor **out, gnt_err *err) {
    int64_t bytes = shape_bytes(name, type, rank, dim, err);
    if (bytes < 0 || grow(st, err))
        return -1;
    gnt_st_tensor t = {.type = type, .rank = rank, .bytes = (size_t)bytes};
    for (int32_t i = 0; i < rank; i++)
        t.dim[i] = dim[i];
    t.name = gnt_strdup(name);
    t.data = gnt_aligned(t.bytes, 1);
    if (!t.name || !t.data) {
        gnt_free(t.name);
        gnt_free_aligned(t.data);
        return gnt_fail(err, "out of memory for tensor %s (%zu bytes)", name, t.bytes);
    }
    st->tensor[st->n] = t;
    *out = &st->tensor[st->n++];
    return 0;
}

int gnt_st_add(gnt_st *st, const char *name, gnt_st_type type, int32_t rank, const int64_t *dim,
               const void *data, gnt_st_tensor **out, gnt_err *err) {
    gnt_st_tensor *t;
    if (gnt_st_check_name(name, err))
        return -1;
    if (gnt_st_find(st, name))
        return gnt_fail(err, "tensor %s is there twice", name);
    if (gnt_st_append(st, name, type, rank, dim, &t, err))
        return -1;
    if (data && t->bytes)
        memcpy(t->data, data, t->bytes);
    if (out)
        *out = t;
    return 0;
}
