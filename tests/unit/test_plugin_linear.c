/* linear-layer under noise, the built attack: noise, pruning, rounds of the same sample and of another, and
 * grants that change nothing; and a clip without noise. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "base/mem.h"
#include "data/data.h"
#include "nn/model/model.h"
#include "plain_host.h"
#include "plugin/host.h"
#include "try_plugin.h"

static const char mlp[] = "{\"init\": \"kaiming\", \"layers\": [{\"type\": \"flatten\"},"
                          "{\"type\": \"dense\", \"name\": \"fc1\", \"out\": 32}, {\"type\": \"relu\"},"
                          "{\"type\": \"dense\", \"name\": \"fc2\", \"out\": \"classes\"}]}";

enum { CLASSES = 10, PIXELS = 28 * 28, PUBLIC = 24, TENSORS = 4, MOST_ROUNDS = 2 };

typedef struct round_seen {
    float *weights, *data[TENSORS];
    gnt_view view[TENSORS];
    gnt_views update;
    gnt_observation seen;
} round_seen;

typedef struct world {
    gnt_model *model;
    gnt_service *own, *attackers;
    float public_x[PUBLIC * PIXELS], found[PIXELS];
    gnt_samples known;
    round_seen round[MOST_ROUNDS];
    const gnt_observation *past[1];
    gnt_value values[5];
    char said[300];
    gnt_err err;
} world;

static gnt_data *glyphs;

static int open_glyphs(void **state) {
    (void)state;
    gnt_err err = {0};
    gnt_data_spec spec = {.name = "glyphs", .rows = {64, 1, 1}, .seed = 11};
    return gnt_data_open(&glyphs, &spec, NULL, &err);
}

static int close_glyphs(void **state) {
    (void)state;
    gnt_data_free(glyphs);
    return 0;
}

static void open_world_of(world *w, const char *json, const double *mean, const double *deviation) {
    const gnt_nn_shape sample = {3, {1, 28, 28}};
    memset(w, 0, sizeof *w);
    assert_int_equal(gnt_model_parse(&w->model, "test", json, &sample, CLASSES, mean, deviation, &w->err), 0);
    const gnt_service_spec spec = {.model = w->model, .name = "test", .mean = mean, .deviation = deviation};
    assert_int_equal(gnt_service_new(&w->own, &spec, &w->err), 0);
    assert_int_equal(gnt_service_new(&w->attackers, &spec, &w->err), 0);
    for (int64_t i = 0; i < PUBLIC; i++)
        gnt_data_row(glyphs, 40 + i, w->public_x + i * PIXELS);
    w->known = (gnt_samples){.size = sizeof w->known,
                             .kind = GNT_KIND_IMAGE,
                             .n = PUBLIC,
                             .rank = 3,
                             .classes = CLASSES,
                             .dim = {1, 28, 28},
                             .features = PIXELS,
                             .x = w->public_x};
}

static void open_world(world *w) {
    open_world_of(w, mlp, NULL, NULL);
}

static void close_world(world *w) {
    for (int t = 0; t < MOST_ROUNDS; t++) {
        gnt_free(w->round[t].weights);
        for (int i = 0; i < TENSORS; i++)
            free(w->round[t].data[i]);
    }
    gnt_service_free(w->own);
    gnt_service_free(w->attackers);
    gnt_model_free(w->model);
}

/* Round t: the gradient of glyph `row` under weights of their own, with noise, then pruned below `least`. */
static void observe(world *w, int t, int64_t row, double sigma, double least) {
    round_seen *r = &w->round[t];
    float x[PIXELS], y[CLASSES] = {0};
    const gnt_model_service *s = gnt_service_table(w->own);
    const gnt_key key = gnt_key_of_seed(70 + (uint64_t)t);
    gnt_stream init = gnt_stream_open(&key, "init"), noise = gnt_stream_open(&key, "noise");
    const gnt_function_spec spec = {.size = sizeof spec, .kind = GNT_FN_UPDATE, .n = 1, .training = -1};
    const gnt_views *made;
    gnt_data_row(glyphs, row, x);
    y[glyphs->label[row]] = 1;
    r->weights = gnt_array((size_t)gnt_model_size(w->model), sizeof *r->weights);
    gnt_model_init(w->model, &init, r->weights, NULL);
    const gnt_function_args args = {.size = sizeof args, .x = x, .y = y, .weights = r->weights};
    assert_int_equal(s->eval(s->context, s->prepare(s->context, &spec), &args, &made), GNT_OK);
    assert_int_equal(made->n, TENSORS);
    for (int i = 0; i < TENSORS; i++) {
        r->view[i] = made->view[i];
        r->data[i] = malloc((size_t)r->view[i].count * sizeof(float));
        assert_non_null(r->data[i]);
        for (int64_t k = 0; k < r->view[i].count; k++) {
            const double u = (double)made->view[i].data[k] + sigma * gnt_random_normal(&noise);
            r->data[i][k] = fabs(u) < least ? 0 : (float)u;
        }
        r->view[i].data = r->data[i];
    }
    r->update = (gnt_views){TENSORS, r->view};
    r->seen = (gnt_observation){.size = sizeof r->seen,
                                .surface = GNT_SURFACE_UPDATE,
                                .goals = GNT_GOAL_RECONSTRUCTION,
                                .update_kind = GNT_UPDATE_GRADIENT,
                                .attribute = -1,
                                .classes = CLASSES,
                                .n = 1,
                                .batch = 1,
                                .rate = 0.1,
                                .update = &r->update,
                                .weights = r->weights};
}

