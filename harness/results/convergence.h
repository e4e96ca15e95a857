/* convergence: whether an attack's search was done when its budget ended, by the costs that it reported of
 * itself. Pure. */
#ifndef GNT_RESULTS_CONVERGENCE_H
#define GNT_RESULTS_CONVERGENCE_H

#include "results/results.h"

/* 1 where one curve of costs, a list of [step, cost], ended while it still fell: over the last tenth of its
 * steps the least cost so far fell by a tenth or more, and not to a millionth of the first, where a search is
 * done. A curve of fewer than eight points says nothing. */
int gnt_curve_is_starved(const json_t *points);
/* 1 where that holds of at least half of the targets of a group's cells, each by its restart of least cost:
 * the budget ended the search, and a longer one would find more. */
int gnt_is_starved(const gnt_results *r, const gnt_outcome *group);

#endif
