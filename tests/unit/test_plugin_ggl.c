/* ggl: its generator's derivative, what it finds of held-out glyphs compared with what public images alone
 * would answer, that its default sees no common factor of an update and the published distance does, and that
 * artefacts, batches and public images it cannot use are refused. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "../../plugins/attacks/gradient/prior/generator.c"
#include <cmocka.h>

#include "data/data.h"
#include "nn/model/model.h"
#include "plain_host.h"
#include "plugin/model_service.h"
#include "try_plugin.h"

enum {
    CLASSES = 10,
    SIDE = 28,
    PIXELS = SIDE * SIDE,
    PUBLIC = 400,
    TARGETS = 4,
    TENSORS = 8,
    ENTRIES = 60000
};

static const char mlp_json[] = "{\"init\": \"kaiming\", \"layers\": [{\"type\": \"flatten\"},"
                               "{\"type\": \"dense\", \"name\": \"fc1\", \"out\": 32}, {\"type\": \"relu\"},"
                               "{\"type\": \"dense\", \"name\": \"fc2\", \"out\": \"classes\"}]}";
static const char conv_json[] =
    "{\"init\": {\"kind\": \"uniform\", \"bound\": 0.5}, \"layers\": ["
    "{\"type\": \"conv\", \"name\": \"c1\", \"out\": 6, \"kernel\": 5, \"stride\": 2, \"pad\": 2},"
    "{\"type\": \"sigmoid\"},"
    "{\"type\": \"conv\", \"name\": \"c2\", \"out\": 6, \"kernel\": 5, \"stride\": 2, \"pad\": 2},"
    "{\"type\": \"sigmoid\"}, {\"type\": \"flatten\"},"
    "{\"type\": \"dense\", \"name\": \"fc\", \"out\": \"classes\"}]}";

/* ---- what is attacked ---- */

static float images[(PUBLIC + TARGETS) * PIXELS], labels[(PUBLIC + TARGETS) * CLASSES];

static int open_glyphs(void **state) {
    (void)state;
    gnt_data *glyphs;
    gnt_err err = {0};
    gnt_data_spec spec = {.name = "glyphs", .rows = {PUBLIC + TARGETS, 1, 1}, .seed = 41};
    if (gnt_data_open(&glyphs, &spec, NULL, &err))
        return -1;
    for (int64_t i = 0; i < PUBLIC + TARGETS; i++) {
        gnt_data_row(glyphs, i, images + i * PIXELS);
        labels[i * CLASSES + glyphs->label[i]] = 1;
    }
    gnt_data_free(glyphs);
    return 0;
}

typedef struct world {
    gnt_model *model;
    gnt_service *service;
    float *weights, entry[ENTRIES];
    gnt_view view[TENSORS];
    gnt_views update;
    gnt_samples public_data;
    gnt_observation seen;
    float found[PIXELS], scores[CLASSES];
    gnt_err err;
} world;
static world w;

static void open_world(const char *json) {
    memset(&w, 0, sizeof w);
    gnt_nn_shape sample = {3, {1, SIDE, SIDE}};
    if (gnt_model_parse(&w.model, "test", json, &sample, CLASSES, NULL, NULL, &w.err))
        fail_msg("%s", w.err.text);
    gnt_service_spec spec = {.model = w.model, .name = "test"};
    assert_int_equal(gnt_service_new(&w.service, &spec, &w.err), 0);
    w.weights = calloc((size_t)gnt_model_size(w.model), sizeof *w.weights);
    const gnt_key key = gnt_key_of_seed(12);
    gnt_stream init = gnt_stream_open(&key, "init");
    gnt_model_init(w.model, &init, w.weights, NULL);
    w.public_data = (gnt_samples){.size = sizeof w.public_data,
                                  .kind = GNT_KIND_IMAGE,
                                  .n = PUBLIC,
                                  .rank = 3,
                                  .classes = CLASSES,
                                  .dim = {1, SIDE, SIDE},
                                  .features = PIXELS,
                                  .x = images,
                                  .y = labels};
}

