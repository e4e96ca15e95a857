/* The model as functions: against the graph built by hand, adjoint identities, central differences, manual
 * SGD, and refusals. A small sigmoid convolution network and one with batch norm. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "base/random.h"
#include "gauntlet/nn.h"
#include "nn/model/train.h"
#include "plugin/model_service.h"

static const char plain_json[] =
    "{\"init\": {\"kind\": \"uniform\", \"bound\": 0.5}, \"layers\": ["
    "{\"type\": \"conv\", \"name\": \"c\", \"out\": 3, \"kernel\": 3, \"stride\": 2, \"pad\": 1}, {\"type\": "
    "\"sigmoid\"},"
    "{\"type\": \"flatten\"}, {\"type\": \"dense\", \"name\": \"fc\", \"out\": \"classes\"}]}";
static const char norm_json[] =
    "{\"init\": {\"kind\": \"uniform\", \"bound\": 0.5}, \"layers\": ["
    "{\"type\": \"conv\", \"name\": \"c\", \"out\": 3, \"kernel\": 3, \"stride\": 2, \"pad\": 1},"
    "{\"type\": \"batch_norm\", \"name\": \"bn\"}, {\"type\": \"sigmoid\"},"
    "{\"type\": \"flatten\"}, {\"type\": \"dense\", \"name\": \"fc\", \"out\": \"classes\"}]}";

enum {
    N = 3,
    CLASSES = 4,
    SIDE = 6,
    CHANNELS = 2,
    FEATURES = CHANNELS * SIDE * SIDE,
    MOST = 2000,
    STEPS = 3,
    BATCH = 2
};

typedef struct fixture {
    gnt_model *model;
    gnt_service *service;
    const gnt_model_service *s;
    int32_t n_params;
    int64_t size;
    float x[N * FEATURES], y[N * CLASSES], weights[MOST], buffers[64], rates[STEPS];
    float other[MOST]; /* another weight vector: a direction, or something observed */
    const float *observed[16], *mask[16];
} fixture;

static void noise(gnt_stream *s, float *out, size_t n, double scale) {
    for (size_t i = 0; i < n; i++)
        out[i] = (float)(scale * gnt_random_normal(s));
}

static void open_model(fixture *f, const char *json, int training) {
    gnt_err err = {0};
    gnt_nn_shape sample = {3, {CHANNELS, SIDE, SIDE}};
    memset(f, 0, sizeof *f);
    if (gnt_model_parse(&f->model, "test", json, &sample, CLASSES, NULL, NULL, &err))
        fail_msg("%s", err.text);
    gnt_service_spec spec = {.model = f->model, .name = "test", .training = training};
    assert_int_equal(gnt_service_new(&f->service, &spec, &err), 0);
    f->s = gnt_service_table(f->service);
    f->n_params = (int32_t)f->s->info->params.n;
    f->size = f->s->info->n_params;
    assert_true(f->size <= MOST && f->n_params <= 16);
    gnt_key key = gnt_key_of_seed(11);
    gnt_stream s = gnt_stream_open(&key, "test");
    gnt_model_init(f->model, &s, f->weights, f->buffers);
    for (int i = 0; i < N * FEATURES; i++)
        f->x[i] = (float)gnt_random_uniform(&s);
    for (int i = 0; i < N; i++) { /* soft labels */
        float sum = 0;
        for (int c = 0; c < CLASSES; c++)
            sum += f->y[i * CLASSES + c] = (float)gnt_random_uniform(&s);
        for (int c = 0; c < CLASSES; c++)
            f->y[i * CLASSES + c] /= sum;
    }
    noise(&s, f->other, (size_t)f->size, 0.1);
    for (int i = 0; i < STEPS; i++)
        f->rates[i] = 0.3f + 0.1f * (float)i;
    int64_t at = 0;
    for (int32_t i = 0; i < f->n_params; i++) {
        f->observed[i] = f->other + at;
        at += f->s->info->params.view[i].count;
    }
}

static void close_model(fixture *f) {
    gnt_service_free(f->service);
    gnt_model_free(f->model);
}

static gnt_function_args args_of(const fixture *f) {
    return (gnt_function_args){.size = sizeof(gnt_function_args),
                               .x = f->x,
                               .y = f->y,
                               .weights = f->weights,
                               .buffers = f->buffers,
                               .rates = f->rates,
                               .observed = f->observed,
                               .mask = f->mask};
}

