/* The built attacks, opened as a worker opens them: exact recovery through a dense layer, labels read off the
 * gradient, reconstructions of undefended images, weight deltas, refusals, and stopping on request. */
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
#include "plugin/host.h"
#include "plugin/load.h"

/* LeNet of the DLG paper, with fewer channels. */
static const char lenet_json[] =
    "{\"init\": {\"kind\": \"uniform\", \"bound\": 0.5}, \"layers\": ["
    "{\"type\": \"conv\", \"name\": \"c1\", \"out\": 12, \"kernel\": 5, \"stride\": 2, \"pad\": 2},"
    "{\"type\": \"sigmoid\"},"
    "{\"type\": \"conv\", \"name\": \"c2\", \"out\": 12, \"kernel\": 5, \"stride\": 2, \"pad\": 2},"
    "{\"type\": \"sigmoid\"}, {\"type\": \"flatten\"},"
    "{\"type\": \"dense\", \"name\": \"fc\", \"out\": \"classes\"}]}";
static const char mlp_json[] = "{\"init\": \"kaiming\", \"layers\": [{\"type\": \"flatten\"},"
                               "{\"type\": \"dense\", \"name\": \"fc1\", \"out\": 64}, {\"type\": \"relu\"},"
                               "{\"type\": \"dense\", \"name\": \"fc2\", \"out\": \"classes\"}]}";

static const char no_bias_json[] =
    "{\"init\": \"kaiming\", \"layers\": [{\"type\": \"flatten\"},"
    "{\"type\": \"dense\", \"name\": \"fc1\", \"out\": 64, \"bias\": false}, {\"type\": \"relu\"},"
    "{\"type\": \"dense\", \"name\": \"fc2\", \"out\": \"classes\"}]}";

static const char tanh_json[] = "{\"init\": \"kaiming\", \"layers\": [{\"type\": \"flatten\"},"
                                "{\"type\": \"dense\", \"name\": \"fc1\", \"out\": 64}, {\"type\": \"tanh\"},"
                                "{\"type\": \"dense\", \"name\": \"fc2\", \"out\": \"classes\"}]}";

enum { CLASSES = 10, FEATURES = 28 * 28, BATCH = 3, MOST_STEPS = 4 };

typedef struct attacked { /* one observation, and what an attack made of it */
    gnt_model *model;
    gnt_service *own, *attackers;
    const gnt_data *data;
    float *weights;
    float x[BATCH * FEATURES], y[BATCH * CLASSES], rates[MOST_STEPS];
    gnt_observation seen;
    gnt_key key;
    /* the answer */
    float found[BATCH * FEATURES], scores[BATCH * CLASSES];
    int64_t count;
    int labelled;
    double first_cost, chosen_cost;
    int64_t costs, stop_after; /* polls until a stop is requested; 0: never */
    int64_t polls;
    gnt_err err;
} attacked;

static gnt_data *glyphs;

static int open_glyphs(void **state) {
    (void)state;
    gnt_err err = {0};
    gnt_data_spec spec = {.name = "glyphs", .rows = {32, 1, 1}, .seed = 5};
    return gnt_data_open(&glyphs, &spec, NULL, &err);
}

static int close_glyphs(void **state) {
    (void)state;
    gnt_data_free(glyphs);
    return 0;
}

/* ---- a host in little ---- */

static gnt_status take_images(void *context, int64_t count, const float *x) {
    attacked *a = context;
    assert_in_range(count, 1, a->seen.n);
    memcpy(a->found, x, (size_t)(count * FEATURES) * sizeof *x);
    a->count = count;
    return GNT_OK;
}

static gnt_status take_labels(void *context, int64_t n, int32_t classes, const float *scores) {
    attacked *a = context;
    assert_int_equal(n, a->seen.n);
    assert_int_equal(classes, CLASSES);
    memcpy(a->scores, scores, (size_t)(n * classes) * sizeof *scores);
    a->labelled = 1;
    return GNT_OK;
}

