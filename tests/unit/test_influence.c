/* What updates did to the model that a server made of them: the job `train` with further processes of the
 * server (tests/plugins/cheats_influence.c). */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "job/job.h"
#include "must_work.h"
#include "sides.h"

enum { ROWS = 24, ROUNDS = 4, TARGETS = 2, INFLUENCE = 1, SHADOW_ROWS = 20 };

static const int64_t rounds[] = {1, 2};

typedef struct trained {
    sides_job job;
    gnt_request_record record;
} trained;

/* shadow_rows: 0: updates are replaced by zeros alone, and clients are served by one process. */
static void train_with(trained *t, int64_t steps, int64_t influence, int64_t shadow_rows,
                       sides_defenses defenses, const char *sides) {
    *t = (trained){.record = {.stages = {rounds, 2},
                              .targets = TARGETS,
                              .influence = influence,
                              .shadow = shadow_rows > 0,
                              .key = gnt_key_of_seed(15)}};
    gnt_request_train *q = sides_open(&t->job, defenses);
    t->job.copies = q->copies = shadow_rows > 0 && strstr(sides, "client");
    q->federated = (gnt_request_federated){.clients = 4,
                                           .partition = GNT_PARTITION_IID,
                                           .rounds = ROUNDS,
                                           .participation = 1,
                                           .local_steps = steps,
                                           .batch = 3,
                                           .rate = 0.1,
                                           .training_stats = 1};
    q->stages = (gnt_ints){rounds, 2};
    q->record = &t->record;
    fuzz_samples(fuzz_input(&t->job.inputs, "clients"), ROWS);
    fuzz_samples(fuzz_input(&t->job.inputs, "test"), 60);
    fuzz_samples(fuzz_input(&t->job.inputs, "public"), 20);
    if (shadow_rows)
        fuzz_samples(fuzz_input(&t->job.inputs, "shadow"), shadow_rows);
    sides_start(&t->job, sides);
    MUST_WORK(gnt_job_train(&t->job.inputs.work, err));
    sides_stop(&t->job);
}

static void train(trained *t, int64_t steps, int64_t influence, sides_defenses defenses, const char *sides) {
    train_with(t, steps, influence, 0, defenses, sides);
}

static const gnt_st_tensor *tensor(trained *t, const char *name) {
    return gnt_st_find(sides_output(&t->job, "record"), name);
}

static double cosine(const gnt_st_tensor *a, const gnt_st_tensor *b) {
    const float *x = a->data, *y = b->data;
    double xx = 0, yy = 0, xy = 0;
    for (int64_t i = 0; i < a->dim[1]; i++) {
        xx += (double)x[i] * (double)x[i];
        yy += (double)y[i] * (double)y[i];
        xy += (double)x[i] * (double)y[i];
    }
    return xy / sqrt(xx * yy);
}

/* ‖a − b‖ / ‖b‖ of the first n entries. */
static double distance(const gnt_st_tensor *a, const gnt_st_tensor *b) {
    const int64_t n = a->dim[1];
    const float *x = a->data, *y = b->data;
    double difference = 0, norm = 0;
    assert_int_equal(n, b->dim[1]);
    for (int64_t i = 0; i < n; i++) {
        difference += ((double)x[i] - (double)y[i]) * ((double)x[i] - (double)y[i]);
        norm += (double)y[i] * (double)y[i];
    }
    return sqrt(difference / norm);
}

static int has_mark(trained *t, const char *what) {
    json_t *all = json_loads(sides_output(&t->job, "record")->metadata, 0, NULL);
    const json_t *one;
    size_t i;
    int found = 0;
    json_array_foreach(json_object_get(all, "marks"), i, one) found |=
        strcmp(json_string_value(json_object_get(one, "what")), what) == 0;
    json_decref(all);
    return found;
}

/* Returns what the record says of both rounds: 1 if influences are like updates without hooks. */
static int is_undone(trained *t) {
    const int64_t *first = tensor(t, "undone.1")->data, *second = tensor(t, "undone.2")->data;
    assert_int_equal(*first, *second);
    return (int)*first;
}

static double control(trained *t, const char *which) {
    json_t *all = json_loads(sides_output(&t->job, "trained")->metadata, 0, NULL);
    const json_t *of = json_object_get(json_object_get(all, "control"), which);
    const double loss = json_number_value(json_object_get(of, "loss"));
    json_decref(all);
    return loss;
}

