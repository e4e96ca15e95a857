/* survivors: what each entry of an update reveals if the update may have been pruned by magnitude.
 *
 * An entry that is not zero is the gradient's own. A zero means that the gradient's entry was no larger
 * than the least that survived. So a zero is compared with that bound: a candidate pays for the amount by
 * which its own entry exceeds it, and nothing within it. In an update that was not pruned the least entry
 * is almost 0, so that the zeros of dead units or black pixels are matched as zeros: the rule need not
 * guess whether an update was pruned, as a 0/1 mask has to. */
#ifndef GRADIENT_SURVIVORS_H
#define GRADIENT_SURVIVORS_H

#include "gauntlet/plugin.h"
#include "defense/outliers.h"

enum { SURVIVORS_AUTO, SURVIVORS_NEVER, SURVIVORS_ALWAYS };

/* Refuses SURVIVORS_NEVER where the defense leaves zeros, and a clip that is unread: an attack that is
 * granted the defense counts as adaptive, so it has to use all of it. */
gnt_status survivors_check(const gnt_host *host, const gnt_observation *seen, int64_t mask_zeros);
extern const char *const survivors_choices[]; /* of a parameter, in this order */

/* Decides by `want` and by the update's entries whether zeros are left out of the match, and reports it as
 * the fact `zeros_masked`. With SURVIVORS_AUTO all of them are left out if the update looks pruned by
 * magnitude, and so are columns that a defense zeroed (zeroed_columns.h). Outliers (outliers_find) are left
 * out in any case. *mask: for GNT_FN_MATCH, one pointer for each tensor, scratch of the hook; NULL if
 * *masked is 0. The update is whole (update.h). GNT_OK, or a status after host->fail. */
gnt_status survivors_mask(const gnt_host *host, const gnt_observation *seen, const outliers *apart,
                          int64_t want, int32_t *masked, const float *const **mask);

/* Sets bound[t] to the bound on the magnitude of the zeros of tensor t, in the update's units: 0 with
 * SURVIVORS_NEVER, infinity with SURVIVORS_ALWAYS, else the least survivor of that tensor, or of the whole
 * update if the tensor has none. `together`: the entries of all tensors are known to have been pruned by
 * one threshold, so that the least survivor of all bounds each. Outliers do not count. bound: update->n
 * entries. */
void survivors_bounds(const gnt_views *update, const outliers *apart, int64_t want, int together,
                      float *bound);

#endif
