/* model_build: writes a model into a graph. Errors stick to the graph, so nothing is checked on the way. */
#include <string.h>

#include "base/mem.h"
#include "nn/model/model_impl.h"

static gnt_nn_shape batched(const gnt_nn_shape *sample, int64_t n) {
    gnt_nn_shape s = {.rank = sample->rank + 1, .dim = {n}};
    for (int32_t i = 0; i < sample->rank; i++)
        s.dim[i + 1] = sample->dim[i];
    return s;
}

/* Repeats a vector of C entries over a batch whose axis 1 is C. */
static gnt_node along_channels(gnt_graph *g, const double *values, const gnt_nn_shape *like) {
    int64_t dim[GNT_NN_RANK];
    for (int32_t i = 0; i < like->rank; i++)
        dim[i] = i == 1 ? like->dim[1] : 1;
    gnt_node data = gnt_nn_data(g, like->rank, dim, values);
    return gnt_nn_expand(g, data, like->rank, like->dim);
}

/* Returns (x − mean) / deviation. */
static gnt_node normalise(const gnt_model *m, gnt_graph *g, gnt_node x, const gnt_nn_shape *shape) {
    if (!m->mean)
        return x;
    gnt_node centred = gnt_nn_sub(g, x, along_channels(g, m->mean, shape));
    return gnt_nn_div(g, centred, along_channels(g, m->deviation, shape));
}

typedef struct builder {
    const gnt_model *m;
    gnt_graph *g;
    const gnt_node *params, *buffers;
    int training;
    int64_t batch;
    gnt_node *stats; /* may be NULL */
} builder;

static gnt_node param_of(const builder *b, int32_t number) {
    return number < 0 ? -1 : b->params[number];
}

static gnt_node build_batch_norm(const builder *b, const model_layer *l, gnt_node x) {
    gnt_node gamma = param_of(b, l->weight), beta = param_of(b, l->bias);
    if (!b->training)
        return gnt_nn_batch_norm_eval(b->g, x, b->buffers[l->mean], b->buffers[l->variance], gamma, beta,
                                      l->eps);
    gnt_node mean, variance;
    gnt_node out = gnt_nn_batch_norm_train(b->g, x, gamma, beta, l->eps, &mean, &variance);
    if (b->stats) {
        /* running variances are unbiased, n/(n − 1), as PyTorch's; that of a single value is unchanged */
        double n = (double)(b->batch * gnt_nn_count(&l->shape) / l->shape.dim[0]);
        b->stats[l->mean] = mean;
        b->stats[l->variance] = gnt_nn_affine(b->g, variance, n > 1 ? n / (n - 1) : 1, 0);
    }
    return out;
}

static gnt_node build_conv(const builder *b, const model_layer *l, gnt_node x) {
    gnt_nn_window w = {
        {l->stride[0], l->stride[1]}, {l->pad[0], l->pad[1]}, {l->dilation[0], l->dilation[1]}, l->groups};
    gnt_node weight = param_of(b, l->weight);
    gnt_node y = l->kind == MODEL_CONV ? gnt_nn_general_conv(b->g, x, weight, &w)
                                       : gnt_nn_conv_transpose(b->g, x, weight, l->out_pad, &w);
    return l->bias < 0 ? y : gnt_nn_bias(b->g, y, param_of(b, l->bias));
}

/* Repeats a parameter of the size of a sample, or a vector along axis 1, over the batch. */
static gnt_node repeated(const builder *b, int32_t number, gnt_node like) {
    gnt_nn_shape s = gnt_nn_shape_of(b->g, like), w = gnt_nn_shape_of(b->g, param_of(b, number));
    int64_t dim[GNT_NN_RANK] = {1, 1, 1, 1, 1, 1};
    for (int32_t i = 0; i < w.rank; i++)
        dim[1 + i] = w.dim[i];
    gnt_node one = gnt_nn_reshape(b->g, param_of(b, number), s.rank, dim);
    return gnt_nn_expand(b->g, one, s.rank, s.dim);
}

