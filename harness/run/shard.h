/* shard: which cells of a plan are one part of it, so that several machines can share a suite.
 *
 * Owner and lifetime: everything is borrowed for the call.
 * Thread: any.
 * Errors: −1 with a sentence. */
#ifndef GNT_RUN_SHARD_H
#define GNT_RUN_SHARD_H

#include <stdint.h>

#include "base/err.h"
#include "suite/plan.h"

enum { GNT_MOST_SHARDS = 1000 };

/* wanted[i], plan->n of them: whether cell i belongs to part `part` (1 … parts). A function of the
 * plan alone; every cell that will run belongs to exactly one part, cells that are n/a to all. Cells
 * that share a training stay together: those of one task and defense at one strength and seed, of a
 * matched strength at all seeds. */
int gnt_shard_pick(const gnt_suite *suite, const gnt_plan *plan, int part, int parts, uint8_t *wanted,
                   gnt_err *err);

#endif
