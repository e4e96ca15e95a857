/* protobuf: walks the fields of a protobuf message in place. Nothing is copied or allocated, and a message
 * within a message is another walk over a part of the same bytes. */
#ifndef GNT_ONNX_PROTOBUF_H
#define GNT_ONNX_PROTOBUF_H

#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

typedef struct gnt_pb {
    const uint8_t *start, *at, *end; /* start: of the file, for offsets in errors */
} gnt_pb;

/* The wire types that are read; groups are refused. */
typedef enum gnt_pb_wire {
    GNT_PB_VARINT = 0,
    GNT_PB_FIXED64 = 1,
    GNT_PB_BYTES = 2,
    GNT_PB_FIXED32 = 5
} gnt_pb_wire;

typedef struct gnt_pb_field {
    uint32_t number;
    gnt_pb_wire wire;
    uint64_t value; /* of a varint or fixed field */
    gnt_pb inside;  /* of bytes */
} gnt_pb_field;

/* Reads the next field. Returns 1, 0 at the end of the message, or −1 with an error that names the byte. */
int gnt_pb_next(gnt_pb *message, gnt_pb_field *field, gnt_err *err);
/* Checks the wire type of a field whose meaning is `what`. */
int gnt_pb_want(const gnt_pb_field *field, gnt_pb_wire wire, const char *what, gnt_err *err);
/* Counts the fields of this number; checks all of the message. Returns −1 with an error. */
int64_t gnt_pb_count(gnt_pb message, uint32_t number, gnt_err *err);
/* Counts the numbers in all fields of this number, packed or not, which are varints or, if `fixed` is 4 or 8,
 * have that many bytes. Returns −1 with an error. */
int64_t gnt_pb_count_numbers(gnt_pb message, uint32_t number, int fixed, const char *what, gnt_err *err);
/* Reads these numbers; `to` has room for as many as were counted. */
void gnt_pb_numbers(gnt_pb message, uint32_t number, int fixed, uint64_t *to);

#endif