static gnt_node build_sample_norm(const builder *b, const model_layer *l, gnt_node x) {
    int32_t rank = gnt_nn_shape_of(b->g, x).rank;
    uint32_t axes = l->per_place || rank < 2 ? 1u << 1 : ((1u << rank) - 1) & ~1u;
    gnt_node y = l->kind == MODEL_GROUP_NORM ? gnt_nn_group_norm(b->g, x, l->groups, l->eps)
                                             : gnt_nn_standardise(b->g, x, axes, l->eps);
    if (l->weight < 0 || y < 0)
        return y;
    y = gnt_nn_mul(b->g, y, repeated(b, l->weight, y));
    return gnt_nn_add(b->g, y, repeated(b, l->bias, y));
}

static gnt_node build_softmax(gnt_graph *g, gnt_node x) {
    return gnt_nn_shape_of(g, x).rank == 4 ? gnt_nn_softmax_channels(g, x) : gnt_nn_softmax(g, x);
}

static gnt_node build_global_avg_pool(gnt_graph *g, gnt_node x) {
    gnt_nn_shape s = gnt_nn_shape_of(g, x);
    gnt_node sum = gnt_nn_sum(g, x, 1u << 2 | 1u << 3);
    return s.rank == 4 ? gnt_nn_affine(g, sum, 1 / (double)(s.dim[2] * s.dim[3]), 0) : sum;
}

/* Takes every stride-th pixel and pads channels with zeros on both sides (He et al.'s option A). */
static gnt_node build_pad_shortcut(const builder *b, const model_layer *l, gnt_node x) {
    gnt_graph *g = b->g;
    gnt_nn_shape s = gnt_nn_shape_of(g, x);
    if (l->stride[0] > 1)
        x = gnt_nn_avg_pool(g, x, 1, 1, l->stride[0], l->stride[0], 0, 0, 0, 1);
    int64_t side = s.rank == 4 ? (l->shape.dim[0] - s.dim[1]) / 2 : 0;
    return side > 0 ? gnt_nn_pad(g, x, 1, side, side) : x;
}

static gnt_node build_layer(const builder *b, const model_layer *l, const gnt_node *in) {
    gnt_graph *g = b->g;
    gnt_nn_shape flat = {.rank = 2, .dim = {b->batch, gnt_nn_count(&l->shape)}};
    switch (l->kind) {
    case MODEL_CONV:
    case MODEL_CONV_TRANSPOSE:
        return build_conv(b, l, in[0]);
    case MODEL_DENSE:
        return gnt_nn_dense(g, in[0], param_of(b, l->weight), param_of(b, l->bias));
    case MODEL_BATCH_NORM:
        return build_batch_norm(b, l, in[0]);
    case MODEL_LAYER_NORM:
    case MODEL_GROUP_NORM:
        return build_sample_norm(b, l, in[0]);
    case MODEL_MAX_POOL:
        return gnt_nn_max_pool(g, in[0], l->kernel[0], l->kernel[1], l->stride[0], l->stride[1], l->pad[0],
                               l->pad[1], l->ceil_mode);
    case MODEL_AVG_POOL:
        return gnt_nn_avg_pool(g, in[0], l->kernel[0], l->kernel[1], l->stride[0], l->stride[1], l->pad[0],
                               l->pad[1], l->ceil_mode, l->count_pad);
    case MODEL_GLOBAL_AVG_POOL:
        return build_global_avg_pool(g, in[0]);
    case MODEL_ADAPTIVE_AVG_POOL:
        return gnt_nn_adaptive_avg_pool(g, in[0], l->shape.dim[1], l->shape.dim[2]);
    case MODEL_RELU:
        return gnt_nn_relu(g, in[0]);
    case MODEL_LEAKY_RELU:
        return gnt_nn_leaky_relu(g, in[0], l->slope);
    case MODEL_SIGMOID:
        return gnt_nn_sigmoid(g, in[0]);
    case MODEL_TANH:
        return gnt_nn_tanh(g, in[0]);
    case MODEL_SOFTPLUS:
        return gnt_nn_softplus(g, in[0]);
    case MODEL_GELU:
        return l->tanh_form ? gnt_nn_gelu_tanh(g, in[0]) : gnt_nn_gelu(g, in[0]);
    case MODEL_SILU:
        return gnt_nn_silu(g, in[0]);
    case MODEL_SOFTMAX:
        return build_softmax(g, in[0]);
    case MODEL_FLATTEN:
        return gnt_nn_reshape(g, in[0], flat.rank, flat.dim);
    case MODEL_DROPOUT:
        return in[0];
    case MODEL_UPSAMPLE:
        return gnt_nn_upsample(g, in[0], l->factor);
    case MODEL_RESIDUAL:
        return gnt_nn_add(g, in[0], l->pad_shortcut ? build_pad_shortcut(b, l, in[1]) : in[1]);
    case MODEL_CONCAT:
        return gnt_nn_concat(g, in, l->n_inputs, 1);
    case MODEL_REPEAT:
    case MODEL_KINDS:
        break;
    }
    return -1;
}

