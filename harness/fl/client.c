/* What one client does in one round. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/clones.h"
#include "base/finite.h"
#include "base/mem.h"
#include "fl/fl.h"

static gnt_trainer *trainer_for(gnt_fl *fl, int64_t n, gnt_err *err) {
    for (int i = 0; i < FL_TRAINERS; i++)
        if (fl->trainer[i] && fl->trainer_n[i] == n)
            return fl->trainer[i];
    int slot = 0;
    while (slot < FL_TRAINERS && fl->trainer[slot])
        slot++;
    if (slot == FL_TRAINERS) { /* forget the oldest */
        slot = fl->next_slot++ % FL_TRAINERS;
        gnt_trainer_free(fl->trainer[slot]);
        fl->trainer[slot] = NULL;
    }
    if (gnt_trainer_new(&fl->trainer[slot], fl->model, n, fl->config.training_stats, err) != 0)
        return NULL;
    fl->trainer_n[slot] = n;
    return fl->trainer[slot];
}

/* The work of one client that its steps share. */
typedef struct local {
    gnt_fl *fl;
    gnt_client client;
    const gnt_samples *own; /* its samples before any encoding */
    gnt_batch set;          /* and after encode_set */
    gnt_batch used_of_set;  /* those of them that this round's batches use; empty: all */
    uint32_t *order;        /* their shuffled numbers; NULL: every step uses all samples */
    uint32_t *row;          /* those of the batch at hand */
    int64_t at; /* place in the order where the next batch begins; beyond its end: in the next pass */
    int own_computation;  /* a defense computed the update itself */
    gnt_trainer *trainer; /* of the step at hand */
    gnt_fl_used *used;    /* NULL: not wanted */
    const gnt_fl_shared *out;
    int64_t pass, passes; /* over the samples in this round: the one at hand, and how many there may be */
} local;

static int shuffle_samples(local *l, gnt_err *err) {
    char name[64];
    if (l->pass == 0)
        snprintf(name, sizeof name, "batches %d %d", l->client.round, l->client.index);
    else
        snprintf(name, sizeof name, "batches %d %d pass %lld", l->client.round, l->client.index,
                 (long long)l->pass);
    gnt_stream random = gnt_stream_open(&l->fl->key, name);
    size_t n = (size_t)l->set.view.n;
    gnt_free(l->order);
    gnt_free(l->row);
    l->order = gnt_array(n, sizeof *l->order);
    l->row = gnt_array((size_t)l->fl->config.batch, sizeof *l->row);
    if (!l->order || !l->row)
        return gnt_fail(err, "out of memory for the order of %zu samples", n);
    for (size_t i = 0; i < n; i++)
        l->order[i] = (uint32_t)i;
    gnt_random_shuffle(&random, l->order, n);
    return 0;
}

/* Lets the chain encode all samples for one pass, and shows the result where `released` is given. */
static int encode_set(local *l, int64_t pass, gnt_err *err) {
    const gnt_fl_shared *out = l->out;
    gnt_mixture made_of = {0};
    int rc = 0;
    if (out->released) {
        l->set.made_of = &made_of;
        rc = gnt_mixture_identity(&made_of, l->own->n, err);
    }
    if (rc == 0)
        rc = gnt_chain_encode_set(l->fl->chain, &l->client, pass, &l->set, err);
    if (rc == 0 && out->released)
        rc = out->released(out->context, l->client.round, l->client.index, pass, &l->set, err);
    l->set.made_of = NULL;
    gnt_mixture_free(&made_of);
    return rc;
}

/* Begins the next pass when all samples were used: a defense encodes the set again, maybe to another number
 * of samples. Without such a defense, each pass is still reported: the observer may need late passes only. */
static int next_pass(local *l, gnt_err *err) {
    int64_t n = l->set.view.n;
    if (!l->order || l->at < n)
        return 0;
    l->at %= n;
    l->pass++;
    if (!gnt_chain_encodes_sets(l->fl->chain) && !l->out->released)
        return 0;
    gnt_batch_free(&l->set);
    gnt_batch_borrow(&l->set, l->own);
    if (encode_set(l, l->client.round * l->passes + l->pass, err) != 0)
        return -1;
    if (l->set.view.n == n)
        return 0;
    l->at = 0;
    return shuffle_samples(l, err);
}

/* Changes a drawn batch by a stream of its round, client and step alone, so that no defense has a part in
 * what is drawn. */
