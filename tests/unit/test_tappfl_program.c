/* tappfl as its authors' program has it: the networks against formulas written out in double; Adam, what is
 * pretrained, how g and h begin a round, and which sample is the independent one. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "../../plugins/defenses/representation/objective.c"
#include "../../plugins/defenses/representation/side_layers.c"
#include "representation_bench.h"

/* ---- the networks ---- */

enum { ROWS = 5, X = 3, R = 6, VALUES = 3, WIDEST = 100, MOST_ROWS = 4 * ROWS, MOST = 20000 };

typedef struct rows {
    int n, width;
    double at[MOST_ROWS][WIDEST];
} rows;

static double softplus(double z) {
    return z > 0 ? z + log1p(exp(-z)) : log1p(exp(z));
}

/* Applies a dense layer; `normed`: each ROWS of them to mean 0 and variance 1, then scaled and shifted.
 * Returns what is behind its parameters. */
static const double *dense(const double *p, rows *x, int width, int normed, int relu) {
    const double *bias = p + width * x->width, *scale = bias + width, *shift = scale + width;
    rows out = {.n = x->n, .width = width};
    for (int j = 0; j < x->n; j++)
        for (int o = 0; o < width; o++) {
            out.at[j][o] = bias[o];
            for (int i = 0; i < x->width; i++)
                out.at[j][o] += p[o * x->width + i] * x->at[j][i];
        }
    for (int from = 0; normed && from < x->n; from += ROWS)
        for (int o = 0; o < width; o++) {
            double mean = 0, variance = 0;
            for (int j = from; j < from + ROWS; j++)
                mean += out.at[j][o] / ROWS;
            for (int j = from; j < from + ROWS; j++)
                variance += (out.at[j][o] - mean) * (out.at[j][o] - mean) / ROWS;
            for (int j = from; j < from + ROWS; j++)
                out.at[j][o] = scale[o] * (out.at[j][o] - mean) / sqrt(variance + 1e-5) + shift[o];
        }
    for (int j = 0; relu && j < x->n; j++)
        for (int o = 0; o < width; o++)
            out.at[j][o] = fmax(0, out.at[j][o]);
    *x = out;
    return normed ? shift + width : bias + width;
}

typedef struct sample {
    double r[ROWS][R], x[ROWS][X], other[ROWS][X], side[MOST];
    int u[ROWS];
} sample;

/* CE(u, g(r)); *behind: the parameters of h. */
static double hidden_of(const sample *s, const double **behind) {
    static const int widths[] = {8, 8, 4, 0};
    rows z = {.n = ROWS, .width = R};
    const double *p = s->side;
    double all = 0;
    for (int j = 0; j < ROWS; j++)
        memcpy(z.at[j], s->r[j], sizeof s->r[j]);
    for (const int *w = widths; *w; w++)
        p = dense(p, &z, *w, 1, 1);
    *behind = dense(p, &z, VALUES, 0, 0);
    for (int j = 0; j < ROWS; j++) {
        double sum = 0;
        for (int v = 0; v < VALUES; v++)
            sum += exp(z.at[j][v]);
        all -= (z.at[j][s->u[j]] - log(sum)) / ROWS;
    }
    return all;
}

/* E sp(−h(x, r, u)) + E sp(h(x̄, r, u)): x and x̄ through the first half, these and r through the
 * second, each five rows normalised apart; joined with the value's number. */
