/* ridge and decoder on made-up encodings: ridge undoes a shifted negative exactly, as any linear filter, and
 * pixels in another order, as any linear map, where it has enough pairs; decoder undoes what depends on the
 * label, which no filter can, and does not end in black; ids say which sample an encoding belongs to; too
 * little to learn from and encodings of another shape get a sentence; the same key gives the same bytes. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "try_plugin.h"

enum { SETS = 8, EACH = 16, SIDE = 8, PIXELS = SIDE * SIDE, CLASSES = 2 };

typedef struct world {
    float x[SETS][EACH][PIXELS], e[SETS][EACH][PIXELS], y[SETS][EACH][CLASSES];
    int64_t id[SETS][EACH];
    gnt_samples truth[SETS], encoded[SETS];
    gnt_observation seen[SETS];
    const gnt_observation *seen_list[SETS];
    const gnt_samples *truth_list[SETS];
    gnt_attack_prepare in;
} world;

typedef void encode_fn(const float *x, int label, float *e);

/* To the right by one and negative: x at (r, c) is 1 − e at (r, c + 1), beyond the edge too, for the last two
 * columns of x are equal. Rows and columns cannot be confused. */
static void shift(const float *x, int label, float *e) {
    (void)label;
    for (int r = 0; r < SIDE; r++)
        for (int c = 0; c < SIDE; c++)
            e[r * SIDE + c] = 1 - x[r * SIDE + (c ? c - 1 : 0)];
}

/* In an order that no filter undoes. */
static void reorder(const float *x, int label, float *e) {
    (void)label;
    for (int i = 0; i < PIXELS; i++)
        e[i] = x[i * 27 % PIXELS];
}

static void negative_if_one(const float *x, int label, float *e) {
    for (int i = 0; i < PIXELS; i++)
        e[i] = label ? 1 - x[i] : x[i];
}

static gnt_samples samples(float *x, float *y, int64_t *id, int64_t n) {
    return (gnt_samples){.size = sizeof(gnt_samples),
                         .kind = GNT_KIND_IMAGE,
                         .n = n,
                         .rank = 3,
                         .classes = CLASSES,
                         .dim = {1, SIDE, SIDE},
                         .features = PIXELS,
                         .id = id,
                         .x = x,
                         .y = y};
}

/* The share of black pixels; the others are uniform. */
static double black;

/* Encoding i of a set is of sample (i + turn) mod EACH, as its id says. */
static void make(world *w, encode_fn *encode, int64_t turn, uint64_t seed) {
    const gnt_key key = gnt_key_of_seed(seed);
    gnt_stream s = gnt_stream_open(&key, "world");
    memset(w, 0, sizeof *w);
    for (int j = 0; j < SETS; j++) {
        int label[EACH];
        for (int i = 0; i < EACH; i++) {
            label[i] = (int)gnt_random_below(&s, CLASSES);
            for (int p = 0; p < PIXELS; p++) {
                const double u = gnt_random_uniform(&s), v = u < black ? 0 : (u - black) / (1 - black);
                w->x[j][i][p] = p % SIDE == SIDE - 1 ? w->x[j][i][p - 1] : (float)v;
            }
        }
        for (int64_t i = 0; i < EACH; i++) {
            const int64_t of = (i + turn) % EACH;
            encode(w->x[j][of], label[of], w->e[j][i]);
            w->y[j][i][label[of]] = 1;
            w->id[j][i] = of;
        }
        w->truth[j] = samples(w->x[j][0], NULL, NULL, EACH);
        w->encoded[j] = samples(w->e[j][0], w->y[j][0], w->id[j], EACH);
        w->seen[j] = (gnt_observation){.size = sizeof(gnt_observation),
                                       .surface = GNT_SURFACE_ENCODING,
                                       .n = EACH,
                                       .encoded = &w->encoded[j]};
        w->seen_list[j] = &w->seen[j];
        w->truth_list[j] = &w->truth[j];
    }
    w->in = (gnt_attack_prepare){.size = sizeof w->in,
                                 .n_shadow = SETS - 1,
                                 .shadow = w->seen_list,
                                 .shadow_truth = w->truth_list,
                                 .attribute = -1};
}

static gnt_status learn(tried *t, const world *w, kept *out, gnt_err *err) {
    return try_prepare(t, &w->in, out, err);
}

static gnt_status take(void *context, int64_t count, const float *x) {
    assert_int_equal(count, EACH);
    memcpy(context, x, EACH * PIXELS * sizeof *x);
    return GNT_OK;
}

static gnt_status answer_last(tried *t, const world *w, const kept *own, float *x, gnt_err *err) {
    gnt_answer answer = {.size = sizeof answer, .context = x, .reconstruction = take};
    gnt_instance_enter(t->instance, "run");
    gnt_status s = gnt_instance_attack(t->instance)
                       ->run(gnt_instance_self(t->instance), &w->seen[SETS - 1], &own->artefacts, &answer);
    return gnt_instance_leave(t->instance, s, err);
}

