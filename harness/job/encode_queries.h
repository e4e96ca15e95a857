/* encode_queries: what a defense makes of test samples before the trained network is queried about them. */
#ifndef GNT_JOB_ENCODE_QUERIES_H
#define GNT_JOB_ENCODE_QUERIES_H

#include "fl/defense_chain.h"
#include "job/work/work.h"

typedef struct gnt_queries {
    const gnt_chain *chain;
    const gnt_request_federated *federated;
    /* Their order is drawn by a stream of it. */
    const gnt_key *key;
    const gnt_sampleset *public_data;
    /* As broadcast before the first round. */
    const float *weights, *buffers;
} gnt_queries;

/* Replaces the samples by what members make of them. Labels stay the true ones. −1 with a sentence. */
int gnt_encode_queries(const gnt_queries *q, gnt_sampleset *set, gnt_err *err);

#endif