static void close_world(void) {
    gnt_service_free(w.service);
    gnt_model_free(w.model);
    free(w.weights);
}

static const float *target(int64_t t) {
    return images + (PUBLIC + t) * PIXELS;
}

/* The gradient of one target, times `factor`. */
static void observe(int64_t t, float factor) {
    const gnt_model_service *s = gnt_service_table(w.service);
    const gnt_views *u;
    gnt_function_spec spec = {.size = sizeof spec, .kind = GNT_FN_UPDATE, .n = 1, .training = -1};
    gnt_function_args args = {
        .size = sizeof args, .x = target(t), .y = labels + (PUBLIC + t) * CLASSES, .weights = w.weights};
    gnt_function *f = s->prepare(s->context, &spec);
    assert_int_equal(s->eval(s->context, f, &args, &u), GNT_OK);
    float *at = w.entry;
    for (int64_t i = 0; i < u->n; i++) {
        assert_true(i < TENSORS && at + u->view[i].count <= w.entry + ENTRIES);
        w.view[i] = u->view[i];
        w.view[i].data = at;
        for (int64_t k = 0; k < u->view[i].count; k++)
            *at++ = factor * u->view[i].data[k];
    }
    w.update = (gnt_views){u->n, w.view};
    s->release(s->context, f);
    w.seen = (gnt_observation){.size = sizeof w.seen,
                               .surface = GNT_SURFACE_UPDATE,
                               .goals = GNT_GOAL_RECONSTRUCTION,
                               .update_kind = GNT_UPDATE_GRADIENT,
                               .attribute = -1,
                               .classes = CLASSES,
                               .n = 1,
                               .batch = 1,
                               .rate = 0.1,
                               .weights = w.weights,
                               .update = &w.update};
}

/* ---- the attack ---- */

static tried open_of(const char *plugin, const char *id, const char *json) {
    char path[4096];
    tried t;
    if (try_load(&t, built(plugin, path), GNT_PLUGIN_ATTACK, id, json, &w.err) ||
        try_start(&t, 5, (gnt_instance_spec){.model = w.service}, &w.err))
        fail_msg("%s", w.err.text);
    return t;
}

static tried open_attack(const char *json) {
    return open_of("plugins/attacks/gradient.so", "ggl", json);
}

static gnt_status learn(tried *t, kept *k) {
    const gnt_attack_prepare in = {.size = sizeof in,
                                   .public_data = &w.public_data,
                                   .attribute = -1,
                                   .weights = w.weights,
                                   .setting = &w.seen};
    return try_prepare(t, &in, k, &w.err);
}

static gnt_status take(void *context, int64_t count, const float *x) {
    (void)context;
    assert_int_equal(count, 1);
    memcpy(w.found, x, sizeof w.found);
    return GNT_OK;
}

static gnt_status take_labels(void *context, int64_t n, int32_t classes, const float *scores) {
    (void)context;
    assert_true(n == 1 && classes == CLASSES);
    memcpy(w.scores, scores, sizeof w.scores);
    return GNT_OK;
}

static void take_cost(void *context, int32_t restart, int64_t step, double cost) {
    (void)context, (void)restart, (void)step;
    assert_true(isfinite(cost));
}

static void take_chosen(void *context, int32_t restart, double cost) {
    (void)context, (void)restart;
    assert_true(isfinite(cost));
}

static gnt_status attack(tried *t, const gnt_artefacts *own) {
    const gnt_answer answer = {.size = sizeof answer,
                               .reconstruction = take,
                               .labels = take_labels,
                               .cost = take_cost,
                               .chosen = take_chosen};
    gnt_instance_enter(t->instance, "run");
    const gnt_status s =
        gnt_instance_attack(t->instance)->run(gnt_instance_self(t->instance), &w.seen, own, &answer);
    return gnt_instance_leave(t->instance, s, &w.err);
}

static double mse(const float *a, const float *b) {
    double sum = 0;
    for (int64_t p = 0; p < PIXELS; p++)
        sum += ((double)a[p] - (double)b[p]) * ((double)a[p] - (double)b[p]) / PIXELS;
    return sum;
}

