/* refined_batch: samples whose active units are known, by weighted least squares. */
#ifndef GRADIENT_REFINED_BATCH_H
#define GRADIENT_REFINED_BATCH_H

#include "linear/column_choice.h"

/* Sets x, rank × (features + 1), to the samples x̃ of a choice, and error, rank, to the standard deviations
 * of their entries. GNT_OK, GNT_STOPPED, or a status after host->fail. */
gnt_status refined_batch(const gnt_host *host, const column_choice *c, const layer_rows *l, double *x,
                         double *error);

#endif