static double kept_of(const sample *s, const double *p) {
    static const int first[] = {8, 8, 8, R, 0}, second[] = {8, 8, 8, 10, 10, 10, 10, 10, 10, 0};
    rows x = {.n = 2 * ROWS, .width = X}, both = {.n = 4 * ROWS, .width = R}, joined = {.n = 2 * ROWS};
    double all = 0;
    for (int j = 0; j < ROWS; j++) {
        memcpy(x.at[j], s->x[j], sizeof s->x[j]);
        memcpy(x.at[ROWS + j], s->other[j], sizeof s->other[j]);
    }
    for (const int *w = first; *w; w++)
        p = dense(p, &x, *w, 1, 1);
    for (int j = 0; j < 2 * ROWS; j++) {
        memcpy(both.at[j], x.at[j], R * sizeof(double));
        memcpy(both.at[2 * ROWS + j], s->r[j % ROWS], R * sizeof(double));
    }
    for (const int *w = second; *w; w++)
        p = dense(p, &both, *w, 1, 1);
    joined.width = 2 * both.width + 1;
    for (int j = 0; j < 2 * ROWS; j++) {
        memcpy(joined.at[j], both.at[j], (size_t)both.width * sizeof(double));
        memcpy(joined.at[j] + both.width, both.at[2 * ROWS + j], (size_t)both.width * sizeof(double));
        joined.at[j][2 * both.width] = s->u[j % ROWS];
    }
    p = dense(p, &joined, 82, 0, 1);
    p = dense(p, &joined, 10, 0, 1);
    dense(p, &joined, 1, 0, 0);
    for (int j = 0; j < ROWS; j++)
        all += (softplus(-joined.at[j][0]) + softplus(joined.at[ROWS + j][0])) / ROWS;
    return all;
}

static void draw(sample *s, const side_params *p, uint64_t seed) {
    const gnt_key key = gnt_key_of_seed(seed);
    gnt_stream r = gnt_stream_open(&key, "program");
    double *at = s->side;
    assert_true(p->size <= MOST);
    for (int32_t k = 0; k < p->n; k++)
        for (int64_t i = 0; i < p->count[k]; i++)
            *at++ = p->inputs[k] > 0 ? sqrt(2.0 / (double)p->inputs[k]) * gnt_random_normal(&r)
                                     : p->is_scale[k] + 0.3 * gnt_random_normal(&r);
    for (int j = 0; j < ROWS; j++) {
        s->u[j] = j % VALUES;
        for (int i = 0; i < R; i++)
            s->r[j][i] = gnt_random_normal(&r);
        for (int i = 0; i < X; i++) {
            s->x[j][i] = gnt_random_normal(&r);
            s->other[j][i] = gnt_random_normal(&r);
        }
    }
}

static void is_near(double got, double expected) {
    if (fabs(got - expected) > 1e-9 * fmax(1, fabs(expected)))
        fail_msg("%.12g, expected %.12g", got, expected);
}

static void networks_are_those_of_the_program(void **state) {
    (void)state;
    const objective_shape shape = {.rows = ROWS,
                                   .x_rank = 1,
                                   .x_dim = {X},
                                   .r_rank = 1,
                                   .r_dim = {R},
                                   .values = VALUES,
                                   .classes = CLASSES,
                                   .width = 0.02,
                                   .of_program = 1};
    static sample s;
    objective o = {.r = -1};
    char error[300] = "";
    gnt_graph *g = gnt_graph_new();
    tappfl_objective(g, &shape, &o);
    const gnt_node out[2] = {o.hidden, o.kept};
    gnt_program *p = gnt_program_new(g, out, NULL, 2, 8, error, sizeof error);
    if (!p)
        fail_msg("%s", error);
    gnt_graph_free(g);
    for (uint64_t seed = 1; seed <= 3; seed++) {
        double u[ROWS * VALUES] = {0};
        const double *at = s.side, *of_h;
        draw(&s, &o.side, seed);
        for (int j = 0; j < ROWS; j++)
            u[j * VALUES + s.u[j]] = 1;
        gnt_program_bind(p, o.r, s.r);
        gnt_program_bind(p, o.x, s.x);
        gnt_program_bind(p, o.other, s.other);
        gnt_program_bind(p, o.u, u);
        for (int32_t k = 0; k < o.side.n; at += o.side.count[k++])
            gnt_program_bind(p, o.side.node[k], at);
        assert_int_equal(gnt_program_run(p, 0), 0);
        is_near(*(const double *)gnt_program_output(p, 0), hidden_of(&s, &of_h));
        is_near(*(const double *)gnt_program_output(p, 1), kept_of(&s, of_h));
    }
    gnt_program_free(p);
}

