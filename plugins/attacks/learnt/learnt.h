/* learnt: attacks that learn the way back from pairs (x, E(x)) which the defense under test made of shadow
 * data. Of encodings: `ridge` is one 5×5 linear filter, `decoder` a small U-Net. Of updates: `update-decoder`
 * is a linear map of features (update_features.h, dual_ridge.h). What they know of the defense is
 * what it does to data that the adversary has; neither its parameters nor its networks. */
#ifndef LEARNT_H
#define LEARNT_H

#include <stdint.h>

#include "gauntlet/plugin.h"

extern const gnt_descriptor learnt_ridge, learnt_decoder, learnt_update_decoder;

/* ---- pairs.c ---- */

typedef struct learnt_pair {
    const float *encoded, *label, *x; /* C×H×W, classes (what was released), C×H×W: the host's */
} learnt_pair;

typedef struct learnt_pairs {
    int64_t n, channels, height, width, classes;
    learnt_pair *pair; /* scratch of the hook, in an order drawn from the stream "pairs" */
} learnt_pairs;

/* All pairs of the shadow observations. An encoding belongs to the sample its id names (the one it is mostly
 * of). Fails with a sentence where there is nothing to learn from. */
gnt_status learnt_pairs_make(learnt_pairs *p, const gnt_host *host, const gnt_attack_prepare *in);

/* What `run` answers: as many encodings as there are samples in the set, the first pass over it. Fails with
 * GNT_UNSUPPORTED where none was observed, or where they are not of the shape learnt on. */
gnt_status learnt_targets(const gnt_host *host, const gnt_observation *seen, int64_t features, int64_t *n);

/* The tensor `name` of the artefacts with `count` entries; NULL after a sentence. */
const float *learnt_artefact(const gnt_host *host, const gnt_artefacts *own, const char *name, int64_t count);

#endif