/* One generator for all tests of a search: what it learns does not depend on how latents are searched. */
#define SMALL "\"latents\": 48, \"features\": 6, \"training_steps\": 400"
static kept generator_kept;

static void learn_once(void) {
    if (generator_kept.artefacts.tensors.n) {
        generator_kept.artefacts.tensors.view = generator_kept.view;
        return;
    }
    tried t = open_attack("{" SMALL "}");
    observe(0, 1);
    if (learn(&t, &generator_kept) != GNT_OK)
        fail_msg("%s", w.err.text);
    assert_true(try_fact(&t, "generator_mse") < 0.03);
    try_close(&t);
}

/* Its answer for one target whose gradient comes times `factor`. */
static void search(const char *json, int64_t target_at, float factor) {
    learn_once();
    tried t = open_attack(json);
    observe(target_at, factor);
    if (attack(&t, &generator_kept.artefacts) != GNT_OK)
        fail_msg("%s", w.err.text);
    try_close(&t);
}

/* ---- tests ---- */

/* Sides that no power of two divides, too. Leaky ReLUs whose kink lies within a step are off by as much as
 * the step; a wrong derivative is off by about 1. */
static void the_generator_has_its_derivative(void **state) {
    (void)state;
    static const generator_shape shapes[] = {{1, 28, 28, 10, 7, 3}, {3, 9, 7, 1, 5, 2}, {2, 4, 4, 3, 4, 1}};
    for (size_t k = 0; k < sizeof shapes / sizeof *shapes; k++) {
        const generator_shape *s = &shapes[k];
        const int64_t d = s->latents, pixels = generator_pixels(s), n = 2;
        plain_host p;
        const gnt_host *host = plain_open(&p, 3 + k);
        float *weights = plain_scratch(&p, (size_t)generator_size(s) * sizeof *weights);
        float *mean = plain_scratch(&p, (size_t)(s->classes * d) * sizeof *mean);
        float *factor = plain_scratch(&p, (size_t)(d * d) * sizeof *factor);
        double pulled[2 * 7], off = 0, all = 0;
        generator g;
        plain_normal(&p, "weights", generator_size(s), weights);
        plain_normal(&p, "mean", s->classes * d, mean);
        plain_normal(&p, "factor", d * d, factor);
        for (int64_t i = 0; i < generator_size(s); i++)
            weights[i] *= 0.2f;
        const generator_learnt learnt = {weights, mean, factor};
        assert_int_equal(generator_open(&g, host, s, &learnt, s->classes - 1, n), GNT_OK);
        plain_normal(&p, "w", n * d, g.w);
        plain_normal(&p, "pulled", n * pixels, g.pulled);
        assert_non_null(generator_draw(&g));
        const float *d_w = generator_pull(&g);
        for (int64_t i = 0; i < n * d; i++)
            pulled[i] = (double)d_w[i];
        for (int64_t i = 0; i < n * d; i++) {
            const float at = g.w[i], h = 1e-3f;
            double value[2] = {0, 0};
            for (int side = 0; side < 2; side++) {
                g.w[i] = side ? at + h : at - h;
                const float *x = generator_draw(&g);
                for (int64_t j = 0; j < n * pixels; j++)
                    value[side] += (double)g.pulled[j] * (double)x[j];
            }
            g.w[i] = at;
            const double slope = (value[1] - value[0]) / (2 * (double)h);
            off += (slope - pulled[i]) * (slope - pulled[i]);
            all += slope * slope;
        }
        assert_true(all > 0 && sqrt(off / all) < 1e-2);
        generator_close(&g);
        plain_close(&p);
    }
}

/* Better by 3 dB than the mean public image and than the public image that is nearest to the truth, which
 * nobody without the truth could pick: on average over targets, for either search. */
