/* frame: one message between a training and a process that runs hooks for it, over a socket.
 *
 * On the wire: 16 bytes (operation, length in bytes), then fields. Each field is padded with zeros to a
 * multiple of 8 bytes.
 *
 * Errors: lengths are not trusted. A field beyond the end of the message gives zeros or NULL and marks the
 * frame as bad. It stays bad until the next gnt_frame_begin, so that a reader may check once, at the end.
 * Ownership: a frame owns its memory, and is used again for the next message. Pointers that a reader got from
 * it are valid until then. */
#ifndef GNT_JOB_FRAME_H
#define GNT_JOB_FRAME_H

#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

typedef struct gnt_frame {
    uint64_t op;
    /* `n` bytes of fields, without the first 16; memory for `room` of them; `at`: where the next is read. */
    uint8_t *bytes;
    size_t n, room, at;
    /* Out of memory while writing, or read beyond the end. */
    int bad;
} gnt_frame;

/* Empties the frame. */
void gnt_frame_begin(gnt_frame *f, uint64_t op);
void gnt_frame_free(gnt_frame *f);

void gnt_frame_put(gnt_frame *f, const void *bytes, size_t n);
void gnt_frame_put_int(gnt_frame *f, int64_t value);
void gnt_frame_put_real(gnt_frame *f, double value);
/* Appends a text; NULL as "". */
void gnt_frame_put_text(gnt_frame *f, const char *text);
/* Appends n entries of `size` bytes each. NULL and an empty array are distinguished. */
void gnt_frame_put_array(gnt_frame *f, const void *data, int64_t n, size_t size);

/* Reads n bytes, aligned to 8; NULL if fewer are left. */
const void *gnt_frame_get(gnt_frame *f, size_t n);
int64_t gnt_frame_get_int(gnt_frame *f);
double gnt_frame_get_real(gnt_frame *f);
const char *gnt_frame_get_text(gnt_frame *f);
/* Reads an array of exactly n entries; NULL if NULL was put, or if another number of entries was, which
 * sets `bad`. */
const void *gnt_frame_get_array(gnt_frame *f, int64_t n, size_t size);

/* A socket and how long to wait on it. */
typedef struct gnt_frame_connection {
    int fd;
    /* Bytes of the largest message that is received. */
    size_t most;
    /* Polled while waiting; 1 ends the wait with an error. May be NULL. */
    int (*should_stop)(void *context);
    void *context;
} gnt_frame_connection;

/* Sends or receives one frame. Returns −1, with a sentence, after a stop or when the other end has closed
 * its socket. */
int gnt_frame_send(const gnt_frame_connection *connection, const gnt_frame *f, gnt_err *err);
int gnt_frame_receive(const gnt_frame_connection *connection, gnt_frame *f, gnt_err *err);

#endif
