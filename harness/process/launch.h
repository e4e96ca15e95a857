/* launch: the part of a worker's message that describes its process; the other part is the request of its
 * job. child_start.c writes it, worker.c reads it.
 *
 * Ownership: what it points to belongs to the arena that it was decoded into, or to the caller that encodes
 * it. Threads: any. Errors: those of base/fields.h. */
#ifndef GNT_PROCESS_LAUNCH_H
#define GNT_PROCESS_LAUNCH_H

#include "process/sandbox.h"
#include "base/fields.h"

/* An input, an output or a socket. */
typedef struct gnt_launch_piece {
    const char *name;
    /* The descriptor in the worker. */
    int64_t fd;
    /* The expected digest of an input; NULL: any. */
    const char *digest;
} gnt_launch_piece;

typedef struct gnt_launch_pieces {
    const gnt_launch_piece *at;
    size_t n;
} gnt_launch_pieces;

/* Where the job keeps its state, to go on from after a kill. It changes no output, so it is no part of the
 * request. */
typedef struct gnt_launch_checkpoint {
    /* Absolute. */
    const char *path;
    /* The job's store key and the digest of the program, in hexadecimal. */
    const char *job, *program;
    /* Between two checkpoints, at least. */
    double seconds;
} gnt_launch_checkpoint;

/* A file of the job that outlives the process (plugin/memo.h). */
typedef struct gnt_launch_memo {
    /* Open for reading and writing. */
    int64_t fd;
    /* Identifies job and program. */
    const char *job;
} gnt_launch_memo;

typedef struct gnt_launch {
    gnt_launch_pieces inputs, outputs, sockets;
    /* Limit on memory in bytes; 0: none. */
    int64_t memory;
    /* NULL: no plugin is opened. */
    const gnt_sandbox_spec *sandbox;
    /* NULL: nowhere. */
    const gnt_launch_checkpoint *checkpoint;
    /* NULL: none. */
    const gnt_launch_memo *memo;
} gnt_launch;

extern const gnt_fields gnt_launch_fields;

/* Names of sandbox layers (GNT_SANDBOX_*) and levels (gnt_sandbox_level), in messages and options. */
extern const gnt_words gnt_sandbox_layer_words, gnt_sandbox_level_words;

#endif
