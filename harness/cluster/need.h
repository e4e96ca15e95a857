/* need: the memory and the time to request from Slurm: from what earlier jobs of the run took (`times.json`
 * in its store), else from the suite's limits.
 *
 * Thread: any. Errors: a store that cannot be read says nothing, and the limits count. */
#ifndef GNT_CLUSTER_NEED_H
#define GNT_CLUSTER_NEED_H

#include <stddef.h>
#include <stdint.h>

#include "suite/plan.h"

typedef struct gnt_need {
    /* Per worker. */
    int64_t memory_mb, minutes;
    /* Entries that this was computed from; 0: from the suite's limits. */
    size_t known;
} gnt_need;

/* Returns the need of each worker. folder: of the run; it need not exist. jobs: processes at once in a
 * worker. */
gnt_need gnt_need_of(const char *folder, const gnt_suite *suite, const gnt_plan *plan, int64_t workers,
                     int64_t jobs);

/* Time and memory of all jobs in the store. */
typedef struct gnt_taken {
    size_t entries, scores;
    double seconds, longest, peak_bytes;
} gnt_taken;
/* Returns one and a half times the memory of the largest job, plus the scheduler's own; twice the time that
 * is left plus twice that of the longest job. From the limits alone while no cell is scored. */
gnt_need gnt_need_from(const gnt_taken *taken, double limit_seconds, int64_t limit_mb, size_t cells,
                       int64_t workers, int64_t jobs);

#endif
