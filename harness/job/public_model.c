/* The job `model`: a network trained in one place on public data, or read from a file, for plugins that work
 * with one and for comparing images. It reads no private data.
 *
 * Output "model": weights F32 P, buffers F32 B; metadata {"samples", "epochs", "accuracy", "accuracy_error",
 * "loss", "loss_error"}, the last four, and those of maps, measured on the test part. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "fl/augment.h"
#include "job/job.h"
#include "job/test_utility.h"

typedef struct public_training {
    gnt_work *work;
    gnt_work_model model;
    gnt_sampleset samples, test;
    gnt_key key;
    /* Entries of weights and of buffers. */
    int64_t n, buffers_n;
    float *weights, *buffers;
    /* Settings of the training; steps: of one epoch, whole batches alone. */
    int64_t batch, epochs, steps;
    double rate, momentum, decay;
    int cosine;
    gnt_augment augment;
    gnt_trainer *trainer;
    uint32_t *order;
    float *x, *y, *grad, *velocity, *stats;
} public_training;

/* Sets the weights to those of the file, or to fresh ones. */
static int start(public_training *c, gnt_err *err) {
    gnt_work *w = c->work;
    c->n = gnt_model_size(c->model.model);
    c->buffers_n = gnt_model_buffer_size(c->model.model);
    c->weights = gnt_array((size_t)c->n, sizeof *c->weights);
    c->buffers = gnt_array((size_t)c->buffers_n, sizeof *c->buffers);
    if (!c->weights || !c->buffers)
        return gnt_fail(err, "out of memory for %" PRId64 " weights", c->n);
    if (!w->has(w->context, "weights")) {
        gnt_stream random = gnt_stream_open(&w->request->model.init_key, "weights");
        gnt_model_init(c->model.model, &random, c->weights, c->buffers);
        return 0;
    }
    gnt_st st;
    gnt_st_init(&st);
    int rc = w->read(w->context, "weights", &st, err);
    if (rc == 0)
        rc = gnt_model_import(c->model.model, &st, c->weights, c->buffers, err);
    gnt_st_free(&st);
    return rc;
}

static int prepare_training(public_training *c, gnt_err *err) {
    const gnt_request_central *q = c->work->request->model.train;
    const gnt_samples *s = &c->samples.view;
    c->epochs = q->epochs;
    c->batch = q->batch;
    c->rate = q->rate;
    c->momentum = q->momentum;
    c->decay = q->decay;
    c->cosine = q->cosine;
    c->augment.flip = q->flip && s->rank == 3;
    if (s->n < 1)
        return gnt_fail(err, "there are no public samples to train the model on");
    if (c->batch < 1 || c->batch > s->n)
        c->batch = s->n;
    c->steps = s->n / c->batch;
    size_t b = (size_t)c->batch;
    c->order = gnt_array((size_t)s->n, sizeof *c->order);
    c->x = gnt_aligned(b * (size_t)s->features, sizeof *c->x);
    c->y = gnt_aligned(b * (size_t)s->classes, sizeof *c->y);
    c->grad = gnt_aligned((size_t)c->n, sizeof *c->grad);
    c->velocity = gnt_aligned((size_t)c->n, sizeof *c->velocity);
    c->stats = gnt_array((size_t)c->buffers_n, sizeof *c->stats);
    if (!c->order || !c->x || !c->y || !c->grad || !c->velocity || !c->stats)
        return gnt_fail(err, "out of memory for batches of %" PRId64 " samples", c->batch);
    return gnt_trainer_new(&c->trainer, c->model.model, c->batch, 1, err);
}

static void draw_batch(public_training *c, const uint32_t *row, gnt_stream *flips) {
    const gnt_samples *s = &c->samples.view;
    for (int64_t i = 0; i < c->batch; i++) {
        float *x = c->x + i * s->features, *y = c->y + i * s->classes;
        memcpy(x, s->x + row[i] * s->features, (size_t)s->features * sizeof *x);
        memcpy(y, s->y + row[i] * s->classes, (size_t)s->classes * sizeof *y);
        if (gnt_augment_any(&c->augment))
            gnt_augment_image(&c->augment, x, c->samples.has_maps ? y : NULL, NULL, s->dim, flips);
    }
}

