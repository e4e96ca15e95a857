#include "job/utility_head.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/finite.h"
#include "base/mem.h"
#include "nn/model/train.h"

enum { EVALUATE_BATCH = 64 };

/* Rows of features with their labels. */
typedef struct rows {
    int64_t n, width, classes;
    float *x, *y;
} rows;

static void rows_free(rows *r) {
    gnt_free(r->x);
    gnt_free(r->y);
}

static int add_rows(rows *r, gnt_evaluator *e, const gnt_head_task *t, const gnt_samples *s, gnt_err *err) {
    float *x = gnt_resize(r->x, (size_t)(r->n + s->n), (size_t)r->width * sizeof *x);
    if (x)
        r->x = x;
    float *y = gnt_resize(r->y, (size_t)(r->n + s->n), (size_t)r->classes * sizeof *y);
    if (y)
        r->y = y;
    if (!x || !y)
        return gnt_fail(err, "out of memory for the representation of %" PRId64 " samples", r->n + s->n);
    if (gnt_evaluator_run(e, t->weights, t->buffers, s->x, s->n, x + r->n * r->width, err) != 0)
        return -1;
    memcpy(y + r->n * r->classes, s->y, (size_t)(s->n * r->classes) * sizeof *y);
    r->n += s->n;
    return 0;
}

/* Adds the rows that one client trains on in the round after the last. */
static int add_client(rows *r, gnt_evaluator *e, const gnt_head_task *t, int32_t k, float *merged,
                      gnt_err *err) {
    const int64_t *start = t->part->start;
    gnt_fl_config config = gnt_work_config(t->federated);
    const gnt_model *m = t->model->model;
    int64_t n = start[k + 1] - start[k];
    gnt_batch b = {0};
    if (n == 0)
        return 0;
    if (gnt_batch_gather(&b, t->clients, t->part->index + start[k], n) != 0)
        return gnt_fail(err, "out of memory for the samples of client %d", k);
    gnt_hide_for(t->hidden, k, &b.view);
    memcpy(merged, t->weights, (size_t)gnt_model_size(m) * sizeof *merged);
    if (t->own)
        gnt_model_place(m, 0, t->own + k * gnt_model_own_size(m), merged);
    gnt_client client = {.size = sizeof client,
                         .index = k,
                         .round = config.rounds,
                         .n_clients = config.clients,
                         .n_samples = n,
                         .rate = gnt_fl_rate(&config, config.rounds),
                         .rounds = config.rounds,
                         .per_round = gnt_fl_per_round(&config),
                         .steps = config.steps,
                         .batch = config.batch,
                         .weights = merged,
                         .buffers = t->buffers,
                         .public_data = t->public_data};
    int rc = t->before_client ? t->before_client(t->context, config.rounds, k, err) : 0;
    if (rc == 0)
        rc = gnt_chain_encode_set(t->chain, &client, config.rounds * gnt_fl_passes(&config, n), &b, err);
    if (rc == 0 && t->after_client)
        rc = t->after_client(t->context, config.rounds, k, err);
    if (rc == 0)
        rc = add_rows(r, e, t, &b.view, err);
    gnt_batch_free(&b);
    return rc;
}

static int add_clients(rows *r, gnt_evaluator *e, const gnt_head_task *t, gnt_err *err) {
    if (!t->part)
        return add_rows(r, e, t, t->clients, err);
    float *merged = gnt_array((size_t)gnt_model_size(t->model->model), sizeof *merged);
    int rc = merged ? 0 : gnt_fail(err, "out of memory for weights");
    for (int32_t k = 0; rc == 0 && k < t->part->clients; k++)
        rc = add_client(r, e, t, k, merged, err);
    gnt_free(merged);
    return rc;
}

static int are_finite(const rows *r) {
    return gnt_first_not_finite(r->x, r->n * r->width) == r->n * r->width;
}

/* Computes the mean and deviation of each feature; the deviation of a constant feature is set to 1. */
static void measure_scale(const rows *r, double *mean, double *deviation) {
    for (int64_t i = 0; i < r->n; i++)
        for (int64_t f = 0; f < r->width; f++)
            mean[f] += (double)r->x[i * r->width + f] / (double)r->n;
    for (int64_t i = 0; i < r->n; i++)
        for (int64_t f = 0; f < r->width; f++) {
            double d = (double)r->x[i * r->width + f] - mean[f];
            deviation[f] += d * d / (double)r->n;
        }
    for (int64_t f = 0; f < r->width; f++)
        deviation[f] = deviation[f] > 1e-12 ? sqrt(deviation[f]) : 1;
}

