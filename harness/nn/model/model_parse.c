/* model_parse: reads the JSON of an architecture, checks it key by key and computes the shapes.
 * docs/models.md describes the format. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/file.h"
#include "base/json.h"
#include "base/mem.h"
#include "nn/model/model_parse.h"

enum {
    MOST_LAYERS = 4096,
    MOST_BRANCHES = 64,
    MOST_DEPTH = 8, /* blocks within blocks */
    MOST_CLASSES = 1 << 20
};

static const double least_width = 0.01, most_width = 16;

/* The place of a list of layers in the document. */
typedef struct place {
    const char *path;   /* "layers[3].body" */
    const char *prefix; /* of parameter names: "layer1.0." */
    int depth;
    int32_t count; /* of the innermost repeat, the value of #; MODEL_NO_COUNT outside */
    int first;     /* 1: the first time of that repeat */
} place;

/* ---- blocks ---- */

static int32_t read_list(model_parser *p, const json_t *list, const place *where, int32_t input,
                         gnt_err *err);

enum { FAILED = -2 }; /* an error where a layer is returned: −1 is MODEL_SAMPLE */

static int check_pad_shortcut(const model_layer *l, const gnt_nn_shape *body, const gnt_nn_shape *in,
                              gnt_err *err) {
    if (model_want_image(in, err) || model_want_image(body, err))
        return -1;
    int64_t s = l->stride[0], more = body->dim[0] - in->dim[0];
    if (more >= 0 && more % 2 == 0 && body->dim[1] == (in->dim[1] + s - 1) / s &&
        body->dim[2] == (in->dim[2] + s - 1) / s)
        return 0;
    return gnt_fail(err,
                    "its body gives %s but its input of %s, every pixel %" PRId64
                    " apart and channels padded on both sides, cannot become that",
                    gnt_shape_print(body).s, gnt_shape_print(in).s, s);
}

static int read_residual(model_parser *p, const json_t *spec, const place *inside, int32_t input,
                         model_layer *l, gnt_err *err) {
    char path[300];
    place where = *inside;
    where.path = path;
    const json_t *shortcut = json_object_get(spec, "shortcut");
    const char *word = json_string_value(shortcut);
    l->stride[0] = 1;
    snprintf(path, sizeof path, "%.260s.body", inside->path);
    int32_t body = read_list(p, json_object_get(spec, "body"), &where, input, err), other = input;
    if (body == FAILED)
        return -1;
    if (json_is_array(shortcut)) {
        snprintf(path, sizeof path, "%.260s.shortcut", inside->path);
        other = read_list(p, shortcut, &where, input, err);
        if (other == FAILED)
            return -1;
    } else if (shortcut && (!word || (strcmp(word, "identity") != 0 && strcmp(word, "pad") != 0))) {
        return gnt_fail(err, "\"shortcut\" must be \"identity\", \"pad\" or a list of layers");
    }
    l->pad_shortcut = word && strcmp(word, "pad") == 0;
    if (!l->pad_shortcut && json_object_get(spec, "stride"))
        return gnt_fail(err, "\"stride\" goes with \"shortcut\": \"pad\" only");
    if (model_get_int(spec, "stride", 0, 1, MODEL_MOST_KERNEL, &l->stride[0], err))
        return -1;
    l->input[0] = body;
    l->input[1] = other;
    l->shape = *model_shape_of(p->m, body);
    if (l->pad_shortcut)
        return check_pad_shortcut(l, &l->shape, model_shape_of(p->m, other), err);
    if (!gnt_shape_same(&l->shape, model_shape_of(p->m, other)))
        return gnt_fail(err, "its body gives %s but its shortcut %s", gnt_shape_print(&l->shape).s,
                        gnt_shape_print(model_shape_of(p->m, other)).s);
    return 0;
}

