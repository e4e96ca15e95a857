/* granted_distance: the distance between updates for one who is granted the defense, which transforms the
 * candidate's update as the defense did the client's.
 *
 * As published (Li et al., CVPR 2022, section 4.3): an update that a clip shortened is compared with the
 * candidate's clipped to the observed norm, a pruned one where its entries survived. With `l2` this is the
 * residual of idlg (cost/residual.h). The other two see directions alone, which only a clip of each tensor
 * changes (cost/clipped_cosine.h). */
#ifndef GRADIENT_GRANTED_DISTANCE_H
#define GRADIENT_GRANTED_DISTANCE_H

#include "cost/residual.h"
#include "gauntlet/plugin.h"

typedef enum granted_distance_kind {
    GRANTED_NONE, /* the host computes the distance */
    GRANTED_L2,
    GRANTED_COSINE,        /* 1 − cos */
    GRANTED_COSINE_SQUARED /* 1 − cos² */
} granted_distance_kind;

typedef struct granted_distance {
    granted_distance_kind kind;
    residual residual; /* of GRANTED_L2 */
    seen_clip clip;    /* of the cosines */
    float **d_u;       /* of the distance by the update, one tensor for each */
} granted_distance;

/* Binds an observation. `cost`: GNT_COST_*; choices as in match_bind. The kind is GRANTED_NONE if nothing
 * was granted or if what was granted does not change this distance. GNT_OK, or a status after host->fail. */
gnt_status granted_distance_open(granted_distance *g, const gnt_host *host, const gnt_observation *seen,
                                 int32_t cost, int64_t mask_zeros, int64_t outlier_choice);

/* Returns the distance of the update u, relative to what was observed; sets g->d_u. The kind is not
 * GRANTED_NONE. observed, mask: as match_bind sets them. */
double granted_distance_of(granted_distance *g, const gnt_views *u, const float *const *observed,
                           const float *const *mask);

#endif
