/* update-decoder: its ridge against the direct solve; the principal row of a matrix of rank one; samples read
 * off updates that a defense scaled, turned round and made noisy, better than the mean sample; few pairs, and
 * updates of another shape, get a sentence. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "../../plugins/attacks/learnt/dual_ridge.c"
#include "../../plugins/attacks/learnt/update_features.c"
#include <cmocka.h>

#include "base/random.h"
#include "nn/model/model.h"
#include "plugin/host.h"
#include "try_plugin.h"

/* ---- parts ---- */

/* W = Xᵀ(XXᵀ + λI)⁻¹Y = (XᵀX + λI)⁻¹XᵀY: the right side here. */
static void the_dual_ridge_is_the_direct_one(void **state) {
    (void)state;
    enum { ROWS = 4, COLUMNS = 6, OUTPUTS = 2 };
    const double lambda = 0.3;
    float x[ROWS * COLUMNS], w[COLUMNS * OUTPUTS];
    double y[ROWS * OUTPUTS], gram[ROWS * ROWS] = {0}, work[ROWS * ROWS];
    double direct[COLUMNS * COLUMNS] = {0}, right[COLUMNS * OUTPUTS] = {0};
    for (int i = 0; i < ROWS * COLUMNS; i++)
        x[i] = (float)sin(1.7 * i);
    for (int i = 0; i < ROWS * OUTPUTS; i++)
        y[i] = cos(0.9 * i);
    for (int k = 0; k < COLUMNS; k++) {
        direct[k * COLUMNS + k] = lambda;
        for (int i = 0; i < ROWS; i++) {
            for (int l = 0; l < COLUMNS; l++)
                direct[k * COLUMNS + l] += (double)x[i * COLUMNS + k] * (double)x[i * COLUMNS + l];
            for (int o = 0; o < OUTPUTS; o++)
                right[k * OUTPUTS + o] += (double)x[i * COLUMNS + k] * y[i * OUTPUTS + o];
        }
    }
    assert_int_equal(gnt_cholesky(direct, COLUMNS), 0);
    gnt_cholesky_solve(direct, COLUMNS, right, OUTPUTS);
    dual_ridge_gram(x, ROWS, COLUMNS, gram);
    assert_int_equal(dual_ridge_solve(gram, ROWS, lambda, work, y, OUTPUTS), 0);
    dual_ridge_weights(x, y, ROWS, COLUMNS, OUTPUTS, w);
    for (int i = 0; i < COLUMNS * OUTPUTS; i++)
        assert_float_equal(w[i], right[i], 1e-5);
}

enum { UNITS = 6, ENTRIES = 8, CLASSES = 3, TENSORS = 4 };

static const char mlp[] = "{\"init\": \"kaiming\", \"layers\": ["
                          "{\"type\": \"dense\", \"name\": \"fc1\", \"out\": 6}, {\"type\": \"relu\"},"
                          "{\"type\": \"dense\", \"name\": \"fc2\", \"out\": \"classes\"}]}";

typedef struct seen_update {
    float w[UNITS * ENTRIES], b[UNITS], w2[CLASSES * UNITS], b2[CLASSES];
    gnt_view view[TENSORS];
    gnt_views update;
} seen_update;

/* Makes the update of sample x: δ [x; 1]ᵀ·scale + noise; what a later layer has is noise alone. */
static void make_update(seen_update *u, gnt_stream *s, const float *x, double scale, double noise) {
    for (int i = 0; i < UNITS; i++) {
        const double delta = gnt_random_normal(s);
        for (int k = 0; k < ENTRIES; k++)
            u->w[i * ENTRIES + k] = (float)(scale * (delta * (double)x[k] + noise * gnt_random_normal(s)));
        u->b[i] = (float)(scale * (delta + noise * gnt_random_normal(s)));
    }
    for (int i = 0; i < CLASSES * UNITS; i++)
        u->w2[i] = (float)(0.1 * scale * gnt_random_normal(s));
    for (int i = 0; i < CLASSES; i++)
        u->b2[i] = (float)(0.1 * scale * gnt_random_normal(s));
    const gnt_view views[TENSORS] = {
        {.name = "fc1.weight", .rank = 2, .dim = {UNITS, ENTRIES}, .count = UNITS * ENTRIES, .data = u->w},
        {.name = "fc1.bias", .rank = 1, .dim = {UNITS}, .count = UNITS, .data = u->b},
        {.name = "fc2.weight",
         .rank = 2,
         .layer = 2,
         .dim = {CLASSES, UNITS},
         .count = CLASSES * UNITS,
         .data = u->w2},
        {.name = "fc2.bias", .rank = 1, .layer = 2, .dim = {CLASSES}, .count = CLASSES, .data = u->b2}};
    memcpy(u->view, views, sizeof views);
    u->update = (gnt_views){TENSORS, u->view};
}