static int read_concat(model_parser *p, const json_t *branches, const place *inside, int32_t input,
                       model_layer *l, gnt_err *err) {
    char path[300];
    place where = *inside;
    where.path = path;
    for (int32_t i = 0; i < l->n_inputs; i++) {
        snprintf(path, sizeof path, "%.260s.branches[%d]", inside->path, i);
        l->input[i] = read_list(p, json_array_get(branches, (size_t)i), &where, input, err);
        if (l->input[i] == FAILED)
            return -1;
        gnt_nn_shape next = *model_shape_of(p->m, l->input[i]);
        if (i == 0) {
            l->shape = next;
            continue;
        }
        int64_t channels = l->shape.dim[0] + next.dim[0];
        next.dim[0] = l->shape.dim[0];
        if (!gnt_shape_same(&next, &l->shape)) {
            next.dim[0] = channels - l->shape.dim[0];
            return gnt_fail(err, "branch %d gives %s, which does not meet the %s of those before it", i,
                            gnt_shape_print(&next).s, gnt_shape_print(&l->shape).s);
        }
        l->shape.dim[0] = channels;
    }
    return 0;
}

/* Reads the body of a repeat `times` times. Each time adds at least one layer, so that MOST_LAYERS ends any
 * nest of repeats. */
static int32_t read_repeat(model_parser *p, const json_t *spec, const place *inside, int32_t input,
                           gnt_err *err) {
    char path[300];
    place where = *inside;
    const json_t *body = json_object_get(spec, "body");
    int32_t times = 0, from = 0;
    if (model_get_int(spec, "times", 1, 1, MOST_LAYERS, &times, err) ||
        model_get_int(spec, "from", 0, 0, MOST_LAYERS, &from, err))
        return FAILED;
    if (json_array_size(body) == 0)
        return gnt_fail(err, "\"body\" must be a list of at least one layer"), FAILED;
    snprintf(path, sizeof path, "%.260s.body", inside->path);
    where.path = path;
    for (int32_t i = 0; i < times && input != FAILED; i++) {
        where.count = from + i;
        where.first = i == 0;
        input = read_list(p, body, &where, input, err);
    }
    return input;
}

/* ---- one layer ---- */

#define COMMON "type", "name"
#define CONV_KEYS COMMON, "out", "kernel", "stride", "pad", "dilation", "groups", "bias"
static const char *const keys_of[MODEL_KINDS][12] = {
    [MODEL_CONV] = {CONV_KEYS, NULL},
    [MODEL_CONV_TRANSPOSE] = {CONV_KEYS, "out_pad", NULL},
    [MODEL_DENSE] = {COMMON, "out", "bias", NULL},
    [MODEL_BATCH_NORM] = {COMMON, "eps", "affine", NULL},
    [MODEL_LAYER_NORM] = {COMMON, "eps", "affine", "over", NULL},
    [MODEL_GROUP_NORM] = {COMMON, "groups", "eps", "affine", NULL},
    [MODEL_MAX_POOL] = {COMMON, "kernel", "stride", "pad", "ceil", NULL},
    [MODEL_AVG_POOL] = {COMMON, "kernel", "stride", "pad", "ceil", "count_pad", NULL},
    [MODEL_GLOBAL_AVG_POOL] = {COMMON, NULL},
    [MODEL_ADAPTIVE_AVG_POOL] = {COMMON, "size", NULL},
    [MODEL_RELU] = {COMMON, NULL},
    [MODEL_LEAKY_RELU] = {COMMON, "slope", NULL},
    [MODEL_SIGMOID] = {COMMON, NULL},
    [MODEL_TANH] = {COMMON, NULL},
    [MODEL_SOFTPLUS] = {COMMON, NULL},
    [MODEL_GELU] = {COMMON, "approximate", NULL},
    [MODEL_SILU] = {COMMON, NULL},
    [MODEL_SOFTMAX] = {COMMON, NULL},
    [MODEL_FLATTEN] = {COMMON, NULL},
    [MODEL_DROPOUT] = {COMMON, "rate", NULL},
    [MODEL_UPSAMPLE] = {COMMON, "factor", NULL},
    [MODEL_RESIDUAL] = {COMMON, "body", "shortcut", "stride", NULL},
    [MODEL_CONCAT] = {COMMON, "branches", NULL},
    [MODEL_REPEAT] = {"type", "times", "from", "body", NULL},
};