static void grant_gaussian(world *w, double sigma) {
    const gnt_value v[] = {{.id = "sigma", .r = sigma},
                           {.id = "clip", .r = 1e6},
                           {.id = "clip_mode", .text = "global"},
                           {.id = "mu"},
                           {.id = "delta"}};
    memcpy(w->values, v, sizeof v);
    gnt_observation *o = &w->round[0].seen;
    o->granted |= GNT_KNOWS_DEFENSE | GNT_KNOWS_PUBLIC;
    o->defense = "dp-gaussian";
    o->defense_values = w->values;
    o->n_defense_values = 5;
    o->public_data = &w->known;
}

/* Brings round 0 to the bound, or each tensor of it. */
static void clip_round(world *w, double bound, int each) {
    round_seen *r = &w->round[0];
    for (int t = 0; t < TENSORS; t += each ? 1 : TENSORS) {
        const int to = each ? t + 1 : TENSORS;
        double squares = 0;
        for (int i = t; i < to; i++)
            for (int64_t k = 0; k < r->view[i].count; k++)
                squares += (double)r->data[i][k] * (double)r->data[i][k];
        for (int i = t; i < to && sqrt(squares) > bound; i++)
            for (int64_t k = 0; k < r->view[i].count; k++)
                r->data[i][k] = (float)((double)r->data[i][k] * bound / sqrt(squares));
    }
}

static void grant_clip(world *w, double bound, int each) {
    gnt_observation *o = &w->round[0].seen;
    w->values[0] = (gnt_value){.id = "bound", .r = bound};
    w->values[1] = (gnt_value){.id = "clip_mode", .text = each ? "per_tensor" : "global"};
    o->granted |= GNT_KNOWS_DEFENSE;
    o->defense = "clip";
    o->defense_values = w->values;
    o->n_defense_values = 2;
}

static void grant_history(world *w) {
    w->past[0] = &w->round[1].seen;
    w->round[0].seen.granted |= GNT_KNOWS_HISTORY;
    w->round[0].seen.history = w->past;
    w->round[0].seen.n_history = 1;
}

