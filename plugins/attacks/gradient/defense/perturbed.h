/* perturbed: the entries of an update that granted recup, sign-noise or fgsm may have moved.
 *
 * In each pooling window the defense moves the entry that its networks read, the largest at that time, by a
 * whole step of ε, and this at most P times. An entry that was never within reach of the window's maximum
 * is the gradient's own, to the last bit. Most entries of an update are, and they are enough to match.
 * Source of the defense: RecUP-FL (2023), Algorithm 1 and Eq. 10 to 14. */
#ifndef GRADIENT_PERTURBED_H
#define GRADIENT_PERTURBED_H

#include <stdint.h>

#include "gauntlet/plugin.h"

/* The plugins whose parameters perturbed_read reads, for gnt_descriptor.families. */
#define PERTURBING_DEFENSES                                                                                  \
    "sign-noise", "recup", "fgsm-one", "fgsm-avg", "fgsm-momentum", "fgsm-iter", "recup-random-target"

typedef struct perturbed {
    int64_t window; /* of max pooling over the flat update */
    /* How far below its window's maximum a moved entry may lie. It was read where it was the largest,
     * within the less than ε by which the first Q − 1 networks move a copy; it then fell by at most ε, and
     * the maximum rose by at most Pε in all: (P + 2)ε. P is 1 for one step of FGSM, for Q steps of ε/Q, and
     * where one attribute is hidden, with weight 1; the same is taken for several. */
    double reach;
    /* The iterations of sign-noise, each of which moves one entry of a window by ε, up or down; 0: not
     * limited. An entry that was moved was the maximum when it was last moved, so it lies at most ε below
     * the largest entry that never was, which is no less than the (moves + 1)-th largest of the window. */
    int64_t moves;
    /* Each move is a multiple of it. If hardly any entry of a tensor lies between two multiples, the
     * gradient of that tensor is small compared with the step: entries nearest to 0 were then not moved,
     * however near the maximum. */
    double step;
} perturbed;

/* Reads the granted defense. Returns 0 if the observation grants no such defense, or one of several in a
 * chain. */
int perturbed_read(perturbed *p, const gnt_observation *seen);

/* Sets of[t][i] to 1 for each entry i of tensor t that may have been moved. Entries that are 0 were not
 * moved, or were moved back. Returns how many it set; none if fewer than `least` other entries that are not
 * 0 would be left, since so few do not determine a sample. */
int64_t perturbed_mark(const perturbed *p, const gnt_views *update, int64_t least, uint8_t *const *of);

#endif
