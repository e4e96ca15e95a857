/* attr-nn on made-up updates: finds an attribute that shifts some entries, finds none where there is none,
 * pools and standardises as it says, keeps its validation part apart, and gives the same bytes again. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "try_plugin.h"

enum { MOST = 700, FIRST = 90, SIZE = 130 };

/* Shadow observations of two tensors, with the samples behind them. */
typedef struct world {
    int64_t n;
    float data[MOST][SIZE];
    gnt_view view[MOST][2];
    gnt_views update[MOST];
    gnt_observation seen[MOST];
    gnt_samples truth[MOST];
    const gnt_observation *seen_list[MOST];
    const gnt_samples *truth_list[MOST];
    int64_t id[MOST];
    int32_t a[MOST][2]; /* two attributes; the second one is inferred */
    gnt_attack_prepare in;
} world;

/* Update i: normal noise, plus `shift` on every eighth entry where attribute 1 is 1. */
static void make(world *w, int64_t n, double shift, uint64_t seed) {
    gnt_key key = gnt_key_of_seed(seed);
    gnt_stream s = gnt_stream_open(&key, "world");
    *w = (world){.n = n};
    for (int64_t i = 0; i < n; i++) {
        int32_t value = (int32_t)gnt_random_below(&s, 2);
        for (int j = 0; j < SIZE; j++)
            w->data[i][j] = (float)(1e-3 * (gnt_random_normal(&s) + (j % 8 == 0 && value ? shift : 0)));
        w->id[i] = 1000 + i;
        w->a[i][0] = 5;
        w->a[i][1] = value;
        w->view[i][0] =
            (gnt_view){.name = "a", .rank = 1, .dim = {FIRST}, .count = FIRST, .data = w->data[i]};
        w->view[i][1] = (gnt_view){
            .name = "b", .rank = 1, .dim = {SIZE - FIRST}, .count = SIZE - FIRST, .data = w->data[i] + FIRST};
        w->update[i] = (gnt_views){2, w->view[i]};
        w->seen[i] = (gnt_observation){.size = sizeof(gnt_observation),
                                       .surface = GNT_SURFACE_UPDATE,
                                       .attribute = 1,
                                       .attribute_values = 2,
                                       .n = 1,
                                       .update = &w->update[i]};
        w->truth[i] = (gnt_samples){
            .size = sizeof(gnt_samples), .n = 1, .id = &w->id[i], .n_attributes = 2, .a = w->a[i]};
    }
    for (int64_t i = 0; i < MOST; i++) {
        w->seen_list[i] = &w->seen[i];
        w->truth_list[i] = &w->truth[i];
    }
    w->in = (gnt_attack_prepare){.size = sizeof w->in,
                                 .n_shadow = n,
                                 .shadow = w->seen_list,
                                 .shadow_truth = w->truth_list,
                                 .attribute = 1,
                                 .attribute_values = 2};
}

static gnt_status learn(tried *t, const world *w, kept *out, gnt_err *err) {
    return try_prepare(t, &w->in, out, err);
}

static gnt_status take_scores(void *context, int32_t values, const float *scores) {
    memcpy(context, scores, (size_t)values * sizeof *scores);
    return GNT_OK;
}

static gnt_status run_attack(tried *t, const gnt_observation *o, const kept *own, float *scores,
                             gnt_err *err) {
    gnt_answer answer = {.size = sizeof answer, .context = scores, .attribute = take_scores};
    gnt_instance_enter(t->instance, "run");
    gnt_status s =
        gnt_instance_attack(t->instance)->run(gnt_instance_self(t->instance), o, &own->artefacts, &answer);
    return gnt_instance_leave(t->instance, s, err);
}

static tried open_it(const char *json, uint64_t seed) {
    char path[4096];
    tried t;
    gnt_err err = {0};
    if (try_open(&t, built("plugins/attacks/attribute.so", path), GNT_PLUGIN_ATTACK, "attr-nn", json, seed,
                 &err) != 0)
        fail_msg("%s", err.text);
    return t;
}

/* Share of `fresh` whose attribute is inferred correctly after learning from `shadow`. */
static double accuracy(const char *json, const world *shadow, const world *fresh) {
    tried t = open_it(json, 1);
    kept own;
    gnt_err err = {0};
    int64_t right = 0;
    if (learn(&t, shadow, &own, &err) != GNT_OK)
        fail_msg("%s", err.text);
    for (int64_t i = 0; i < fresh->n; i++) {
        float z[2] = {0};
        if (run_attack(&t, &fresh->seen[i], &own, z, &err) != GNT_OK)
            fail_msg("%s", err.text);
        right += (z[1] > z[0]) == (fresh->a[i][1] == 1);
    }
    try_drop(&own);
    try_close(&t);
    return (double)right / (double)fresh->n;
}

