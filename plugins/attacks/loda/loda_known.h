/* loda_known: the parameters of loda for an attacker that is granted the defense: its extractor, its
 * layers and c. */
#ifndef LODA_KNOWN_H
#define LODA_KNOWN_H

#include "shared/loda/layer_features.h"

typedef struct known {
    features g;
    double c;
} known;

/* Reads them from an observation, or from the setting of prepare. Returns GNT_UNSUPPORTED, after host->fail,
 * for another defense. */
gnt_status known_open(known *k, const gnt_host *host, const gnt_observation *seen);

/* Computes the number of encodings to answer: those of the first pass over the set. Returns GNT_UNSUPPORTED
 * if there are none, or if they are not images of the extractor. */
gnt_status known_targets(const known *k, const gnt_observation *seen, int64_t *n);

#endif