static json_t *head_json(const gnt_head_task *t) {
    const gnt_ints *hidden = &t->head->hidden;
    const gnt_model *m = t->model->model;
    json_t *layers = json_array();
    for (size_t i = 0; i < hidden->n; i++) {
        char name[32];
        snprintf(name, sizeof name, "hidden%zu", i + 1);
        json_array_append_new(layers, json_pack("{s:s, s:s, s:I}", "type", "dense", "name", name, "out",
                                                (json_int_t)hidden->at[i]));
        json_array_append_new(layers, json_pack("{s:s}", "type", "relu"));
    }
    json_array_append_new(layers,
                          json_pack("{s:s, s:s, s:s}", "type", "dense", "name", "out", "out", "classes"));
    return json_pack("{s:o, s:s, s:s}", "layers", layers, "loss",
                     gnt_model_loss_of(m) == GNT_MODEL_MSE ? "mse" : "cross_entropy", "output",
                     gnt_model_is_map(m) ? "map" : "classes");
}

static int open_head(gnt_model **out, const gnt_head_task *t, const rows *r, gnt_err *err) {
    double *scale = gnt_array((size_t)r->width, 2 * sizeof *scale);
    json_t *json = head_json(t);
    char *text = json ? json_dumps(json, JSON_COMPACT) : NULL;
    gnt_nn_shape sample = {1, {r->width}};
    int rc = scale && text ? 0 : gnt_fail(err, "out of memory for the head");
    if (rc == 0) {
        measure_scale(r, scale, scale + r->width);
        rc = gnt_model_parse(out, "the head", text, &sample, (int32_t)r->classes, scale, scale + r->width,
                             err);
    }
    json_decref(json);
    gnt_free(text);
    gnt_free(scale);
    return rc;
}

/* What training a head needs; x, y: one batch. */
typedef struct head_training {
    gnt_trainer *trainer;
    gnt_adam *adam;
    float *grad, *x, *y;
    uint32_t *order;
    int64_t batch;
} head_training;

static int train_step(head_training *l, const rows *r, int64_t at, double rate, float *weights,
                      gnt_err *err) {
    double loss = 0;
    for (int64_t i = 0; i < l->batch; i++) {
        int64_t row = l->order[at + i];
        memcpy(l->x + i * r->width, r->x + row * r->width, (size_t)r->width * sizeof *l->x);
        memcpy(l->y + i * r->classes, r->y + row * r->classes, (size_t)r->classes * sizeof *l->y);
    }
    if (gnt_trainer_gradient(l->trainer, weights, NULL, l->x, l->y, l->grad, &loss, NULL, err) != 0)
        return -1;
    if (!isfinite(loss))
        return gnt_fail(err, "the head's loss is not finite; lower utility.head.rate");
    gnt_adam_step(l->adam, weights, l->grad, rate);
    return 0;
}

/* Trains the head. Every epoch takes all samples once, in a new order; those that do not fill a batch are
 * left out of it. */
static int train_head(head_training *l, const gnt_head_task *t, const rows *r, gnt_stream *random,
                      float *weights, gnt_err *err) {
    gnt_work *w = t->work;
    for (int64_t i = 0; i < r->n; i++)
        l->order[i] = (uint32_t)i;
    for (int64_t epoch = 0; epoch < t->head->epochs; epoch++) {
        gnt_random_shuffle(random, l->order, (size_t)r->n);
        for (int64_t at = 0; at + l->batch <= r->n; at += l->batch)
            if (train_step(l, r, at, t->head->rate, weights, err) != 0)
                return -1;
        if (w->should_stop(w->context))
            return gnt_fail(err, "stopped in epoch %" PRId64 " of the head", epoch);
    }
    return 0;
}