static world shadow, fresh;

/* 17 shifted entries of one deviation each: the best classifier is right with Φ(√17/2) = 98 %. */
static void finds_what_shifts_the_update(void **state) {
    (void)state;
    make(&shadow, 300, 1, 1);
    make(&fresh, 300, 1, 2);
    assert_true(accuracy(NULL, &shadow, &fresh) > 0.9);
    assert_true(accuracy("{\"architecture\": \"custom\", \"hidden\": []}", &shadow, &fresh) > 0.9);
    assert_true(accuracy("{\"architecture\": \"custom\", \"hidden\": [20], \"weights\": \"balanced\"}",
                         &shadow, &fresh) > 0.9);
    make(&shadow, 300, 3, 3);
    make(&fresh, 300, 3, 4);
    assert_true(accuracy("{\"inputs\": 17, \"architecture\": \"custom\", \"hidden\": [64]}", &shadow,
                         &fresh) > 0.9); /* windows of eight */
}

/* The first rates diverge; it comes down until training holds. */
static void a_rate_that_diverges_is_lowered(void **state) {
    (void)state;
    make(&shadow, 300, 1, 1);
    tried t = open_it("{\"rate\": 10, \"momentum\": 0.9, \"epochs\": 10}", 1);
    kept own;
    assert_int_equal(learn(&t, &shadow, &own, NULL), GNT_OK);
    double rate = try_fact(&t, "rate");
    assert_true(rate < 10 && rate > 1e-3);
    try_drop(&own);
    try_close(&t);
}

/* One update in twelve has the attribute and it shifts little: plain training does best to say no. Balanced
 * training infers the rare value too. */
static void balance_makes_rare_values_count(void **state) {
    (void)state;
    double rare[2];
    const char *json[] = {"{\"architecture\": \"custom\", \"hidden\": [32], \"weights\": \"none\"}",
                          "{\"architecture\": \"custom\", \"hidden\": [32], \"weights\": \"balanced\"}"};
    make(&shadow, 600, 0, 1);
    make(&fresh, 300, 0, 2);
    for (int64_t i = 0; i < 600; i++) {
        world *both[] = {&shadow, &fresh};
        for (int k = 0; k < 2; k++) {
            if (i >= both[k]->n)
                continue;
            both[k]->a[i][1] = k == 0 ? i % 12 == 0 : 1; /* fresh ones all have it */
            for (int j = 0; j < SIZE; j += 8)
                both[k]->data[i][j] += both[k]->a[i][1] ? 0.4e-3f : 0;
        }
    }
    for (int k = 0; k < 2; k++)
        rare[k] = accuracy(json[k], &shadow, &fresh);
    assert_true(rare[1] > rare[0] + 0.1);
}

/* Attributes that have nothing to do with the updates: half of 600 fresh ones are right, give or take five
 * deviations of chance. */
static void finds_nothing_where_there_is_nothing(void **state) {
    (void)state;
    make(&shadow, 300, 0, 1);
    make(&fresh, 600, 0, 2);
    assert_true(fabs(accuracy("{\"epochs\": 20}", &shadow, &fresh) - 0.5) < 5 * 0.5 / sqrt(600));
}

/* Each batch of samples observed three times: had validation seen what training saw, its accuracy would be
 * near 1. */
static void validation_is_kept_apart(void **state) {
    (void)state;
    make(&shadow, 200, 0, 1);
    shadow.n = shadow.in.n_shadow = 600;
    for (int64_t i = 200; i < 600; i++) {
        shadow.seen[i] = shadow.seen[i % 200];
        shadow.truth[i] = shadow.truth[i % 200];
    }
    tried t = open_it("{\"epochs\": 30, \"architecture\": \"custom\", \"hidden\": [128]}", 1);
    kept own;
    assert_int_equal(learn(&t, &shadow, &own, NULL), GNT_OK);
    double v = try_fact(&t, "validation_accuracy");
    assert_true(v > 0.3 && v < 0.85);
    try_drop(&own);
    try_close(&t);
}

static const gnt_view *artefact(const kept *k, const char *name) {
    for (int64_t i = 0; i < k->artefacts.tensors.n; i++)
        if (strcmp(k->view[i].name, name) == 0)
            return &k->view[i];
    fail_msg("no artefact %s", name);
    return NULL;
}

/* Window 7 over 130 entries: 19 windows, the thirteenth across both tensors, the last of four entries. Means,
 * scales and scores are computed again here from the definitions. */
