/* profile: the group of public samples whose scores best match the noise of an update's layers.
 * region_layout.c has the formula. */
#ifndef GRADIENT_PROFILE_H
#define GRADIENT_PROFILE_H

#include "gauntlet/plugin.h"
#include "defense/layer_noise.h"

typedef struct profile {
    const gnt_host *host;
    const layer_noise *noise;
    const float *score; /* n × layers: S_l of public samples */
    int64_t n, layers;
    int64_t used;    /* noisy layers, which are compared; 0 unless there are two: nothing is inferred */
    double averaged; /* samples over which the client's scores are averaged */
    double *mean;    /* layers: room */
} profile;

/* Opens a profile of n public samples' scores. Memory is scratch of the hook; noise and score must outlive
 * it. GNT_OK, or a status after host->fail. */
gnt_status profile_open(profile *p, const gnt_host *host, const layer_noise *noise, const float *score,
                        int64_t n, int64_t averaged);

/* Computes belief, the log posterior of each group. group[i]: that of sample i; below 0 or from `groups`
 * on: none. A group without samples comes last. GNT_OK, or a status after host->fail. */
gnt_status profile_judge(const profile *p, const int32_t *group, int32_t groups, float *belief);

/* Groups of masks (n × plane, 0 or 1), at most so many: distinct ones, or with the nearest by the share of
 * their union that they have in common. */
enum { PROFILE_MASKS = 16 };
void profile_group_masks(const float *mask, int64_t n, int64_t plane, int32_t *group, int32_t *groups);

#endif
