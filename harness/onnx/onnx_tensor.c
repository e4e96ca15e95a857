/* onnx_tensor: reads TensorProto, a constant with its data in the file. */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "base/text.h"
#include "onnx/onnx_graph.h"

enum { DIMS = 1, DATA_TYPE, SEGMENT, FLOAT_DATA, INT32_DATA, STRING_DATA, INT64_DATA, NAME, RAW_DATA };
enum { EXTERNAL_DATA = 13, DATA_LOCATION };
enum { FLOAT = 1, INT32 = 6, INT64 = 7, BOOL = 9 };
enum { MOST_TEXT = 300 };

int gnt_onnx_text(onnx_graph *g, const gnt_pb_field *field, const char *what, const char **out,
                  gnt_err *err) {
    if (gnt_pb_want(field, GNT_PB_BYTES, what, err))
        return -1;
    const size_t n = (size_t)(field->inside.end - field->inside.at);
    if (n > MOST_TEXT)
        return gnt_fail(err, "%s has %zu bytes; at most %d are read", what, n, MOST_TEXT);
    char *text = gnt_arena_array(&g->arena, n + 1, 1);
    if (!text)
        return gnt_fail(err, "out of memory for %s", what);
    memcpy(text, field->inside.at, n);
    *out = text;
    if (strlen(text) == n && (n == 0 || gnt_text_ok(text, 1, MOST_TEXT)))
        return 0;
    return gnt_fail(err, "%s is no text on one line", what);
}

static const char *type_name(uint64_t type) {
    static const char *const names[] = {
        "of no type", "float",   "uint8",  "int8",   "uint16", "int16",     "int32",      "int64",   "string",
        "bool",       "float16", "double", "uint32", "uint64", "complex64", "complex128", "bfloat16"};
    return type < sizeof names / sizeof *names ? names[type] : "of a type that ONNX has not";
}

/* The tensor's fields but its numbers. */
typedef struct head {
    uint64_t type;
    onnx_shape shape;
    int64_t count;
    gnt_pb raw; /* start NULL: none */
} head;

static int read_shape(gnt_pb message, const char *what, head *h, gnt_err *err) {
    const int64_t rank = gnt_pb_count_numbers(message, DIMS, 0, "a dimension", err);
    if (rank < 0)
        return -1;
    if (rank > ONNX_RANK)
        return gnt_fail(err, "tensor %s has %" PRId64 " dimensions; at most %d are read", what, rank,
                        ONNX_RANK);
    uint64_t dim[ONNX_RANK];
    gnt_pb_numbers(message, DIMS, 0, dim);
    h->shape.rank = (int32_t)rank;
    h->count = 1;
    for (int64_t i = 0; i < rank; i++) {
        if (dim[i] > INT32_MAX || (dim[i] > 0 && h->count > INT32_MAX / (int64_t)dim[i]))
            return gnt_fail(
                err, "tensor %s: dimension %" PRId64 " is %" PRId64 "; a tensor has at most 2^31 − 1 entries",
                what, i, (int64_t)dim[i]);
        h->shape.dim[i] = (int64_t)dim[i];
        h->count *= (int64_t)dim[i];
    }
    return 0;
}

static int read_head(onnx_graph *g, gnt_pb message, head *h, const char **name, gnt_err *err) {
    gnt_pb_field f;
    gnt_pb all = message;
    int rc;
    *h = (head){0};
    while ((rc = gnt_pb_next(&message, &f, err)) > 0) {
        if (f.number == NAME && gnt_onnx_text(g, &f, "the name of a tensor", name, err))
            return -1;
        if (f.number == DATA_TYPE) {
            if (gnt_pb_want(&f, GNT_PB_VARINT, "the type of a tensor", err))
                return -1;
            h->type = f.value;
        }
        if (f.number == RAW_DATA) {
            if (gnt_pb_want(&f, GNT_PB_BYTES, "the data of a tensor", err))
                return -1;
            h->raw = f.inside;
        }
        if (f.number == EXTERNAL_DATA || (f.number == DATA_LOCATION && f.value != 0))
            return gnt_fail(
                err, "tensor %s is stored in another file (external data); save the network as one file",
                *name);
        if (f.number == SEGMENT)
            return gnt_fail(err, "tensor %s is stored in segments, which are not read", *name);
    }
    return rc < 0 ? -1 : read_shape(all, *name, h, err);
}