static double final_loss(trained *t) {
    json_t *all = json_loads(sides_output(&t->job, "trained")->metadata, 0, NULL);
    const json_t *list = json_object_get(all, "utility");
    const double loss =
        json_number_value(json_object_get(json_array_get(list, json_array_size(list) - 1), "loss"));
    json_decref(all);
    return loss;
}

static void forget(trained *t) {
    sides_close(&t->job);
}

static const char four_servers[] = "client server server.1 server.2 server.3 server.4";

/* A server that undoes a key: the wire says nothing of an update, its influence is what would have been sent
 * undefended. Without a hook of the server nothing is measured. */
static void influence_is_the_update(void **state) {
    static const sides_defense rescaled = {"tests/so/cheats_influence.so", "cheat-rescaled", "{}",
                                           GNT_HOOK_TRANSFORM_UPDATE | GNT_HOOK_AGGREGATE};
    (void)state;
    for (int64_t steps = 0; steps < 3; steps += 2) {
        trained plain, t;
        train(&plain, steps, 0, sides_undefended, "");
        train(&t, steps, INFLUENCE, SIDES_DEFENSES(rescaled), four_servers);
        assert_null(tensor(&plain, "influence.1"));
        assert_int_equal(tensor(&t, "influence.1")->dim[0], INFLUENCE);
        assert_true(distance(tensor(&t, "update.1"), tensor(&plain, "update.1")) > 0.5);
        assert_true(distance(tensor(&t, "influence.1"), tensor(&plain, "update.1")) < 1e-3);
        assert_true(distance(tensor(&t, "influence.2"), tensor(&plain, "update.2")) < 1e-3);
        assert_false(has_mark(&t, "server-not-reproducible") || has_mark(&t, "refuses-an-update"));
        assert_true(is_undone(&t));
        forget(&plain);
        forget(&t);
    }
}

/* The control's model is that of public data, too. */
static void a_network_from_elsewhere_stays_in_the_control(void **state) {
    static const sides_defense late = {"tests/so/cheats_influence.so", "cheat-late-network", "{}",
                                       GNT_HOOK_TRANSFORM_UPDATE | GNT_HOOK_AGGREGATE};
    static const sides_defense rescaled = {"tests/so/cheats_influence.so", "cheat-rescaled", "{}",
                                           GNT_HOOK_TRANSFORM_UPDATE | GNT_HOOK_AGGREGATE};
    (void)state;
    trained t;
    train(&t, 2, INFLUENCE, SIDES_DEFENSES(late), four_servers);
    assert_true(fabs(control(&t, "utility") - final_loss(&t)) < 1e-3);
    assert_true(fabs(control(&t, "utility") - control(&t, "untrained")) > 0.01);
    assert_true(control(&t, "untrained") > control(&t, "constant"));
    forget(&t);
    train(&t, 2, INFLUENCE, SIDES_DEFENSES(rescaled), four_servers);
    assert_true(fabs(control(&t, "utility") - final_loss(&t)) > 1e-3);
    forget(&t);
}

static void a_server_that_refuses_is_marked(void **state) {
    static const sides_defense no_zeros = {"tests/so/cheats_influence.so", "cheat-no-zeros", "{}",
                                           GNT_HOOK_TRANSFORM_UPDATE | GNT_HOOK_AGGREGATE};
    (void)state;
    trained t;
    train(&t, 0, INFLUENCE, SIDES_DEFENSES(no_zeros), four_servers);
    assert_true(has_mark(&t, "refuses-an-update"));
    assert_false(has_mark(&t, "server-not-reproducible"));
    forget(&t);
}

static const char six_servers[] = "client server server.1 server.2 server.3 server.4 server.5 server.6";

/* Noise of a key that the server subtracts is in what zeros show, and not in what an update of shadow rows
 * shows. The weights are not those of an undefended training: a twentieth of the noise stays. */
static void noise_of_a_key_drops_out(void **state) {
    static const sides_defense noisy = {"tests/so/cheats_influence.so", "cheat-noise-taken-back", "{}",
                                        GNT_HOOK_TRANSFORM_UPDATE | GNT_HOOK_AGGREGATE};
    (void)state;
    trained plain, zeros, shadow;
    train(&plain, 0, 0, sides_undefended, "");
    train(&zeros, 0, INFLUENCE, SIDES_DEFENSES(noisy), four_servers);
    train_with(&shadow, 0, INFLUENCE, SHADOW_ROWS, SIDES_DEFENSES(noisy), six_servers);
    assert_true(distance(tensor(&zeros, "influence.1"), tensor(&plain, "update.1")) > 0.5);
    assert_true(distance(tensor(&shadow, "influence.1"), tensor(&plain, "update.1")) < 0.05);
    assert_false(has_mark(&shadow, "replacements-disagree"));
    assert_false(is_undone(&zeros));
    assert_true(is_undone(&shadow));
    forget(&plain);
    forget(&zeros);
    forget(&shadow);
}