static gnt_status take(void *context, int64_t count, const float *x) {
    world *w = context;
    assert_int_equal(count, 1);
    memcpy(w->found, x, sizeof w->found);
    return GNT_OK;
}

/* The mean squared error for glyph `row`. */
static gnt_status run_attack(world *w, const char *json) {
    char path[4096];
    tried t;
    assert_int_equal(try_load(&t, built("plugins/attacks/gradient.so", path), GNT_PLUGIN_ATTACK,
                              "linear-layer", json, &w->err),
                     0);
    assert_int_equal(try_start(&t, 1, (gnt_instance_spec){.model = w->attackers}, &w->err), 0);
    const gnt_answer answer = {.size = sizeof answer, .context = w, .reconstruction = take};
    const gnt_artefacts none = {.size = sizeof none};
    gnt_instance_enter(t.instance, "run");
    gnt_status status = gnt_instance_attack(t.instance)
                            ->run(gnt_instance_self(t.instance), &w->round[0].seen, &none, &answer);
    status = gnt_instance_leave(t.instance, status, &w->err);
    memcpy(w->said, t.said, sizeof t.said);
    try_close(&t);
    return status;
}

static double attack(world *w, int64_t row, const char *json) {
    float x[PIXELS];
    double sum = 0;
    if (run_attack(w, json) != GNT_OK)
        fail_msg("%s", w->err.text);
    gnt_data_row(glyphs, row, x);
    for (int64_t k = 0; k < PIXELS; k++) {
        assert_true(w->found[k] >= 0 && w->found[k] <= 1);
        sum += ((double)w->found[k] - (double)x[k]) * ((double)w->found[k] - (double)x[k]) / PIXELS;
    }
    return sum;
}

static void granted_noise_is_reckoned_with(void **state) {
    (void)state;
    static world w;
    open_world(&w);
    observe(&w, 0, 3, 0.1, 0);
    const double divided = attack(&w, 3, NULL);
    grant_gaussian(&w, 0.1);
    const double known = attack(&w, 3, NULL), first = attack(&w, 3, "{\"whole_update\": \"never\"}");
    assert_true(known < divided / 4);
    assert_true(first < divided / 4);
    close_world(&w);
}

/* Public samples alone: the noise is read off what the layer's rank leaves over. */
static void noise_that_is_not_granted_is_read_off(void **state) {
    (void)state;
    static world w;
    open_world(&w);
    observe(&w, 0, 3, 0.1, 0);
    const double divided = attack(&w, 3, NULL);
    w.round[0].seen.granted = GNT_KNOWS_PUBLIC;
    w.round[0].seen.public_data = &w.known;
    assert_true(attack(&w, 3, NULL) < divided / 4);
    close_world(&w);
}

static void without_noise_grants_change_nothing(void **state) {
    (void)state;
    static world w;
    float plain[PIXELS];
    open_world(&w);
    observe(&w, 0, 5, 0, 0);
    assert_true(attack(&w, 5, NULL) < 1e-10);
    memcpy(plain, w.found, sizeof plain);
    w.round[0].seen.granted = GNT_KNOWS_PUBLIC; /* no noise can be read off */
    w.round[0].seen.public_data = &w.known;
    attack(&w, 5, NULL);
    assert_memory_equal(plain, w.found, sizeof plain);
    w.round[0].seen.granted |= GNT_KNOWS_DEFENSE;
    w.round[0].seen.defense = "none";
    attack(&w, 5, NULL);
    assert_memory_equal(plain, w.found, sizeof plain);
    attack(&w, 5, "{\"noise\": 0}");
    assert_memory_equal(plain, w.found, sizeof plain);
    close_world(&w);
}

/* Returns an entry of the flat update of round 0; NULL behind the last. */
static float *flat_entry(world *w, int64_t at) {
    for (int i = 0; i < TENSORS; at -= w->round[0].view[i++].count)
        if (at < w->round[0].view[i].count)
            return &w->round[0].data[i][at];
    return NULL;
}

