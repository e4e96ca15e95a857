/* model_layer: keys, output shapes and parameters of layers without inner layers. */
#include <string.h>

#include "nn/model/model_parse.h"

enum {
    MOST_POOLED = 1 << 14
}; /* rows or columns that an adaptive pool takes: times MODEL_MOST_KERNEL, 2²⁴ */

static int read_dense(model_parser *p, const json_t *spec, model_layer *l, const gnt_nn_shape *in,
                      gnt_err *err) {
    int32_t out;
    int bias = 1;
    if (in->rank != 1)
        return gnt_fail(err, "it wants a flat input but gets %s; put a flatten layer before it",
                        gnt_shape_print(in).s);
    if (model_get_out(p, spec, &out, err) || model_get_bool(spec, "bias", &bias, err))
        return -1;
    gnt_nn_shape w = {.rank = 2, .dim = {out, in->dim[0]}}, b = {.rank = 1, .dim = {out}};
    l->shape = b;
    if (model_add_param(p, l->name, "weight", 0, w, &l->weight, err))
        return -1;
    return bias ? model_add_param(p, l->name, "bias", 0, b, &l->bias, err) : 0;
}

/* Reads "eps" and "affine" of a norm and adds its weight and bias, of shape w, unless "affine" is false. */
static int read_affine(model_parser *p, const json_t *spec, model_layer *l, gnt_nn_shape w, gnt_err *err) {
    int affine = 1;
    l->eps = 1e-5;
    if (model_get_real(spec, "eps", 1e-12, 1, &l->eps, err) || model_get_bool(spec, "affine", &affine, err))
        return -1;
    return affine && (model_add_param(p, l->name, "weight", 0, w, &l->weight, err) ||
                      model_add_param(p, l->name, "bias", 0, w, &l->bias, err))
               ? -1
               : 0;
}

static int read_batch_norm(model_parser *p, const json_t *spec, model_layer *l, const gnt_nn_shape *in,
                           gnt_err *err) {
    gnt_nn_shape c = {.rank = 1, .dim = {in->dim[0]}};
    l->shape = *in;
    return read_affine(p, spec, l, c, err) ||
                   model_add_param(p, l->name, "running_mean", 1, c, &l->mean, err) ||
                   model_add_param(p, l->name, "running_var", 1, c, &l->variance, err)
               ? -1
               : 0;
}

/* Reads a norm over a sample: layer_norm has a weight for each entry of a sample, or for each channel;
 * group_norm has one for each channel. */
static int read_sample_norm(model_parser *p, const json_t *spec, model_layer *l, const gnt_nn_shape *in,
                            gnt_err *err) {
    const json_t *over = json_object_get(spec, "over");
    const char *word = json_string_value(over);
    l->shape = *in;
    l->per_place = word && strcmp(word, "channels") == 0;
    if (over && !l->per_place && (!word || strcmp(word, "sample") != 0))
        return gnt_fail(err, "\"over\" must be \"sample\" or \"channels\"");
    if (l->kind == MODEL_GROUP_NORM && model_get_groups(spec, 1, in->dim[0], &l->groups, err))
        return -1;
    int by_channel = l->kind == MODEL_GROUP_NORM || l->per_place;
    return read_affine(p, spec, l, by_channel ? (gnt_nn_shape){1, {in->dim[0]}} : *in, err);
}

static int read_gelu(const json_t *spec, model_layer *l, gnt_err *err) {
    const json_t *given = json_object_get(spec, "approximate");
    const char *word = json_string_value(given);
    l->tanh_form = word && strcmp(word, "tanh") == 0;
    return !given || l->tanh_form || (word && strcmp(word, "none") == 0)
               ? 0
               : gnt_fail(err, "\"approximate\" must be \"none\" or \"tanh\"");
}

static int read_adaptive_pool(const json_t *spec, model_layer *l, const gnt_nn_shape *in, gnt_err *err) {
    int32_t size[2];
    if (model_want_image(in, err) || model_get_pair(spec, "size", 1, 1, size, err))
        return -1;
    for (int i = 0; i < 2; i++) {
        if (in->dim[1 + i] > MOST_POOLED)
            return gnt_fail(err, "its input of %s is more than %d high or wide", gnt_shape_print(in).s,
                            MOST_POOLED);
        l->shape.dim[1 + i] = size[i];
    }
    return 0;
}

static int read_pool(const json_t *spec, model_layer *l, const gnt_nn_shape *in, gnt_err *err) {
    l->count_pad = 1;
    if (model_want_image(in, err) || model_get_pair(spec, "kernel", 1, 1, l->kernel, err))
        return -1;
    l->stride[0] = l->kernel[0];
    l->stride[1] = l->kernel[1];
    if (model_get_pair(spec, "stride", 0, 1, l->stride, err) ||
        model_get_pair(spec, "pad", 0, 0, l->pad, err) || model_get_bool(spec, "ceil", &l->ceil_mode, err) ||
        model_get_bool(spec, "count_pad", &l->count_pad, err))
        return -1;
    for (int i = 0; i < 2; i++)
        if (l->pad[i] > l->kernel[i] / 2)
            return gnt_fail(err, "its padding of %d is more than half its window of %d×%d", l->pad[i],
                            l->kernel[0], l->kernel[1]);
    return model_slide(l, in, in->dim[0], &l->shape, err);
}

static int read_plain(const json_t *spec, model_layer *l, const gnt_nn_shape *in, gnt_err *err) {
    double rate = 0.5; /* of dropout: checked only; gradients are computed without dropout */
    l->shape = *in;
    l->slope = 0.01;
    l->factor = 2;
    switch (l->kind) {
    case MODEL_LEAKY_RELU:
        return model_get_real(spec, "slope", 0, 1, &l->slope, err);
    case MODEL_DROPOUT:
        return model_get_real(spec, "rate", 0, 1, &rate, err);
    case MODEL_FLATTEN:
        l->shape = (gnt_nn_shape){.rank = 1, .dim = {gnt_nn_count(in)}};
        return 0;
    case MODEL_GLOBAL_AVG_POOL:
        l->shape.dim[1] = l->shape.dim[2] = 1;
        return model_want_image(in, err);
    case MODEL_GELU:
        return read_gelu(spec, l, err);
    case MODEL_ADAPTIVE_AVG_POOL:
        return read_adaptive_pool(spec, l, in, err);
    case MODEL_UPSAMPLE:
        if (model_want_image(in, err) || model_get_int(spec, "factor", 1, 1, 64, &l->factor, err))
            return -1;
        l->shape.dim[1] *= l->factor;
        l->shape.dim[2] *= l->factor;
        return 0;
    default:
        return 0;
    }
}

int model_read_simple(model_parser *p, const json_t *spec, model_layer *l, const gnt_nn_shape *in,
                      gnt_err *err) {
    switch (l->kind) {
    case MODEL_CONV:
    case MODEL_CONV_TRANSPOSE:
        return model_read_conv(p, spec, l, in, err);
    case MODEL_DENSE:
        return read_dense(p, spec, l, in, err);
    case MODEL_BATCH_NORM:
        return read_batch_norm(p, spec, l, in, err);
    case MODEL_LAYER_NORM:
    case MODEL_GROUP_NORM:
        return read_sample_norm(p, spec, l, in, err);
    case MODEL_MAX_POOL:
    case MODEL_AVG_POOL:
        return read_pool(spec, l, in, err);
    default:
        return read_plain(spec, l, in, err);
    }
}
