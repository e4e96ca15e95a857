/* learnt: attacks that learn to invert a defense from pairs (x, E(x)) that it made of shadow data. For
 * encodings: `ridge`, a linear filter or map, and `decoder`, a small U-Net. For updates: `update-decoder`, a
 * linear map of features (update_features.h, dual_ridge.h). They know neither the defense's parameters nor
 * its networks. */
#ifndef LEARNT_H
#define LEARNT_H

#include <stdint.h>

#include "gauntlet/plugin.h"

/* Members of all descriptors; T: the plugin's struct. */
#define LEARNT_ATTACK(T)                                                                                     \
    GNT_PARAMETERS(parameters), .goals = GNT_GOAL_RECONSTRUCTION, .needs = GNT_KNOWS_SHADOW_OBS,             \
                                .uses = GNT_KNOWS_SHADOW_OBS, .families = families, .attack = &hooks,        \
                                .instance_size = GNT_INSTANCE(T)

extern const gnt_descriptor learnt_ridge, learnt_decoder, learnt_update_decoder;

/* ---- pairs.c ---- */

typedef struct learnt_pair {
    const float *encoded, *label, *x; /* C×H×W; classes (as released); C×H×W; owned by the host */
} learnt_pair;

typedef struct learnt_pairs {
    int64_t n, channels, height, width, classes;
    learnt_pair *pair; /* scratch of the hook, in an order drawn from the stream "pairs" */
} learnt_pairs;

/* Lists all pairs of the shadow observations. An encoding belongs to the sample that its id names (the one
 * with the largest share in it). Fails if there are too few. */
gnt_status learnt_pairs_make(learnt_pairs *p, const gnt_host *host, const gnt_attack_prepare *in);

/* Computes the number of encodings that `run` answers: as many as there are samples in the set, its first
 * pass. Returns GNT_UNSUPPORTED if none was observed; fails if their shape is not that of the training
 * data. */
gnt_status learnt_targets(const gnt_host *host, const gnt_observation *seen, int64_t features, int64_t *n);

/* Returns the tensor `name` of the artefacts with `count` entries; NULL after host->fail. */
const float *learnt_artefact(const gnt_host *host, const gnt_artefacts *own, const char *name, int64_t count);

#endif
