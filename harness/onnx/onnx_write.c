/* onnx_write: layers, their names and weights. */
#include "onnx/onnx_write.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int gnt_onnx_put(const onnx_node *node, onnx_step *step, json_t *layer, gnt_err *err) {
    return layer && json_array_append_new(step->layers, layer) == 0
               ? 1
               : gnt_onnx_fail(node, err, "out of memory");
}

void gnt_onnx_put_pair(json_t *layer, const char *key, const int64_t v[2], int64_t normal) {
    if (v[0] == v[1] && v[0] != normal)
        json_object_set_new(layer, key, json_integer(v[0]));
    else if (v[0] != v[1])
        json_object_set_new(layer, key, json_pack("[I, I]", (json_int_t)v[0], (json_int_t)v[1]));
}

json_t *gnt_onnx_real(double value) {
    char text[40];
    for (int digits = 1; digits <= 9; digits++) {
        snprintf(text, sizeof text, "%.*g", digits, value);
        if (strtof(text, NULL) == (float)value)
            break;
    }
    return json_real(strtod(text, NULL));
}

/* ---- names ---- */

static int is_name(const char *text) {
    const size_t n = strlen(text);
    return n > 0 && n < ONNX_NAME - 16 && /* with .running_mean it is the name of a tensor */
           strspn(text, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.-") == n;
}

static int is_used(const onnx_writer *w, const char *text) {
    for (int32_t i = 0; i < w->n_names; i++)
        if (strcmp(w->name[i], text) == 0)
            return 1;
    return 0;
}

/* Writes the scope of a node called /layer1/layer1.0/conv1/Conv as PyTorch's layer1.0.conv1: a part that
 * begins with the one before and a dot takes its place. */
static void scope_of(const char *node, char out[ONNX_NAME]) {
    size_t part = 0, n = 0; /* where the last part begins; length */
    *out = 0;
    for (const char *at = node; *at == '/';) {
        const char *end = strchr(++at, '/');
        const size_t length = end ? (size_t)(end - at) : 0;
        if (!end)
            return;
        const size_t before = n - part;
        if (n && length > before && strncmp(out + part, at, before) == 0 && at[before] == '.')
            n = part;
        else if (n)
            out[n++] = '.';
        part = n;
        if (n + length + 2 >= ONNX_NAME) {
            *out = 0;
            return;
        }
        memcpy(out + n, at, length);
        n += length;
        out[n] = 0;
        at = end;
    }
}

const char *gnt_onnx_name(onnx_writer *w, const onnx_node *node, const char *type,
                          const onnx_constant *weight, gnt_err *err) {
    static const char tail[] = ".weight";
    char text[ONNX_NAME] = "";
    const char *origin = weight->origin ? weight->origin : "";
    const size_t n = strlen(origin), tail_n = sizeof tail - 1;
    if (n > tail_n && n < ONNX_NAME && strcmp(origin + n - tail_n, tail) == 0)
        snprintf(text, sizeof text, "%.*s", (int)(n - tail_n), origin);
    if (!is_name(text) || is_used(w, text))
        scope_of(node->name, text);
    int32_t number = 1;
    for (const onnx_node *other = w->g->node; other < node; other++)
        number += other->used && strcmp(other->op, node->op) == 0;
    while (!is_name(text) || is_used(w, text))
        snprintf(text, sizeof text, "%s_%" PRId32, type, number++);
    const char *kept = w->name[w->n_names] = gnt_arena_text(&w->g->arena, text);
    if (!kept)
        gnt_onnx_fail(node, err, "out of memory");
    else
        w->n_names++;
    return kept;
}

/* ---- weights ---- */

int gnt_onnx_weight(onnx_writer *w, const onnx_node *node, const char *layer, const char *part,
                    onnx_constant *c, onnx_shape shape, gnt_err *err) {
    char name[ONNX_NAME + 20];
    int64_t n = 1;
    for (int32_t i = 0; i < shape.rank; i++)
        n *= shape.dim[i];
    if (!c || !c->real || c->count != n)
        return gnt_onnx_fail(node, err, "its %s has %" PRId64 " entries; expected %" PRId64 " constants",
                             part, c ? c->count : 0, n);
    if (c->root->taken)
        return gnt_onnx_fail(node, err,
                             "its %s \"%.100s\" is that of another layer, too; gauntlet has no layers that "
                             "share weights",
                             part, c->origin ? c->origin : "");
    c->root->taken = 1;
    snprintf(name, sizeof name, "%s.%s", layer, part);
    return gnt_st_add(&w->weights, name, GNT_ST_F32, shape.rank, shape.dim, c->real, NULL, err)
               ? gnt_onnx_fail(node, err, "its %s cannot be kept as %s", part, name)
               : 0;
}