/* The towers of images: as many parameters as their layers have, and a finite loss. */
static void towers_of_images_are_built(void **state) {
    (void)state;
    enum { PIXELS = 4, BEHIND = 8 };
    const objective_shape shape = {.rows = 2,
                                   .x_rank = 3,
                                   .x_dim = {3, 4 * PIXELS, 4 * PIXELS},
                                   .r_rank = 3,
                                   .r_dim = {BEHIND, PIXELS, PIXELS},
                                   .values = 2,
                                   .classes = 2,
                                   .width = 0.01,
                                   .of_program = 1};
    objective o = {.r = -1};
    gnt_graph *g = gnt_graph_new();
    tappfl_objective(g, &shape, &o);
    /* g: 9 convolutions and 3 dense layers; h: 4 and 9 convolutions, 3 dense layers; 4 tensors each with a
     * norm, 2 without */
    assert_int_equal(o.g_tensors, 9 * 4 + 3 * 2);
    assert_int_equal(o.side.n, o.g_tensors + 13 * 4 + 3 * 2);
    assert_int_equal(gnt_nn_shape_of(g, o.own).rank, 0);
    gnt_graph_free(g);
}

/* ---- the hook ---- */

/* One step of round 0: the update, and what the device keeps. */
static void step_once(const char *json, float update[SHARED], kept *state) {
    bench b;
    device d;
    make_device(&d);
    open_bench(&b, json);
    if (bench_train(&b, &d, 0, 1) != GNT_OK)
        fail_msg("%s", b.err.text);
    memcpy(update, b.update, SHARED * sizeof *update);
    if (state)
        assert_int_equal(bench_save(&b, 0, state), GNT_OK);
    close_bench(&b);
}

/* Adam's first step is as long as its rate in every entry whose gradient is not 0. */
static void adam_steps_by_its_rate(void **state) {
    (void)state;
    float update[SHARED], decayed[SHARED];
    int moved = 0, differ = 0;
    step_once("{\"width\": 0.05, \"optimizer\": \"adam\"}", update, NULL);
    for (int i = 0; i < SHARED; i++) {
        const double step = fabs((double)update[i]);
        assert_true(step < 1e-12 || fabs(step - 0.1) < 1e-3);
        moved += step > 0;
    }
    assert_true(moved > SHARED / 4); /* units of ReLU may be off */
    step_once("{\"width\": 0.05, \"decay\": 0.5}", decayed, NULL);
    step_once("{\"width\": 0.05}", update, NULL);
    bench b; /* the rate is 0.1 */
    open_bench(&b, "{\"width\": 0.05}");
    for (int i = 0; i < SHARED; i++)
        differ += fabs((double)decayed[i] - ((double)update[i] - 0.1 * 0.5 * (double)b.weights[i])) > 1e-6;
    close_bench(&b);
    assert_int_equal(differ, 0);
}

/* f helps g: the opposite of the step at λ = 1, which hides from it. g learns; h, whose rate counts for
 * nothing, does not. */
static void pretraining_helps_to_infer(void **state) {
    (void)state;
    float hides[SHARED], helps[SHARED];
    kept slow, fast;
    enum { OF_G = 8 * 12 + 8 + 8 * 8 + 8 + 2 * 8 + 2 };
    step_once("{\"width\": 0.05, \"lambda\": 1}", hides, NULL);
    step_once("{\"width\": 0.05, \"lambda\": 0.3, \"pretrain\": 1, \"pretrain_on\": \"attribute\"}", helps,
              &slow);
    for (int i = 0; i < SHARED; i++)
        assert_true(fabs((double)hides[i] + (double)helps[i]) < 1e-6);
    step_once("{\"width\": 0.05, \"pretrain\": 1, \"pretrain_on\": \"attribute\", \"side_rate\": 0.3}", helps,
              &fast);
    const float *s = slow.view[0].data, *f = fast.view[0].data;
    assert_memory_not_equal(s, f, OF_G * sizeof(float));
    assert_memory_equal(s + OF_G, f + OF_G, ((size_t)slow.view[0].count - OF_G) * sizeof(float));
    try_drop(&slow);
    try_drop(&fast);
}

