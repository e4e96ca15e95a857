/* pairs: the scores of the same target in two runs, made differences. */
#ifndef GNT_GATE_TARGET_PAIRS_IMPL_H
#define GNT_GATE_TARGET_PAIRS_IMPL_H

#include "gate/gate.h"
#include "gate/join_impl.h"

/* A growing list of differences, one for each unit, those of one seed together. */
typedef struct gnt_pairs {
    double *d;
    int64_t *seed;
    size_t n;
    double is, was; /* means over targets of all seeds */
    size_t targets;
    int differ; /* some pair is not the same to the last digit */
} gnt_pairs;

/* Adds the targets that both cells of `j` have a score for. `group` targets in a row were observed together
 * and are one unit. Returns −1 with a sentence where a score is no plausible number. */
int gnt_pairs_add(gnt_pairs *p, const gnt_joined *j, const gnt_measure *m, int64_t group,
                  const char *now_name, gnt_err *err);
/* Adds the scores of one cell as they are, in the direction that leaks more, to be compared with others that
 * share no target with them: `d` then holds scores. */
int gnt_pairs_add_one(gnt_pairs *p, const gnt_outcome *o, const gnt_measure *m, int64_t group,
                      const char *name, gnt_err *err);
void gnt_pairs_free(gnt_pairs *p);

/* Lists the measures by which a cell is compared: the first of each kind (recovered data, attribute, label,
 * contribution) that it has a number for. Returns how many. */
size_t gnt_lead_measures(const gnt_outcome *o, const gnt_measure *lead[GNT_RECOVERS_KINDS]);

/* Returns how many consecutive targets the attacker observed together, according to the run's `tasks`. */
int64_t gnt_targets_together(const gnt_results *r, const gnt_outcome *o);

#endif
