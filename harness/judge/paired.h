/* paired: the difference in leakage between two groups of cells, paired by target, and in the utility of
 * their training runs, paired by seed. Effects common to both groups, such as an easy target, cancel, so the
 * interval is that of the difference alone. */
#ifndef GNT_JUDGE_PAIRED_H
#define GNT_JUDGE_PAIRED_H

#include "metric/measure.h"
#include "judge/judge.h"

/* Returns the group that differs from `group` only in what `instead` names, or NULL. `instead` is of a table
 * that a suite lays out (docs/suites.md, "tables"): a string is an attack's label; an object may have "task",
 * "stage", "defense", "strength" and "attack". Unless it names a strength, the group has the same one, or is
 * matched where `group` is; or it has none. */
const gnt_outcome *gnt_group_instead(const gnt_results *r, const gnt_outcome *group, const json_t *instead);

/* Computes the mean difference in measure m between the groups `a` and `b` over their targets, in the
 * measure's unit. Targets are paired by seed and id; one without a finite number in both groups is left out.
 * The interval is that of metric/estimate.h: over training runs, or over targets where there is one run.
 * Returns 0, or −1 if there is no pair or memory ran out. */
int gnt_paired_difference(gnt_stat *out, const gnt_results *r, const gnt_outcome *a, const gnt_outcome *b,
                          const gnt_measure *m);
/* Computes the difference, as above, in the utility of that name, the task's own or an additional one;
 * training runs are paired by seed. */
int gnt_paired_utility(gnt_stat *out, const gnt_results *r, const gnt_outcome *a, const gnt_outcome *b,
                       const char *name);

#endif
