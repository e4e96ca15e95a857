/* Defenses of private attributes. */
#ifndef DEFENSE_ATTRIBUTE_DEFENSES_H
#define DEFENSE_ATTRIBUTE_DEFENSES_H

#include "gauntlet/plugin.h"

extern const gnt_descriptor recup, recup_random_target, fgsm_one, fgsm_avg, fgsm_iter,
    fgsm_momentum; /* recup.c */
extern const gnt_descriptor sign_noise;

#endif
