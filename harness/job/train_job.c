/* The job `train`: federated training under a chain of defenses. Keeps the weights of every stage, and
 * measures utility there, at the end and, if requested, every so many rounds.
 *
 * No plugin is opened here: hooks run in processes of their own (remote.h), so that no plugin can reach the
 * weights, their utility, or which rounds and clients are observed. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "job/work/defense_state.h"
#include "job/checkpoint.h"
#include "job/utility_head.h"
#include "job/work/hidden.h"
#include "job/effect.h"
#include "job/influence.h"
#include "job/job.h"
#include "request/side.h"
#include "job/record/record.h"
#include "job/secret_labels.h"
#include "job/shadow_client.h"
#include "job/shuffle_labels.h"
#include "job/start_weights.h"
#include "job/control_utility.h"
#include "job/encode_queries.h"
#include "job/side/remote.h"
#include "job/test_utility.h"

typedef struct training_job {
    gnt_work *work;
    const gnt_request_train *request;
    gnt_work_model model;
    gnt_sampleset test;
    gnt_work_hidden hidden;
    gnt_remote *remote;
    /* The remote's. */
    const gnt_chain *chain;
    /* NULL: no round is observed. */
    gnt_record *record;
    /* What outputs show of that which hooks added. */
    gnt_effect effect;
    /* NULL: the influence of no update is measured. */
    gnt_influence *influence;
    /* Weights and buffers before round 0, for that. */
    float *start_weights, *start_buffers;
    /* Shadow rows in the place of a client's; NULL: there are none. */
    gnt_shadow_client *shadow;
    /* The broadcast ones, for that. */
    const float *weights, *buffers;
    /* Hooks of clients run for its control, not for the training. */
    int is_control;
    /* Utility of its control and of models that learnt nothing (control_utility.h); NULL: none. */
    json_t *control;
    /* For each client, the state of all members, named as of round 0. NULL: they have none. */
    gnt_st *state;
    /* clients × gnt_model_own_size: the parameters that each keeps. NULL: they share all. */
    float *own;
    /* The outputs "trained" and "contributions". */
    gnt_st out, contributions;
    json_t *utility;
    /* 2 × test samples, as gnt_test_utility_of fills them in. */
    float *rows;
    /* Rows that were dealt to no client, of a partition that may leave some. */
    int64_t unused;
    int may_leave_rows;
    /* For going on after a kill. */
    gnt_checkpoint checkpoint;
    /* A rule on labels; the test samples that it changes, and their labels before. hit NULL: none. */
    gnt_secret_labels secret;
    uint8_t *hit;
    int32_t *label;
    /* What models learnt of it, by rounds trained. */
    json_t *learnt;
    /* Utility is that of a head on the representation, not of the model. */
    int by_head;
    /* Why the training ended early; "" when it did not. */
    gnt_err diverged;
} training_job;

static int is_stage(const gnt_request_train *q, int32_t round) {
    for (size_t i = 0; i < q->stages.n; i++)
        if (q->stages.at[i] == round)
            return 1;
    return round == q->federated.rounds;
}

static int is_measured(const training_job *t, int32_t round) {
    const int64_t every = t->request->measure_every;
    return !t->by_head && (is_stage(t->request, round) || (every > 0 && round % every == 0));
}

static int keep_vector(training_job *t, const char *kind, int32_t round, const float *values, int64_t n,
                       gnt_err *err) {
    char name[64];
    snprintf(name, sizeof name, "%s.%" PRId32, kind, round);
    return gnt_st_add(&t->out, name, GNT_ST_F32, 1, &n, values, NULL, err);
}

static int64_t clients_of(const training_job *t) {
    return t->request->federated.clients;
}

static int keep_own(training_job *t, int32_t round, gnt_err *err) {
    char name[64];
    int64_t dim[2] = {clients_of(t), gnt_model_own_size(t->model.model)};
    if (!t->own)
        return 0;
    snprintf(name, sizeof name, "own.%" PRId32, round);
    return gnt_st_add(&t->out, name, GNT_ST_F32, 2, dim, t->own, NULL, err);
}

