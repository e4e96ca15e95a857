/* convergence: whether an attack's search was done when its budget ended, by the costs that it reported of
 * itself. Pure. */
#ifndef GNT_JUDGE_CONVERGENCE_H
#define GNT_JUDGE_CONVERGENCE_H

#include "judge/judge.h"

/* A curve of fewer points says nothing. */
enum { GNT_CONVERGENCE_LEAST_POINTS = 8 };

/* True if the least cost is at most a millionth of the first: a search is done there. */
int gnt_convergence_is_done(const gnt_costs *curve);
/* True if a curve ended while it still fell: over the last tenth of its steps the least cost so far fell by a
 * tenth or more, and it is not done. */
int gnt_convergence_is_starved(const gnt_costs *curve);
/* True if that holds for at least half of the targets of a group's cells, each by its restart of least cost:
 * the budget ended the search, and a longer one would find more. */
int gnt_is_starved(const gnt_results *r, const gnt_outcome *group);

#endif
