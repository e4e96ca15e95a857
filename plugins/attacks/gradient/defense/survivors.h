/* survivors: what each entry of an update says that may have been pruned by magnitude.
 *
 * An entry that is not zero is the gradient's own. One that is zero says that the gradient's was no larger
 * than the least entry that survived. So a zero is worth no more than that bound: a candidate pays for
 * what its own entry exceeds it by, and nothing within it. In an update that nobody pruned the least entry
 * is next to nothing, and zeros of dead units or black pixels are matched as what they are: the rule needs
 * no guess whether an update was pruned. A 0/1 mask cannot say this, and has to guess. */
#ifndef GRADIENT_SURVIVORS_H
#define GRADIENT_SURVIVORS_H

#include "gauntlet/plugin.h"
#include "defense/outliers.h"

enum { SURVIVORS_AUTO, SURVIVORS_NEVER, SURVIVORS_ALWAYS };

/* Who is granted the defense counts as an attack that knows it, and has to use what it tells: refuses
 * SURVIVORS_NEVER where the defense leaves zeros, and a clip that is unread. */
gnt_status survivors_check(const gnt_host *host, const gnt_observation *seen, int64_t mask_zeros);
extern const char *const survivors_choices[]; /* of a parameter, in this order */

/* Settles by `want` and by what the update looks like whether entries that are zero are left out of the
 * match, and reports it as the fact `zeros_masked`. With SURVIVORS_AUTO these are all of them where the
 * update looks pruned by magnitude, and columns that a defense zeroed (zeroed_columns.h). Outliers
 * (outliers_find) are left out in any case. *mask: for GNT_FN_MATCH, one pointer for each tensor, scratch of
 * the hook; NULL when *masked is 0. The update is whole (update.h). GNT_OK, or a status after host->fail. */
gnt_status survivors_mask(const gnt_host *host, const gnt_observation *seen, const outliers *apart,
                          int64_t want, int32_t *masked, const float *const **mask);

/* For each tensor what its zeros are known to lie within, in the update's units: with SURVIVORS_NEVER 0,
 * with SURVIVORS_ALWAYS infinity, else the least survivor of that tensor, or of the whole update where the
 * tensor has none. `together`: the entries of all tensors are known to have been pruned by one threshold,
 * so that the least survivor of all bounds each. Outliers do not count. bound: update->n entries. */
void survivors_bounds(const gnt_views *update, const outliers *apart, int64_t want, int together,
                      float *bound);

#endif