/* Noted under the number of rounds done. */
static void note_utility(training_job *t, int64_t round, const gnt_test_utility *utility) {
    json_t *one = gnt_test_utility_json(utility);
    if (one)
        json_object_set_new(one, "round", json_integer(round));
    json_array_append_new(t->utility, one);
}

/* Notes what outputs on the test part show of the rule on labels, under the number of rounds done. */
static void note_learnt(training_job *t, int64_t round, const float *outputs) {
    const gnt_secret_counts c =
        gnt_secret_labels_count(&t->secret, t->label, t->hit, outputs, t->test.view.n);
    json_array_append_new(t->learnt,
                          json_pack("{s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I}", "round", (json_int_t)round,
                                    "changed", (json_int_t)c.changed, "learnt", (json_int_t)c.learnt,
                                    "others", (json_int_t)c.others, "mistaken", (json_int_t)c.mistaken,
                                    "kept", (json_int_t)c.kept, "right", (json_int_t)c.right, "commonest",
                                    (json_int_t)c.commonest));
}

/* Utility of the model itself on the test part. */
static int measure(training_job *t, int32_t round, const float *weights, const float *buffers, gnt_err *err) {
    gnt_test_utility utility;
    float *outputs;
    if (gnt_test_outputs(&outputs, t->model.model, weights, buffers, &t->test, err) != 0)
        return -1;
    const int rc = gnt_test_utility_of(&utility, t->model.model, &t->test, outputs, &t->request->train_key,
                                       t->rows, err);
    if (rc == 0)
        note_utility(t, round, &utility);
    if (rc == 0 && t->hit)
        note_learnt(t, round, outputs);
    gnt_free(outputs);
    return rc;
}

/* Makes the update of shadow rows that replaces the client's, if one is wanted. */
static int make_shadow(training_job *t, int32_t round, int32_t client, gnt_err *err) {
    gnt_replacement *r;
    if (!t->shadow)
        return 0;
    if (gnt_influence_replaces(t->influence, round, client, &r, err) != 0)
        return -1;
    return r ? gnt_shadow_make(t->shadow, round, client, t->weights, t->buffers, t->own,
                               t->state ? &t->state[client] : NULL, r, err)
             : 0;
}

/* A fresh copy is given the results of secure sums and the client's own state. */
static int begin_copy(training_job *t, gnt_err *err) {
    if (!gnt_remote_uses_copies(t->remote))
        return 0;
    const int rc =
        t->is_control ? gnt_remote_shadow_begin(t->remote, err) : gnt_remote_copy_begin(t->remote, err);
    return rc == 0 ? gnt_state_load_sums(t->chain, &t->out, err) : -1;
}

static int before_client(void *context, int32_t round, int32_t client, gnt_err *err) {
    training_job *t = context;
    if (make_shadow(t, round, client, err) != 0 || begin_copy(t, err) != 0)
        return -1;
    if (!t->state)
        return 0;
    if (gnt_record_is_drawn(t->record, round, client) &&
        gnt_record_add_state(t->record, round, &t->state[client], err) != 0)
        return -1;
    return gnt_state_load(t->chain, &t->state[client], 0, client, err);
}

static int after_client(void *context, int32_t round, int32_t client, gnt_err *err) {
    training_job *t = context;
    (void)round;
    if (t->state) {
        gnt_st_free(&t->state[client]);
        gnt_st_init(&t->state[client]);
        if (gnt_state_save(t->chain, 0, client, &t->state[client], err) != 0)
            return -1;
    }
    return gnt_remote_uses_copies(t->remote) ? gnt_remote_copy_end(t->remote, err) : 0;
}

/* Returns what a head is fitted to: representations of all clients' samples. part: NULL: nothing was
 * trained. */
static gnt_head_task head_task(training_job *t, const gnt_sampleset *clients,
                               const gnt_sampleset *public_data, const gnt_partition *part) {
    gnt_head_task task = {.work = t->work,
                          .head = t->request->head,
                          .federated = &t->request->federated,
                          .model = &t->model,
                          .chain = t->chain,
                          .clients = &clients->view,
                          .test = &t->test.view,
                          .public_data = public_data->view.n ? &public_data->view : NULL,
                          .part = part,
                          .hidden = &t->hidden.view,
                          .own = t->own};
    if (gnt_remote_uses_copies(t->remote)) {
        task.before_client = before_client;
        task.after_client = after_client;
        task.context = t;
    }
    return task;
}

