/* seen_clip: a granted clip, applied to a candidate's update before it is compared with the observed one.
 *
 * A clip sends o = s·v, s = min(1, C/‖v‖): if it shortened v, it hides the length of v. If nothing follows
 * the clip, only rounding changes ‖o‖ afterwards, so that ‖o‖ reveals whether v was shortened:
 *  - ‖o‖ < C: s was 1, and the candidate is compared as it is.
 *  - ‖o‖ = C: the candidate is scaled to length C, whatever its own. Σ (s·u − o)² is then 2C²·(1 − cos):
 *    only directions are compared, and a candidate of too small a norm costs no less for it.
 *  - If noise or another member follows, s is that of the candidate: min(1, C/‖u‖).
 * Norms are those of the whole update or of each tensor. If a clip without noise follows other members of a
 * chain, they are norms of those members' output: of the entries that are not 0 in o. */
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
    int survivors;  /* norms are over the entries that are not 0 in `seen` */
} seen_clip;

/* Binds one observation. The law is all zeros if none is known, or if noise hides which entries were
 * counted by a clip that follows another member. Scratch of the hook. GNT_OK, or a status after host->fail.
 */
gnt_status seen_clip_open(seen_clip *c, const gnt_host *host, const granted_defense *granted,
                          const gnt_views *seen);

/* True if the clip may have shortened tensor t on its own, by another factor than the next. */
int seen_clip_shortened(const seen_clip *c, int64_t t);

/* True if the clip may change the direction of the update: seen_clip_shortened of any tensor. */
int seen_clip_turns(const seen_clip *c);

/* Returns the clip of the tensors that are clipped together, from tensor t on. */
noise_clip seen_clip_of(const seen_clip *c, const gnt_views *u, int64_t t);

/* Turns the derivatives d by s(u)·u into those by u, as noise_clip_vjp does. clip: from seen_clip_of; d: a
 * tensor for each of u's. */
void seen_clip_vjp(const seen_clip *c, noise_clip clip, const gnt_views *u, int64_t t, float *const *d);

#endif
