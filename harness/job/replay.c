/* The job `replay`: is what the server received of each recorded client, its update and what it sent of its
 * running statistics, what that client computes from its own data alone?
 *
 * Every observed client's work in its round is done again with the same weights, samples, random streams and
 * saved state, in a copy of the defense's process that served no other client. A defense may notice that this
 * is no training, but that does not help it: its bytes must be those that were aggregated. An update that
 * differs was made of more than the client's own data: of another client's data, a count of calls, or a
 * clock.
 *
 *
 * Request `forgets`: each is computed once more without the saved state. Hooks of a step and after it see the
 * rows of the client's batches alone (fl/client.c), so what has the same bytes then is made of nothing else.
 * What has not may be of rows of earlier rounds. It is no fault, since counters and error feedback do the
 * same, but which rows it shows is then unknown.
 *
 * Output `replay`: metadata {"checked": N, "differs": [{"round", "client", "says"}]}; where `forgets` is
 * requested, of each observed round R and of its T clients in the order of the record:
 *   depends.R   I64 T   1: on more than its batches
 *   rows.R.J     I64 n   all rows of clients that client J holds */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "job/work/defense_state.h"
#include "job/work/hidden.h"
#include "job/job.h"
#include "job/record/record.h"
#include "job/side/remote.h"

typedef struct replaying {
    gnt_work *work;
    gnt_work_model model;
    gnt_sampleset clients, public_data;
    gnt_st trained, record, behind;
    gnt_partition part;
    gnt_fl_config config;
    gnt_work_hidden hidden;
    gnt_remote *remote;
    gnt_fl *fl;
    float *update, *sent_buffers, *rates, *merged;
    gnt_fl_statistics statistics;
    gnt_st out;
    json_t *differs;
    int64_t checked, all;
} replaying;

static int add_difference(replaying *p, int32_t round, int64_t client, const char *says) {
    return json_array_append_new(p->differs, json_pack("{s:i, s:I, s:s}", "round", (int)round, "client",
                                                       (json_int_t)client, "says", says));
}

/* Returns the weights that the client computes with: the broadcast ones, with the parameters that it keeps
 * in their places. */
static const float *weights_of(replaying *p, int32_t round, int64_t client, const float *weights) {
    const gnt_model *m = p->model.model;
    const int64_t own = gnt_model_own_size(m);
    char name[32];
    snprintf(name, sizeof name, "own.%" PRId32, round);
    const gnt_st_tensor *t = own ? gnt_st_find(&p->trained, name) : NULL;
    if (!t || t->type != GNT_ST_F32 || t->rank != 2 || t->dim[1] != own || client >= t->dim[0])
        return weights;
    memcpy(p->merged, weights, (size_t)gnt_model_size(m) * sizeof *p->merged);
    gnt_model_place(m, 0, (const float *)t->data + client * own, p->merged);
    return p->merged;
}

/* What one observed client computes with, and from. */
typedef struct replayed {
    int32_t round, client;
    const float *weights, *buffers;
} replayed;

static int compute(replaying *p, const replayed *c, int forgets, gnt_err *err) {
    const int32_t round = c->round, client = c->client;
    const gnt_chain *chain = gnt_remote_chain(p->remote);
    const int64_t first = p->part.start[client], n = p->part.start[client + 1] - first;
    gnt_batch own = {0};
    if (gnt_batch_gather(&own, &p->clients.view, p->part.index + first, n) != 0)
        return gnt_fail(err, "out of memory for the samples of client %" PRId32, client);
    for (int64_t i = 0; i < n; i++)
        own.id[i] = i;
    const gnt_fl_shared shared = {.update = p->update,
                                  .sent_buffers = p->sent_buffers,
                                  .statistics = &p->statistics,
                                  .rates = p->rates};
    int rc = gnt_state_load_sums(chain, &p->trained, err);
    if (rc == 0 && !forgets)
        rc = gnt_state_load(chain, &p->behind, round, client, err);
    if (rc == 0)
        rc = gnt_fl_client(
            p->fl, round, client, &own.view, NULL, p->public_data.view.n ? &p->public_data.view : NULL,
            weights_of(p, round, client, c->weights), c->buffers, GNT_FL_BATCHES, &shared, err);
    gnt_batch_free(&own);
    return rc;
}

