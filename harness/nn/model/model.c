#include "nn/model/model.h"

#include <math.h>

#include "base/mem.h"
#include "nn/model/model_impl.h"

const char *model_kind_name(model_kind kind) {
#define NAME(kind, name) name,
    static const char *const names[MODEL_KINDS] = {MODEL_TYPES(NAME)};
#undef NAME
    return names[kind];
}

static int is_norm(model_kind kind) {
    return kind == MODEL_BATCH_NORM || kind == MODEL_LAYER_NORM || kind == MODEL_GROUP_NORM;
}

int model_has_params(model_kind kind) {
    return kind == MODEL_CONV || kind == MODEL_CONV_TRANSPOSE || kind == MODEL_DENSE || is_norm(kind);
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

gnt_nn_shape gnt_model_layer_shape(const gnt_model *m, int32_t layer) {
    return layer < 0 || layer >= m->n_layers ? m->sample : m->layer[layer].shape;
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
        return 1 / sqrt(fan_in); /* kaiming_uniform with a = √5; biases have the same bound */
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
        if (is_norm(layer->kind)) {
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
