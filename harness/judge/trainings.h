/* trainings: what a defense leaked in each of its trainings, under the attack and in the round where it leaks
 * most. A ranking compares these: trainings of one seed share data, targets and draws, whatever the defense.
 *
 * A matched strength leaves the target utility only up to a tolerance. Where a defense was also run at other
 * strengths (judge/curve.h) each training is read at exactly the target (metric/interpolate.h: by_seed);
 * otherwise it is taken as it is, and how far its utility is off is told. Pure. */
#ifndef GNT_JUDGE_TRAININGS_H
#define GNT_JUDGE_TRAININGS_H

#include "judge/measure_text.h"
#include "judge/judge.h"

enum { GNT_MOST_TRAININGS = 256 };

/* The seeds of a task's cells, rising; at most GNT_MOST_TRAININGS. */
size_t gnt_seeds(const gnt_results *r, const char *task, int64_t seed[GNT_MOST_TRAININGS]);

/* One group in which a defense was measured, and the results that it is of. */
typedef struct gnt_measured {
    const gnt_results *results;
    const gnt_outcome *group;
} gnt_measured;

/* out[s]: the leakage in the training of seed s, in the measure's own units, no less than the floor (NAN:
 * none). The group is chosen by the other trainings (gnt_metric_cross_fit), so that meeting many attacks
 * costs a defense nothing. NAN where no group has a number. The groups are of one task and defense.
 *
 * *surplus (NULL: not wanted): by how much the utility that it was read at is better than the target: 0 where
 * all groups were read at exactly the target, else the mean over the trainings less the target (less 0 where
 * there is none), negative where it is worse. NAN: unknown.
 *
 * Returns how many trainings have a number; 0 when memory ran out. */
size_t gnt_leak_by_training(double *out, const gnt_measured *group, size_t n_groups, const int64_t *seed,
                            size_t n_seeds, const gnt_measure *m, double floor, double *surplus);

#endif
