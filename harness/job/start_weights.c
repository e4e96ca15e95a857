#include "job/start_weights.h"

#include <inttypes.h>
#include <stdio.h>

#include "base/mem.h"

/* Each client's own parameters: its own fresh ones, or, where the task starts from a file, those of the
 * file. */
static int start_own(const gnt_model *m, int64_t n, const gnt_key *key, const float *from_file,
                     float **own_of, gnt_err *err) {
    const int64_t own = gnt_model_own_size(m);
    if (own == 0)
        return 0;
    float *fresh = gnt_array((size_t)gnt_model_size(m), sizeof *fresh);
    float *unused = gnt_array((size_t)gnt_model_buffer_size(m), sizeof *unused);
    float *to = *own_of = n <= INT64_MAX / own ? gnt_array((size_t)(n * own), sizeof *to) : NULL;
    for (int64_t k = 0; fresh && unused && to && k < n; k++) {
        char name[64];
        snprintf(name, sizeof name, "weights of client %" PRId64, k);
        gnt_stream random = gnt_stream_open(key, name);
        if (!from_file)
            gnt_model_init(m, &random, fresh, unused);
        gnt_model_pick(m, 0, from_file ? from_file : fresh, to + k * own);
    }
    int rc = fresh && unused && to
                 ? 0
                 : gnt_fail(err, "out of memory for what %" PRId64 " clients keep: %" PRId64 " weights each",
                            n, own);
    gnt_free(fresh);
    gnt_free(unused);
    return rc;
}

int gnt_start_weights(gnt_work *w, const gnt_request_train *q, const gnt_model *m, float *weights,
                      float *buffers, float **own, gnt_err *err) {
    const gnt_key *key = &q->init_key;
    const int64_t clients = q->federated.clients;
    gnt_stream random = gnt_stream_open(key, "weights");
    gnt_model_init(m, &random, weights, buffers);
    if (!w->has(w->context, "weights"))
        return start_own(m, clients, key, NULL, own, err);
    gnt_st st;
    gnt_st_init(&st);
    int rc = w->read(w->context, "weights", &st, err);
    if (rc == 0)
        rc = gnt_model_import(m, &st, weights, buffers, err);
    gnt_st_free(&st);
    return rc == 0 ? start_own(m, clients, key, weights, own, err) : -1;
}
