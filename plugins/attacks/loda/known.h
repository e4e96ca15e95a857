/* known: what an attacker who is granted the defense knows of loda: its extractor, its layers and c. */
#ifndef LODA_KNOWN_H
#define LODA_KNOWN_H

#include "shared/loda/features.h"

typedef struct known {
    features g;
    double c;
} known;

/* From an observation, or the setting that prepare is told. GNT_UNSUPPORTED with a sentence
 * where the defense is another. */
gnt_status known_open(known *k, const gnt_host *host, const gnt_observation *seen);

/* How many encodings are to be answered: those of the first pass over the set. GNT_UNSUPPORTED where there
 * are none, or where they are no images of the extractor. */
gnt_status known_targets(const known *k, const gnt_observation *seen, int64_t *n);

#endif
