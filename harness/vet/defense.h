/* vet_defense: the defense that stands behind made-up observations, for attacks that answer one defense
 * alone: opened and prepared as in a run, so that updates and encodings are its own and an adaptive attacker
 * is told of it. */
#ifndef GNT_JOB_VET_DEFENSE_H
#define GNT_JOB_VET_DEFENSE_H

#include "vet/models.h"

typedef struct gnt_vet_defense gnt_vet_defense;

/* Of the setting's network and samples. `d` and `params` outlive it. */
int gnt_vet_defense_open(gnt_vet_defense **out, gnt_vet_setting *s, const gnt_descriptor *d,
                         const gnt_params *params, gnt_err *err);
void gnt_vet_defense_free(gnt_vet_defense *d); /* NULL is fine */
/* A chain of this one member. */
const gnt_chain *gnt_vet_defense_chain(const gnt_vet_defense *d);
/* What it prepared, on guard pages; NULL where there is nothing, or it keeps it from attackers. */
gnt_artefacts *gnt_vet_defense_artefacts(const gnt_vet_defense *d);

#endif
