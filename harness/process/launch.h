/* launch: the part of a worker's message that describes its own process, beside the request of its job.
 * child_start.c writes it, worker.c reads it.
 *
 * Owner and lifetime: what it points to belongs to the arena that it was decoded into, or to whoever encodes
 * it. Thread: any. Errors: those of base/fields.h. */
#ifndef GNT_PROCESS_LAUNCH_H
#define GNT_PROCESS_LAUNCH_H

#include "process/sandbox.h"
#include "base/fields.h"

/* An input, an output or a socket. */
typedef struct gnt_launch_piece {
    const char *name;
    /* Its descriptor. */
    int64_t fd;
    /* Of an input: the digest that its bytes must have; NULL: any. */
    const char *digest;
} gnt_launch_piece;

typedef struct gnt_launch_pieces {
    const gnt_launch_piece *at;
    size_t n;
} gnt_launch_pieces;

typedef struct gnt_launch {
    gnt_launch_pieces inputs, outputs, sockets;
    /* Limit on memory in bytes; 0: none. */
    int64_t memory;
    /* NULL: no plugin is opened. */
    const gnt_sandbox_spec *sandbox;
} gnt_launch;

extern const gnt_fields gnt_launch_fields;

/* The words for sandbox layers (GNT_SANDBOX_*) and levels (gnt_sandbox_level), in messages and options. */
extern const gnt_words gnt_sandbox_layer_words, gnt_sandbox_level_words;

#endif
