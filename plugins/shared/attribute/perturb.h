/* perturb: the perturbations of RecUP-FL (2023) against one attribute: Algorithm 1 (Eq. 4–8) and the four
 * forms of FGSM that it is compared with (Eq. 10–14).
 *
 * Where the paper leaves a choice: line 23 of Algorithm 1 is outside its loop (inside, the changes of earlier
 * iterations would be added again), so an entry moves by at most P·ε. Eq. 13 and 14 lack the derivative's
 * sign ∇, which is added. sign(0) is 0: an entry that no network reads does not change. */
#ifndef ATTRIBUTE_PERTURB_H
#define ATTRIBUTE_PERTURB_H

#include "shared/attribute/zoo.h"

typedef enum attr_method {
    ATTR_META,     /* Algorithm 1 */
    ATTR_ONE,      /* Eq. 10: one step against one network */
    ATTR_AVERAGE,  /* Eq. 11: the mean of one step against each of Q networks */
    ATTR_ITERATED, /* Eq. 12: a step of ε/Q against each of Q networks in turn */
    ATTR_MOMENTUM  /* Eq. 13, 14: as Eq. 12, along a running sum of derivatives */
} attr_method;

/* Sums of cosines over the iterations of META: of what the meta-train steps moved the update by with the
 * meta-test step (`learnt`), and with the step that the same network would take at the update itself
 * (`unlearnt`), by which the paper's Appendix I explains why perturbations transfer. */
typedef struct attr_agreement {
    double learnt, unlearnt;
    int64_t n;
} attr_agreement;

typedef struct attr_perturbation {
    attr_method method;
    int64_t iterations; /* P, of META */
    int64_t drawn;      /* Q; at most the zoo's networks */
    double epsilon;
    int toward;                /* 0: away from the label, as the paper; 1: towards it */
    attr_agreement *agreement; /* of META with Q > 1, added to; NULL: not computed */
} attr_perturbation;

/* Memory of attr_perturb, for an open zoo. */
typedef struct attr_room {
    float *base, *sum; /* rows × size */
    float **work;      /* rows */
} attr_room;
/* Allocates it as scratch of the hook. */
gnt_status attr_room_open(attr_room *room, const attr_zoo *zoo);

/* Changes the zoo's `rows` updates in place, each against its label. The networks are drawn from the
 * host's stream "drawn", for all rows the same. */
gnt_status attr_perturb(const attr_perturbation *p, attr_zoo *zoo, attr_room *room, float *const *update,
                        const int32_t *label);

#endif
