#include "fl/federate.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "fl/fl.h"

double gnt_fl_rate(const gnt_fl_config *config, int32_t round) {
    return config->cosine ? gnt_rate_cosine(config->rate, round, config->rounds > 0 ? config->rounds : 1)
                          : config->rate;
}

int64_t gnt_fl_passes(const gnt_fl_config *config, int64_t n) {
    int64_t drawn = config->steps * config->batch;
    return drawn > n ? (drawn - 1) / n + 1 : 1;
}

int gnt_fl_diverged(const gnt_fl *fl) {
    return fl->diverged;
}

void gnt_fl_free(gnt_fl *fl) {
    if (!fl)
        return;
    for (int i = 0; i < FL_TRAINERS; i++)
        gnt_trainer_free(fl->trainer[i]);
    gnt_free(fl->tensors.tensor);
    gnt_free_aligned(fl->grad);
    gnt_free_aligned(fl->local);
    gnt_free_aligned(fl->velocity);
    gnt_free(fl->stats);
    gnt_free(fl->local_buffers);
    gnt_free(fl);
}

static int describe_tensors(gnt_fl *fl) {
    const uint8_t *shared = gnt_model_shared(fl->model);
    const gnt_param *list;
    int32_t all = gnt_model_params(fl->model, &list);
    fl->tensors.tensor = gnt_array((size_t)all, sizeof *fl->tensors.tensor);
    if (!fl->tensors.tensor)
        return -1;
    for (int32_t i = 0; i < all && !list[i].buffer; i++) {
        if (shared && !shared[i])
            continue;
        gnt_tensor *t = &fl->tensors.tensor[fl->tensors.n++];
        t->name = list[i].name;
        t->layer = list[i].layer;
        t->rank = list[i].shape.rank;
        for (int32_t d = 0; d < t->rank; d++)
            t->dim[d] = list[i].shape.dim[d];
        t->count = gnt_nn_count(&list[i].shape);
    }
    return 0;
}

int gnt_fl_new(gnt_fl **out, const gnt_model *m, const gnt_fl_config *config, const gnt_chain *chain,
               const gnt_key *key, gnt_err *err) {
    gnt_fl *fl = gnt_alloc(sizeof *fl);
    if (!fl)
        return gnt_fail(err, "out of memory for federated training");
    *fl = (gnt_fl){.model = m, .chain = chain, .config = *config, .key = *key};
    fl->n_params = gnt_model_size(m);
    fl->n_buffers = gnt_model_buffer_size(m);
    fl->n_shared = gnt_model_shared_size(m);
    fl->n_own = gnt_model_own_size(m);
    fl->grad = gnt_aligned((size_t)fl->n_params, sizeof *fl->grad);
    fl->local = gnt_aligned((size_t)fl->n_params, sizeof *fl->local);
    fl->stats = gnt_array((size_t)fl->n_buffers, sizeof *fl->stats);
    fl->local_buffers = gnt_array((size_t)fl->n_buffers, sizeof *fl->local_buffers);
    if (config->momentum != 0)
        fl->velocity = gnt_aligned((size_t)fl->n_params, sizeof *fl->velocity);
    if (describe_tensors(fl) != 0 || !fl->grad || !fl->local || !fl->stats || !fl->local_buffers ||
        (config->momentum != 0 && !fl->velocity)) {
        gnt_fl_free(fl);
        return gnt_fail(err, "out of memory for federated training of %lld weights",
                        (long long)gnt_model_size(m));
    }
    *out = fl;
    return 0;
}

/* Everything a round of the server needs. */
typedef struct server {
    gnt_fl *fl;
    const gnt_samples *data; /* dealt: client k holds rows start[k] … start[k + 1] − 1 */
    const gnt_samples *public_data;
    const int64_t *start;
    float **update; /* for each client that takes part */
    double *share;
    float *buffers_sum; /* Σ share·buffers */
    float *client_buffers, *velocity;
    float *old, *next; /* what clients share, before and after the round */
    float *own;        /* clients × n_own: the caller's */
    float *merged;     /* one client's weights: broadcast ones and its own; NULL where it has none */
    uint32_t *chosen;
    int32_t most; /* clients in a round */
} server;

