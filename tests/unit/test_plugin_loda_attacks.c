/* loda-inverse and loda-kkt: their costs and gradients against the formulas, where these are zero and where
 * they must not begin, what they learn from shadow observations, and what they refuse. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "loda_bench.h"

/* A 1×1 convolution with diagonal weights: J is w, the same everywhere. */
static const char diagonal_json[] = "{\"layers\": [{\"type\": \"conv\", \"name\": \"c1\", \"out\": 3, "
                                    "\"kernel\": 1}, {\"type\": \"flatten\"},"
                                    "{\"type\": \"dense\", \"name\": \"fc\", \"out\": \"classes\"}]}";

static void set_diagonal(bench *b, const float w[3]) {
    const gnt_param *list;
    int32_t n = gnt_model_params(b->model, &list);
    memset(b->weights, 0, (size_t)gnt_model_size(b->model) * sizeof *b->weights);
    for (int32_t i = 0; i < n; i++)
        for (int64_t k = 0; strcmp(list[i].name, "c1.weight") == 0 && k < 3; k++)
            b->weights[list[i].offset + 4 * k] = w[k];
}

/* ---- a host in little ---- */

typedef struct answered {
    float x[MOST * PIXELS];
    int64_t count, costs;
    double first, last;
} answered;

static gnt_status take_images(void *context, int64_t count, const float *x) {
    answered *a = context;
    assert_in_range(count, 1, MOST);
    memcpy(a->x, x, (size_t)(count * PIXELS) * sizeof *x);
    a->count = count;
    return GNT_OK;
}

static void take_cost(void *context, int32_t restart, int64_t step, double cost) {
    answered *a = context;
    (void)restart;
    if (step == 0)
        a->first = cost;
    a->last = cost;
    a->costs++;
}

static void take_chosen(void *context, int32_t restart, double cost) {
    (void)context, (void)restart, (void)cost;
}

typedef struct case_of { /* encodings and what the attacker knows */
    gnt_samples encoded, public_data;
    gnt_value value[4];
    gnt_observation seen;
} case_of;

static void make_case(case_of *k, int64_t n, const float *encoded, const float *start, const char *layers,
                      double c) {
    *k = (case_of){.encoded = bench_samples(n, encoded, NULL), .public_data = bench_samples(1, start, NULL)};
    k->value[0] = (gnt_value){.id = "extractor", .type = GNT_TYPE_MODEL, .text = "net"};
    k->value[1] = (gnt_value){.id = "preset", .type = GNT_TYPE_CHOICE, .i = 3, .text = "custom"};
    k->value[2] = (gnt_value){.id = "layers", .type = GNT_TYPE_TEXT, .text = layers};
    k->value[3] = (gnt_value){.id = "c", .type = GNT_TYPE_REAL, .r = c};
    k->seen = (gnt_observation){.size = sizeof k->seen,
                                .surface = GNT_SURFACE_ENCODING,
                                .granted = GNT_KNOWS_DEFENSE | GNT_KNOWS_PUBLIC,
                                .n = n,
                                .attribute = -1,
                                .classes = CLASSES,
                                .encoded = &k->encoded,
                                .public_data = &k->public_data,
                                .defense = "loda+prune",
                                .defense_values = k->value,
                                .n_defense_values = 4};
}

static int start(tried *t, const bench *b, const char *id, const char *json, gnt_err *err) {
    char path[4096];
    gnt_instance_spec spec = {.models = &b->named, .n_models = 1};
    if (try_load(t, built(LODA_ATTACKS_SO, path), GNT_PLUGIN_ATTACK, id, json, err) != 0)
        return -1;
    return try_start(t, 3, spec, err);
}

static gnt_status run(tried *t, const gnt_observation *seen, const gnt_artefacts *own, answered *out,
                      gnt_err *err) {
    gnt_answer answer = {.size = sizeof answer,
                         .context = out,
                         .reconstruction = take_images,
                         .cost = take_cost,
                         .chosen = take_chosen};
    memset(out, 0, sizeof *out);
    gnt_instance_enter(t->instance, "run");
    gnt_status s = gnt_instance_attack(t->instance)->run(gnt_instance_self(t->instance), seen, own, &answer);
    return gnt_instance_leave(t->instance, s, err);
}

