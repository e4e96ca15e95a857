/* granted_defense: the noise, clip, pruning and zeroed columns that a granted defense is known to apply.
 *
 * The defense is one member or a chain of them, in the order in which they are applied. A parameter is read
 * only among those of its own member. The effect of any other plugin is unknown, whatever its parameters
 * are called. */
#ifndef GRADIENT_GRANTED_DEFENSE_H
#define GRADIENT_GRANTED_DEFENSE_H

#include "gauntlet/plugin.h"
#include "defense/noise_law.h"

/* The member fedre, uniform or fedre-sample, which clips each layer to C and adds noise to it. */
typedef struct layered_noise {
    double clip;         /* C; 0: there is no such member */
    const double *clips; /* C_l of each of n_clips layers, in place of C; NULL: none */
    int64_t n_clips;
    /* it clips gradients of samples, not the update (fedre-sample) */
    int of_samples;
    double epsilon, delta;
    /* the noise has a factor that is the client's own, by its number of samples or its preference; no grant
     * says which client it is */
    int by_client;
    int by_scores;   /* ε is divided among layers by scores of the sensitive region (fedre), else evenly */
    int64_t samples; /* over which scores are averaged; 0: not known */
    /* there is one layer, the whole update, of which the share `keep` of the entries stays (blur-lus, which
     * granted_sparse.h reads) */
    int is_whole;
    double keep;
} layered_noise;

typedef struct granted_defense {
    /* every member is none, prune, clip, dp-fedavg, dp-gaussian or dp-laplace, at most one of the last two
     * is there, and no clip follows it: this struct describes everything that was done to the update */
    int is_complete;
    /* the law of the member dp-gaussian or dp-laplace, whatever the other members are. It includes the
     * bound of a clip member, or of dp-fedavg, that precedes the noise, or that is used without noise (kind
     * is then NOISE_NONE). Of two consecutive bounds of one mode the lower one counts. All zeros if two
     * members add noise, since the sum of two laws is neither of them. */
    noise_law noise;
    /* the member whose clip this is comes first in the chain, so that it bounds the norm of the client's
     * own update. If it follows another, it bounds the norm of that member's output. */
    int noise_is_first;
    /* nothing follows the clip, not even noise: a norm below the bound was not changed */
    int clip_is_last;
    /* a clip member could not be made part of a known law: it follows noise, or is combined with a bound of
     * another mode or norm, or its parameters are not the known ones */
    int clip_is_unread;
    /* the member dp-gaussian or dp-laplace clips and noises these layers alone, together, by `of_layers`;
     * `noise` is then all zeros. NULL: no member names layers */
    const char *layers;
    noise_law of_layers;
    int is_alone; /* no other member changes the update */
    /* entries that are zero may be small ones */
    int pruned;
    /* … of all tensors, by one threshold, and were not scaled tensor by tensor since */
    int pruned_together;
    /* of the member soteria: the dense layer whose columns it zeroes, "" for the last one; NULL if none are
     * zeroed */
    const char *defended;
    /* of the member fedre, uniform or fedre-sample; is_complete is then 0 */
    layered_noise layered;
} granted_defense;

/* Reads the granted defense; all 0 if none was granted. */
granted_defense granted_defense_of(const gnt_observation *seen);

/* Refuses a clip that is unread, and noise in some layers alone in a chain with other members: an attack
 * that is granted the defense counts as adaptive, so it has to use all of it. GNT_OK, or GNT_UNSUPPORTED
 * after host->fail. */
gnt_status granted_defense_check(const gnt_host *host, const granted_defense *granted);

/* Sets *covered to a flag for each tensor of the update, 1 if the granted defense clips and noises it; to
 * NULL if it names no layers. Scratch of the hook. GNT_OK, or a status after host->fail. */
gnt_status granted_layers(const gnt_host *host, const granted_defense *granted, const gnt_views *update,
                          const uint8_t **covered);

#endif
