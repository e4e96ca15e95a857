/* recup-residue and rank1: what they take off an update and what they make of both parts, for one linear
 * network given as their artefacts, whose answer is written out here in double. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "base/random.h"
#include "try_plugin.h"

enum { ROWS = 7, INPUTS = 9, WEIGHTS = ROWS * INPUTS, SIZE = WEIGHTS + ROWS + 4, VALUES = 3 };

/* Updates of a dense layer with its bias, and of four more entries. */
typedef struct world {
    float mean[SIZE], scale[SIZE], weight[VALUES * SIZE], bias[VALUES], count[VALUES];
    float update[SIZE], clean[SIZE];
    gnt_view own[5], view[3];
    gnt_artefacts artefacts;
    gnt_views seen;
    gnt_value value[5];
    gnt_observation o;
} world;

static void setup(world *w, uint64_t seed) {
    const gnt_key key = gnt_key_of_seed(seed);
    gnt_stream s = gnt_stream_open(&key, "world");
    memset(w, 0, sizeof *w);
    for (int j = 0; j < SIZE; j++) {
        w->mean[j] = (float)(0.1 * gnt_random_normal(&s));
        w->scale[j] = (float)(0.5 + gnt_random_uniform(&s));
    }
    for (int j = 0; j < VALUES * SIZE; j++)
        w->weight[j] = (float)gnt_random_normal(&s);
    for (int v = 0; v < VALUES; v++) {
        w->bias[v] = (float)gnt_random_normal(&s);
        w->count[v] = 5;
    }
    w->own[0] = (gnt_view){.name = "mean", .rank = 1, .dim = {SIZE}, .count = SIZE, .data = w->mean};
    w->own[1] = (gnt_view){.name = "scale", .rank = 1, .dim = {SIZE}, .count = SIZE, .data = w->scale};
    w->own[2] = (gnt_view){.name = "0.weight.0",
                           .rank = 2,
                           .dim = {VALUES, SIZE},
                           .count = (int64_t)VALUES * SIZE,
                           .data = w->weight};
    w->own[3] = (gnt_view){.name = "0.bias.0", .rank = 1, .dim = {VALUES}, .count = VALUES, .data = w->bias};
    w->own[4] = (gnt_view){.name = "count", .rank = 1, .dim = {VALUES}, .count = VALUES, .data = w->count};
    w->artefacts = (gnt_artefacts){.size = sizeof w->artefacts, .tensors = {5, w->own}};
    w->view[0] = (gnt_view){
        .name = "fc.weight", .rank = 2, .dim = {ROWS, INPUTS}, .count = WEIGHTS, .data = w->update};
    w->view[1] =
        (gnt_view){.name = "fc.bias", .rank = 1, .dim = {ROWS}, .count = ROWS, .data = w->update + WEIGHTS};
    w->view[2] = (gnt_view){
        .name = "other", .rank = 1, .layer = 1, .dim = {4}, .count = 4, .data = w->update + WEIGHTS + ROWS};
    w->seen = (gnt_views){3, w->view};
    w->value[0] = (gnt_value){.id = "epsilon", .type = GNT_TYPE_REAL, .r = 1e-3};
    w->value[1] = (gnt_value){.id = "drawn", .type = GNT_TYPE_INT, .i = 5};
    w->value[2] = (gnt_value){.id = "iterations", .type = GNT_TYPE_INT, .i = 10};
    w->value[3] = (gnt_value){.id = "window", .type = GNT_TYPE_INT, .i = 1};
    w->value[4] = (gnt_value){.id = "inputs", .type = GNT_TYPE_INT, .i = 1024};
    w->o = (gnt_observation){.size = sizeof w->o,
                             .n = 1,
                             .batch = 1,
                             .attribute_values = VALUES,
                             .update = &w->seen,
                             .defense = "recup",
                             .defense_values = w->value,
                             .n_defense_values = 5};
    /* what came back to each neuron times its input; every third neuron is off, every other input 0 */
    for (int i = 0; i < ROWS; i++) {
        const double size = 0.8 + 0.4 * gnt_random_uniform(&s);
        const double back = i % 3 == 0 ? 0 : i % 2 ? size : -size;
        for (int j = 0; j <= INPUTS; j++) {
            const double input = j == INPUTS ? 1 : j % 2 ? 0 : 0.3 + 0.1 * j;
            w->clean[j < INPUTS ? i * INPUTS + j : WEIGHTS + i] = (float)(back * input);
        }
    }
    for (int j = WEIGHTS + ROWS; j < SIZE; j++)
        w->clean[j] = (float)gnt_random_normal(&s);
    memcpy(w->update, w->clean, sizeof w->update);
}