static void attack(const bench *b, const char *id, const char *json, const case_of *k, answered *out) {
    tried t;
    gnt_err err = {0};
    if (start(&t, b, id, json, &err) != 0 || run(&t, &k->seen, NULL, out, &err) != GNT_OK)
        fail_msg("%s", err.text);
    try_close(&t);
}

/* ---- the formulas ---- */

typedef struct formula {
    bench_map there, here;
    const float *encoded;
    double c, tv, edge;
    int kkt;
} formula;

static void residual(formula *f, const float *x, double *r) {
    static float gap[3][6 * SIDE * SIDE];
    const float *u[3];
    const gnt_views *here = bench_at(&f->here, x), *there = bench_at(&f->there, f->encoded);
    const gnt_gradient *back;
    for (int64_t l = 0; l < there->n; l++) {
        for (int64_t k = 0; k < there->view[l].count; k++)
            gap[l][k] = there->view[l].data[k] - here->view[l].data[k];
        u[l] = gap[l];
    }
    assert_int_equal(f->there.s->vjp(f->there.s->context, f->there.f, u, &back), GNT_OK);
    for (int64_t k = 0; k < PIXELS; k++) {
        double e = (double)f->encoded[k];
        r[k] = (double)back->x[k] - f->c * (e - (double)x[k]);
        if (f->kkt && ((e <= f->edge && r[k] > 0) || (e >= 1 - f->edge && r[k] < 0)))
            r[k] = 0;
    }
}

static double square(formula *f, const float *x) {
    double r[PIXELS], sum = 0;
    residual(f, x, r);
    for (int64_t k = 0; k < PIXELS; k++)
        sum += r[k] * r[k];
    return sum;
}

static double cost_of(formula *f, const float *x) {
    if (!f->kkt)
        return square(f, x);
    float half[PIXELS];
    double variation = 0;
    int64_t pairs = 0;
    for (int64_t k = 0; k < PIXELS; k++) {
        half[k] = 0.5f;
        int64_t column = k % SIDE, row = k / SIDE % SIDE;
        double right = column + 1 < SIDE ? (double)(x[k + 1] - x[k]) : 0;
        double down = row + 1 < SIDE ? (double)(x[k + SIDE] - x[k]) : 0;
        pairs += (column + 1 < SIDE) + (row + 1 < SIDE);
        variation += column + 1 < SIDE ? sqrt(right * right + 1e-6) : 0;
        variation += row + 1 < SIDE ? sqrt(down * down + 1e-6) : 0;
    }
    return square(f, x) / square(f, half) + f->tv * variation / (double)pairs;
}

/* The attack's first cost is the formula's, and its first step goes against the central differences of the
 * formula. */
static void check_descent(bench *b, const char *id, const char *json, formula *f, const float *at,
                          double length) {
    static case_of k;
    static answered out;
    const double h = 0.01;
    double both = 0, own = 0, theirs = 0;
    float x[PIXELS];
    make_case(&k, 1, f->encoded, at, "c1+c2", 2);
    attack(b, id, json, &k, &out);
    double expected = cost_of(f, at);
    if (!(fabs(out.first - expected) < 1e-4 * expected))
        fail_msg("%s: cost %.9g, by the formula %.9g", id, out.first, expected);
    assert_int_equal(out.costs, 2);
    memcpy(x, at, sizeof x);
    for (int64_t i = 0; i < PIXELS; i++) {
        double step = (double)(out.x[i] - at[i]) / -length;
        x[i] = at[i] + (float)h;
        double up = cost_of(f, x), high = (double)x[i];
        x[i] = at[i] - (float)h;
        double slope = (up - cost_of(f, x)) / (high - (double)x[i]);
        x[i] = at[i];
        both += slope * step;
        own += step * step;
        theirs += slope * slope;
    }
    assert_true(fabs(sqrt(own) - 1) < 1e-3);
    if (!(both / sqrt(own * theirs) > 0.9995))
        fail_msg("%s: cosine to the central differences %.8f", id, both / sqrt(own * theirs));
}

