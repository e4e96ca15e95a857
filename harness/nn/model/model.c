#include "nn/model/model.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "nn/model/model_impl.h"

const char *model_kind_name(model_kind kind) {
    static const char *const names[MODEL_KINDS] = {[MODEL_CONV] = "conv",
                                                   [MODEL_CONV_TRANSPOSE] = "conv_transpose",
                                                   [MODEL_DENSE] = "dense",
                                                   [MODEL_BATCH_NORM] = "batch_norm",
                                                   [MODEL_LAYER_NORM] = "layer_norm",
                                                   [MODEL_GROUP_NORM] = "group_norm",
                                                   [MODEL_MAX_POOL] = "max_pool",
                                                   [MODEL_AVG_POOL] = "avg_pool",
                                                   [MODEL_GLOBAL_AVG_POOL] = "global_avg_pool",
                                                   [MODEL_ADAPTIVE_AVG_POOL] = "adaptive_avg_pool",
                                                   [MODEL_RELU] = "relu",
                                                   [MODEL_LEAKY_RELU] = "leaky_relu",
                                                   [MODEL_SIGMOID] = "sigmoid",
                                                   [MODEL_TANH] = "tanh",
                                                   [MODEL_SOFTPLUS] = "softplus",
                                                   [MODEL_GELU] = "gelu",
                                                   [MODEL_SILU] = "silu",
                                                   [MODEL_SOFTMAX] = "softmax",
                                                   [MODEL_FLATTEN] = "flatten",
                                                   [MODEL_DROPOUT] = "dropout",
                                                   [MODEL_UPSAMPLE] = "upsample",
                                                   [MODEL_RESIDUAL] = "residual",
                                                   [MODEL_CONCAT] = "concat",
                                                   [MODEL_REPEAT] = "repeat"};
    return names[kind];
}

int model_is_norm(model_kind kind) {
    return kind == MODEL_BATCH_NORM || kind == MODEL_LAYER_NORM || kind == MODEL_GROUP_NORM;
}

int model_has_params(model_kind kind) {
    return kind == MODEL_CONV || kind == MODEL_CONV_TRANSPOSE || kind == MODEL_DENSE || model_is_norm(kind);
}

const char *model_shape_text(char text[MODEL_SHAPE_TEXT], const gnt_nn_shape *s) {
    size_t at = 0;
    text[0] = 0;
    for (int32_t i = 0; i < s->rank && at < MODEL_SHAPE_TEXT; i++)
        at += (size_t)snprintf(text + at, MODEL_SHAPE_TEXT - at, "%s%" PRId64, i ? "×" : "", s->dim[i]);
    return text;
}

void gnt_model_free(gnt_model *m) {
    if (!m)
        return;
    for (int32_t i = 0; i < m->n_layers; i++) {
        gnt_free(m->layer[i].name);
        gnt_free(m->layer[i].input);
    }
    for (int32_t i = 0; i < m->n_params + m->n_buffers; i++)
        gnt_free((char *)m->param[i].name);
    gnt_free(m->layer);
    gnt_free(m->param);
    gnt_free(m->mean);
    gnt_free(m->deviation);
    gnt_free(m->shared);
    gnt_free(m->name);
    gnt_free(m);
}

int32_t gnt_model_params(const gnt_model *m, const gnt_param **list) {
    if (list)
        *list = m->param;
    return m->n_params + m->n_buffers;
}

int64_t gnt_model_size(const gnt_model *m) {
    return m->size;
}

int64_t gnt_model_buffer_size(const gnt_model *m) {
    return m->buffer_size;
}

int32_t gnt_model_layers(const gnt_model *m) {
    return m->n_layers;
}

const char *gnt_model_layer_name(const gnt_model *m, int32_t layer) {
    return layer < 0 || layer >= m->n_layers ? NULL : m->layer[layer].name;
}

const char *gnt_model_layer_type(const gnt_model *m, int32_t layer) {
    return layer < 0 || layer >= m->n_layers ? NULL : model_kind_name(m->layer[layer].kind);
}

int32_t gnt_model_representation(const gnt_model *m) {
    return m->representation;
}

int32_t gnt_model_classes(const gnt_model *m) {
    return m->classes;
}

gnt_nn_shape gnt_model_sample(const gnt_model *m) {
    return m->sample;
}

/* ---- fresh weights ---- */