static void held_out_images_are_found(void **state) {
    (void)state;
    static const char *const models[] = {mlp_json, conv_json};
    static const char *const searches[] = {"{" SMALL ", \"search\": \"gradient\", \"steps\": 300}",
                                           "{" SMALL ", \"population\": 16, \"steps\": 250}"};
    float mean[PIXELS] = {0};
    for (int64_t i = 0; i < PUBLIC * PIXELS; i++)
        mean[i % PIXELS] += images[i] / PUBLIC;
    for (int m = 0; m < 2; m++)
        for (int s = 0; s < 2; s++) {
            double found = 0, by_mean = 0, by_nearest = 0;
            open_world(models[m]);
            for (int64_t t = 0; t < TARGETS; t++) {
                double nearest = INFINITY;
                search(searches[s], t, 1);
                for (int64_t i = 0; i < PUBLIC; i++)
                    nearest = fmin(nearest, mse(images + i * PIXELS, target(t)));
                found += 10 * log10(mse(w.found, target(t))) / TARGETS;
                by_mean += 10 * log10(mse(mean, target(t))) / TARGETS;
                by_nearest += 10 * log10(nearest) / TARGETS;
                assert_memory_equal(w.scores, labels + (PUBLIC + t) * CLASSES, sizeof w.scores);
            }
            print_message("model %d search %d: %.1f dB; mean %.1f, nearest %.1f\n", m, s, -found, -by_mean,
                          -by_nearest);
            assert_true(found < by_mean - 3 && found < by_nearest - 3);
            close_world();
        }
}

/* The parts of gradient in one new row: idlg with a generator and L-BFGS (tests/plugins/idlg_generator.c).
 * Better by 3 dB than the public image nearest to the truth, on average over targets. */
static void parts_compose_a_new_attack(void **state) {
    (void)state;
    kept k;
    double found = 0, by_nearest = 0;
    open_world(conv_json);
    tried t = open_of("tests/so/idlg_generator.so", "idlg-generator", "{}");
    observe(0, 1);
    if (learn(&t, &k) != GNT_OK)
        fail_msg("%s", w.err.text);
    for (int64_t at = 0; at < TARGETS; at++) {
        double nearest = INFINITY;
        int top = 0;
        observe(at, 1);
        if (attack(&t, &k.artefacts) != GNT_OK)
            fail_msg("%s", w.err.text);
        for (int64_t i = 0; i < PUBLIC; i++)
            nearest = fmin(nearest, mse(images + i * PIXELS, target(at)));
        found += 10 * log10(mse(w.found, target(at))) / TARGETS;
        by_nearest += 10 * log10(nearest) / TARGETS;
        for (int c = 0; c < CLASSES; c++) /* the true class has the highest score */
            top = w.scores[c] > w.scores[top] ? c : top;
        assert_float_equal(labels[(PUBLIC + at) * CLASSES + top], 1, 0);
    }
    print_message("%.1f dB; nearest %.1f\n", -found, -by_nearest);
    assert_true(found < by_nearest - 3);
    try_drop(&k);
    try_close(&t);
    close_world();
}

/* A random learning rate multiplies the update. */
static void a_common_factor_is_not_seen(void **state) {
    (void)state;
    static const char *const costs[] = {"cosine", "scale_free", "l2"};
    open_world(conv_json);
    for (int c = 0; c < 3; c++) {
        char json[200];
        float plain[PIXELS];
        double worse = 0;
        snprintf(json, sizeof json, "{" SMALL ", \"search\": \"gradient\", \"steps\": 200, \"cost\": \"%s\"}",
                 costs[c]);
        for (int64_t t = 0; t < TARGETS; t++) {
            search(json, t, 1);
            memcpy(plain, w.found, sizeof plain);
            if (c < 2 && t == 0)
                for (float factor = 1e-12f; factor < 1e13f; factor *= 1e24f) {
                    search(json, t, factor);
                    assert_true(mse(w.found, plain) < 1e-4);
                }
            search(json, t, 1.6f);
            worse += 10 * log10(mse(w.found, target(t)) / mse(plain, target(t))) / TARGETS;
            if (c < 2)
                assert_true(mse(w.found, plain) < 1e-4);
        }
        print_message("%s: %.2f dB worse\n", costs[c], worse);
        assert_true(c < 2 ? fabs(worse) < 0.2 : worse > 2);
    }
    close_world();
}

