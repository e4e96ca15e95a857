/* attack_setting: what an attack's request says of all observations alike: what is known of the defense,
 * goals, budget.
 *
 * Ownership: a gnt_attack_setting owns what members of the observation point to. The request outlives it.
 * Errors: −1 with a sentence. */
#ifndef GNT_JOB_ATTACK_SETTING_H
#define GNT_JOB_ATTACK_SETTING_H

#include "job/work/artefacts.h"
#include "job/work/work.h"

typedef struct gnt_attack_setting {
    /* Parameters of the defense, where they are granted; else NULL. */
    gnt_value *value;
    /* Public artefacts of the defense: inputs "defense_artefacts.I". */
    gnt_artefact_set defense;
} gnt_attack_setting;

/* Fills the members of `o` that the request decides. */
int gnt_attack_setting_open(gnt_attack_setting *s, gnt_work *w, const gnt_request_attacker *q,
                            gnt_observation *o, gnt_err *err);
void gnt_attack_setting_free(gnt_attack_setting *s);

#endif