/* Measures the utility of a head, once the training is over. */
static int measure_head(training_job *t, const gnt_head_task *task, const float *weights,
                        const float *buffers, gnt_err *err) {
    gnt_test_utility utility;
    if (!t->by_head)
        return 0;
    if (gnt_head_utility(&utility, task, &t->test, weights, buffers, &t->request->train_key, t->rows, err) !=
        0)
        return -1;
    note_utility(t, t->request->federated.rounds, &utility);
    return 0;
}

/* Adds the state of the server and, if requested, of each client after a round to the output, for the jobs
 * that follow. */
static int keep_state(training_job *t, int32_t round, gnt_err *err) {
    if (!t->state)
        return 0;
    const int copied = gnt_remote_uses_copies(t->remote);
    if ((copied && gnt_remote_copy_begin(t->remote, err) != 0) ||
        gnt_state_save(t->chain, round, -1, &t->out, err) != 0 ||
        (copied && gnt_remote_copy_end(t->remote, err) != 0))
        return -1;
    for (int64_t k = 0; t->request->client_states && k < clients_of(t); k++)
        if (gnt_state_copy(&t->out, &t->state[k], 0, round, err) != 0)
            return -1;
    return 0;
}

static int keep_stage(training_job *t, int32_t round, const float *weights, const float *buffers,
                      gnt_err *err) {
    const gnt_model *m = t->model.model;
    return keep_vector(t, "weights", round, weights, gnt_model_size(m), err) != 0 ||
                   keep_vector(t, "buffers", round, buffers, gnt_model_buffer_size(m), err) != 0 ||
                   keep_own(t, round, err) != 0 || keep_state(t, round, err) != 0
               ? -1
               : 0;
}

/* Keeps the weights of a stage, and measures utility on the test part if that is requested. */
static int after_round(void *context, int32_t round, const float *weights, const float *buffers,
                       gnt_err *err) {
    training_job *t = context;
    t->work->progress(t->work->context, round, (double)t->request->federated.rounds);
    if (is_stage(t->request, round) && keep_stage(t, round, weights, buffers, err) != 0)
        return -1;
    return is_measured(t, round) ? measure(t, round, weights, buffers, err) : 0;
}

static int should_stop(void *context) {
    const training_job *t = context;
    return t->work->should_stop(t->work->context);
}

static int resume(void *context, int32_t *rounds_done, const gnt_fl_carried *carried, gnt_err *err) {
    training_job *t = context;
    return gnt_checkpoint_resume(&t->checkpoint, rounds_done, carried, err);
}

static int carry(void *context, int32_t rounds_done, const gnt_fl_carried *carried, gnt_err *err) {
    training_job *t = context;
    (void)err;
    gnt_checkpoint_keep(&t->checkpoint, rounds_done, carried);
    return 0;
}

/* Prepares for checkpoints. All that is done before round 0 has been done. */
static void watch_for_kills(training_job *t, float *weights, float *buffers, int64_t classes,
                            gnt_fl_watch *watch) {
    if (!t->work->checkpoint || t->influence)
        return;
    t->checkpoint = (gnt_checkpoint){.work = t->work,
                                     .request = t->request,
                                     .model = t->model.model,
                                     .remote = t->remote,
                                     .record = t->record,
                                     .effect = &t->effect,
                                     .out = &t->out,
                                     .n_out = t->out.n,
                                     .state = t->state,
                                     .own = t->own,
                                     .weights = weights,
                                     .buffers = buffers,
                                     .utility = t->utility,
                                     .learnt = t->learnt,
                                     .rows = t->rows,
                                     .n_test = t->test.view.n,
                                     .classes = classes};
    watch->resume = resume;
    watch->carry = carry;
}

static int wants(void *context, int32_t round, int32_t client) {
    const training_job *t = context;
    return gnt_record_is_drawn(t->record, round, client);
}