typedef struct world {
    gnt_model *model;
    gnt_service *service;
    gnt_stream stream;
    gnt_err err;
} world;

static void open_world(world *w, uint64_t seed) {
    const gnt_nn_shape sample = {1, {ENTRIES}};
    const gnt_key key = gnt_key_of_seed(seed);
    memset(w, 0, sizeof *w);
    w->stream = gnt_stream_open(&key, "world");
    if (gnt_model_parse(&w->model, "test", mlp, &sample, CLASSES, NULL, NULL, &w->err) != 0)
        fail_msg("%s", w->err.text);
    const gnt_service_spec spec = {.model = w->model, .name = "test"};
    assert_int_equal(gnt_service_new(&w->service, &spec, &w->err), 0);
}

static void close_world(world *w) {
    gnt_service_free(w->service);
    gnt_model_free(w->model);
}

static void draw_sample(world *w, float *x) {
    for (int k = 0; k < ENTRIES; k++)
        x[k] = (float)gnt_random_uniform(&w->stream);
}

static void the_principal_row_is_the_sample(void **state) {
    (void)state;
    world w;
    seen_update u;
    float x[ENTRIES], row[ENTRIES], shrunk[ENTRIES];
    double room[UNITS + ENTRIES], length = 0;
    open_world(&w, 1);
    draw_sample(&w, x);
    make_update(&u, &w.stream, x, -3, 0); /* a weight delta: of the other sign */
    const update_layout l = update_layout_of(gnt_service_table(w.service)->info, &u.update);
    assert_int_equal(l.row, ENTRIES);
    assert_int_equal(l.units, UNITS);
    assert_int_equal(update_features_count(&l, UPDATE_ROW), ENTRIES);
    assert_int_equal(update_features_count(&l, UPDATE_ROW | UPDATE_SKETCH), ENTRIES + TENSORS * l.each);
    update_features(&l, &u.update, UPDATE_ROW, room, row);
    update_features(&l, &u.update, UPDATE_ROW_SHRUNK, room, shrunk);
    for (int k = 0; k < ENTRIES; k++)
        length += (double)x[k] * (double)x[k];
    for (int k = 0; k < ENTRIES; k++) {
        assert_float_equal(row[k], (double)x[k] / sqrt(length), 1e-5);
        assert_float_equal(shrunk[k], row[k], 1e-5); /* all the energy is in one row */
    }
    close_world(&w);
}

/* ---- the built attack ---- */

enum { SHADOWS = 120, TESTS = 30 };

typedef struct shadows {
    seen_update update[SHADOWS];
    float x[SHADOWS][ENTRIES];
    gnt_observation seen[SHADOWS];
    gnt_samples truth[SHADOWS];
    const gnt_observation *seen_list[SHADOWS];
    const gnt_samples *truth_list[SHADOWS];
    gnt_attack_prepare in;
} shadows;

static void make_shadows(shadows *s, world *w, double scale, double noise) {
    for (int i = 0; i < SHADOWS; i++) {
        draw_sample(w, s->x[i]);
        make_update(&s->update[i], &w->stream, s->x[i], scale, noise);
        s->seen[i] =
            (gnt_observation){.size = sizeof(gnt_observation), .n = 1, .update = &s->update[i].update};
        s->truth[i] = (gnt_samples){.size = sizeof(gnt_samples),
                                    .kind = GNT_KIND_TABULAR,
                                    .n = 1,
                                    .rank = 1,
                                    .dim = {ENTRIES},
                                    .features = ENTRIES,
                                    .x = s->x[i]};
        s->seen_list[i] = &s->seen[i];
        s->truth_list[i] = &s->truth[i];
    }
    s->in = (gnt_attack_prepare){
        .size = sizeof s->in, .n_shadow = SHADOWS, .shadow = s->seen_list, .shadow_truth = s->truth_list};
}

static void open_attack(tried *t, world *w) {
    char path[4096];
    assert_int_equal(try_load(t, built("plugins/attacks/learnt.so", path), GNT_PLUGIN_ATTACK,
                              "update-decoder", NULL, &w->err),
                     0);
    assert_int_equal(try_start(t, 1, (gnt_instance_spec){.model = w->service}, &w->err), 0);
}