static void open_formula(formula *f, const bench *b, const float *encoded) {
    int32_t layers[2] = {bench_layer(b, "c1"), bench_layer(b, "c2")};
    *f = (formula){
        .there = bench_map_open(b, layers, 2), .here = bench_map_open(b, layers, 2), .encoded = encoded};
}

static void costs_and_gradients_are_the_formulas(void **state) {
    (void)state;
    static bench b;
    formula f;
    bench_open(&b, smooth_json, 8);
    open_formula(&f, &b, b.x);
    f.c = 1; /* half of the defense's */
    check_descent(
        &b, "loda-inverse",
        "{\"share_of_c\": 0.5, \"steps\": 1, \"descent\": \"normalised\", \"rate\": 0.05, \"batch\": 1}", &f,
        b.open, 0.05);
    for (int64_t k = 0; k < PIXELS; k += 3) /* stopped by the box, on either side */
        b.x[k] = (float)(k % 2);
    f.kkt = 1;
    f.c = 2;
    f.tv = 0.3;
    f.edge = 1e-4;
    check_descent(
        &b, "loda-kkt",
        "{\"tv\": 0.3, \"start\": \"public\", \"steps\": 1, \"descent\": \"normalised\", \"rate\": 0.05, "
        "\"batch\": 1}",
        &f, b.open, 0.05);
    bench_close(&b);
}

/* With g(x) = Wx, W diagonal by channel, r = (w² − c)(x′ − x): where c = w² of one channel, every x that
 * differs from x′ there alone makes x′ stationary, and one that differs elsewhere does not. */
static void a_stationary_point_costs_nothing(void **state) {
    (void)state;
    static bench b;
    static case_of k;
    static answered out;
    static const char json[] = "{\"share_of_c\": 1, \"steps\": 1, \"batch\": 1}";
    const float w[3] = {1.5f, 0.5f, 1};
    float x[PIXELS];
    bench_open(&b, diagonal_json, 9);
    set_diagonal(&b, w);
    make_case(&k, 1, b.x, x, "c1", 2.25);
    for (int channel = 0; channel < 3; channel++) {
        memcpy(x, b.x, sizeof x);
        for (int64_t i = 0; i < SIDE * SIDE; i++)
            x[channel * SIDE * SIDE + i] = b.open[i];
        attack(&b, "loda-inverse", json, &k, &out);
        if (channel == 0 ? out.first > 1e-8 : out.first < 1e-2)
            fail_msg("another image in channel %d costs %g", channel, out.first);
    }
    bench_close(&b);
}

/* Nothing is easier than x = x′: the cost falls to zero towards it, and no search begins there. */
static void no_search_begins_at_the_encoding(void **state) {
    (void)state;
    static bench b;
    static case_of k;
    static answered out;
    static const char *const ids[] = {"loda-inverse", "loda-kkt"};
    double cost[2];
    float x[PIXELS];
    bench_open(&b, smooth_json, 10);
    make_case(&k, 1, b.x, x, "c1+c2", 2);
    for (int near = 0; near < 2; near++) {
        for (int64_t i = 0; i < PIXELS; i++)
            x[i] = b.x[i] + (near ? 0.003f : 0.03f) * (i % 2 ? 1.0f : -1.0f);
        attack(&b, "loda-inverse", "{\"share_of_c\": 1, \"steps\": 1, \"batch\": 1}", &k, &out);
        cost[near] = out.first;
    }
    assert_true(fabs(cost[0] / cost[1] - 100) < 10); /* as the square of the distance */
    memcpy(x, b.x, sizeof x);
    for (int i = 0; i < 2; i++) {
        attack(&b, ids[i],
               i ? "{\"tv\": 0, \"start\": \"public\", \"steps\": 1, \"rate\": 1e-6}"
                 : "{\"share_of_c\": 1, \"steps\": 1, \"rate\": 1e-6}",
               &k, &out);
        double apart = 0;
        for (int64_t p = 0; p < PIXELS; p++)
            apart += (double)(out.x[p] - b.x[p]) * (double)(out.x[p] - b.x[p]);
        assert_true(apart > 1);
        assert_true(out.first > (i ? 1e-3 : cost[0]));
    }
    bench_close(&b);
}