static void augment(const local *l, int64_t step, gnt_batch *b) {
    const gnt_augment *a = &l->fl->config.augment;
    char name[96];
    if (!gnt_augment_any(a) || b->view.rank != 3)
        return;
    snprintf(name, sizeof name, "augment %d %d step %lld", l->client.round, l->client.index, (long long)step);
    gnt_stream random = gnt_stream_open(&l->fl->key, name);
    const int64_t features = b->view.features, m = gnt_mask_size(&b->view);
    const int is_map = gnt_model_is_map(l->fl->model) && b->view.classes == m;
    for (int64_t i = 0; i < b->view.n; i++)
        gnt_augment_image(a, b->x + i * features, is_map ? b->y + i * m : NULL,
                          b->view.mask ? b->mask + i * m : NULL, b->view.dim, &random);
}

/* Takes the next samples of the shuffled order, cyclically, augmented for `step`. */
static int draw_batch(local *l, int64_t step, gnt_batch *b, gnt_err *err) {
    int64_t n = l->fl->config.batch;
    if (l->fl->config.steps == 0 && n > l->set.view.n)
        n = l->set.view.n; /* one gradient takes no sample twice */
    if (!l->order) {
        gnt_batch_borrow(b, &l->set.view);
        return 0;
    }
    for (int64_t i = 0; i < n; i++)
        l->row[i] = l->order[(l->at + i) % l->set.view.n];
    l->at += n;
    if (gnt_batch_gather(b, &l->set.view, l->row, n) != 0)
        return gnt_fail(err, "out of memory for a batch of %lld samples", (long long)n);
    augment(l, step, b);
    return 0;
}

static int diverged(local *l, const char *what, gnt_err *err) {
    l->fl->diverged = 1;
    return gnt_fail(
        err, "the training diverged: %s of client %d is not finite in round %d; lower the learning rate",
        what, l->client.index, l->client.round);
}

/* ---- what was used ---- */

void gnt_fl_used_free(gnt_fl_used *u) {
    gnt_free(u->row);
    gnt_free(u->y);
    *u = (gnt_fl_used){0};
}

/* Copies the labels of samples row[0 … n − 1]; row NULL: 0, 1, 2 … */
static int note_labels(gnt_fl_used *u, const gnt_samples *s, const uint32_t *row, int64_t n, gnt_err *err) {
    const int64_t c = s->classes;
    gnt_free(u->y);
    u->y = gnt_array((size_t)n, (size_t)c * sizeof *u->y);
    if (!u->y)
        return gnt_fail(err, "out of memory for %lld labels", (long long)n);
    for (int64_t i = 0; i < n; i++)
        memcpy(u->y + i * c, s->y + (row ? (int64_t)row[i] : i) * c, (size_t)c * sizeof *u->y);
    u->n_y = n;
    u->classes = s->classes;
    return 0;
}

static int encodes(const gnt_chain *c) {
    int32_t i = 0;
    while (i < c->n && !c->member[i].hooks->encode_set && !c->member[i].hooks->encode_batch &&
           !c->member[i].hooks->client_update)
        i++;
    return i < c->n;
}

/* Returns how many samples the round's batches use: the first so many of the shuffled order. */
static int64_t count_used(const local *l) {
    const gnt_fl_config *c = &l->fl->config;
    const int64_t drawn = (c->steps ? c->steps : 1) * c->batch, all = l->set.view.n;
    return l->order && drawn < all ? drawn : all;
}

/* Records which samples the round's batches use, or all; called right after the samples were shuffled. */
static int note_used(local *l, gnt_err *err) {
    gnt_fl_used *u = l->used;
    const int64_t n = count_used(l);
    u->whole = encodes(l->fl->chain);
    u->n = u->whole ? l->own->n : n;
    u->row = gnt_array((size_t)u->n, sizeof *u->row);
    if (!u->row)
        return gnt_fail(err, "out of memory for the numbers of %lld samples", (long long)u->n);
    for (int64_t i = 0; i < u->n; i++)
        u->row[i] = u->whole || !l->order ? (uint32_t)i : l->order[i];
    return note_labels(u, &l->set.view, l->order, n, err);
}

/* Returns the samples that hooks see between and after the batches. */
static const gnt_samples *seen_by_hooks(const local *l) {
    return l->used_of_set.view.n ? &l->used_of_set.view : &l->set.view;
}

/* Hides from later hooks every sample that no batch of this round uses: what they make of the update then
 * comes from those that an observation is scored against. */