static gnt_status take(void *context, int64_t count, const float *x) {
    assert_int_equal(count, 1);
    memcpy(context, x, ENTRIES * sizeof *x);
    return GNT_OK;
}

static gnt_status answer(tried *t, world *w, const seen_update *u, const kept *learnt, float *found) {
    const gnt_observation seen = {
        .size = sizeof seen, .surface = GNT_SURFACE_UPDATE, .n = 1, .update = &u->update};
    const gnt_answer to = {.size = sizeof to, .context = found, .reconstruction = take};
    gnt_instance_enter(t->instance, "run");
    gnt_status status =
        gnt_instance_attack(t->instance)->run(gnt_instance_self(t->instance), &seen, &learnt->artefacts, &to);
    return gnt_instance_leave(t->instance, status, &w->err);
}

static void samples_are_read_off_defended_updates(void **state) {
    (void)state;
    static shadows s;
    world w;
    tried t;
    kept learnt;
    double error = 0, of_mean = 0;
    open_world(&w, 2);
    make_shadows(&s, &w, -0.02, 0.1);
    open_attack(&t, &w);
    assert_int_equal(try_prepare(&t, &s.in, &learnt, &w.err), GNT_OK);
    for (int i = 0; i < TESTS; i++) {
        seen_update u;
        float x[ENTRIES], found[ENTRIES];
        draw_sample(&w, x);
        make_update(&u, &w.stream, x, -0.02, 0.1);
        assert_int_equal(answer(&t, &w, &u, &learnt, found), GNT_OK);
        for (int k = 0; k < ENTRIES; k++) {
            error += ((double)found[k] - (double)x[k]) * ((double)found[k] - (double)x[k]);
            of_mean += (0.5 - (double)x[k]) * (0.5 - (double)x[k]);
        }
    }
    assert_true(error < 0.5 * of_mean);
    try_drop(&learnt);
    try_close(&t);
    close_world(&w);
}

/* Updates that say nothing: no worse than the mean sample by more than chance. */
static void noise_alone_gives_the_mean_sample(void **state) {
    (void)state;
    static shadows s;
    world w;
    tried t;
    kept learnt;
    double error = 0, of_mean = 0;
    open_world(&w, 3);
    make_shadows(&s, &w, 1, 1000);
    open_attack(&t, &w);
    assert_int_equal(try_prepare(&t, &s.in, &learnt, &w.err), GNT_OK);
    for (int i = 0; i < TESTS; i++) {
        seen_update u;
        float x[ENTRIES], found[ENTRIES];
        draw_sample(&w, x);
        make_update(&u, &w.stream, x, 1, 1000);
        assert_int_equal(answer(&t, &w, &u, &learnt, found), GNT_OK);
        for (int k = 0; k < ENTRIES; k++) {
            error += ((double)found[k] - (double)x[k]) * ((double)found[k] - (double)x[k]);
            of_mean += (0.5 - (double)x[k]) * (0.5 - (double)x[k]);
        }
    }
    assert_true(error < 1.15 * of_mean);
    try_drop(&learnt);
    try_close(&t);
    close_world(&w);
}

static void what_it_cannot_learn_from_gets_a_sentence(void **state) {
    (void)state;
    static shadows s;
    world w;
    tried t;
    kept learnt;
    gnt_views shorter;
    open_world(&w, 4);
    make_shadows(&s, &w, 1, 0.1);
    open_attack(&t, &w);
    s.in.n_shadow = 9;
    assert_int_equal(try_prepare(&t, &s.in, &learnt, &w.err), GNT_UNSUPPORTED);
    assert_non_null(strstr(w.err.text, "fewer than ten"));
    s.in.n_shadow = SHADOWS;
    shorter = (gnt_views){TENSORS - 1, s.update[5].view};
    s.seen[5].update = &shorter;
    assert_int_equal(try_prepare(&t, &s.in, &learnt, &w.err), GNT_FAILED);
    assert_non_null(strstr(w.err.text, "no update of the model's size"));
    try_close(&t);
    close_world(&w);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_dual_ridge_is_the_direct_one),
        cmocka_unit_test(the_principal_row_is_the_sample),
        cmocka_unit_test(samples_are_read_off_defended_updates),
        cmocka_unit_test(noise_alone_gives_the_mean_sample),
        cmocka_unit_test(what_it_cannot_learn_from_gets_a_sentence),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
