#include "nn/model/recipe.h"

#include <string.h>

#include "base/mem.h"

typedef struct maker {
    gnt_recipe *r;
    const gnt_model *m;
    const gnt_param *list;
    int32_t n_list;
    gnt_graph *g;
    gnt_node x, y, *params, *buffers, *seen, *feature, *pull, *out;
    int32_t *stage, n_out;
} maker;

static int32_t add_output(maker *k, gnt_node node, int32_t stage) {
    k->out[k->n_out] = node;
    k->stage[k->n_out] = stage;
    return k->n_out++;
}

static gnt_node squared_distance(maker *k, const gnt_node *grad) {
    gnt_node sum = -1;
    for (int32_t i = 0; i < k->r->n_params; i++) {
        gnt_node d = gnt_nn_sum_all(k->g, gnt_nn_square(k->g, gnt_nn_sub(k->g, grad[i], k->seen[i])));
        sum = i > 0 ? gnt_nn_add(k->g, sum, d) : d;
    }
    return sum;
}

/* Writes the graph of match or dlg. */
static int write_matching(maker *k) {
    gnt_recipe *r = k->r;
    gnt_node *grad = gnt_array((size_t)r->n_params, sizeof *grad), by[2], cost;
    if (!grad)
        return -1;
    int dlg = r->kind == GNT_RECIPE_DLG;
    gnt_node labels = dlg ? gnt_nn_softmax(k->g, k->y) : k->y;
    gnt_node logits = gnt_model_build(k->m, k->g, k->x, k->params, k->buffers, 0, NULL, NULL);
    gnt_node loss = gnt_model_loss(k->m, k->g, logits, labels);
    gnt_nn_vjp(k->g, &loss, NULL, 1, k->params, r->n_params, grad);
    for (int32_t i = 0; i < r->n_params; i++)
        k->seen[i] =
            gnt_nn_hold(k->g, gnt_nn_input(k->g, "observed", k->list[i].shape.rank, k->list[i].shape.dim, 0));
    if (dlg)
        cost = squared_distance(k, grad);
    else
        cost = gnt_nn_add(k->g, gnt_nn_cosine_distance(k->g, grad, k->seen, r->n_params, 1e-12),
                          gnt_nn_affine(k->g, gnt_nn_total_variation(k->g, k->x), GNT_RECIPE_TV, 0));
    gnt_nn_vjp(k->g, &cost, NULL, 1, (gnt_node[]){k->x, k->y}, dlg ? 2 : 1, by);
    r->cost = add_output(k, cost, 0);
    r->dx = add_output(k, by[0], 0);
    if (dlg)
        r->dy = add_output(k, by[1], 0);
    gnt_free(grad);
    return 0;
}

static int write_training(maker *k) {
    gnt_recipe *r = k->r;
    gnt_node *grad = gnt_array((size_t)k->n_list, sizeof *grad);
    if (!grad)
        return -1;
    gnt_node *stats = grad + r->n_params;
    int training = r->kind == GNT_RECIPE_TRAIN;
    gnt_node logits =
        gnt_model_build(k->m, k->g, k->x, k->params, k->buffers, training, NULL, training ? stats : NULL);
    gnt_node loss = gnt_model_loss(k->m, k->g, logits, k->y);
    gnt_nn_vjp(k->g, &loss, NULL, 1, k->params, r->n_params, grad);
    r->cost = add_output(k, loss, 0);
    r->first = k->n_out;
    for (int32_t i = 0; i < r->n_params; i++)
        add_output(k, grad[i], 0);
    for (int32_t i = 0; training && i < r->n_buffers; i++)
        if (stats[i] >= 0)
            add_output(k, stats[i], 0);
    gnt_free(grad);
    return 0;
}

static int write_features(maker *k) {
    gnt_recipe *r = k->r;
    int32_t layers = gnt_model_layers(k->m);
    gnt_node *layer = gnt_array((size_t)layers, sizeof *layer), dx;
    k->feature = gnt_array((size_t)layers, sizeof *k->feature);
    k->pull = gnt_array((size_t)layers, sizeof *k->pull);
    r->feature_count = gnt_array((size_t)layers, sizeof *r->feature_count);
    if (!layer || !k->feature || !k->pull || !r->feature_count) {
        gnt_free(layer);
        return -1;
    }
    gnt_model_build(k->m, k->g, k->x, k->params, k->buffers, 0, layer, NULL);
    r->first = k->n_out;
    for (int32_t i = 0; i < layers; i++) {
        if (strcmp(gnt_model_layer_type(k->m, i), "conv") != 0)
            continue;
        gnt_nn_shape s = gnt_nn_shape_of(k->g, layer[i]);
        k->feature[r->n_features] = layer[i];
        k->pull[r->n_features] = gnt_nn_input(k->g, "pull", s.rank, s.dim, 1);
        r->feature_count[r->n_features++] = gnt_nn_count(&s);
        add_output(k, layer[i], 0);
    }
    gnt_free(layer);
    if (r->n_features == 0) {
        gnt_graph_free(k->g);
        k->g = NULL;
        return 0;
    }
    gnt_nn_vjp(k->g, k->feature, k->pull, r->n_features, &k->x, 1, &dx);
    r->dx = add_output(k, dx, 1);
    return 0;
}