static int train_epoch(public_training *c, int64_t epoch, gnt_err *err) {
    char name[64];
    const gnt_samples *s = &c->samples.view;
    snprintf(name, sizeof name, "batches %" PRId64, epoch);
    gnt_stream order = gnt_stream_open(&c->key, name);
    snprintf(name, sizeof name, "flips %" PRId64, epoch);
    gnt_stream flips = gnt_stream_open(&c->key, name);
    for (int64_t i = 0; i < s->n; i++)
        c->order[i] = (uint32_t)i;
    gnt_random_shuffle(&order, c->order, (size_t)s->n);
    for (int64_t k = 0; k < c->steps; k++) {
        int64_t step = epoch * c->steps + k, all = c->epochs * c->steps;
        double loss, rate = c->cosine ? gnt_rate_cosine(c->rate, step, all) : c->rate;
        if (c->work->should_stop(c->work->context))
            return gnt_fail(err, "stopped in epoch %" PRId64, epoch);
        draw_batch(c, c->order + k * c->batch, &flips);
        if (gnt_trainer_gradient(c->trainer, c->weights, c->buffers, c->x, c->y, c->grad, &loss, c->stats,
                                 err) != 0)
            return -1;
        if (!isfinite(loss))
            return gnt_fail(
                err, "the training of the model diverged in epoch %" PRId64 "; lower its train.rate", epoch);
        for (int64_t i = 0; i < c->buffers_n; i++)
            c->buffers[i] = 0.9f * c->buffers[i] + 0.1f * c->stats[i];
        gnt_sgd_step(c->weights, c->momentum != 0 ? c->velocity : NULL, c->grad, c->n, rate, c->momentum,
                     c->decay);
        c->work->progress(c->work->context, (double)step + 1, (double)all);
    }
    return 0;
}

static int write_out(public_training *c, const gnt_test_utility *utility, gnt_err *err) {
    gnt_st st;
    gnt_st_init(&st);
    json_t *all = gnt_test_utility_json(utility);
    if (all) {
        json_object_set_new(all, "samples", json_integer(c->epochs ? c->samples.view.n : 0));
        json_object_set_new(all, "epochs", json_integer(c->epochs));
    }
    int rc = gnt_st_set_json(&st, all, JSON_COMPACT, "the model", err);
    if (rc == 0)
        rc = gnt_st_add(&st, "weights", GNT_ST_F32, 1, &c->n, c->weights, NULL, err);
    if (rc == 0)
        rc = gnt_st_add(&st, "buffers", GNT_ST_F32, 1, &c->buffers_n, c->buffers, NULL, err);
    if (rc == 0)
        rc = c->work->write(c->work->context, "model", &st, err);
    gnt_st_free(&st);
    return rc;
}

int gnt_job_model(gnt_work *w, gnt_err *err) {
    const gnt_request_public_model *q = &w->request->model;
    public_training c = {.work = w, .key = q->train_key};
    gnt_test_utility utility = {0};
    int rc = gnt_work_model_open(&c.model, &q->model, 0, err) ||
                     gnt_work_samples(&c.samples, w, "public", NULL, err) ||
                     gnt_work_samples(&c.test, w, "test", NULL, err) || start(&c, err)
                 ? -1
                 : 0;
    if (rc == 0 && q->train) {
        rc = prepare_training(&c, err);
        for (int64_t epoch = 0; rc == 0 && epoch < c.epochs; epoch++)
            rc = train_epoch(&c, epoch, err);
    }
    if (rc == 0)
        rc = gnt_test_utility_at(&utility, c.model.model, c.weights, c.buffers, &c.test, &c.key, NULL, err);
    if (rc == 0)
        rc = write_out(&c, &utility, err);
    gnt_trainer_free(c.trainer);
    gnt_free(c.order);
    gnt_free_aligned(c.x);
    gnt_free_aligned(c.y);
    gnt_free_aligned(c.grad);
    gnt_free_aligned(c.velocity);
    gnt_free(c.stats);
    gnt_free(c.weights);
    gnt_free(c.buffers);
    gnt_sampleset_free(&c.samples);
    gnt_sampleset_free(&c.test);
    gnt_work_model_free(&c.model);
    return rc;
}