static tried open_it(const char *id, const char *json) {
    char path[4096];
    tried t;
    gnt_err err = {0};
    if (try_open(&t, built("plugins/attacks/learnt.so", path), GNT_PLUGIN_ATTACK, id, json, 5, &err) != 0)
        fail_msg("%s", err.text);
    return t;
}

/* Mean absolute error on the last set, which was not learnt from. */
static double error_of(const world *w, const float *x) {
    double sum = 0;
    for (int i = 0; i < EACH; i++)
        for (int p = 0; p < PIXELS; p++)
            sum += fabs((double)x[i * PIXELS + p] - (double)w->x[SETS - 1][w->id[SETS - 1][i]][p]);
    return sum / (EACH * PIXELS);
}

static double learn_and_answer(const world *w, const char *id, const char *json, float *x) {
    tried t = open_it(id, json);
    kept k;
    gnt_err err = {0};
    if (learn(&t, w, &k, &err) != GNT_OK || answer_last(&t, w, &k, x, &err) != GNT_OK)
        fail_msg("%s", err.text);
    try_drop(&k);
    try_close(&t);
    return error_of(w, x);
}

/* Fewer pairs than pixels: no map of whole images follows from them, but a filter does. */
static const char few_pairs[] = "{\"ridge\": 1e-9, \"pairs\": 40}";
static world w;
static float x[EACH * PIXELS], again[EACH * PIXELS];

static void ridge_undoes_a_filter(void **state) {
    (void)state;
    make(&w, shift, 0, 1);
    assert_true(learn_and_answer(&w, "ridge", few_pairs, x) < 1e-4);
}

static void ridge_undoes_an_order(void **state) {
    (void)state;
    make(&w, reorder, 0, 1);
    assert_true(learn_and_answer(&w, "ridge", NULL, x) < 1e-4);
    assert_true(learn_and_answer(&w, "ridge", few_pairs, x) > 0.05);
}

/* With ids taken for positions it would learn from the wrong pairs. */
static void ids_name_the_sample(void **state) {
    (void)state;
    make(&w, shift, 3, 1);
    assert_true(learn_and_answer(&w, "ridge", few_pairs, x) < 1e-4);
}

static void decoder_uses_the_label(void **state) {
    (void)state;
    make(&w, negative_if_one, 0, 2);
    /* a constant guess of ½ errs by ¼, and so does every filter that cannot see the label */
    assert_true(learn_and_answer(&w, "ridge", NULL, x) > 0.2);
    assert_true(learn_and_answer(&w, "decoder", "{\"steps\": 400, \"features\": 8, \"rate\": 0.01}", x) <
                0.1);
}

/* A network that is driven to black at once stays there, where its sigmoid has no slope. */
static void decoder_does_not_end_in_black(void **state) {
    (void)state;
    black = 0.9;
    make(&w, shift, 0, 4);
    black = 0;
    memset(x, 0, sizeof x);
    const double all_black = error_of(&w, x);
    assert_true(learn_and_answer(&w, "decoder", "{\"steps\": 400, \"features\": 8, \"rate\": 0.01}", x) <
                0.5 * all_black);
}

static void same_key_same_bytes(void **state) {
    (void)state;
    static const char few[] = "{\"steps\": 5, \"features\": 2, \"batch\": 4}";
    make(&w, shift, 0, 3);
    learn_and_answer(&w, "decoder", few, x);
    learn_and_answer(&w, "decoder", few, again);
    assert_memory_equal(x, again, sizeof x);
}

static void nothing_to_learn_from(void **state) {
    (void)state;
    static const char *const ids[] = {"ridge", "decoder"};
    make(&w, shift, 0, 4);
    w.in.n_shadow = 0;
    for (int i = 0; i < 2; i++) {
        tried t = open_it(ids[i], NULL);
        kept k;
        gnt_err err = {0};
        assert_int_equal(learn(&t, &w, &k, &err), GNT_UNSUPPORTED);
        assert_non_null(strstr(err.text, "grant shadow_observations"));
        try_close(&t);
    }
}

static void another_shape_is_refused(void **state) {
    (void)state;
    static const char *const of[] = {NULL, few_pairs};
    for (int i = 0; i < 2; i++) {
        tried t = open_it("ridge", of[i]);
        kept k;
        gnt_err err = {0};
        make(&w, shift, 0, 5);
        assert_int_equal(learn(&t, &w, &k, &err), GNT_OK);
        w.encoded[SETS - 1].dim[0] = 2;
        w.encoded[SETS - 1].dim[1] = SIDE / 2;
        assert_int_equal(answer_last(&t, &w, &k, x, &err), GNT_FAILED);
        assert_non_null(strstr(err.text, "learnt on another one"));
        try_drop(&k);
        try_close(&t);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ridge_undoes_a_filter),         cmocka_unit_test(ridge_undoes_an_order),
        cmocka_unit_test(ids_name_the_sample),           cmocka_unit_test(decoder_uses_the_label),
        cmocka_unit_test(decoder_does_not_end_in_black), cmocka_unit_test(same_key_same_bytes),
        cmocka_unit_test(nothing_to_learn_from),         cmocka_unit_test(another_shape_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