/* Moves the greatest entry of each window ten times by a step up or down, as sign-noise does. */
static void move_entries(world *w, double step, int64_t window) {
    const gnt_key key = gnt_key_of_seed(3);
    gnt_stream signs = gnt_stream_open(&key, "signs");
    for (int64_t first = 0; flat_entry(w, first); first += window)
        for (int times = 0; times < 10; times++) {
            float *most = flat_entry(w, first), *entry;
            for (int64_t k = first + 1; k < first + window && (entry = flat_entry(w, k)) != NULL; k++)
                most = *entry > *most ? entry : most;
            *most += (float)(gnt_random_uniform(&signs) < 0.5 ? -step : step);
        }
}

static void grant_moves(world *w, const char *defense, double step, int64_t window) {
    gnt_observation *o = &w->round[0].seen;
    w->values[0] = (gnt_value){.id = "epsilon", .r = step};
    w->values[1] = (gnt_value){.id = "iterations", .i = 10};
    w->values[2] = (gnt_value){.id = "window", .i = window};
    w->values[3] = (gnt_value){.id = "inputs", .i = 1024};
    o->granted |= GNT_KNOWS_DEFENSE;
    o->defense = defense;
    o->defense_values = w->values;
    o->n_defense_values = 4;
}

/* A fifth of the entries was moved, by steps of any size, and most rows still agree on each pixel. */
static void entries_that_were_moved_do_not_agree(void **state) {
    static const double step[] = {0.02, 0.1, 1};
    static const char *const defense[] = {"sign-noise", "recup", "fgsm-one"};
    (void)state;
    for (size_t i = 0; i < sizeof step / sizeof *step; i++) {
        static world w;
        open_world(&w);
        observe(&w, 0, 5, 0, 0);
        move_entries(&w, step[i], 50);
        assert_true(attack(&w, 5, NULL) > 1e-4);
        grant_moves(&w, defense[i], step[i], 50);
        assert_true(attack(&w, 5, NULL) < 1e-7);
        close_world(&w);
    }
}

/* Leaves out the first layer's bias, or all biases. */
static void leave_out_bias(world *w, int all) {
    for (int i = 1; i < TENSORS; i += 2)
        if (i == 1 || all)
            memset(w->round[0].data[i], 0, (size_t)w->round[0].view[i].count * sizeof(float));
}

/* Without the first bias nothing is left to divide by, but all rows are multiples of the sample, and its
 * length and sign are those of which the network makes the update. */
static void a_bias_that_is_not_sent_is_not_needed(void **state) {
    static const double mean[] = {0.4}, deviation[] = {0.3};
    (void)state;
    for (int all = 0; all < 2; all++)
        for (int normalised = 0; normalised < 2; normalised++) {
            static world w;
            open_world_of(&w, mlp, normalised ? mean : NULL, normalised ? deviation : NULL);
            observe(&w, 0, 5, 0, 0);
            leave_out_bias(&w, all);
            const double e = attack(&w, 5, NULL);
            print_message("all %d, normalised %d: %.1f dB\n", all, normalised, -10 * log10(e));
            assert_true(e < 1e-6);
            close_world(&w);
        }
}

/* Nor are zeros taken for noisy entries of a bias: the rows alone say nearly as much. */
static void a_bias_that_is_not_sent_is_no_noise(void **state) {
    double error[2];
    (void)state;
    for (int out = 0; out < 2; out++) {
        static world w;
        open_world(&w);
        observe(&w, 0, 3, 0.1, 0);
        if (out)
            leave_out_bias(&w, 0);
        grant_gaussian(&w, 0.1);
        error[out] = attack(&w, 3, NULL);
        close_world(&w);
    }
    print_message("%.1f dB, without the bias %.1f dB\n", -10 * log10(error[0]), -10 * log10(error[1]));
    assert_true(error[1] < 1.27 * error[0]);
}

