/* The server: rounds over the clients' data, who takes part in each, and what is summed. */
#include "fl/federate.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/clones.h"
#include "base/mem.h"
#include "fl/fl.h"

int gnt_fl_diverged(const gnt_fl *fl) {
    return fl->diverged;
}

void gnt_fl_free(gnt_fl *fl) {
    if (!fl)
        return;
    for (int i = 0; i < FL_TRAINERS; i++)
        gnt_trainer_free(fl->trainer[i]);
    gnt_free(fl->tensors.tensor);
    gnt_free(fl->statistics.tensor);
    gnt_free_aligned(fl->grad);
    gnt_free_aligned(fl->local);
    gnt_free_aligned(fl->velocity);
    gnt_adam_free(fl->adam);
    gnt_free_aligned(fl->plain);
    gnt_free(fl->stats);
    gnt_free(fl->local_buffers);
    gnt_free(fl->sent_buffers);
    gnt_free(fl);
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
    fl->sent_buffers = gnt_array((size_t)fl->n_buffers, sizeof *fl->sent_buffers);
    fl->sends_statistics = fl->n_buffers > 0 && config->training_stats;
    if (config->momentum != 0)
        fl->velocity = gnt_aligned((size_t)fl->n_params, sizeof *fl->velocity);
    if (config->adam)
        fl->adam = gnt_adam_new(fl->n_params, 0.9, 0.999, 1e-8);
    if (gnt_fl_tensors(&fl->tensors, m, err) != 0 || gnt_fl_buffer_tensors(&fl->statistics, m, err) != 0 ||
        !fl->grad || !fl->local || !fl->stats || !fl->local_buffers || !fl->sent_buffers ||
        (config->momentum != 0 && !fl->velocity) || (config->adam && !fl->adam)) {
        gnt_fl_free(fl);
        return gnt_fail(err, "out of memory for federated training of %lld weights",
                        (long long)gnt_model_size(m));
    }
    fl->n_statistics = fl->statistics.n;
    *out = fl;
    return 0;
}

enum { FEW_UPDATES = 8 };

/* Everything a round of the server needs. */
typedef struct server {
    gnt_fl *fl;
    gnt_arena arena;         /* of what follows but the updates and `left` */
    const gnt_samples *data; /* dealt: client k holds rows start[k] … start[k + 1] − 1 */
    const gnt_samples *public_data;
    const gnt_fl_watch *watch;
    const int64_t *start;
    int64_t *id; /* 0, 1, 2 …: what a client calls its samples */
    float *rates;
    /* What clients sent in the round at hand: of all that take part where hooks aggregate; else of a few,
     * which are then added to the sum. */
    float **update;
    int32_t n_updates;
    double *sum; /* Σ a_k s_k over the round's clients in their order; NULL where a hook aggregates */
    double *share;
    float *buffers_average; /* of those who sent some */
    float *buffers_in;      /* buffers_average as a hook is given it */
    float **client_buffers; /* for each client that takes part: what it sent, added to those broadcast */
    int *sent_buffers;      /* for each: 1: it sent some */
    int32_t *index;
    int64_t *samples;
    float *velocity;
    float *old, *next; /* what clients share, before and after the round */
    float *own;        /* clients × n_own: the caller's */
    float *merged;     /* one client's weights: broadcast ones and its own; NULL where it has none */
    uint32_t *chosen;
    int32_t most;            /* clients in a round */
    float *left;             /* an update that the server does not collect; NULL where there is none */
    gnt_fl_undefended plain; /* of the round at hand; n is 0 where nobody compares */
    int comparing;
    gnt_fl_added added; /* n is 0 as long as no hook changed an update, or the caller does not want it */
} server;

/* Returns a client's rows, with ids of its own. */
static gnt_samples rows_of(const server *v, int64_t from, int64_t to) {
    const gnt_samples *s = v->data;
    gnt_samples part = *s;
    part.n = to - from;
    part.x = s->x + from * s->features;
    part.y = s->y + from * s->classes;
    part.id = v->id;
    part.a = s->a ? s->a + from * s->n_attributes : NULL;
    part.mask = s->mask ? s->mask + from * gnt_mask_size(s) : NULL;
    return part;
}

