/* The attacks made for the defense loda, in one shared object because they share their search. */
#ifndef LODA_H
#define LODA_H

#include "gauntlet/plugin.h"

/* Members of both descriptors; T: the plugin's struct. */
#define LODA_ATTACK(T)                                                                                       \
    GNT_PARAMETERS(parameters),                                                                              \
        .scope = GNT_SCOPE_TASK, .surfaces = GNT_SURFACE_ENCODING, .goals = GNT_GOAL_RECONSTRUCTION,         \
        .needs = GNT_KNOWS_DEFENSE, .uses = GNT_KNOWS_PUBLIC | GNT_KNOWS_SHADOW | GNT_KNOWS_SHADOW_OBS,      \
        .data_kinds = GNT_KIND_IMAGE, .families = families, .flags = GNT_FLAG_RANDOMISED,                    \
        .services = services, .attack = &hooks, .instance_size = GNT_INSTANCE(T)

extern const gnt_descriptor loda_inverse, loda_kkt;

#endif
