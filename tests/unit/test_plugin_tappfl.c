/* tappfl, adversarial, dpfe: the directions in which their networks move, against the derivatives by central
 * differences of their objectives written out in double for a two-layer extractor; that tappfl does not see
 * labels; what a device keeps. */
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
#include "base/random.h"
#include "representation_bench.h"

enum { ROWS = 5, X = 3, INNER = 5, R = 6, VALUES = 3, THETA = X * INNER + INNER * R, MOST = 200000 };

static const int g_widths[] = {8, 8, 0},
                 h_widths[] = {8, 8, 8, 8, 8, 8, 8, 10, 10, 10, 10, 10, 10, 82, 10, 0};

typedef struct trial {
    double theta[THETA], side[MOST], x[ROWS * X], other[ROWS * X], u[ROWS * VALUES], y[ROWS * CLASSES];
    int64_t of_g, size; /* entries of g, which come first; of all */
} trial;

/* ---- Eq. 7 in double ---- */

static double softplus(double z) {
    return z > 0 ? z + log1p(exp(-z)) : log1p(exp(z));
}

/* Dense layers with ReLU between them; gives what is behind their parameters. */
static const double *forward(const double *p, const int *widths, int outputs, const double *in, int inputs,
                             double *out) {
    double now[256], next[256];
    memcpy(now, in, (size_t)inputs * sizeof *now);
    for (int last = 0; !last;) {
        last = *widths == 0;
        const int width = last ? outputs : *widths++;
        const double *bias = p + width * inputs;
        for (int o = 0; o < width; o++) {
            double sum = bias[o];
            for (int i = 0; i < inputs; i++)
                sum += p[o * inputs + i] * now[i];
            next[o] = last ? sum : fmax(0, sum);
        }
        for (int o = 0; o < width; o++)
            now[o] = next[o];
        p = bias + width;
        inputs = width;
    }
    memcpy(out, now, (size_t)outputs * sizeof *out);
    return p;
}

/* Two dense layers without biases. */
static void extract(const double *theta, const double *x, double *r) {
    double inner[INNER];
    for (int o = 0; o < INNER; o++) {
        double sum = 0;
        for (int i = 0; i < X; i++)
            sum += theta[o * X + i] * x[i];
        inner[o] = fmax(0, sum);
    }
    for (int o = 0; o < R; o++) {
        r[o] = 0;
        for (int i = 0; i < INNER; i++)
            r[o] += theta[INNER * X + o * INNER + i] * inner[i];
    }
}

static double cross_entropy(const trial *t, const double *side, const double *label, int values) {
    double all = 0;
    for (int j = 0; j < ROWS; j++) {
        double r[R], z[VALUES], sum = 0;
        extract(t->theta, t->x + j * X, r);
        forward(side, g_widths, values, r, R, z);
        for (int v = 0; v < values; v++)
            sum += exp(z[v]);
        for (int v = 0; v < values; v++)
            all -= label[j * values + v] * (z[v] - log(sum)) / ROWS;
    }
    return all;
}

static double cross_entropy_of_u(const trial *t) {
    return cross_entropy(t, t->side, t->u, VALUES);
}

/* By the task's head, which comes behind g, or alone. */
static double cross_entropy_of_y(const trial *t) {
    return cross_entropy(t, t->side + t->of_g, t->y, CLASSES);
}

/* ½·(log s² − Σ_u p(u)·log s_u²), its mean over entries, with 0.001 added to each variance. */
static double normal_information(const trial *t) {
    double r[ROWS][R], all = 0;
    for (int j = 0; j < ROWS; j++)
        extract(t->theta, t->x + j * X, r[j]);
    for (int k = 0; k < R; k++)
        for (int v = -1; v < VALUES; v++) { /* −1: of all */
            double n = 0, mean = 0, variance = 0;
            for (int j = 0; j < ROWS; j++)
                if (v < 0 || t->u[j * VALUES + v] > 0) {
                    n++;
                    mean += r[j][k];
                }
            for (int j = 0; j < ROWS; j++)
                if (v < 0 || t->u[j * VALUES + v] > 0)
                    variance += (r[j][k] - mean / n) * (r[j][k] - mean / n) / n;
            if (n > 0)
                all += 0.5 * (v < 0 ? 1 : -n / ROWS) * log(variance + 1e-3) / R;
        }
    return all;
}

