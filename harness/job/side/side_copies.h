/* side_copies: a process of the job `side` that serves each client by a fresh copy of itself, so that no
 * client's hooks can know of another client.
 *
 * The first process never opens the plugin. It forks a copy for each client; the copy opens the plugin. A
 * copy holds no socket but the one to the first process, and can make no process that outlives it. Offsets of
 * the files that it shares with the others are set back when it ends. The first process passes requests and
 * answers on, unread.
 *
 *     training <-> first process <-> copy
 *
 * SIDE_COPY_BEGIN starts a copy. SIDE_COPY_END ends it; the copy's last answer holds its facts and times,
 * which the first process drops where SIDE_COPY_END says 1: then the copy's work was no part of the training,
 * which its hooks, now over, could not know. */
#ifndef GNT_JOB_SIDE_COPIES_H
#define GNT_JOB_SIDE_COPIES_H

#include "job/side/frame.h"
#include "job/work/work.h"

typedef struct side_copies {
    gnt_work *work;
    /* Sockets: to the training, and the two ends of the connection between the first process (outer) and a
     * copy (inner). */
    int training, outer, inner;
} side_copies;

typedef enum side_copies_end {
    SIDE_COPIES_FAILED = -1,
    /* The training has ended. */
    SIDE_COPIES_ENDED = 0,
    /* This process is a copy. It is to answer on `inner`, SIDE_COPY_BEGIN first. */
    SIDE_COPIES_IN_COPY = 1
} side_copies_end;

/* Returns in the first process once, and once in each copy. FAILED: with a sentence. */
side_copies_end side_copies_serve(const side_copies *c, gnt_err *err);

#endif