/* At 0 the gradient may point up, at 1 down: with c above w² the edges hold every x in [0, 1], below it none.
 */
static void the_edges_of_the_box_count_one_way(void **state) {
    (void)state;
    static bench b;
    static case_of k;
    static answered out;
    static const char json[] = "{\"tv\": 0, \"start\": \"public\", \"steps\": 1, \"batch\": 1}";
    const float w[3] = {1, 1, 1};
    float encoded[PIXELS];
    bench_open(&b, diagonal_json, 11);
    set_diagonal(&b, w);
    for (int64_t i = 0; i < PIXELS; i++)
        encoded[i] = (float)(i % 2);
    make_case(&k, 1, encoded, b.open, "c1", 1.5);
    attack(&b, "loda-kkt", json, &k, &out);
    assert_true(out.first == 0);
    k.value[3].r = 0.5;
    attack(&b, "loda-kkt", json, &k, &out);
    assert_true(out.first > 0.1);
    k.value[3].r = 1.5; /* inside the box a gradient counts either way */
    for (int64_t i = 0; i < PIXELS; i++)
        encoded[i] = i % 2 ? 0.999f : 0.001f;
    attack(&b, "loda-kkt", json, &k, &out);
    assert_true(out.first > 0.1);
    bench_close(&b);
}

/* ---- prepare ---- */

typedef struct choice { /* the one tensor that prepare left */
    char name[40];
    float data[200];
    int64_t count;
} choice;

static gnt_status keep(void *context, const char *name, int32_t rank, const int64_t *dim, const float *data) {
    choice *k = context;
    assert_int_equal(rank, 1);
    assert_in_range(dim[0], 1, 200);
    snprintf(k->name, sizeof k->name, "%s", name);
    k->count = dim[0];
    memcpy(k->data, data, (size_t)dim[0] * sizeof *data);
    return GNT_OK;
}

static void learn(const bench *b, const char *id, const char *json, const case_of *setting,
                  const gnt_observation *shadow, const gnt_samples *truth, choice *out) {
    tried t;
    gnt_err err = {0};
    gnt_attack_prepare in = {.size = sizeof in,
                             .public_data = &setting->public_data,
                             .n_shadow = shadow ? 1 : 0,
                             .shadow = &shadow,
                             .shadow_truth = &truth,
                             .setting = &setting->seen};
    gnt_sink sink = {.size = sizeof sink, .context = out, .tensor = keep};
    assert_int_equal(start(&t, b, id, json, &err), 0);
    gnt_instance_enter(t.instance, "prepare");
    gnt_status s = gnt_instance_attack(t.instance)->prepare(gnt_instance_self(t.instance), &in, &sink);
    if (gnt_instance_leave(t.instance, s, &err) != GNT_OK)
        fail_msg("%s", err.text);
    try_close(&t);
}

