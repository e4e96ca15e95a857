/* vet_models: the model services of one plugin in a made-up setting. */
#ifndef GNT_JOB_VET_MODELS_H
#define GNT_JOB_VET_MODELS_H

#include "vet/setting.h"
#include "plugin/load.h"

typedef struct gnt_vet_models {
    gnt_service *service, *named; /* named: of the model that every parameter of GNT_TYPE_MODEL names */
    gnt_instance_model *model;    /* one for each such parameter */
    size_t n;
} gnt_vet_models;

/* Every parameter that names a model of the suite names the setting's extractor. `more`, or NULL: the
 * parameters of the defense, whose models an attack may open that is told of it. Close it after a failure
 * too. */
int gnt_vet_models_open(gnt_vet_models *m, const gnt_vet_setting *s, const gnt_params *params,
                        const gnt_params *more, gnt_err *err);
void gnt_vet_models_close(gnt_vet_models *m);

#endif
