/* model_part: shared by the readers of layers: checks of sizes, shapes of windows, adding parameters, and
 * keys that several types of layer have. */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "base/mem.h"
#include "nn/model/model_parse.h"

enum { MOST_WIDTH = 1 << 20 };                        /* bound of "out" and "groups" */
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

int model_add_param(model_parser *p, const char *layer, const char *part, int buffer, gnt_nn_shape shape,
                    int32_t *number, gnt_err *err) {
    gnt_model *m = p->m;
    int32_t n = m->n_params + m->n_buffers;
    if (model_check_size(&shape, part, err))
        return -1;
    int64_t *total = buffer ? &m->buffer_size : &m->size, count = gnt_nn_count(&shape);
    if (count > most_weights - *total)
        return gnt_fail(err, "with it the model has more than %" PRId64 " weights", most_weights);
    if (GNT_GROW(m->param, n) != 0)
        return gnt_fail(err, "out of memory for the list of parameters");
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
    return in->rank == 3
               ? 0
               : gnt_fail(err, "it wants an image (channels×height×width) but its input is %s values",
                          gnt_shape_print(in).s);
}

int model_slide(const model_layer *l, const gnt_nn_shape *in, int64_t channels, gnt_nn_shape *out,
                gnt_err *err) {
    *out = (gnt_nn_shape){.rank = 3, .dim = {channels}};
    for (int i = 0; i < 2; i++) {
        int64_t span = gnt_window_span(l->kernel[i], l->dilation[i]);
        out->dim[1 + i] = gnt_window_places(in->dim[1 + i], span, l->stride[i], l->pad[i], l->ceil_mode);
        if (out->dim[1 + i] < 1)
            return gnt_fail(err, "its window of %d×%d (%spadding %d) does not fit its input of %s",
                            l->kernel[0], l->kernel[1], span > l->kernel[i] ? "dilated, " : "", l->pad[i],
                            gnt_shape_print(in).s);
    }
    return 0;
}

int model_get_out(const model_parser *p, const json_t *spec, int32_t *out, gnt_err *err) {
    const char *text = json_string_value(json_object_get(spec, "out"));
    if (!text) {
        if (model_get_int(spec, "out", 1, 1, MOST_WIDTH, out, err))
            return -1;
        if (spec != p->values)
            *out = (int32_t)fmax(1, floor(*out * p->width + 0.5));
        return 0;
    }
    if (strcmp(text, "classes") != 0)
        return gnt_fail(err, "\"out\" must be a whole number or \"classes\", not \"%s\"", text);
    *out = p->m->classes;
    return 0;
}

int model_get_groups(const json_t *spec, int needed, int64_t channels, int32_t *groups, gnt_err *err) {
    const char *text = json_string_value(json_object_get(spec, "groups"));
    if (text && strcmp(text, "channels") != 0)
        return gnt_fail(err, "\"groups\" must be a whole number or \"channels\", not \"%s\"", text);
    if (channels > MOST_WIDTH)
        return gnt_fail(err, "its input has %" PRId64 " channels; at most %d can be grouped", channels,
                        MOST_WIDTH);
    if (text)
        *groups = (int32_t)channels;
    else if (model_get_int(spec, "groups", needed, 1, MOST_WIDTH, groups, err))
        return -1;
    return channels % *groups == 0
               ? 0
               : gnt_fail(err, "its input has %" PRId64 " channels, which %d groups do not divide", channels,
                          *groups);
}
