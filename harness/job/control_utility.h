/* control_utility: how good models are that learnt nothing of clients: one of a server to which no update
 * came as its client sent it (influence.h), the one before the first round, and the best constant outputs.
 *
 * Ownership: all that a gnt_control_spec points to is the caller's. */
#ifndef GNT_JOB_CONTROL_UTILITY_H
#define GNT_JOB_CONTROL_UTILITY_H

#include <jansson.h>

#include "job/influence.h"
#include "job/utility_head.h"

typedef struct gnt_control_spec {
    /* Not read by gnt_control_floor. */
    const gnt_influence *influence;
    const gnt_model *model;
    const gnt_sampleset *test;
    const gnt_key *key;
    /* Before the first round. */
    const float *weights, *buffers;
    /* NULL: utility is that of the model itself. */
    const gnt_head_task *head;
} gnt_control_spec;

/* Returns the utility before the first round and that of the best constant outputs, as {"untrained",
 * "constant"}. NULL with a sentence after an error. */
json_t *gnt_control_floor(const gnt_control_spec *s, gnt_err *err);
/* Returns the same and the utility of the control, as "utility"; or {"refused"}, the sentence of a server
 * that refused such updates. NULL with a sentence after an error. */
json_t *gnt_control_measure(const gnt_control_spec *s, gnt_err *err);

#endif
