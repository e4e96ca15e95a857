/* frame: one message between a training and a process that runs hooks for it, over a socket.
 *
 * On the wire: 16 bytes (operation, length), then fields, each padded with zeros to a multiple of 8 bytes. Who reads
 * trusts no length: a field beyond the message's end marks the frame as bad, gives zeros or NULL, and stays bad, so that
 * one look at the end suffices. A frame owns its memory and is used again for the next message; pointers that a reader
 * got from it are valid until then. */
#ifndef GNT_JOB_FRAME_H
#define GNT_JOB_FRAME_H

#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

typedef struct gnt_frame {
    uint64_t op;
    uint8_t *bytes; /* n of them, without the 16 */
    size_t n, room, at;
    int bad; /* out of memory while writing; or read beyond the end */
} gnt_frame;

void gnt_frame_begin(gnt_frame *f, uint64_t op); /* empties it */
void gnt_frame_free(gnt_frame *f);

void gnt_frame_put(gnt_frame *f, const void *bytes, size_t n);
void gnt_frame_put_int(gnt_frame *f, int64_t value);
void gnt_frame_put_real(gnt_frame *f, double value);
void gnt_frame_put_text(gnt_frame *f, const char *text); /* NULL is written as "" */
void gnt_frame_put_array(gnt_frame *f, const void *data, int64_t n,
                         size_t size); /* NULL is kept apart from empty */

/* n bytes, aligned to 8; NULL where the frame does not hold so many. */
const void *gnt_frame_get(gnt_frame *f, size_t n);
int64_t gnt_frame_get_int(gnt_frame *f);
double gnt_frame_get_real(gnt_frame *f);
const char *gnt_frame_get_text(gnt_frame *f);
/* An array of n entries of that size. NULL where none was put, and where another number was, which is bad. */
const void *gnt_frame_get_array(gnt_frame *f, int64_t n, size_t size);

/* should_stop is looked at while waiting; a true one ends with a sentence. −1 as well when the other end is gone. */
typedef struct gnt_frame_line {
    int fd;
    size_t most; /* bytes of a message that is received */
    int (*should_stop)(void *context);
    void *context;
} gnt_frame_line;

int gnt_frame_send(const gnt_frame_line *line, const gnt_frame *f, gnt_err *err);
int gnt_frame_receive(const gnt_frame_line *line, gnt_frame *f, gnt_err *err);

#endif
