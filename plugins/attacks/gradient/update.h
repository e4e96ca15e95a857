#ifndef ATTACKS_GRADIENT_UPDATE_H
#define ATTACKS_GRADIENT_UPDATE_H

#include "gauntlet/plugin.h"

/* Is there one tensor for each parameter that clients share, of its size? */
static inline int is_whole_update(const gnt_model_info *info, const gnt_views *update) {
    int64_t t = 0;
    for (int64_t i = 0; update && i < info->params.n; i++) {
        if (info->federated && !info->federated[i])
            continue;
        if (t >= update->n || update->view[t++].count != info->params.view[i].count)
            return 0;
    }
    return update && t == update->n;
}

/* Of the clients' local steps; 0 where there are none, or where the host is too old to tell. */
static inline double decay_of_steps(const gnt_observation *seen) {
    return seen->steps > 0 && GNT_HAS(gnt_observation, seen, decay) ? seen->decay : 0;
}

#endif
