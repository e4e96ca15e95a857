/* model_service: the host's side of gnt_model_service: the model as functions that are prepared once and
 * replayed.
 *
 * One function is one program with stages: eval is stage 0, vjp stage 1 (cotangents are its inputs), jvp
 * stage 2. After an eval, vjp and jvp may be run any number of times in any order. Outputs are views of the
 * program's own memory, and none of the three allocates. The host may use the same service for its own
 * updates and logits.
 *
 * A service serves one instance (or one host loop) on one thread; the model behind it may be shared, it is
 * constant. */
#ifndef GNT_PLUGIN_MODEL_SERVICE_H
#define GNT_PLUGIN_MODEL_SERVICE_H

#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "gauntlet/plugin.h"
#include "nn/model/model.h"

typedef struct gnt_service gnt_service;

typedef struct gnt_service_spec {
    const gnt_model *model; /* outlives the service */
    const char *name;       /* of the model, for info->name; copied */
    /* as the model was parsed with: an entry for each channel or feature, or NULL; copied */
    const double *mean, *deviation;
    int training;        /* meaning of spec.training −1: 1: batch statistics, 0: running statistics */
    size_t memory;       /* limit on the arena bytes of all live functions; 0: none */
    gnt_service *errors; /* service that gets the error messages, outlives this one; NULL: this one */
} gnt_service_spec;

int gnt_service_new(gnt_service **out, const gnt_service_spec *spec, gnt_err *err);
void gnt_service_free(gnt_service *s); /* releases every function; NULL is allowed */
const gnt_model_service *gnt_service_table(const gnt_service *s);
/* Returns the message of the last call that failed, of this service or of those that share its messages; "":
 * none. */
const char *gnt_service_error(const gnt_service *s);
void gnt_service_say(gnt_service *s, const char *sentence); /* sets the message */
void gnt_service_release_all(gnt_service *s);
size_t gnt_service_bytes(const gnt_service *s); /* arena bytes of the functions now live */

#endif