/* Adds one vector to all rows of the last layer, ten times as long as the update. */
static void add_to_rows(void) {
    const gnt_key key = gnt_key_of_seed(8);
    gnt_stream noise = gnt_stream_open(&key, "junk");
    const gnt_view *last = &w.view[w.update.n - 2];
    double squares = 0;
    for (const float *at = w.entry; at < last[1].data + last[1].count; at++)
        squares += (double)*at * (double)*at;
    const double size = 10 * sqrt(squares / (double)(last[0].count + last[1].count));
    for (int64_t t = 0; t < 2; t++) {
        const int64_t columns = last[t].count / CLASSES;
        for (int64_t k = 0; k < columns; k++) {
            const float junk = (float)(size * gnt_random_normal(&noise));
            for (int64_t c = 0; c < CLASSES; c++)
                ((float *)(uintptr_t)last[t].data)[c * columns + k] += junk;
        }
    }
}

/* A softmax does not see what the rows of the last layer have in common, nor do the searches. */
static void common_rows_hide_nothing(void **state) {
    (void)state;
    static const char *const searches[] = {"{" SMALL ", \"search\": \"gradient\", \"steps\": 200}",
                                           "{" SMALL
                                           ", \"search\": \"gradient\", \"steps\": 200, \"cost\": \"l2\"}"};
    open_world(conv_json);
    learn_once();
    for (int s = 0; s < 2; s++) {
        double found[2], share[2];
        for (int junk = 0; junk < 2; junk++) {
            tried t = open_attack(searches[s]);
            observe(1, 1);
            if (junk)
                add_to_rows();
            if (attack(&t, &generator_kept.artefacts) != GNT_OK)
                fail_msg("%s", w.err.text);
            found[junk] = -10 * log10(mse(w.found, target(1)));
            share[junk] = try_fact(&t, "common_rows");
            try_close(&t);
        }
        print_message("search %d: %.1f dB, with junk %.1f dB\n", s, found[0], found[1]);
        assert_true(fabs(found[1] - found[0]) < 0.5);
        assert_true(isnan(share[0]) && share[1] > 0.95);
    }
    close_world();
}

/* ‖update‖² of tensors from `from` to `to`. */
static double squares_of_tensors(int64_t from, int64_t to) {
    double sum = 0;
    for (int64_t t = from; t < to; t++)
        for (int64_t i = 0; i < w.view[t].count; i++)
            sum += (double)w.view[t].data[i] * (double)w.view[t].data[i];
    return sum;
}

/* Clips the observed update to an eighth of its norm, or each tensor to an eighth of the least norm. */
static double clip_observed(int each_tensor) {
    double bound = sqrt(squares_of_tensors(0, w.update.n)) / 8;
    for (int64_t t = 0; each_tensor && t < w.update.n; t++)
        bound = fmin(bound, sqrt(squares_of_tensors(t, t + 1)) / 8);
    const double whole = sqrt(squares_of_tensors(0, w.update.n));
    for (int64_t t = 0; t < w.update.n; t++) {
        const double norm = each_tensor ? sqrt(squares_of_tensors(t, t + 1)) : whole;
        float *entry = (float *)(uintptr_t)w.view[t].data;
        for (int64_t i = 0; i < w.view[t].count; i++)
            entry[i] = (float)(bound / norm * (double)entry[i]);
    }
    return bound;
}

