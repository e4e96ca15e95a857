/* outliers: which entries of an update stand so far apart that no gradient has them.
 *
 * A few entries of enormous size hide the rest from whoever matches all of them. In a gradient sizes run
 * together: sorted, two neighbours are never far apart, unless a whole unit or a whole input is much louder
 * than the others. So where there is a gap of a factor of 100 with at most a fifth of the entries above it,
 * those above are outliers, if they do not make up whole rows, whole columns or most of a block of both in
 * their tensors. That is asked of the update as a whole, then of each tensor that is a matrix. */
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

/* Looks once, before any search; reports the fact `outliers_masked` where it finds some. With OUTLIERS_KEEP
 * it finds none. To these come the entries that a granted defense may have moved (perturbed.h), with the fact
 * `perturbed_masked`. GNT_OK, or a status after host->fail. */
gnt_status outliers_find(outliers *out, const gnt_host *host, const gnt_observation *seen, int64_t want);

static inline int outliers_has(const outliers *o, int64_t tensor, int64_t entry) {
    return o->of && o->of[tensor][entry];
}

#endif
