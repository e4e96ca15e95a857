/* defense: the defense that produces an attack's synthetic observations, for attacks on one defense only.
 *
 * It is opened and prepared as in a run, so that updates and encodings are its own, and its artefacts can be
 * granted to an adaptive attacker.
 *
 * Ownership: gnt_vet_defense_free frees it; artefacts are on the guard pages of the setting, which must be
 * freed later. Errors: −1 with a message. */
#ifndef GNT_VET_DEFENSE_H
#define GNT_VET_DEFENSE_H

#include "vet/models.h"

typedef struct gnt_vet_defense gnt_vet_defense;

/* Opens it with the setting's network and samples. `d` and `params` must outlive it. */
int gnt_vet_defense_open(gnt_vet_defense **out, gnt_vet_setting *s, const gnt_descriptor *d,
                         const gnt_params *params, gnt_err *err);
/* Frees the defense, which may be NULL. */
void gnt_vet_defense_free(gnt_vet_defense *d);
/* Returns a chain of this one member. */
const gnt_chain *gnt_vet_defense_chain(const gnt_vet_defense *d);
/* Returns every attribute of the setting's samples, which the defense hides and attacks do not see. */
gnt_fl_hidden gnt_vet_defense_hidden(const gnt_vet_defense *d);
/* Returns its artefacts; NULL: it prepared none, or they are private. */
gnt_artefacts *gnt_vet_defense_artefacts(const gnt_vet_defense *d);

#endif