/* A server that hides what zeros show is marked, and is attacked with what an update of shadow rows shows. */
static void a_server_that_knows_zeros_is_marked(void **state) {
    static const sides_defense knows = {"tests/so/cheats_influence.so", "cheat-knows-zeros", "{}",
                                        GNT_HOOK_TRANSFORM_UPDATE | GNT_HOOK_AGGREGATE};
    (void)state;
    for (int64_t steps = 0; steps < 3; steps += 2) {
        trained plain, t;
        train(&plain, steps, 0, sides_undefended, "");
        train_with(&t, steps, INFLUENCE, SHADOW_ROWS, SIDES_DEFENSES(knows), six_servers);
        assert_true(distance(tensor(&t, "influence.1"), tensor(&plain, "update.1")) < 1e-3);
        assert_true(has_mark(&t, "replacements-disagree"));
        assert_false(has_mark(&t, "server-not-reproducible") || has_mark(&t, "refuses-an-update"));
        forget(&plain);
        forget(&t);
    }
}

/* Shadow rows have no part in the training: what clients send and what becomes of it has the same bytes. */
static void shadow_rows_change_no_training(void **state) {
    static const sides_defense noise = {"plugins/defenses/dp.so", "dp-gaussian",
                                        "{\"sigma\": 0.1, \"clip\": 1}", GNT_HOOK_TRANSFORM_UPDATE};
    static const sides_defense median = {"tests/so/robust.so", "robust-median", "{}", GNT_HOOK_AGGREGATE};
    (void)state;
    trained without, with;
    train(&without, 2, INFLUENCE, SIDES_DEFENSES(noise, median), four_servers);
    train_with(&with, 2, INFLUENCE, SHADOW_ROWS, SIDES_DEFENSES(noise, median), six_servers);
    const gnt_st *a = sides_output(&without.job, "trained"), *b = sides_output(&with.job, "trained");
    const gnt_st_tensor *x = gnt_st_find(a, "weights.4"), *y = gnt_st_find(b, "weights.4");
    assert_memory_equal(x->data, y->data, x->bytes);
    assert_memory_equal(tensor(&without, "update.2")->data, tensor(&with, "update.2")->data,
                        tensor(&with, "update.2")->bytes);
    forget(&without);
    forget(&with);
}

/* Neither robust server does to one replacement what it does not do to the other. Where norms are limited,
 * the influence of an update is a multiple of it, with all of its noise: noise that nobody subtracts does not
 * cancel, since shadow rows have another. */
static void honest_servers_bear_no_mark(void **state) {
    static const sides_defense noise = {"plugins/defenses/dp.so", "dp-gaussian",
                                        "{\"sigma\": 0.1, \"clip\": 1}", GNT_HOOK_TRANSFORM_UPDATE};
    static const sides_defense robust[] = {{"tests/so/robust.so", "robust-median", "{}", GNT_HOOK_AGGREGATE},
                                           {"tests/so/robust.so", "robust-norms", "{}", GNT_HOOK_AGGREGATE}};
    (void)state;
    for (int i = 0; i < 2; i++) {
        trained t;
        train_with(&t, 0, INFLUENCE, SHADOW_ROWS, SIDES_DEFENSES(noise, robust[i]), six_servers);
        assert_false(has_mark(&t, "replacements-disagree") || has_mark(&t, "refuses-an-update"));
        assert_false(has_mark(&t, "server-not-reproducible") || is_undone(&t));
        assert_true(i == 0 || cosine(tensor(&t, "influence.1"), tensor(&t, "update.1")) > 0.999);
        forget(&t);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(influence_is_the_update),
        cmocka_unit_test(a_network_from_elsewhere_stays_in_the_control),
        cmocka_unit_test(a_server_that_refuses_is_marked),
        cmocka_unit_test(noise_of_a_key_drops_out),
        cmocka_unit_test(a_server_that_knows_zeros_is_marked),
        cmocka_unit_test(shadow_rows_change_no_training),
        cmocka_unit_test(honest_servers_bear_no_mark),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
