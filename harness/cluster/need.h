/* need: the memory and the time to ask Slurm for: from what earlier jobs of the run took (`times.json` in its
 * store), else from the suite's limits.
 *
 * Thread: any. Errors: a store that cannot be read says nothing, and the limits count. */
#ifndef GNT_CLUSTER_NEED_H
#define GNT_CLUSTER_NEED_H

#include <stddef.h>
#include <stdint.h>

#include "suite/plan.h"

typedef struct gnt_need {
    /* Of one worker. */
    int64_t memory_mb, minutes;
    /* Entries that this was taken from; 0: the suite's limits. */
    size_t known;
} gnt_need;

/* folder: of the run, which need not be there. jobs: processes at once in a worker. */
gnt_need gnt_need_of(const char *folder, const gnt_suite *suite, const gnt_plan *plan, int64_t workers,
                     int64_t jobs);

/* What all jobs in the store took. */
typedef struct gnt_taken {
    size_t entries, scores;
    double seconds, longest, peak_bytes;
} gnt_taken;
/* The rule alone: a half more memory than the hungriest job took beside the scheduler's own, twice the time
 * that is left and twice the longest job. Without a scored cell the store says too little. */
gnt_need gnt_need_from(const gnt_taken *taken, double limit_seconds, int64_t limit_mb, size_t cells,
                       int64_t workers, int64_t jobs);

#endif
