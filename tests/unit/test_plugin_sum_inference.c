/* update-norm and masked-words: what they infer about a client, against the lengths that are put in. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "fl/secure_sum.h"
#include "nn/model/model.h"
#include "try_plugin.h"

enum { F = 4, C = 3, P = C * (F + 1), PUBLIC = 6, CLIENTS = 5, ENTRIES = 2 };

static const double sum[ENTRIES] = {500, 20};

typedef struct answered {
    int64_t n;
    double value[CLIENTS * ENTRIES];
} answered;

static gnt_status take(void *context, int64_t n, const double *value) {
    answered *t = context;
    assert_true(n <= CLIENTS * ENTRIES);
    t->n = n;
    memcpy(t->value, value, (size_t)n * sizeof *value);
    return GNT_OK;
}

static gnt_status run(tried *t, const gnt_observation *seen, const kept *own, answered *out, gnt_err *err) {
    const gnt_answer answer = {.size = sizeof answer, .context = out, .contribution = take};
    *out = (answered){0};
    gnt_instance_enter(t->instance, "run");
    const gnt_status s =
        gnt_instance_attack(t->instance)
            ->run(gnt_instance_self(t->instance), seen, own ? &own->artefacts : NULL, &answer);
    return gnt_instance_leave(t->instance, s, err);
}

static tried open_attack(const char *id, gnt_service *model) {
    char where[4096];
    tried t;
    gnt_err err = {0};
    if (try_load(&t, built("plugins/attacks/sum_inference.so", where), GNT_PLUGIN_ATTACK, id, NULL, &err) !=
            0 ||
        try_start(&t, 1, (gnt_instance_spec){.model = model}, &err) != 0)
        fail_msg("%s", err.text);
    return t;
}

/* Steps of rate 0.05, four of them; 0: one gradient. */
static gnt_observation setting(int steps) {
    return (gnt_observation){.size = sizeof(gnt_observation),
                             .surface = GNT_SURFACE_UPDATE,
                             .granted = GNT_KNOWS_SUM,
                             .goals = GNT_GOAL_CONTRIBUTION,
                             .update_kind = steps ? GNT_UPDATE_DELTA : GNT_UPDATE_GRADIENT,
                             .steps = steps,
                             .attribute = -1,
                             .classes = C,
                             .n = 4,
                             .batch = steps ? 1 : 4,
                             .rate = 0.05,
                             .sum = sum,
                             .n_sum = ENTRIES,
                             .n_contribution = ENTRIES,
                             .n_clients = CLIENTS,
                             .momentum = steps ? 0.5 : 0};
}

static void without_public_samples_steps_have_the_length_1(void **state) {
    (void)state;
    for (int steps = 0; steps <= 4; steps += 4) {
        const float w[3] = {0.4f, 0, -0.2f}, b[1] = {0.4f}; /* length 0.6 */
        gnt_view view[2] = {{.name = "w", .rank = 1, .dim = {3}, .count = 3, .data = w},
                            {.name = "b", .rank = 1, .dim = {1}, .count = 1, .data = b}};
        const gnt_views update = {2, view};
        gnt_observation seen = setting(steps);
        const gnt_attack_prepare in = {.size = sizeof in, .setting = &seen, .attribute = -1};
        tried t = open_attack("update-norm", NULL);
        kept own;
        answered got;
        gnt_err err = {0};
        assert_int_equal(try_prepare(&t, &in, &own, &err), GNT_OK);
        seen.update = &update;
        assert_int_equal(run(&t, &seen, &own, &got, &err), GNT_OK);
        const double ratio = 0.6 / (steps ? 0.05 * steps : 1);
        assert_true(got.n == ENTRIES);
        for (int i = 0; i < ENTRIES; i++)
            assert_true(fabs(got.value[i] / (ratio * sum[i] / CLIENTS) - 1) < 1e-6);
        assert_true(fabs(try_fact(&t, "ratio") / ratio - 1) < 1e-6);
        try_drop(&own);
        try_close(&t);
    }
}

/* A client of the public samples with 2.5 times the announced rate behind a linear step is reported as 2.5
 * times the mean; momentum and the samples' order are the host's. */