/* Computes in a copy of the process. *failed: the client's work failed there, and `why` says how. */
static int compute_in_copy(replaying *p, const replayed *c, int forgets, int *failed, gnt_err *why,
                           gnt_err *err) {
    if (gnt_remote_copy_begin(p->remote, err) != 0)
        return -1;
    *failed = compute(p, c, forgets, why) != 0;
    if (p->work->should_stop(p->work->context))
        return gnt_fail(err, "stopped at client %" PRId32 " of round %" PRId32, c->client, c->round);
    if (gnt_remote_copy_end(p->remote, err) != 0)
        return *failed ? gnt_fail(err, "%s", why->text) : -1;
    return 0;
}

/* True if the recomputed update has the bytes of observation j. */
static int is_same_update(const replaying *p, const gnt_recorded *r, int64_t j) {
    const int64_t size = gnt_model_shared_size(p->model.model);
    return memcmp(p->update, r->update + j * size, (size_t)size * sizeof *p->update) == 0;
}

static int are_same_statistics(const replaying *p, const gnt_recorded *r, int64_t j) {
    const int64_t size = gnt_model_buffer_size(p->model.model);
    if (!r->sent_buffers)
        return p->statistics == GNT_FL_STATISTICS_NONE;
    return r->sends_buffers[j] == (p->statistics != GNT_FL_STATISTICS_WITHHELD) &&
           memcmp(p->sent_buffers, r->sent_buffers + j * size, (size_t)size * sizeof *p->sent_buffers) == 0;
}

/* Computes client j's update again and compares it with what the server received. */
static int replay_client(replaying *p, const replayed *c, const gnt_recorded *r, int64_t j, gnt_err *err) {
    gnt_err why = {0};
    int failed;
    if (compute_in_copy(p, c, 0, &failed, &why, err) != 0)
        return -1;
    p->work->progress(p->work->context, (double)++p->checked, (double)p->all);
    if (failed)
        return add_difference(p, c->round, c->client, why.text);
    if (!is_same_update(p, r, j))
        return add_difference(p, c->round, c->client,
                              "its update, computed again from its own data alone, has other bytes");
    if (!are_same_statistics(p, r, j))
        return add_difference(p, c->round, c->client,
                              "the running statistics that it sent, computed again from its own data alone, "
                              "have other bytes");
    return 0;
}

static int add_rows(replaying *p, const replayed *c, int64_t j, gnt_err *err) {
    const int64_t first = p->part.start[c->client], n = p->part.start[c->client + 1] - first;
    gnt_st_tensor *t;
    char name[64];
    snprintf(name, sizeof name, "rows.%" PRId32 ".%" PRId64, c->round, j);
    if (gnt_st_add(&p->out, name, GNT_ST_I64, 1, &n, NULL, &t, err) != 0)
        return -1;
    for (int64_t i = 0; i < n; i++)
        ((int64_t *)t->data)[i] = p->part.index[first + i];
    return 0;
}

/* Computes client j's update again without what was saved, to test whether it depends on it. A hook that
 * fails without it does. */
static int forget_client(replaying *p, const replayed *c, const gnt_recorded *r, int64_t j, int64_t *depends,
                         gnt_err *err) {
    gnt_err why = {0};
    int failed;
    if (compute_in_copy(p, c, 1, &failed, &why, err) != 0)
        return -1;
    *depends = failed || !is_same_update(p, r, j) || !are_same_statistics(p, r, j);
    return add_rows(p, c, j, err);
}

/* Adds tensor depends.R, T zeros; NULL when memory ran out. */
static int64_t *add_depends(replaying *p, int32_t round, int64_t targets, gnt_err *err) {
    gnt_st_tensor *t;
    char name[64];
    snprintf(name, sizeof name, "depends.%" PRId32, round);
    return gnt_st_add(&p->out, name, GNT_ST_I64, 1, &targets, NULL, &t, err) == 0 ? t->data : NULL;
}

static int replay_clients(replaying *p, replayed *c, const gnt_recorded *r, gnt_err *err) {
    int64_t *depends = NULL;
    if (p->work->request->replay.forgets && !(depends = add_depends(p, c->round, r->targets, err)))
        return -1;
    for (int64_t j = 0; j < r->targets; j++) {
        if (r->client[j] < 0 || r->client[j] >= p->part.clients)
            return gnt_fail(err, "the record names client %" PRId64 " of %" PRId32, r->client[j],
                            p->part.clients);
        c->client = (int32_t)r->client[j];
        if (replay_client(p, c, r, j, err) != 0 ||
            (depends && forget_client(p, c, r, j, &depends[j], err) != 0))
            return -1;
    }
    return 0;
}

