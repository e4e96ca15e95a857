/* matching: one network with formula weights, and gradient matching on it: logits, loss, gradient, the two
 * costs (cosine plus total variation / 128 for images, and squared distance) and their derivatives in input
 * and label. */
#ifndef GNT_TESTS_MATCHING_H
#define GNT_TESTS_MATCHING_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "base/json.h"
#include "base/mem.h"
#include "formula.h"
#include "nn/model/model.h"
#include "nn/io/safetensors.h"

enum { MATCHING_PARAMS = 640 }; /* DenseNet-121 has 362 and 242 buffers */

typedef struct matching_spec {
    /* File names without ends; a model that ships, or one in a folder. */
    const char *golden, *model;
    gnt_nn_shape sample;
    int64_t n;
    int32_t classes;
    int training, uniform, normalise;
    double width;          /* 0: as in the file */
    double float_gradient; /* tolerance of the gradient in float; 0: the usual one */
    const char *output;    /* "map", or NULL: as in the file */
} matching_spec;

typedef struct matching {
    matching_spec spec;
    uint64_t stream; /* of x */
    gnt_model *m;
    int32_t n_params, n_buffers;
    const gnt_param *param;
    double *params, *buffers, *seen; /* flat */
    double *x, *y;
    int64_t x_count, y_count;
    gnt_graph *g;
    gnt_node x_node, y_node, param_node[MATCHING_PARAMS], buffer_node[MATCHING_PARAMS],
        seen_node[MATCHING_PARAMS];
    gnt_node logits, loss, grad[MATCHING_PARAMS];
    gnt_node cosine, cosine_dx, cosine_dy, l2, l2_dx, l2_dy;
} matching;

/* A program with its inputs converted to its precision. */
typedef struct matching_run {
    gnt_program *p;
    int32_t precision;
    void *kept[5];
} matching_run;

/* The stream of x that golden.py found furthest from ties of ReLU and max pools. */
static inline uint64_t matching_stream(const char *golden) {
    char path[200];
    gnt_st st;
    gnt_err err = {0};
    snprintf(path, sizeof path, "tests/golden/%s.safetensors", golden);
    if (gnt_st_load(&st, path, &err))
        fail_msg("%s", err.text);
    const gnt_st_tensor *t = gnt_st_need(&st, path, "stream", GNT_ST_I64, 0, NULL, &err);
    if (!t)
        fail_msg("%s", err.text);
    uint64_t stream = (uint64_t)((const int64_t *)t->data)[0];
    gnt_st_free(&st);
    return stream;
}

static inline gnt_model *matching_model(const matching_spec *s) {
    static const double mean[3] = {.485, .456, .406}, deviation[3] = {.229, .224, .225};
    char path[200];
    gnt_model *m = NULL;
    gnt_err err = {0};
    snprintf(path, sizeof path, "%s%s.json", strchr(s->model, '/') ? "" : "models/", s->model);
    gnt_doc doc;
    if (gnt_doc_load(&doc, path, GNT_DOC_MOST, &err))
        fail_msg("%s", err.text);
    if (s->width > 0)
        json_object_set_new(doc.root, "width", json_real(s->width));
    if (s->output)
        json_object_set_new(doc.root, "output", json_string(s->output));
    char *text = gnt_json_canonical(doc.root);
    if (!text || gnt_model_parse(&m, path, text, &s->sample, s->classes, s->normalise ? mean : NULL,
                                 s->normalise ? deviation : NULL, &err))
        fail_msg("%s", err.text);
    gnt_free(text);
    gnt_doc_free(&doc);
    return m;
}