/* PSNR of the answer, on average over targets: as observed (mode NULL), clipped, or clipped and granted. */
static double clipped_psnr(const char *json, const char *mode, int granted) {
    double sum = 0;
    learn_once();
    for (int64_t t = 0; t < TARGETS; t++) {
        tried attacker = open_attack(json);
        observe(t, 1);
        const double bound = mode ? clip_observed(strcmp(mode, "per_tensor") == 0) : 0;
        const gnt_value values[] = {{.id = "bound", .type = GNT_TYPE_REAL, .r = bound},
                                    {.id = "clip_mode", .type = GNT_TYPE_CHOICE, .text = mode}};
        if (granted) {
            w.seen.defense = "clip";
            w.seen.defense_values = values;
            w.seen.n_defense_values = 2;
            w.seen.granted |= GNT_KNOWS_DEFENSE;
        }
        if (attack(&attacker, &generator_kept.artefacts) != GNT_OK)
            fail_msg("%s", w.err.text);
        try_close(&attacker);
        sum -= 10 * log10(mse(w.found, target(t))) / TARGETS;
    }
    return sum;
}

/* A clip of the whole update hides its length from the published distance, a clip of each tensor its
 * direction from the others. One who is granted the clip loses nothing by the first, and little by the
 * second. */
static void a_granted_clip_costs_little(void **state) {
    (void)state;
    static const struct {
        const char *cost, *mode;
    } cases[] = {{"l2", "global"}, {"cosine", "per_tensor"}, {"scale_free", "per_tensor"}};
    open_world(conv_json);
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        char json[200];
        snprintf(json, sizeof json, "{" SMALL ", \"search\": \"gradient\", \"steps\": 150, \"cost\": \"%s\"}",
                 cases[k].cost);
        const double plain = clipped_psnr(json, NULL, 0), blind = clipped_psnr(json, cases[k].mode, 0),
                     knowing = clipped_psnr(json, cases[k].mode, 1);
        print_message("%s, %s: %.1f dB undefended, %.1f blind, %.1f knowing\n", cases[k].cost, cases[k].mode,
                      plain, blind, knowing);
        assert_true(knowing > plain - (k == 0 ? 1 : 4) && knowing > blind + 3);
    }
    close_world();
}

static void the_same_key_gives_the_same_bytes(void **state) {
    (void)state;
    static const char json[] = "{\"latents\": 8, \"features\": 2, \"training_steps\": 5, \"steps\": 5}";
    float first[PIXELS];
    open_world(mlp_json);
    for (int turn = 0; turn < 2; turn++) {
        kept k;
        tried t = open_attack(json);
        observe(1, 1);
        assert_int_equal(learn(&t, &k), GNT_OK);
        assert_int_equal(attack(&t, &k.artefacts), GNT_OK);
        if (turn == 0)
            memcpy(first, w.found, sizeof first);
        assert_memory_equal(first, w.found, sizeof first);
        try_drop(&k);
        try_close(&t);
    }
    close_world();
}

/* Labels of another set say nothing of the model's: the generator is made without them, and works. */
static void public_labels_of_another_set_are_left_out(void **state) {
    (void)state;
    static const char json[] = "{\"latents\": 8, \"features\": 2, \"training_steps\": 5, \"steps\": 5}";
    kept k;
    open_world(mlp_json);
    tried t = open_attack(json);
    observe(1, 1);
    w.public_data.classes = 5;
    w.public_data.n = PUBLIC / 2;
    assert_int_equal(learn(&t, &k), GNT_OK);
    assert_int_equal(k.view[1].dim[0], 1);
    assert_int_equal(attack(&t, &k.artefacts), GNT_OK);
    try_drop(&k);
    try_close(&t);
    close_world();
}

static void expect_refused(tried *t, const gnt_artefacts *own, const char *words) {
    gnt_status s = attack(t, own);
    assert_true(s == GNT_FAILED || s == GNT_UNSUPPORTED);
    if (!strstr(w.err.text, words))
        fail_msg("\"%s\" is not about \"%s\"", w.err.text, words);
}

