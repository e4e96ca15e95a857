/* merge: joins the stores of runs of one plan, such as its shards. Run folders may come from strangers:
 * only what is whole is taken, by its content; but that an output is what its job would have made
 * cannot be seen in a store.
 *
 * Owner and lifetime: everything is borrowed for the call.
 * Thread: any, one for a folder.
 * Errors: −1 with a sentence. */
#ifndef GNT_FINISHED_MERGE_H
#define GNT_FINISHED_MERGE_H

#include <stddef.h>

#include "base/err.h"

typedef struct gnt_merge_counts {
    /* Entries copied, entries that were in the folder already. */
    size_t joined, known;
    /* Entries left out: torn, changed, or not made as a store's are. */
    size_t broken;
    /* Two runs have other bytes under the same key. */
    size_t conflicts;
} gnt_merge_counts;

/* `say` gets a line for each conflict, for each run with broken entries, and for one made on another
 * kind of machine. With conflicts nothing is written, and 0 returned. −1: a folder is no run, or not of
 * the same plan; or the disk. */
int gnt_merge(const char *const *run, size_t n, const char *folder, gnt_merge_counts *counts,
              void (*say)(void *user, const char *line), void *user, gnt_err *err);

#endif
