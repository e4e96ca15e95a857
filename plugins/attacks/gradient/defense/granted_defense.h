/* granted_defense: what the grant of a defense tells of noise, clip, pruning and zeroed columns.
 *
 * The defense is one member or a chain of them, in the order in which they work. A parameter counts only
 * among those of its own member, and what another plugin does is unknown, whatever its parameters are
 * called. */
#ifndef GRADIENT_GRANTED_DEFENSE_H
#define GRADIENT_GRANTED_DEFENSE_H

#include "gauntlet/plugin.h"
#include "defense/noise_law.h"

/* The member fedre or uniform, which clips each layer to C and adds noise of its own to each. */
typedef struct layered_noise {
    double clip; /* C; 0: there is no such member */
    double epsilon, delta;
    int by_scores;   /* ε is dealt to the layers by scores of the sensitive region (fedre), else evenly */
    int64_t samples; /* that scores are the mean of; 0: not told */
} layered_noise;

typedef struct granted_defense {
    /* every member is none, prune, clip, dp-gaussian or dp-laplace, at most one adds noise, and no clip is
     * behind it: here is all that was done to the update */
    int is_complete;
    /* of the member dp-gaussian or dp-laplace, whatever stands beside it, with the clip of the member clip
     * where that stands before it or alone: kind is then NOISE_NONE. Two bounds of one mode, one behind the
     * other, are the lower one. All zeros where two members add noise: the sum of two laws is neither. */
    noise_law noise;
    /* the member whose clip this is comes first, so that it bounds the norm of the client's own update.
     * Behind another it bounds the norm of what that one left. */
    int noise_is_first;
    /* nothing follows it, noise neither: a norm that stayed below the bound was not changed */
    int clip_is_last;
    /* a member clip is in no law that is known here: it stands behind noise, or beside a bound of another
     * mode or norm, or its parameters are not those that are known */
    int clip_is_unread;
    /* entries that are zero may be small ones */
    int pruned;
    /* … of all tensors, by one threshold, and were not scaled tensor by tensor since */
    int pruned_together;
    /* of the member soteria: the dense layer that it zeroes columns of, "" for the last one; NULL where it
     * zeroes none */
    const char *defended;
    /* is_complete is 0 beside it */
    layered_noise layered;
} granted_defense;

/* All 0 where the defense was not granted. */
granted_defense granted_defense_of(const gnt_observation *seen);

/* Who is granted the defense counts as an attack that knows it: refuses a clip that is unread. GNT_OK, or
 * GNT_UNSUPPORTED after host->fail. */
gnt_status granted_defense_check(const gnt_host *host, const granted_defense *granted);

#endif