static void log_probabilities(const world *w, const float *update, double out[VALUES]) {
    double most = -INFINITY, sum = 0;
    for (int v = 0; v < VALUES; v++) {
        out[v] = (double)w->bias[v];
        for (int j = 0; j < SIZE; j++)
            out[v] += (double)w->weight[v * SIZE + j] * ((double)update[j] - (double)w->mean[j]) *
                      (double)w->scale[j];
        most = fmax(most, out[v]);
    }
    for (int v = 0; v < VALUES; v++)
        sum += exp(out[v] - most);
    for (int v = 0; v < VALUES; v++)
        out[v] -= most + log(sum);
}

static gnt_status take_scores(void *context, int32_t values, const float *scores) {
    memcpy(context, scores, (size_t)values * sizeof *scores);
    return GNT_OK;
}

static gnt_status run_attack(const char *id, const char *json, const world *w, float scores[VALUES],
                             double *clear, gnt_err *err) {
    char path[4096];
    tried t;
    if (try_open(&t, built("plugins/attacks/attribute.so", path), GNT_PLUGIN_ATTACK, id, json, 1, err) != 0)
        fail_msg("%s", err->text);
    gnt_answer answer = {.size = sizeof answer, .context = scores, .attribute = take_scores};
    gnt_instance_enter(t.instance, "run");
    gnt_status s =
        gnt_instance_attack(t.instance)->run(gnt_instance_self(t.instance), &w->o, &w->artefacts, &answer);
    s = gnt_instance_leave(t.instance, s, err);
    if (clear)
        *clear = try_fact(&t, "read_in_the_clear");
    try_close(&t);
    return s;
}

static void expect(const char *id, const char *json, const world *w, const double want[VALUES],
                   double *clear) {
    float scores[VALUES];
    gnt_err err = {0};
    if (run_attack(id, json, w, scores, clear, &err) != GNT_OK)
        fail_msg("%s: %s", id, err.text);
    for (int v = 0; v < VALUES; v++)
        if (!(fabs((double)scores[v] - want[v]) <= 1e-3))
            fail_msg("%s %s: value %d: %g instead of %g", id, json, v, (double)scores[v], want[v]);
}

/* The change in log probability from the clean update to the one that was seen. */
static void drop(const world *w, const float *without, double want[VALUES]) {
    double seen[VALUES];
    log_probabilities(w, without, want);
    log_probabilities(w, w->update, seen);
    for (int v = 0; v < VALUES; v++)
        want[v] -= seen[v];
}

static const char window[] = "{\"window\": 1}", change[] = "{\"window\": 1, \"read\": \"change\"}",
                  update[] = "{\"read\": \"update\"}";

/* ---- the lattice ---- */

static void what_was_added_where_the_update_was_0_is_taken_off(void **state) {
    world w;
    float left[SIZE];
    double want[VALUES], clear;
    int moved = 0;
    (void)state;
    setup(&w, 1);
    for (int j = 0; j < SIZE; j += 2) {
        w.update[j] += (float)((j % 7 - 3) * 1e-3);
        moved += w.clean[j] == 0 && j % 7 != 3;
    }
    for (int j = 0; j < SIZE; j++) /* only where the update was 0 is it visible */
        left[j] = w.clean[j] == 0 ? 0 : w.update[j];
    drop(&w, left, want);
    expect("recup-residue", "{}", &w, want, &clear);
    assert_true(moved > 10);
    assert_true(fabs(clear - (double)moved / SIZE) < 1e-9);
    log_probabilities(&w, left, want);
    expect("recup-residue", update, &w, want, NULL);
}

static void neither_too_many_steps_nor_parts_of_one_are(void **state) {
    world w;
    double want[VALUES], clear;
    (void)state;
    setup(&w, 2);
    w.update[0] = 11e-3F;
    w.update[1] = 1.5e-3F;
    w.update[2] = -10e-3F;
    float left[SIZE];
    memcpy(left, w.update, sizeof left);
    left[2] = 0;
    drop(&w, left, want);
    expect("recup-residue", "{}", &w, want, &clear);
    assert_true(fabs(clear - 1.0 / SIZE) < 1e-9);
}

static void the_step_is_that_of_the_defense(void **state) {
    world w;
    double want[VALUES], clear;
    float left[SIZE];
    (void)state;
    setup(&w, 3);
    w.update[0] = 0.2e-3F; /* ε/Q */
    memcpy(left, w.update, sizeof left);
    left[0] = 0;
    w.o.defense = "fgsm-iter";
    drop(&w, left, want);
    expect("recup-residue", "{}", &w, want, &clear);
    assert_true(fabs(clear - 1.0 / SIZE) < 1e-9);
    w.o.defense = "recup"; /* of γ 0.2 */
    expect("recup-residue", "{\"gamma\": 0.2}", &w, want, &clear);
    w.o.defense = "recup"; /* a delta of a step of rate 0.2 */
    w.o.steps = 1;
    w.o.rate = 0.2;
    expect("recup-residue", "{}", &w, want, &clear);
    assert_true(fabs(clear - 1.0 / SIZE) < 1e-9);
}