static gnt_samples rows_of(const gnt_samples *s, int64_t from, int64_t to) {
    gnt_samples part = *s;
    part.n = to - from;
    part.x = s->x + from * s->features;
    part.y = s->y + from * s->classes;
    part.id = s->id + from;
    part.a = s->a ? s->a + from * s->n_attributes : NULL;
    part.mask = s->mask ? s->mask + from * gnt_mask_size(s) : NULL;
    return part;
}

static int by_number(const void *a, const void *b) {
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

/* Clients of this round, among those that hold anything, in increasing order. */
static int32_t choose(const server *s, int32_t round) {
    char name[64];
    snprintf(name, sizeof name, "participation %d", round);
    gnt_stream random = gnt_stream_open(&s->fl->key, name);
    int32_t clients = s->fl->config.clients, holders = 0;
    for (int32_t k = 0; k < clients; k++)
        if (s->start[k + 1] > s->start[k])
            s->chosen[holders++] = (uint32_t)k;
    int32_t n = s->most < holders ? s->most : holders;
    if (n < holders) {
        gnt_random_shuffle(&random, s->chosen, (size_t)holders);
        qsort(s->chosen, (size_t)n, sizeof *s->chosen, by_number);
    }
    return n;
}

static void average(const server *s, int32_t n, double rate) {
    gnt_fl *fl = s->fl;
    int gradient = fl->config.steps == 0;
    for (int64_t i = 0; i < fl->n_shared; i++) {
        double sum = 0;
        for (int32_t k = 0; k < n; k++)
            sum += s->share[k] * s->update[k][i];
        if (gradient && s->velocity) {
            s->velocity[i] = (float)(fl->config.momentum * s->velocity[i] + sum);
            sum = s->velocity[i];
        }
        s->next[i] = (float)(s->old[i] + (gradient ? -rate * sum : sum));
    }
}

/* The client's update into update[k], its buffers into client_buffers, its own parameters where they came from. */
static int one_client(server *s, int32_t round, int32_t client, const gnt_samples *samples, int32_t k,
                      const float *weights, const float *buffers, gnt_err *err) {
    gnt_fl *fl = s->fl;
    gnt_fl_shared shared = {.update = s->update[k], .buffers = s->client_buffers};
    if (s->merged) {
        shared.own = s->own + client * fl->n_own;
        memcpy(s->merged, weights, (size_t)fl->n_params * sizeof *weights);
        gnt_model_place(fl->model, 0, shared.own, s->merged);
        weights = s->merged;
    }
    return gnt_fl_client(fl, round, client, samples, NULL, s->public_data, weights, buffers, 0, &shared, err);
}

static int one_round(server *s, int32_t round, float *weights, float *buffers, gnt_err *err) {
    gnt_fl *fl = s->fl;
    int32_t n = choose(s, round);
    int64_t total = 0;
    for (int32_t k = 0; k < n; k++)
        total += s->start[s->chosen[k] + 1] - s->start[s->chosen[k]];
    memset(s->buffers_sum, 0, (size_t)fl->n_buffers * sizeof *s->buffers_sum);
    for (int32_t k = 0; k < n; k++) {
        int32_t client = (int32_t)s->chosen[k];
        gnt_samples own = rows_of(s->data, s->start[client], s->start[client + 1]);
        s->share[k] = (double)own.n / (double)total;
        if (one_client(s, round, client, &own, k, weights, buffers, err) != 0)
            return -1;
        for (int64_t i = 0; i < fl->n_buffers; i++)
            s->buffers_sum[i] += (float)s->share[k] * s->client_buffers[i];
    }
    gnt_model_pick(fl->model, 1, weights, s->old);
    gnt_aggregate in = {.size = sizeof in,
                        .round = round,
                        .n_clients = n,
                        .n_params = fl->n_shared,
                        .old_weights = s->old,
                        .update = (const float *const *)s->update,
                        .share = s->share,
                        .rate = gnt_fl_rate(&fl->config, round),
                        .is_gradient = fl->config.steps == 0,
                        .public_data = s->public_data};
    int took;
    if (gnt_chain_aggregate(fl->chain, &in, s->next, &took, err) != 0)
        return -1;
    if (!took)
        average(s, n, in.rate);
    gnt_model_place(fl->model, 1, s->next, weights);
    memcpy(buffers, s->buffers_sum, (size_t)fl->n_buffers * sizeof *buffers);
    return 0;
}

static void server_free(server *s) {
    for (int32_t k = 0; s->update && k < s->most; k++)
        gnt_free_aligned(s->update[k]);
    gnt_free(s->update);
    gnt_free(s->share);
    gnt_free(s->buffers_sum);
    gnt_free(s->client_buffers);
    gnt_free(s->velocity);
    gnt_free(s->old);
    gnt_free(s->next);
    gnt_free(s->merged);
    gnt_free(s->chosen);
}

static int server_open(server *s) {
    gnt_fl *fl = s->fl;
    double wanted = ceil(fl->config.participation * fl->config.clients - 1e-9);
    s->most = wanted < 1 ? 1 : wanted > fl->config.clients ? fl->config.clients : (int32_t)wanted;
    size_t params = (size_t)fl->n_shared, buffers = (size_t)fl->n_buffers;
    s->update = gnt_array((size_t)s->most, sizeof *s->update);
    s->share = gnt_array((size_t)s->most, sizeof *s->share);
    s->buffers_sum = gnt_array(buffers, sizeof *s->buffers_sum);
    s->client_buffers = gnt_array(buffers, sizeof *s->client_buffers);
    s->old = gnt_array(params, sizeof *s->old);
    s->next = gnt_array(params, sizeof *s->next);
    if (fl->n_own)
        s->merged = gnt_array((size_t)fl->n_params, sizeof *s->merged);
    s->chosen = gnt_array((size_t)fl->config.clients, sizeof *s->chosen);
    int server_momentum = fl->config.steps == 0 && fl->config.momentum != 0;
    if (server_momentum)
        s->velocity = gnt_array(params, sizeof *s->velocity);
    if (!s->update || !s->share || !s->buffers_sum || !s->client_buffers || !s->old || !s->next ||
        !s->chosen || (fl->n_own && !s->merged) || (server_momentum && !s->velocity))
        return -1;
    for (int32_t k = 0; k < s->most; k++)
        if (!(s->update[k] = gnt_aligned(params, sizeof **s->update)))
            return -1;
    return 0;
}

int gnt_fl_train(gnt_fl *fl, const gnt_samples *data, const gnt_partition *part,
                 const gnt_samples *public_data, float *weights, float *buffers, float *own,
                 const gnt_fl_watch *watch, gnt_err *err) {
    gnt_batch dealt = {0}; /* samples in the order of the partition: a client's are one run of rows */
    server s = {.fl = fl, .data = &dealt.view, .public_data = public_data, .own = own, .start = part->start};
    int rc = -1;
    if (part->clients != fl->config.clients) {
        gnt_fail(err, "the partition has %d clients, the training %d", part->clients, fl->config.clients);
        goto cleanup;
    }
    if (gnt_batch_gather(&dealt, data, part->index, part->start[part->clients]) != 0 ||
        server_open(&s) != 0) {
        gnt_fail(err, "out of memory for %d clients of %lld weights", s.most, (long long)fl->n_params);
        goto cleanup;
    }
    rc = watch->after_round(watch->context, 0, weights, buffers, err);
    for (int32_t round = 0; rc == 0 && round < fl->config.rounds; round++) {
        if (watch->should_stop(watch->context)) {
            rc = gnt_fail(err, "stopped in round %d", round);
            break;
        }
        rc = one_round(&s, round, weights, buffers, err);
        if (rc == 0)
            rc = watch->after_round(watch->context, round + 1, weights, buffers, err);
    }
cleanup:
    server_free(&s);
    gnt_batch_free(&dealt);
    return rc;
}