static double h_of(const trial *t, const double *x, const double *r, const double *u) {
    double in[X + R + VALUES], score;
    memcpy(in, x, X * sizeof *in);
    memcpy(in + X, r, R * sizeof *in);
    memcpy(in + X + R, u, VALUES * sizeof *in);
    forward(t->side + t->of_g, h_widths, 1, in, X + R + VALUES, &score);
    return score;
}

/* −I^JSD = E[sp(−h(x, r, u))] + E[sp(h(x̄, r, u))] */
static double minus_jensen_shannon(const trial *t) {
    double all = 0;
    for (int j = 0; j < ROWS; j++) {
        double r[R];
        const double *u = t->u + j * VALUES;
        extract(t->theta, t->x + j * X, r);
        all += (softplus(-h_of(t, t->x + j * X, r, u)) + softplus(h_of(t, t->other + j * X, r, u))) / ROWS;
    }
    return all;
}

/* ---- the graph ---- */

typedef struct made {
    objective o;
    gnt_node x, theta[2];
    gnt_program *program; /* ∂(a·hidden + b·kept) by Θ, ∂own by the side networks, hidden, kept */
} made;

static objective_shape shape_of_rows(double width, double g_width) {
    return (objective_shape){.rows = ROWS,
                             .x_rank = 1,
                             .x_dim = {X},
                             .r_rank = 1,
                             .r_dim = {R},
                             .values = VALUES,
                             .classes = CLASSES,
                             .width = width,
                             .g_width = g_width};
}

static void make(made *m, objective_build *build) {
    static const int64_t x_dim[2] = {ROWS, X}, first[2] = {INNER, X}, second[2] = {R, INNER};
    const objective_shape shape = shape_of_rows(0.02, 0);
    gnt_node out[2 + SIDE_TENSORS + 2];
    char error[300] = "";
    gnt_graph *g = gnt_graph_new();
    *m = (made){.x = gnt_nn_input(g, "x", 2, x_dim, 0)};
    m->theta[0] = gnt_nn_input(g, "w", 2, first, 0);
    m->theta[1] = gnt_nn_input(g, "w", 2, second, 0);
    m->o.r = gnt_nn_dense(g, gnt_nn_relu(g, gnt_nn_dense(g, m->x, m->theta[0], -1)), m->theta[1], -1);
    build(g, &shape, &m->o);
    const gnt_node total =
        gnt_nn_add(g, gnt_nn_mul(g, m->o.a, m->o.hidden), gnt_nn_mul(g, m->o.b, m->o.kept));
    assert_int_equal(gnt_nn_vjp(g, &total, NULL, 1, m->theta, 2, out), 0);
    assert_int_equal(gnt_nn_vjp(g, &m->o.own, NULL, 1, m->o.side.node, m->o.side.n, out + 2), 0);
    out[2 + m->o.side.n] = m->o.hidden;
    out[3 + m->o.side.n] = m->o.kept;
    m->program = gnt_program_new(g, out, NULL, 4 + m->o.side.n, 8, error, sizeof error);
    if (!m->program)
        fail_msg("%s", error);
    gnt_graph_free(g);
}