static double init_bound(const gnt_model *m, const model_layer *layer, int is_bias) {
    const gnt_nn_shape *w = &m->param[layer->weight].shape;
    double window = 1;
    for (int32_t i = 2; i < w->rank; i++)
        window *= (double)w->dim[i];
    double fan_out = (double)w->dim[0] * window, fan_in = (double)w->dim[1] * window;
    switch (m->init) {
    case MODEL_INIT_UNIFORM:
        return m->bound;
    case MODEL_INIT_KAIMING:
        return 1 / sqrt(fan_in); /* what kaiming_uniform with a = √5 comes to; biases share it */
    case MODEL_INIT_XAVIER:
        return is_bias ? 0 : sqrt(6 / (fan_in + fan_out));
    }
    return 0;
}

void gnt_model_init(const gnt_model *m, gnt_stream *random, float *params, float *buffers) {
    for (int32_t i = 0; i < m->n_params; i++) {
        const model_layer *layer = &m->layer[m->param[i].layer];
        int is_bias = i == layer->bias;
        float *to = params + m->param[i].offset;
        int64_t n = gnt_nn_count(&m->param[i].shape);
        if (model_is_norm(layer->kind)) {
            for (int64_t j = 0; j < n; j++)
                to[j] = is_bias ? 0 : 1;
            continue;
        }
        double bound = init_bound(m, layer, is_bias);
        for (int64_t j = 0; j < n; j++)
            to[j] = (float)(bound * (2 * gnt_random_uniform(random) - 1));
    }
    for (int32_t i = 0; i < m->n_buffers; i++) {
        const gnt_param *p = &m->param[m->n_params + i];
        int is_variance = i == m->layer[p->layer].variance;
        for (int64_t j = 0; j < gnt_nn_count(&p->shape); j++)
            buffers[p->offset + j] = is_variance ? 1 : 0;
    }
}

/* ---- named tensors ---- */

static int import_one(const gnt_model *m, const gnt_param *p, const gnt_st *st, float *to, gnt_err *err) {
    int64_t n = gnt_nn_count(&p->shape);
    const gnt_st_tensor *t = gnt_st_find(st, p->name);
    gnt_st_type type = t && t->type == GNT_ST_F64 ? GNT_ST_F64 : GNT_ST_F32;
    t = gnt_st_need(st, m->name, p->name, type, p->shape.rank, p->shape.dim, err);
    if (!t)
        return -1;
    for (int64_t i = 0; i < n; i++) {
        to[i] = type == GNT_ST_F64 ? (float)((const double *)t->data)[i] : ((const float *)t->data)[i];
        if (!isfinite(to[i]))
            return gnt_fail(err, "%s: tensor %s: entry %" PRId64 " is not finite", m->name, p->name, i);
    }
    return 0;
}

static int is_counter(const char *name) {
    static const char tail[] =
        ".num_batches_tracked"; /* PyTorch keeps one beside each batch norm; nothing reads it */
    size_t n = strlen(name);
    return n >= sizeof tail - 1 && strcmp(name + n - (sizeof tail - 1), tail) == 0;
}

static int check_extra(const gnt_model *m, const gnt_st *st, gnt_err *err) {
    for (size_t i = 0; i < st->n; i++) {
        const char *name = st->tensor[i].name;
        int known = is_counter(name);
        for (int32_t j = 0; j < m->n_params + m->n_buffers && !known; j++)
            known = strcmp(name, m->param[j].name) == 0;
        if (!known)
            return gnt_fail(err, "%s: the weights hold tensor %s, which the model does not have", m->name,
                            name);
    }
    return 0;
}

int gnt_model_import(const gnt_model *m, const gnt_st *st, float *params, float *buffers, gnt_err *err) {
    for (int32_t i = 0; i < m->n_params + m->n_buffers; i++) {
        const gnt_param *p = &m->param[i];
        if (import_one(m, p, st, (p->buffer ? buffers : params) + p->offset, err))
            return -1;
    }
    return check_extra(m, st, err);
}

int gnt_model_export(const gnt_model *m, const float *params, const float *buffers, gnt_st *st,
                     gnt_err *err) {
    for (int32_t i = 0; i < m->n_params + m->n_buffers; i++) {
        const gnt_param *p = &m->param[i];
        const float *from = (p->buffer ? buffers : params) + p->offset;
        if (gnt_st_add(st, p->name, GNT_ST_F32, p->shape.rank, p->shape.dim, from, NULL, err))
            return gnt_fail_in(err, "%s", m->name);
    }
    return 0;
}
