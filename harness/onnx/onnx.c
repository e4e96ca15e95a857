#include "onnx/onnx.h"

#include <inttypes.h>
#include <string.h>

#include "base/mem.h"
#include "nn/model/model.h"
#include "onnx/onnx_write.h"

enum { MOST_JSON = 4 << 20, MOST_NOTES = 1 << 16, NUMBER_DIGITS = 9 };

/* ---- the text of the model ---- */

/* Appends a list with a line for each layer; lists within a layer are indented. */
static void add_list(gnt_text *out, const json_t *list, int indent) {
    size_t i;
    json_t *layer, *value;
    const char *key;
    gnt_text_add(out, "[");
    json_array_foreach((json_t *)list, i, layer) {
        int first = 1;
        gnt_text_add(out, "%s\n%*s", i ? "," : "", indent, "");
        if (json_is_array(layer)) {
            add_list(out, layer, indent + 2);
            continue;
        }
        gnt_text_add(out, "{");
        json_object_foreach(layer, key, value) {
            gnt_text_add(out, "%s\"%s\": ", first ? "" : ", ", key);
            first = 0;
            if (json_is_array(value) && !json_is_number(json_array_get(value, 0))) {
                add_list(out, value, indent + 2);
                continue;
            }
            char *text = json_dumps(value, JSON_ENCODE_ANY | JSON_REAL_PRECISION(NUMBER_DIGITS));
            gnt_text_add(out, "%s", text ? text : "null");
            out->failed |= !text;
            gnt_free(text);
        }
        gnt_text_add(out, "}");
    }
    gnt_text_add(out, "]");
}

/* ---- the outputs ---- */

/* What the network's last value means: keys of the model file. */
typedef struct meaning {
    int32_t classes;
    int is_map, mse;
} meaning;

static int read_meaning(onnx_writer *w, const json_t *layers, meaning *out, gnt_err *err) {
    const onnx_shape *s = &w->g->value[w->g->output].shape;
    const json_t *last = json_array_get(layers, json_array_size(layers) - 1);
    const char *type = json_string_value(json_object_get(last, "type"));
    int64_t n = 1;
    for (int32_t i = 1; i < s->rank; i++)
        n *= s->dim[i];
    if (!type || n > 1 << 20)
        return gnt_fail(err, "the network has no layers, or more than 2^20 outputs");
    *out = (meaning){.classes = (int32_t)n, .is_map = s->rank != 2};
    out->mse = (!out->is_map && strcmp(type, "softmax") == 0) || (n == 1 && !out->is_map) ||
               (out->is_map && strcmp(type, "sigmoid") == 0);
    if (n == 1 && !out->is_map)
        out->classes = 2;
    if (out->mse)
        gnt_text_add(
            &w->notes,
            "its loss is mse: gauntlet's cross entropy takes scores of at least two classes, or of a map, "
            "but the last layer is %s with %" PRId64 " value%s\n",
            type, n, n > 1 ? "s" : "");
    if (out->is_map)
        gnt_text_add(&w->notes, "its output is read as a map of %" PRId64 " values\n", n);
    return 0;
}

/* Lets the last dense layer have as many outputs as a task has classes. */
static void open_classes(json_t *layers, const meaning *m) {
    for (size_t i = json_array_size(layers); i > 0; i--) {
        json_t *layer = json_array_get(layers, i - 1), *out = json_object_get(layer, "out");
        if (!out)
            continue;
        if (json_integer_value(out) == m->classes &&
            strcmp(json_string_value(json_object_get(layer, "type")), "dense") == 0)
            json_object_set_new(layer, "out", json_string("classes"));
        return;
    }
}