static int received(void *context, const gnt_fl_receipt *receipt, gnt_err *err) {
    training_job *t = context;
    if (t->influence && receipt->plain &&
        gnt_influence_note(t->influence, receipt->round, receipt->client, receipt->plain, receipt->update,
                           err) != 0)
        return -1;
    return gnt_record_add_receipt(t->record, receipt, err);
}

static int compares(void *context, int32_t round) {
    const training_job *t = context;
    return gnt_record_compares(t->record, round);
}

/* Outputs are measured of a model that all clients share. */
static int compared(void *context, const gnt_fl_round *round, const gnt_fl_step *step, gnt_err *err) {
    training_job *t = context;
    const gnt_effect_spec spec = {.model = t->model.model, .test = &t->test, .key = &t->request->train_key};
    if (!t->own && !t->by_head && gnt_effect_add(&t->effect, &spec, round, step, err) != 0)
        return -1;
    return gnt_record_add_comparison(t->record, round, err);
}

static void added(void *context, const gnt_fl_totals *totals) {
    training_job *t = context;
    gnt_record_set_totals(t->record, totals);
}

static int aggregated(void *context, const gnt_aggregate *in, const float *new_weights, gnt_err *err) {
    training_job *t = context;
    return gnt_influence_add_round(t->influence, in, new_weights, err);
}

static int released(void *context, int32_t round, int32_t client, int64_t pass, const gnt_batch *b,
                    gnt_err *err) {
    training_job *t = context;
    return gnt_record_add_encodings(t->record, round, client, pass, b, err);
}

/* Results of secure sums, which every client knows, for the record's marks. */
static int check_sums(training_job *t, int64_t features, gnt_err *err) {
    for (int32_t i = 0; t->record && i < t->chain->n; i++) {
        char name[32];
        snprintf(name, sizeof name, "sum.%" PRId32, i);
        const gnt_st_tensor *sum = gnt_st_find(&t->out, name);
        if (sum && gnt_record_check_sum(t->record, sum->dim[0], features, err) != 0)
            return -1;
    }
    return 0;
}

static int takes_sums(const gnt_chain *c) {
    int32_t i = 0;
    while (i < c->n && !c->member[i].hooks->contribute)
        i++;
    return i < c->n;
}

/* The state that each client begins with: that of a process which has served none of them. */
static int start_states(training_job *t, int32_t clients, gnt_err *err) {
    const int copied = gnt_remote_uses_copies(t->remote);
    t->state = gnt_array((size_t)clients, sizeof *t->state);
    int rc = t->state ? 0 : gnt_fail(err, "out of memory for the state of %d clients", clients);
    if (rc == 0 && copied)
        rc = gnt_remote_copy_begin(t->remote, err);
    for (int32_t k = 0; rc == 0 && k < clients; k++)
        rc = gnt_state_save(t->chain, 0, k, &t->state[k], err);
    return rc == 0 && copied ? gnt_remote_copy_end(t->remote, err) : rc;
}

/* Draws the rule on labels from the clients' samples, and finds the test samples that it changes: before any
 * hook encodes these. */
static int open_secret(training_job *t, const gnt_sampleset *clients, gnt_err *err) {
    const gnt_samples *test = &t->test.view;
    if (!t->request->secret_labels)
        return 0;
    if (gnt_secret_labels_open(&t->secret, &t->request->train_key, clients, err) != 0)
        return -1;
    t->hit = gnt_array((size_t)test->n, sizeof *t->hit);
    t->label = gnt_array((size_t)test->n, sizeof *t->label);
    t->learnt = json_array();
    if (!t->hit || !t->label || !t->learnt)
        return gnt_fail(err, "out of memory for the labels of %" PRId64 " samples", test->n);
    gnt_secret_labels_find(&t->secret, test, t->hit);
    memcpy(t->label, t->test.label, (size_t)test->n * sizeof *t->label);
    return 0;
}

/* Changes the labels of the clients' samples and of the test samples. */
static int apply_secret(training_job *t, gnt_sampleset *clients, gnt_err *err) {
    uint8_t *hit = gnt_array((size_t)clients->view.n, sizeof *hit);
    if (!hit)
        return gnt_fail(err, "out of memory for the labels of %" PRId64 " samples", clients->view.n);
    gnt_secret_labels_find(&t->secret, &clients->view, hit);
    gnt_secret_labels_change(&t->secret, clients, hit);
    gnt_secret_labels_change(&t->secret, &t->test, t->hit);
    gnt_free(hit);
    return 0;
}

