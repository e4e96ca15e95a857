#include "metric/features.h"

#include <math.h>
#include <string.h>

#include "base/mem.h"
#include "metric/features_impl.h"

static const double tiny = 1e-10; /* added to lengths, as in LPIPS v0.1 */

gnt_features *features_begin(gnt_metric_shape shape, int32_t precision, gnt_err *err) {
    gnt_features *f = gnt_alloc(sizeof *f);
    if (!f)
        return gnt_fail(err, "out of memory for a network that compares images"), NULL;
    const int64_t dim[4] = {2, shape.channels, shape.height, shape.width};
    f->precision = precision;
    f->shape = shape;
    f->distance = -1;
    f->graph = gnt_graph_new();
    f->x = gnt_aligned((size_t)(2 * shape.channels * shape.height * shape.width), (size_t)precision);
    if (!f->graph || !f->x) {
        gnt_features_free(f);
        return gnt_fail(err, "out of memory for a network that compares images"), NULL;
    }
    f->pair = gnt_nn_input(f->graph, "images", 4, dim, 0);
    return f;
}

gnt_node features_hold(gnt_features *f, const char *name, const gnt_nn_shape *shape, const float *values) {
    const int64_t n = gnt_nn_count(shape);
    void *copy = f->n_bound < FEATURES_MOST_BOUND ? gnt_aligned((size_t)n, (size_t)f->precision) : NULL;
    if (!copy)
        return -1;
    for (int64_t i = 0; i < n; i++) {
        if (f->precision == 8)
            ((double *)copy)[i] = values[i];
        else
            ((float *)copy)[i] = values[i];
    }
    gnt_node node = gnt_nn_hold(f->graph, gnt_nn_input(f->graph, name, shape->rank, shape->dim, 0));
    f->bound[f->n_bound++] = (struct features_bound){node, copy};
    return node;
}

/* Returns the largest Σ w (a − b)² of unit vectors: the two greatest weights together if no entry is
 * negative, else four times the greatest. */
static double most_at(const float *weight, int64_t channels, double each, int may_be_negative) {
    double first = weight ? 0 : each, second = weight || channels < 2 ? 0 : each;
    for (int64_t c = 0; weight && c < channels; c++) {
        if (weight[c] > first) {
            second = first;
            first = weight[c];
        } else if (weight[c] > second) {
            second = weight[c];
        }
    }
    return may_be_negative ? 4 * first : first + second;
}

void features_tap(gnt_features *f, gnt_node x, const float *weight, double each, int may_be_negative) {
    gnt_graph *g = f->graph;
    gnt_nn_shape s = gnt_nn_shape_of(g, x);
    if (s.rank == 2) {
        const int64_t places[4] = {2, s.dim[1], 1, 1};
        x = gnt_nn_reshape(g, x, 4, places);
        s = gnt_nn_shape_of(g, x);
    }
    if (s.rank != 4)
        return; /* the graph knows why */
    gnt_node length =
        gnt_nn_affine(g, gnt_nn_sqrt(g, gnt_nn_sum(g, gnt_nn_square(g, x), 1u << 1), 0), 1, tiny);
    gnt_node unit = gnt_nn_div(g, x, gnt_nn_expand(g, length, 4, s.dim));
    gnt_node square =
        gnt_nn_square(g, gnt_nn_sub(g, gnt_nn_slice(g, unit, 0, 0, 1), gnt_nn_slice(g, unit, 0, 1, 2)));
    if (weight) {
        const gnt_nn_shape one = {.rank = 4, .dim = {1, s.dim[1], 1, 1}};
        const int64_t all[4] = {1, s.dim[1], s.dim[2], s.dim[3]};
        square = gnt_nn_mul(g, square,
                            gnt_nn_expand(g, features_hold(f, "channel weights", &one, weight), 4, all));
    }
    gnt_node part =
        gnt_nn_affine(g, gnt_nn_sum_all(g, square), (weight ? 1 : each) / (double)(s.dim[2] * s.dim[3]), 0);
    f->distance = f->distance < 0 ? part : gnt_nn_add(g, f->distance, part);
    f->worst += most_at(weight, s.dim[1], each, may_be_negative);
}

int features_end(gnt_features **out, gnt_features *f, const char *what, gnt_err *err) {
    char why[600] = "out of memory";
    if (f->distance >= 0 && !gnt_graph_error(f->graph))
        f->program = gnt_program_new(f->graph, &f->distance, NULL, 1, f->precision, why, sizeof why);
    if (!f->program) {
        const char *bad = gnt_graph_error(f->graph);
        gnt_fail(err, "%s cannot compare images of %lld×%lld×%lld: %s", what, (long long)f->shape.channels,
                 (long long)f->shape.height, (long long)f->shape.width, bad ? bad : why);
        gnt_features_free(f);
        return -1;
    }
    gnt_program_bind(f->program, f->pair, f->x);
    for (int32_t i = 0; i < f->n_bound; i++)
        gnt_program_bind(f->program, f->bound[i].node, f->bound[i].values);
    *out = f;
    return 0;
}

void gnt_features_free(gnt_features *f) {
    if (!f)
        return;
    gnt_program_free(f->program);
    gnt_graph_free(f->graph);
    for (int32_t i = 0; i < f->n_bound; i++)
        gnt_free_aligned(f->bound[i].values);
    gnt_free_aligned(f->x);
    gnt_free(f);
}

/* Sets image `which` of the pair. */
static void set_image(gnt_features *f, int which, const float *image, float otherwise) {
    const int64_t n = f->shape.channels * f->shape.height * f->shape.width;
    for (int64_t i = 0; i < n; i++) {
        float v = image ? image[i] : otherwise;
        v = v < 0 ? 0 : v > 1 ? 1 : v;
        if (f->precision == 8)
            ((double *)f->x)[which * n + i] = v;
        else
            ((float *)f->x)[which * n + i] = v;
    }
}