static int read_kind(const json_t *spec, model_kind *kind, gnt_err *err) {
    const char *type = json_string_value(json_object_get(spec, "type")), *names[MODEL_KINDS];
    if (!type)
        return gnt_fail(err, "\"type\" is missing or no text");
    for (int i = 0; i < MODEL_KINDS; i++) {
        names[i] = model_kind_name((model_kind)i);
        if (strcmp(names[i], type) == 0) {
            *kind = (model_kind)i;
            return 0;
        }
    }
    const char *near = gnt_nearest(type, names, MODEL_KINDS);
    return near ? gnt_fail(err, "there is no layer type \"%s\"; did you mean \"%s\"?", type, near)
                : gnt_fail(err, "there is no layer type \"%s\"", type);
}

static int append_layer(gnt_model *m, const char *name, model_kind kind, int32_t n_inputs, gnt_err *err) {
    if (m->n_layers >= MOST_LAYERS)
        return gnt_fail(err, "with it the model has more than %d layers", MOST_LAYERS);
    if (GNT_GROW(m->layer, m->n_layers) != 0)
        return gnt_fail(err, "out of memory for the list of layers");
    model_layer l = {.kind = kind,
                     .n_inputs = n_inputs,
                     .weight = -1,
                     .bias = -1,
                     .mean = -1,
                     .variance = -1,
                     .stride = {1, 1},
                     .dilation = {1, 1},
                     .groups = 1};
    l.name = gnt_strdup(name);
    l.input = gnt_array((size_t)n_inputs, sizeof *l.input);
    if (!l.name || !l.input) {
        gnt_free(l.name);
        gnt_free(l.input);
        return gnt_fail(err, "out of memory for layer %s", name);
    }
    m->layer[m->n_layers++] = l;
    return 0;
}

static int32_t read_simple(model_parser *p, const json_t *spec, const char *name, model_kind kind,
                           int32_t input, gnt_err *err) {
    gnt_nn_shape in = *model_shape_of(p->m, input);
    if (append_layer(p->m, name, kind, 1, err))
        return FAILED;
    int32_t number = p->m->n_layers - 1;
    model_layer *l = &p->m->layer[number];
    l->input[0] = input;
    if (kind == MODEL_DENSE)
        p->last_dense = number;
    return model_read_simple(p, spec, l, &in, err) || model_check_size(&l->shape, "output", err) ? FAILED
                                                                                                 : number;
}

/* Reads a block and appends it after its layers. */
static int32_t read_block(model_parser *p, const json_t *spec, const char *name, model_kind kind,
                          const place *inside, int32_t input, gnt_err *err) {
    const json_t *branches = json_object_get(spec, "branches");
    size_t n_inputs = kind == MODEL_RESIDUAL ? 2 : json_array_size(branches);
    if (n_inputs < 1 || n_inputs > MOST_BRANCHES)
        return gnt_fail(err, "\"branches\" must be a list of 1 to %d lists of layers", MOST_BRANCHES), FAILED;
    model_layer l = {0};
    l.n_inputs = (int32_t)n_inputs;
    l.input = gnt_array(n_inputs, sizeof *l.input);
    if (!l.input)
        return gnt_fail(err, "out of memory for layer %s", name), FAILED;
    int32_t number = FAILED;
    int rc = kind == MODEL_RESIDUAL ? read_residual(p, spec, inside, input, &l, err)
                                    : read_concat(p, branches, inside, input, &l, err);
    if (rc || model_check_size(&l.shape, "output", err) || append_layer(p->m, name, kind, l.n_inputs, err))
        goto cleanup;
    number = p->m->n_layers - 1;
    model_layer *kept = &p->m->layer[number];
    memcpy(kept->input, l.input, n_inputs * sizeof *l.input);
    kept->shape = l.shape;
    kept->pad_shortcut = l.pad_shortcut;
    kept->stride[0] = l.stride[0];
cleanup:
    gnt_free(l.input);
    return number;
}

