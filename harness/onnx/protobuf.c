#include "onnx/protobuf.h"

#include <string.h>

static int fail_at(const gnt_pb *message, const char *what, gnt_err *err) {
    return gnt_fail(err, "byte %zu: %s; expected an ONNX file, whole and not changed",
                    (size_t)(message->at - message->start), what);
}

/* Returns −1 at the end of the bytes or after ten of them. */
static int read_varint(gnt_pb *message, uint64_t *value) {
    uint64_t v = 0;
    for (unsigned shift = 0; shift < 64 && message->at < message->end; shift += 7) {
        uint8_t byte = *message->at++;
        v |= (uint64_t)(byte & 127) << shift;
        if (byte < 128) {
            *value = v;
            return 0;
        }
    }
    return -1;
}

static uint64_t little_endian(const uint8_t *at, int bytes) {
    uint64_t v = 0;
    for (int i = bytes - 1; i >= 0; i--)
        v = v << 8 | at[i];
    return v;
}

int gnt_pb_next(gnt_pb *message, gnt_pb_field *field, gnt_err *err) {
    uint64_t key, n = 0;
    if (message->at >= message->end)
        return 0;
    gnt_pb before = *message;
    if (read_varint(message, &key) || key >> 3 == 0 || key >> 3 > UINT32_MAX >> 3)
        return fail_at(&before, "there is no field of a protobuf message", err);
    *field = (gnt_pb_field){.number = (uint32_t)(key >> 3), .wire = (gnt_pb_wire)(key & 7)};
    switch (field->wire) {
    case GNT_PB_VARINT:
        return read_varint(message, &field->value) ? fail_at(&before, "a number is cut short", err) : 1;
    case GNT_PB_FIXED32:
    case GNT_PB_FIXED64:
        n = field->wire == GNT_PB_FIXED32 ? 4 : 8;
        if ((uint64_t)(message->end - message->at) < n)
            return fail_at(&before, "a number is cut short", err);
        field->value = little_endian(message->at, (int)n);
        message->at += n;
        return 1;
    case GNT_PB_BYTES:
        if (read_varint(message, &n) || n > (uint64_t)(message->end - message->at))
            return fail_at(&before, "a field is longer than what holds it", err);
        field->inside = (gnt_pb){message->start, message->at, message->at + n};
        message->at += n;
        return 1;
    }
    return fail_at(&before, "a field has an unknown type", err);
}

int gnt_pb_want(const gnt_pb_field *field, gnt_pb_wire wire, const char *what, gnt_err *err) {
    return field->wire == wire ? 0
                               : gnt_fail(err, "%s is stored as wire type %d; expected %d, as in ONNX", what,
                                          (int)field->wire, (int)wire);
}

int64_t gnt_pb_count(gnt_pb message, uint32_t number, gnt_err *err) {
    gnt_pb_field f;
    int64_t n = 0;
    int rc;
    while ((rc = gnt_pb_next(&message, &f, err)) > 0)
        n += f.number == number;
    return rc < 0 ? -1 : n;
}

int64_t gnt_pb_count_numbers(gnt_pb message, uint32_t number, int fixed, const char *what, gnt_err *err) {
    const gnt_pb_wire single = fixed == 4 ? GNT_PB_FIXED32 : fixed == 8 ? GNT_PB_FIXED64 : GNT_PB_VARINT;
    gnt_pb_field f;
    int64_t n = 0;
    int rc;
    while ((rc = gnt_pb_next(&message, &f, err)) > 0) {
        if (f.number != number)
            continue;
        if (f.wire != GNT_PB_BYTES) {
            if (gnt_pb_want(&f, single, what, err))
                return -1;
            n++;
            continue;
        }
        const size_t size = (size_t)(f.inside.end - f.inside.at);
        if (fixed && size % (size_t)fixed != 0)
            return gnt_fail(err, "%s has %zu bytes, which is no multiple of %d", what, size, fixed);
        if (fixed)
            n += (int64_t)(size / (size_t)fixed);
        uint64_t value;
        for (; !fixed && f.inside.at < f.inside.end; n++)
            if (read_varint(&f.inside, &value))
                return fail_at(&f.inside, "a number is cut short", err);
    }
    return rc < 0 ? -1 : n;
}

void gnt_pb_numbers(gnt_pb message, uint32_t number, int fixed, uint64_t *to) {
    gnt_pb_field f;
    while (gnt_pb_next(&message, &f, NULL) > 0) {
        if (f.number != number)
            continue;
        if (f.wire != GNT_PB_BYTES)
            *to++ = f.value;
        for (; f.wire == GNT_PB_BYTES && fixed && f.inside.at < f.inside.end; f.inside.at += fixed)
            *to++ = little_endian(f.inside.at, fixed);
        while (f.wire == GNT_PB_BYTES && !fixed && f.inside.at < f.inside.end && !read_varint(&f.inside, to))
            to++;
    }
}
