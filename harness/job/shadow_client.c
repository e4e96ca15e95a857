#include "job/shadow_client.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "job/work/defense_state.h"

struct gnt_shadow_client {
    gnt_shadow_spec spec;
    /* What fl runs: the remote's chain, or none. */
    gnt_chain chain;
    gnt_fl *fl;
    gnt_sampleset rows;
    /* Weights of a client that keeps some. */
    float *merged;
};

int gnt_shadow_open(gnt_shadow_client **out, const gnt_shadow_spec *spec, gnt_err *err) {
    gnt_shadow_client *s = gnt_alloc(sizeof *s);
    *out = NULL;
    if (!s)
        return gnt_fail(err, "out of memory for shadow rows");
    *s = (gnt_shadow_client){.spec = *spec,
                             .chain = *gnt_remote_chain(spec->remote),
                             .merged = gnt_array((size_t)gnt_model_size(spec->model), sizeof *s->merged)};
    int rc = s->merged ? gnt_work_samples(&s->rows, spec->work, "shadow", spec->samples, err)
                       : gnt_fail(err, "out of memory for weights");
    if (rc == 0 && s->rows.view.n == 0)
        rc = gnt_fail(err, "there are no shadow rows to replace updates by");
    if (rc == 0)
        rc = gnt_fl_new(&s->fl, spec->model, spec->config, &s->chain, spec->key, err);
    if (rc != 0) {
        gnt_shadow_free(s);
        return -1;
    }
    *out = s;
    return 0;
}

void gnt_shadow_free(gnt_shadow_client *s) {
    if (!s)
        return;
    gnt_fl_free(s->fl);
    gnt_sampleset_free(&s->rows);
    gnt_free(s->merged);
    gnt_free(s);
}

/* ---- rows ---- */

/* Takes for each of the client's rows the next that is not taken, of the same label if there is one. Once all
 * are taken they may be taken again. order: the shadow rows in a random order; taken: a zero for each. */
static void choose_rows(const gnt_shadow_client *s, int32_t client, const uint32_t *order, uint8_t *taken,
                        uint32_t *row) {
    const gnt_sampleset *clients = s->spec.clients;
    const gnt_partition *part = s->spec.part;
    const int64_t first = part->start[client], n = part->start[client + 1] - first;
    const size_t all = (size_t)s->rows.view.n;
    const int by_label = !clients->has_maps && !s->rows.has_maps;
    size_t left = all;
    for (int64_t i = 0; i < n; i++) {
        size_t any = all, like = all;
        for (size_t k = 0; k < all && like == all; k++) {
            if (taken[k])
                continue;
            any = any == all ? k : any;
            if (by_label && s->rows.label[order[k]] == clients->label[part->index[first + i]])
                like = k;
            if (!by_label)
                break;
        }
        const size_t k = like < all ? like : any;
        taken[k] = 1;
        row[i] = order[k];
        if (--left == 0) {
            memset(taken, 0, all);
            left = all;
        }
    }
}

/* Gathers as many shadow rows as the client holds, with ids of its own. */
static int gather_rows(const gnt_shadow_client *s, int32_t round, int32_t client, gnt_batch *out,
                       gnt_err *err) {
    const int64_t *start = s->spec.part->start, n = start[client + 1] - start[client];
    const size_t all = (size_t)s->rows.view.n;
    uint32_t *order = gnt_array(all, sizeof *order), *row = gnt_array((size_t)n, sizeof *row);
    uint8_t *taken = gnt_array(all, 1);
    char name[64];
    int rc = order && row && taken ? 0 : -1;
    snprintf(name, sizeof name, "shadow rows of round %" PRId32 " client %" PRId32, round, client);
    gnt_stream random = gnt_stream_open(s->spec.key, name);
    for (size_t i = 0; rc == 0 && i < all; i++)
        order[i] = (uint32_t)i;
    if (rc == 0) {
        gnt_random_shuffle(&random, order, all);
        choose_rows(s, client, order, taken, row);
        rc = gnt_batch_gather(out, &s->rows.view, row, n);
    }
    for (int64_t i = 0; rc == 0 && i < n; i++)
        out->id[i] = i;
    gnt_free(order);
    gnt_free(row);
    gnt_free(taken);
    return rc == 0 ? 0 : gnt_fail(err, "out of memory for %" PRId64 " shadow rows", n);
}