static gnt_function *prepare(fixture *f, gnt_function_spec spec) {
    spec.size = sizeof spec;
    spec.n = spec.n ? spec.n : N;
    gnt_function *fn = f->s->prepare(f->s->context, &spec);
    if (!fn)
        fail_msg("%s", gnt_service_error(f->service));
    return fn;
}

static const gnt_views *eval(fixture *f, gnt_function *fn, const gnt_function_args *args) {
    const gnt_views *out;
    if (f->s->eval(f->s->context, fn, args, &out) != GNT_OK)
        fail_msg("%s", gnt_service_error(f->service));
    return out;
}

static double relative(const float *a, const float *b, int64_t n) {
    double d = 0, s = 0;
    for (int64_t i = 0; i < n; i++) {
        d += ((double)a[i] - b[i]) * ((double)a[i] - b[i]);
        s += (double)b[i] * b[i];
    }
    return sqrt(d / (s > 0 ? s : 1));
}

static double dot(const float *a, const float *b, int64_t n) {
    double s = 0;
    for (int64_t i = 0; i < n; i++)
        s += (double)a[i] * b[i];
    return s;
}

/* ---- against a graph built by hand ---- */

static void gradient_is_the_graphs_own(void **state) {
    (void)state;
    fixture f;
    open_model(&f, norm_json, 1);
    gnt_function *fn = prepare(&f, (gnt_function_spec){.kind = GNT_FN_UPDATE, .training = -1});
    gnt_function_args args = args_of(&f);
    const gnt_views *out = eval(&f, fn, &args);

    gnt_graph *g = gnt_graph_new();
    gnt_node params[16], buffers[16], grad[16];
    gnt_node x = gnt_nn_input(g, "x", 4, (int64_t[]){N, CHANNELS, SIDE, SIDE}, 0);
    gnt_node y = gnt_nn_input(g, "y", 2, (int64_t[]){N, CLASSES}, 0);
    gnt_model_declare(f.model, g, params, buffers);
    gnt_node loss =
        gnt_nn_cross_entropy(g, gnt_model_build(f.model, g, x, params, buffers, 1, NULL, NULL), y);
    assert_int_equal(gnt_nn_vjp(g, &loss, NULL, 1, params, f.n_params, grad), 0);
    char error[200];
    gnt_program *p = gnt_program_new(g, grad, NULL, f.n_params, 4, error, sizeof error);
    gnt_program_bind(p, x, f.x);
    gnt_program_bind(p, y, f.y);
    gnt_model_bind(f.model, p, params, buffers, f.weights, f.buffers, 4);
    assert_int_equal(gnt_program_run(p, 0), 0);
    assert_int_equal(out->n, f.n_params);
    for (int32_t i = 0; i < f.n_params; i++) {
        assert_string_equal(out->view[i].name, f.s->info->params.view[i].name);
        assert_int_equal(out->view[i].count, f.s->info->params.view[i].count);
        assert_true(relative(out->view[i].data, gnt_program_output(p, i), out->view[i].count) < 1e-6);
    }
    gnt_program_free(p);
    gnt_graph_free(g);
    close_model(&f);
}

/* The mean, not the sum: the loss of a batch of equal samples is the loss of one. Cross entropy from the
 * logits. */
static void loss_is_the_mean_cross_entropy(void **state) {
    (void)state;
    fixture f;
    open_model(&f, plain_json, 0);
    for (int i = 1; i < N; i++) {
        memcpy(f.x + i * FEATURES, f.x, FEATURES * sizeof(float));
        memcpy(f.y + i * CLASSES, f.y, CLASSES * sizeof(float));
    }
    gnt_function_args args = args_of(&f);
    const float *z = eval(&f, prepare(&f, (gnt_function_spec){.kind = GNT_FN_LOGITS}), &args)->view[0].data;
    double top = 0, expected = 0;
    for (int c = 0; c < CLASSES; c++)
        top += exp(z[c]);
    for (int c = 0; c < CLASSES; c++)
        expected -= f.y[c] * (z[c] - log(top));
    const gnt_views *loss = eval(&f, prepare(&f, (gnt_function_spec){.kind = GNT_FN_LOSS}), &args);
    assert_int_equal(loss->view[0].rank, 0);
    assert_true(fabs(loss->view[0].data[0] - expected) < 1e-5 * expected);
    close_model(&f);
}