static void a_random_target_reveals_nothing_so_the_rest_is_read(void **state) {
    world w;
    double want[VALUES];
    (void)state;
    setup(&w, 4);
    w.update[0] = 3e-3F;
    w.o.defense = "recup-random-target";
    log_probabilities(&w, w.clean, want);
    expect("recup-residue", "{}", &w, want, NULL);
    memcpy(w.update, w.clean, sizeof w.update); /* and where nothing was added */
    w.o.defense = "recup";
    expect("recup-residue", "{}", &w, want, NULL);
}

static void a_value_that_was_never_learnt_is_not_answered(void **state) {
    world w;
    float scores[VALUES];
    gnt_err err = {0};
    (void)state;
    setup(&w, 5);
    w.count[1] = 0;
    w.update[0] = 3e-3F;
    assert_int_equal(run_attack("recup-residue", "{}", &w, scores, NULL, &err), GNT_OK);
    assert_true(scores[1] < scores[0] && scores[1] < scores[2]);
}

static void it_answers_only_the_defenses_it_knows(void **state) {
    world w;
    float scores[VALUES];
    gnt_err err = {0};
    (void)state;
    setup(&w, 6);
    w.o.defense = "dp-gaussian";
    assert_int_equal(run_attack("recup-residue", "{}", &w, scores, NULL, &err), GNT_UNSUPPORTED);
    assert_non_null(strstr(err.text, "fgsm"));
    w.o.defense = "recup";
    w.own[4].count = 2;
    err = (gnt_err){0};
    assert_int_equal(run_attack("recup-residue", "{}", &w, scores, NULL, &err), GNT_FAILED);
    assert_non_null(strstr(err.text, "another task"));
}

/* ---- the outer product ---- */

static void a_dense_layer_is_restored_from_its_rank(void **state) {
    for (uint64_t seed = 1; seed <= 20; seed++) {
        world w;
        double want[VALUES];
        const gnt_key key = gnt_key_of_seed(seed);
        gnt_stream s = gnt_stream_open(&key, "moved");
        (void)state;
        setup(&w, seed);
        for (int i = 0; i < ROWS; i++) /* two of ten entries of each row, and at most a few of a column */
            for (int k = 0; k < 2; k++) {
                const int j = (3 * i + 5 * k) % (INPUTS + 1);
                w.update[j < INPUTS ? i * INPUTS + j : WEIGHTS + i] += (float)(0.5 * gnt_random_normal(&s));
            }
        log_probabilities(&w, w.clean, want);
        expect("rank1", window, &w, want, NULL);
        drop(&w, w.clean, want);
        expect("rank1", change, &w, want, NULL);
    }
}

static void other_parameters_stay(void **state) {
    world w;
    double want[VALUES];
    (void)state;
    setup(&w, 1);
    for (int j = WEIGHTS + ROWS; j < SIZE; j++)
        w.update[j] += 0.25F;
    log_probabilities(&w, w.update, want);
    expect("rank1", window, &w, want, NULL);
    expect("rank1", change, &w, want, NULL); /* nothing was taken off */
}

static void it_needs_one_sample_and_a_dense_layer(void **state) {
    world w;
    float scores[VALUES];
    gnt_err err = {0};
    (void)state;
    setup(&w, 1);
    w.o.n = 2;
    assert_int_equal(run_attack("rank1", window, &w, scores, NULL, &err), GNT_UNSUPPORTED);
    assert_non_null(strstr(err.text, "single sample"));
    w.o.n = 1;
    w.view[0].rank = 1;
    w.view[0].dim[0] = WEIGHTS;
    err = (gnt_err){0};
    assert_int_equal(run_attack("rank1", window, &w, scores, NULL, &err), GNT_UNSUPPORTED);
    assert_non_null(strstr(err.text, "dense"));
}

static void an_update_of_zeros_is_read(void **state) {
    world w;
    double want[VALUES];
    (void)state;
    setup(&w, 1);
    memset(w.update, 0, sizeof w.update);
    log_probabilities(&w, w.update, want);
    expect("rank1", window, &w, want, NULL);
    expect("recup-residue", "{}", &w, want, NULL);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_was_added_where_the_update_was_0_is_taken_off),
        cmocka_unit_test(neither_too_many_steps_nor_parts_of_one_are),
        cmocka_unit_test(the_step_is_that_of_the_defense),
        cmocka_unit_test(a_random_target_reveals_nothing_so_the_rest_is_read),
        cmocka_unit_test(a_value_that_was_never_learnt_is_not_answered),
        cmocka_unit_test(it_answers_only_the_defenses_it_knows),
        cmocka_unit_test(a_dense_layer_is_restored_from_its_rank),
        cmocka_unit_test(other_parameters_stay),
        cmocka_unit_test(it_needs_one_sample_and_a_dense_layer),
        cmocka_unit_test(an_update_of_zeros_is_read),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