/* ---- influence ---- */

static int open_shadow(training_job *t, const gnt_fl_config *config, const gnt_sampleset *clients,
                       const gnt_sampleset *public_data, const gnt_partition *part, gnt_err *err) {
    const gnt_shadow_spec spec = {.work = t->work,
                                  .remote = t->remote,
                                  .model = t->model.model,
                                  .config = config,
                                  .key = &t->request->train_key,
                                  .samples = &t->request->samples,
                                  .clients = clients,
                                  .public_data = public_data->view.n ? &public_data->view : NULL,
                                  .part = part,
                                  .trained = &t->out};
    return gnt_shadow_open(&t->shadow, &spec, err);
}

/* Opens what measures influence. weights and buffers: of the training, before round 0. */
static int open_influence(training_job *t, const float *weights, const float *buffers, gnt_err *err) {
    const gnt_model *m = t->model.model;
    const size_t n = (size_t)gnt_model_size(m), n_buffers = (size_t)gnt_model_buffer_size(m);
    t->start_weights = gnt_array(n, sizeof *weights);
    t->start_buffers = gnt_array(n_buffers, sizeof *buffers);
    if (!t->start_weights || !t->start_buffers)
        return gnt_fail(err, "out of memory for weights");
    memcpy(t->start_weights, weights, n * sizeof *weights);
    memcpy(t->start_buffers, buffers, n_buffers * sizeof *buffers);
    t->weights = weights;
    t->buffers = buffers;
    const gnt_influence_spec spec = {.remote = t->remote,
                                     .shadow = t->request->record->shadow,
                                     .work = t->work,
                                     .model = m,
                                     .record = t->record,
                                     .key = &t->request->train_key,
                                     .weights = t->start_weights,
                                     .buffers = t->start_buffers};
    return gnt_influence_open(&t->influence, &spec, err);
}

/* Once the utility is measured: what the control does with hooks of clients is no part of the training. */
static int end_influence(training_job *t, const gnt_head_task *head, gnt_err *err) {
    if (!t->influence)
        return 0;
    if (gnt_influence_end(t->influence, err) != 0)
        return -1;
    t->is_control = 1;
    const gnt_control_spec control = {.influence = t->influence,
                                      .model = t->model.model,
                                      .test = &t->test,
                                      .key = &t->request->train_key,
                                      .weights = t->start_weights,
                                      .buffers = t->start_buffers,
                                      .head = t->by_head ? head : NULL};
    t->control = gnt_control_measure(&control, err);
    /* a head that cannot be fitted to the control says nothing of it */
    return t->control || (t->by_head && !should_stop(t)) ? 0 : -1;
}

/* Gives clients the labels of others. Before that, where no hook runs, measures what learnt nothing. */
static int shuffle_labels(training_job *t, gnt_sampleset *clients, const gnt_head_task *head,
                          const float *weights, const float *buffers, gnt_err *err) {
    const gnt_control_spec control = {.model = t->model.model,
                                      .test = &t->test,
                                      .key = &t->request->train_key,
                                      .weights = weights,
                                      .buffers = buffers,
                                      .head = t->by_head ? head : NULL};
    if (t->chain->n == 0) {
        t->control = gnt_control_floor(&control, err);
        if (!t->control && (!t->by_head || should_stop(t)))
            return -1;
    }
    return gnt_shuffle_labels(clients, &t->request->train_key, err);
}

