/* model_conv: keys, output shapes and parameters of convolutions and transposed convolutions. */
#include "nn/model/model_parse.h"

static int transposed_shape(const json_t *spec, model_layer *l, const gnt_nn_shape *in, int32_t out,
                            gnt_err *err) {
    if (model_get_pair(spec, "out_pad", 0, 0, l->out_pad, err))
        return -1;
    l->shape = (gnt_nn_shape){.rank = 3, .dim = {out}};
    for (int i = 0; i < 2; i++) {
        if (l->out_pad[i] >= l->stride[i])
            return gnt_fail(err, "its \"out_pad\" of %d must be below its stride of %d", l->out_pad[i],
                            l->stride[i]);
        l->shape.dim[1 + i] = gnt_window_spread(in->dim[1 + i], gnt_window_span(l->kernel[i], l->dilation[i]),
                                                l->stride[i], l->pad[i], l->out_pad[i]);
        if (l->shape.dim[1 + i] < 1)
            return gnt_fail(err, "its padding of %d leaves nothing of its output of an input of %s",
                            l->pad[i], gnt_shape_print(in).s);
    }
    return 0;
}

/* Returns the shape of the weight in PyTorch's layout: O×I/groups×KH×KW, transposed I×O/groups×KH×KW. */
static gnt_nn_shape weight_shape(const model_layer *l, int64_t in, int64_t out) {
    int transposed = l->kind == MODEL_CONV_TRANSPOSE;
    int64_t first = transposed ? in : out, second = transposed ? out : in;
    return (gnt_nn_shape){.rank = 4, .dim = {first, second / l->groups, l->kernel[0], l->kernel[1]}};
}

int model_read_conv(model_parser *p, const json_t *spec, model_layer *l, const gnt_nn_shape *in,
                    gnt_err *err) {
    int32_t out;
    int bias = 1;
    if (model_want_image(in, err) || model_get_out(p, spec, &out, err) ||
        model_get_pair(spec, "kernel", 1, 1, l->kernel, err) ||
        model_get_pair(spec, "stride", 0, 1, l->stride, err) ||
        model_get_pair(spec, "pad", 0, 0, l->pad, err) ||
        model_get_pair(spec, "dilation", 0, 1, l->dilation, err) ||
        model_get_groups(spec, 0, in->dim[0], &l->groups, err) || model_get_bool(spec, "bias", &bias, err))
        return -1;
    if (out % l->groups != 0)
        return gnt_fail(err, "its \"out\" of %d cannot be divided into %d groups", out, l->groups);
    if (l->kind == MODEL_CONV ? model_slide(l, in, out, &l->shape, err)
                              : transposed_shape(spec, l, in, out, err))
        return -1;
    if (model_add_param(p, l->name, "weight", 0, weight_shape(l, in->dim[0], out), &l->weight, err))
        return -1;
    gnt_nn_shape b = {.rank = 1, .dim = {out}};
    return bias ? model_add_param(p, l->name, "bias", 0, b, &l->bias, err) : 0;
}