static int write_forward(maker *k) {
    k->r->first = add_output(k, gnt_model_build(k->m, k->g, k->x, k->params, k->buffers, 0, NULL, NULL), 0);
    return 0;
}

/* True if the weights and the statistics do not change between runs. */
static int is_constant(gnt_recipe_kind kind) {
    return kind != GNT_RECIPE_GRADIENT && kind != GNT_RECIPE_TRAIN;
}

static int write_graph(maker *k) {
    gnt_recipe *r = k->r;
    gnt_nn_shape sample = gnt_model_sample(k->m);
    int64_t dim[GNT_NN_RANK] = {r->n}, label[2] = {r->n, gnt_model_classes(k->m)};
    for (int32_t i = 0; i < sample.rank; i++)
        dim[i + 1] = sample.dim[i];
    k->x = gnt_nn_input(k->g, "x", sample.rank + 1, dim, 0);
    k->y = gnt_nn_input(k->g, "y", 2, label, 0);
    gnt_model_declare(k->m, k->g, k->params, k->buffers);
    int constant = is_constant(r->kind);
    for (int32_t i = 0; constant && i < r->n_params; i++)
        gnt_nn_hold(k->g, k->params[i]);
    for (int32_t i = 0; constant && i < r->n_buffers; i++)
        gnt_nn_hold(k->g, k->buffers[i]);
    r->x_count = r->n * gnt_nn_count(&sample);
    r->y_count = label[0] * label[1];
    switch (r->kind) {
    case GNT_RECIPE_FEATURES:
        return write_features(k);
    case GNT_RECIPE_FORWARD:
        return write_forward(k);
    case GNT_RECIPE_MATCH:
    case GNT_RECIPE_DLG:
        return write_matching(k);
    default:
        return write_training(k);
    }
}

static int allocate_and_bind(maker *k) {
    gnt_recipe *r = k->r;
    size_t size = (size_t)r->precision;
    int matching = r->kind == GNT_RECIPE_MATCH || r->kind == GNT_RECIPE_DLG;
    r->x = gnt_aligned((size_t)r->x_count, size);
    r->y = gnt_aligned((size_t)r->y_count, size);
    r->params = gnt_aligned((size_t)r->n_weights, size);
    r->buffers = gnt_aligned((size_t)r->n_statistics + 1, size);
    r->seen = matching ? gnt_aligned((size_t)r->n_weights, size) : NULL;
    r->pull = gnt_array((size_t)r->n_features + 1, sizeof *r->pull);
    if (!r->x || !r->y || !r->params || !r->buffers || (matching && !r->seen) || !r->pull)
        return -1;
    gnt_program_bind(r->program, k->x, r->x);
    gnt_program_bind(r->program, k->y, r->y);
    gnt_model_bind(k->m, r->program, k->params, k->buffers, r->params, r->buffers, r->precision);
    for (int32_t i = 0; matching && i < r->n_params; i++)
        gnt_program_bind(r->program, k->seen[i], (char *)r->seen + (size_t)k->list[i].offset * size);
    for (int32_t i = 0; i < r->n_features; i++) {
        r->pull[i] = gnt_aligned((size_t)r->feature_count[i], size);
        if (!r->pull[i])
            return -1;
        gnt_program_bind(r->program, k->pull[i], r->pull[i]);
    }
    return 0;
}

static int make(maker *k, gnt_err *err) {
    gnt_recipe *r = k->r;
    size_t outputs = (size_t)(k->n_list + gnt_model_layers(k->m) + 3);
    char text[512] = "";
    k->g = gnt_graph_new();
    k->params = gnt_array((size_t)k->n_list, sizeof *k->params);
    k->buffers = k->params ? k->params + r->n_params : NULL;
    k->seen = gnt_array((size_t)r->n_params, sizeof *k->seen);
    k->out = gnt_array(outputs, sizeof *k->out);
    k->stage = gnt_array(outputs, sizeof *k->stage);
    if (!k->g || !k->params || !k->seen || !k->out || !k->stage || write_graph(k))
        return gnt_fail(err, "out of memory");
    if (!k->g)
        return gnt_fail(err,
                        "the model has no convolution, so it has no features here; another kind is needed");
    r->program = gnt_program_new(k->g, k->out, k->stage, k->n_out, r->precision, text, sizeof text);
    if (!r->program)
        return gnt_fail(err, "%s", text);
    return allocate_and_bind(k) ? gnt_fail(err, "out of memory") : 0;
}

