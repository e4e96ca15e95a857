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

/* Fills in what the observation says of how its update came about: samples, steps, momentum and decay of
 * the clients. The decay is 0 where the host is too old to tell it. */
static inline void spec_unroll(gnt_function_spec *spec, const gnt_observation *seen) {
    spec->size = sizeof *spec;
    spec->n = seen->n;
    spec->steps = seen->steps;
    spec->batch = seen->batch;
    spec->training = -1;
    if (seen->steps == 0)
        return;
    spec->momentum = seen->momentum;
    spec->decay = GNT_HAS(gnt_observation, seen, decay) ? seen->decay : 0;
}

#endif
