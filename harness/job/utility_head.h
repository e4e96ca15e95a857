/* utility_head: a small network that the host trains on a frozen representation, to measure the utility of
 * that representation.
 *
 * It reads the representation of the model after the last round: of each client's samples as that client
 * trains on them (after encode_set, where a defense has one, with the labels that it released), and of the
 * test part as it is. Features are normalised to mean 0 and deviation 1 over the training samples. Dense
 * layers with ReLU in between; Adam on the task's loss.
 *
 * Ownership: all that a gnt_head_task points to is the caller's. */
#ifndef GNT_JOB_UTILITY_HEAD_H
#define GNT_JOB_UTILITY_HEAD_H

#include "fl/partition.h"
#include "job/test_utility.h"
#include "job/work/work.h"

typedef struct gnt_head_task {
    gnt_work *work;
    const gnt_request_head *head;
    const gnt_request_federated *federated;
    const gnt_work_model *model;
    const gnt_chain *chain;
    const gnt_samples *clients, *test;
    /* NULL: there are none. */
    const gnt_samples *public_data;
    /* NULL: nothing was trained, so no client encodes anything. */
    const gnt_partition *part;
    /* Set by gnt_head_utility. */
    const float *weights, *buffers;
    /* What each client wants hidden. */
    const gnt_fl_hidden *hidden;
    /* clients × gnt_model_own_size, or NULL: parameters that each client keeps. */
    const float *own;
    /* Called around the hooks of each client; either may be NULL. */
    int (*before_client)(void *context, int32_t round, int32_t client, gnt_err *err);
    int (*after_client)(void *context, int32_t round, int32_t client, gnt_err *err);
    void *context;
} gnt_head_task;

/* Measures the utility on the test part of a head that is fitted to the representation at these weights. All
 * outputs are NaN where that is not finite. key, by_row: key and rows of gnt_test_utility_of. */
int gnt_head_utility(gnt_test_utility *out, const gnt_head_task *t, const gnt_sampleset *test,
                     const float *weights, const float *buffers, const gnt_key *key, float *by_row,
                     gnt_err *err);

#endif