static void shadow_observations_choose_and_teach(void **state) {
    (void)state;
    static bench b;
    static case_of k, shadow;
    static answered out;
    static float truth[MOST * PIXELS];
    static choice own;
    bench_open(&b, smooth_json, 12);
    make_case(&k, MOST, b.x, b.open, "c1+c2", 2);
    make_case(&shadow, MOST, b.x, b.open, "c1+c2", 2);
    for (int64_t i = 0; i < MOST * PIXELS; i++)
        truth[i] = 1 - b.x[i]; /* an encoding that a linear filter undoes */
    gnt_samples behind = bench_samples(MOST, truth, NULL);

    learn(&b, "loda-inverse", "{\"share_of_c\": 0.3, \"steps\": 7}", &k, NULL, NULL, &own);
    assert_string_equal(own.name, "choice");
    assert_true(own.data[0] == 0.3f && own.data[1] == 7); /* nothing to choose by */
    learn(&b, "loda-inverse", "{\"share_of_c\": 0.3, \"steps\": 7}", &k, &shadow.seen, &behind, &own);
    assert_true(own.data[0] == 0 || own.data[0] == 0.05f || own.data[0] == 0.25f || own.data[0] == 0.5f ||
                own.data[0] == 1);
    assert_true(own.data[1] == 50 || own.data[1] == 100 || own.data[1] == 200 || own.data[1] == 400);

    learn(&b, "loda-kkt", NULL, &k, &shadow.seen, &behind, &own);
    assert_string_equal(own.name, "filter");
    gnt_view view = {.name = "filter", .rank = 1, .dim = {own.count}, .count = own.count, .data = own.data};
    gnt_artefacts artefacts = {.size = sizeof artefacts, .tensors = {1, &view}};
    tried t;
    gnt_err err = {0};
    assert_int_equal(start(&t, &b, "loda-kkt", "{\"steps\": 1, \"rate\": 1e-6, \"batch\": 3}", &err), 0);
    k.encoded.n = MOST;
    k.seen.n = MOST - 1; /* released more often than there are images: one answer for each image */
    assert_int_equal(run(&t, &k.seen, &artefacts, &out, &err), GNT_OK);
    assert_int_equal(out.count, MOST - 1);
    for (int64_t i = 0; i < out.count * PIXELS; i++)
        if (!(fabsf(out.x[i] - truth[i]) < 0.05f))
            fail_msg("entry %d: the filter makes %g of %g", (int)i, (double)out.x[i], (double)truth[i]);
    try_close(&t);
    bench_close(&b);
}

static void what_they_cannot_read_is_refused(void **state) {
    (void)state;
    static bench b;
    static case_of k;
    static answered out;
    static const char *const ids[] = {"loda-inverse", "loda-kkt"};
    bench_open(&b, smooth_json, 13);
    for (int i = 0; i < 2; i++) {
        tried t;
        gnt_err err = {0};
        assert_int_equal(start(&t, &b, ids[i], NULL, &err), 0);
        make_case(&k, 1, b.x, b.open, "c1", 2);
        k.seen.defense = "mixup+prune";
        assert_int_equal(run(&t, &k.seen, NULL, &out, &err), GNT_UNSUPPORTED);
        assert_non_null(strstr(err.text, "the defense is mixup+prune"));
        k.seen.defense = "prune+loda";
        k.seen.n_defense_values = 3;
        assert_int_equal(run(&t, &k.seen, NULL, &out, &err), GNT_UNSUPPORTED);
        k.seen.n_defense_values = 4;
        k.seen.encoded = NULL;
        assert_int_equal(run(&t, &k.seen, NULL, &out, &err), GNT_UNSUPPORTED);
        assert_non_null(strstr(err.text, "none was observed"));
        try_close(&t);
    }
    bench_close(&b);
}

/* No image has a cost for an encoding whose activations are no numbers. */
static void a_cost_that_cannot_be_computed_fails(void **state) {
    static bench b;
    static case_of k;
    static answered out;
    static float encoded[6 * SIDE * SIDE];
    static const char *const ids[] = {"loda-inverse", "loda-kkt"};
    static const float size[] = {INFINITY, NAN};
    (void)state;
    bench_open(&b, smooth_json, 13);
    for (int i = 0; i < 2; i++)
        for (size_t s = 0; s < sizeof size / sizeof *size; s++) {
            tried t;
            gnt_err err = {0};
            for (size_t p = 0; p < sizeof encoded / sizeof *encoded; p++)
                encoded[p] = size[s];
            assert_int_equal(start(&t, &b, ids[i], NULL, &err), 0);
            make_case(&k, 1, encoded, b.open, "c1", 2);
            k.seen.budget = 3;
            const gnt_status status = run(&t, &k.seen, NULL, &out, &err);
            assert_int_equal(status, GNT_FAILED);
            try_close(&t);
        }
    bench_close(&b);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(costs_and_gradients_are_the_formulas),
        cmocka_unit_test(a_stationary_point_costs_nothing),
        cmocka_unit_test(no_search_begins_at_the_encoding),
        cmocka_unit_test(the_edges_of_the_box_count_one_way),
        cmocka_unit_test(shadow_observations_choose_and_teach),
        cmocka_unit_test(what_they_cannot_read_is_refused),
        cmocka_unit_test(a_cost_that_cannot_be_computed_fails),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