static void public_samples_give_the_scale(void **state) {
    (void)state;
    static const char json[] =
        "{\"layers\": [{\"type\": \"dense\", \"name\": \"fc\", \"out\": \"classes\"}]}";
    const gnt_nn_shape sample = {1, {F}};
    float x[PUBLIC * F], y[PUBLIC * C] = {0}, w[P] = {0}, longer[P];
    float rates[4] = {0.05f, 0.05f, 0.05f, 0.05f};
    gnt_model *model;
    gnt_service *own_service, *service;
    gnt_err err = {0};
    for (int i = 0; i < PUBLIC; i++) {
        y[i * C + i % C] = 1;
        for (int f = 0; f < F; f++)
            x[i * F + f] = (float)((i * 5 + f * 3) % 7) / 7;
    }
    const gnt_samples known = {.size = sizeof known,
                               .kind = GNT_KIND_TABULAR,
                               .n = PUBLIC,
                               .rank = 1,
                               .classes = C,
                               .dim = {F},
                               .features = F,
                               .x = x,
                               .y = y};
    assert_int_equal(gnt_model_parse(&model, "test", json, &sample, C, NULL, NULL, &err), 0);
    const gnt_service_spec spec = {.model = model, .name = "test"};
    assert_int_equal(gnt_service_new(&own_service, &spec, &err), 0);
    assert_int_equal(gnt_service_new(&service, &spec, &err), 0);
    for (int steps = 0; steps <= 4; steps += 4) {
        gnt_observation seen = setting(steps);
        const gnt_model_service *s = gnt_service_table(own_service);
        const gnt_function_spec f = {.size = sizeof f,
                                     .kind = GNT_FN_UPDATE,
                                     .n = 4,
                                     .steps = steps,
                                     .batch = seen.batch,
                                     .training = -1,
                                     .momentum = seen.momentum};
        const gnt_function_args args = {.size = sizeof args, .x = x, .y = y, .weights = w, .rates = rates};
        const gnt_views *made;
        assert_int_equal(s->eval(s->context, s->prepare(s->context, &f), &args, &made), GNT_OK);
        gnt_view view[2] = {made->view[0], made->view[1]};
        const gnt_views update = {2, view};
        for (int k = 0, at = 0; k < 2; k++) {
            view[k].data = longer + at;
            for (int64_t i = 0; i < made->view[k].count; i++)
                longer[at++] = 2.5f * made->view[k].data[i];
        }
        const gnt_attack_prepare in = {
            .size = sizeof in, .setting = &seen, .attribute = -1, .public_data = &known, .weights = w};
        tried t = open_attack("update-norm", service);
        kept own;
        answered got;
        assert_int_equal(try_prepare(&t, &in, &own, &err), GNT_OK);
        seen.update = &update;
        assert_int_equal(run(&t, &seen, &own, &got, &err), GNT_OK);
        for (int i = 0; i < ENTRIES; i++)
            assert_true(fabs(got.value[i] / (2.5 * sum[i] / CLIENTS) - 1) < 1e-5);
        seen.sum = NULL;
        assert_int_equal(run(&t, &seen, &own, &got, &err), GNT_FAILED);
        assert_non_null(strstr(err.text, "needs an update and the secure sum"));
        try_drop(&own);
        try_close(&t);
    }
    gnt_service_free(service);
    gnt_service_free(own_service);
    gnt_model_free(model);
}

/* Masked words reveal nothing: a client's words are further off than any that it could have given. */
static void words_are_reported_as_they_are(void **state) {
    (void)state;
    double value[CLIENTS * ENTRIES], total[ENTRIES];
    uint64_t plain[CLIENTS * ENTRIES], masked[CLIENTS * ENTRIES];
    const gnt_key key = gnt_key_of_seed(9);
    gnt_err err = {0};
    answered got;
    for (int i = 0; i < CLIENTS * ENTRIES; i++) {
        value[i] = i % 2 ? -3.5 : 10 + i;
        plain[i] = (uint64_t)(int64_t)(value[i] * GNT_SUM_SCALE);
    }
    assert_int_equal(gnt_secure_sum(value, CLIENTS, ENTRIES, &key, masked, total, &err), 0);
    gnt_transcript words = {
        .size = sizeof words, .n_clients = CLIENTS, .n = ENTRIES, .masked = plain, .scale = GNT_SUM_SCALE};
    gnt_observation seen = setting(0);
    seen.surface = GNT_SURFACE_TRANSCRIPT;
    tried t = open_attack("masked-words", NULL);
    seen.transcript = NULL;
    assert_int_equal(run(&t, &seen, NULL, &got, &err), GNT_FAILED);
    assert_non_null(strstr(err.text, "needs the transcript"));
    seen.transcript = &words;
    assert_int_equal(run(&t, &seen, NULL, &got, &err), GNT_OK);
    assert_int_equal(got.n, CLIENTS * ENTRIES);
    assert_memory_equal(got.value, value, sizeof value);
    words.masked = masked;
    assert_int_equal(run(&t, &seen, NULL, &got, &err), GNT_OK);
    for (int i = 0; i < CLIENTS * ENTRIES; i++)
        assert_true(fabs(got.value[i]) > 1e6);
    try_close(&t);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(without_public_samples_steps_have_the_length_1),
        cmocka_unit_test(public_samples_give_the_scale),
        cmocka_unit_test(words_are_reported_as_they_are),
    };
    return cmocka_run_group_tests_name("sum inference", tests, NULL, NULL);
}
