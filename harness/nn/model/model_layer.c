/* Layers without inner layers: their keys, the shape of their output, and their parameters. */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "base/mem.h"
#include "nn/model/model_parse.h"

enum { MOST_WIDTH = 1 << 20 };                        /* of "out" */
static const int64_t most_entries = (int64_t)1 << 31; /* of one activation or parameter */
static const int64_t most_weights = (int64_t)1 << 31; /* of all parameters together */

const gnt_nn_shape *model_shape_of(const gnt_model *m, int32_t layer) {
    return layer == MODEL_SAMPLE ? &m->sample : &m->layer[layer].shape;
}

int model_check_size(const gnt_nn_shape *s, const char *what, gnt_err *err) {
    int64_t n = 1;
    for (int32_t i = 0; i < s->rank; i++) {
        if (s->dim[i] < 1 || s->dim[i] > most_entries / n)
            return gnt_fail(err, "its %s would have more than %" PRId64 " entries", what, most_entries);
        n *= s->dim[i];
    }
    return 0;
}

static int add_param(model_parser *p, const char *layer, const char *part, int buffer, gnt_nn_shape shape,
                     int32_t *number, gnt_err *err) {
    gnt_model *m = p->m;
    int32_t n = m->n_params + m->n_buffers;
    if (model_check_size(&shape, part, err))
        return -1;
    int64_t *total = buffer ? &m->buffer_size : &m->size, count = gnt_nn_count(&shape);
    if (count > most_weights - *total)
        return gnt_fail(err, "with it the model has more than %" PRId64 " weights", most_weights);
    if (n == m->param_room) {
        int32_t room = n ? 2 * n : 32;
        gnt_param *param = gnt_resize(m->param, (size_t)room, sizeof *param);
        if (!param)
            return gnt_fail(err, "out of memory for the list of parameters");
        m->param = param;
        m->param_room = room;
    }
    char *name = gnt_format("%s.%s", layer, part);
    if (!name)
        return gnt_fail(err, "out of memory for a name");
    m->param[n] = (gnt_param){
        .name = name, .shape = shape, .buffer = buffer, .layer = m->n_layers - 1, .offset = *total};
    *total += count;
    *number = buffer ? m->n_buffers++ : m->n_params++;
    return 0;
}

int model_want_image(const gnt_nn_shape *in, gnt_err *err) {
    char text[MODEL_SHAPE_TEXT];
    return in->rank == 3
               ? 0
               : gnt_fail(err, "it wants an image (channels×height×width) but its input is %s values",
                          model_shape_text(text, in));
}

int model_same_shape(const gnt_nn_shape *a, const gnt_nn_shape *b) {
    return a->rank == b->rank && memcmp(a->dim, b->dim, sizeof(int64_t) * (size_t)a->rank) == 0;
}

static int want_flat(const gnt_nn_shape *in, gnt_err *err) {
    char text[MODEL_SHAPE_TEXT];
    return in->rank == 1 ? 0
                         : gnt_fail(err, "it wants a flat input but gets %s; put a flatten layer before it",
                                    model_shape_text(text, in));
}

/* Places of a window along one axis. In ceil mode a last window that would begin in the padding after the end
 * is left out, as in PyTorch. */
static int64_t places(int64_t in, int64_t kernel, int64_t stride, int64_t pad, int ceil_mode) {
    int64_t span = in + 2 * pad - kernel;
    if (span < 0)
        return ceil_mode && in + 2 * pad > 0 && span > -stride ? 1 : 0;
    int64_t out = span / stride + 1;
    if (ceil_mode && span % stride && out * stride < in + pad)
        out++;
    return out;
}

static int slide(const model_layer *l, const gnt_nn_shape *in, int64_t channels, gnt_nn_shape *out,
                 gnt_err *err) {
    char text[MODEL_SHAPE_TEXT];
    *out = (gnt_nn_shape){.rank = 3, .dim = {channels}};
    for (int i = 0; i < 2; i++) {
        out->dim[1 + i] = places(in->dim[1 + i], l->kernel[i], l->stride[i], l->pad, l->ceil_mode);
        if (out->dim[1 + i] < 1)
            return gnt_fail(err, "its window of %d×%d (padding %d) does not fit its input of %s",
                            l->kernel[0], l->kernel[1], l->pad, model_shape_text(text, in));
    }
    return 0;
}

static int read_out(const model_parser *p, const json_t *spec, int32_t *out, gnt_err *err) {
    const char *text = json_string_value(json_object_get(spec, "out"));
    if (!text) {
        if (model_get_int(spec, "out", 1, 1, MOST_WIDTH, out, err))
            return -1;
        *out = (int32_t)fmax(1, floor(*out * p->width + 0.5));
        return 0;
    }
    if (strcmp(text, "classes") != 0)
        return gnt_fail(err, "\"out\" must be a whole number or \"classes\", not \"%s\"", text);
    *out = p->m->classes;
    return 0;
}