static void broken_artefacts_are_refused(void **state) {
    (void)state;
    static const char json[] = "{\"latents\": 8, \"features\": 2, \"training_steps\": 5, \"steps\": 5}";
    const float bad[] = {NAN, INFINITY, -1e30f};
    const gnt_artefacts none = {.size = sizeof none};
    kept k;
    open_world(mlp_json);
    tried t = open_attack(json);
    observe(1, 1);
    assert_int_equal(learn(&t, &k), GNT_OK);
    assert_int_equal(k.artefacts.tensors.n, 3);
    expect_refused(&t, &none, "no generator");
    for (int i = 0; i < 3; i++) {
        gnt_view *v = &k.view[i];
        float *data = (float *)(uintptr_t)v->data, was = data[v->count - 1];
        for (size_t b = 0; b < sizeof bad / sizeof *bad; b++) {
            data[v->count - 1] = bad[b];
            expect_refused(&t, &k.artefacts, "no generator");
        }
        data[v->count - 1] = was;
        v->count--;
        expect_refused(&t, &k.artefacts, "no generator");
        v->count += 2;
        expect_refused(&t, &k.artefacts, "no generator");
        v->count--;
        v->data = NULL;
        expect_refused(&t, &k.artefacts, "no generator");
        v->data = data;
    }
    assert_int_equal(attack(&t, &k.artefacts), GNT_OK);
    try_close(&t);
    t = open_attack("{\"latents\": 9, \"features\": 2}");
    expect_refused(&t, &k.artefacts, "no generator");
    try_drop(&k);
    try_close(&t);
    close_world();
}

static void what_it_cannot_use_is_refused(void **state) {
    (void)state;
    kept k;
    open_world(mlp_json);
    learn_once();
    tried t = open_attack("{" SMALL ", \"steps\": 2}");
    observe(1, 1);
    w.seen.n = 2;
    expect_refused(&t, &generator_kept.artefacts, "batch of one sample");
    w.seen.n = 1;
    w.entry[0] = NAN;
    expect_refused(&t, &generator_kept.artefacts, "NaN");
    w.public_data.n = 7;
    assert_int_equal(learn(&t, &k), GNT_UNSUPPORTED);
    assert_non_null(strstr(w.err.text, "public images"));
    w.public_data = (gnt_samples){.size = sizeof w.public_data,
                                  .n = PUBLIC,
                                  .rank = 1,
                                  .classes = CLASSES,
                                  .features = 10,
                                  .x = images};
    assert_int_equal(learn(&t, &k), GNT_UNSUPPORTED);
    try_close(&t);
    close_world();
}

/* An update that says nothing, or whose size makes all differences vanish, has no cost. */
static void a_cost_that_cannot_be_computed_fails(void **state) {
    static const struct {
        const char *cost;
        float factor;
    } cases[] = {{"cosine", 0}, {"scale_free", 0}, {"l2", 0}, {"l2", 1e30f}, {"cosine", INFINITY}};
    (void)state;
    open_world(mlp_json);
    learn_once();
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        for (int gradient = 0; gradient < 2; gradient++) {
            char json[200];
            snprintf(json, sizeof json, "{" SMALL ", \"search\": \"%s\", \"steps\": 2, \"cost\": \"%s\"}",
                     gradient ? "gradient" : "cmaes", cases[i].cost);
            tried t = open_attack(json);
            observe(1, cases[i].factor);
            const gnt_status status = attack(&t, &generator_kept.artefacts);
            if (status != GNT_FAILED)
                fail_msg("%s, times %g: status %d", json, (double)cases[i].factor, (int)status);
            try_close(&t);
        }
    close_world();
}

static int close_all(void **state) {
    (void)state;
    try_drop(&generator_kept);
    return 0;
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_generator_has_its_derivative),
        cmocka_unit_test(held_out_images_are_found),
        cmocka_unit_test(parts_compose_a_new_attack),
        cmocka_unit_test(a_common_factor_is_not_seen),
        cmocka_unit_test(common_rows_hide_nothing),
        cmocka_unit_test(a_granted_clip_costs_little),
        cmocka_unit_test(the_same_key_gives_the_same_bytes),
        cmocka_unit_test(public_labels_of_another_set_are_left_out),
        cmocka_unit_test(broken_artefacts_are_refused),
        cmocka_unit_test(what_it_cannot_use_is_refused),
        cmocka_unit_test(a_cost_that_cannot_be_computed_fails),
    };
    return cmocka_run_group_tests(tests, open_glyphs, close_all);
}