/* An attack that is granted the defense counts as knowing it. */
static void a_granted_noise_is_not_to_be_set_otherwise(void **state) {
    (void)state;
    static world w;
    open_world(&w);
    observe(&w, 0, 5, 0.1, 0);
    grant_gaussian(&w, 0.1);
    for (int k = 0; k < 2; k++) {
        assert_int_equal(run_attack(&w, k ? "{\"noise\": 0}" : "{\"noise\": 9}"), GNT_UNSUPPORTED);
        assert_non_null(strstr(w.err.text, "the granted defense tells it"));
    }
    close_world(&w);
}

/* A factor of the whole update is nothing to a quotient, known or not. */
static void a_clip_of_the_whole_is_nothing_to_a_quotient(void **state) {
    (void)state;
    static world w;
    open_world(&w);
    observe(&w, 0, 5, 0, 0);
    clip_round(&w, 0.01, 0);
    assert_true(attack(&w, 5, NULL) < 1e-10);
    float unknown[PIXELS];
    memcpy(unknown, w.found, sizeof unknown);
    grant_clip(&w, 0.01, 0);
    attack(&w, 5, NULL);
    assert_memory_equal(unknown, w.found, sizeof unknown);
    close_world(&w);
}

/* What bound nothing changes nothing. */
static void a_clip_that_bound_nothing_changes_nothing(void **state) {
    (void)state;
    static world w;
    float plain[PIXELS];
    open_world(&w);
    observe(&w, 0, 5, 0, 0);
    attack(&w, 5, NULL);
    memcpy(plain, w.found, sizeof plain);
    for (int each = 0; each < 2; each++) {
        grant_clip(&w, 1e3, each);
        attack(&w, 5, NULL);
        assert_memory_equal(plain, w.found, sizeof plain);
    }
    close_world(&w);
}

/* If weights and bias were clipped one by one, their quotient is off by a factor, which the rest of the
 * update reveals: with labels that are read off it as well, of inputs that are normalised or not, and of one
 * tensor clipped or all. */
static void clipped_tensors_give_the_sample_back(void **state) {
    (void)state;
    static const char smooth[] = "{\"init\": \"kaiming\", \"layers\": [{\"type\": \"flatten\"}, {\"type\": "
                                 "\"dense\", \"name\": \"fc1\", "
                                 "\"out\": 32}, {\"type\": \"sigmoid\"}, {\"type\": \"dense\", \"name\": "
                                 "\"fc2\", \"out\": \"classes\"}]}";
    static const double bounds[] = {1e-4, 0.05, 0.5}, mean[] = {0.2}, deviation[] = {0.4};
    static world w;
    for (int k = 0; k < 2; k++)
        for (int i = 0; i < 3; i++) {
            float y[CLASSES] = {0};
            y[glyphs->label[5]] = 1;
            open_world_of(&w, k ? smooth : mlp, k ? mean : NULL, k ? deviation : NULL);
            observe(&w, 0, 5, 0, 0);
            clip_round(&w, bounds[i], 1);
            const double divided = attack(&w, 5, NULL);
            grant_clip(&w, bounds[i], 1);
            const double known = attack(&w, 5, NULL);
            w.round[0].seen.labels = y;
            const double labelled = attack(&w, 5, NULL);
            if (divided < 1e-4 || known > 1e-6 || labelled > 1e-6)
                fail_msg("model %d, bound %g: %g unknown, %g known, %g with labels", k, bounds[i], divided,
                         known, labelled);
            close_world(&w);
        }
}