/* Puts the layer's place before the error; the place of the innermost layer is kept. Returns FAILED. */
static int32_t fail_layer(model_parser *p, const place *where, const char *what, gnt_err *err) {
    if (!p->failed[0]) {
        snprintf(p->failed, sizeof p->failed, "%s", where->path);
        gnt_fail_in(err, "%s: %s", where->path, what);
    }
    return FAILED;
}

/* Reads a layer without "first". */
static int32_t read_whole_layer(model_parser *p, const json_t *spec, const place *where, int32_t input,
                                gnt_err *err) {
    char name[MODEL_MOST_NAME] = "", prefix[MODEL_MOST_NAME + 1], what[MODEL_MOST_NAME + 40];
    model_kind kind = MODEL_KINDS;
    const char *own = json_string_value(json_object_get(spec, "name"));
    if (own)
        snprintf(what, sizeof what, "layer %.60s%.60s", where->prefix, own);
    else
        snprintf(what, sizeof what, "a layer without a name");
    if (read_kind(spec, &kind, err) || model_check_keys(spec, keys_of[kind], model_kind_name(kind), err) ||
        (kind != MODEL_REPEAT && model_read_name(p, spec, kind, where->prefix, where->count, name, err)))
        return fail_layer(p, where, what, err);
    int is_block = kind == MODEL_RESIDUAL || kind == MODEL_CONCAT;
    snprintf(prefix, sizeof prefix, "%s%s", own ? name : where->prefix, own ? "." : "");
    place inside = *where;
    inside.prefix = prefix;
    inside.depth++;
    int32_t number = kind == MODEL_REPEAT ? read_repeat(p, spec, &inside, input, err)
                     : is_block           ? read_block(p, spec, name, kind, &inside, input, err)
                                          : read_simple(p, spec, name, kind, input, err);
    if (number != FAILED)
        return number;
    if (kind == MODEL_REPEAT)
        snprintf(what, sizeof what, "a repeat");
    else
        snprintf(what, sizeof what, "layer %s (%s)", name, model_kind_name(kind));
    return fail_layer(p, where, what, err);
}

/* Returns the layer with the keys of "first" merged in if it is the repeat's first time; NULL with an
 * error. */
static json_t *merge_first(const json_t *spec, const place *where, gnt_err *err) {
    const json_t *first = json_object_get(spec, "first");
    if (where->count == MODEL_NO_COUNT || !json_is_object(first) || json_object_get(first, "type") ||
        json_object_get(first, "name") || json_object_get(first, "first")) {
        gnt_fail(err, where->count == MODEL_NO_COUNT
                          ? "\"first\" is for layers of a repeat: what is otherwise the first time"
                          : "\"first\" must be an object of keys that are otherwise the first time; type and "
                            "name stay");
        return NULL;
    }
    json_t *merged = json_copy((json_t *)spec);
    int failed = !merged || json_object_del(merged, "first") ||
                 (where->first && json_object_update(merged, (json_t *)first));
    if (!failed)
        return merged;
    json_decref(merged);
    gnt_fail(err, "out of memory for a layer");
    return NULL;
}

static int32_t read_layer(model_parser *p, const json_t *spec, const place *where, int32_t input,
                          gnt_err *err) {
    if (!json_is_object(spec)) {
        gnt_fail(err, "a layer must be an object");
        return fail_layer(p, where, "layer", err);
    }
    if (!json_object_get(spec, "first"))
        return read_whole_layer(p, spec, where, input, err);
    json_t *merged = merge_first(spec, where, err);
    if (!merged)
        return fail_layer(p, where, "layer", err);
    int32_t number = read_whole_layer(p, merged, where, input, err);
    json_decref(merged);
    return number;
}

