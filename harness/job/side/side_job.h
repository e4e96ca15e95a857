/* The job `side`: hooks of a defense that run in a process of their own, on one side of the protocol.
 *
 * A training (the job `train`) holds all the data and no plugin. Hooks of clients run in the process
 * "client", the server's aggregation in "server", and the encoding of test samples for queries to the trained
 * network in "query". What passes between them is what the training sends. Each process is a job of the kind
 * `side` that answers one message (frame.h) after another until its socket ends:
 *
 *     request     operation (SIDE_*), number of the chain's member, then what the hook is given
 *     answer      the same operation, status (gnt_status), sentence, then what the hook gave
 *
 * Samples, weights and buffers are sent only when their checksum differs from that of the message before.
 *
 * This header is shared by remote.c, which sends requests, and side_job.c, which answers.
 * Ownership: a side_client owns its arrays; side_client_free frees them. Errors: −1 with a sentence. */
#ifndef GNT_JOB_SIDE_JOB_H
#define GNT_JOB_SIDE_JOB_H

#include "job/side/frame.h"
#include "job/work/work.h"

/* Runs the job `side`: answers messages until its socket is closed. */
int gnt_job_side(gnt_work *w, gnt_err *err);

enum {
    SIDE_ENCODE_SET = 1,
    SIDE_ENCODE_BATCH,
    SIDE_ENCODE_QUERY,
    SIDE_LOCAL_RATE,
    SIDE_CLIENT_UPDATE,
    SIDE_TRANSFORM,
    SIDE_AGGREGATE,
    SIDE_CONTRIBUTE_SIZE,
    SIDE_CONTRIBUTE,
    SIDE_RECEIVE_SUM,
    SIDE_SAVE,
    SIDE_LOAD,
    /* A copy of the process answers what follows, until SIDE_COPY_END (side_copies.h). */
    SIDE_COPY_BEGIN,
    SIDE_COPY_END,
    /* For a checkpoint: gives or sets what the process carries from round to round (side_carried.h). No
     * member is named. */
    SIDE_CARRIED,
    SIDE_CARRY
};

/* Bytes of the largest message. */
static const size_t side_most_message = (size_t)8 << 30;

/* Checksums of what the other end has, and whether it has any. */
typedef struct side_sent {
    uint64_t samples, weights, buffers;
    int has_samples, has_weights, has_buffers;
} side_sent;

/* Writes a client, with the key of its random streams. n_params and n_buffers: of the model. */
void side_put_client(gnt_frame *f, const gnt_client *c, const gnt_key *key, int64_t n_params,
                     int64_t n_buffers, side_sent *sent);

/* A client as it was read; its members point into this struct, which is used again for the next. */
typedef struct side_client {
    gnt_client client;
    gnt_key key;
    gnt_samples samples;
    float *x, *y, *weights, *buffers;
    int64_t *id;
    int32_t *a;
    uint8_t *mask;
    gnt_attribute attribute[GNT_DATA_ATTRS];
    char attribute_name[GNT_DATA_ATTRS][GNT_DATA_NAME];
    int has_samples;
} side_client;

/* Reads a client. public_data: the samples that this process has itself, which the client gets if it had
 * the sender's. */
int side_get_client(gnt_frame *f, side_client *c, int64_t n_params, int64_t n_buffers,
                    const gnt_samples *public_data, gnt_err *err);
void side_client_free(side_client *c);

/* Appends what a client sends of its running statistics (gnt_client.sent_buffers), whose tensors lie one
 * behind the other; t may be NULL. */
void side_put_buffers(gnt_frame *f, const gnt_tensors *t, int64_t n_buffers);
/* Reads them into t, whose tensors have room; t->n becomes 0 where they are withheld. *any: 0: there are
 * none. */
int side_get_buffers(gnt_frame *f, gnt_tensors *t, int64_t n_buffers, int *any, gnt_err *err);

/* Appends a bundle, such as the one that `save` wrote. */
void side_put_bundle(gnt_frame *f, const gnt_st *st);
int side_get_bundle(gnt_frame *f, gnt_st *st, gnt_err *err);

#endif
