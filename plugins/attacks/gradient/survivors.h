/* survivors: which entries of a pruned update are worth matching. */
#ifndef GRADIENT_SURVIVORS_H
#define GRADIENT_SURVIVORS_H

#include "gauntlet/plugin.h"
#include "outliers.h"

enum { SURVIVORS_AUTO, SURVIVORS_NEVER, SURVIVORS_ALWAYS };
extern const char *const survivors_choices[]; /* of a parameter, in this order */

/* Settles by `want` and by what the update looks like whether entries that are zero are left out of the
 * match, and reports it as the fact `zeros_masked`. Outliers (outliers_find) are left out in any case. *mask:
 * for GNT_FN_MATCH, one pointer for each tensor, scratch of the hook; NULL when *masked is 0. The update is
 * whole (update.h). GNT_OK, or a status after host->fail. */
gnt_status survivors_mask(const gnt_host *host, const gnt_views *update, const outliers *apart, int64_t want,
                          int32_t *masked, const float *const **mask);

#endif
