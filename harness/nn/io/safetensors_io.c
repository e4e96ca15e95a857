/* safetensors_io: reads and writes the bytes of a set. */
#include <inttypes.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "nn/io/safetensors_impl.h"

#if __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
#error "tensor data are copied as they lie in the file, which is little-endian"
#endif

/* Enough for GNT_ST_MOST_TENSORS tensors; a false size must not cost memory. */
static const uint64_t most_header = 32u << 20;
static const char own_key[] = "gauntlet";

/* A type of the file and the type it is stored as. */
typedef struct file_type {
    const char *name;
    size_t size; /* of one entry in the file */
    gnt_st_type type;
} file_type;

static const file_type file_types[] = {
    {"F32", 4, GNT_ST_F32}, {"F64", 8, GNT_ST_F64}, {"I32", 4, GNT_ST_I32},  {"I64", 8, GNT_ST_I64},
    {"U8", 1, GNT_ST_U8},   {"F16", 2, GNT_ST_F32}, {"BF16", 2, GNT_ST_F32},
};

/* One tensor of the header. */
typedef struct entry {
    const char *name; /* owned by the JSON object */
    const file_type *type;
    int32_t rank;
    int64_t dim[GNT_ST_RANK];
    uint64_t from, to; /* bytes after the header */
} entry;

static int check_metadata(const char *json, gnt_err *err) {
    json_error_t why;
    json_t *object = json_loads(json, JSON_REJECT_DUPLICATES, &why);
    int is_object = json_is_object(object);
    json_decref(object);
    if (!object)
        return gnt_fail(err, "the metadata are not JSON: %s (line %d)", why.text, why.line);
    return is_object ? 0 : gnt_fail(err, "the metadata are JSON but no object");
}

int gnt_st_set_metadata(gnt_st *st, const char *json, gnt_err *err) {
    if (check_metadata(json, err))
        return -1;
    char *copy = gnt_strdup(json);
    if (!copy)
        return gnt_fail(err, "out of memory for metadata");
    gnt_free(st->metadata);
    st->metadata = copy;
    return 0;
}

int gnt_st_set_json(gnt_st *st, json_t *all, size_t flags, const char *what, gnt_err *err) {
    char *text = all ? json_dumps(all, flags) : NULL;
    const int rc = text ? gnt_st_set_metadata(st, text, err) : gnt_fail(err, "out of memory for %s", what);
    gnt_free(text);
    json_decref(all);
    return rc;
}

/* ---- reading ---- */

