/* known_defense: what the grant of the defense tells an attack that matches updates. */
#ifndef GRADIENT_KNOWN_DEFENSE_H
#define GRADIENT_KNOWN_DEFENSE_H

#include "gauntlet/plugin.h"

typedef struct known_defense {
    int pruned_together; /* all entries of the update by one threshold */
    double clip;         /* bound of the norm; 0: none is known */
    int clip_each;       /* each tensor is clipped on its own */
    int clip_l1;         /* the norm is L1, else L2 */
    double mean,
        noise; /* of the noise in every entry: its mean and its standard deviation; 0: none is known */
} known_defense;

/* All 0 where the defense was not granted, or is none of prune and dp-*. */
known_defense known_defense_of(const gnt_observation *seen);

#endif