static int federate(training_job *t, gnt_sampleset *clients, const gnt_sampleset *public_data, float *weights,
                    float *buffers, gnt_err *err) {
    const gnt_request_train *q = t->request;
    gnt_fl_config config = gnt_work_config(&q->federated);
    config.hidden = t->hidden.view;
    gnt_fl_watch watch = {.context = t,
                          .before_client = before_client,
                          .after_client = after_client,
                          .after_round = after_round,
                          .should_stop = should_stop};
    gnt_partition part = {0};
    gnt_head_task head = head_task(t, clients, public_data, NULL);
    if (config.rounds == 0 && !takes_sums(t->chain)) /* an untrained network is a stage too */
        return after_round(t, 0, weights, buffers, err) == 0 ? measure_head(t, &head, weights, buffers, err)
                                                             : -1;
    head.part = &part;
    gnt_fl *fl = NULL;
    int rc = gnt_work_partition(&part, &q->federated, &q->partition_key, clients, err);
    if (rc == 0 && gnt_partition_may_leave(q->federated.partition)) {
        t->unused = clients->view.n - part.start[part.clients];
        t->may_leave_rows = 1;
    }
    if (rc == 0)
        rc = gnt_state_holdings(clients, &part, &t->out, err);
    if (rc == 0 && q->shuffle_labels)
        rc = shuffle_labels(t, clients, &head, weights, buffers, err);
    if (rc == 0 && t->hit)
        rc = apply_secret(t, clients, err);
    if (rc == 0 && gnt_state_exists(t->chain))
        rc = start_states(t, part.clients, err);
    if (rc == 0) {
        const gnt_state_sum_spec sum = {.chain = t->chain,
                                        .trained = &t->out,
                                        .samples = clients,
                                        .part = &part,
                                        .config = &config,
                                        .weights = weights,
                                        .buffers = buffers,
                                        .before_client = before_client,
                                        .after_client = after_client,
                                        .context = t};
        rc = gnt_state_sums(&sum, &q->train_key, &t->out, &t->contributions, err);
    }
    if (rc == 0)
        rc = gnt_fl_new(&fl, t->model.model, &config, t->chain, &q->train_key, err);
    if (rc == 0)
        rc = gnt_record_open(&t->record, t->work, q, t->model.model, fl, &part, err);
    if (rc == 0)
        rc = check_sums(t, clients->view.features, err);
    if (rc == 0 && gnt_remote_server_copies(t->remote))
        rc = open_influence(t, weights, buffers, err);
    if (t->influence && rc == 0 && q->record->shadow)
        rc = open_shadow(t, &config, clients, public_data, &part, err);
    if (t->influence)
        watch.aggregated = aggregated;
    if (t->record) {
        watch.wants = wants;
        watch.received = received;
        watch.compares = compares;
        watch.compared = compared;
        watch.added = added;
        watch.released = gnt_record_has_encodings(t->record) ? released : NULL;
    }
    if (rc == 0)
        watch_for_kills(t, weights, buffers, clients->view.classes, &watch);
    if (rc == 0)
        rc = gnt_fl_train(fl, &clients->view, &part, public_data->view.n ? &public_data->view : NULL, weights,
                          buffers, t->own, &watch, err);
    if (rc == 0)
        rc = measure_head(t, &head, weights, buffers, err);
    if (rc == 0)
        rc = end_influence(t, &head, err);
    /* weights that are no longer finite are a result, not a failure: they have no utility */
    if (rc != 0 && fl && gnt_fl_diverged(fl)) {
        t->diverged = *err;
        rc = 0;
    }
    gnt_err says;
    if (rc == 0 && t->record && gnt_effect_is_none(&t->effect, &says))
        gnt_record_add_mark(t->record, "adds-without-effect", &says);
    if (rc == 0 && t->record)
        rc = gnt_record_write(t->record, t->diverged.text[0] != 0, err);
    gnt_shadow_free(t->shadow);
    t->shadow = NULL;
    gnt_influence_free(t->influence);
    t->influence = NULL;
    gnt_record_free(t->record);
    t->record = NULL;
    for (int32_t k = 0; t->state && k < part.clients; k++)
        gnt_st_free(&t->state[k]);
    gnt_free(t->state);
    t->state = NULL;
    gnt_fl_free(fl);
    gnt_partition_free(&part);
    return rc;
}

static int keep_rows(training_job *t, gnt_err *err) {
    const int64_t dim[] = {2, t->test.view.n};
    return t->request->keep_rows && !*t->diverged.text
               ? gnt_st_add(&t->out, "rows", GNT_ST_F32, 2, dim, t->rows, NULL, err)
               : 0;
}

