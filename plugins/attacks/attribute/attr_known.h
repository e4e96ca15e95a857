/* attr_known: the parameters of recup and the fgsm defenses, for attacks that are granted the defense. */
#ifndef ATTRIBUTE_ATTR_KNOWN_H
#define ATTRIBUTE_ATTR_KNOWN_H

#include "shared/attribute/perturb.h"

typedef struct attr_known {
    attr_perturbation how; /* epsilon 0: no defense */
    attr_reading reading;  /* of its zoo */
    int random_target;     /* it moves updates towards a value drawn at random */
} attr_known;

/* Reads them. Returns GNT_UNSUPPORTED, after host->fail, for another defense or several. */
gnt_status attr_known_read(attr_known *k, const gnt_host *host, const gnt_observation *setting);

#endif