static void take_cost(void *context, int32_t restart, int64_t step, double cost) {
    attacked *a = context;
    if (restart == 0 && step == 0)
        a->first_cost = cost;
    a->costs++;
}

static void take_chosen(void *context, int32_t restart, double cost) {
    attacked *a = context;
    (void)restart;
    a->chosen_cost = cost;
}

static int stop_now(void *context) {
    attacked *a = context;
    return a->stop_after && ++a->polls > a->stop_after;
}

/* Glyphs row … row + n − 1 and fresh weights; the observation is the gradient, or with steps the weight
 * delta. */
static void observe(attacked *a, const char *json, int64_t row, int64_t n, int32_t steps, const double *mean,
                    const double *deviation) {
    memset(a, 0, sizeof *a);
    gnt_nn_shape sample = {3, {1, 28, 28}};
    if (gnt_model_parse(&a->model, "test", json, &sample, CLASSES, mean, deviation, &a->err))
        fail_msg("%s", a->err.text);
    gnt_service_spec spec = {.model = a->model, .name = "test", .mean = mean, .deviation = deviation};
    assert_int_equal(gnt_service_new(&a->own, &spec, &a->err), 0);
    assert_int_equal(gnt_service_new(&a->attackers, &spec, &a->err), 0);
    a->weights = gnt_array((size_t)gnt_model_size(a->model), sizeof *a->weights);
    a->key = gnt_key_of_seed((uint64_t)row + 1);
    gnt_stream init = gnt_stream_open(&a->key, "init");
    gnt_model_init(a->model, &init, a->weights, NULL);
    for (int64_t i = 0; i < n; i++) {
        gnt_data_row(glyphs, row + i, a->x + i * FEATURES);
        a->y[i * CLASSES + glyphs->label[row + i]] = 1;
    }
    const gnt_model_service *s = gnt_service_table(a->own);
    gnt_function_spec update = {
        .size = sizeof update, .kind = GNT_FN_UPDATE, .n = n, .steps = steps, .batch = n, .training = -1};
    for (int32_t i = 0; i < MOST_STEPS; i++)
        a->rates[i] = 0.02f;
    gnt_function_args args = {
        .size = sizeof args, .x = a->x, .y = a->y, .weights = a->weights, .rates = a->rates};
    a->seen = (gnt_observation){.size = sizeof a->seen,
                                .surface = GNT_SURFACE_UPDATE,
                                .goals = GNT_GOAL_RECONSTRUCTION,
                                .update_kind = steps ? GNT_UPDATE_DELTA : GNT_UPDATE_GRADIENT,
                                .steps = steps,
                                .attribute = -1,
                                .classes = CLASSES,
                                .n = n,
                                .batch = n,
                                .rate = 0.02,
                                .weights = a->weights};
    assert_int_equal(s->eval(s->context, s->prepare(s->context, &update), &args, &a->seen.update), GNT_OK);
}

static void forget(attacked *a) {
    gnt_service_free(a->own);
    gnt_service_free(a->attackers);
    gnt_model_free(a->model);
    gnt_free(a->weights);
}

/* a: NULL where the attack is not to be run. */
static int open_attack(gnt_instance **out, attacked *a, const char *id, const char *json, gnt_err *err) {
    const char *build = getenv("GAUNTLET_BUILD");
    char path[4096];
    const gnt_descriptor *d;
    gnt_params params;
    snprintf(path, sizeof path, "%s/plugins/attacks/gradient.so", build ? build : "build");
    if (gnt_plugin_load(&d, path, GNT_PLUGIN_ATTACK, id, err) ||
        gnt_params_parse(&params, d->parameters, d->n_parameters, "test", json, err))
        fail_msg("%s", err->text);
    gnt_instance_spec spec = {.descriptor = d, .params = &params, .context = a};
    if (a) {
        spec.key = a->key;
        spec.model = a->attackers;
        spec.should_stop = stop_now;
    }
    int rc = gnt_instance_new(out, &spec, NULL, err);
    gnt_params_free(&params);
    return rc;
}