/* ---- updates ---- */

/* A client and what it computes with. */
typedef struct in_place {
    int32_t round, client;
    const float *weights, *buffers;
    const gnt_samples *rows;
    const gnt_fl_holding *holds;
} in_place;

static int compute(gnt_shadow_client *s, const in_place *p, float *update, gnt_err *err) {
    const gnt_fl_shared shared = {.update = update};
    return gnt_fl_client(s->fl, p->round, p->client, p->rows, p->holds, s->spec.public_data, p->weights,
                         p->buffers, GNT_FL_BATCHES, &shared, err);
}

static int compute_with_hooks(gnt_shadow_client *s, const in_place *p, const gnt_st *state, float *update,
                              gnt_err *err) {
    const gnt_chain *chain = &s->chain;
    if (gnt_remote_uses_copies(s->spec.remote) &&
        (gnt_state_load_sums(chain, s->spec.trained, err) != 0 ||
         (state && gnt_state_load(chain, state, 0, p->client, err) != 0)))
        return -1;
    return compute(s, p, update, err);
}

/* Computes what hooks make of it, in a copy of their process. What they say of rows that they do not support
 * is no refusal, and neither is a loss that is not finite. */
static int send(gnt_shadow_client *s, const in_place *p, const gnt_st *state, gnt_replacement *out,
                gnt_err *err) {
    gnt_work *w = s->spec.work;
    const int copied = gnt_remote_uses_copies(s->spec.remote);
    const gnt_status status = w->status;
    gnt_err why = {0};
    s->chain = *gnt_remote_chain(s->spec.remote);
    if (copied && gnt_remote_shadow_begin(s->spec.remote, err) != 0)
        return -1;
    w->status = GNT_OK;
    out->made = compute_with_hooks(s, p, state, out->sent, &why) == 0;
    if (!out->made && w->status == GNT_FAILED)
        out->refused = why;
    w->status = status;
    if (w->should_stop(w->context))
        return gnt_fail(err, "stopped at client %" PRId32 " of round %" PRId32, p->client, p->round);
    if (copied && gnt_remote_copy_end(s->spec.remote, err) != 0)
        return out->made ? -1 : gnt_fail(err, "%s", why.text);
    return 0;
}

/* Returns the broadcast weights, with what the client keeps in its place. */
static const float *weights_of(gnt_shadow_client *s, int32_t client, const float *weights, const float *own) {
    const gnt_model *m = s->spec.model;
    if (!own)
        return weights;
    memcpy(s->merged, weights, (size_t)gnt_model_size(m) * sizeof *weights);
    gnt_model_place(m, 0, own + client * gnt_model_own_size(m), s->merged);
    return s->merged;
}

int gnt_shadow_make(gnt_shadow_client *s, int32_t round, int32_t client, const float *weights,
                    const float *buffers, const float *own, const gnt_st *state, gnt_replacement *out,
                    gnt_err *err) {
    const gnt_chain *chain = gnt_remote_chain(s->spec.remote);
    gnt_fl_holding holds;
    gnt_batch rows = {0};
    gnt_err ignored;
    const int known = gnt_state_holding(&holds, s->spec.trained, client);
    if (gather_rows(s, round, client, &rows, err) != 0)
        return -1;
    const in_place p = {.round = round,
                        .client = client,
                        .weights = weights_of(s, client, weights, own),
                        .buffers = buffers,
                        .rows = &rows.view,
                        .holds = known ? &holds : NULL};
    const int rc = send(s, &p, state, out, err);
    s->chain = (gnt_chain){.n_params = chain->n_params, .n_buffers = chain->n_buffers};
    if (rc == 0 && out->made && compute(s, &p, out->plain, &ignored) != 0)
        out->made = 0;
    gnt_batch_free(&rows);
    return rc;
}
