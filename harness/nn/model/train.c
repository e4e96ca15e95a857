#include "nn/model/train.h"

#include <string.h>

#include "base/mem.h"

/* A program with the inputs of a model. */
typedef struct parts {
    const gnt_model *model;
    const gnt_param *list;
    int32_t n_list, n_params; /* parameters and buffers; parameters alone */
    gnt_node *params, *buffers;
    gnt_node x, y;
    gnt_program *program;
    int64_t n;
} parts;

static int64_t sample_entries(const gnt_graph *g, gnt_node x, int64_t n) {
    gnt_nn_shape s = gnt_nn_shape_of(g, x);
    return gnt_nn_count(&s) / n;
}

static void parts_free(parts *p) {
    gnt_program_free(p->program);
    gnt_free(p->params);
    gnt_free(p->buffers);
}

static int parts_open(parts *p, const gnt_model *m, int64_t n, gnt_graph *g) {
    *p = (parts){.model = m, .n = n};
    p->n_list = gnt_model_params(m, &p->list);
    while (p->n_params < p->n_list && !p->list[p->n_params].buffer)
        p->n_params++;
    p->params = gnt_array((size_t)p->n_list, sizeof *p->params);
    p->buffers = gnt_array((size_t)p->n_list, sizeof *p->buffers);
    if (!p->params || !p->buffers)
        return -1;
    gnt_model_declare(m, g, p->params, p->buffers);
    gnt_nn_shape sample = gnt_model_sample(m);
    int64_t dim[GNT_NN_RANK] = {n};
    for (int32_t i = 0; i < sample.rank; i++)
        dim[i + 1] = sample.dim[i];
    p->x = gnt_nn_input(g, "x", sample.rank + 1, dim, 0);
    int64_t label[2] = {n, gnt_model_classes(m)};
    p->y = gnt_nn_input(g, "y", 2, label, 0);
    return 0;
}

struct gnt_trainer {
    parts p;
    int training;
    int32_t *stat_output; /* for each buffer: its output, or −1 */
};

void gnt_trainer_free(gnt_trainer *t) {
    if (!t)
        return;
    parts_free(&t->p);
    gnt_free(t->stat_output);
    gnt_free(t);
}

const gnt_program *gnt_trainer_program(const gnt_trainer *t) {
    return t->p.program;
}

int gnt_trainer_new(gnt_trainer **out, const gnt_model *m, int64_t n, int training, gnt_err *err) {
    int rc = -1;
    char text[512] = "out of memory";
    gnt_node *outputs = NULL, *stats = NULL;
    gnt_trainer *t = gnt_alloc(sizeof *t);
    gnt_graph *g = gnt_graph_new();
    if (!t || !g || parts_open(&t->p, m, n, g) != 0)
        goto cleanup;
    t->training = training;
    int32_t n_buffers = t->p.n_list - t->p.n_params;
    outputs = gnt_array((size_t)t->p.n_list + 1, sizeof *outputs);
    stats = gnt_array((size_t)n_buffers, sizeof *stats);
    t->stat_output = gnt_array((size_t)n_buffers, sizeof *t->stat_output);
    if (!outputs || !stats || !t->stat_output)
        goto cleanup;
    gnt_node z =
        gnt_model_build(m, g, t->p.x, t->p.params, t->p.buffers, training, NULL, training ? stats : NULL);
    outputs[0] = gnt_model_loss(m, g, z, t->p.y);
    gnt_nn_vjp(g, outputs, NULL, 1, t->p.params, t->p.n_params, outputs + 1);
    int32_t n_outputs = t->p.n_params + 1;
    for (int32_t i = 0; i < n_buffers; i++) {
        t->stat_output[i] = -1;
        if (training && stats[i] >= 0) {
            t->stat_output[i] = n_outputs;
            outputs[n_outputs++] = stats[i];
        }
    }
    t->p.program = gnt_program_new(g, outputs, NULL, n_outputs, 4, text, sizeof text);
    if (t->p.program)
        rc = 0;
cleanup:
    if (rc == 0)
        *out = t;
    else {
        gnt_fail(err, "cannot prepare the gradient of the model for a batch of %lld: %s", (long long)n, text);
        gnt_trainer_free(t);
    }
    gnt_graph_free(g);
    gnt_free(outputs);
    gnt_free(stats);
    return rc;
}

static int run(parts *p, const float *params, const float *buffers, const float *x, const float *y,
               gnt_err *err) {
    gnt_model_bind(p->model, p->program, p->params, p->buffers, params, buffers, 4);
    gnt_program_bind(p->program, p->x, x);
    if (y)
        gnt_program_bind(p->program, p->y, y);
    if (gnt_program_run(p->program, 0) != 0)
        return gnt_fail(err, "the model's program lacks an input");
    return 0;
}