static int narrow_to_used(local *l, gnt_err *err) {
    const int64_t n = count_used(l);
    if (n == l->set.view.n)
        return 0;
    if (gnt_batch_gather(&l->used_of_set, &l->set.view, l->order, n) != 0)
        return gnt_fail(err, "out of memory for the %lld samples of a round", (long long)n);
    l->client.samples = seen_by_hooks(l);
    return 0;
}

/* Computes the gradient of the loss over batch `step` at `weights` into grad, or, where that is NULL, only in
 * l->trainer. */
static int step_gradient(local *l, int64_t step, const float *weights, float *grad, gnt_err *err) {
    gnt_fl *fl = l->fl;
    gnt_batch b;
    if (next_pass(l, err) != 0 || draw_batch(l, step, &b, err) != 0)
        return -1;
    int rc = gnt_chain_encode_batch(fl->chain, &l->client, step, &b, err);
    l->client.samples = seen_by_hooks(l);
    if (rc == 0 && l->used && step == 0 && fl->config.steps == 0)
        rc = note_labels(l->used, &b.view, NULL, b.view.n, err);
    gnt_trainer *t = l->trainer = rc == 0 ? trainer_for(fl, b.view.n, err) : NULL;
    double loss = 0;
    rc = t ? gnt_trainer_gradient(t, weights, fl->local_buffers, b.view.x, b.view.y, grad, &loss, fl->stats,
                                  err)
           : -1;
    if (rc == 0 && !isfinite(loss))
        rc = diverged(l, "the loss", err);
    for (int64_t i = 0; rc == 0 && fl->config.training_stats && i < fl->n_buffers; i++)
        fl->local_buffers[i] = 0.9f * fl->local_buffers[i] + 0.1f * fl->stats[i];
    gnt_batch_free(&b);
    return rc;
}

/* Takes a local step along the gradient: the trainer's, or for Adam fl->grad. */
static void take_step(const local *l, double rate) {
    gnt_fl *fl = l->fl;
    const float decay = (float)fl->config.decay;
    if (!fl->adam) {
        gnt_trainer_descend(l->trainer, fl->local, fl->velocity, rate, fl->config.momentum, fl->config.decay);
        return;
    }
    for (int64_t i = 0; decay > 0 && i < fl->n_params; i++)
        fl->grad[i] += decay * fl->local[i];
    gnt_adam_step(fl->adam, fl->local, fl->grad, rate);
}

GNT_CLONES static void subtract(float *from, const float *x, int64_t n) {
    GNT_INDEPENDENT
    for (int64_t i = 0; i < n; i++)
        from[i] -= x[i];
}

static int descend(local *l, const float *weights, const gnt_fl_shared *out, gnt_err *err) {
    gnt_fl *fl = l->fl;
    if (narrow_to_used(l, err) != 0)
        return -1;
    memcpy(fl->local, weights, (size_t)fl->n_params * sizeof *weights);
    if (fl->velocity)
        memset(fl->velocity, 0, (size_t)fl->n_params * sizeof *fl->velocity);
    if (fl->adam)
        gnt_adam_reset(fl->adam);
    for (int64_t step = 0; step < fl->config.steps; step++) {
        double rate = l->client.rate;
        if (gnt_chain_local_rate(fl->chain, &l->client, step, &rate, err) != 0 ||
            step_gradient(l, step, fl->local, fl->adam ? fl->grad : NULL, err) != 0)
            return -1;
        if (out->rates)
            out->rates[step] = (float)rate;
        take_step(l, rate);
    }
    if (out->own)
        gnt_model_pick(fl->model, 0, fl->local, out->own);
    subtract(fl->local, weights, fl->n_params);
    if (gnt_first_not_finite(fl->local, fl->n_params) < fl->n_params)
        return diverged(l, "the update", err);
    gnt_model_pick(fl->model, 1, fl->local, out->update);
    return 0;
}

/* Computes one gradient; the client's own parameters take a step along theirs. */
static int share_gradient(local *l, const float *weights, const gnt_fl_shared *out, gnt_err *err) {
    gnt_fl *fl = l->fl;
    if (step_gradient(l, 0, weights, fl->grad, err) != 0)
        return -1;
    if (gnt_first_not_finite(fl->grad, fl->n_params) < fl->n_params)
        return diverged(l, "the gradient", err);
    gnt_model_pick(fl->model, 1, fl->grad, out->update);
    if (out->own) {
        memcpy(fl->local, weights, (size_t)fl->n_params * sizeof *weights);
        gnt_sgd_step(fl->local, NULL, fl->grad, fl->n_params, l->client.rate, 0, 0);
        gnt_model_pick(fl->model, 0, fl->local, out->own);
    }
    return 0;
}

