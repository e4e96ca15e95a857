/* side_copies: a side that answers for one client after another by copies of itself, none of which knows of another.
 *
 * The first process never opens the plugin: what it forks does, each anew, and hears no one but it. So a copy begins with
 * nothing that another left, whatever the plugin does: it holds no socket but the one to the first process, can make no
 * process that outlives it, and offsets of files that it shares with the others are set back. The first process passes on
 * what is asked and answered, unread.
 *
 *     training <-> first process <-> copy     "training"; "outer" and "inner", two ends of one line
 *
 * SIDE_ALONE begins a copy, SIDE_DONE ends it; the answer to that holds its facts. */
#ifndef GNT_JOB_SIDE_COPIES_H
#define GNT_JOB_SIDE_COPIES_H

#include "job/frame.h"
#include "job/work.h"

typedef struct side_copies {
    gnt_work *work;
    int training, outer, inner; /* sockets */
} side_copies;

/* 0: the training has ended. −1: with a sentence. 1: this is a copy, which answers on `inner`, SIDE_ALONE first. */
int side_copies_serve(const side_copies *c, gnt_err *err);

#endif