/* The model of the noise scales weights and bias alike. */
static void a_clip_of_tensors_takes_no_other_noise(void **state) {
    (void)state;
    static world w;
    open_world(&w);
    observe(&w, 0, 5, 0, 0);
    clip_round(&w, 0.05, 1);
    grant_clip(&w, 0.05, 1);
    assert_int_equal(run_attack(&w, "{\"noise\": 0.1}"), GNT_UNSUPPORTED);
    assert_non_null(strstr(w.err.text, "a clip of each tensor on its own is granted"));
    w.round[0].seen.defense = "clip+prune";
    w.values[2] = (gnt_value){.id = "p", .r = 0.5};
    w.values[3] = (gnt_value){.id = "scope", .text = "update"};
    w.round[0].seen.n_defense_values = 4;
    assert_int_equal(run_attack(&w, NULL), GNT_UNSUPPORTED);
    close_world(&w);
}

static void hardly_any_noise_is_no_worse_than_none_granted(void **state) {
    (void)state;
    static world w;
    open_world(&w);
    observe(&w, 0, 7, 1e-5, 0);
    const double divided = attack(&w, 7, NULL);
    grant_gaussian(&w, 1e-5);
    assert_true(attack(&w, 7, NULL) <= divided);
    close_world(&w);
}

static void what_was_pruned_is_bounded_by_the_rest(void **state) {
    (void)state;
    static world w;
    const gnt_value values[] = {{.id = "p", .r = 0.98}, {.id = "scope", .text = "update"}};
    open_world(&w);
    observe(&w, 0, 9, 0, 0.1);
    const double divided = attack(&w, 9, NULL);
    gnt_observation *o = &w.round[0].seen;
    o->granted = GNT_KNOWS_DEFENSE | GNT_KNOWS_PUBLIC;
    o->defense = "prune";
    o->defense_values = values;
    o->n_defense_values = 2;
    o->public_data = &w.known;
    assert_true(attack(&w, 9, NULL) < divided);
    close_world(&w);
}

/* Runs the attack with pruning and public samples granted. */
static double attack_pruned(world *w, int64_t row, const gnt_value *values) {
    gnt_observation *o = &w->round[0].seen;
    o->granted = GNT_KNOWS_DEFENSE | GNT_KNOWS_PUBLIC;
    o->defense = "prune";
    o->defense_values = values;
    o->n_defense_values = 2;
    o->public_data = &w->known;
    return attack(w, row, NULL);
}

/* Round 0, pruned at a threshold above every entry of the first bias's gradient. */
static void observe_without_first_bias(world *w, int64_t row) {
    float largest = 0;
    observe(w, 0, row, 0, 0);
    for (int64_t i = 0; i < w->round[0].view[1].count; i++)
        largest = fmaxf(largest, fabsf(w->round[0].data[1][i]));
    for (int i = 0; i < TENSORS; i++)
        free(w->round[0].data[i]);
    gnt_free(w->round[0].weights);
    observe(w, 0, row, 0, 1.1 * (double)largest);
}

/* Returns the input of hidden unit j at x, normalised as below. */
static double hidden_input(const world *w, const float *x, int64_t j) {
    const float *weight = w->round[0].weights, *bias = weight + w->round[0].view[0].count;
    double z = (double)bias[j];
    for (int64_t k = 0; k < PIXELS; k++)
        z += (double)weight[j * PIXELS + k] * ((double)x[k] - 0.3) / 0.35;
    return z;
}

/* Inputs in [−1, 1]; no bias of the first layer survives. Survivors of the last layer give hidden units
 * exactly, which the estimate then has, and scale and sign of what survived. Without the last bias a search
 * finds these. */