static void features_are_those_of_the_layers(void **state) {
    (void)state;
    fixture f;
    open_model(&f, plain_json, 0);
    const gnt_model_info *info = f.s->info;
    int32_t layers[2] = {info->n_layers - 1, info->representation};
    gnt_function_args args = args_of(&f);
    const gnt_views *out = eval(
        &f, prepare(&f, (gnt_function_spec){.kind = GNT_FN_FEATURES, .layer = layers, .n_layers = 2}), &args);
    assert_int_equal(out->n, 2);
    const gnt_view *last = &out->view[0], *r = &out->view[1];
    assert_int_equal(last->layer, layers[0]);
    assert_int_equal(r->count, N * 3 * 3 * 3);
    assert_int_equal(info->layer[info->representation].dim[0], 3 * 3 * 3);
    /* the last layer's output is the dense layer of the representation: z = W r + b */
    const float *w = f.weights + info->params.view[0].count + info->params.view[1].count,
                *b = w + CLASSES * 27;
    for (int i = 0; i < N; i++)
        for (int c = 0; c < CLASSES; c++)
            assert_true(fabs(dot(w + c * 27, r->data + i * 27, 27) + b[c] - last->data[i * CLASSES + c]) <
                        1e-5);
    close_model(&f);
}

/* ---- the update ---- */

static void flatten(const gnt_views *views, float *out) {
    for (int64_t i = 0; i < views->n; i++) {
        memcpy(out, views->view[i].data, (size_t)views->view[i].count * sizeof(float));
        out += views->view[i].count;
    }
}

/* `steps` of what clients run, with the gradient function; order NULL: round and round; momentum below 0:
 * Adam. */
static void manual_steps(fixture *f, const int64_t *order, const float *rates, double momentum, double decay,
                         float *delta) {
    gnt_adam *adam = gnt_adam_new(f->size, 0.9, 0.999, 1e-8);
    gnt_function *g = prepare(f, (gnt_function_spec){.kind = GNT_FN_UPDATE, .n = BATCH, .training = -1});
    float x[BATCH * FEATURES], y[BATCH * CLASSES], w[MOST], v[MOST] = {0}, gradient[MOST];
    memcpy(w, f->weights, sizeof w);
    for (int s = 0; s < STEPS; s++) {
        for (int j = 0; j < BATCH; j++) {
            int64_t row = order ? order[s * BATCH + j] : (s * BATCH + j) % N;
            memcpy(x + j * FEATURES, f->x + row * FEATURES, FEATURES * sizeof(float));
            memcpy(y + j * CLASSES, f->y + row * CLASSES, CLASSES * sizeof(float));
        }
        gnt_function_args args = args_of(f);
        args.x = x;
        args.y = y;
        args.weights = w;
        flatten(eval(f, g, &args), gradient);
        for (int64_t k = 0; momentum < 0 && k < f->size; k++)
            gradient[k] += (float)decay * w[k];
        if (momentum < 0)
            gnt_adam_step(adam, w, gradient, rates[s]);
        else
            gnt_sgd_step(w, momentum > 0 ? v : NULL, gradient, f->size, rates[s], momentum, decay);
    }
    gnt_adam_free(adam);
    for (int64_t k = 0; k < f->size; k++)
        delta[k] = w[k] - f->weights[k];
}

static void unrolled_update_is_manual_steps(void **state) {
    (void)state;
    static const int64_t orders[2][STEPS * BATCH] = {{2, 0, 1, 2, 0, 1}, {1, 1, 0, 2, 2, 1}};
    static const double momenta[] = {0, 0.9, 0, 0.5, -1}, decays[] = {0, 0, 0.1, 0.05, 0.05};
    for (int which = 0; which < 30; which++) {
        const double momentum = momenta[which / 6], decay = decays[which / 6];
        fixture f;
        float expected[MOST], got[MOST];
        open_model(&f, which % 2 ? norm_json : plain_json, which % 2);
        const int64_t *order = which % 6 / 2 ? orders[which % 6 / 2 - 1] : NULL;
        gnt_function_args args = args_of(&f);
        manual_steps(&f, order, f.rates, momentum, decay, expected);
        gnt_function *fn = prepare(&f, (gnt_function_spec){.kind = GNT_FN_UPDATE,
                                                           .steps = STEPS,
                                                           .batch = BATCH,
                                                           .order = order,
                                                           .training = -1,
                                                           .momentum = fmax(momentum, 0),
                                                           .decay = decay,
                                                           .optimizer = momentum < 0});
        flatten(eval(&f, fn, &args), got);
        assert_true(relative(got, expected, f.size) < 1e-5);
        close_model(&f);
    }
}

