/* update: the tensors of an observed update, and how the client computed it. */
#ifndef ATTACKS_GRADIENT_UPDATE_H
#define ATTACKS_GRADIENT_UPDATE_H

#include "gauntlet/plugin.h"

/* True if there is one tensor, of its size, for each parameter that clients share. */
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

/* Returns the weight decay of the clients' local steps; 0 without steps, or if the host is too old to say. */
static inline double decay_of_steps(const gnt_observation *seen) {
    return seen->steps > 0 && GNT_HAS(gnt_observation, seen, decay) ? seen->decay : 0;
}

/* Returns GNT_OPTIMIZER_* of local steps; SGD without steps, or if the host is too old to say. */
static inline int32_t optimizer_of_steps(const gnt_observation *seen) {
    return seen->steps > 0 && GNT_HAS(gnt_observation, seen, optimizer) ? seen->optimizer : GNT_OPTIMIZER_SGD;
}

/* Sets the fields of a spec that reproduce how the update was computed, except the order: samples, steps,
 * and the clients' optimizer, momentum and decay. */
static inline void spec_unroll(gnt_function_spec *spec, const gnt_observation *seen) {
    spec->size = sizeof *spec;
    spec->n = seen->n;
    spec->steps = seen->steps;
    spec->batch = seen->batch;
    spec->training = -1;
    spec->momentum = seen->steps > 0 ? seen->momentum : 0;
    spec->decay = decay_of_steps(seen);
    spec->optimizer = optimizer_of_steps(seen);
}

/* Returns the number of entries of all tensors. */
static inline int64_t entries_of(const gnt_views *update) {
    int64_t n = 0;
    for (int64_t t = 0; t < update->n; t++)
        n += update->view[t].count;
    return n;
}

/* Returns the sum of the squares of a tensor's entries. */
static inline double squares_of(const gnt_view *v) {
    double sum = 0;
    for (int64_t i = 0; i < v->count; i++)
        sum += (double)v->data[i] * (double)v->data[i];
    return sum;
}

#endif