static void pools_and_standardises_as_stated(void **state) {
    (void)state;
    enum { W = 7, COLUMNS = 19 };
    static double pooled[MOST][COLUMNS];
    make(&shadow, 60, 1, 5);
    for (int i = 0; i < 60; i++)
        for (int j = 0; j < COLUMNS; j++) {
            double most = -INFINITY;
            for (int k = j * W; k < j * W + W && k < SIZE; k++)
                most = fmax(most, (double)shadow.data[i][k]);
            pooled[i][j] = most;
        }
    tried t = open_it("{\"window\": 7, \"validation\": 0, \"architecture\": \"custom\", \"hidden\": [5], "
                      "\"epochs\": 3}",
                      1);
    kept own;
    assert_int_equal(learn(&t, &shadow, &own, NULL), GNT_OK);
    const gnt_view *mean = artefact(&own, "mean"), *scale = artefact(&own, "scale"),
                   *w0 = artefact(&own, "weight.0"), *b0 = artefact(&own, "bias.0"),
                   *w1 = artefact(&own, "weight.1"), *b1 = artefact(&own, "bias.1");
    assert_int_equal(mean->count, COLUMNS);
    assert_int_equal(w0->dim[0], 5);
    assert_int_equal(w0->dim[1], COLUMNS);
    assert_int_equal(w1->dim[0], 2);
    double z[COLUMNS], expected[2];
    for (int j = 0; j < COLUMNS; j++) {
        double m = 0, d = 0;
        for (int i = 0; i < 60; i++)
            m += pooled[i][j] / 60;
        for (int i = 0; i < 60; i++)
            d += (pooled[i][j] - m) * (pooled[i][j] - m) / 60;
        assert_true(fabs((double)mean->data[j] - m) < 1e-6 * fabs(m) + 1e-12);
        assert_true(fabs((double)scale->data[j] * sqrt(d) - 1) < 1e-5);
        z[j] = (pooled[3][j] - m) / sqrt(d);
    }
    for (int c = 0; c < 2; c++) {
        expected[c] = (double)b1->data[c];
        for (int o = 0; o < 5; o++) {
            double h = (double)b0->data[o];
            for (int j = 0; j < COLUMNS; j++)
                h += (double)w0->data[o * COLUMNS + j] * z[j];
            expected[c] += (double)w1->data[c * 5 + o] * fmax(h, 0);
        }
    }
    float got[2];
    assert_int_equal(run_attack(&t, &shadow.seen[3], &own, got, NULL), GNT_OK);
    for (int c = 0; c < 2; c++)
        assert_true(fabs((double)got[c] - expected[c]) < 1e-4);
    try_drop(&own);
    try_close(&t);
}

/* Entries that never vary, infinite ones and far outliers give finite scores. */
static void odd_entries_do_no_harm(void **state) {
    (void)state;
    make(&shadow, 100, 3, 6);
    for (int i = 0; i < 100; i++) {
        shadow.data[i][1] = 0.1f;
        shadow.data[i][2] = i % 10 ? shadow.data[i][2] : INFINITY;
        shadow.data[i][3] = NAN;
    }
    tried t = open_it("{\"epochs\": 5}", 1);
    kept own;
    float z[2];
    assert_int_equal(learn(&t, &shadow, &own, NULL), GNT_OK);
    assert_true(artefact(&own, "scale")->data[1] == 0 && artefact(&own, "scale")->data[3] == 0);
    shadow.data[7][1] = 1e30f;
    shadow.data[7][0] = -3e38f;
    assert_int_equal(run_attack(&t, &shadow.seen[7], &own, z, NULL), GNT_OK);
    assert_true(isfinite(z[0]) && isfinite(z[1]) && fabsf(z[0]) < 1e4f);
    try_drop(&own);
    try_close(&t);
}

static void the_same_key_gives_the_same_bytes(void **state) {
    (void)state;
    make(&shadow, 50, 1, 7);
    kept own[3];
    for (uint64_t i = 0; i < 3; i++) {
        tried t = open_it("{\"epochs\": 4}", i < 2 ? 1 : 2);
        assert_int_equal(learn(&t, &shadow, &own[i], NULL), GNT_OK);
        try_close(&t);
    }
    int64_t n = own[0].artefacts.tensors.n;
    assert_int_equal(n, 2 + 2 * 4);
    for (int64_t k = 0; k < n; k++)
        assert_memory_equal(own[0].view[k].data, own[1].view[k].data,
                            (size_t)own[0].view[k].count * sizeof(float));
    const gnt_view *a = artefact(&own[0], "weight.0"), *b = artefact(&own[2], "weight.0");
    assert_true(memcmp(a->data, b->data, (size_t)a->count * sizeof(float)) != 0);
    for (int i = 0; i < 3; i++)
        try_drop(&own[i]);
}