static int32_t read_list(model_parser *p, const json_t *list, const place *where, int32_t input,
                         gnt_err *err) {
    char path[300];
    if (!json_is_array(list))
        return gnt_fail(err, "%s must be a list of layers", where->path), FAILED;
    if (where->depth > MOST_DEPTH)
        return gnt_fail(err, "%s: blocks are nested more than %d deep", where->path, MOST_DEPTH), FAILED;
    for (size_t i = 0; i < json_array_size(list); i++) {
        snprintf(path, sizeof path, "%.260s[%zu]", where->path, i);
        place here = *where;
        here.path = path;
        input = read_layer(p, json_array_get(list, i), &here, input, err);
        if (input == FAILED)
            return FAILED;
    }
    return input;
}

/* ---- the file ---- */

/* Sorts parameters before buffers, each in the order of the file. */
static int part_params(gnt_model *m, gnt_err *err) {
    int32_t n = m->n_params + m->n_buffers, at[2] = {0, m->n_params};
    gnt_param *param = gnt_array((size_t)n, sizeof *param);
    if (!param)
        return gnt_fail(err, "out of memory for the list of parameters");
    for (int32_t i = 0; i < n; i++)
        param[at[m->param[i].buffer]++] = m->param[i];
    gnt_free(m->param);
    m->param = param;
    return 0;
}

static int read_init(gnt_model *m, const json_t *init, gnt_err *err) {
    static const char *const kinds[] = {"uniform", "kaiming", "xavier"};
    static const char *const keys[] = {"kind", "bound", NULL};
    const char *word = json_string_value(json_is_object(init) ? json_object_get(init, "kind") : init);
    m->init = MODEL_INIT_KAIMING;
    m->bound = 0.5;
    if (!init)
        return 0;
    size_t i = 0;
    while (word && i < 3 && strcmp(word, kinds[i]) != 0)
        i++;
    if (!word || i == 3)
        return gnt_fail(err, "\"init\" must be \"uniform\", \"kaiming\" or \"xavier\", or {\"kind\": "
                             "\"uniform\", \"bound\": number}");
    m->init = (model_init)i;
    if (!json_is_object(init))
        return 0;
    if (json_object_get(init, "bound") && m->init != MODEL_INIT_UNIFORM)
        return gnt_fail(err, "\"bound\" goes with the \"uniform\" init only");
    return model_check_keys(init, keys, "\"init\"", err) ||
                   model_get_real(init, "bound", 0, 1000, &m->bound, err)
               ? -1
               : 0;
}

/* Returns the last layer with an "out" if the output is a map, else NULL: its "out" is the number of values
 * of a place, which "width" does not scale. */
static const json_t *values_of_map(const json_t *root) {
    const json_t *list = json_object_get(root, "layers");
    const char *output = json_string_value(json_object_get(root, "output"));
    size_t n = output && !strcmp(output, "map") ? json_array_size(list) : 0;
    while (n > 0 && !json_object_get(json_array_get(list, n - 1), "out"))
        n--;
    return n ? json_array_get(list, n - 1) : NULL;
}

