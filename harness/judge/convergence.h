/* convergence: whether an attack's search was done when its budget ended, by the costs that it reported of
 * itself. Pure. */
#ifndef GNT_JUDGE_CONVERGENCE_H
#define GNT_JUDGE_CONVERGENCE_H

#include "judge/judge.h"

enum {
    /* A curve of fewer points says nothing. */
    GNT_CONVERGENCE_LEAST_POINTS = 8,
    /* The interval of fewer targets is too wide to say anything. */
    GNT_RISE_LEAST_TARGETS = 5
};

/* True if the least cost is at most a millionth of the first: a search is done there. */
int gnt_convergence_is_done(const gnt_costs *curve);
/* True if a curve ended while it still fell: over the last tenth of its steps the least cost so far fell by a
 * tenth or more, and it is not done. */
int gnt_convergence_is_starved(const gnt_costs *curve);
/* True if a cell leaks more than it did with a quarter of its attack's budget, by the first of the measures
 * in reports that both have: by twice the tolerance of that measure or more (1 dB of PSNR) in the mean over
 * targets, and, with GNT_RISE_LEAST_TARGETS or more, by a difference whose 95 % interval lies above 0. */
int gnt_leakage_still_rises(const gnt_outcome *cell);
/* True if a group's cell still rises, or if the curves of at least half of the targets of its cells are
 * starved, each by its restart of least cost: the budget ended the search, and a longer one would find
 * more. */
int gnt_is_starved(const gnt_results *r, const gnt_outcome *group);

/* Sums why the searches of a group's cells ended; 0 if no cell says it. */
int gnt_ended_of(const gnt_results *r, const gnt_outcome *group, gnt_ended *out);

#endif