static int read_conv(model_parser *p, const json_t *spec, model_layer *l, const gnt_nn_shape *in,
                     gnt_err *err) {
    int32_t out, stride = 1;
    int bias = 1;
    l->stride[0] = l->stride[1] = 1;
    if (model_want_image(in, err) || read_out(p, spec, &out, err) ||
        model_get_pair(spec, "kernel", 1, l->kernel, err) ||
        model_get_int(spec, "stride", 0, 1, MODEL_MOST_KERNEL, &stride, err) ||
        model_get_int(spec, "pad", 0, 0, MODEL_MOST_KERNEL, &l->pad, err) ||
        model_get_bool(spec, "bias", &bias, err))
        return -1;
    l->stride[0] = l->stride[1] = stride;
    if (slide(l, in, out, &l->shape, err))
        return -1;
    gnt_nn_shape w = {.rank = 4, .dim = {out, in->dim[0], l->kernel[0], l->kernel[1]}},
                 b = {.rank = 1, .dim = {out}};
    if (add_param(p, l->name, "weight", 0, w, &l->weight, err))
        return -1;
    return bias ? add_param(p, l->name, "bias", 0, b, &l->bias, err) : 0;
}

static int read_dense(model_parser *p, const json_t *spec, model_layer *l, const gnt_nn_shape *in,
                      gnt_err *err) {
    int32_t out;
    int bias = 1;
    if (want_flat(in, err) || read_out(p, spec, &out, err) || model_get_bool(spec, "bias", &bias, err))
        return -1;
    gnt_nn_shape w = {.rank = 2, .dim = {out, in->dim[0]}}, b = {.rank = 1, .dim = {out}};
    l->shape = b;
    if (add_param(p, l->name, "weight", 0, w, &l->weight, err))
        return -1;
    return bias ? add_param(p, l->name, "bias", 0, b, &l->bias, err) : 0;
}

static int read_batch_norm(model_parser *p, const json_t *spec, model_layer *l, const gnt_nn_shape *in,
                           gnt_err *err) {
    gnt_nn_shape c = {.rank = 1, .dim = {in->dim[0]}};
    int affine = 1;
    l->eps = 1e-5;
    l->shape = *in;
    if (model_get_real(spec, "eps", 1e-12, 1, &l->eps, err) || model_get_bool(spec, "affine", &affine, err))
        return -1;
    if (affine && (add_param(p, l->name, "weight", 0, c, &l->weight, err) ||
                   add_param(p, l->name, "bias", 0, c, &l->bias, err)))
        return -1;
    return add_param(p, l->name, "running_mean", 1, c, &l->mean, err) ||
                   add_param(p, l->name, "running_var", 1, c, &l->variance, err)
               ? -1
               : 0;
}

static int read_pool(const json_t *spec, model_layer *l, const gnt_nn_shape *in, gnt_err *err) {
    l->count_pad = 1;
    if (model_want_image(in, err) || model_get_pair(spec, "kernel", 1, l->kernel, err))
        return -1;
    l->stride[0] = l->kernel[0];
    l->stride[1] = l->kernel[1];
    if (model_get_pair(spec, "stride", 0, l->stride, err) ||
        model_get_int(spec, "pad", 0, 0, MODEL_MOST_KERNEL, &l->pad, err) ||
        model_get_bool(spec, "ceil", &l->ceil_mode, err) ||
        model_get_bool(spec, "count_pad", &l->count_pad, err))
        return -1;
    if (l->pad > l->kernel[0] / 2 || l->pad > l->kernel[1] / 2)
        return gnt_fail(err, "its padding of %d is more than half its window of %d×%d", l->pad, l->kernel[0],
                        l->kernel[1]);
    return slide(l, in, in->dim[0], &l->shape, err);
}

static int read_plain(const json_t *spec, model_layer *l, const gnt_nn_shape *in, gnt_err *err) {
    double rate = 0.5; /* of dropout: read so that files keep it, but gradients are taken without dropout */
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
        return read_conv(p, spec, l, in, err);
    case MODEL_DENSE:
        return read_dense(p, spec, l, in, err);
    case MODEL_BATCH_NORM:
        return read_batch_norm(p, spec, l, in, err);
    case MODEL_MAX_POOL:
    case MODEL_AVG_POOL:
        return read_pool(spec, l, in, err);
    default:
        return read_plain(spec, l, in, err);
    }
}
