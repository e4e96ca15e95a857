/* Attacks that infer a private attribute from an update, learnt from updates of shadow samples. What is
 * made of an update and the network are shared with the defenses that act against such networks
 * (shared/attribute). */
#ifndef ATTRIBUTE_H
#define ATTRIBUTE_H

#include "shared/attribute/table.h"

/* attr-nn, and what begins an attack that differs from it in what it learns from. */
typedef struct attr_nn {
    attr_recipe recipe;
    attr_reading reading;
} attr_nn;

/* Trains the network on a table that was standardised by mean and scale, and keeps all three. */
gnt_status attr_nn_learn(const attr_nn *s, attr_table *t, const float *mean, const float *scale,
                         const gnt_sink *out);
gnt_status attr_nn_run(void *self, const gnt_observation *seen, const gnt_artefacts *own,
                       const gnt_answer *answer);

extern const gnt_descriptor attr_nn_descriptor, attr_nn_adaptive_descriptor, attr_svm_descriptor,
    attr_forest_descriptor, fresh_descriptor, via_task_descriptor, decensor_descriptor, invert_descriptor,
    recup_residue_descriptor, rank1_descriptor;

#endif