/* Behind the pretraining a round changes nothing of what the device keeps. */
static void g_and_h_begin_as_pretrained(void **state) {
    (void)state;
    static const char *const json[] = {"{\"width\": 0.05, \"pretrain\": 1, \"side_begins\": \"pretrained\"}",
                                       "{\"width\": 0.05, \"pretrain\": 1}"};
    device d;
    make_device(&d);
    for (int i = 0; i < 2; i++) {
        bench b;
        kept before, after;
        open_bench(&b, json[i]);
        assert_int_equal(bench_train(&b, &d, 0, 20), GNT_OK);
        assert_int_equal(bench_save(&b, 0, &before), GNT_OK);
        assert_int_equal(bench_train(&b, &d, 1, 20), GNT_OK);
        assert_int_equal(bench_save(&b, 0, &after), GNT_OK);
        const size_t bytes = (size_t)before.view[0].count * sizeof(float);
        assert_int_equal(memcmp(before.view[0].data, after.view[0].data, bytes) == 0, i == 0);
        try_drop(&before);
        try_drop(&after);
        close_bench(&b);
    }
}

/* The accuracy that the program prints: of the g that was pretrained, on an f that has moved since. */
static void a_stale_g_is_tried(void **state) {
    (void)state;
    static const char json[] =
        "{\"width\": 0.05, \"lambda\": 0.9, \"pretrain\": 2, \"pretrain_on\": \"attribute\", "
        "\"side_begins\": \"pretrained\", \"validation\": 0.27}";
    enum { UNSEEN = 54 };
    device d;
    make_device(&d);
    const double right = UNSEEN * fact_of("stale_accuracy", &d, json, NULL);
    assert_true(right >= 0 && right <= UNSEEN && fabs(right - round(right)) < 1e-9);
    assert_true(isnan(fact_of("stale_accuracy", &d, "{\"width\": 0.05, \"validation\": 0.27}", NULL)));
}

static void the_independent_sample_may_be_the_next(void **state) {
    (void)state;
    float value[SHARED], next[SHARED], hidden[SHARED];
    step_once("{\"width\": 0.05, \"lambda\": 0}", value, NULL);
    step_once("{\"width\": 0.05, \"lambda\": 0, \"independent\": \"next\"}", next, NULL);
    assert_memory_not_equal(value, next, sizeof value);
    step_once("{\"width\": 0.05, \"lambda\": 1}", value, NULL); /* where x̄ does not enter */
    step_once("{\"width\": 0.05, \"lambda\": 1, \"independent\": \"next\"}", hidden, NULL);
    assert_memory_equal(value, hidden, sizeof value);
}

/* f with batch norm: after one step a client sends a tenth of how far the batch's mean and unbiased variance
 * are from those broadcast, 0 and 1. A batch of all samples has these, whatever its order. */