static gnt_status attack(attacked *a, const char *id, const char *json) {
    gnt_instance *instance;
    if (open_attack(&instance, a, id, json, &a->err))
        fail_msg("%s", a->err.text);
    gnt_answer answer = {.size = sizeof answer,
                         .context = a,
                         .reconstruction = take_images,
                         .labels = take_labels,
                         .cost = take_cost,
                         .chosen = take_chosen};
    gnt_artefacts own = {.size = sizeof own};
    gnt_instance_enter(instance, "run");
    gnt_status status =
        gnt_instance_attack(instance)->run(gnt_instance_self(instance), &a->seen, &own, &answer);
    status = gnt_instance_leave(instance, status, &a->err);
    gnt_instance_free(instance);
    for (int64_t i = 0; i < a->count * FEATURES; i++)
        assert_true(a->found[i] >= 0 && a->found[i] <= 1);
    return status;
}

static double mse(const float *a, const float *b) {
    double sum = 0;
    for (int64_t i = 0; i < FEATURES; i++)
        sum += ((double)a[i] - (double)b[i]) * ((double)a[i] - (double)b[i]);
    return sum / FEATURES;
}

static int label_right(const attacked *a, int64_t row) {
    int top = 0;
    for (int c = 1; c < CLASSES; c++)
        top = a->scores[c] > a->scores[top] ? c : top;
    return a->labelled && top == glyphs->label[row];
}

/* ---- linear-layer ---- */

/* x = dW_i/db_i, whether the update is a gradient or a delta, with or without normalisation. */
static void one_sample_comes_out_of_a_dense_layer(void **state) {
    (void)state;
    static const double mean = 0.3, deviation = 0.25;
    for (int which = 0; which < 4; which++) {
        attacked a;
        observe(&a, mlp_json, which, 1, which / 2, which % 2 ? &mean : NULL, which % 2 ? &deviation : NULL);
        assert_int_equal(attack(&a, "linear-layer", NULL), GNT_OK);
        assert_int_equal(a.count, 1);
        for (int64_t i = 0; i < FEATURES; i++)
            assert_true(fabs((double)a.found[i] - (double)a.x[i]) < 1e-4);
        forget(&a);
    }
}

static void rows_of_a_batch_are_distinct(void **state) {
    (void)state;
    attacked a;
    observe(&a, mlp_json, 0, BATCH, 0, NULL, NULL);
    assert_int_equal(attack(&a, "linear-layer", "{\"distinct\": 0.002}"), GNT_OK);
    assert_true(a.count > 1);
    for (int64_t i = 1; i < a.count; i++)
        for (int64_t j = 0; j < i; j++)
            assert_true(mse(a.found + i * FEATURES, a.found + j * FEATURES) > 0.002);
    forget(&a);
}

static void a_model_without_a_first_dense_layer_is_refused(void **state) {
    (void)state;
    attacked a;
    observe(&a, lenet_json, 0, 1, 0, NULL, NULL);
    assert_int_equal(attack(&a, "linear-layer", NULL), GNT_UNSUPPORTED);
    assert_non_null(strstr(a.err.text, "first layer is dense"));
    forget(&a);
}

/* The bias of a later layer is none of the first's. */
static void a_first_dense_layer_without_bias_is_refused(void **state) {
    (void)state;
    attacked a;
    observe(&a, no_bias_json, 0, 1, 0, NULL, NULL);
    assert_int_equal(attack(&a, "linear-layer", NULL), GNT_UNSUPPORTED);
    assert_non_null(strstr(a.err.text, "the first dense layer has no bias"));
    forget(&a);
}

