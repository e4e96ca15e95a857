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

/* The same for an attack that learns from shadow samples to infer an attribute from surfaces that it reads.
 * Its file has `parameters`, `families` and `hooks`. */
#define ATTRIBUTE_LEARNT(T, read)                                                                            \
    GNT_PARAMETERS(parameters), .surfaces = (read), .goals = GNT_GOAL_ATTRIBUTE,                             \
                                .needs = GNT_KNOWS_SHADOW | GNT_KNOWS_ATTRIBUTE, .families = families,       \
                                ATTRIBUTE_ATTACK(T, hooks)
/* What attr-nn and its like read. */
#define ATTRIBUTE_SEEN (GNT_SURFACE_UPDATE | GNT_SURFACE_REPRESENTATION)

extern const gnt_descriptor attr_nn_descriptor, attr_nn_adaptive_descriptor, attr_svm_descriptor,
    attr_forest_descriptor, fresh_descriptor, via_task_descriptor, decensor_descriptor, invert_descriptor,
    recup_residue_descriptor, rank1_descriptor;

#endif