/* ⟨u, J v⟩ = ⟨Jᵀ u, v⟩ over everything that an unrolled update depends on. */
static void vjp_and_jvp_are_adjoint(void **state) {
    (void)state;
    for (int which = 0; which < 3; which++) {
        const int steps = which > 0 ? STEPS : 0;
        fixture f;
        /* a bias in front of a batch norm has a gradient of rounding, which Adam takes for as much as any */
        open_model(&f, which == 2 ? plain_json : norm_json, which != 2);
        uint32_t wrt = GNT_WRT_X | GNT_WRT_Y | GNT_WRT_WEIGHTS | (steps ? GNT_WRT_RATES : 0);
        gnt_function *fn = prepare(&f, (gnt_function_spec){.kind = GNT_FN_UPDATE,
                                                           .steps = steps,
                                                           .batch = BATCH,
                                                           .training = -1,
                                                           .vjp = wrt,
                                                           .jvp = wrt,
                                                           .optimizer = which == 2});
        gnt_function_args args = args_of(&f), v = {.size = sizeof v};
        gnt_key key = gnt_key_of_seed(12);
        gnt_stream s = gnt_stream_open(&key, "direction");
        float dx[N * FEATURES], dy[N * CLASSES], dw[MOST], dr[STEPS], u[MOST], jv[MOST];
        noise(&s, dx, N * FEATURES, 1);
        noise(&s, dy, N * CLASSES, 1);
        noise(&s, dw, (size_t)f.size, 1);
        noise(&s, dr, STEPS, 1);
        noise(&s, u, (size_t)f.size, 1);
        v.x = dx;
        v.y = dy;
        v.weights = dw;
        v.rates = steps ? dr : NULL;
        const float *cotangent[16];
        for (int32_t i = 0; i < f.n_params; i++)
            cotangent[i] = u + (f.observed[i] - f.other);
        eval(&f, fn, &args);
        const gnt_views *out;
        const gnt_gradient *back;
        /* forward before backward, and once more after: the order must not matter */
        assert_int_equal(f.s->jvp(f.s->context, fn, &v, &out), GNT_OK);
        flatten(out, jv);
        double left = dot(u, jv, f.size);
        assert_int_equal(f.s->vjp(f.s->context, fn, cotangent, &back), GNT_OK);
        double right = dot(back->x, dx, N * FEATURES) + dot(back->y, dy, N * CLASSES);
        for (int32_t i = 0; i < f.n_params; i++)
            right += dot(back->weights[i], dw + (f.observed[i] - f.other), f.s->info->params.view[i].count);
        right += steps ? dot(back->rates, dr, STEPS) : 0;
        assert_true(fabs(left - right) < 1e-4 * (fabs(left) + sqrt(dot(jv, jv, f.size))));
        assert_int_equal(f.s->jvp(f.s->context, fn, &v, &out), GNT_OK);
        float again[MOST];
        flatten(out, again);
        assert_memory_equal(again, jv, (size_t)f.size * sizeof(float));
        close_model(&f);
    }
}

/* What vjp and jvp both need beyond eval must be there whichever of them runs first after an eval. */
static void jvp_alone_is_the_slope_of_the_loss(void **state) {
    (void)state;
    fixture f;
    open_model(&f, plain_json, 0);
    gnt_function *fn =
        prepare(&f, (gnt_function_spec){.kind = GNT_FN_LOSS, .vjp = GNT_WRT_X, .jvp = GNT_WRT_X});
    gnt_function_args args = args_of(&f), v = {.size = sizeof v, .x = f.other};
    const gnt_views *out;
    const gnt_gradient *back;
    for (int round = 0; round < 2;
         round++) { /* other inputs in the second round: nothing stale may be used */
        for (int i = 0; i < N * FEATURES; i++)
            f.x[i] *= round ? -3.0f : 1.0f;
        eval(&f, fn, &args);
        assert_int_equal(f.s->jvp(f.s->context, fn, &v, &out), GNT_OK);
        double slope = out->view[0].data[0];
        assert_int_equal(f.s->vjp(f.s->context, fn, NULL, &back), GNT_OK);
        assert_true(slope != 0 && fabs(slope - dot(back->x, f.other, N * FEATURES)) < 1e-5 * fabs(slope));
    }
    close_model(&f);
}

