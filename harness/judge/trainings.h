/* `trainings`: the leakage of a defense in each of its training runs, under the attack and in the round with
 * the most leakage. A ranking compares these: training runs of one seed share data, targets and draws,
 * whatever the defense.
 *
 * A matched strength reaches the target utility only up to a tolerance. If a defense was also run at other
 * strengths (judge/curve.h), each training run is read at exactly the target (metric/interpolate.h: by_seed);
 * otherwise it is taken as it is, and the surplus says how far its utility is off. Pure. */
#ifndef GNT_JUDGE_TRAININGS_H
#define GNT_JUDGE_TRAININGS_H

#include "metric/leak.h"
#include "judge/group_roles.h"
#include "judge/measure_text.h"
#include "judge/judge.h"

enum { GNT_MOST_TRAININGS = 256 };

/* Lists the seeds of a task's cells, rising, and returns their number, at most GNT_MOST_TRAININGS. */
size_t gnt_seeds(const gnt_results *r, const char *task, int64_t seed[GNT_MOST_TRAININGS]);

/* One group in which a defense was measured, and the results that it is of. */
typedef struct gnt_measured {
    const gnt_results *results;
    const gnt_outcome *group;
} gnt_measured;

/* Lists the groups with a number that represent a defense, for each attack at each stage; returns how many
 * there are. Room for r->n_attack * GNT_MOST_STAGES. */
size_t gnt_list_measured(gnt_measured *out, const gnt_results *r, const char *task, int64_t stage,
                         const char *defense, const gnt_measure *m);

/* Computes the leakage in each training run, from groups of one task and defense. out[s] is that of seed[s]
 * in the measure's own units, no less than the baseline `floor` (NAN: none); NAN where no group has a number.
 * The group is chosen by the other training runs (gnt_metric_cross_fit), so that a defense is not penalised
 * for having been attacked by many attacks.
 *
 * Sets at_target of *place if all groups were read at exactly the target. Its surplus is then 0, else the
 * mean utility over the training runs less the target (less 0 where there is none; unknown for a defense
 * without a strength), negative if it is worse. `exhausted` is set if the defense is saturated, or has no
 * strength and leaves more than the tolerance above the target.
 *
 * Returns how many training runs have a number; 0 if memory ran out. */
size_t gnt_leak_by_training(double *out, const gnt_measured *group, size_t n_groups, const int64_t *seed,
                            size_t n_seeds, const gnt_measure *m, double floor, gnt_leak_place *place);

/* What decides a training run of a defense, and what would without it. An attack on influence counts as the
 * attack that it repeats. */
typedef struct gnt_decided {
    /* labels, which belong to the results; `next` is chosen among the others; NULL: none */
    const char *attack, *next;
    /* leakage in the measure's own units, no less than the floor: what gnt_leak_by_training gives, and the
     * same without `attack`; NAN: unknown */
    double leaked, without;
} gnt_decided;

/* Fills out[s] for training run seed[s], from the groups that gnt_leak_by_training gets. −1 if memory ran
 * out. */
int gnt_decide_trainings(gnt_decided *out, const gnt_measured *group, size_t n_groups, const int64_t *seed,
                         size_t n_seeds, const gnt_measure *m, double floor);

/* Reads the leakage of a group's defense under its attack at exactly the target utility, with its interval,
 * which has the scatter of the match in it. False if its curve does not pass the target. */
int gnt_read_at_target(gnt_stat *out, const gnt_measured *of, const gnt_measure *m);

/* True if a defense may be compared at the target: it was matched or saturated, its curve passes the target,
 * or it has no strength and is no less useful, but for the tolerance. */
int gnt_is_comparable(const gnt_results *r, const char *task, gnt_group_kind kind,
                      const gnt_leak_place *place);

#endif