static void run(made *m, const trial *t, const double *a, const double *b) {
    const double *at = t->side;
    gnt_program_bind(m->program, m->x, t->x); /* the extractor's */
    gnt_program_bind(m->program, m->o.u, t->u);
    if (m->o.x >= 0)
        gnt_program_bind(m->program, m->o.x, t->x); /* h's */
    if (m->o.other >= 0)
        gnt_program_bind(m->program, m->o.other, t->other);
    if (m->o.y >= 0)
        gnt_program_bind(m->program, m->o.y, t->y);
    gnt_program_bind(m->program, m->o.a, a);
    gnt_program_bind(m->program, m->o.b, b);
    gnt_program_bind(m->program, m->theta[0], t->theta);
    gnt_program_bind(m->program, m->theta[1], t->theta + INNER * X);
    for (int32_t k = 0; k < m->o.side.n; at += m->o.side.count[k++])
        gnt_program_bind(m->program, m->o.side.node[k], at);
    assert_int_equal(gnt_program_run(m->program, 0), 0);
}

static void start(trial *t, const made *m, int tensors_of_g, uint64_t seed) {
    const gnt_key key = gnt_key_of_seed(seed);
    gnt_stream s = gnt_stream_open(&key, "tappfl");
    *t = (trial){.size = m->o.side.size};
    assert_true(t->size <= MOST);
    for (int i = 0; i < THETA; i++)
        t->theta[i] = 0.7 * gnt_random_normal(&s);
    for (int32_t k = 0, at = 0; k < m->o.side.n; at += (int32_t)m->o.side.count[k++])
        for (int64_t i = 0; i < m->o.side.count[k]; i++)
            t->side[at + i] = m->o.side.inputs[k] > 0
                                  ? sqrt(2.0 / (double)m->o.side.inputs[k]) * gnt_random_normal(&s)
                                  : 0.3 * gnt_random_uniform(&s); /* few neurons are off */
    for (int32_t k = 0; k < tensors_of_g; k++)
        t->of_g += m->o.side.count[k];
    for (int i = 0; i < ROWS * X; i++) {
        t->x[i] = gnt_random_normal(&s);
        t->other[i] = gnt_random_normal(&s);
    }
    for (int j = 0; j < ROWS; j++)
        t->u[j * VALUES + j % 2] = t->y[j * CLASSES + j / 3] = 1; /* value 2 is not there */
}

static void is_near(double got, double expected) {
    if (fabs(got - expected) > 1e-6 * fmax(1, fabs(expected)))
        fail_msg("%.9g, expected %.9g", got, expected);
}

/* The derivative of f by *at. */
static double differ(double (*f)(const trial *), trial *t, double *at) {
    const double before = *at, h = 1e-6;
    *at = before + h;
    const double more = f(t);
    *at = before - h;
    const double less = f(t);
    *at = before;
    return (more - less) / (2 * h);
}

typedef double part(const trial *t);

/* The extractor lowers sign·λ·hidden + (1 − λ)·kept, the side networks the part that each is in: g is the
 * first `tensors_of_g` tensors, in `hidden`, and what comes behind is in `kept`. */
static void moves_by(objective_build *build, part *hidden, part *kept_part, double sign, int tensors_of_g) {
    static const double lambdas[] = {0, 0.3, 1};
    made m;
    trial *t = malloc(sizeof *t);
    make(&m, build);
    int64_t moved = 0, pairs = 0;
    for (uint64_t seed = 1; seed <= 3; seed++) {
        const double lambda = lambdas[seed - 1], a = sign * lambda, b = 1 - lambda;
        start(t, &m, tensors_of_g, seed);
        run(&m, t, &a, &b);
        is_near(*(const double *)gnt_program_output(m.program, 2 + m.o.side.n), hidden(t));
        is_near(*(const double *)gnt_program_output(m.program, 3 + m.o.side.n), kept_part(t));
        for (int i = 0; i < THETA; i++) {
            const double *by = gnt_program_output(m.program, i >= INNER * X);
            const double expected =
                a * differ(hidden, t, &t->theta[i]) + b * differ(kept_part, t, &t->theta[i]);
            is_near(by[i >= INNER * X ? i - INNER * X : i], expected);
            moved += fabs(expected) > 1e-4;
        }
        int64_t at = 0;
        for (int32_t k = 0; k < m.o.side.n; at += m.o.side.count[k++]) {
            const double *by = gnt_program_output(m.program, 2 + k);
            for (int64_t i = 0; i < m.o.side.count[k]; i += 1 + m.o.side.count[k] / 40) {
                const double expected = differ(k < tensors_of_g ? hidden : kept_part, t, &t->side[at + i]);
                is_near(by[i], expected);
                pairs += k >= tensors_of_g && fabs(expected) > 1e-4;
            }
        }
    }
    assert_true(moved > THETA && pairs > 50); /* not all of it is off */
    gnt_program_free(m.program);
    free(t);
}