static char *write_json(const onnx_writer *w, const char *name, json_t *layers, const meaning *m) {
    const onnx_graph *g = w->g;
    const char *slash = strrchr(name, '/');
    gnt_text out, about;
    gnt_text_init(&out, MOST_JSON);
    gnt_text_init(&about, 4096);
    gnt_text_add(&about, "Imported from %s, operator set %" PRId64 "%s%s%s%s.", slash ? slash + 1 : name,
                 g->opset, *g->producer ? ", written by " : "", g->producer, *g->producer_version ? " " : "",
                 g->producer_version);
    json_t *text = json_string(gnt_text_get(&about));
    char *quoted = text ? json_dumps(text, JSON_ENCODE_ANY) : NULL;
    gnt_text_add(&out, "{\n  \"about\": %s,\n", quoted ? quoted : "");
    out.failed |= about.failed || !quoted;
    if (m->mse)
        gnt_text_add(&out, "  \"loss\": \"mse\",\n");
    if (m->is_map)
        gnt_text_add(&out, "  \"output\": \"map\",\n");
    gnt_text_add(&out, "  \"layers\": ");
    open_classes(layers, m);
    add_list(&out, layers, 4);
    gnt_text_add(&out, "\n}\n");
    gnt_free(quoted);
    json_decref(text);
    gnt_text_free(&about);
    char *json = gnt_text_take(&out);
    gnt_text_free(&out);
    return json;
}

/* ---- the network ---- */

/* Reads the model again, and the weights as it takes them, in its order. */
static int check(gnt_onnx_network *out, const char *name, const gnt_st *weights, gnt_err *err) {
    gnt_model *m = NULL;
    if (gnt_model_parse(&m, name, out->json, &out->sample, out->classes, NULL, NULL, err))
        return gnt_fail_in(err, "the layers that were recognised are no model");
    float *params = gnt_array((size_t)gnt_model_size(m) + 1, sizeof *params),
          *buffers = gnt_array((size_t)gnt_model_buffer_size(m) + 1, sizeof *buffers);
    const int rc = !params || !buffers ? gnt_fail(err, "out of memory for weights")
                                       : gnt_model_import(m, weights, params, buffers, err) ||
                                             gnt_model_export(m, params, buffers, &out->weights, err);
    gnt_free(params);
    gnt_free(buffers);
    gnt_model_free(m);
    return rc ? -1 : 0;
}

static int write_network(gnt_onnx_network *out, onnx_writer *w, const char *name, gnt_err *err) {
    const onnx_shape *in = &w->g->value[w->g->input].shape;
    meaning m = {0};
    w->name = gnt_arena_array(&w->g->arena, (size_t)w->g->n_nodes + 1, sizeof *w->name);
    if (!w->name)
        return gnt_fail(err, "out of memory for names");
    json_t *layers = gnt_onnx_layers(w, err);
    int rc = layers ? read_meaning(w, layers, &m, err) : -1;
    if (rc == 0) {
        out->json = write_json(w, name, layers, &m);
        out->classes = m.classes;
        out->sample.rank = in->rank - 1;
        for (int32_t i = 1; i < in->rank; i++)
            out->sample.dim[i - 1] = in->dim[i];
        if (w->g->copies > 0)
            gnt_text_add(
                &w->notes,
                "%d names are of tensors that the file stores once; each is a tensor of its own here\n",
                (int)w->g->copies);
        out->notes = gnt_strdup(gnt_text_get(&w->notes));
        rc = out->json && out->notes
                 ? check(out, name, &w->weights, err)
                 : gnt_fail(err, "out of memory for the text of the model, or it is too long");
    }
    json_decref(layers);
    return rc;
}

int gnt_onnx_read(gnt_onnx_network *out, const char *name, const uint8_t *bytes, size_t size, gnt_err *err) {
    onnx_graph g = {0};
    onnx_writer w = {.g = &g};
    *out = (gnt_onnx_network){0};
    gnt_st_init(&out->weights);
    gnt_st_init(&w.weights);
    gnt_text_init(&w.notes, MOST_NOTES);
    int rc = gnt_onnx_graph_read(&g, bytes, size, err);
    if (rc == 0)
        gnt_onnx_nest_concats(&g);
    rc = rc || gnt_onnx_shapes(&g, err) || write_network(out, &w, name, err);
    gnt_arena_free(&g.arena);
    gnt_text_free(&w.notes);
    gnt_st_free(&w.weights);
    if (rc == 0)
        return 0;
    gnt_onnx_free(out);
    return gnt_fail_in(err, "%s", name);
}

void gnt_onnx_free(gnt_onnx_network *network) {
    gnt_free(network->json);
    gnt_free(network->notes);
    gnt_st_free(&network->weights);
    *network = (gnt_onnx_network){0};
}
