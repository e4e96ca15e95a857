/* The update that a private batch gives without a defense, in the order of operations of the clients' own
 * computation (fl/client.c), so that a capture of an undefended update is found to the byte. */
#include <string.h>

#include "base/mem.h"
#include "capture/capture_check.h"
#include "nn/model/train.h"

typedef struct steps {
    const gnt_capture *c;
    gnt_trainer *trainer;
    /* Samples of a step. */
    int64_t n, features, classes;
    float *x, *y, *weights, *velocity, *grad, *buffers, *stats;
    gnt_adam *adam; /* NULL: steps by SGD */
} steps;

static int open_steps(steps *s, const gnt_capture *c, gnt_err *err) {
    const gnt_capture_training *t = &c->settings.training;
    const gnt_nn_shape sample = gnt_model_sample(c->model);
    const size_t p = (size_t)gnt_model_size(c->model), b = (size_t)gnt_model_buffer_size(c->model);
    *s = (steps){.c = c,
                 .n = t->local_steps ? t->batch : t->samples,
                 .features = gnt_nn_count(&sample),
                 .classes = c->settings.model.classes};
    s->x = gnt_array((size_t)(s->n * s->features), sizeof *s->x);
    s->y = gnt_array((size_t)(s->n * s->classes), sizeof *s->y);
    s->weights = gnt_aligned(p, sizeof *s->weights);
    s->grad = gnt_aligned(p, sizeof *s->grad);
    s->adam = t->optimizer == GNT_CAPTURE_ADAM ? gnt_adam_new((int64_t)p, 0.9, 0.999, 1e-8) : NULL;
    s->velocity = t->momentum > 0 ? gnt_aligned(p, sizeof *s->velocity) : NULL;
    s->buffers = gnt_aligned(b, sizeof *s->buffers);
    s->stats = gnt_aligned(b, sizeof *s->stats);
    if (!s->x || !s->y || !s->weights || !s->grad || (t->momentum > 0 && !s->velocity) || !s->buffers ||
        !s->stats || (t->optimizer == GNT_CAPTURE_ADAM && !s->adam))
        return gnt_fail(err, "out of memory for %zu weights", p);
    memcpy(s->weights, c->weights, p * sizeof *s->weights);
    if (b)
        memcpy(s->buffers, c->buffers, b * sizeof *s->buffers);
    if (s->velocity)
        memset(s->velocity, 0, p * sizeof *s->velocity);
    return gnt_trainer_new(&s->trainer, c->model, s->n, t->batch_norm == GNT_CAPTURE_TRAINING, err);
}

static void close_steps(steps *s) {
    gnt_trainer_free(s->trainer);
    gnt_free(s->x);
    gnt_free(s->y);
    gnt_free_aligned(s->weights);
    gnt_free_aligned(s->grad);
    gnt_free_aligned(s->velocity);
    gnt_adam_free(s->adam);
    gnt_free_aligned(s->buffers);
    gnt_free_aligned(s->stats);
}

/* Gathers the samples of a step. */
static void gather(steps *s, int64_t step) {
    const gnt_capture_private *b = &s->c->batch;
    for (int64_t i = 0; i < s->n; i++) {
        const int64_t k = step * s->n + i, row = b->order ? b->order[k] : k % b->rows;
        memcpy(s->x + i * s->features, b->x + row * s->features, (size_t)s->features * sizeof *s->x);
        memcpy(s->y + i * s->classes, b->y + row * s->classes, (size_t)s->classes * sizeof *s->y);
    }
}

static int gradient(steps *s, int64_t step, gnt_err *err) {
    const int training = s->c->settings.training.batch_norm == GNT_CAPTURE_TRAINING;
    const int64_t b = gnt_model_buffer_size(s->c->model);
    double loss;
    gather(s, step);
    if (gnt_trainer_gradient(s->trainer, s->weights, s->buffers, s->x, s->y, s->grad, &loss, s->stats, err) !=
        0)
        return -1;
    for (int64_t i = 0; training && i < b; i++)
        s->buffers[i] = 0.9f * s->buffers[i] + 0.1f * s->stats[i];
    return 0;
}

static int descend(steps *s, gnt_err *err) {
    const gnt_capture_training *t = &s->c->settings.training;
    const int64_t p = gnt_model_size(s->c->model);
    for (int64_t step = 0; step < t->local_steps; step++) {
        const double rate = s->c->batch.rates ? (double)s->c->batch.rates[step] : t->rate;
        if (gradient(s, step, err) != 0)
            return -1;
        for (int64_t i = 0; s->adam && i < p; i++)
            s->grad[i] += (float)t->decay * s->weights[i];
        if (s->adam)
            gnt_adam_step(s->adam, s->weights, s->grad, rate);
        else
            gnt_sgd_step(s->weights, s->velocity, s->grad, p, rate, t->momentum, t->decay);
    }
    for (int64_t i = 0; i < p; i++)
        s->grad[i] = s->weights[i] - s->c->weights[i];
    return 0;
}

int gnt_capture_recompute(const gnt_capture *c, float *update, float *sent_buffers, gnt_err *err) {
    steps s;
    int rc = open_steps(&s, c, err);
    if (rc == 0)
        rc = c->settings.training.local_steps ? descend(&s, err) : gradient(&s, 0, err);
    if (rc == 0)
        gnt_model_pick(c->model, 1, s.grad, update);
    for (int64_t i = 0; rc == 0 && sent_buffers && i < gnt_model_buffer_size(c->model); i++)
        sent_buffers[i] = s.buffers[i] - c->buffers[i];
    close_steps(&s);
    return rc;
}
