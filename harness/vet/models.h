/* models: the model services of one plugin in a synthetic setting.
 *
 * Ownership: gnt_vet_models_close frees everything, after a failed open too. The setting outlives it.
 * Errors: −1 with a message. */
#ifndef GNT_VET_MODELS_H
#define GNT_VET_MODELS_H

#include "plugin/load.h"
#include "vet/setting.h"

typedef struct gnt_vet_models {
    /* Service of the setting's network. */
    gnt_service *service;
    /* Service of the setting's extractor; NULL: no parameter names a model. */
    gnt_service *extractor;
    /* One for each parameter of GNT_TYPE_MODEL that names a model; all of them name the extractor. */
    gnt_instance_model *model;
    size_t n;
} gnt_vet_models;

/* Opens the models that parameters name. more: parameters of the defense, whose models an attack may open
 * if it is granted the defense; or NULL. */
int gnt_vet_models_open(gnt_vet_models *m, const gnt_vet_setting *s, const gnt_params *params,
                        const gnt_params *more, gnt_err *err);
void gnt_vet_models_close(gnt_vet_models *m);

#endif
