/* paired: how much more was found in one group of cells than in another, target by target, and how much more
 * useful its trainings were, seed by seed. What both have alike, such as a target that is easy, is in
 * neither's favour, so the interval is that of the difference alone. */
#ifndef GNT_JUDGE_PAIRED_H
#define GNT_JUDGE_PAIRED_H

#include "metric/measure.h"
#include "judge/judge.h"

/* The group that differs from `group` in what `instead` names alone: text is an attack's label; an object has
 * the labels and numbers of "task", "stage", "defense", "strength" and "attack", any of which may be missing.
 * Unless a strength is named, it is of the same strength, or matched where `group` is; or without a strength,
 * as no defense is. NULL for none. */
const gnt_outcome *gnt_group_instead(const gnt_results *r, const gnt_outcome *group, const json_t *instead);

/* The mean over targets of what group `a` shows of measure m less what `b` does, in the measure's unit: each
 * pair is of cells of one seed and of targets of one id. A target that either has no finite number of is left
 * out. The interval is metric/estimate.h's: over trainings, or the targets of one. 0; −1 where there is no
 * pair, or out of memory. */
int gnt_paired_difference(gnt_stat *out, const gnt_results *r, const gnt_outcome *a, const gnt_outcome *b,
                          const gnt_measure *m);
/* The same of the utility, or of the number of that name beside it: each pair is of one seed's trainings. */
int gnt_paired_utility(gnt_stat *out, const gnt_results *r, const gnt_outcome *a, const gnt_outcome *b,
                       const char *name);

#endif