static int write_out(training_job *t, gnt_err *err) {
    json_t *all =
        json_pack("{s:O, s:o, s:s}", "utility", t->utility, "by_value",
                  gnt_test_utility_by_value(t->model.model, &t->test, t->rows), "diverged", t->diverged.text);
    if (t->may_leave_rows && json_object_set_new(all, "unused", json_integer(t->unused)) != 0) {
        json_decref(all);
        all = NULL;
    }
    if (all && t->control && json_object_set(all, "control", t->control) != 0) {
        json_decref(all);
        all = NULL;
    }
    if (all && t->learnt && json_object_set(all, "secret", t->learnt) != 0) {
        json_decref(all);
        all = NULL;
    }
    int rc = gnt_st_set_json(&t->out, all, JSON_COMPACT, "the utility", err);
    if (rc == 0)
        rc = keep_rows(t, err);
    if (rc == 0 && t->contributions.n)
        rc = t->work->write(t->work->context, "contributions", &t->contributions, err);
    return rc == 0 ? t->work->write(t->work->context, "trained", &t->out, err) : -1;
}

int gnt_job_train(gnt_work *w, gnt_err *err) {
    const gnt_request_train *q = &w->request->train;
    const gnt_remote_spec remote = {.defense = &q->defense,
                                    .key = &q->defense_key,
                                    .copies = q->copies,
                                    .claims = q->record && q->record->encodings,
                                    .server_copies = gnt_server_copies(q->record)};
    training_job t = {.work = w, .request = q, .utility = json_array(), .by_head = q->head != NULL};
    gnt_sampleset clients = {0}, public_data = {0};
    float *weights = NULL, *buffers = NULL;
    gnt_st_init(&t.out);
    gnt_st_init(&t.contributions);
    int rc = gnt_work_model_open(&t.model, &q->model, q->federated.training_stats, err) ||
                     gnt_work_samples(&clients, w, "clients", &q->samples, err) ||
                     gnt_work_hidden_open(&t.hidden, &q->samples, q->federated.clients, &clients, err) ||
                     gnt_work_samples(&t.test, w, "test", &q->samples, err) ||
                     gnt_work_samples(&public_data, w, "public", &q->samples, err) ||
                     gnt_remote_open(&t.remote, w, &t.model, &remote, err)
                 ? -1
                 : 0;
    if (rc == 0) {
        t.chain = gnt_remote_chain(t.remote);
        weights = gnt_array((size_t)gnt_model_size(t.model.model), sizeof *weights);
        buffers = gnt_array((size_t)gnt_model_buffer_size(t.model.model), sizeof *buffers);
        rc = weights && buffers ? gnt_start_weights(w, q, t.model.model, weights, buffers, &t.own, err)
                                : gnt_fail(err, "out of memory for weights");
    }
    if (rc == 0) {
        t.rows = gnt_array((size_t)t.test.view.n, 2 * sizeof *t.rows);
        if (!t.rows)
            rc = gnt_fail(err, "out of memory for the utility of %" PRId64 " samples", t.test.view.n);
    }
    if (rc == 0)
        rc = open_secret(&t, &clients, err);
    if (rc == 0)
        rc = gnt_encode_queries(
            &(gnt_queries){t.chain, &q->federated, &q->train_key, &public_data, weights, buffers}, &t.test,
            err);
    if (rc == 0)
        rc = federate(&t, &clients, &public_data, weights, buffers, err);
    if (rc == 0)
        rc = write_out(&t, err);
    gnt_free(weights);
    gnt_free(buffers);
    gnt_free(t.own);
    gnt_free(t.start_weights);
    gnt_free(t.start_buffers);
    json_decref(t.control);
    gnt_secret_labels_free(&t.secret);
    gnt_free(t.hit);
    gnt_free(t.label);
    json_decref(t.learnt);
    gnt_free(t.rows);
    gnt_remote_free(t.remote);
    gnt_work_hidden_free(&t.hidden);
    gnt_sampleset_free(&t.test);
    gnt_sampleset_free(&clients);
    gnt_sampleset_free(&public_data);
    gnt_work_model_free(&t.model);
    gnt_st_free(&t.out);
    gnt_st_free(&t.contributions);
    json_decref(t.utility);
    return rc;
}
