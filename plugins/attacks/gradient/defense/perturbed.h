/* perturbed: which entries of an update a granted recup or fgsm defense may have moved.
 *
 * It moves in each pooling window the entry that its networks read, the largest at that time, by a whole step
 * of ε, and so at most P times. An entry that was never within reach of the window's maximum is the
 * gradient's own, to the last bit: those are most of an update, and enough to match. Source of the defense:
 * RecUP-FL (2023), Algorithm 1 and Eq. 10 to 14. */
#ifndef GRADIENT_PERTURBED_H
#define GRADIENT_PERTURBED_H

#include <stdint.h>

#include "gauntlet/plugin.h"

typedef struct perturbed {
    int64_t window; /* of max pooling over the flat update */
    /* How far below its window's maximum an entry may lie that was moved. It was read where it was the
     * largest, within the less than ε by which the first Q − 1 networks move a copy; it then fell by at most
     * ε, and the maximum rose by at most Pε in all: (P + 2)ε. One step of FGSM, or Q of ε/Q: P is 1. So
     * where one attribute is hidden, with weight 1; for several, the same is taken. */
    double reach;
    /* Each move is a whole multiple of it. Where next to no entry of a tensor lies between two multiples, its
     * gradient is small beside it: those nearest to 0 were then not moved, however near the maximum. */
    double step;
} perturbed;

/* 0 where the observation grants no such defense, or one of several in a chain. */
int perturbed_read(perturbed *p, const gnt_observation *seen);

/* Sets of[t][i] to 1 for each entry i of tensor t that may have been moved. Entries that are 0 were
 * not, or back again. Gives how many it set; none where nothing else that is not 0 would be left. */
int64_t perturbed_mark(const perturbed *p, const gnt_views *update, uint8_t *const *of);

#endif