int gnt_recipe_new(gnt_recipe **out, const gnt_model *m, gnt_recipe_kind kind, int64_t n, int32_t precision,
                   gnt_err *err) {
    *out = gnt_alloc(sizeof **out);
    if (!*out)
        return gnt_fail(err, "out of memory");
    maker k = {.r = *out, .m = m};
    **out = (gnt_recipe){
        .kind = kind, .precision = precision, .n = n, .cost = -1, .dx = -1, .dy = -1, .first = -1};
    k.n_list = gnt_model_params(m, &k.list);
    for (int32_t i = 0; i < k.n_list; i++)
        *(k.list[i].buffer ? &k.r->n_buffers : &k.r->n_params) += 1;
    k.r->n_weights = gnt_model_size(m);
    k.r->n_statistics = gnt_model_buffer_size(m);
    int rc = make(&k, err);
    gnt_graph_free(k.g);
    gnt_free(k.params);
    gnt_free(k.seen);
    gnt_free(k.feature);
    gnt_free(k.pull);
    gnt_free(k.out);
    gnt_free(k.stage);
    if (rc != 0) {
        gnt_recipe_free(*out);
        *out = NULL;
    }
    return rc;
}

void gnt_recipe_free(gnt_recipe *r) {
    if (!r)
        return;
    gnt_program_free(r->program);
    for (int32_t i = 0; r->pull && i < r->n_features; i++)
        gnt_free_aligned(r->pull[i]);
    gnt_free(r->pull);
    gnt_free(r->feature_count);
    gnt_free_aligned(r->x);
    gnt_free_aligned(r->y);
    gnt_free_aligned(r->params);
    gnt_free_aligned(r->buffers);
    gnt_free_aligned(r->seen);
    gnt_free(r);
}

/* ---- values ---- */

static void put(const gnt_recipe *r, void *to, int64_t i, float v) {
    if (r->precision == 8)
        ((double *)to)[i] = (double)v;
    else
        ((float *)to)[i] = v;
}

static void put_noise(const gnt_recipe *r, void *to, int64_t n, gnt_stream *random, double least,
                      double most) {
    for (int64_t i = 0; to && i < n; i++)
        put(r, to, i, (float)(least + (most - least) * gnt_random_uniform(random)));
}

static void put_labels(const gnt_recipe *r, int64_t classes, gnt_stream *random) {
    if (r->kind == GNT_RECIPE_DLG) {
        put_noise(r, r->y, r->y_count, random, -1, 1);
        return;
    }
    for (int64_t i = 0; i < r->n; i++)
        put(r, r->y, i * classes + (int64_t)gnt_random_below(random, (uint64_t)classes), 1);
}

/* Draws statistics of batch norms: means near 0, variances near 1. */
static void put_statistics(const gnt_recipe *r, const gnt_param *list, gnt_stream *random) {
    for (int32_t i = r->n_params; i < r->n_params + r->n_buffers; i++) {
        int is_mean = strstr(list[i].name, "running_mean") != NULL;
        char *at = (char *)r->buffers + (size_t)list[i].offset * (size_t)r->precision;
        put_noise(r, at, gnt_nn_count(&list[i].shape), random, is_mean ? -0.25 : 0.5, is_mean ? 0.25 : 1.5);
    }
}

int gnt_recipe_fill(gnt_recipe *r, const gnt_model *m, gnt_stream *random, gnt_err *err) {
    float *params = gnt_array((size_t)r->n_weights, sizeof *params);
    float *buffers = gnt_array((size_t)r->n_statistics + 1, sizeof *buffers);
    const gnt_param *list;
    gnt_model_params(m, &list);
    if (params && buffers) {
        memset(r->y, 0, (size_t)r->y_count * (size_t)r->precision);
        gnt_model_init(m, random, params, buffers);
        for (int64_t i = 0; i < r->n_weights; i++)
            put(r, r->params, i, params[i]);
        put_statistics(r, list, random);
        put_noise(r, r->x, r->x_count, random, 0, 1);
        put_labels(r, gnt_model_classes(m), random);
        put_noise(r, r->seen, r->n_weights, random, -1, 1);
        for (int32_t i = 0; i < r->n_features; i++)
            put_noise(r, r->pull[i], r->feature_count[i], random, -1, 1);
    }
    gnt_program_changed(r->program);
    int rc = params && buffers ? 0 : gnt_fail(err, "out of memory");
    gnt_free(params);
    gnt_free(buffers);
    return rc;
}

int gnt_recipe_run(gnt_recipe *r) {
    if (gnt_program_run(r->program, 0))
        return -1;
    return r->kind == GNT_RECIPE_FEATURES ? gnt_program_run(r->program, 1) : 0;
}