/* Where nothing is left to read it guesses: an answer that scores badly, not a cell that fails. */
static void a_pruned_layer_gets_a_grey_answer(void **state) {
    (void)state;
    static float zeros[64 * FEATURES];
    attacked a;
    observe(&a, mlp_json, 0, 1, 0, NULL, NULL);
    gnt_view view[8];
    gnt_views all = {a.seen.update->n, view};
    memcpy(view, a.seen.update->view, (size_t)all.n * sizeof *view);
    for (int64_t i = 0; i < all.n; i++)
        view[i].data = zeros;
    a.seen.update = &all;
    assert_int_equal(attack(&a, "linear-layer", NULL), GNT_OK);
    assert_int_equal(a.count, 1);
    for (int64_t i = 0; i < FEATURES; i++)
        assert_true(a.found[i] == 0.5f);
    forget(&a);
}

/* ---- dlg and idlg ---- */

static void idlg_reads_every_label(void **state) {
    (void)state;
    for (int64_t row = 0; row < 20; row++) {
        attacked a;
        observe(&a, lenet_json, row, 1, row % 2 ? 2 : 0, NULL, NULL);
        a.seen.budget = 1;
        assert_int_equal(attack(&a, "idlg", "{\"inner\": 1}"), GNT_OK);
        assert_true(label_right(&a, row));
        forget(&a);
    }
}

/* After tanh the last layer's input has both signs, and row sums of its gradient reveal nothing: the bias
 * does. */
static void labels_are_read_after_tanh_too(void **state) {
    (void)state;
    for (int64_t row = 0; row < 20; row++) {
        attacked a;
        observe(&a, tanh_json, row, 1, row % 2 ? 2 : 0, NULL, NULL);
        a.seen.budget = 1;
        assert_int_equal(attack(&a, "idlg", "{\"inner\": 1}"), GNT_OK);
        assert_true(label_right(&a, row));
        forget(&a);
    }
}

/* Zeroes columns of the last weights, those at which `take` is 1 of every `of`; all where both are 1. */
static void zero_columns(attacked *a, int64_t take, int64_t of) {
    const gnt_view *last = NULL;
    for (int64_t t = 0; t < a->seen.update->n; t++)
        if (a->seen.update->view[t].rank == 2)
            last = &a->seen.update->view[t];
    float *entry = (float *)(uintptr_t)last->data; /* the test's own program wrote it */
    for (int64_t i = 0; i < last->count; i++)
        entry[i] *= (i % last->dim[1]) % of < take ? 0 : 1;
}

/* Where a defense zeroed the last weights wholly, the bias still reveals the label. */
static void labels_are_read_off_a_bias_alone(void **state) {
    (void)state;
    for (int64_t row = 0; row < 20; row++) {
        attacked a;
        observe(&a, row % 3 ? lenet_json : mlp_json, row, 1, row % 2 ? 2 : 0, NULL, NULL);
        zero_columns(&a, 1, 1);
        a.seen.budget = 1;
        assert_int_equal(attack(&a, "idlg", "{\"inner\": 1}"), GNT_OK);
        assert_true(label_right(&a, row));
        forget(&a);
    }
}

static void idlg_refuses_batches(void **state) {
    (void)state;
    attacked a;
    observe(&a, lenet_json, 0, 2, 0, NULL, NULL);
    assert_int_equal(attack(&a, "idlg", NULL), GNT_UNSUPPORTED);
    assert_non_null(strstr(a.err.text, "batch of one"));
    forget(&a);
}

/* The papers' main claim: the undefended image comes back, here to 1e-3 for at least 3 of 4 targets. */
static void images_come_back(void **state) {
    (void)state;
    static const char *const id[] = {"dlg", "idlg"};
    for (int which = 0; which < 2; which++) {
        int close = 0;
        for (int64_t row = 20; row < 24; row++) {
            attacked a;
            observe(&a, lenet_json, row, 1, 0, NULL, NULL);
            assert_int_equal(attack(&a, id[which], "{\"steps\": 150, \"tolerance\": 1e-7}"), GNT_OK);
            close += mse(a.found, a.x) < 1e-3;
            if (mse(a.found, a.x) < 1e-3)
                assert_true(label_right(&a, row));
            forget(&a);
        }
        assert_true(close >= 3);
    }
}

