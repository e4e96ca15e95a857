/* Attacks that infer a private attribute from an update, learnt from updates of shadow samples. They share
 * the processing of updates and the network with the defenses against such networks (shared/attribute). */
#ifndef ATTRIBUTE_ATTACKS_H
#define ATTRIBUTE_ATTACKS_H

#include "shared/attribute/attr_table.h"

/* The beginning of attr-nn's struct, and of attacks that differ from it in their training data. */
typedef struct attr_nn {
    union {
        const gnt_host *host; /* the first member of recipe */
        attr_recipe recipe;
    };
    attr_reading reading;
} attr_nn;

/* Trains the network on a table that was standardised by mean and scale, and writes all three as
 * artefacts. */
gnt_status attr_nn_learn(const attr_nn *s, attr_table *t, const float *mean, const float *scale,
                         const gnt_sink *out);
gnt_status attr_nn_run(void *self, const gnt_observation *seen, const gnt_artefacts *own,
                       const gnt_answer *answer);

/* Members of a descriptor that all attacks of this folder share; T: the plugin's struct. */
#define ATTRIBUTE_ATTACK(T, hooks)                                                                           \
    .scope = GNT_SCOPE_STAGE, .data_kinds = GNT_KIND_ANY, .flags = GNT_FLAG_RANDOMISED, .attack = &(hooks),  \
    .instance_size = GNT_INSTANCE(T)

extern const gnt_descriptor attr_nn_descriptor, attr_nn_adaptive_descriptor, attr_svm_descriptor,
    attr_forest_descriptor, fresh_descriptor, via_task_descriptor, decensor_descriptor, invert_descriptor,
    recup_residue_descriptor, rank1_descriptor;

#endif