/* Counts the different classes among hard (or mostly hard) labels. */
static int64_t count_labels(const gnt_samples *s) {
    int64_t n = 0;
    for (int32_t c = 0; c < s->classes; c++) {
        int64_t i = 0;
        while (i < s->n && s->y[i * s->classes + c] <= 0.5f)
            i++;
        n += i < s->n;
    }
    return n;
}

/* Draws the one batch of a shared gradient: encodings of a step and transforms see that batch, not all
 * samples. */
static int narrow_to_one_batch(local *l, gnt_err *err) {
    gnt_batch b = {0};
    if (draw_batch(l, 0, &b, err) != 0)
        return -1;
    gnt_batch_free(&l->set);
    l->set = b;
    l->client.samples = &l->set.view;
    gnt_free(l->order);
    l->order = NULL;
    return 0;
}

/* Shows hooks what the client is about to send of its running statistics. */
static void offer_buffers(local *l) {
    gnt_fl *fl = l->fl;
    fl->statistics.n = fl->n_statistics;
    gnt_fl_tensors_into(&fl->statistics, fl->sent_buffers);
}

/* Computes how the running statistics of the host's own computation differ from those broadcast. */
static void find_buffers(const local *l, float *out) {
    for (int64_t i = 0; i < l->fl->n_buffers; i++)
        out[i] = l->fl->local_buffers[i] - l->client.buffers[i];
}

/* Computes the update before any transform: by a defense that takes over, or by the host. */
static int compute(local *l, const float *weights, const gnt_fl_shared *out, gnt_err *err) {
    gnt_fl *fl = l->fl;
    int took;
    memset(out->update, 0, (size_t)fl->n_shared * sizeof *out->update);
    memset(fl->sent_buffers, 0, (size_t)fl->n_buffers * sizeof *fl->sent_buffers);
    offer_buffers(l);
    l->client.sent_buffers = fl->sends_statistics ? &fl->statistics : NULL;
    if (gnt_chain_client_update(fl->chain, &l->client, &fl->tensors, &took, err) != 0)
        return -1;
    l->client.sent_buffers = NULL;
    l->own_computation = took;
    if (took && out->own)
        gnt_model_pick(fl->model, 0, weights, out->own);
    if (took)
        return 0;
    return fl->config.steps > 0 ? descend(l, weights, out, err) : share_gradient(l, weights, out, err);
}

static int transforms(const gnt_chain *c) {
    int32_t i = 0;
    while (i < c->n && !c->member[i].hooks->transform_update)
        i++;
    return i < c->n;
}

static gnt_fl_treatment compare(const float *before, const float *after, int64_t n) {
    double bb = 0, aa = 0, ab = 0;
    int64_t changed = 0;
    for (int64_t i = 0; i < n; i++) {
        const double b = before[i], a = after[i];
        bb += b * b;
        aa += a * a;
        ab += a * b;
        changed += before[i] != after[i];
    }
    return (gnt_fl_treatment){.known = 1,
                              .norm = sqrt(bb),
                              .cosine = aa > 0 && bb > 0 ? ab / sqrt(aa * bb) : 0,
                              .ratio = bb > 0   ? sqrt(aa / bb)
                                       : aa > 0 ? INFINITY
                                                : 1,
                              .changed = (double)changed / (double)n};
}

/* Lets the chain change the update, and reports how much it did. */
static int transform(local *l, const gnt_fl_shared *out, gnt_err *err) {
    gnt_fl *fl = l->fl;
    const int compared = out->treatment && !l->own_computation && transforms(fl->chain);
    if (compared && !fl->plain && !(fl->plain = gnt_aligned((size_t)fl->n_shared, sizeof *fl->plain)))
        return gnt_fail(err, "out of memory for an update of %lld entries", (long long)fl->n_shared);
    if (compared)
        memcpy(fl->plain, out->update, (size_t)fl->n_shared * sizeof *fl->plain);
    if (!l->own_computation) {
        find_buffers(l, fl->sent_buffers);
        offer_buffers(l);
    }
    if (gnt_first_not_finite(fl->sent_buffers, fl->n_buffers) < fl->n_buffers)
        return diverged(l, "a running statistic", err);
    l->client.sent_buffers = fl->sends_statistics ? &fl->statistics : NULL;
    if (gnt_chain_transform(fl->chain, &l->client, &fl->tensors, err) != 0)
        return -1;
    l->client.sent_buffers = NULL;
    if (compared)
        *out->treatment = compare(fl->plain, out->update, fl->n_shared);
    return 0;
}

