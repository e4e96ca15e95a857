#include "job/influence.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/arena.h"
#include "base/mem.h"

/* What one further process of the server does: replaces one update, none, or all. */
typedef enum role { REPLACES_ONE, REPEAT, CONTROL } role;

typedef struct server_copy {
    role role;
    /* The round and the client of the update that it replaces, and by how much a mean scales that update. */
    int32_t round, client;
    double scale;
    /* Shared parameters and running statistics before the next round. */
    float *weights, *buffers;
    /* Why it gave no answer; "" if it always did. */
    gnt_err refused;
} server_copy;

struct gnt_influence {
    gnt_influence_spec spec;
    gnt_arena memory;
    server_copy *copy;
    size_t n;
    int64_t n_shared, n_buffers;
    gnt_tensors tensors;
    /* After the last round; NULL before round 0. */
    float *real;
    /* n_shared and n_buffers: what a process answers. */
    float *next, *next_buffers;
    /* n_shared: zeros. */
    float *zeros;
    /* Updates with shifted entries, of all clients of a round. */
    float **shifted;
    size_t n_shifted;
    /* The updates of a round, as one process gets them. */
    const float **update;
    /* The first round in which a process with the same updates as the server gave something else, or −1. */
    int32_t differs;
};

/* ---- opening ---- */

static void set_roles(gnt_influence *f) {
    for (size_t i = 0; i < f->n; i++) {
        server_copy *c = &f->copy[i];
        c->role = gnt_record_influenced(f->spec.record, i, &c->round, &c->client) ? REPLACES_ONE
                  : i + 1 < f->n                                                  ? REPEAT
                                                                                  : CONTROL;
    }
}

static int make_room(gnt_influence *f) {
    gnt_arena *a = &f->memory;
    const size_t shared = (size_t)f->n_shared, buffers = (size_t)f->n_buffers;
    f->next = gnt_arena_array(a, shared, sizeof *f->next);
    f->next_buffers = gnt_arena_array(a, buffers, sizeof *f->next_buffers);
    f->zeros = gnt_arena_array(a, shared, sizeof *f->zeros);
    f->copy = gnt_arena_array(a, f->n, sizeof *f->copy);
    for (size_t i = 0; !a->failed && i < f->n; i++) {
        server_copy *c = &f->copy[i];
        c->weights = gnt_arena_array(a, shared, sizeof *c->weights);
        c->buffers = gnt_arena_array(a, buffers, sizeof *c->buffers);
        if (a->failed)
            break;
        gnt_model_pick(f->spec.model, 1, f->spec.weights, c->weights);
        memcpy(c->buffers, f->spec.buffers, buffers * sizeof *c->buffers);
    }
    return a->failed ? -1 : 0;
}

int gnt_influence_open(gnt_influence **out, const gnt_influence_spec *spec, gnt_err *err) {
    *out = NULL;
    const size_t n = gnt_remote_server_copies(spec->remote);
    if (n == 0)
        return 0;
    gnt_influence *f = gnt_alloc(sizeof *f);
    if (!f)
        return gnt_fail(err, "out of memory for the influence of updates");
    *f = (gnt_influence){.spec = *spec,
                         .n = n,
                         .n_shared = gnt_model_shared_size(spec->model),
                         .n_buffers = gnt_model_buffer_size(spec->model),
                         .differs = -1};
    int rc = make_room(f) == 0
                 ? gnt_fl_tensors(&f->tensors, spec->model, err)
                 : gnt_fail(err, "out of memory for %zu servers of %" PRId64 " weights", n, f->n_shared);
    if (rc != 0) {
        gnt_influence_free(f);
        return -1;
    }
    set_roles(f);
    *out = f;
    return 0;
}

void gnt_influence_free(gnt_influence *f) {
    if (!f)
        return;
    for (size_t k = 0; k < f->n_shifted; k++)
        gnt_free(f->shifted[k]);
    gnt_free(f->shifted);
    gnt_free(f->update);
    gnt_free(f->real);
    gnt_free(f->tensors.tensor);
    gnt_arena_free(&f->memory);
    gnt_free(f);
}

/* ---- one round ---- */

static int make_round_room(gnt_influence *f, size_t clients, gnt_err *err) {
    const float **update = gnt_resize(f->update, clients, sizeof *update);
    if (update)
        f->update = update;
    float **shifted = clients > f->n_shifted ? gnt_resize(f->shifted, clients, sizeof *shifted) : f->shifted;
    if (shifted)
        f->shifted = shifted;
    int good = update && shifted;
    for (; good && f->n_shifted < clients; f->n_shifted += (size_t)good)
        good = (f->shifted[f->n_shifted] = gnt_array((size_t)f->n_shared, sizeof **shifted)) != NULL;
    return good ? 0 : gnt_fail(err, "out of memory for the updates of %zu clients", clients);
}

/* Rotates the entries of each tensor by a random number of places. */
static void shift(const gnt_influence *f, gnt_stream *random, const float *from, float *to) {
    for (int64_t t = 0; t < f->tensors.n; t++) {
        const int64_t n = f->tensors.tensor[t].count;
        const int64_t by = n > 1 ? 1 + (int64_t)gnt_random_below(random, (uint64_t)n - 1) : 0;
        memcpy(to + by, from, (size_t)(n - by) * sizeof *to);
        memcpy(to, from + n - by, (size_t)by * sizeof *to);
        from += n;
        to += n;
    }
}