/* A delta's sign and scale: the true image has cost 0 only if both are right. */
static void a_weight_delta_gives_the_image_too(void **state) {
    (void)state;
    attacked a;
    observe(&a, lenet_json, 25, 1, 2, NULL, NULL);
    assert_int_equal(attack(&a, "idlg", "{\"steps\": 150, \"tolerance\": 1e-7}"), GNT_OK);
    assert_true(mse(a.found, a.x) < 1e-3);
    forget(&a);
}

/* Begun at the true image, whose cost is 0 if its steps are those of the client. */
static void steps_are_unrolled_with_the_clients_momentum(void **state) {
    (void)state;
    static const double momentum[] = {0.9, 0};
    attacked a;
    double cost[2];
    observe(&a, lenet_json, 27, 1, 3, NULL, NULL);
    const gnt_model_service *s = gnt_service_table(a.own);
    const gnt_function_spec update = {.size = sizeof update,
                                      .kind = GNT_FN_UPDATE,
                                      .n = 1,
                                      .steps = 3,
                                      .batch = 1,
                                      .training = -1,
                                      .momentum = momentum[0]};
    const gnt_function_args args = {
        .size = sizeof args, .x = a.x, .y = a.y, .weights = a.weights, .rates = a.rates};
    assert_int_equal(s->eval(s->context, s->prepare(s->context, &update), &args, &a.seen.update), GNT_OK);
    a.seen.start_x = a.x;
    a.seen.budget = 1;
    for (int which = 0; which < 2; which++) {
        a.seen.momentum = momentum[which];
        assert_int_equal(attack(&a, "idlg", "{\"inner\": 1, \"prior\": 0}"), GNT_OK);
        cost[which] = a.first_cost;
    }
    print_message("with momentum %g, without %g\n", cost[0], cost[1]);
    assert_true(cost[0] < 1e-8 && cost[1] > 1e-3);
    forget(&a);
}

static void the_budget_counts_outer_steps(void **state) {
    (void)state;
    for (int reference = 0; reference < 2; reference++) {
        attacked a;
        observe(&a, lenet_json, 26, 1, 0, NULL, NULL);
        a.seen.budget = 3;
        assert_int_equal(attack(&a, "dlg", reference ? "{\"mode\": \"reference\"}" : NULL), GNT_OK);
        assert_int_equal(a.costs, 3);
        assert_true(isfinite(a.chosen_cost));
        forget(&a);
    }
}

/* The authors' programs have no such settings, and nothing is ignored in silence. */
static void reference_refuses_what_it_does_not_take(void **state) {
    (void)state;
    static const char *const json[] = {"{\"mode\": \"reference\", \"inner\": 40, \"tolerance\": 1e-5}",
                                       "{\"mode\": \"reference\", \"mask_zeros\": \"always\"}",
                                       "{\"mode\": \"reference\", \"prior\": 0}"};
    static const char *const says[] = {"\"tolerance\" has no meaning in mode reference",
                                       "\"mask_zeros\" has no meaning", "\"prior\" has no meaning"};
    for (size_t i = 0; i < 3; i++) {
        gnt_instance *instance = NULL;
        gnt_err err = {0};
        assert_true(open_attack(&instance, NULL, "dlg", json[i], &err) != 0);
        assert_non_null(strstr(err.text, says[i]));
        assert_non_null(strstr(err.text, "remove it, or take mode guarded"));
    }
}

/* ---- invert-gradients ---- */