/* Constant arguments give what others give: for other samples, another vector of weights, and after an
 * announced change in place. */
static void constant_arguments_change_nothing_else(void **state) {
    (void)state;
    static float moved[MOST];
    fixture f;
    open_model(&f, norm_json, 0);
    gnt_function_spec spec = {
        .kind = GNT_FN_MATCH, .cost = GNT_COST_COSINE, .vjp = GNT_WRT_X | GNT_WRT_WEIGHTS};
    gnt_function *plain = prepare(&f, spec);
    spec.held = GNT_HELD_WEIGHTS | GNT_HELD_OBSERVED;
    gnt_function *cached = prepare(&f, spec);
    gnt_function_args args = args_of(&f);
    const gnt_gradient *a, *b;
    for (int turn = 0; turn < 6; turn++) {
        if (turn == 1)
            f.x[5] += 1;
        for (int64_t i = 0; turn == 2 && i < f.size; i++)
            moved[i] = 1.5f * f.weights[i];
        if (turn == 2)
            args.weights = moved;
        for (int64_t i = 0; turn == 3 && i < f.size; i++)
            moved[i] *= 0.5f;
        if (turn == 4)
            f.other[0] += 1;
        if (turn == 5)
            f.buffers[0] += 1;
        if (turn >= 3)
            f.s->changed(f.s->context, cached);
        float cost[2] = {eval(&f, plain, &args)->view[0].data[0], eval(&f, cached, &args)->view[0].data[0]};
        assert_true(cost[0] != 0 && fabsf(cost[0] - cost[1]) < 1e-5f * fabsf(cost[0]));
        assert_int_equal(f.s->vjp(f.s->context, plain, NULL, &a), GNT_OK);
        assert_int_equal(f.s->vjp(f.s->context, cached, NULL, &b), GNT_OK);
        assert_true(relative(b->x, a->x, N * FEATURES) < 1e-5);
        assert_true(relative(b->weights[0], a->weights[0], f.s->info->params.view[0].count) < 1e-5);
    }
    close_model(&f);
}

/* ∂/∂rate of the delta of one step is −gradient. */
static void rates_are_differentiable(void **state) {
    (void)state;
    fixture f;
    open_model(&f, plain_json, 0);
    gnt_function *g = prepare(&f, (gnt_function_spec){.kind = GNT_FN_UPDATE});
    gnt_function *fn =
        prepare(&f, (gnt_function_spec){.kind = GNT_FN_UPDATE, .steps = 1, .batch = N, .jvp = GNT_WRT_RATES});
    gnt_function_args args = args_of(&f), v = {.size = sizeof v};
    float gradient[MOST], moved[MOST], unit = 1;
    v.rates = &unit;
    flatten(eval(&f, g, &args), gradient);
    eval(&f, fn, &args);
    const gnt_views *out;
    assert_int_equal(f.s->jvp(f.s->context, fn, &v, &out), GNT_OK);
    flatten(out, moved);
    for (int64_t i = 0; i < f.size; i++)
        moved[i] = -moved[i];
    assert_true(relative(moved, gradient, f.size) < 1e-6);
    close_model(&f);
}

/* ---- matching ---- */

/* The four costs of two updates, in double, from their definitions. */
static double cost_of(int32_t cost, const float *u, const float *o, const float *mask, const fixture *f,
                      const float *weight) {
    double l2 = 0, l1 = 0, uo = 0, uu = 0, oo = 0;
    int64_t at = 0;
    for (int32_t i = 0; i < f->n_params; i++)
        for (int64_t k = 0; k < f->s->info->params.view[i].count; k++, at++) {
            double m = mask ? mask[at] : 1, a = m * u[at], b = m * o[at], w = weight ? weight[i] : 1;
            l2 += w * (a - b) * (a - b);
            l1 += w * fabs(a - b);
            uo += a * b;
            uu += a * a;
            oo += b * b;
        }
    return cost == GNT_COST_L2       ? l2
           : cost == GNT_COST_L1     ? l1
           : cost == GNT_COST_COSINE ? 1 - uo / sqrt(uu * oo)
                                     : oo - uo * uo / uu;
}

