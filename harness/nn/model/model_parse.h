/* Shared by the files of the model parser. Functions return 0, or −1 with an error without the layer's name,
 * which model_parse.c puts before it. */
#ifndef GNT_NN_MODEL_PARSE_H
#define GNT_NN_MODEL_PARSE_H

#include <jansson.h>

#include "nn/graph/graph.h"
#include "nn/model/model_impl.h"

enum {
    MODEL_MOST_KERNEL = 1024,
    MODEL_MOST_NAME = 120, /* so that name.running_mean still fits a tensor's name */
    MODEL_NO_COUNT = -1
};

typedef struct model_parser {
    gnt_model *m;
    int32_t seen[MODEL_KINDS]; /* layers of each kind so far, for generated names */
    int32_t last_dense;        /* −1 for none */
    double width;              /* factor of every "out" that is a number */
    const json_t *values;      /* except this layer's, which gives the values of a map; NULL for none */
    char failed[300];          /* path of the layer that the error names, "" for none */
} model_parser;

/* Checks that every key of `object` is among `keys`, a NULL-terminated list; `what` names the object in
 * errors. */
int model_check_keys(const json_t *object, const char *const *keys, const char *what, gnt_err *err);
/* Reads a value within [least, most]; an absent one leaves *value unchanged, or is an error if `needed`. */
int model_get_int(const json_t *object, const char *key, int needed, int64_t least, int64_t most,
                  int32_t *value, gnt_err *err);
int model_get_real(const json_t *object, const char *key, double least, double most, double *value,
                   gnt_err *err);
int model_get_bool(const json_t *object, const char *key, int *value, gnt_err *err);
/* Reads a number for both axes, or [height, width], each from `least` to MODEL_MOST_KERNEL. */
int model_get_pair(const json_t *object, const char *key, int needed, int32_t least, int32_t value[2],
                   gnt_err *err);

const gnt_nn_shape *model_shape_of(const gnt_model *m, int32_t layer); /* or MODEL_SAMPLE */
int model_check_size(const gnt_nn_shape *s, const char *what, gnt_err *err);
int model_want_image(const gnt_nn_shape *in, gnt_err *err);

/* Writes the layer's full name: `prefix` and the file's "name" with `count` (of a repeat, or MODEL_NO_COUNT)
 * for each #; generated where a layer without parameters has none. */
int model_read_name(model_parser *p, const json_t *spec, model_kind kind, const char *prefix, int32_t count,
                    char name[MODEL_MOST_NAME], gnt_err *err);

/* Reads "out": a number, multiplied by the model's width, or "classes". */
int model_get_out(const model_parser *p, const json_t *spec, int32_t *out, gnt_err *err);
/* Reads "groups": a number that divides `channels`, or "channels" for `channels`. */
int model_get_groups(const json_t *spec, int needed, int64_t channels, int32_t *groups, gnt_err *err);
/* Adds the parameter (or buffer) layer.part to the model; it belongs to the layer added last. */
int model_add_param(model_parser *p, const char *layer, const char *part, int buffer, gnt_nn_shape shape,
                    int32_t *number, gnt_err *err);

/* Reads conv and conv_transpose, as model_read_simple does. */
int model_read_conv(model_parser *p, const json_t *spec, model_layer *l, const gnt_nn_shape *in,
                    gnt_err *err);
/* Computes the shape of the output of a window that slides over `in`. */
int model_slide(const model_layer *l, const gnt_nn_shape *in, int64_t channels, gnt_nn_shape *out,
                gnt_err *err);

/* Fills *l, whose kind, name and input are set, and adds its parameters to the model. */
int model_read_simple(model_parser *p, const json_t *spec, model_layer *l, const gnt_nn_shape *in,
                      gnt_err *err);

/* Reads the keys "loss", "output", "representation" and "share" of the file after its layers; `last` is the
 * output layer. model_read_share needs the parameters sorted before the buffers. */
int model_read_output(gnt_model *m, const json_t *root, int32_t last, gnt_err *err);
int model_read_representation(const model_parser *p, const json_t *given, gnt_err *err);
int model_read_share(gnt_model *m, const json_t *given, gnt_err *err);

#endif