static inline void matching_fill(matching *t) {
    for (int32_t i = 0; i < t->n_params + t->n_buffers; i++) {
        const gnt_param *p = &t->param[i];
        double *to = (p->buffer ? t->buffers : t->params) + p->offset, scale = 1.0 / 16, base = 0;
        int normed = strstr(gnt_model_layer_type(t->m, p->layer), "_norm") != NULL;
        int64_t n = gnt_nn_count(&p->shape);
        if (p->buffer) {
            int is_variance = strstr(p->name, "running_var") != NULL;
            scale = is_variance ? 0.5 : 0.25;
            base = is_variance;
        } else if (normed) {
            scale = 0.25;
            base = strstr(p->name, "weight") != NULL;
        } else if (t->spec.uniform) {
            scale = 0.5;
        } else if (p->shape.rank > 1) {
            scale = formula_bound((double)n / (double)p->shape.dim[0]);
        }
        for (int64_t j = 0; j < n; j++)
            to[j] = base + scale * formula_unit((uint64_t)(FORMULA_WEIGHTS + i), (uint64_t)j);
    }
}

static inline void matching_sample(const matching *t, double *x, uint64_t x_stream, double *y,
                                   uint64_t y_stream) {
    for (int64_t i = 0; i < t->x_count; i++)
        x[i] = formula_unit(x_stream, (uint64_t)i) / 2 + 0.5;
    for (int64_t i = 0; i < t->y_count; i++)
        y[i] = (formula_unit(y_stream, (uint64_t)i) + 1) / 16;
}

static inline void matching_build(matching *t) {
    const matching_spec *s = &t->spec;
    gnt_graph *g = t->g = gnt_graph_new();
    int64_t xd[4] = {s->n, s->sample.dim[0], s->sample.dim[1], s->sample.dim[2]}, yd[2] = {s->n, s->classes};
    t->x_node = gnt_nn_input(g, "x", s->sample.rank + 1, xd, 0);
    t->y_node = gnt_nn_input(g, "y", 2, yd, 0);
    gnt_model_declare(t->m, g, t->param_node, t->buffer_node);
    for (int32_t i = 0; i < t->n_params; i++)
        t->seen_node[i] = gnt_nn_input(g, "seen", t->param[i].shape.rank, t->param[i].shape.dim, 0);
    t->logits = gnt_model_build(t->m, g, t->x_node, t->param_node, t->buffer_node, s->training, NULL, NULL);
    t->loss = gnt_model_loss(t->m, g, t->logits, t->y_node);
    gnt_nn_vjp(g, &t->loss, NULL, 1, t->param_node, t->n_params, t->grad);
    t->cosine = gnt_nn_cosine_distance(g, t->grad, t->seen_node, t->n_params, 0);
    if (s->sample.rank == 3)
        t->cosine =
            gnt_nn_add(g, t->cosine, gnt_nn_affine(g, gnt_nn_total_variation(g, t->x_node), 1.0 / 128, 0));
    for (int32_t i = 0; i < t->n_params; i++) {
        gnt_node one = gnt_nn_sum_all(g, gnt_nn_square(g, gnt_nn_sub(g, t->grad[i], t->seen_node[i])));
        t->l2 = i ? gnt_nn_add(g, t->l2, one) : one;
    }
    gnt_node xy[2] = {t->x_node, t->y_node}, d[2];
    gnt_nn_vjp(g, &t->cosine, NULL, 1, xy, 2, d);
    t->cosine_dx = d[0];
    t->cosine_dy = d[1];
    gnt_nn_vjp(g, &t->l2, NULL, 1, xy, 2, d);
    t->l2_dx = d[0];
    t->l2_dy = d[1];
    if (gnt_graph_error(g))
        fail_msg("%s: %s", s->golden, gnt_graph_error(g));
}

static inline void *matching_convert(const double *values, int64_t n, int32_t precision) {
    void *to = gnt_aligned((size_t)n, (size_t)precision);
    assert_non_null(to);
    for (int64_t i = 0; i < n; i++) {
        if (precision == 8)
            ((double *)to)[i] = values[i];
        else
            ((float *)to)[i] = (float)values[i];
    }
    return to;
}