static void match_is_its_definition(void **state) {
    (void)state;
    static const float weight[16] = {0.5f, 2, 1, 3};
    for (int32_t cost = GNT_COST_L2; cost <= GNT_COST_SCALE_FREE; cost++)
        for (int masked = 0; masked < 2; masked++)
            for (int steps = 0; steps <= STEPS; steps += STEPS) {
                fixture f;
                open_model(&f, plain_json, 0);
                float mask[MOST], u[MOST];
                for (int64_t k = 0; k < f.size; k++)
                    mask[k] = k % 3 != 0;
                for (int32_t i = 0; i < f.n_params; i++)
                    f.mask[i] = mask + (f.observed[i] - f.other);
                const float *weights = cost == GNT_COST_L2 || cost == GNT_COST_L1 ? weight : NULL;
                gnt_function_args args = args_of(&f);
                gnt_function *update =
                    prepare(&f, (gnt_function_spec){.kind = GNT_FN_UPDATE, .steps = steps, .batch = BATCH});
                gnt_function *fn = prepare(&f, (gnt_function_spec){.kind = GNT_FN_MATCH,
                                                                   .steps = steps,
                                                                   .batch = BATCH,
                                                                   .cost = cost,
                                                                   .masked = masked,
                                                                   .layer_weight = weights});
                flatten(eval(&f, update, &args), u);
                double expected = cost_of(cost, u, f.other, masked ? mask : NULL, &f, weights);
                double got = eval(&f, fn, &args)->view[0].data[0];
                assert_true(fabs(got - expected) < 1e-4 * fabs(expected));
                close_model(&f);
            }
}

/* The gradient with u = 1 against central differences along a direction in x, y and the rates. The observed
 * update is far from the function's own, so that no cost sits at a kink. */
static void match_gradient_is_its_slope(void **state) {
    (void)state;
    for (int32_t cost = GNT_COST_L2; cost <= GNT_COST_SCALE_FREE; cost++) {
        const int heavy = cost == GNT_COST_COSINE || cost == GNT_COST_SCALE_FREE;
        fixture f;
        open_model(&f, norm_json, 1);
        gnt_function *fn = prepare(&f, (gnt_function_spec){.kind = GNT_FN_MATCH,
                                                           .steps = STEPS,
                                                           .batch = BATCH,
                                                           .cost = cost,
                                                           .training = 1,
                                                           .momentum = heavy ? 0.5 : 0,
                                                           .decay = heavy ? 0.05 : 0,
                                                           .vjp = GNT_WRT_X | GNT_WRT_Y | GNT_WRT_RATES});
        gnt_function_args args = args_of(&f);
        const gnt_gradient *g;
        eval(&f, fn, &args);
        assert_int_equal(f.s->vjp(f.s->context, fn, NULL, &g), GNT_OK);
        assert_null(g->weights);
        /* along the gradient itself, each group scaled to matter */
        float dx[N * FEATURES], dy[N * CLASSES], dr[STEPS];
        double nx = sqrt(dot(g->x, g->x, N * FEATURES)), ny = sqrt(dot(g->y, g->y, N * CLASSES)),
               nr = sqrt(dot(g->rates, g->rates, STEPS));
        assert_true(nx > 0 && ny > 0 && nr > 0);
        for (int i = 0; i < N * FEATURES; i++)
            dx[i] = (float)(g->x[i] / nx);
        for (int i = 0; i < N * CLASSES; i++)
            dy[i] = (float)(g->y[i] / ny);
        for (int i = 0; i < STEPS; i++)
            dr[i] = (float)(g->rates[i] / nr);
        const double slopes[3] = {nx, ny, nr}, h = cost == GNT_COST_L1 ? 2e-3 : 2e-2; /* few kinks within h */
        for (int group = 0; group < 3; group++) {
            double side[2];
            for (int sign = 0; sign < 2; sign++) {
                fixture moved = f;
                double step = sign ? h : -h;
                for (int i = 0; group == 0 && i < N * FEATURES; i++)
                    moved.x[i] += (float)(step * dx[i]);
                for (int i = 0; group == 1 && i < N * CLASSES; i++)
                    moved.y[i] += (float)(step * dy[i]);
                for (int i = 0; group == 2 && i < STEPS; i++)
                    moved.rates[i] += (float)(step * dr[i]);
                gnt_function_args at = args_of(&f);
                at.x = moved.x;
                at.y = moved.y;
                at.rates = moved.rates;
                side[sign] = eval(&f, fn, &at)->view[0].data[0];
            }
            double slope = (side[1] - side[0]) / (2 * h);
            assert_true(fabs(slope - slopes[group]) < (cost == GNT_COST_L1 ? 2e-2 : 5e-3) * slopes[group]);
        }
        close_model(&f);
    }
}

