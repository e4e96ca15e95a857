/* outliers: the entries of an update that are too large to be a gradient's own.
 *
 * A few entries of enormous size dominate the cost of an attack that matches all of them. Magnitudes in a
 * gradient are continuous: sorted, two neighbours are never far apart, unless a whole unit or a whole input
 * is much larger than the others. So if there is a gap of a factor of 100 with at most a fifth of the
 * entries above it, those above are outliers, unless they make up whole rows, whole columns or most of a
 * block of both in their tensors. The test is applied to the update as a whole, then to each tensor that is
 * a matrix. */
#ifndef GRADIENT_OUTLIERS_H
#define GRADIENT_OUTLIERS_H

#include <stdint.h>

#include "gauntlet/plugin.h"

enum { OUTLIERS_AUTO, OUTLIERS_KEEP };
extern const char *const outliers_choices[]; /* of a parameter, in this order */
#define OUTLIERS_HELP "auto: entries that stand apart by a factor of 100 in size are not matched"

/* of[t][i]: entry i of tensor t is an outlier; `of` is NULL where there is none. Scratch of the hook. */
typedef struct outliers {
    uint8_t *const *of;
    int64_t n;
} outliers;

/* Finds the outliers, once, before any search; reports their number as the fact `outliers_masked` if there
 * are any. With OUTLIERS_KEEP there are none. Entries that a granted defense may have moved (perturbed.h)
 * are added, with the fact `perturbed_masked`. GNT_OK, or a status after host->fail. */
gnt_status outliers_find(outliers *out, const gnt_host *host, const gnt_observation *seen, int64_t want);

static inline int outliers_has(const outliers *o, int64_t tensor, int64_t entry) {
    return o->of && o->of[tensor][entry];
}

#endif
