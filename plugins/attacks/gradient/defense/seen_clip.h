/* seen_clip: what a granted clip makes of a candidate's update, beside the one that was observed behind it.
 *
 * A clip sends o = s·v, s = min(1, C/‖v‖): what it hides is the length of v where it shortened it. Nothing
 * but rounding changes ‖o‖ afterwards where nothing follows the clip, so that ‖o‖ tells whether it did:
 *  - ‖o‖ < C: s was 1, and the candidate is compared as it is.
 *  - ‖o‖ = C: the candidate is brought to the length C, whatever its own. What is left of Σ (s·u − o)² is
 *    2C²·(1 − cos): only directions are compared, and a candidate that is too faint costs no less for it.
 *  - Where noise or another member follows, s is what the clip makes of the candidate: min(1, C/‖u‖).
 * Norms are those of the whole update or of each tensor, and where a clip without noise stands behind other
 * members of a chain, of what these left: the entries that are not 0 in o. */
#ifndef GRADIENT_SEEN_CLIP_H
#define GRADIENT_SEEN_CLIP_H

#include "gauntlet/plugin.h"
#include "defense/granted_defense.h"
#include "defense/noise_law.h"

/* Zeros: no clip. */
typedef struct seen_clip {
    noise_law law; /* the noise's too */
    const gnt_views *seen;
    uint8_t *state; /* of each tensor, those that are clipped together alike; NULL behind noise, or no clip */
    int survivors;  /* norms are of the entries that are not 0 in `seen` */
} seen_clip;

/* No law where none is known, or where noise hides which entries a clip behind another member has counted.
 * Scratch of the hook. GNT_OK, or a status after host->fail. */
gnt_status seen_clip_open(seen_clip *c, const gnt_host *host, const granted_defense *granted,
                          const gnt_views *seen);

/* May it have shortened tensor t on its own, by another factor than the next? */
int seen_clip_shortened(const seen_clip *c, int64_t t);

/* … any tensor? */
int seen_clip_turns(const seen_clip *c);

/* Returns the clip of the tensors that are clipped together, from tensor t on. */
noise_clip seen_clip_of(const seen_clip *c, const gnt_views *u, int64_t t);

/* As noise_clip_vjp: the derivatives d by s(u)·u become those by u. clip: seen_clip_of them. d: a tensor for
 * each of u's. */
void seen_clip_vjp(const seen_clip *c, noise_clip clip, const gnt_views *u, int64_t t, float *const *d);

#endif