/* ---- borders ---- */

static void refusals_say_why(void **state) {
    (void)state;
    fixture f;
    open_model(&f, norm_json, 0);
    static const int64_t order[] = {0, N};
    const struct {
        gnt_function_spec spec;
        const char *word;
    } bad[] = {{{.kind = 9, .n = N}, "kind is 9"},
               {{.kind = GNT_FN_LOSS}, "n is 0"},
               {{.kind = GNT_FN_LOSS, .n = INT64_MAX / 2}, "n is "},
               {{.kind = GNT_FN_LOSS, .n = N, .steps = 2}, "steps is 2"},
               {{.kind = GNT_FN_FEATURES, .n = N}, "n_layers is 0"},
               {{.kind = GNT_FN_FEATURES, .n = N, .n_layers = 1, .layer = (const int32_t[]){99}}, "layer 99"},
               {{.kind = GNT_FN_UPDATE, .n = N, .vjp = GNT_WRT_RATES}, "rates"},
               {{.kind = GNT_FN_UPDATE, .n = N, .vjp = 64}, "0x40"},
               {{.kind = GNT_FN_LOGITS, .n = N, .vjp = GNT_WRT_Y}, "labels"},
               {{.kind = GNT_FN_MATCH, .n = N, .cost = 7}, "cost is 7"},
               {{.kind = GNT_FN_UPDATE, .n = N, .steps = 2}, "batch is 0"},
               {{.kind = GNT_FN_UPDATE, .n = N, .steps = 1, .batch = 2, .order = order}, "order[1] is 3"},
               {{.kind = GNT_FN_UPDATE, .n = N, .steps = 1, .batch = 1, .momentum = 1}, "momentum is 1"},
               {{.kind = GNT_FN_UPDATE, .n = N, .steps = 1, .batch = 1, .decay = -1}, "decay is -1"},
               {{.kind = GNT_FN_UPDATE, .n = N, .steps = 1, .batch = 1, .optimizer = 2}, "optimizer is 2"},
               {{.kind = GNT_FN_UPDATE, .n = N, .steps = 1, .batch = 1, .momentum = 0.9, .optimizer = 1},
                "but the optimizer is Adam"},
               {{.kind = GNT_FN_UPDATE, .n = N, .momentum = 0.5}, "there are no steps"},
               {{.kind = GNT_FN_UPDATE, .n = N, .steps = 90000, .batch = 1}, "take fewer steps"}};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        gnt_function_spec spec = bad[i].spec;
        spec.size = sizeof spec;
        assert_null(f.s->prepare(f.s->context, &spec));
        if (!strstr(gnt_service_error(f.service), bad[i].word))
            fail_msg("case %zu: %s", i, gnt_service_error(f.service));
    }
    gnt_function *loss = prepare(&f, (gnt_function_spec){.kind = GNT_FN_LOSS, .vjp = GNT_WRT_X});
    gnt_function_args args = args_of(&f);
    const gnt_views *out;
    const gnt_gradient *g;
    assert_int_equal(f.s->vjp(f.s->context, loss, NULL, &g), GNT_FAILED); /* before eval */
    assert_int_equal(f.s->jvp(f.s->context, loss, &args, &out), GNT_FAILED);
    args.size = GNT_FUNCTION_ARGS_SIZE_0_10 - 1;
    assert_int_equal(f.s->eval(f.s->context, loss, &args, &out), GNT_FAILED);
    assert_non_null(strstr(gnt_service_error(f.service), "too small"));
    args.size = sizeof args + 8; /* of a later version */
    assert_int_equal(f.s->eval(f.s->context, loss, &args, &out), GNT_OK);
    args.buffers = NULL; /* evaluation statistics need them */
    assert_int_equal(f.s->eval(f.s->context, loss, &args, &out), GNT_FAILED);
    assert_non_null(strstr(gnt_service_error(f.service), "buffers"));
    close_model(&f);
}