static void tappfl_moves_as_eq_7_says(void **state) {
    (void)state;
    moves_by(tappfl_objective, cross_entropy_of_u, minus_jensen_shannon, -1, 6);
}

static void adversarial_moves_against_g(void **state) {
    (void)state;
    moves_by(adversarial_objective, cross_entropy_of_u, cross_entropy_of_y, -1, 6);
}

static void dpfe_lowers_normal_information(void **state) {
    (void)state;
    moves_by(dpfe_objective, normal_information, cross_entropy_of_y, 1, 0);
}

/* g of images begins with convolutions of 256 and, from the fourth on, of 512 channels (Table 3). */
static void channels_come_in_blocks(void **state) {
    (void)state;
    static const struct {
        double width;
        int64_t first, fourth;
    } expected[] = {{1, 256, 512}, {0.1, 32, 48}, {0.05, 16, 32}, {0.01, 8, 8}};
    enum { PIXELS = 8, BEHIND = 32, TENSOR = 6 }; /* weights and biases take turns */
    for (size_t i = 0; i < sizeof expected / sizeof *expected; i++) {
        const objective_shape shape = {.rows = ROWS,
                                       .x_rank = 3,
                                       .x_dim = {3, 4 * PIXELS, 4 * PIXELS},
                                       .r_rank = 3,
                                       .r_dim = {BEHIND, PIXELS, PIXELS},
                                       .values = VALUES,
                                       .classes = CLASSES,
                                       .width = expected[i].width};
        objective o = {.r = -1};
        gnt_graph *g = gnt_graph_new();
        tappfl_objective(g, &shape, &o);
        assert_int_equal(o.side.count[0], expected[i].first * BEHIND * 9);
        assert_int_equal(o.side.count[TENSOR + 1], expected[i].fourth);
        gnt_graph_free(g);
    }
}

/* g of vectors has 64 and 128 neurons (Table 3), h begins with 16. */
static void g_keeps_a_width_of_its_own(void **state) {
    (void)state;
    static const struct {
        double width, g_width;
        int64_t first, second, of_h;
    } expected[] = {{0.25, 0, 16, 32, 8}, {0.25, 1, 64, 128, 8}, {1, 0.25, 16, 32, 16}};
    enum { TENSOR = 6 };
    for (size_t i = 0; i < sizeof expected / sizeof *expected; i++) {
        const objective_shape shape = shape_of_rows(expected[i].width, expected[i].g_width);
        objective o = {.r = -1};
        gnt_graph *g = gnt_graph_new();
        tappfl_objective(g, &shape, &o);
        assert_int_equal(o.side.count[0], expected[i].first * R);
        assert_int_equal(o.side.count[3], expected[i].second);
        assert_int_equal(o.side.count[TENSOR], expected[i].of_h * (X + R + VALUES));
        gnt_graph_free(g);
    }
}

/* ---- the hook ---- */

static double own_accuracy(const device *d, const char *json, float weights[PARAMS]) {
    return fact_of("own_accuracy", d, json, weights);
}