static double distance_now(gnt_features *f) {
    if (gnt_program_run(f->program, 0) != 0)
        return NAN;
    const void *d = gnt_program_output(f->program, 0);
    return f->precision == 8 ? *(const double *)d : (double)*(const float *)d;
}

double gnt_features_distance(gnt_features *f, const float *a, const float *b) {
    set_image(f, 0, a, 0);
    set_image(f, 1, b, 0);
    return distance_now(f);
}

double gnt_features_worst(gnt_features *f, const float *truth) {
    if (isfinite(f->worst))
        return f->worst;
    set_image(f, 0, truth, 0);
    set_image(f, 1, NULL, 0);
    const double black = distance_now(f);
    set_image(f, 1, NULL, 1);
    return fmax(black, distance_now(f));
}

/* ---- any network ---- */

/* Returns 1 for an activation whose features are never negative, 2 for one whose may be, 0 for other
 * layers. */
static int activation(const char *type) {
    if (!strcmp(type, "relu") || !strcmp(type, "sigmoid") || !strcmp(type, "softplus"))
        return 1;
    return !strcmp(type, "leaky_relu") || !strcmp(type, "tanh") || !strcmp(type, "gelu") ||
                   !strcmp(type, "silu")
               ? 2
               : 0;
}

/* Returns the layers of a model on the pair of images, as a graph that has not ended. NULL with a
 * sentence. */
static gnt_features *begin_model(const gnt_model *m, const float *params, const float *buffers,
                                 int32_t precision, gnt_node *layer, gnt_err *err) {
    const gnt_nn_shape sample = gnt_model_sample(m);
    const gnt_param *list;
    const int32_t n = gnt_model_params(m, &list);
    int32_t n_params = 0;
    while (n_params < n && !list[n_params].buffer)
        n_params++;
    gnt_node *node = gnt_array((size_t)n + 1, sizeof *node);
    if (!node)
        return gnt_fail(err, "out of memory for a network that compares images"), NULL;
    gnt_features *f =
        features_begin((gnt_metric_shape){sample.dim[0], sample.dim[1], sample.dim[2]}, precision, err);
    for (int32_t i = 0; f && i < n; i++)
        node[i] = features_hold(f, list[i].name, &list[i].shape,
                                (list[i].buffer ? buffers : params) + list[i].offset);
    if (f)
        gnt_model_build(m, f->graph, f->pair, node, node + n_params, 0, layer, NULL);
    gnt_free(node);
    return f;
}

static int fits(const gnt_model *m) {
    const gnt_param *list;
    return gnt_model_sample(m).rank == 3 && gnt_model_params(m, &list) <= FEATURES_MOST_BOUND;
}

int gnt_features_new(gnt_features **out, const gnt_model *m, const float *params, const float *buffers,
                     int32_t precision, gnt_err *err) {
    const int32_t layers = gnt_model_layers(m);
    int32_t taps = 0;
    for (int32_t i = 0; i < layers; i++)
        taps += activation(gnt_model_layer_type(m, i)) > 0;
    if (!fits(m) || taps == 0)
        return gnt_fail(
            err,
            "a feature distance needs a network on images with at least one activation and at most %d "
            "tensors of weights",
            FEATURES_MOST_BOUND);
    gnt_node *layer = gnt_array((size_t)layers, sizeof *layer);
    if (!layer)
        return gnt_fail(err, "out of memory for a feature distance");
    gnt_features *f = begin_model(m, params, buffers, precision, layer, err);
    for (int32_t i = 0; f && i < layers; i++) {
        const int kind = activation(gnt_model_layer_type(m, i));
        if (kind)
            features_tap(f, layer[i], NULL, 1 / (double)taps, kind == 2);
    }
    gnt_free(layer);
    return f ? features_end(out, f, "the network", err) : -1;
}

/* ---- its representation ---- */

/* Adds a distance: the mean over D of the squared difference of the two rows of x, 2×D, or 2×C×H×W with D
 * = C·H·W. */
static void tap_representation(gnt_features *f, gnt_node x) {
    gnt_graph *g = f->graph;
    const gnt_nn_shape s = gnt_nn_shape_of(g, x);
    const double entries = (double)(gnt_nn_count(&s) / 2);
    gnt_node apart = gnt_nn_sub(g, gnt_nn_slice(g, x, 0, 0, 1), gnt_nn_slice(g, x, 0, 1, 2));
    f->distance = gnt_nn_affine(g, gnt_nn_sum_all(g, gnt_nn_square(g, apart)), 1 / entries, 0);
    f->worst = INFINITY;
}

int gnt_representation_new(gnt_features **out, const gnt_model *m, const float *params, const float *buffers,
                           int32_t precision, gnt_err *err) {
    const int32_t at = gnt_model_representation(m);
    if (!fits(m) || at < 0)
        return gnt_fail(err,
                        "an error of representations needs a network on images with a representation other "
                        "than the sample and at most %d tensors of weights",
                        FEATURES_MOST_BOUND);
    gnt_node *layer = gnt_array((size_t)gnt_model_layers(m), sizeof *layer);
    if (!layer)
        return gnt_fail(err, "out of memory for an error of representations");
    gnt_features *f = begin_model(m, params, buffers, precision, layer, err);
    if (f && !gnt_graph_error(f->graph))
        tap_representation(f, layer[at]);
    gnt_free(layer);
    return f ? features_end(out, f, "the network", err) : -1;
}
