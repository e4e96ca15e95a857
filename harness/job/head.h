/* head: a small network that the host trains on a frozen representation, to say what the representation is worth.
 *
 * It reads the representation of the model after the last round: of each client's samples as that client trains on them
 * (after encode_set, where a defense has one, with the labels it released), and of the test part as it is. Features are
 * brought to mean 0 and deviation 1 over the training samples. Layers with ReLU in between, Adam on the task's loss. */
#ifndef GNT_JOB_HEAD_H
#define GNT_JOB_HEAD_H

#include "fl/partition.h"
#include "job/work.h"

typedef struct gnt_head_task {
    gnt_work *work;
    const gnt_request_head *head;
    const gnt_request_federated *federated;
    const gnt_work_model *model;
    const gnt_chain *chain;
    const gnt_samples *clients, *test, *public_data; /* public_data NULL: none */
    const gnt_partition *part; /* NULL: nothing was trained, so no client encodes anything */
    const float *weights, *buffers;
    const float *own; /* clients × gnt_model_own_size, or NULL */
    /* Around what each client encodes; NULL: nothing is to be done. */
    int (*before_client)(void *context, int32_t round, int32_t client, gnt_err *err);
    int (*after_client)(void *context, int32_t round, int32_t client, gnt_err *err);
    void *context;
} gnt_head_task;

/* *outputs: test samples × classes, freed with gnt_free: what the head gives for the test part; NaN where the
 * representation is not finite. */
int gnt_head_outputs(const gnt_head_task *t, float **outputs, gnt_err *err);

#endif