static void the_printed_sign_helps_who_infers(void **state) {
    (void)state;
    device d;
    make_device(&d);
    const double plain = own_accuracy(&d, "{\"lambda\": 0, \"width\": 0.05}", NULL);
    const double hidden = own_accuracy(&d, "{\"lambda\": 0.9, \"width\": 0.05}", NULL);
    const double printed =
        own_accuracy(&d, "{\"lambda\": 0.9, \"width\": 0.05, \"sign\": \"printed\"}", NULL);
    assert_true(hidden < plain - 0.1 && printed > plain);
}

static void labels_enter_nowhere(void **state) {
    (void)state;
    device d;
    float first[PARAMS], second[PARAMS];
    make_device(&d);
    own_accuracy(&d, "{\"width\": 0.05}", first);
    for (int i = 0; i < SAMPLES; i++) {
        d.y[CLASSES * i] = 1 - d.y[CLASSES * i];
        d.y[CLASSES * i + 1] = 1 - d.y[CLASSES * i + 1];
    }
    own_accuracy(&d, "{\"width\": 0.05}", second);
    assert_memory_equal(first, second, sizeof first);
    d.a[0] = !d.a[0]; /* the attribute does */
    own_accuracy(&d, "{\"width\": 0.05}", second);
    assert_memory_not_equal(first, second, sizeof first);
}

static void pretraining_hides_nothing(void **state) {
    (void)state;
    device d;
    float first[PARAMS], second[PARAMS];
    make_device(&d);
    own_accuracy(&d, "{\"width\": 0.05, \"lambda\": 0}", first);
    own_accuracy(&d, "{\"width\": 0.05, \"lambda\": 0.9, \"pretrain\": 6}", second);
    assert_memory_equal(first, second, sizeof first);
    own_accuracy(&d, "{\"width\": 0.05, \"lambda\": 0.9, \"pretrain\": 5}", second);
    assert_memory_not_equal(first, second, sizeof first);
}

/* 54 of 200 samples are set apart, five batches and four more: sample i where a multiple of 200/54 lies in
 * (i, i + 1]. So the first is 3 and the last 199. */
static void g_is_tried_on_samples_that_nothing_is_learnt_from(void **state) {
    (void)state;
    static const char json[] = "{\"width\": 0.05, \"lambda\": 0, \"validation\": 0.27}";
    enum { UNSEEN = 54, FIRST = 3 };
    device d;
    float weights[PARAMS], again[PARAMS];
    make_device(&d);
    const double right = UNSEEN * fact_of("unseen_accuracy", &d, json, weights);
    assert_true(right > 0.7 * UNSEEN && fabs(right - round(right)) < 1e-9);
    assert_true(isnan(fact_of("unseen_accuracy", &d, "{\"width\": 0.05}", NULL)));
    int64_t apart = 0;
    for (int i = 0; i < SAMPLES; i++) {
        d.a[i] = !d.a[i];
        if (i < 12 || i >= 160) { /* each is a training */
            const double other = UNSEEN * fact_of("unseen_accuracy", &d, json, again);
            const int is_unseen = memcmp(weights, again, sizeof weights) == 0;
            assert_int_equal(is_unseen, (i + 1) * UNSEEN / SAMPLES > i * UNSEEN / SAMPLES);
            if (is_unseen)
                assert_true(fabs(fabs(other - right) - 1) < 1e-9);
            apart += is_unseen;
        }
        d.a[i] = !d.a[i];
    }
    assert_true(apart >= 5);
    d.a[FIRST] = !d.a[FIRST];
    d.x[FIRST * FEATURES] += 1;
    fact_of("unseen_accuracy", &d, json, again);
    assert_memory_equal(weights, again, sizeof weights);
}