static float widen_half(uint16_t h) {
    uint32_t sign = (uint32_t)(h & 0x8000) << 16, exponent = h >> 10 & 31, fraction = h & 0x3ff, bits;
    if (exponent == 31)
        bits = sign | 0x7f800000 | fraction << 13;
    else if (exponent)
        bits = sign | (exponent + 112) << 23 | fraction << 13;
    else { /* zero or subnormal: fraction · 2⁻²⁴ */
        float value = (float)fraction * 0x1p-24f;
        return sign ? -value : value;
    }
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static float widen_bfloat(uint16_t h) {
    uint32_t bits = (uint32_t)h << 16;
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static int read_type(entry *e, const json_t *dtype, gnt_err *err) {
    const char *name = json_string_value(dtype);
    if (!name)
        return gnt_fail(err, "tensor %s: \"dtype\" is missing or no string", e->name);
    for (size_t i = 0; i < sizeof file_types / sizeof *file_types; i++)
        if (strcmp(name, file_types[i].name) == 0) {
            e->type = &file_types[i];
            return 0;
        }
    return gnt_fail(err, "tensor %s has dtype %.40s; F32, F64, F16, BF16, I32, I64 and U8 can be read",
                    e->name, name);
}

static int read_shape(entry *e, const json_t *shape, gnt_err *err) {
    if (!json_is_array(shape))
        return gnt_fail(err, "tensor %s: \"shape\" is missing or no array", e->name);
    if (json_array_size(shape) > GNT_ST_RANK)
        return gnt_fail(err, "tensor %s has %zu dimensions; at most %d are possible", e->name,
                        json_array_size(shape), GNT_ST_RANK);
    e->rank = (int32_t)json_array_size(shape);
    for (int32_t i = 0; i < e->rank; i++) {
        const json_t *dim = json_array_get(shape, (size_t)i);
        if (!json_is_integer(dim) || json_integer_value(dim) < 0)
            return gnt_fail(err, "tensor %s: entry %d of \"shape\" is no whole number ≥ 0", e->name, i);
        e->dim[i] = json_integer_value(dim);
    }
    return 0;
}

static int read_offsets(entry *e, const json_t *offsets, uint64_t data_size, gnt_err *err) {
    const json_t *from = json_array_get(offsets, 0), *to = json_array_get(offsets, 1);
    if (json_array_size(offsets) != 2 || !json_is_integer(from) || !json_is_integer(to) ||
        json_integer_value(from) < 0 || json_integer_value(to) < 0)
        return gnt_fail(err, "tensor %s: \"data_offsets\" is not [from, to] in whole numbers ≥ 0", e->name);
    e->from = (uint64_t)json_integer_value(from);
    e->to = (uint64_t)json_integer_value(to);
    if (e->from > e->to)
        return gnt_fail(err, "tensor %s: its data end (%" PRIu64 ") before they begin (%" PRIu64 ")", e->name,
                        e->to, e->from);
    if (e->to > data_size)
        return gnt_fail(err, "tensor %s: its data end at byte %" PRIu64 " but there are only %" PRIu64,
                        e->name, e->to, data_size);
    return 0;
}

/* Checks that the shape fills the stated range exactly. */
static int check_extent(const entry *e, gnt_err *err) {
    uint64_t have = e->to - e->from, need = e->type->size;
    for (int32_t i = 0; i < e->rank; i++)
        if (e->dim[i] == 0)
            need = 0;
    for (int32_t i = 0; i < e->rank && need; i++) {
        if ((uint64_t)e->dim[i] > UINT64_MAX / need)
            return gnt_fail(err, "tensor %s: its dimensions multiply beyond what a file can hold", e->name);
        need *= (uint64_t)e->dim[i];
    }
    if (need != have)
        return gnt_fail(err,
                        "tensor %s: its shape takes %" PRIu64 " bytes but its data_offsets give %" PRIu64,
                        e->name, need, have);
    return 0;
}

static int read_entry(entry *e, const json_t *line, uint64_t data_size, gnt_err *err) {
    if (gnt_st_check_name(e->name, err))
        return -1;
    if (!json_is_object(line))
        return gnt_fail(err, "tensor %s: its header line is no object", e->name);
    if (json_object_size(line) != 3)
        return gnt_fail(
            err, "tensor %s: its header line has %zu keys where dtype, shape and data_offsets are expected",
            e->name, json_object_size(line));
    if (read_type(e, json_object_get(line, "dtype"), err) ||
        read_shape(e, json_object_get(line, "shape"), err) ||
        read_offsets(e, json_object_get(line, "data_offsets"), data_size, err))
        return -1;
    return check_extent(e, err);
}

static int by_place(const void *a, const void *b) {
    const entry *x = *(const entry *const *)a, *y = *(const entry *const *)b;
    if (x->from != y->from)
        return x->from < y->from ? -1 : 1;
    if (x->to != y->to)
        return x->to < y->to ? -1 : 1;
    return x < y ? -1 : x > y; /* empty tensors at one place: header order */
}

/* Checks that the ranges tile the data without gap or overlap, so that no byte is read twice or hidden. */
static int check_tiling(const entry *list, size_t n, uint64_t data_size, gnt_err *err) {
    const entry **order = gnt_array(n, sizeof *order);
    uint64_t at = 0;
    int rc = 0;
    if (!order)
        return gnt_fail(err, "out of memory for %zu tensors", n);
    for (size_t i = 0; i < n; i++)
        order[i] = &list[i];
    qsort(order, n, sizeof *order, by_place);
    for (size_t i = 0; i < n && !rc; i++) {
        if (order[i]->from < at)
            rc = gnt_fail(err,
                          "tensor %s: its data begin at byte %" PRIu64
                          ", inside those of %s (which end at %" PRIu64 ")",
                          order[i]->name, order[i]->from, order[i - 1]->name, at);
        else if (order[i]->from > at)
            rc = gnt_fail(
                err, "bytes %" PRIu64 " to %" PRIu64 " of the data, before tensor %s, belong to no tensor",
                at, order[i]->from, order[i]->name);
        at = order[i]->to;
    }
    if (!rc && at != data_size)
        rc = gnt_fail(err, "%" PRIu64 " bytes after the last tensor belong to none", data_size - at);
    gnt_free(order);
    return rc;
}

static int add_entry(gnt_st *st, const entry *e, const uint8_t *data, gnt_err *err) {
    gnt_st_tensor *t;
    if (gnt_st_append(st, e->name, e->type->type, e->rank, e->dim, &t, err))
        return -1;
    const uint8_t *from = data + e->from;
    if (t->bytes == 0)
        return 0;
    if (e->type->size != 2) {
        memcpy(t->data, from, t->bytes);
        return 0;
    }
    int brain = e->type->name[0] == 'B';
    float *out = t->data;
    for (size_t i = 0; i < t->bytes / 4; i++) {
        uint16_t half = (uint16_t)(from[2 * i] | from[2 * i + 1] << 8);
        out[i] = brain ? widen_bfloat(half) : widen_half(half);
    }
    return 0;
}

/* Reads the text under __metadata__.gauntlet; other keys of __metadata__ are ignored. */
static int read_metadata(gnt_st *st, const json_t *metadata, gnt_err *err) {
    if (!json_is_object(metadata))
        return gnt_fail(err, "%s is no object", GNT_ST_METADATA_KEY);
    const json_t *own = json_object_get(metadata, own_key);
    if (!own)
        return 0;
    if (!json_is_string(own))
        return gnt_fail(err, "%s.%s is no string", GNT_ST_METADATA_KEY, own_key);
    return gnt_st_set_metadata(st, json_string_value(own), err);
}

static int read_header(gnt_st *st, const json_t *header, const uint8_t *data, uint64_t data_size,
                       gnt_err *err) {
    size_t most = json_object_size(header), n = 0;
    if (most > GNT_ST_MOST_TENSORS)
        return gnt_fail(err, "%zu tensors; at most %d can be read", most, GNT_ST_MOST_TENSORS);
    entry *list = gnt_array(most, sizeof *list);
    if (!list)
        return gnt_fail(err, "out of memory for %zu tensors", most);
    int rc = 0;
    const char *name;
    json_t *line;
    json_object_foreach((json_t *)header, name, line) {
        if (strcmp(name, GNT_ST_METADATA_KEY) == 0) {
            rc = read_metadata(st, line, err);
        } else {
            list[n].name = name;
            rc = read_entry(&list[n++], line, data_size, err);
        }
        if (rc)
            goto cleanup;
    }
    rc = check_tiling(list, n, data_size, err);
    for (size_t i = 0; i < n && !rc; i++)
        rc = add_entry(st, &list[i], data, err);
cleanup:
    gnt_free(list);
    return rc;
}

static uint64_t read_u64(const uint8_t *b) {
    uint64_t value = 0;
    for (int i = 7; i >= 0; i--)
        value = value << 8 | b[i];
    return value;
}

int gnt_st_parse(gnt_st *st, const char *name, const uint8_t *bytes, size_t size, gnt_err *err) {
    gnt_st_init(st);
    if (size < 8)
        return gnt_fail(
            err, "%s: %zu bytes are too few for a safetensors file (8 for the header's size come first)",
            name, size);
    uint64_t header_size = read_u64(bytes);
    if (header_size > size - 8)
        return gnt_fail(err,
                        "%s: the header should take %" PRIu64
                        " bytes but only %zu follow; is this a safetensors file, and whole?",
                        name, header_size, size - 8);
    if (header_size > most_header)
        return gnt_fail(err, "%s: the header takes %" PRIu64 " bytes; at most %" PRIu64 " are read", name,
                        header_size, most_header);
    json_error_t why;
    json_t *header = json_loadb((const char *)bytes + 8, (size_t)header_size, JSON_REJECT_DUPLICATES, &why);
    if (!header)
        return gnt_fail(err, "%s: the header is not JSON: %s (byte %d of the header)", name, why.text,
                        why.position);
    int rc = json_is_object(header)
                 ? read_header(st, header, bytes + 8 + header_size, size - 8 - header_size, err)
                 : gnt_fail(err, "the header is JSON but no object");
    json_decref(header);
    if (!rc)
        return 0;
    gnt_st_free(st);
    return gnt_fail_in(err, "%s", name);
}

/* ---- writing ---- */

static json_t *header_line(const gnt_st_tensor *t, uint64_t from) {
    json_t *shape = json_array(), *line = NULL;
    for (int32_t i = 0; i < t->rank; i++)
        if (json_array_append_new(shape, json_integer(t->dim[i])))
            goto cleanup;
    line = json_pack("{s:s, s:O, s:[I, I]}", "dtype", gnt_st_type_name(t->type), "shape", shape,
                     "data_offsets", (json_int_t)from, (json_int_t)(from + t->bytes));
cleanup:
    json_decref(shape);
    return line;
}

static char *header_text(const gnt_st *st) {
    json_t *header = json_object();
    char *text = NULL;
    uint64_t at = 0;
    if (st->metadata &&
        json_object_set_new(header, GNT_ST_METADATA_KEY, json_pack("{s:s}", own_key, st->metadata)))
        goto cleanup;
    for (size_t i = 0; i < st->n; i++) {
        if (json_object_set_new(header, st->tensor[i].name, header_line(&st->tensor[i], at)))
            goto cleanup;
        at += st->tensor[i].bytes;
    }
    text = json_dumps(header, JSON_COMPACT);
cleanup:
    json_decref(header);
    return text;
}

int gnt_st_write(const gnt_st *st, uint8_t **bytes, size_t *size, gnt_err *err) {
    char *text = header_text(st);
    if (!text)
        return gnt_fail(err, "out of memory for the header of %zu tensors", st->n);
    size_t used = strlen(text), padded = (used + 7) / 8 * 8, total = 8 + padded;
    uint8_t *out = NULL;
    int rc = -1;
    for (size_t i = 0; i < st->n; i++) {
        if (st->tensor[i].bytes > SIZE_MAX - total) {
            gnt_fail(err, "the tensors together are larger than memory");
            goto cleanup;
        }
        total += st->tensor[i].bytes;
    }
    out = gnt_alloc(total);
    if (!out) {
        gnt_fail(err, "out of memory for %zu bytes of tensors", total);
        goto cleanup;
    }
    for (int i = 0; i < 8; i++)
        out[i] = (uint8_t)((uint64_t)padded >> 8 * i);
    memset(out + 8, ' ', padded);
    memcpy(out + 8, text, used);
    uint8_t *at = out + 8 + padded;
    for (size_t i = 0; i < st->n; i++) {
        if (st->tensor[i].bytes)
            memcpy(at, st->tensor[i].data, st->tensor[i].bytes);
        at += st->tensor[i].bytes;
    }
    *bytes = out;
    *size = total;
    rc = 0;
cleanup:
    free(text); /* jansson's own allocation */
    return rc;
}