/* x and y are those of the problem, changed or not since it was made. */
static inline matching_run matching_compile(const matching *t, const gnt_node *outputs, int32_t n,
                                            int32_t precision) {
    char error[600] = "";
    matching_run r = {.precision = precision};
    r.p = gnt_program_new(t->g, outputs, NULL, n, precision, error, sizeof error);
    if (!r.p)
        fail_msg("%s: %s", t->spec.golden, error);
    r.kept[0] = matching_convert(t->x, t->x_count, precision);
    r.kept[1] = matching_convert(t->y, t->y_count, precision);
    r.kept[2] = matching_convert(t->params, gnt_model_size(t->m), precision);
    r.kept[3] = matching_convert(t->buffers, gnt_model_buffer_size(t->m), precision);
    r.kept[4] = matching_convert(t->seen, gnt_model_size(t->m), precision);
    gnt_program_bind(r.p, t->x_node, r.kept[0]);
    gnt_program_bind(r.p, t->y_node, r.kept[1]);
    gnt_model_bind(t->m, r.p, t->param_node, t->buffer_node, r.kept[2], r.kept[3], precision);
    for (int32_t i = 0; i < t->n_params; i++)
        gnt_program_bind(r.p, t->seen_node[i], (char *)r.kept[4] + t->param[i].offset * precision);
    return r;
}

static inline void matching_drop(matching_run *r) {
    gnt_program_free(r->p);
    for (int i = 0; i < 5; i++)
        gnt_free_aligned(r->kept[i]);
}

static inline double matching_value(const matching_run *r, int32_t output, int64_t i) {
    const void *values = gnt_program_output(r->p, output);
    return r->precision == 8 ? ((const double *)values)[i] : (double)((const float *)values)[i];
}

/* What the attacker saw: the gradient, in double, at another sample. */
static inline void matching_see(matching *t) {
    matching_sample(t, t->x, FORMULA_X_SEEN, t->y, FORMULA_Y_SEEN);
    matching_run r = matching_compile(t, t->grad, t->n_params, 8);
    assert_int_equal(gnt_program_run(r.p, 0), 0);
    for (int32_t i = 0; i < t->n_params; i++)
        for (int64_t j = 0; j < gnt_nn_count(&t->param[i].shape); j++)
            t->seen[t->param[i].offset + j] = matching_value(&r, i, j);
    matching_drop(&r);
    matching_sample(t, t->x, t->stream, t->y, FORMULA_Y);
}

static inline matching *matching_new(const matching_spec *spec) {
    matching *t = gnt_alloc(sizeof *t);
    assert_non_null(t);
    t->spec = *spec;
    t->stream = matching_stream(spec->golden);
    t->m = matching_model(spec);
    int32_t all = gnt_model_params(t->m, &t->param);
    for (int32_t i = 0; i < all; i++)
        t->n_buffers += t->param[i].buffer;
    t->n_params = all - t->n_buffers;
    assert_in_range(all, 1, MATCHING_PARAMS);
    t->x_count = spec->n * gnt_nn_count(&spec->sample);
    t->y_count = spec->n * spec->classes;
    t->params = gnt_array((size_t)gnt_model_size(t->m), sizeof(double));
    t->seen = gnt_array((size_t)gnt_model_size(t->m), sizeof(double));
    t->buffers = gnt_array((size_t)gnt_model_buffer_size(t->m), sizeof(double));
    t->x = gnt_array((size_t)t->x_count, sizeof(double));
    t->y = gnt_array((size_t)t->y_count, sizeof(double));
    assert_true(t->params && t->seen && t->buffers && t->x && t->y);
    matching_fill(t);
    matching_build(t);
    matching_see(t);
    return t;
}

static inline void matching_free(matching *t) {
    gnt_graph_free(t->g);
    gnt_model_free(t->m);
    gnt_free(t->params);
    gnt_free(t->seen);
    gnt_free(t->buffers);
    gnt_free(t->x);
    gnt_free(t->y);
    gnt_free(t);
}

#endif
