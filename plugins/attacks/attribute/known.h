/* known: what an attack that is told of the defense knows of recup and the fgsm defenses. */
#ifndef ATTRIBUTE_KNOWN_H
#define ATTRIBUTE_KNOWN_H

#include "shared/attribute/perturb.h"

typedef struct attr_known {
    attr_perturbation how; /* epsilon 0: there is no defense */
    attr_reading reading;  /* of its zoo */
    int random_target;     /* it moves updates towards a value drawn at random */
} attr_known;

/* GNT_UNSUPPORTED after host->fail where it is another defense, or one of several. */
gnt_status attr_known_read(attr_known *k, const gnt_host *host, const gnt_observation *setting);

#endif
