/* defense: the defense behind an attack's made-up observations, for attacks that answer one defense alone.
 *
 * It is opened and prepared as in a run, so that updates and encodings are its own, and its artefacts can be
 * shown to an adaptive attacker.
 *
 * Ownership: gnt_vet_defense_free frees it; artefacts lie on the guard pages of the setting, which must be
 * freed later. Errors: −1 with a sentence. */
#ifndef GNT_VET_DEFENSE_H
#define GNT_VET_DEFENSE_H

#include "vet/models.h"

typedef struct gnt_vet_defense gnt_vet_defense;

/* With the setting's network and samples. `d` and `params` outlive it. */
int gnt_vet_defense_open(gnt_vet_defense **out, gnt_vet_setting *s, const gnt_descriptor *d,
                         const gnt_params *params, gnt_err *err);
/* NULL is fine. */
void gnt_vet_defense_free(gnt_vet_defense *d);
/* A chain of this one member. */
const gnt_chain *gnt_vet_defense_chain(const gnt_vet_defense *d);
/* Every attribute of the setting's samples, which the defense hides and attacks are not told of. */
gnt_fl_hidden gnt_vet_defense_hidden(const gnt_vet_defense *d);
/* What it prepared. NULL: it prepared nothing, or its artefacts are private. */
gnt_artefacts *gnt_vet_defense_artefacts(const gnt_vet_defense *d);

#endif