static void memory_limit_is_stated_and_released(void **state) {
    (void)state;
    fixture f;
    gnt_err err;
    open_model(&f, plain_json, 0);
    prepare(&f, (gnt_function_spec){.kind = GNT_FN_UPDATE, .steps = STEPS, .batch = BATCH, .vjp = GNT_WRT_X});
    size_t bytes = gnt_service_bytes(f.service);
    assert_true(bytes > 0);
    gnt_service *tight;
    gnt_service_spec spec = {.model = f.model, .name = "tight", .memory = bytes};
    assert_int_equal(gnt_service_new(&tight, &spec, &err), 0);
    const gnt_model_service *t = gnt_service_table(tight);
    gnt_function_spec want = {
        .size = sizeof want, .kind = GNT_FN_UPDATE, .n = N, .steps = STEPS, .batch = BATCH, .vjp = GNT_WRT_X};
    gnt_function *first = t->prepare(t->context, &want);
    assert_non_null(first);
    assert_null(t->prepare(t->context, &want));
    assert_non_null(strstr(gnt_service_error(tight), "bytes"));
    t->release(t->context, first);
    assert_int_equal(gnt_service_bytes(tight), 0);
    assert_non_null(t->prepare(t->context, &want));
    gnt_service_free(tight);
    close_model(&f);
}

static void batch_norm_follows_the_spec(void **state) {
    (void)state;
    fixture f;
    open_model(&f, norm_json, 1);
    gnt_function_args args = args_of(&f);
    float first[4];
    const gnt_views *out =
        eval(&f, prepare(&f, (gnt_function_spec){.kind = GNT_FN_LOSS, .training = -1}), &args);
    first[0] = out->view[0].data[0];
    for (int32_t t = 0; t < 2; t++)
        first[1 + t] = eval(&f, prepare(&f, (gnt_function_spec){.kind = GNT_FN_LOSS, .training = t}), &args)
                           ->view[0]
                           .data[0];
    assert_true(first[0] == first[2] && first[0] != first[1]);
    f.buffers[0] += 1; /* a running mean moves evaluation only */
    assert_true(eval(&f, prepare(&f, (gnt_function_spec){.kind = GNT_FN_LOSS, .training = 1}), &args)
                    ->view[0]
                    .data[0] == first[2]);
    assert_true(eval(&f, prepare(&f, (gnt_function_spec){.kind = GNT_FN_LOSS, .training = 0}), &args)
                    ->view[0]
                    .data[0] != first[1]);
    close_model(&f);
}

/* As in the trainer of clients, which the running ones do not change. */
static void statistics_are_the_batchs(void **state) {
    (void)state;
    fixture f;
    float grad[MOST], its[64], got[64];
    gnt_err err = {0};
    gnt_trainer *t;
    open_model(&f, norm_json, 0);
    gnt_function_args args = args_of(&f);
    gnt_function *fn = prepare(&f, (gnt_function_spec){.kind = GNT_FN_STATISTICS});
    const gnt_views *out = eval(&f, fn, &args);
    assert_int_equal(out->n, f.s->info->buffers.n);
    assert_string_equal(out->view[1].name, f.s->info->buffers.view[1].name);
    flatten(out, got);
    assert_int_equal(gnt_trainer_new(&t, f.model, N, 1, &err), 0);
    assert_int_equal(gnt_trainer_gradient(t, f.weights, f.buffers, f.x, f.y, grad, NULL, its, &err), 0);
    gnt_trainer_free(t);
    assert_true(relative(got, its, f.s->info->n_buffers) < 1e-6);
    close_model(&f);
    open_model(&f, plain_json, 0);
    const gnt_function_spec none = {.size = sizeof none, .kind = GNT_FN_STATISTICS, .n = N};
    assert_null(f.s->prepare(f.s->context, &none));
    assert_non_null(strstr(gnt_service_error(f.service), "statistics cannot be prepared: the model has no"));
    close_model(&f);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(gradient_is_the_graphs_own),
        cmocka_unit_test(loss_is_the_mean_cross_entropy),
        cmocka_unit_test(features_are_those_of_the_layers),
        cmocka_unit_test(unrolled_update_is_manual_steps),
        cmocka_unit_test(vjp_and_jvp_are_adjoint),
        cmocka_unit_test(jvp_alone_is_the_slope_of_the_loss),
        cmocka_unit_test(constant_arguments_change_nothing_else),
        cmocka_unit_test(rates_are_differentiable),
        cmocka_unit_test(match_is_its_definition),
        cmocka_unit_test(match_gradient_is_its_slope),
        cmocka_unit_test(refusals_say_why),
        cmocka_unit_test(memory_limit_is_stated_and_released),
        cmocka_unit_test(batch_norm_follows_the_spec),
        cmocka_unit_test(statistics_are_the_batchs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