/* An attribute that nothing reveals: g learns its samples by heart, and knows none that it has not seen. */
static void a_coin_is_inferred_for_no_other_sample(void **state) {
    (void)state;
    static const char json[] = "{\"width\": 0.05, \"lambda\": 0, \"validation\": 0.5}";
    const gnt_key key = gnt_key_of_seed(8);
    gnt_stream r = gnt_stream_open(&key, "coin");
    device d;
    make_device(&d);
    for (int i = 0; i < SAMPLES; i++)
        d.a[i] = (int32_t)gnt_random_below(&r, 2);
    const double own = own_accuracy(&d, json, NULL), unseen = fact_of("unseen_accuracy", &d, json, NULL);
    assert_true(own > 0.6 && unseen < own && unseen > 0.35 && unseen < 0.65); /* 3 standard errors */
}

static gnt_status load(bench *b, int32_t client, const kept *from) {
    return gnt_instance_defense(b->t.instance)
        ->load(gnt_instance_self(b->t.instance), client, &from->artefacts);
}

static void a_device_keeps_its_networks(void **state) {
    (void)state;
    static bench b, c;
    device d;
    kept first, again, other;
    make_device(&d);
    open_bench(&b, "{\"width\": 0.05}");
    open_bench(&c, "{\"width\": 0.05}");
    assert_int_equal(bench_save(&b, 0, &first), GNT_OK);
    assert_int_equal(first.artefacts.tensors.n, 0); /* it has none yet */
    assert_int_equal(bench_train(&b, &d, 0, 20), GNT_OK);
    assert_int_equal(bench_save(&b, 0, &first), GNT_OK);
    assert_int_equal(bench_save(&b, 1, &other), GNT_OK);
    assert_true(first.artefacts.tensors.n == 1 && other.artefacts.tensors.n == 0);
    assert_int_equal(load(&c, 0, &first), GNT_OK);
    assert_int_equal(bench_save(&c, 0, &again), GNT_OK);
    assert_int_equal(again.view[0].count, first.view[0].count);
    assert_memory_equal(again.view[0].data, first.view[0].data, (size_t)first.view[0].count * sizeof(float));
    assert_int_equal(bench_train(&c, &d, 1, 20), GNT_OK);
    try_drop(&again);
    assert_int_equal(bench_save(&c, 0, &again), GNT_OK); /* it learns on from there */
    assert_memory_not_equal(again.view[0].data, first.view[0].data,
                            (size_t)first.view[0].count * sizeof(float));
    first.view[0].count--;
    assert_int_equal(load(&c, 0, &first), GNT_OK);
    assert_int_equal(bench_train(&c, &d, 2, 20), GNT_FAILED);
    assert_non_null(strstr(c.err.text, "of another size"));
    try_drop(&first);
    try_drop(&again);
    close_bench(&b);
    close_bench(&c);
}

/* After one step: g, whose tensors come first, is where its own rate takes it, h where that of both does. */
static void g_keeps_a_rate_of_its_own(void **state) {
    (void)state;
    static const char *const json[] = {"{\"width\": 0.05, \"side_rate\": 0.01}",
                                       "{\"width\": 0.05, \"side_rate\": 0.3}",
                                       "{\"width\": 0.05, \"side_rate\": 0.01, \"g_rate\": 0.3}"};
    enum { SLOW, FAST, MIXED, RUNS, OF_G = 8 * 12 + 8 + 8 * 8 + 8 + 2 * 8 + 2 };
    device d;
    kept k[RUNS];
    make_device(&d);
    for (int i = 0; i < RUNS; i++) {
        bench b;
        open_bench(&b, json[i]);
        assert_int_equal(bench_train(&b, &d, 0, 1), GNT_OK);
        assert_int_equal(bench_save(&b, 0, &k[i]), GNT_OK);
        close_bench(&b);
    }
    const float *slow = k[SLOW].view[0].data, *fast = k[FAST].view[0].data, *mixed = k[MIXED].view[0].data;
    const size_t of_g = OF_G * sizeof(float), of_h = (size_t)k[SLOW].view[0].count * sizeof(float) - of_g;
    assert_memory_equal(mixed, fast, of_g);
    assert_memory_not_equal(mixed, slow, of_g);
    assert_memory_equal(mixed + OF_G, slow + OF_G, of_h);
    assert_memory_not_equal(mixed + OF_G, fast + OF_G, of_h);
    for (int i = 0; i < RUNS; i++)
        try_drop(&k[i]);
}