/* Returns outputs of N×classes: a map is flattened; one value p becomes the classes 1 − p and p. */
static gnt_node as_outputs(const builder *b, gnt_node out) {
    const gnt_model *m = b->m;
    gnt_nn_shape s = gnt_nn_shape_of(b->g, out);
    if (s.rank < 0)
        return out;
    if (m->scalar) {
        gnt_node both[2] = {gnt_nn_affine(b->g, out, -1, 1), out};
        return gnt_nn_concat(b->g, both, 2, 1);
    }
    int64_t flat[2] = {b->batch, m->classes};
    return s.rank == 2 ? out : gnt_nn_reshape(b->g, out, 2, flat);
}

gnt_node gnt_model_build(const gnt_model *m, gnt_graph *g, gnt_node x, const gnt_node *params,
                         const gnt_node *buffers, int training, gnt_node *layer_out, gnt_node *stats) {
    gnt_nn_shape given = gnt_nn_shape_of(g, x);
    gnt_nn_shape shape = batched(&m->sample, given.rank > 0 ? given.dim[0] : 1);
    /* a batch of another shape is refused here, with the graph's error */
    if (given.rank != shape.rank || memcmp(given.dim, shape.dim, sizeof(int64_t) * (size_t)shape.rank) != 0)
        x = gnt_nn_reshape(g, x, shape.rank, shape.dim);
    builder b = {.m = m, .g = g, .params = params, .buffers = buffers, .training = training, .stats = stats};
    b.batch = shape.dim[0];
    for (int32_t i = 0; stats && i < m->n_buffers; i++)
        stats[i] = -1;
    size_t widest = 2;
    for (int32_t i = 0; i < m->n_layers; i++)
        if ((size_t)m->layer[i].n_inputs > widest)
            widest = (size_t)m->layer[i].n_inputs;
    gnt_node *own = layer_out ? NULL : gnt_array((size_t)m->n_layers, sizeof *own);
    gnt_node *in = gnt_array(widest, sizeof *in), *out = layer_out ? layer_out : own;
    gnt_node logits = -1;
    if (!in || !out)
        goto cleanup;
    gnt_node sample = normalise(m, g, x, &shape);
    for (int32_t i = 0; i < m->n_layers; i++) {
        const model_layer *l = &m->layer[i];
        for (int32_t j = 0; j < l->n_inputs; j++)
            in[j] = l->input[j] == MODEL_SAMPLE ? sample : out[l->input[j]];
        logits = out[i] = build_layer(&b, l, in);
    }
    logits = as_outputs(&b, logits);
cleanup:
    gnt_free(own);
    gnt_free(in);
    return logits;
}

void gnt_model_declare(const gnt_model *m, gnt_graph *g, gnt_node *params, gnt_node *buffers) {
    for (int32_t i = 0; i < m->n_params + m->n_buffers; i++) {
        const gnt_param *p = &m->param[i];
        gnt_node node = gnt_nn_input(g, p->name, p->shape.rank, p->shape.dim, 0);
        if (p->buffer)
            buffers[i - m->n_params] = node;
        else
            params[i] = node;
    }
}

void gnt_model_bind(const gnt_model *m, gnt_program *p, const gnt_node *params, const gnt_node *buffers,
                    const void *flat_params, const void *flat_buffers, int32_t precision) {
    for (int32_t i = 0; i < m->n_params + m->n_buffers; i++) {
        const gnt_param *one = &m->param[i];
        gnt_node node = one->buffer ? buffers[i - m->n_params] : params[i];
        const char *flat = one->buffer ? flat_buffers : flat_params;
        gnt_program_bind(p, node, flat + one->offset * precision);
    }
}
