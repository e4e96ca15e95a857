/* scores_only: the scores of a run without what takes room: pictures, convergence curves, the times of jobs.
 * A few megabytes that fit into version control, and that `check`, `report` and `leaderboard` read as a run.
 */
#ifndef GNT_FINISHED_SCORES_ONLY_H
#define GNT_FINISHED_SCORES_ONLY_H

#include "base/err.h"

enum { GNT_SCORES_UNREADABLE = -1, GNT_SCORES_UNWRITTEN = -2 };

/* Writes results.json, suite.json, host.json and board.json of the run into `to`, which is created; the last
 * two only where the run has them. Nothing is written if the run cannot be read. Returns 0 or one of the
 * above, with a sentence. */
int gnt_scores_write(const char *run, const char *to, gnt_err *err);

#endif