/* PSNR of 20 dB is a mean squared error of 0.01. Normalised input, gradient; and a delta of two steps. */
static void the_direction_gives_the_image(void **state) {
    (void)state;
    static const double mean = 0.2, deviation = 0.4;
    for (int which = 0; which < 2; which++) {
        attacked a;
        observe(&a, mlp_json, 10 + which, 1, which ? 2 : 0, which ? NULL : &mean, which ? NULL : &deviation);
        assert_int_equal(attack(&a, "invert-gradients", "{\"steps\": 300}"), GNT_OK);
        assert_true(a.chosen_cost < 0.05 * a.first_cost);
        assert_true(mse(a.found, a.x) < 0.01);
        forget(&a);
    }
}

/* Labels of a batch are read off the update, or taken when granted: here they are the same, but for their
 * order. */
static void a_batch_has_its_labels_read(void **state) {
    (void)state;
    attacked a;
    double first;
    observe(&a, mlp_json, 12, 2, 0, NULL, NULL);
    assert_int_equal(attack(&a, "invert-gradients", "{\"steps\": 20, \"restarts\": 2}"), GNT_OK);
    assert_int_equal(a.count, 2);
    assert_int_equal(a.costs, 40);
    first = a.first_cost;
    if (glyphs->label[12] > glyphs->label[13]) {
        float row[CLASSES];
        memcpy(row, a.y, sizeof row);
        memcpy(a.y, a.y + CLASSES, sizeof row);
        memcpy(a.y + CLASSES, row, sizeof row);
    }
    a.seen.labels = a.y;
    a.seen.granted = GNT_KNOWS_LABELS;
    assert_int_equal(attack(&a, "invert-gradients", "{\"steps\": 20, \"restarts\": 2}"), GNT_OK);
    assert_true(a.first_cost == first);
    forget(&a);
}

/* Zeroes what is below `share` of the largest magnitude, tensor by tensor. */
static void prune(attacked *a, float share) {
    for (int64_t t = 0; t < a->seen.update->n; t++) {
        const gnt_view *v = &a->seen.update->view[t];
        float *entry = (float *)(uintptr_t)v->data, most = 0; /* the test's own program wrote it */
        for (int64_t i = 0; i < v->count; i++)
            most = fmaxf(most, fabsf(entry[i]));
        for (int64_t i = 0; i < v->count; i++)
            entry[i] = fabsf(entry[i]) < share * most ? 0 : entry[i];
    }
}

/* Entries that pruning set to zero say nothing: matched as they are, not even the true image has cost 0. */
static void pruned_entries_are_left_out(void **state) {
    (void)state;
    static const char *const mask[] = {"auto", "never", "always"};
    for (int dense = 0; dense < 2; dense++) {
        double cost[3];
        for (int which = 0; which < 3; which++) {
            attacked a;
            char json[100];
            snprintf(json, sizeof json, "{\"steps\": 300, \"tv\": 0, \"mask_zeros\": \"%s\"}", mask[which]);
            observe(&a, dense ? mlp_json : lenet_json, 14, 1, 0, NULL, NULL);
            prune(&a, 0.2f);
            assert_int_equal(attack(&a, "invert-gradients", json), GNT_OK);
            cost[which] = a.chosen_cost;
            forget(&a);
        }
        assert_true(cost[0] == cost[2]); /* it saw that it was pruned */
        assert_true(cost[0] < 0.3 * cost[1]);
    }
}

/* The true image has cost 0 where zeros are bounds, and a cost above 0 where they are matched. */
static void dlg_sees_pruned_entries_as_bounds(void **state) {
    (void)state;
    static const char *const mask[] = {"auto", "never"};
    double error[2];
    for (int which = 0; which < 2; which++) {
        attacked a;
        char json[100];
        snprintf(json, sizeof json, "{\"steps\": 60, \"mask_zeros\": \"%s\"}", mask[which]);
        observe(&a, lenet_json, 16, 1, 0, NULL, NULL);
        prune(&a, 0.05f);
        assert_int_equal(attack(&a, "idlg", json), GNT_OK);
        error[which] = mse(a.found, a.x);
        forget(&a);
    }
    assert_true(error[0] < 0.5 * error[1]);
}