static gnt_fl_statistics fate_of_buffers(const local *l) {
    const gnt_fl *fl = l->fl;
    if (!fl->sends_statistics)
        return GNT_FL_STATISTICS_NONE;
    if (fl->statistics.n == 0)
        return GNT_FL_STATISTICS_WITHHELD;
    if (l->own_computation)
        return GNT_FL_STATISTICS_CHANGED;
    find_buffers(l, fl->stats);
    return memcmp(fl->stats, fl->sent_buffers, (size_t)fl->n_buffers * sizeof *fl->stats) == 0
               ? GNT_FL_STATISTICS_CLEAR
               : GNT_FL_STATISTICS_CHANGED;
}

/* Hands over what is sent of the running statistics after all hooks. */
static void send_buffers(const local *l, const gnt_fl_shared *out) {
    const gnt_fl *fl = l->fl;
    const gnt_fl_statistics fate = fate_of_buffers(l);
    const int sent = fate == GNT_FL_STATISTICS_CLEAR || fate == GNT_FL_STATISTICS_CHANGED;
    if (out->statistics)
        *out->statistics = fate;
    for (int64_t i = 0; out->sent_buffers && i < fl->n_buffers; i++)
        out->sent_buffers[i] = sent ? fl->sent_buffers[i] : 0;
}

int gnt_fl_client(gnt_fl *fl, int32_t round, int32_t client, const gnt_samples *samples,
                  const gnt_fl_holding *holds, const gnt_samples *public_data, const float *weights,
                  const float *buffers, gnt_fl_batching batching, const gnt_fl_shared *out, gnt_err *err) {
    gnt_samples own = *samples;
    gnt_hide_for(&fl->config.hidden, client, &own);
    local l = {.fl = fl,
               .own = &own,
               .used = batching == GNT_FL_BATCHES ? out->used : NULL,
               .out = out,
               .passes = batching == GNT_FL_BATCHES ? gnt_fl_passes(&fl->config, samples->n) : 1};
    int rc = -1;
    l.client = (gnt_client){.size = sizeof l.client,
                            .index = client,
                            .round = round,
                            .n_clients = fl->config.clients,
                            .n_samples = holds ? holds->samples : samples->n,
                            .n_labels = holds                         ? holds->labels
                                        : gnt_model_is_map(fl->model) ? 0
                                                                      : count_labels(samples),
                            .rate = gnt_fl_rate(&fl->config, round),
                            .rounds = fl->config.rounds,
                            .per_round = gnt_fl_per_round(&fl->config),
                            .steps = fl->config.steps,
                            .batch = batching == GNT_FL_BATCHES ? fl->config.batch : samples->n,
                            .weights = weights,
                            .buffers = buffers,
                            .public_data = public_data,
                            .momentum = fl->config.steps ? fl->config.momentum : 0,
                            .decay = fl->config.steps ? fl->config.decay : 0};
    gnt_batch_borrow(&l.set, &own);
    memcpy(fl->local_buffers, buffers, (size_t)fl->n_buffers * sizeof *buffers);
    gnt_fl_tensors_into(&fl->tensors, out->update);
    l.client.samples = &l.set.view;
    if (batching != GNT_FL_ENCODED && encode_set(&l, round * l.passes, err) != 0)
        goto cleanup;
    if (batching == GNT_FL_BATCHES && shuffle_samples(&l, err) != 0)
        goto cleanup;
    if (l.used && note_used(&l, err) != 0)
        goto cleanup;
    if (batching == GNT_FL_BATCHES && fl->config.steps == 0 && narrow_to_one_batch(&l, err) != 0)
        goto cleanup;
    rc = compute(&l, weights, out, err) || transform(&l, out, err) ? -1 : 0;
    if (rc == 0)
        send_buffers(&l, out);
cleanup:
    gnt_free(l.order);
    gnt_free(l.row);
    gnt_batch_free(&l.set);
    gnt_batch_free(&l.used_of_set);
    return rc;
}
