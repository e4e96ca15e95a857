/* model_task: the meaning and loss of a model's outputs, the layer of its representation, and the parameters
 * that clients share. */
#include <string.h>

#include "base/mem.h"
#include "nn/model/model_parse.h"

/* ---- outputs and loss ---- */

gnt_model_loss_kind gnt_model_loss_of(const gnt_model *m) {
    return m->loss;
}

int gnt_model_is_map(const gnt_model *m) {
    return m->is_map;
}

gnt_node gnt_model_loss(const gnt_model *m, gnt_graph *g, gnt_node output, gnt_node target) {
    if (m->loss == GNT_MODEL_MSE)
        return gnt_nn_mse(g, output, target);
    return m->is_map ? gnt_nn_binary_cross_entropy(g, output, target)
                     : gnt_nn_cross_entropy(g, output, target);
}

static int read_word(const json_t *root, const char *key, const char *const words[2], int *out,
                     gnt_err *err) {
    const json_t *given = json_object_get(root, key);
    const char *word = json_string_value(given);
    *out = word && strcmp(word, words[1]) == 0;
    if (!given || *out || (word && strcmp(word, words[0]) == 0))
        return 0;
    return gnt_fail(err, "\"%s\" must be \"%s\" or \"%s\"", key, words[0], words[1]);
}

int model_read_output(gnt_model *m, const json_t *root, int32_t last, gnt_err *err) {
    static const char *const losses[2] = {"cross_entropy", "mse"}, *const outputs[2] = {"classes", "map"};
    int mse;
    if (read_word(root, "loss", losses, &mse, err) || read_word(root, "output", outputs, &m->is_map, err))
        return -1;
    m->loss = mse ? GNT_MODEL_MSE : GNT_MODEL_CROSS_ENTROPY;
    if (m->n_layers == 0)
        return gnt_fail(err, "\"layers\" is empty");
    const gnt_nn_shape *s = model_shape_of(m, last);
    if (m->is_map && !mse && m->layer[last].kind == MODEL_SIGMOID)
        return gnt_fail(err,
                        "the last layer is a sigmoid, but the cross entropy of a map takes scores before it; "
                        "leave the layer away, or take \"loss\": \"mse\"");
    if (!m->is_map && !mse && m->layer[last].kind == MODEL_SOFTMAX)
        return gnt_fail(err,
                        "the last layer is a softmax, but cross entropy takes scores before it; leave the "
                        "layer away, or take \"loss\": \"mse\"");
    m->scalar = s->rank == 1 && s->dim[0] == 1 && m->classes == 2 && mse && !m->is_map;
    if (m->scalar || (s->rank == 1 && s->dim[0] == m->classes) ||
        (m->is_map && gnt_nn_count(s) == m->classes))
        return 0;
    return gnt_fail(err, "the last layer, %s, gives %s but the task has %d %s", m->layer[last].name,
                    gnt_shape_print(s).s, m->classes, m->is_map ? "entries in its map" : "classes");
}

/* ---- the representation ---- */

static int no_layer(const gnt_model *m, const char *key, const char *name, gnt_err *err) {
    const char **names = gnt_array((size_t)m->n_layers, sizeof *names);
    for (int32_t i = 0; names && i < m->n_layers; i++)
        names[i] = m->layer[i].name;
    const char *near = names ? gnt_nearest(name, names, (size_t)m->n_layers) : NULL;
    gnt_fail(err, "\"%s\" names no layer of the model: there is none called %s%s%s%s", key, name,
             near ? "; did you mean " : "", near ? near : "", near ? "?" : "");
    gnt_free(names);
    return -1;
}

int model_read_representation(const model_parser *p, const json_t *given, gnt_err *err) {
    gnt_model *m = p->m;
    const char *name = json_string_value(given);
    if (!given) {
        m->representation = p->last_dense < 0 ? MODEL_SAMPLE : m->layer[p->last_dense].input[0];
        return 0;
    }
    if (!name)
        return gnt_fail(err, "\"representation\" must be the name of a layer");
    for (int32_t i = 0; i < m->n_layers; i++)
        if (strcmp(m->layer[i].name, name) == 0) {
            m->representation = i;
            return 0;
        }
    return no_layer(m, "representation", name, err);
}

/* ---- shared parameters ---- */

/* Sets used[i] = 1 for the layers that the representation is computed from, including its own. */
static void mark_representation(const gnt_model *m, uint8_t *used) {
    if (m->representation < 0)
        return;
    used[m->representation] = 1;
    for (int32_t i = m->representation; i >= 0; i--) /* inputs come before */
        for (int32_t j = 0; used[i] && j < m->layer[i].n_inputs; j++)
            if (m->layer[i].input[j] >= 0)
                used[m->layer[i].input[j]] = 1;
}