/* Dead units and black pixels leave zeros too, but an update that nobody pruned is matched whole. */
static void zeros_alone_are_not_pruning(void **state) {
    (void)state;
    double cost[2];
    for (int which = 0; which < 2; which++) {
        attacked a;
        observe(&a, mlp_json, 15, 1, 0, NULL, NULL);
        assert_int_equal(attack(&a, "invert-gradients",
                                which ? "{\"steps\": 5, \"mask_zeros\": \"never\"}" : "{\"steps\": 5}"),
                         GNT_OK);
        cost[which] = a.chosen_cost;
        forget(&a);
    }
    assert_true(cost[0] == cost[1]);
}

/* Columns of the last layer that soteria zeroed: `auto` leaves them out, as `always` does. */
static void zeroed_columns_are_left_out(void **state) {
    (void)state;
    static const char *const mask[] = {"auto", "never", "always"};
    double error[3];
    for (int which = 0; which < 3; which++) {
        attacked a;
        char json[100];
        snprintf(json, sizeof json, "{\"steps\": 60, \"mask_zeros\": \"%s\"}", mask[which]);
        observe(&a, lenet_json, 18, 1, 0, NULL, NULL);
        zero_columns(&a, 4, 5);
        assert_int_equal(attack(&a, "idlg", json), GNT_OK);
        error[which] = mse(a.found, a.x);
        forget(&a);
    }
    assert_true(error[0] < 1e-3 && error[2] < 1e-3 && error[1] > 1e-2);
}

/* ---- outliers ---- */

/* Sets each entry with a chance of one in `one_in` to ±1e6, alternately. */
static void spoil(attacked *a, uint64_t one_in) {
    gnt_stream s = gnt_stream_open(&a->key, "spoil");
    int64_t n = 0;
    for (int64_t t = 0; t < a->seen.update->n; t++) {
        const gnt_view *v = &a->seen.update->view[t];
        float *entry = (float *)(uintptr_t)v->data; /* the test's own program wrote it */
        for (int64_t i = 0; i < v->count; i++)
            if (gnt_random_below(&s, one_in) == 0)
                entry[i] = n++ % 2 ? 1e6f : -1e6f;
    }
    assert_true(n > 0);
}

static double psnr(const attacked *a) {
    return fmin(60, -10 * log10(mse(a->found, a->x) + 1e-12));
}

/* What 2 % of enormous entries hide from an attack that matches them all is as plain as before to one that
 * does not. */
static void enormous_entries_hide_nothing(void **state) {
    (void)state;
    static const struct {
        const char *id, *json, *keep;
    } attacks[] = {
        {"idlg", "{\"steps\": 150, \"tolerance\": 1e-9}", "{\"steps\": 20, \"outliers\": \"keep\"}"},
        {"dlg", "{\"steps\": 150, \"tolerance\": 1e-9}", "{\"steps\": 20, \"outliers\": \"keep\"}"},
        {"invert-gradients", "{\"steps\": 1200, \"signed\": \"always\"}",
         "{\"steps\": 300, \"outliers\": \"keep\"}"}};
    for (size_t i = 0; i < sizeof attacks / sizeof *attacks; i++) {
        double clean, spoilt, kept;
        for (int which = 0; which < 3; which++) {
            attacked a;
            observe(&a, lenet_json, 21, 1, 0, NULL, NULL);
            if (which)
                spoil(&a, 50);
            assert_int_equal(attack(&a, attacks[i].id, which == 2 ? attacks[i].keep : attacks[i].json),
                             GNT_OK);
            *(which == 0 ? &clean : which == 1 ? &spoilt : &kept) = psnr(&a);
            forget(&a);
        }
        print_message("%s: %.2f dB, spoilt %.2f dB, matched whole %.2f dB\n", attacks[i].id, clean, spoilt,
                      kept);
        assert_true(clean > 15 && spoilt > clean - 1);
        assert_true(kept < 13);
    }
}