int gnt_trainer_gradient(gnt_trainer *t, const float *params, const float *buffers, const float *x,
                         const float *y, float *grad, double *loss, float *stats, gnt_err *err) {
    if (run(&t->p, params, buffers, x, y, err) != 0)
        return -1;
    const gnt_param *list = t->p.list;
    if (loss)
        *loss = *(const float *)gnt_program_output(t->p.program, 0);
    for (int32_t i = 0; grad && i < t->p.n_params; i++)
        memcpy(grad + list[i].offset, gnt_program_output(t->p.program, i + 1),
               (size_t)gnt_nn_count(&list[i].shape) * sizeof *grad);
    for (int32_t i = t->p.n_params; stats && i < t->p.n_list; i++) {
        int32_t o = t->stat_output[i - t->p.n_params];
        if (o >= 0)
            memcpy(stats + list[i].offset, gnt_program_output(t->p.program, o),
                   (size_t)gnt_nn_count(&list[i].shape) * sizeof *stats);
    }
    return 0;
}

void gnt_trainer_descend(const gnt_trainer *t, float *params, float *velocity, double rate, double momentum,
                         double decay) {
    const gnt_param *list = t->p.list;
    for (int32_t i = 0; i < t->p.n_params; i++)
        gnt_sgd_step(params + list[i].offset, velocity ? velocity + list[i].offset : NULL,
                     gnt_program_output(t->p.program, i + 1), gnt_nn_count(&list[i].shape), rate, momentum,
                     decay);
}

struct gnt_evaluator {
    parts p;
    int64_t features, width;
    float *batch; /* n × features, for the last, partly filled batch */
};

void gnt_evaluator_free(gnt_evaluator *e) {
    if (!e)
        return;
    parts_free(&e->p);
    gnt_free(e->batch);
    gnt_free(e);
}

int64_t gnt_evaluator_width(const gnt_evaluator *e) {
    return e->width;
}

int gnt_evaluator_new(gnt_evaluator **out, const gnt_model *m, int32_t layer, int64_t n, gnt_err *err) {
    int rc = -1;
    char text[512] = "out of memory";
    gnt_evaluator *e = gnt_alloc(sizeof *e);
    gnt_graph *g = gnt_graph_new();
    gnt_node *layers = gnt_array((size_t)gnt_model_layers(m), sizeof *layers);
    if (!e || !g || !layers || parts_open(&e->p, m, n, g) != 0)
        goto cleanup;
    e->features = sample_entries(g, e->p.x, n);
    e->batch = gnt_array((size_t)(n * e->features), sizeof *e->batch);
    if (!e->batch)
        goto cleanup;
    gnt_node z = gnt_model_build(m, g, e->p.x, e->p.params, e->p.buffers, 0, layers, NULL);
    if (layer >= 0)
        z = layers[layer];
    e->width = sample_entries(g, z, n);
    e->p.program = gnt_program_new(g, &z, NULL, 1, 4, text, sizeof text);
    if (e->p.program)
        rc = 0;
cleanup:
    if (rc == 0)
        *out = e;
    else {
        gnt_fail(err, "cannot prepare the model for a batch of %lld: %s", (long long)n, text);
        gnt_evaluator_free(e);
    }
    gnt_graph_free(g);
    gnt_free(layers);
    return rc;
}

/* Returns the values of samples at … at + n − 1 of `count`, the last one repeated; *got of them are real. */
static const float *next_values(gnt_evaluator *e, const float *params, const float *buffers, const float *x,
                                int64_t at, int64_t count, int64_t *got, gnt_err *err) {
    int64_t n = e->p.n, f = e->features;
    const float *batch = x + at * f;
    *got = count - at < n ? count - at : n;
    if (*got < n) {
        for (int64_t i = 0; i < n; i++)
            memcpy(e->batch + i * f, x + (at + (i < *got ? i : *got - 1)) * f, (size_t)f * sizeof *x);
        batch = e->batch;
    }
    if (run(&e->p, params, buffers, batch, NULL, err) != 0)
        return NULL;
    return gnt_program_output(e->p.program, 0);
}

int gnt_evaluator_run(gnt_evaluator *e, const float *params, const float *buffers, const float *x,
                      int64_t count, float *values, gnt_err *err) {
    int64_t got;
    for (int64_t at = 0; at < count; at += got) {
        const float *z = next_values(e, params, buffers, x, at, count, &got, err);
        if (!z)
            return -1;
        memcpy(values + at * e->width, z, (size_t)(got * e->width) * sizeof *z);
    }
    return 0;
}
