/* start_weights: the weights from which a training starts: fresh ones, or those of a file.
 *
 * Ownership: *own is the caller's, freed with gnt_free; NULL if clients keep no parameters. Errors: −1 with a
 * sentence. */
#ifndef GNT_JOB_START_WEIGHTS_H
#define GNT_JOB_START_WEIGHTS_H

#include "job/work/work.h"

/* Fills in the model's weights and buffers, and clients × gnt_model_own_size parameters that each keeps. */
int gnt_start_weights(gnt_work *w, const gnt_request_train *q, const gnt_model *m, float *weights,
                      float *buffers, float **own, gnt_err *err);

#endif