static int fit(const gnt_model *head, const gnt_head_task *t, const rows *r, float *weights, gnt_err *err) {
    head_training l = {.batch = t->head->batch};
    int64_t size = gnt_model_size(head);
    l.batch = l.batch < r->n ? l.batch : r->n;
    l.adam = gnt_adam_new(size, 0.9, 0.999, 1e-8);
    l.grad = gnt_array((size_t)size, sizeof *l.grad);
    l.x = gnt_array((size_t)(l.batch * r->width), sizeof *l.x);
    l.y = gnt_array((size_t)(l.batch * r->classes), sizeof *l.y);
    l.order = gnt_array((size_t)r->n, sizeof *l.order);
    int rc = l.adam && l.grad && l.x && l.y && l.order ? 0 : gnt_fail(err, "out of memory for the head");
    if (rc == 0)
        rc = gnt_trainer_new(&l.trainer, head, l.batch, 0, err);
    if (rc == 0) {
        gnt_stream start = gnt_stream_open(&t->head->key, "weights"),
                   order = gnt_stream_open(&t->head->key, "batches");
        gnt_model_init(head, &start, weights, NULL);
        rc = train_head(&l, t, r, &order, weights, err);
    }
    gnt_trainer_free(l.trainer);
    gnt_adam_free(l.adam);
    gnt_free(l.grad);
    gnt_free(l.x);
    gnt_free(l.y);
    gnt_free(l.order);
    return rc;
}

/* Trains a head on the training rows and applies it to the test rows. */
static int fit_and_apply(const gnt_head_task *t, const rows *train, const rows *test, float *outputs,
                         gnt_err *err) {
    gnt_evaluator *e = NULL;
    gnt_model *head = NULL;
    if (open_head(&head, t, train, err) != 0)
        return -1;
    float *weights = gnt_array((size_t)gnt_model_size(head), sizeof *weights);
    int rc = weights ? fit(head, t, train, weights, err) : gnt_fail(err, "out of memory for the head");
    if (rc == 0)
        rc = gnt_evaluator_new(&e, head, GNT_EVALUATE_OUTPUT, EVALUATE_BATCH, err);
    if (rc == 0)
        rc = gnt_evaluator_run(e, weights, NULL, test->x, test->n, outputs, err);
    gnt_evaluator_free(e);
    gnt_model_free(head);
    gnt_free(weights);
    return rc;
}

/* *outputs: test samples × classes, freed with gnt_free. */
static int outputs_of(const gnt_head_task *t, float **outputs, gnt_err *err) {
    const gnt_model *m = t->model->model;
    rows train = {.classes = gnt_model_classes(m)}, test = train;
    gnt_evaluator *e = NULL;
    *outputs = NULL;
    int rc = gnt_evaluator_new(&e, m, gnt_model_representation(m), EVALUATE_BATCH, err);
    if (rc == 0) {
        train.width = test.width = gnt_evaluator_width(e);
        rc = add_clients(&train, e, t, err);
    }
    if (rc == 0)
        rc = add_rows(&test, e, t, t->test, err);
    if (rc == 0) {
        *outputs = gnt_array((size_t)(test.n * test.classes), sizeof **outputs);
        rc = *outputs ? 0 : gnt_fail(err, "out of memory for the head's outputs");
    }
    if (rc == 0 && are_finite(&train) && are_finite(&test))
        rc = fit_and_apply(t, &train, &test, *outputs, err);
    else /* weights that are not finite have no utility, and are no failure */
        for (int64_t i = 0; rc == 0 && i < test.n * test.classes; i++)
            (*outputs)[i] = NAN;
    if (rc != 0) {
        gnt_free(*outputs);
        *outputs = NULL;
    }
    gnt_evaluator_free(e);
    rows_free(&train);
    rows_free(&test);
    return rc;
}

int gnt_head_utility(gnt_test_utility *out, const gnt_head_task *t, const gnt_sampleset *test,
                     const float *weights, const float *buffers, const gnt_key *key, float *by_row,
                     gnt_err *err) {
    gnt_head_task at = *t;
    float *outputs;
    at.weights = weights;
    at.buffers = buffers;
    if (outputs_of(&at, &outputs, err) != 0)
        return -1;
    const int rc = gnt_test_utility_of(out, t->model->model, test, outputs, key, by_row, err);
    gnt_free(outputs);
    return rc;
}