static void survivors_get_scale_and_sign_from_the_network(void **state) {
    (void)state;
    static world w;
    static const double mean[] = {0.3}, deviation[] = {0.35};
    const gnt_value values[] = {{.id = "p", .r = 0.98}, {.id = "scope", .text = "update"}};
    for (int64_t row = 2; row < 4; row++) {
        float x[PIXELS], first[PIXELS];
        int shown = 0, met = 0;
        open_world_of(&w, mlp, mean, deviation);
        observe_without_first_bias(&w, row);
        const int64_t units = w.round[0].view[1].count;
        float *const *data = w.round[0].data;
        assert_true(attack_pruned(&w, row, values) < 0.02);
        memcpy(first, w.found, sizeof first);
        attack_pruned(&w, row, values);
        assert_memory_equal(first, w.found, sizeof first);
        gnt_data_row(glyphs, row, x);
        for (int64_t at = 0; at < units * CLASSES; at++)
            if (data[3][at / units] != 0 && data[2][at] != 0) {
                const int64_t j = at % units;
                assert_float_equal(hidden_input(&w, w.found, j), hidden_input(&w, x, j), 1e-3);
                met++;
            }
        memset(data[3], 0, CLASSES * sizeof *data[3]);
        assert_true(attack_pruned(&w, row, values) < 0.02);
        for (int64_t at = 0; at < units * PIXELS; at++)
            if (data[0][at] != 0) {
                assert_float_equal(first[at % PIXELS], x[at % PIXELS], 0.1);
                assert_float_equal(w.found[at % PIXELS], x[at % PIXELS], 0.1);
                shown++;
            }
        assert_true(shown > 0 && met >= 3);
        close_world(&w);
    }
}

/* A bias that survived gives the factor: what is shown is exact, and grey pixels are within the bound. */
static void a_bias_that_survived_makes_survivors_exact(void **state) {
    (void)state;
    static world w;
    const gnt_value values[] = {{.id = "p", .r = 0.9}, {.id = "scope", .text = "update"}};
    float x[PIXELS];
    double loudest = 0;
    open_world(&w);
    observe(&w, 0, 9, 0, 0.02);
    attack_pruned(&w, 9, values);
    gnt_data_row(glyphs, 9, x);
    for (int64_t i = 0; i < w.round[0].view[1].count; i++)
        loudest = fmax(loudest, fabs((double)w.round[0].data[1][i]));
    assert_true(loudest > 0.02);
    for (int64_t k = 0; k < PIXELS; k++) {
        if ((double)x[k] * loudest > 0.0201)
            assert_float_equal(w.found[k], x[k], 1e-4);
        if ((double)x[k] * loudest < 0.02)
            assert_true((double)w.found[k] * loudest < 0.0201);
    }
    close_world(&w);
}

/* Makes round 0 an update of several glyphs under the same weights: row i of each tensor is of glyph i mod
 * n, or if not `by_rows` their mean. */
static void observe_several(world *w, const int64_t *row, int64_t n, int by_rows) {
    round_seen *r = &w->round[0];
    float *sum[TENSORS] = {NULL};
    for (int64_t i = 0; i < n; i++) {
        if (i > 0)
            gnt_free(r->weights);
        observe(w, 0, row[i], 0, 0);
        for (int t = 0; t < TENSORS; t++) {
            const int64_t count = r->view[t].count, width = count / r->view[t].dim[0];
            if (i == 0)
                sum[t] = calloc((size_t)count, sizeof(float));
            assert_non_null(sum[t]);
            for (int64_t k = 0; k < count; k++)
                sum[t][k] += by_rows ? (k / width % n == i ? r->data[t][k] : 0) : r->data[t][k] / (float)n;
            free(r->data[t]);
        }
    }
    for (int t = 0; t < TENSORS; t++) {
        r->data[t] = sum[t];
        r->view[t].data = sum[t];
    }
}

/* Half of the rows are of the round before: two samples, each in rows of its own. */
static void rows_of_two_samples_give_one(void **state) {
    static const double mean[] = {0.4}, deviation[] = {0.3};
    static const int64_t row[] = {5, 9};
    (void)state;
    for (int normalised = 0; normalised < 2; normalised++)
        for (int known = 0; known < 2; known++) {
            static world w;
            open_world_of(&w, mlp, normalised ? mean : NULL, normalised ? deviation : NULL);
            observe_several(&w, row, 2, 1);
            w.round[0].seen.public_data = known ? &w.known : NULL;
            const double first = attack(&w, 5, NULL), second = attack(&w, 9, NULL);
            assert_true(fmin(first, second) < 1e-8);
            close_world(&w);
        }
}

