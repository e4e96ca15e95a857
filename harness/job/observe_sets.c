/* Sets of samples that a client encodes together, in every epoch anew. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "job/observe.h"

void observe_free_sets(encodings *e) {
    for (int64_t j = 0; e->made_of && j < e->sets; j++)
        gnt_mixture_free(&e->made_of[j]);
    gnt_free(e->made_of);
    gnt_free(e->count);
    gnt_free(e->x);
    gnt_free(e->y);
    *e = (encodings){0};
}

gnt_samples observe_encoding(const observing *o, int64_t i) {
    gnt_samples one = o->samples.view;
    one.n = 1;
    one.x = o->encoded.x + i * one.features;
    one.y = o->encoded.y + i * one.classes;
    one.id = o->id; /* 0 first */
    one.a = NULL;
    /* what the sample is sensitive in that it is mostly of; a region is the same in all */
    return one;
}

/* 1 when the set's encodings hold this one already: released again byte for byte, it shows nothing new. */
static int is_known(const encodings *e, int64_t from, const gnt_batch *b, int64_t row,
                    const gnt_mixture *made_of, int64_t set) {
    size_t f = (size_t)b->view.features, c = (size_t)b->view.classes;
    const gnt_mixture *of = &e->made_of[set];
    for (int64_t i = from; i < e->n; i++)
        if (of->source[i - from] == made_of->source[row] &&
            memcmp(e->x + (size_t)i * f, b->view.x + (size_t)row * f, f * sizeof *e->x) == 0 &&
            memcmp(e->y + (size_t)i * c, b->view.y + (size_t)row * c, c * sizeof *e->y) == 0)
            return 1;
    return 0;
}

static int add_encodings(encodings *e, int64_t set, const gnt_batch *b, int64_t from, gnt_err *err) {
    size_t f = (size_t)b->view.features, c = (size_t)b->view.classes, room = (size_t)(e->n + b->view.n);
    float *x = gnt_resize(e->x, room, f * sizeof *x);
    if (x)
        e->x = x;
    float *y = gnt_resize(e->y, room, c * sizeof *y);
    if (y)
        e->y = y;
    if (!x || !y)
        return gnt_fail(err, "out of memory for %zu encodings", room);
    int64_t earlier = e->n;
    for (int64_t i = 0; i < b->view.n; i++) {
        int64_t now = e->n;
        e->n = earlier; /* within one epoch nothing counts as released again */
        int known = is_known(e, from, b, i, b->made_of, set);
        e->n = now;
        if (known)
            continue;
        memcpy(e->x + (size_t)e->n * f, b->view.x + (size_t)i * f, f * sizeof *e->x);
        memcpy(e->y + (size_t)e->n * c, b->view.y + (size_t)i * c, c * sizeof *e->y);
        if (gnt_mixture_copy(&e->made_of[set], b->made_of, i, err) != 0)
            return -1;
        e->n++;
    }
    return 0;
}

static int encode_set(observing *o, int64_t j, gnt_err *err) {
    encodings *e = &o->encoded;
    int32_t clients = o->config.clients > 0 ? o->config.clients : 1;
    gnt_samples own = observe_batch(o, j);
    gnt_client client = {.size = sizeof client,
                         .index = (int32_t)(j % clients),
                         .round = o->stage,
                         .n_clients = clients,
                         .n_samples = own.n,
                         .batch = own.n,
                         .rate = gnt_fl_rate(&o->config, o->stage),
                         .steps = o->config.steps,
                         .weights = observe_weights(o, j % clients),
                         .buffers = o->buffers,
                         .public_data = o->public_data.view.n ? &o->public_data.view : NULL};
    int64_t from = e->n;
    e->made_of[j] = (gnt_mixture){.originals = own.n};
    for (int64_t epoch = 0; epoch < o->epochs; epoch++) {
        gnt_mixture made_of;
        gnt_batch b;
        gnt_batch_borrow(&b, &own);
        b.made_of = &made_of;
        int rc = gnt_mixture_identity(&made_of, own.n, err);
        if (rc == 0)
            rc = gnt_chain_encode_set(&o->chain.chain, &client, epoch, &b, err);
        if (rc == 0)
            rc = add_encodings(e, j, &b, from, err);
        gnt_batch_free(&b);
        gnt_mixture_free(&made_of);
        if (rc == 0 && o->work->should_stop(o->work->context))
            rc = gnt_fail(err, "stopped at epoch %" PRId64 " of set %" PRId64, epoch, j);
        if (rc != 0)
            return -1;
    }
    e->count[j] = e->n - from;
    return 0;
}

int observe_encode_sets(observing *o, gnt_err *err) {
    encodings *e = &o->encoded;
    e->sets = o->targets;
    e->count = gnt_array((size_t)e->sets, sizeof *e->count);
    e->made_of = gnt_array((size_t)e->sets, sizeof *e->made_of);
    if (!e->count || !e->made_of)
        return gnt_fail(err, "out of memory for %" PRId64 " sets of encodings", e->sets);
    for (int64_t j = 0; j < e->sets; j++) {
        if (encode_set(o, j, err) != 0)
            return -1;
        o->work->progress(o->work->context, (double)j + 1, (double)e->sets);
    }
    return 0;
}

int observe_write_mixing(observing *o, gnt_err *err) {
    gnt_st st;
    gnt_st_init(&st);
    int rc = 0;
    for (int64_t j = 0; rc == 0 && j < o->encoded.sets; j++) {
        const gnt_mixture *m = &o->encoded.made_of[j];
        int64_t dim[2] = {m->rows, m->originals};
        char name[32];
        snprintf(name, sizeof name, "weight.%" PRId64, j);
        rc = gnt_st_add(&st, name, GNT_ST_F32, 2, dim, m->weight, NULL, err);
        snprintf(name, sizeof name, "source.%" PRId64, j);
        if (rc == 0)
            rc = gnt_st_add(&st, name, GNT_ST_I64, 1, dim, m->source, NULL, err);
    }
    if (rc == 0)
        return observe_write(o, "mixing", &st, err);
    gnt_st_free(&st);
    return -1;
}
