/* paired: how much more one attack found than another, target by target. What both find alike, such as a
 * target that is easy, is in neither's favour, so the interval is that of the difference alone. */
#ifndef GNT_RESULTS_PAIRED_H
#define GNT_RESULTS_PAIRED_H

#include "metric/measure.h"
#include "results/results.h"

/* The group of another attack at the task, stage, defense and strength of `group`; NULL for none. */
const gnt_outcome *gnt_group_of_attack(const gnt_results *r, const gnt_outcome *group, const char *attack);

/* The mean over targets of what group `a` shows of measure m less what `b` does, in the measure's unit: each
 * pair is of cells of one seed and of targets of one id. A target that either has no finite number of is left
 * out. The interval is metric/estimate.h's: over trainings, or the targets of one. 0; −1 where there is no
 * pair, or out of memory. */
int gnt_paired_difference(gnt_stat *out, const gnt_results *r, const gnt_outcome *a, const gnt_outcome *b,
                          const gnt_measure *m);

#endif
