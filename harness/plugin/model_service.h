/* model_service: the model as functions, prepared once and replayed: the host's side of gnt_model_service.
 *
 * One function is ONE program with stages: eval is stage 0, vjp stage 1 (cotangents are its inputs), jvp
 * stage 2. After an eval, vjp and jvp may be run any number of times in any order. Outputs are views of the
 * program's own memory. The host uses the same service for its own updates and logits.
 *
 * A service serves one instance (or one host loop) on one thread; the model behind it may be shared, it is
 * constant. */
#ifndef GNT_PLUGIN_MODEL_SERVICE_H
#define GNT_PLUGIN_MODEL_SERVICE_H

#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "gauntlet/plugin.h"
#include "nn/model.h"

typedef struct gnt_service gnt_service;

typedef struct gnt_service_spec {
    const gnt_model *model;         /* outlives the service */
    const char *name;               /* of the model, for info->name; copied */
    gnt_nn_shape sample;            /* one input: rank 1 or 3 */
    const double *mean, *deviation; /* as the model was parsed with: dim[0] entries each, or NULL; copied */
    int training;  /* what spec.training −1 stands for: 1 batch statistics, 0 running statistics */
    size_t memory; /* greatest arena bytes of all live functions together; 0: no limit */
} gnt_service_spec;

int gnt_service_new(gnt_service **out, const gnt_service_spec *spec, gnt_err *err);
void gnt_service_free(gnt_service *s); /* releases every function */
const gnt_model_service *gnt_service_table(const gnt_service *s);
const char *gnt_service_error(const gnt_service *s); /* of the last call that failed; "" when none did */
void gnt_service_release_all(gnt_service *s);
size_t gnt_service_bytes(const gnt_service *s); /* arena bytes of the functions now live */

/* For the host itself, with errors the house's way. `stats`: also compute batch-norm statistics of the
 * batches (legal with training statistics only, and only for functions of the loss, the logits, the features
 * and the update). */
gnt_function *gnt_service_prepare(gnt_service *s, const gnt_function_spec *spec, int stats, gnt_err *err);
/* After an eval: the statistic (mean, or unbiased variance) for buffer `buffer` (its number among the
 * buffers) of the batch of local step `step` (0 when there is but one); NULL when it has none. Valid until
 * the next eval. */
const float *gnt_service_stat(const gnt_function *f, int32_t step, int32_t buffer);

#endif