/* Checks that the data, raw or of the field `number`, has as many numbers as the shape. */
static int check_count(gnt_pb message, const head *h, const char *name, uint32_t number, int fixed,
                       size_t raw_size, gnt_err *err) {
    const size_t raw = (size_t)(h->raw.end - h->raw.at);
    const int64_t stored = h->raw.start ? (int64_t)(raw / raw_size)
                                        : gnt_pb_count_numbers(message, number, fixed, "a number", err);
    if (stored < 0)
        return -1;
    if (stored != h->count || (h->raw.start && raw % raw_size != 0))
        return gnt_fail(err, "tensor %s: its shape has %" PRId64 " entries but its data %" PRId64, name,
                        h->count, stored);
    return 0;
}

/* Reads the numbers as bits. */
static int read_bits(onnx_graph *g, gnt_pb message, const head *h, const char *name, uint32_t number,
                     int fixed, size_t raw_size, uint64_t **out, gnt_err *err) {
    uint64_t *to = *out = gnt_arena_array(&g->arena, (size_t)h->count, sizeof *to);
    if (!to)
        return gnt_fail(err, "out of memory for tensor %s", name);
    if (!h->raw.start)
        gnt_pb_numbers(message, number, fixed, to);
    for (int64_t i = 0; h->raw.start && i < h->count; i++)
        for (size_t k = raw_size; k > 0; k--)
            to[i] = to[i] << 8 | h->raw.at[(size_t)i * raw_size + k - 1];
    return 0;
}

static int read_floats(onnx_graph *g, gnt_pb message, const head *h, const char *name, onnx_constant *c,
                       gnt_err *err) {
    uint64_t *bits;
    if (check_count(message, h, name, FLOAT_DATA, 4, 4, err) ||
        read_bits(g, message, h, name, FLOAT_DATA, 4, 4, &bits, err))
        return -1;
    float *to = gnt_arena_array(&g->arena, (size_t)h->count, sizeof *to);
    if (!to)
        return gnt_fail(err, "out of memory for tensor %s", name);
    c->real = to;
    for (int64_t i = 0; i < h->count; i++) {
        const uint32_t one = (uint32_t)bits[i];
        memcpy(&to[i], &one, sizeof one);
        if (!isfinite(to[i]))
            return gnt_fail(err, "tensor %s: entry %" PRId64 " is not finite", name, i);
    }
    return 0;
}

static int read_integers(onnx_graph *g, gnt_pb message, const head *h, const char *name, onnx_constant *c,
                         gnt_err *err) {
    uint64_t *bits;
    const int wide = h->type == INT64;
    const uint32_t number = wide ? INT64_DATA : INT32_DATA;
    const size_t raw_size = wide ? 8 : h->type == BOOL ? 1 : 4;
    if (check_count(message, h, name, number, 0, raw_size, err) ||
        read_bits(g, message, h, name, number, 0, raw_size, &bits, err))
        return -1;
    int64_t *whole = (int64_t *)bits;
    for (int64_t i = 0; i < h->count; i++) {
        whole[i] = wide ? (int64_t)bits[i] : (int32_t)(uint32_t)bits[i];
        whole[i] += whole[i] == ONNX_BATCH; /* limits of slices keep their meaning */
    }
    c->whole = whole;
    return 0;
}

int gnt_onnx_tensor(onnx_graph *g, gnt_pb message, onnx_constant **out, const char **name, gnt_err *err) {
    head h;
    *name = "without a name";
    if (read_head(g, message, &h, name, err))
        return -1;
    onnx_constant *c = *out = gnt_arena_array(&g->arena, 1, sizeof *c);
    if (!c)
        return gnt_fail(err, "out of memory for tensor %s", *name);
    *c = (onnx_constant){.root = c, .shape = h.shape, .count = h.count};
    if (h.type == FLOAT)
        return read_floats(g, message, &h, *name, c, err);
    if (h.type == INT32 || h.type == INT64 || h.type == BOOL)
        return read_integers(g, message, &h, *name, c, err);
    return gnt_fail(err, "tensor %s is %s; weights are read as float and shapes as int64: export in float32",
                    *name, type_name(h.type));
}