static int read_model(model_parser *p, const json_t *root, gnt_err *err) {
    static const char *const keys[] = {"about", "init",   "width", "representation", "loss", "output",
                                       "share", "layers", NULL};
    if (!json_is_object(root))
        return gnt_fail(err, "a model must be an object");
    const json_t *about = json_object_get(root, "about");
    if (about && !json_is_string(about))
        return gnt_fail(err, "\"about\" must be text");
    if (model_check_keys(root, keys, "a model", err) || read_init(p->m, json_object_get(root, "init"), err) ||
        model_get_real(root, "width", least_width, most_width, &p->width, err))
        return -1;
    if (!json_object_get(root, "layers"))
        return gnt_fail(err, "\"layers\" is missing: a list of layers");
    p->values = values_of_map(root);
    place where = {"layers", "", 0, MODEL_NO_COUNT, 0};
    int32_t last = read_list(p, json_object_get(root, "layers"), &where, MODEL_SAMPLE, err);
    if (last == FAILED || model_read_output(p->m, root, last, err) ||
        model_read_representation(p, json_object_get(root, "representation"), err) || part_params(p->m, err))
        return -1;
    return model_read_share(p->m, json_object_get(root, "share"), err);
}

/* Returns a model without layers: its sample, classes and normalisation. */
static gnt_model *new_model(const char *name, const gnt_nn_shape *sample, int32_t classes, const double *mean,
                            const double *deviation, gnt_err *err) {
    if ((sample->rank != 1 && sample->rank != 3) || classes < 1 || classes > MOST_CLASSES)
        return gnt_fail(
                   err,
                   "%s: a sample must be channels×height×width or a row of features, and classes 1 to %d",
                   name, MOST_CLASSES),
               NULL;
    if (model_check_size(sample, "sample", err))
        return gnt_fail_in(err, "%s", name), NULL;
    gnt_model *m = gnt_alloc(sizeof *m);
    if (!m)
        return gnt_fail(err, "out of memory for model %s", name), NULL;
    size_t c = (size_t)sample->dim[0];
    m->sample = *sample;
    m->classes = classes;
    m->name = gnt_strdup(name);
    int ok = m->name != NULL;
    if (mean && deviation) {
        m->mean = gnt_array(c, sizeof(double));
        m->deviation = gnt_array(c, sizeof(double));
        ok = ok && m->mean && m->deviation;
    }
    if (!ok) {
        gnt_model_free(m);
        return gnt_fail(err, "out of memory for model %s", name), NULL;
    }
    for (size_t i = 0; i < c && m->mean; i++) {
        m->mean[i] = mean[i];
        m->deviation[i] = deviation[i];
        if (isfinite(mean[i]) && isfinite(deviation[i]) && deviation[i] > 0)
            continue;
        gnt_model_free(m);
        return gnt_fail(err,
                        "%s: mean %g and deviation %g of channel %zu: both must be finite, and the deviation "
                        "above 0",
                        name, mean[i], deviation[i], i),
               NULL;
    }
    return m;
}

int gnt_model_parse(gnt_model **out, const char *name, const char *json, const gnt_nn_shape *sample,
                    int32_t classes, const double *mean, const double *deviation, gnt_err *err) {
    gnt_doc doc;
    if (gnt_doc_parse(&doc, name, json, strlen(json), err))
        return -1;
    int rc = -1;
    model_parser p = {.last_dense = -1, .width = 1};
    p.m = new_model(name, sample, classes, mean, deviation, err);
    if (!p.m)
        goto cleanup;
    rc = read_model(&p, doc.root, err);
    if (rc) {
        gnt_fail_in(err, "%s:%zu", name, gnt_doc_line(&doc, p.failed));
        gnt_model_free(p.m);
        goto cleanup;
    }
    *out = p.m;
cleanup:
    gnt_doc_free(&doc);
    return rc;
}

int gnt_model_load(gnt_model **out, const char *path, const gnt_nn_shape *sample, int32_t classes,
                   const double *mean, const double *deviation, gnt_err *err) {
    uint8_t *bytes = NULL;
    size_t size;
    if (gnt_file_read(path, GNT_DOC_MOST, &bytes, &size, err))
        return -1;
    int rc = strlen((char *)bytes) < size
                 ? gnt_fail(err, "%s: byte %zu is zero; a model is JSON text", path, strlen((char *)bytes))
                 : gnt_model_parse(out, path, (char *)bytes, sample, classes, mean, deviation, err);
    gnt_free(bytes);
    return rc;
}