static int replay_stage(replaying *p, int32_t round, gnt_err *err) {
    gnt_recorded r;
    float *weights = NULL, *buffers = NULL;
    if (gnt_recorded_read(&r, &p->record, &p->behind, p->model.model, round, p->config.steps,
                          p->clients.view.n, err) != 0 ||
        gnt_work_weights(&p->trained, p->model.model, round, &weights, &buffers, err) != 0)
        return -1;
    replayed c = {.round = round, .weights = weights, .buffers = buffers};
    const int rc = replay_clients(p, &c, &r, err);
    gnt_free(weights);
    gnt_free(buffers);
    return rc;
}

static int open_all(replaying *p, gnt_err *err) {
    gnt_work *w = p->work;
    const gnt_request_replay *q = &w->request->replay;
    const gnt_remote_spec remote = {
        .defense = &q->defense, .key = &q->defense_key, .copies = q->copies, .claims = q->record.encodings};
    if (gnt_work_model_open(&p->model, &q->model, q->federated.training_stats, err) != 0 ||
        gnt_work_samples(&p->clients, w, "clients", &q->samples, err) != 0 ||
        gnt_work_hidden_open(&p->hidden, &q->samples, q->federated.clients, &p->clients, err) != 0 ||
        gnt_work_samples(&p->public_data, w, "public", &q->samples, err) != 0 ||
        w->read(w->context, "trained", &p->trained, err) != 0 ||
        w->read(w->context, "record", &p->record, err) != 0 ||
        w->read(w->context, "held", &p->behind, err) != 0 ||
        gnt_work_partition(&p->part, &q->federated, &q->partition_key, &p->clients, err) != 0 ||
        gnt_remote_open(&p->remote, w, &p->model, &remote, err) != 0)
        return -1;
    p->config = gnt_work_config(&q->federated);
    p->config.hidden = p->hidden.view;
    const gnt_model *m = p->model.model;
    p->update = gnt_aligned((size_t)gnt_model_shared_size(m), sizeof *p->update);
    p->sent_buffers = gnt_array((size_t)gnt_model_buffer_size(m), sizeof *p->sent_buffers);
    p->rates = gnt_array((size_t)p->config.steps, sizeof *p->rates);
    p->merged = gnt_array((size_t)gnt_model_size(m), sizeof *p->merged);
    if (!p->update || !p->sent_buffers || !p->rates || !p->merged)
        return gnt_fail(err, "out of memory for an update");
    return gnt_fl_new(&p->fl, m, &p->config, gnt_remote_chain(p->remote), &q->train_key, err);
}

static int write_out(replaying *p, gnt_err *err) {
    json_t *all = json_pack("{s:I, s:O}", "checked", (json_int_t)p->checked, "differs", p->differs);
    const int rc = gnt_st_set_json(&p->out, all, JSON_COMPACT, "what was replayed", err);
    return rc == 0 ? p->work->write(p->work->context, "replay", &p->out, err) : -1;
}

int gnt_job_replay(gnt_work *w, gnt_err *err) {
    replaying p = {.work = w, .differs = json_array()};
    const gnt_request_record *q = &w->request->replay.record;
    gnt_st_init(&p.trained);
    gnt_st_init(&p.record);
    gnt_st_init(&p.behind);
    gnt_st_init(&p.out);
    p.all = (int64_t)q->stages.n * q->targets;
    int rc = p.differs ? open_all(&p, err) : gnt_fail(err, "out of memory for a replay");
    for (size_t i = 0; rc == 0 && i < q->stages.n; i++)
        rc = replay_stage(&p, (int32_t)q->stages.at[i], err);
    if (rc == 0)
        rc = write_out(&p, err);
    gnt_fl_free(p.fl);
    gnt_remote_free(p.remote);
    gnt_free_aligned(p.update);
    gnt_free(p.sent_buffers);
    gnt_free(p.rates);
    gnt_free(p.merged);
    gnt_partition_free(&p.part);
    gnt_work_hidden_free(&p.hidden);
    gnt_sampleset_free(&p.clients);
    gnt_sampleset_free(&p.public_data);
    gnt_work_model_free(&p.model);
    gnt_st_free(&p.trained);
    gnt_st_free(&p.record);
    gnt_st_free(&p.behind);
    gnt_st_free(&p.out);
    json_decref(p.differs);
    return rc;
}
