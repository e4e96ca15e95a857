/* common_rows: one vector that a defense added to all rows of the last layer.
 *
 * A softmax does not change where all scores do by the same number. So in any gradient of its cross entropy
 * the rows of the last dense layer sum to 0 over the classes, and so does its bias; a vector that is added
 * to all rows costs a model no accuracy, stays in the update whatever the candidate, and can be as long as
 * a defense likes: costs then compare little else. The mean over the rows is that vector, and is taken off.
 *
 * A column with an entry that pruning set to 0, or with an outlier, stays as it is: its sum says nothing.
 * So does the update where the sum is no more than rounding, where clients' steps have weight decay, whose
 * rows do not sum to 0, and where a defense that adds noise was granted: costs count that noise in every
 * entry. */
#ifndef GRADIENT_COMMON_ROWS_H
#define GRADIENT_COMMON_ROWS_H

#include "gauntlet/plugin.h"

/* Sets *out to the observation without that vector: a copy of `seen`, whose update is scratch of the hook
 * where it had one. Reports the fact `common_rows`, its share of the update's square norm, if so.
 * outlier_choice: as outliers_find takes it. GNT_OK, or a status after host->fail. */
gnt_status common_rows_off(gnt_observation *out, const gnt_host *host, const gnt_observation *seen,
                           int64_t outlier_choice);

#endif