static int by_number(const void *a, const void *b) {
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

int32_t gnt_fl_choose(const gnt_fl *fl, const int64_t *start, int32_t round, uint32_t *chosen) {
    char name[64];
    snprintf(name, sizeof name, "participation %d", round);
    gnt_stream random = gnt_stream_open(&fl->key, name);
    int32_t clients = fl->config.clients, holders = 0, most = gnt_fl_per_round(&fl->config);
    for (int32_t k = 0; k < clients; k++)
        if (start[k + 1] > start[k])
            chosen[holders++] = (uint32_t)k;
    int32_t n = most < holders ? most : holders;
    if (n < holders) {
        gnt_random_shuffle(&random, chosen, (size_t)holders);
        qsort(chosen, (size_t)n, sizeof *chosen, by_number);
    }
    return n;
}

/* Moves what clients share by the averages of what they sent. */
static void take_step(const server *s, double rate) {
    const gnt_fl *fl = s->fl;
    const int gradient = fl->config.steps == 0;
    for (int64_t i = 0; i < fl->n_shared; i++) {
        double step = s->sum[i];
        if (gradient && s->velocity) {
            s->velocity[i] = (float)(fl->config.momentum * s->velocity[i] + step);
            step = s->velocity[i];
        }
        s->next[i] = (float)(s->old[i] + (gradient ? -rate * step : step));
    }
}

GNT_CLONES static void add_update(double *sum, const float *update, double share, int64_t n) {
    GNT_INDEPENDENT
    for (int64_t i = 0; i < n; i++)
        sum[i] += share * update[i];
}

/* Adds the updates of the round's clients `first` … first + n − 1 to the sum, for every entry in order. */
static void add_updates(const server *s, int32_t first, int32_t n) {
    enum { BLOCK = 512 }; /* entries that stay in the cache */
    for (int64_t from = 0; from < s->fl->n_shared; from += BLOCK) {
        const int64_t left = s->fl->n_shared - from;
        for (int32_t k = 0; k < n; k++)
            add_update(s->sum + from, s->update[k] + from, s->share[first + k], left < BLOCK ? left : BLOCK);
    }
}

/* True if the server needs all updates of a round at once. */
static int hooks_aggregate(const gnt_chain *c) {
    for (int32_t i = 0; i < c->n; i++)
        if (c->member[i].hooks->aggregate)
            return 1;
    return 0;
}

/* Returns where the update of a round's k-th client goes. */
static float *update_of(const server *s, int32_t k) {
    return s->update[k % s->n_updates];
}

/* Returns the weights that a client starts from: the broadcast ones, with its own parameters if clients keep
 * some. */
static const float *weights_for(server *s, int32_t client, const float *weights) {
    if (!s->merged)
        return weights;
    memcpy(s->merged, weights, (size_t)s->fl->n_params * sizeof *weights);
    gnt_model_place(s->fl->model, 0, s->own + client * s->fl->n_own, s->merged);
    return s->merged;
}

/* Sets negative variances to 0: noise on small variances may leave some below 0, with which no network
 * computes. */
static void lift_variances(const gnt_fl *fl, float *buffers) {
    static const char variance[] = "running_var";
    for (int64_t k = 0; k < fl->n_statistics; buffers += fl->statistics.tensor[k++].count) {
        const gnt_tensor *t = &fl->statistics.tensor[k];
        const size_t length = strlen(t->name), end = sizeof variance - 1;
        if (length < end || strcmp(t->name + length - end, variance) != 0)
            continue;
        for (int64_t i = 0; i < t->count; i++)
            buffers[i] = buffers[i] < 0 ? 0 : buffers[i];
    }
}

/* Computes the server's running statistics after the round: the average of those that were sent. */
static void average_buffers(const server *s, int32_t n, const float *buffers) {
    const int64_t size = s->fl->n_buffers;
    double share = 0;
    int32_t senders = 0;
    memset(s->buffers_average, 0, (size_t)size * sizeof *s->buffers_average);
    for (int32_t k = 0; k < n; k++) {
        if (!s->sent_buffers[k])
            continue;
        senders++;
        share += s->share[k];
        for (int64_t i = 0; i < size; i++)
            s->buffers_average[i] += (float)s->share[k] * s->client_buffers[k][i];
    }
    if (senders == 0)
        memcpy(s->buffers_average, buffers, (size_t)size * sizeof *buffers);
    for (int64_t i = 0; senders > 0 && senders < n && i < size; i++)
        s->buffers_average[i] = (float)(s->buffers_average[i] / share);
    lift_variances(s->fl, s->buffers_average);
}

/* Computes the client's update into update[k], what it sends of its buffers into client_buffers, and its own
 * parameters in place. */
static int compute_client(server *s, int32_t round, int32_t client, const gnt_samples *samples,
                          const float *weights, const float *buffers, gnt_fl_shared *shared, gnt_err *err) {
    if (s->merged)
        shared->own = s->own + client * s->fl->n_own;
    return gnt_fl_client(s->fl, round, client, samples, NULL, s->public_data, weights_for(s, client, weights),
                         buffers, GNT_FL_BATCHES, shared, err);
}

/* ---- compared with what would have been sent without a defense ---- */

static int has_a_say(const gnt_chain *c) {
    for (int32_t i = 0; i < c->n; i++) {
        const gnt_defense *h = c->member[i].hooks;
        if (h->encode_set || h->encode_batch || h->local_rate || h->client_update || h->transform_update ||
            h->aggregate)
            return 1;
    }
    return 0;
}

static int begin_comparing(server *s, int32_t round, gnt_err *err) {
    const gnt_fl_watch *w = s->watch;
    s->comparing = w->compares && w->compared && has_a_say(s->fl->chain) && w->compares(w->context, round);
    if (!s->comparing)
        return 0;
    if (!s->plain.n && gnt_fl_undefended_open(&s->plain, s->fl->n_shared, err) != 0)
        return -1;
    gnt_fl_undefended_begin(&s->plain, round);
    return 0;
}

/* Computes the client's undefended update, by the same batches. A round in which one is not finite is not
 * compared. */
static void compute_plain(server *s, int32_t round, int32_t client, const gnt_samples *samples,
                          const float *weights, const float *buffers) {
    gnt_fl *fl = s->fl;
    const gnt_chain *chain = fl->chain, none = {.n_params = chain->n_params, .n_buffers = chain->n_buffers};
    const gnt_fl_shared shared = {.update = s->plain.update};
    gnt_err ignored;
    fl->chain = &none;
    if (gnt_fl_client(fl, round, client, samples, NULL, s->public_data, weights_for(s, client, weights),
                      buffers, GNT_FL_BATCHES, &shared, &ignored) != 0)
        s->comparing = 0;
    fl->chain = chain;
    fl->diverged = 0;
}

static int end_comparing(server *s, int took, double rate, gnt_err *err) {
    if (!s->comparing)
        return 0;
    const int is_gradient = s->fl->config.steps == 0;
    gnt_fl_undefended_end(&s->plain, s->old, s->next, is_gradient, is_gradient ? rate : 1);
    s->plain.round.aggregated = took;
    gnt_fl_undefended_added(&s->plain, is_gradient ? -rate : 1);
    const gnt_fl_step step = {.next = s->next, .buffers = s->buffers_average, .added = s->plain.update};
    return s->watch->compared(s->watch->context, &s->plain.round, &step, err);
}

/* Computes client_buffers[k] from the differences that were sent. */
static void receive_buffers(server *s, int32_t k, gnt_fl_statistics sent, const float *buffers) {
    s->sent_buffers[k] = sent == GNT_FL_STATISTICS_CLEAR || sent == GNT_FL_STATISTICS_CHANGED;
    for (int64_t i = 0; i < s->fl->n_buffers; i++)
        s->client_buffers[k][i] += buffers[i];
}

static int one_client(server *s, int32_t round, int32_t client, const gnt_samples *samples, int32_t k,
                      const float *weights, const float *buffers, gnt_err *err) {
    const gnt_fl *fl = s->fl;
    const gnt_fl_watch *w = s->watch;
    gnt_fl_used used = {0};
    gnt_fl_treatment treatment = {0};
    gnt_fl_statistics statistics;
    float *const update = update_of(s, k);
    gnt_fl_shared shared = {.update = update,
                            .sent_buffers = s->client_buffers[k],
                            .statistics = &statistics,
                            .rates = s->rates,
                            .used = w->wants && w->wants(w->context, round, client) ? &used : NULL,
                            .treatment = w->received ? &treatment : NULL,
                            .released = w->released,
                            .context = w->context};
    if (s->comparing)
        compute_plain(s, round, client, samples, weights, buffers);
    int rc = w->before_client ? w->before_client(w->context, round, client, err) : 0;
    if (rc == 0)
        rc = compute_client(s, round, client, samples, weights, buffers, &shared, err);
    if (rc == 0 && s->comparing)
        gnt_fl_undefended_add(&s->plain, update, s->share[k], &treatment.plain_cosine,
                              &treatment.plain_ratio);
    treatment.plain_known = s->comparing;
    if (rc == 0 && treatment.known && w->added) {
        rc = s->added.n ? 0 : gnt_fl_added_open(&s->added, fl->n_shared, err);
        if (rc == 0)
            gnt_fl_added_client(&s->added, fl->plain, update, s->share[k], shared.used != NULL);
    }
    if (rc == 0 && w->received) {
        const gnt_fl_receipt receipt = {.round = round,
                                        .client = client,
                                        .update = shared.update,
                                        .statistics = statistics,
                                        .sent_buffers = shared.sent_buffers,
                                        .rates = shared.rates,
                                        .used = shared.used,
                                        .treatment = &treatment,
                                        .plain = s->comparing ? s->plain.update : NULL};
        rc = w->received(w->context, &receipt, err);
    }
    if (rc == 0)
        receive_buffers(s, k, statistics, buffers);
    if (rc == 0 && w->after_client)
        rc = w->after_client(w->context, round, client, err);
    gnt_fl_used_free(&used);
    return rc;
}

/* True if a client keeps anything from one round to the next. */
static int clients_keep(const gnt_fl *fl) {
    for (int32_t i = 0; i < fl->chain->n; i++)
        if (fl->chain->member[i].hooks->save)
            return 1;
    return fl->n_own > 0;
}

/* Does the local work of the clients that a round does not choose; s->chosen has the n that it does. */
static int train_the_others(server *s, int32_t round, int32_t n, const float *weights, const float *buffers,
                            gnt_err *err) {
    const gnt_fl_watch *w = s->watch;
    int32_t next = 0;
    for (int32_t client = 0; s->left && client < s->fl->config.clients; client++) {
        const gnt_samples own = rows_of(s, s->start[client], s->start[client + 1]);
        gnt_fl_shared shared = {.update = s->left};
        if (next < n && s->chosen[next] == (uint32_t)client) {
            next++;
            continue;
        }
        if (own.n < 1)
            continue;
        if (w->should_stop(w->context))
            return gnt_fail(err, "stopped in round %d", round);
        if ((w->before_client && w->before_client(w->context, round, client, err) != 0) ||
            compute_client(s, round, client, &own, weights, buffers, &shared, err) != 0 ||
            (w->after_client && w->after_client(w->context, round, client, err) != 0))
            return -1;
    }
    return 0;
}

/* Adds up how much of what was sent a defense's steps took. */
static void add_step(server *s, int32_t n, double rate) {
    const double unit = s->fl->config.steps == 0 ? rate : 1;
    double step = 0, received = 0;
    for (int64_t i = 0; i < s->fl->n_shared; i++) {
        const double moved = ((double)s->next[i] - (double)s->old[i]) / unit;
        double sum = 0;
        for (int32_t k = 0; k < n; k++)
            sum += s->share[k] * (double)s->update[k][i];
        step += moved * moved;
        received += sum * sum;
    }
    gnt_fl_added_step(&s->added, step, received);
}

static int one_round(server *s, int32_t round, float *weights, float *buffers, gnt_err *err) {
    gnt_fl *fl = s->fl;
    int32_t n = gnt_fl_choose(fl, s->start, round, s->chosen);
    int64_t total = 0;
    if (s->watch->before_round && s->watch->before_round(s->watch->context, round, s->chosen, n, err) != 0)
        return -1;
    if (begin_comparing(s, round, err) != 0)
        return -1;
    for (int32_t k = 0; k < n; k++)
        total += s->start[s->chosen[k] + 1] - s->start[s->chosen[k]];
    if (s->sum)
        memset(s->sum, 0, (size_t)fl->n_shared * sizeof *s->sum);
    for (int32_t k = 0; k < n; k++) {
        int32_t client = (int32_t)s->chosen[k];
        gnt_samples own = rows_of(s, s->start[client], s->start[client + 1]);
        s->share[k] = (double)own.n / (double)total;
        s->index[k] = client;
        s->samples[k] = own.n;
        if (one_client(s, round, client, &own, k, weights, buffers, err) != 0)
            return -1;
        if (s->sum && (k + 1) % s->n_updates == 0)
            add_updates(s, k + 1 - s->n_updates, s->n_updates);
    }
    if (s->sum)
        add_updates(s, n - n % s->n_updates, n % s->n_updates);
    average_buffers(s, n, buffers);
    if (train_the_others(s, round, n, weights, buffers, err) != 0)
        return -1;
    gnt_model_pick(fl->model, 1, weights, s->old);
    gnt_aggregate in = {.size = sizeof in,
                        .round = round,
                        .n_clients = n,
                        .n_params = fl->n_shared,
                        .old_weights = s->old,
                        .update = s->sum ? NULL : (const float *const *)s->update,
                        .share = s->share,
                        .rate = gnt_fl_rate(&fl->config, round),
                        .is_gradient = fl->config.steps == 0,
                        .public_data = s->public_data,
                        .buffers = fl->n_buffers ? buffers : NULL,
                        .client_buffers = fl->n_buffers ? (const float *const *)s->client_buffers : NULL,
                        .new_buffers = fl->n_buffers ? s->buffers_average : NULL,
                        .n_buffers = fl->n_buffers,
                        .client = s->index,
                        .samples = s->samples};
    int took;
    memcpy(s->buffers_in, s->buffers_average, (size_t)fl->n_buffers * sizeof *buffers);
    if (gnt_chain_aggregate(fl->chain, &in, s->next, &took, err) != 0)
        return -1;
    if (!took)
        take_step(s, in.rate);
    in.new_buffers = fl->n_buffers ? s->buffers_in : NULL;
    if (took && s->watch->aggregated && s->watch->aggregated(s->watch->context, &in, s->next, err) != 0)
        return -1;
    if (end_comparing(s, took, in.rate, err) != 0)
        return -1;
    if (s->added.n && took)
        add_step(s, n, in.rate);
    if (s->added.n)
        gnt_fl_added_end_round(&s->added);
    gnt_model_place(fl->model, 1, s->next, weights);
    memcpy(buffers, s->buffers_average, (size_t)fl->n_buffers * sizeof *buffers);
    return 0;
}

static void server_free(server *s) {
    for (int32_t k = 0; s->update && k < s->n_updates; k++)
        gnt_free_aligned(s->update[k]);
    gnt_free_aligned(s->sum);
    gnt_free_aligned(s->left);
    gnt_fl_undefended_free(&s->plain);
    gnt_fl_added_free(&s->added);
    gnt_arena_free(&s->arena);
}

static int server_open(server *s) {
    const gnt_fl *fl = s->fl;
    const gnt_fl_config *c = &fl->config;
    const size_t most = (size_t)(s->most = gnt_fl_per_round(c));
    const size_t params = (size_t)fl->n_shared, buffers = (size_t)fl->n_buffers;
    const int aggregates = hooks_aggregate(fl->chain);
    int64_t most_rows = 0;
    for (int32_t k = 0; k < c->clients; k++)
        if (s->start[k + 1] - s->start[k] > most_rows)
            most_rows = s->start[k + 1] - s->start[k];
    s->n_updates = aggregates || s->most < FEW_UPDATES ? s->most : FEW_UPDATES;
    gnt_arena *a = &s->arena;
    s->update = gnt_arena_array(a, (size_t)s->n_updates, sizeof *s->update);
    s->share = gnt_arena_array(a, most, sizeof *s->share);
    s->buffers_average = gnt_arena_array(a, buffers, sizeof *s->buffers_average);
    s->sent_buffers = gnt_arena_array(a, most, sizeof *s->sent_buffers);
    s->buffers_in = gnt_arena_array(a, buffers, sizeof *s->buffers_in);
    s->client_buffers = gnt_arena_array(a, most, sizeof *s->client_buffers);
    s->index = gnt_arena_array(a, most, sizeof *s->index);
    s->samples = gnt_arena_array(a, most, sizeof *s->samples);
    s->old = gnt_arena_array(a, params, sizeof *s->old);
    s->next = gnt_arena_array(a, params, sizeof *s->next);
    s->chosen = gnt_arena_array(a, (size_t)c->clients, sizeof *s->chosen);
    s->id = gnt_arena_array(a, (size_t)most_rows, sizeof *s->id);
    s->rates = gnt_arena_array(a, (size_t)c->steps, sizeof *s->rates);
    if (fl->n_own)
        s->merged = gnt_arena_array(a, (size_t)fl->n_params, sizeof *s->merged);
    if (c->steps == 0 && c->momentum != 0)
        s->velocity = gnt_arena_array(a, params, sizeof *s->velocity);
    if (!aggregates && !(s->sum = gnt_aligned(params, sizeof *s->sum)))
        return -1;
    const int others = c->all_train && s->most < c->clients && clients_keep(fl);
    if (others && !(s->left = gnt_aligned(params, sizeof *s->left)))
        return -1;
    for (size_t k = 0; !a->failed && k < most; k++) {
        s->client_buffers[k] = gnt_arena_array(a, buffers, sizeof **s->client_buffers);
    }
    for (int32_t k = 0; !a->failed && k < s->n_updates; k++)
        if (!(s->update[k] = gnt_aligned(params, sizeof **s->update)))
            return -1;
    for (int64_t i = 0; !a->failed && i < most_rows; i++)
        s->id[i] = i;
    return a->failed ? -1 : 0;
}

int gnt_fl_train(gnt_fl *fl, const gnt_samples *data, const gnt_partition *part,
                 const gnt_samples *public_data, float *weights, float *buffers, float *own,
                 const gnt_fl_watch *watch, gnt_err *err) {
    gnt_batch dealt = {0}; /* samples in the order of the partition: a client's are one run of rows */
    server s = {.fl = fl,
                .data = &dealt.view,
                .public_data = public_data,
                .own = own,
                .watch = watch,
                .start = part->start};
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
    const gnt_fl_carried carried = {.velocity = s.velocity, .added = &s.added};
    int32_t done = 0;
    rc = watch->resume ? watch->resume(watch->context, &done, &carried, err) : 0;
    if (rc == 0 && done == 0)
        rc = watch->after_round(watch->context, 0, weights, buffers, err);
    for (int32_t round = done; rc == 0 && round < fl->config.rounds; round++) {
        if (watch->should_stop(watch->context)) {
            rc = gnt_fail(err, "stopped in round %d", round);
            break;
        }
        rc = one_round(&s, round, weights, buffers, err);
        if (rc == 0)
            rc = watch->after_round(watch->context, round + 1, weights, buffers, err);
        if (rc == 0 && watch->carry)
            rc = watch->carry(watch->context, round + 1, &carried, err);
    }
    if (rc == 0 && s.added.n) {
        const gnt_fl_totals totals = gnt_fl_added_totals(&s.added);
        watch->added(watch->context, &totals);
    }
cleanup:
    server_free(&s);
    gnt_batch_free(&dealt);
    return rc;
}