/* One step of f from the same start: that of λ lies between those of 0 and 1, and these differ. */
static void lambda_weighs_the_two(void **state) {
    (void)state;
    static const char *const json[] = {"{\"width\": 0.05, \"lambda\": 0}", "{\"width\": 0.05, \"lambda\": 1}",
                                       "{\"width\": 0.05, \"lambda\": 0.3}"};
    enum { RUNS = 3 };
    float moved[RUNS][SHARED];
    double apart = 0, off = 0;
    device d;
    make_device(&d);
    for (int i = 0; i < RUNS; i++) {
        bench b;
        open_bench(&b, json[i]);
        assert_int_equal(bench_train(&b, &d, 0, 1), GNT_OK);
        memcpy(moved[i], b.update, sizeof b.update);
        close_bench(&b);
    }
    for (int k = 0; k < SHARED; k++) {
        const double expected = 0.7 * (double)moved[0][k] + 0.3 * (double)moved[1][k];
        const double ends = fabs((double)moved[0][k] - (double)moved[1][k]),
                     error = fabs((double)moved[2][k] - expected);
        apart = ends > apart ? ends : apart;
        off = error > off ? error : off;
    }
    assert_true(apart > 1e-4 && off < 1e-4 * apart);
}

static void refuses_in_words(void **state) {
    (void)state;
    device d;
    static bench b;
    gnt_attribute two[2];
    make_device(&d);
    open_bench(&b, "{\"width\": 0.05}");
    assert_int_equal(bench_train(&b, &d, 0, 0), GNT_UNSUPPORTED);
    assert_non_null(strstr(b.err.text, "local_steps"));
    d.attribute.weight = 0;
    assert_int_equal(bench_train(&b, &d, 0, 1), GNT_UNSUPPORTED);
    assert_non_null(strstr(b.err.text, "`hide`"));
    two[0] = two[1] = d.attribute;
    two[0].weight = two[1].weight = 0.5F;
    d.samples.attribute = two;
    d.samples.n_attributes = 2;
    d.samples.n = SAMPLES / 2; /* as many entries of `a` as there are */
    assert_int_equal(bench_train(&b, &d, 0, 1), GNT_UNSUPPORTED);
    assert_non_null(strstr(b.err.text, "hides one attribute"));
    make_device(&d);
    d.a[7] = 2;
    assert_int_equal(bench_train(&b, &d, 0, 1), GNT_FAILED);
    assert_non_null(strstr(b.err.text, "out of its range"));
    d.samples.a = NULL;
    assert_int_equal(bench_train(&b, &d, 0, 1), GNT_UNSUPPORTED);
    assert_non_null(strstr(b.err.text, "no attributes"));
    close_bench(&b);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tappfl_moves_as_eq_7_says),
        cmocka_unit_test(adversarial_moves_against_g),
        cmocka_unit_test(dpfe_lowers_normal_information),
        cmocka_unit_test(channels_come_in_blocks),
        cmocka_unit_test(g_keeps_a_width_of_its_own),
        cmocka_unit_test(the_printed_sign_helps_who_infers),
        cmocka_unit_test(labels_enter_nowhere),
        cmocka_unit_test(pretraining_hides_nothing),
        cmocka_unit_test(g_is_tried_on_samples_that_nothing_is_learnt_from),
        cmocka_unit_test(a_coin_is_inferred_for_no_other_sample),
        cmocka_unit_test(a_device_keeps_its_networks),
        cmocka_unit_test(g_keeps_a_rate_of_its_own),
        cmocka_unit_test(lambda_weighs_the_two),
        cmocka_unit_test(refuses_in_words),
    };
    return cmocka_run_group_tests_name("tappfl", tests, NULL, NULL);
}
