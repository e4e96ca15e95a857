/* The job `train`: federated training under a chain of defenses, weights kept at every stage, utility
 * measured there and at the end. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "job/carry.h"
#include "job/job.h"
#include "metric/utility.h"

enum { EVALUATE_BATCH = 64 };

typedef struct training {
    gnt_work *work;
    gnt_work_model model;
    gnt_sampleset test;
    gnt_evaluator *evaluator;
    gnt_work_chain chain;
    gnt_st out, given; /* given: to secure sums, by each client: for scoring alone */
    json_t *utility;
    gnt_err diverged; /* why training ended before its time; "" when it did not */
} training;

static int is_stage(const gnt_work *w, int32_t round) {
    const json_t *stages = gnt_request(w, "stages");
    for (size_t i = 0; i < json_array_size(stages); i++)
        if (json_integer_value(json_array_get(stages, i)) == round)
            return 1;
    return round == gnt_request_int(w, "federated.rounds");
}

static int keep_vector(training *t, const char *kind, int32_t round, const float *values, int64_t n,
                       gnt_err *err) {
    char name[64];
    snprintf(name, sizeof name, "%s.%" PRId32, kind, round);
    return gnt_st_add(&t->out, name, GNT_ST_F32, 1, &n, values, NULL, err);
}

static json_t *number_or_null(double x) {
    return isfinite(x) ? json_real(x) : json_null();
}

/* Utility of weights on the test part, noted under the number of rounds done. */
static int measure(training *t, int32_t round, const float *weights, const float *buffers, gnt_err *err) {
    int32_t classes = gnt_model_classes(t->model.model);
    int64_t n = t->test.view.n;
    float *logits = gnt_array((size_t)(n * classes), sizeof *logits);
    if (!logits)
        return gnt_fail(err, "out of memory for the logits of %" PRId64 " test samples", n);
    int rc = gnt_evaluator_logits(t->evaluator, weights, buffers, t->test.x, n, logits, err);
    if (rc == 0) {
        gnt_metric_utility u = {0};
        gnt_metric_utility_logits(&u, logits, t->test.label, (size_t)n, classes);
        gnt_metric_worth worth = gnt_metric_utility_end(&u, 1);
        json_array_append_new(t->utility, json_pack("{s:i, s:o, s:o, s:o, s:o}", "round", (int)round,
                                                    "accuracy", number_or_null(worth.accuracy),
                                                    "accuracy_error", number_or_null(worth.accuracy_error),
                                                    "loss", number_or_null(worth.loss), "loss_error",
                                                    number_or_null(worth.loss_error)));
    }
    gnt_free(logits);
    return rc;
}

/* Keeps the weights of a stage and what they are worth on the test part. */
static int after_round(void *context, int32_t round, const float *weights, const float *buffers,
                       gnt_err *err) {
    training *t = context;
    const gnt_model *m = t->model.model;
    t->work->progress(t->work->context, round, (double)gnt_request_int(t->work, "federated.rounds"));
    if (!is_stage(t->work, round))
        return 0;
    if (keep_vector(t, "weights", round, weights, gnt_model_size(m), err) != 0 ||
        keep_vector(t, "buffers", round, buffers, gnt_model_buffer_size(m), err) != 0)
        return -1;
    if (gnt_carry_save(&t->chain, round, (int32_t)gnt_request_int(t->work, "federated.clients"), &t->out,
                       err) != 0)
        return -1;
    return measure(t, round, weights, buffers, err);
}

static int should_stop(void *context) {
    training *t = context;
    return t->work->should_stop(t->work->context);
}

static int start_weights(training *t, float *weights, float *buffers, gnt_err *err) {
    gnt_work *w = t->work;
    gnt_key key;
    if (gnt_request_key(w, "keys.init", &key, err) != 0)
        return -1;
    gnt_stream random = gnt_stream_open(&key, "weights");
    gnt_model_init(t->model.model, &random, weights, buffers);
    if (!w->has(w->context, "weights"))
        return 0;
    gnt_st st;
    gnt_st_init(&st);
    int rc = w->read(w->context, "weights", &st, err);
    if (rc == 0)
        rc = gnt_model_import(t->model.model, &st, weights, buffers, err);
    gnt_st_free(&st);
    return rc;
}

static int takes_sums(const gnt_chain *c) {
    int32_t i = 0;
    while (i < c->n && !c->member[i].hooks->contribute)
        i++;
    return i < c->n;
}

