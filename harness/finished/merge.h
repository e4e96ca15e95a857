/* merge: joins the stores of runs of one plan, such as its shards. Run folders may come from strangers: only what is
 * whole is taken, by its content; but that an output is what its job would have made cannot be seen in a store. */
#ifndef GNT_RUN_MERGE_H
#define GNT_RUN_MERGE_H

#include <stddef.h>

#include "base/err.h"

typedef struct gnt_merge_counts {
    size_t joined, known; /* entries copied, entries that were in the folder already */
    size_t broken;        /* entries left out: torn, changed, or not made as a store's are */
    size_t conflicts;     /* two runs have other bytes under the same key */
} gnt_merge_counts;

/* `say` gets a line for each conflict, for each run with broken entries, and for one made on another kind of machine.
 * With conflicts nothing is written, and 0 returned. −1: a folder is no run, or not of the same plan; or the disk. */
int gnt_merge(const char *const *run, size_t n, const char *folder, gnt_merge_counts *counts,
              void (*say)(void *user, const char *line), void *user, gnt_err *err);

#endif