static void shift_all(const gnt_influence *f, const gnt_aggregate *in) {
    char name[64];
    snprintf(name, sizeof name, "shifts of round %" PRId32, in->round);
    gnt_stream random = gnt_stream_open(f->spec.key, name);
    for (int64_t k = 0; k < in->n_clients; k++)
        shift(f, &random, in->update[k], f->shifted[k]);
}

/* Replaces updates. Running statistics of clients are what they are. */
static void replace(gnt_influence *f, server_copy *c, const gnt_aggregate *in) {
    for (int64_t k = 0; k < in->n_clients; k++) {
        const int this_one = c->role == REPLACES_ONE && c->round == in->round && c->client == in->client[k];
        f->update[k] = c->role == CONTROL ? f->shifted[k] : this_one ? f->zeros : in->update[k];
        if (this_one)
            c->scale = in->share[k] * (in->is_gradient ? -in->rate : 1);
    }
}

/* Runs one process. One that fails is left out from then on. */
static void run_copy(gnt_influence *f, size_t i, const gnt_aggregate *round) {
    server_copy *c = &f->copy[i];
    gnt_work *w = f->spec.work;
    gnt_aggregate in = *round;
    const gnt_status status = w->status;
    int took;
    replace(f, c, round);
    in.old_weights = c->weights;
    in.update = f->update;
    if (in.n_buffers) {
        in.buffers = c->buffers;
        in.new_buffers = f->next_buffers;
        memcpy(f->next_buffers, round->new_buffers, (size_t)in.n_buffers * sizeof *f->next_buffers);
    }
    gnt_remote_use_server(f->spec.remote, i + 1);
    if (gnt_chain_aggregate(gnt_remote_chain(f->spec.remote), &in, f->next, &took, &c->refused) != 0) {
        w->status = status;
        return;
    }
    memcpy(c->weights, f->next, (size_t)f->n_shared * sizeof *f->next);
    memcpy(c->buffers, f->next_buffers, (size_t)in.n_buffers * sizeof *f->next_buffers);
}

/* True if the process has got the same updates as the server so far. */
static int is_same_so_far(const server_copy *c, int32_t round) {
    return c->role == REPEAT || (c->role == REPLACES_ONE && round < c->round);
}

int gnt_influence_add_round(gnt_influence *f, const gnt_aggregate *in, const float *next, gnt_err *err) {
    const size_t bytes = (size_t)f->n_shared * sizeof *next;
    if (make_round_room(f, (size_t)in->n_clients, err) != 0)
        return -1;
    if (!f->real && !(f->real = gnt_array((size_t)f->n_shared, sizeof *f->real)))
        return gnt_fail(err, "out of memory for the influence of updates");
    memcpy(f->real, next, bytes);
    shift_all(f, in);
    for (size_t i = 0; i < f->n; i++) {
        server_copy *c = &f->copy[i];
        if (*c->refused.text)
            continue;
        run_copy(f, i, in);
        if (f->differs < 0 && is_same_so_far(c, in->round) &&
            (*c->refused.text || memcmp(c->weights, next, bytes) != 0))
            f->differs = in->round;
    }
    gnt_remote_use_server(f->spec.remote, 0);
    return f->spec.work->should_stop(f->spec.work->context) ? gnt_fail(err, "stopped") : 0;
}

/* ---- the end ---- */

static void mark_what_differs(const gnt_influence *f) {
    gnt_err says;
    if (f->differs < 0)
        return;
    gnt_fail(&says,
             "the server's side does not do the same twice: given the same updates since the first round, "
             "another process of it made other weights in round %" PRId32,
             f->differs);
    gnt_record_add_mark(f->spec.record, "server-not-reproducible", &says);
}

static void mark_refusal(const gnt_influence *f, const server_copy *c) {
    gnt_err says;
    gnt_fail(&says,
             "the server's side fails where the update of client %" PRId32 " in round %" PRId32
             " is replaced by zeros, so that what that update did to the model stays unknown: %s",
             c->client, c->round, c->refused.text);
    gnt_record_add_mark(f->spec.record, "refuses-an-update", &says);
}

/* Computes the influence in the units of the update; 0 where the update had no weight or the copy refused
 * it. */
static void measure(const gnt_influence *f, const server_copy *c) {
    for (int64_t i = 0; i < f->n_shared; i++) {
        const double done = (double)f->real[i] - (double)c->weights[i];
        f->next[i] = c->scale != 0 && !*c->refused.text ? (float)(done / c->scale) : 0;
    }
}

int gnt_influence_end(gnt_influence *f, gnt_err *err) {
    int refused = 0;
    for (size_t i = 0; f->real && i < f->n; i++) {
        const server_copy *c = &f->copy[i];
        if (c->role != REPLACES_ONE)
            continue;
        if (*c->refused.text && !refused++)
            mark_refusal(f, c);
        measure(f, c);
        if (gnt_record_add_influence(f->spec.record, i, f->next, err) != 0)
            return -1;
    }
    mark_what_differs(f);
    return 0;
}

int gnt_influence_control(const gnt_influence *f, float *weights, float *buffers, gnt_err *why) {
    const server_copy *c = &f->copy[f->n - 1];
    if (*c->refused.text) {
        *why = c->refused;
        return 0;
    }
    memcpy(weights, f->spec.weights, (size_t)gnt_model_size(f->spec.model) * sizeof *weights);
    gnt_model_place(f->spec.model, 1, c->weights, weights);
    memcpy(buffers, c->buffers, (size_t)f->n_buffers * sizeof *buffers);
    return 1;
}