static int federate(training *t, const gnt_sampleset *clients, const gnt_sampleset *public_data,
                    float *weights, float *buffers, gnt_err *err) {
    gnt_work *w = t->work;
    gnt_fl_config config = gnt_work_config(w);
    gnt_partition_spec spec = {.kind = (gnt_partition_kind)gnt_request_int(w, "federated.partition"),
                               .clients = config.clients,
                               .shards = (int32_t)gnt_request_int(w, "federated.shards"),
                               .alpha = gnt_request_real(w, "federated.alpha")};
    gnt_fl_watch watch = {.context = t, .after_round = after_round, .should_stop = should_stop};
    if (config.rounds == 0 && !takes_sums(&t->chain.chain)) /* an untrained network is a stage too */
        return after_round(t, 0, weights, buffers, err);
    gnt_partition part = {0};
    gnt_fl *fl = NULL;
    gnt_key data_key, train_key;
    int rc = gnt_request_key(w, "keys.partition", &data_key, err);
    if (rc == 0)
        rc = gnt_request_key(w, "keys.train", &train_key, err);
    if (rc == 0)
        rc = gnt_partition_make(&part, &spec, clients->label, clients->view.n, clients->view.classes,
                                &data_key, err);
    if (rc == 0)
        rc = gnt_carry_holdings(clients, &part, &t->out, err);
    if (rc == 0)
        rc = gnt_carry_sums(&t->chain, part.clients, &config, weights, buffers, &train_key, &t->out,
                            &t->given, err);
    if (rc == 0)
        rc = gnt_fl_new(&fl, t->model.model, &config, &t->chain.chain, &train_key, err);
    if (rc == 0)
        rc = gnt_fl_train(fl, &clients->view, &part, public_data->view.n ? &public_data->view : NULL, weights,
                          buffers, &watch, err);
    /* weights blown up by too much noise are a result, not a failure: they are worth nothing */
    if (rc != 0 && fl && gnt_fl_diverged(fl)) {
        t->diverged = *err;
        rc = 0;
    }
    gnt_fl_free(fl);
    gnt_partition_free(&part);
    return rc;
}

static int write_out(training *t, gnt_err *err) {
    json_t *all = json_pack("{s:O, s:s}", "utility", t->utility, "diverged", t->diverged.text);
    char *text = all ? json_dumps(all, JSON_COMPACT) : NULL;
    int rc = text ? gnt_st_set_metadata(&t->out, text, err) : gnt_fail(err, "out of memory for the utility");
    gnt_free(text);
    json_decref(all);
    if (rc == 0 && t->given.n)
        rc = t->work->write(t->work->context, "contributions", &t->given, err);
    return rc == 0 ? t->work->write(t->work->context, "trained", &t->out, err) : -1;
}

int gnt_job_train(gnt_work *w, gnt_err *err) {
    training t = {.work = w, .utility = json_array()};
    gnt_sampleset clients = {0}, public_data = {0};
    float *weights = NULL, *buffers = NULL;
    gnt_st_init(&t.out);
    gnt_st_init(&t.given);
    int rc = gnt_work_model_open(&t.model, w, err);
    if (rc == 0)
        rc = gnt_work_samples(&clients, w, "clients", err);
    if (rc == 0)
        rc = gnt_work_samples(&t.test, w, "test", err);
    if (rc == 0)
        rc = gnt_work_samples(&public_data, w, "public", err);
    if (rc == 0)
        rc = gnt_evaluator_new(&t.evaluator, t.model.model, EVALUATE_BATCH, err);
    if (rc == 0)
        rc = gnt_work_chain_open(&t.chain, w, &t.model, err);
    if (rc == 0) {
        weights = gnt_array((size_t)gnt_model_size(t.model.model), sizeof *weights);
        buffers = gnt_array((size_t)gnt_model_buffer_size(t.model.model), sizeof *buffers);
        rc = weights && buffers ? start_weights(&t, weights, buffers, err)
                                : gnt_fail(err, "out of memory for weights");
    }
    if (rc == 0)
        rc = federate(&t, &clients, &public_data, weights, buffers, err);
    if (rc == 0)
        rc = write_out(&t, err);
    gnt_free(weights);
    gnt_free(buffers);
    gnt_work_chain_free(&t.chain);
    gnt_evaluator_free(t.evaluator);
    gnt_sampleset_free(&t.test);
    gnt_sampleset_free(&clients);
    gnt_sampleset_free(&public_data);
    gnt_work_model_free(&t.model);
    gnt_st_free(&t.out);
    gnt_st_free(&t.given);
    json_decref(t.utility);
    return rc;
}