static void enormous_entries_leave_the_dense_layer_readable(void **state) {
    (void)state;
    for (int64_t row = 0; row < 4; row++) {
        attacked a;
        observe(&a, mlp_json, row, 1, 0, NULL, NULL);
        spoil(&a, 50);
        assert_int_equal(attack(&a, "linear-layer", NULL), GNT_OK);
        for (int64_t i = 0; i < FEATURES; i++)
            assert_true(fabs((double)a.found[i] - (double)a.x[i]) < 1e-3);
        forget(&a);
    }
}

/* Without outliers the parameter changes nothing. */
static void a_gradient_has_no_outliers(void **state) {
    (void)state;
    static const char *const id[] = {"dlg", "idlg", "invert-gradients"},
                             *const json[] = {"{\"steps\": 3}", "{\"steps\": 3, \"outliers\": \"keep\"}"};
    static const char *const models[] = {lenet_json, mlp_json, tanh_json};
    for (size_t m = 0; m < 3; m++)
        for (size_t i = 0; i < 3; i++) {
            attacked a, b;
            observe(&a, models[m], 3, 1, 0, NULL, NULL);
            observe(&b, models[m], 3, 1, 0, NULL, NULL);
            assert_int_equal(attack(&a, id[i], json[0]), GNT_OK);
            assert_int_equal(attack(&b, id[i], json[1]), GNT_OK);
            assert_memory_equal(a.found, b.found, sizeof a.found);
            assert_memory_equal(a.scores, b.scores, sizeof a.scores);
            forget(&a);
            forget(&b);
        }
}

/* ---- stopping ---- */

static void a_stop_stops(void **state) {
    (void)state;
    static const char *const attacks[] = {"dlg", "idlg", "invert-gradients"};
    for (size_t i = 0; i < 3; i++) {
        attacked a;
        observe(&a, lenet_json, 1, 1, 0, NULL, NULL);
        a.stop_after = 30;
        assert_int_equal(attack(&a, attacks[i], NULL), GNT_STOPPED);
        assert_int_equal(a.count, 0);
        assert_true(a.polls < a.stop_after + 20); /* it did not go on working */
        forget(&a);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_sample_comes_out_of_a_dense_layer),
        cmocka_unit_test(rows_of_a_batch_are_distinct),
        cmocka_unit_test(a_model_without_a_first_dense_layer_is_refused),
        cmocka_unit_test(a_first_dense_layer_without_bias_is_refused),
        cmocka_unit_test(a_pruned_layer_gets_a_grey_answer),
        cmocka_unit_test(idlg_reads_every_label),
        cmocka_unit_test(labels_are_read_after_tanh_too),
        cmocka_unit_test(labels_are_read_off_a_bias_alone),
        cmocka_unit_test(idlg_refuses_batches),
        cmocka_unit_test(images_come_back),
        cmocka_unit_test(a_weight_delta_gives_the_image_too),
        cmocka_unit_test(steps_are_unrolled_with_the_clients_momentum),
        cmocka_unit_test(the_budget_counts_outer_steps),
        cmocka_unit_test(reference_refuses_what_it_does_not_take),
        cmocka_unit_test(the_direction_gives_the_image),
        cmocka_unit_test(a_batch_has_its_labels_read),
        cmocka_unit_test(pruned_entries_are_left_out),
        cmocka_unit_test(dlg_sees_pruned_entries_as_bounds),
        cmocka_unit_test(zeros_alone_are_not_pruning),
        cmocka_unit_test(zeroed_columns_are_left_out),
        cmocka_unit_test(enormous_entries_hide_nothing),
        cmocka_unit_test(enormous_entries_leave_the_dense_layer_readable),
        cmocka_unit_test(a_gradient_has_no_outliers),
        cmocka_unit_test(a_stop_stops),
    };
    return cmocka_run_group_tests(tests, open_glyphs, close_glyphs);
}
