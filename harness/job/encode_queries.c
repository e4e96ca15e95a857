#include "job/encode_queries.h"

#include <inttypes.h>
#include <string.h>

#include "base/mem.h"

/* True if a member changes samples before the trained network is queried about them. */
static int encodes_queries(const gnt_chain *c) {
    int32_t i = 0;
    while (i < c->n && !c->member[i].hooks->encode_query)
        i++;
    return i < c->n;
}

int gnt_encode_queries(const gnt_queries *q, gnt_sampleset *set, gnt_err *err) {
    const gnt_fl_config config = gnt_work_config(q->federated);
    const gnt_samples *test = &set->view;
    gnt_client client = {.size = sizeof client,
                         .index = -1,
                         .round = config.rounds,
                         .rounds = config.rounds,
                         .per_round = gnt_fl_per_round(&config),
                         .n_clients = config.clients,
                         .n_samples = test->n,
                         .batch = test->n,
                         .weights = q->weights,
                         .buffers = q->buffers,
                         .public_data = q->public_data->view.n ? &q->public_data->view : NULL};
    gnt_batch b = {0};
    int64_t f = test->features;
    int rc = 0;
    if (test->n == 0 || !encodes_queries(q->chain))
        return 0;
    /* in a random order: that of the test part would say which samples they are */
    uint32_t *row = gnt_array((size_t)test->n, sizeof *row);
    if (!row)
        return gnt_fail(err, "out of memory for %" PRId64 " samples", test->n);
    for (int64_t i = 0; i < test->n; i++)
        row[i] = (uint32_t)i;
    gnt_stream random = gnt_stream_open(q->key, "queries");
    gnt_random_shuffle(&random, row, (size_t)test->n);
    rc = gnt_batch_gather(&b, test, row, test->n) == 0
             ? gnt_chain_encode_query(q->chain, &client, 0, &b, err)
             : gnt_fail(err, "out of memory for %" PRId64 " samples", test->n);
    for (int64_t i = 0; rc == 0 && i < test->n; i++)
        memcpy(set->x + row[i] * f, b.view.x + i * f, (size_t)f * sizeof *set->x);
    gnt_batch_free(&b);
    gnt_free(row);
    return rc;
}
