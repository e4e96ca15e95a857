/* Sets of samples that a client encodes together, again in every pass. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "job/observe/observe.h"

void observe_free_sets(observing *o) {
    for (int64_t j = 0; o->sets.encoded && j < o->sets.n; j++)
        gnt_encoded_set_free(&o->sets.encoded[j]);
    gnt_free(o->sets.encoded);
    o->sets.encoded = NULL;
}

gnt_samples observe_encoding(const observing *o, int64_t i) {
    gnt_samples one = o->samples.view;
    int64_t j = 0;
    while (i >= o->sets.encoded[j].n)
        i -= o->sets.encoded[j++].n;
    /* sensitive where the sample is that it is mostly of */
    if (one.mask)
        one.mask += (j % (one.n / o->sets.size) * o->sets.size + o->sets.encoded[j].made_of.source[i]) *
                    gnt_mask_size(&one);
    one.n = 1;
    one.x = o->sets.encoded[j].x + i * one.features;
    one.y = o->sets.encoded[j].y + i * one.classes;
    one.id = o->one.id; /* 0 first */
    const gnt_encoded_set *set = &o->sets.encoded[j];
    one.a = set->a ? set->a + i * set->attributes : NULL;
    return one;
}

int64_t observe_encodings_of_all(const observing *o) {
    int64_t n = 0;
    for (int64_t j = 0; j < o->sets.n; j++)
        n += o->sets.encoded[j].n;
    return n;
}

static int encode_set(observing *o, int64_t j, gnt_err *err) {
    gnt_encoded_set *r = &o->sets.encoded[j];
    const int32_t clients = o->config.clients > 0 ? o->config.clients : 1, k = (int32_t)(j % clients);
    gnt_samples own = observe_batch(o, j);
    gnt_hide_for(&o->config.hidden, k, &own);
    gnt_client client = {.size = sizeof client,
                         .index = k,
                         .round = o->stage,
                         .n_clients = clients,
                         .n_samples = own.n,
                         .batch = own.n,
                         .rate = gnt_fl_rate(&o->config, o->stage),
                         .rounds = o->config.rounds,
                         .per_round = gnt_fl_per_round(&o->config),
                         .steps = o->config.steps,
                         .weights = observe_weights(o, k),
                         .buffers = o->broadcast.buffers,
                         .public_data = o->public_data.view.n ? &o->public_data.view : NULL};
    *r = gnt_encoded_set_of(own.n, own.features, own.classes, own.a ? own.n_attributes : 0);
    if (observe_load_client(o, k, err) != 0)
        return -1;
    for (int64_t epoch = 0; epoch < o->sets.epochs; epoch++) {
        gnt_mixture made_of;
        gnt_batch b;
        gnt_batch_borrow(&b, &own);
        b.made_of = &made_of;
        int rc = gnt_mixture_identity(&made_of, own.n, err);
        if (rc == 0)
            rc = gnt_chain_encode_set(&o->chain.chain, &client, epoch, &b, err);
        if (rc == 0)
            rc = gnt_encoded_set_add(r, &b, err);
        gnt_batch_free(&b);
        gnt_mixture_free(&made_of);
        if (rc == 0 && o->work->should_stop(o->work->context))
            rc = gnt_fail(err, "stopped at epoch %" PRId64 " of set %" PRId64, epoch, j);
        if (rc != 0)
            return -1;
    }
    return 0;
}

int observe_encode_sets(observing *o, gnt_err *err) {
    o->sets.n = o->targets;
    o->sets.encoded = gnt_array((size_t)o->sets.n, sizeof *o->sets.encoded);
    if (!o->sets.encoded)
        return gnt_fail(err, "out of memory for %" PRId64 " sets of encodings", o->sets.n);
    for (int64_t j = 0; j < o->sets.n; j++) {
        if (encode_set(o, j, err) != 0)
            return -1;
        o->work->progress(o->work->context, (double)j + 1, (double)o->sets.n);
    }
    return 0;
}

int observe_write_mixing(observing *o, gnt_err *err) {
    gnt_st st;
    gnt_st_init(&st);
    int rc = 0;
    for (int64_t j = 0; rc == 0 && j < o->sets.n; j++)
        rc = gnt_encoded_set_claims(&o->sets.encoded[j], j, &st, err);
    if (rc == 0)
        return observe_write(o, "mixing", &st, err);
    gnt_st_free(&st);
    return -1;
}