static int is_inside(const char *layer, const char *name) {
    size_t n = strlen(name);
    return strncmp(layer, name, n) == 0 && (layer[n] == 0 || layer[n] == '.');
}

static int has_weights(const model_layer *l) {
    return l->weight >= 0 || l->bias >= 0 || l->mean >= 0;
}

/* Marks the layer or block `name`. */
static int mark_named(const gnt_model *m, const char *name, uint8_t *marked, gnt_err *err) {
    int found = 0, weights = 0;
    for (int32_t i = 0; i < m->n_layers; i++)
        if (is_inside(m->layer[i].name, name)) {
            found = marked[i] = 1;
            weights |= has_weights(&m->layer[i]);
        }
    if (!found)
        return no_layer(m, "share", name, err);
    return weights ? 0 : gnt_fail(err, "\"share\" names \"%s\", which has no parameters", name);
}

static int mark_shared(const gnt_model *m, const json_t *given, uint8_t *marked, gnt_err *err) {
    const char *word = json_string_value(given);
    if (word && strcmp(word, "representation") == 0) {
        mark_representation(m, marked);
        for (int32_t i = 0; i < m->n_layers; i++)
            if (marked[i] && has_weights(&m->layer[i]))
                return 0;
        return gnt_fail(err, "\"share\" is \"representation\", but no layer up to it has parameters");
    }
    if (!json_is_array(given) || json_array_size(given) == 0)
        return gnt_fail(err, "\"share\" must be \"representation\" or a list of layers");
    for (size_t i = 0; i < json_array_size(given); i++) {
        const char *name = json_string_value(json_array_get(given, i));
        if (!name)
            return gnt_fail(err, "\"share\" must be \"representation\" or a list of layers' names");
        if (mark_named(m, name, marked, err))
            return -1;
    }
    return 0;
}

/* Checks that the server can compute the representation and gets all running statistics, which are averaged
 * like weights. */
static int check_shared(const gnt_model *m, const uint8_t *marked, const uint8_t *used, gnt_err *err) {
    for (int32_t i = 0; i < m->n_layers; i++) {
        const model_layer *l = &m->layer[i];
        if (!has_weights(l) || marked[i])
            continue;
        if (used[i])
            return gnt_fail(
                err,
                "\"share\" leaves out %s, which the representation (%s) is computed from; share it "
                "too, or name an earlier representation",
                l->name, m->layer[m->representation].name);
        if (l->mean >= 0)
            return gnt_fail(
                err,
                "\"share\" leaves out %s, a batch norm, whose running statistics are averaged with "
                "the weights; share it too",
                l->name);
    }
    return 0;
}

int model_read_share(gnt_model *m, const json_t *given, gnt_err *err) {
    m->shared_size = m->size;
    if (!given)
        return 0;
    uint8_t *marked = gnt_array((size_t)m->n_layers, 2), *used = marked ? marked + m->n_layers : NULL;
    int rc = -1, all = 1;
    m->shared = gnt_array((size_t)m->n_params + 1, 1);
    if (!marked || !m->shared) {
        gnt_fail(err, "out of memory for the shared layers");
        goto cleanup;
    }
    mark_representation(m, used);
    if (mark_shared(m, given, marked, err) || check_shared(m, marked, used, err))
        goto cleanup;
    for (int32_t i = 0; i < m->n_params; i++) {
        m->shared[i] = marked[m->param[i].layer];
        all &= m->shared[i];
        m->shared_size -= m->shared[i] ? 0 : gnt_nn_count(&m->param[i].shape);
    }
    rc = 0;
cleanup:
    if (all && rc == 0) {
        gnt_free(m->shared);
        m->shared = NULL;
    }
    gnt_free(marked);
    return rc;
}

const uint8_t *gnt_model_shared(const gnt_model *m) {
    return m->shared;
}

int64_t gnt_model_shared_size(const gnt_model *m) {
    return m->shared_size;
}

int64_t gnt_model_own_size(const gnt_model *m) {
    return m->size - m->shared_size;
}

static int belongs(const gnt_model *m, int32_t param, int shared) {
    return m->shared ? m->shared[param] == shared : shared;
}

void gnt_model_pick(const gnt_model *m, int shared, const float *flat, float *part) {
    for (int32_t i = 0; i < m->n_params; i++) {
        int64_t n = gnt_nn_count(&m->param[i].shape);
        if (!belongs(m, i, shared))
            continue;
        memcpy(part, flat + m->param[i].offset, (size_t)n * sizeof *part);
        part += n;
    }
}

void gnt_model_place(const gnt_model *m, int shared, const float *part, float *flat) {
    for (int32_t i = 0; i < m->n_params; i++) {
        int64_t n = gnt_nn_count(&m->param[i].shape);
        if (!belongs(m, i, shared))
            continue;
        memcpy(flat + m->param[i].offset, part, (size_t)n * sizeof *part);
        part += n;
    }
}