static void expect_refusal(world *w, gnt_status expected, const char *words) {
    tried t = open_it(NULL, 1);
    kept own;
    gnt_err err = {0};
    assert_int_equal(learn(&t, w, &own, &err), expected);
    if (!strstr(err.text, words))
        fail_msg("\"%s\" does not say \"%s\"", err.text, words);
    try_drop(&own);
    try_close(&t);
}

static void refuses_in_words(void **state) {
    (void)state;
    make(&shadow, 9, 1, 1);
    expect_refusal(&shadow, GNT_FAILED,
                   "there are 9 updates of shadow samples, or representations, and it needs "
                   "at least 10");
    make(&shadow, 100, 1, 1);
    shadow.in.attribute = -1;
    expect_refusal(&shadow, GNT_UNSUPPORTED, "observe.attribute");
    shadow.in.attribute = 2;
    expect_refusal(&shadow, GNT_FAILED, "no such attribute");
    shadow.in.attribute = 0; /* 5 for everyone, of two values */
    expect_refusal(&shadow, GNT_FAILED, "out of its range");
    shadow.in.attribute_values = 6;
    expect_refusal(&shadow, GNT_UNSUPPORTED, "show 1 of the attribute's values");
    make(&shadow, 100, 1, 1);
    shadow.update[40].n = 1;
    expect_refusal(&shadow, GNT_FAILED,
                   "shadow observation 41 of 100 holds no update, or representation, of the model's size");
    /* batches of two, one of each value: the tie goes to the lowest, so there is only one */
    make(&shadow, 100, 1, 1);
    const int32_t both[] = {0, 1, 0, 0};
    for (int i = 0; i < 100; i++) {
        shadow.truth[i].n = 2;
        shadow.truth[i].a = both;
    }
    expect_refusal(&shadow, GNT_UNSUPPORTED, "show 1 of the attribute's values");
}

static void artefacts_of_another_task_are_refused(void **state) {
    (void)state;
    make(&shadow, 30, 1, 1);
    tried t = open_it("{\"epochs\": 1}", 1);
    kept own;
    float z[2];
    gnt_err err = {0};
    assert_int_equal(learn(&t, &shadow, &own, NULL), GNT_OK);
    gnt_observation o = shadow.seen[0];
    o.attribute_values = 3;
    assert_int_equal(run_attack(&t, &o, &own, z, &err), GNT_FAILED);
    assert_non_null(strstr(err.text, "prepared for another task"));
    shadow.update[1].n = 1;
    assert_int_equal(run_attack(&t, &shadow.seen[1], &own, z, &err), GNT_FAILED);
    try_drop(&own);
    try_close(&t);
}

static int polls, polls_before_stop;

static int stop_requested(void *context) {
    (void)context;
    return polls++ >= polls_before_stop;
}

/* 100000 epochs would take minutes: it comes back only because it looks. */
static void stops_on_request(void **state) {
    (void)state;
    char path[4096];
    tried t;
    kept own;
    gnt_err err = {0};
    make(&shadow, 50, 1, 1);
    built("plugins/attacks/attribute.so", path);
    assert_int_equal(try_load(&t, path, GNT_PLUGIN_ATTACK, "attr-nn", "{\"epochs\": 100000}", &err), 0);
    polls = 0;
    polls_before_stop = 200;
    assert_int_equal(try_start(&t, 1, (gnt_instance_spec){.should_stop = stop_requested}, &err), 0);
    assert_int_equal(learn(&t, &shadow, &own, &err), GNT_STOPPED);
    assert_int_equal(own.artefacts.tensors.n, 0);
    try_drop(&own);
    try_close(&t);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(finds_what_shifts_the_update),
        cmocka_unit_test(a_rate_that_diverges_is_lowered),
        cmocka_unit_test(balance_makes_rare_values_count),
        cmocka_unit_test(finds_nothing_where_there_is_nothing),
        cmocka_unit_test(validation_is_kept_apart),
        cmocka_unit_test(pools_and_standardises_as_stated),
        cmocka_unit_test(odd_entries_do_no_harm),
        cmocka_unit_test(the_same_key_gives_the_same_bytes),
        cmocka_unit_test(refuses_in_words),
        cmocka_unit_test(artefacts_of_another_task_are_refused),
        cmocka_unit_test(stops_on_request),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
