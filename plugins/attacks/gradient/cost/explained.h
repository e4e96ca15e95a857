/* explained: how well a candidate explains an observed update, by one cost for all attacks: −log p(observed
 * | candidate) under what the grants say of the defense, up to constants.
 *
 *  - Under noise of a known law: the sum of its negative log densities over the entries (noise_law.h),
 *    after the granted clip.
 *  - Without noise: the squared distance from the update, divided by the squares of the observed one. Where
 *    the defense is granted whole, the candidate's update is clipped as it clips; else any factor s > 0 may
 *    lie between the two, and the best one counts.
 *  - Zeros of an update that may be pruned say that the entry is no larger than the least survivor
 *    (survivors.h): a candidate pays for what exceeds it. Labels that are not granted are those of least
 *    cost: of one sample every class is tried, of more they start as read off the update and are exchanged
 *    one by one. */
#ifndef GRADIENT_EXPLAINED_H
#define GRADIENT_EXPLAINED_H

#include "defense/granted_defense.h"
#include "defense/outliers.h"
#include "gauntlet/plugin.h"

typedef struct explained {
    const gnt_host *host;
    const gnt_observation *seen;
    granted_defense granted;
    outliers apart;
    gnt_function *function;
    float *bound;     /* of each tensor's zeros */
    float *rates, *y; /* steps; n × classes: labels of the last candidate */
    float *first;     /* n × classes: labels that a candidate starts with */
    double squares;   /* of the observed update, without outliers */
    int64_t tries;    /* most labels that are tried for one candidate */
} explained;

/* Prepares for candidates of `seen`, n samples each. tries: as above. To be closed after a failure too.
 * GNT_OK, or a status after host->fail. */
gnt_status explained_open(explained *e, const gnt_host *host, const gnt_observation *seen, int64_t tries);
void explained_close(explained *e);

/* Computes the cost of x, n × features in [0, 1], and sets e->y to its labels; INFINITY if it is not finite.
 * GNT_OK, GNT_STOPPED, or a status after host->fail. */
gnt_status explained_cost(explained *e, const float *x, double *cost);

#endif