/* Seven public samples are in the update; they are known, and it is the eighth that is looked for. */
static void public_samples_in_an_update_hide_nothing(void **state) {
    static const double mean[] = {0.4}, deviation[] = {0.3};
    static const int64_t row[] = {9, 40, 41, 42, 43, 44, 45, 46};
    (void)state;
    for (int normalised = 0; normalised < 2; normalised++)
        for (int64_t n = 2; n <= 8; n += 3) {
            static world w;
            open_world_of(&w, mlp, normalised ? mean : NULL, normalised ? deviation : NULL);
            observe_several(&w, row, n, 0);
            assert_true(attack(&w, 9, "{\"exact\": 0}") > 1e-3);
            w.round[0].seen.granted = GNT_KNOWS_PUBLIC;
            w.round[0].seen.public_data = &w.known;
            assert_true(attack(&w, 9, NULL) < 1e-8);
            close_world(&w);
        }
}

static void an_earlier_round_of_the_sample_helps(void **state) {
    (void)state;
    static world w;
    open_world(&w);
    observe(&w, 0, 3, 0.1, 0);
    observe(&w, 1, 3, 0.1, 0);
    grant_gaussian(&w, 0.1);
    const double alone = attack(&w, 3, "{\"whole_update\": \"never\"}");
    grant_history(&w);
    assert_true(attack(&w, 3, "{\"whole_update\": \"never\"}") < 0.9 * alone);
    assert_string_equal(w.said, "");
    close_world(&w);
}

static void an_earlier_round_of_another_sample_is_left_out(void **state) {
    (void)state;
    static world w;
    float alone[PIXELS];
    open_world(&w);
    observe(&w, 0, 3, 0.03, 0);
    observe(&w, 1, 4, 0.03, 0);
    grant_gaussian(&w, 0.03);
    attack(&w, 3, NULL);
    memcpy(alone, w.found, sizeof alone);
    grant_history(&w);
    attack(&w, 3, NULL);
    assert_memory_equal(alone, w.found, sizeof alone);
    assert_non_null(strstr(w.said, "other samples"));
    close_world(&w);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(granted_noise_is_reckoned_with),
        cmocka_unit_test(noise_that_is_not_granted_is_read_off),
        cmocka_unit_test(without_noise_grants_change_nothing),
        cmocka_unit_test(entries_that_were_moved_do_not_agree),
        cmocka_unit_test(a_bias_that_is_not_sent_is_not_needed),
        cmocka_unit_test(a_bias_that_is_not_sent_is_no_noise),
        cmocka_unit_test(a_granted_noise_is_not_to_be_set_otherwise),
        cmocka_unit_test(a_clip_of_the_whole_is_nothing_to_a_quotient),
        cmocka_unit_test(a_clip_that_bound_nothing_changes_nothing),
        cmocka_unit_test(clipped_tensors_give_the_sample_back),
        cmocka_unit_test(a_clip_of_tensors_takes_no_other_noise),
        cmocka_unit_test(hardly_any_noise_is_no_worse_than_none_granted),
        cmocka_unit_test(what_was_pruned_is_bounded_by_the_rest),
        cmocka_unit_test(survivors_get_scale_and_sign_from_the_network),
        cmocka_unit_test(a_bias_that_survived_makes_survivors_exact),
        cmocka_unit_test(rows_of_two_samples_give_one),
        cmocka_unit_test(public_samples_in_an_update_hide_nothing),
        cmocka_unit_test(an_earlier_round_of_the_sample_helps),
        cmocka_unit_test(an_earlier_round_of_another_sample_is_left_out),
    };
    return cmocka_run_group_tests(tests, open_glyphs, close_glyphs);
}