static void statistics_of_f_are_sent(void **state) {
    (void)state;
    enum {
        UNITS = 4,
        OF_F = UNITS * FEATURES + UNITS,
        BUFFERS = 2 * UNITS,
        ALL = OF_F + 2 * UNITS + 2 * UNITS + 2
    };
    static const char json[] =
        "{\"layers\": [{\"type\": \"dense\", \"name\": \"f\", \"out\": 4}, {\"type\": \"batch_norm\", "
        "\"name\": "
        "\"n\"}, {\"type\": \"relu\", \"name\": \"r\"}, {\"type\": \"dense\", \"name\": \"head\", \"out\": "
        "\"classes\"}], \"representation\": \"r\", \"share\": \"representation\"}";
    const gnt_nn_shape row = {1, {FEATURES}};
    float weights[ALL] = {0}, update[OF_F + 2 * UNITS], sent[BUFFERS] = {0}, kept_stats[BUFFERS] = {0};
    char where[4096];
    gnt_model *model;
    gnt_service *service;
    gnt_err err = {0};
    tried t;
    device d;
    make_device(&d);
    for (int i = 0; i < OF_F; i++)
        weights[i] = (float)((i * 7 % 11) - 5) / 8;
    for (int i = 0; i < UNITS; i++)
        weights[OF_F + i] = kept_stats[UNITS + i] = 1;
    if (gnt_model_parse(&model, "test", json, &row, CLASSES, NULL, NULL, &err))
        fail_msg("%s", err.text);
    const gnt_service_spec of = {.model = model, .name = "test"};
    assert_int_equal(gnt_service_new(&service, &of, &err), 0);
    if (try_load(&t, built("plugins/defenses/representation.so", where), GNT_PLUGIN_DEFENSE, "tappfl",
                 "{\"width\": 0.05}", &err) ||
        try_start(&t, 1, (gnt_instance_spec){.model = service}, &err))
        fail_msg("%s", err.text);
    gnt_tensor shared[4] = {try_tensor("f.weight", update, UNITS * FEATURES),
                            try_tensor("f.bias", update + UNITS * FEATURES, UNITS),
                            try_tensor("n.weight", update + OF_F, UNITS),
                            try_tensor("n.bias", update + OF_F + UNITS, UNITS)};
    gnt_tensor stats[2] = {try_tensor("n.mean", sent, UNITS), try_tensor("n.var", sent + UNITS, UNITS)};
    gnt_tensors all = {4, shared}, statistics = {2, stats};
    const gnt_client client = {.size = sizeof client,
                               .rounds = ROUNDS,
                               .n_clients = 1,
                               .n_samples = SAMPLES,
                               .rate = 0.1,
                               .steps = 1,
                               .batch = SAMPLES,
                               .samples = &d.samples,
                               .weights = weights,
                               .buffers = kept_stats,
                               .sent_buffers = &statistics};
    gnt_instance_enter(t.instance, "client_update");
    if (gnt_instance_leave(
            t.instance,
            gnt_instance_defense(t.instance)->client_update(gnt_instance_self(t.instance), &client, &all),
            &err))
        fail_msg("%s", err.text);
    for (int u = 0; u < UNITS; u++) {
        double z[SAMPLES], mean = 0, variance = 0;
        for (int j = 0; j < SAMPLES; j++) {
            z[j] = (double)weights[UNITS * FEATURES + u];
            for (int i = 0; i < FEATURES; i++)
                z[j] += (double)weights[u * FEATURES + i] * (double)d.x[j * FEATURES + i];
            mean += z[j] / SAMPLES;
        }
        for (int j = 0; j < SAMPLES; j++)
            variance += (z[j] - mean) * (z[j] - mean) / (SAMPLES - 1);
        assert_true(fabs((double)sent[u] - 0.1 * mean) < 1e-6);
        assert_true(fabs((double)sent[UNITS + u] - 0.1 * (variance - 1)) < 1e-6);
    }
    try_close(&t);
    gnt_service_free(service);
    gnt_model_free(model);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(networks_are_those_of_the_program),
        cmocka_unit_test(towers_of_images_are_built),
        cmocka_unit_test(adam_steps_by_its_rate),
        cmocka_unit_test(pretraining_helps_to_infer),
        cmocka_unit_test(g_and_h_begin_as_pretrained),
        cmocka_unit_test(a_stale_g_is_tried),
        cmocka_unit_test(the_independent_sample_may_be_the_next),
        cmocka_unit_test(statistics_of_f_are_sent),
    };
    return cmocka_run_group_tests_name("tappfl_program", tests, NULL, NULL);
}
