/* dlg-whitened: what it recovers without noise, where one layer is drowned in it, of local steps, of several
 * rounds, of maps, and what it makes of a granted defense. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "../drowned.h"

/* Brings each layer to at most this norm. */
static void clip_layers(attacked *a, double bound) {
    for (int32_t layer = 0; layer <= DENSE_LAYER; layer++) {
        double squares = 0;
        for (int pass = 0; pass < 2; pass++)
            for (int64_t t = 0; t < a->seen.update->n; t++)
                for (int64_t i = 0; i < a->view[ROUNDS][t].count; i++) {
                    float *e = &a->entry[ROUNDS][t][i];
                    if (a->view[ROUNDS][t].layer != layer)
                        continue;
                    if (pass == 0)
                        squares += (double)*e * (double)*e;
                    else if (sqrt(squares) > bound)
                        *e = (float)((double)*e * bound / sqrt(squares));
                }
    }
}

/* Both recover the image to less than a grey level. */
static void without_noise_it_is_dlg(void **state) {
    (void)state;
    for (int64_t row = 0; row < 3; row++) {
        attacked a;
        open_client(&a, lenet_json, row, 1);
        observe(&a, &a.seen, ROUNDS, a.x, a.y, 1, 0);
        const double white = recovered(&a, "dlg-whitened", "{\"restarts\": 3}");
        assert_true(fact_of(&a, "noise_least") == fact_of(&a, "noise_most"));
        assert_true(fact_of(&a, "noise_known") == 0);
        a.seen.labels = a.y;
        const double labelled = recovered(&a, "dlg-whitened", "{\"optimiser\": \"lbfgs\"}");
        print_message("%.1f dB, with labels %.1f dB\n", white, labelled);
        assert_true(white > 48 && labelled > 48);
        forget(&a);
    }
}

/* The dense layer under noise 20 times its gradient: the others reveal the image if they alone are
 * believed. */
static void a_drowned_layer_is_passed_over(void **state) {
    (void)state;
    for (int64_t row = 0; row < 3; row++) {
        attacked a;
        open_client(&a, lenet_json, row, 1);
        observe(&a, &a.seen, ROUNDS, a.x, a.y, 1, 0);
        drown(&a, ROUNDS, DENSE_LAYER, 2);
        const double plain = recovered(&a, "dlg", "{\"steps\": 60}");
        a.seen.labels = a.y;
        const double l2 = recovered(&a, "invert-gradients", "{\"steps\": 500, \"cost\": \"l2\"}");
        const double white = recovered(&a, "dlg-whitened", "{}");
        print_message("dlg %.1f dB, l2 %.1f dB, whitened %.1f dB\n", plain, l2, white);
        assert_true(white > 30 && white > plain + 15 && white > l2 + 15);
        assert_true(fact_of(&a, "noise_most") > 1.8 && fact_of(&a, "noise_most") < 2.2);
        forget(&a);
    }
}

/* Noise in all layers about as large as their gradients: no layer looks like noise, but what the first search
 * leaves of each reveals it. */
static void noise_is_read_off_what_is_left(void **state) {
    (void)state;
    attacked a;
    open_client(&a, lenet_json, 2, 1);
    observe(&a, &a.seen, ROUNDS, a.x, a.y, 1, 0);
    a.seen.labels = a.y;
    drown(&a, ROUNDS, DENSE_LAYER, 0.1);
    const double white = recovered(&a, "dlg-whitened", "{}");
    const double l2 = recovered(&a, "invert-gradients", "{\"steps\": 500, \"cost\": \"l2\"}");
    print_message("l2 %.1f dB, whitened %.1f dB\n", l2, white);
    assert_true(white > 40 && white > l2 + 15);
    forget(&a);
}

/* fedre with public scores 1, 1 and 100: the dense layer is drowned, the others are clipped and noisy. */
static void a_granted_defense_is_used(void **state) {
    (void)state;
    const float score[3] = {1, 1, 100};
    const double clip = 0.5, epsilon = 3e5, one = clip * sqrt(2 * log(3 / 1e-5)) * (1 + 1 + 100) / epsilon;
    gnt_view psi = {.name = "psi", .rank = 1, .dim = {3}, .count = 3, .data = score};
    gnt_artefacts public_scores = {.size = sizeof public_scores, .tensors = {1, &psi}};
    attacked a;
    open_client(&a, lenet_json, 0, 1);
    observe(&a, &a.seen, ROUNDS, a.x, a.y, 1, 0);
    clip_layers(&a, clip);
    drown(&a, ROUNDS, 0, one);
    drown(&a, ROUNDS, 2, one);
    drown(&a, ROUNDS, DENSE_LAYER, 100 * one);
    a.seen.labels = a.y;
    const double unknown = recovered(&a, "dlg-whitened", "{}");
    a.value[0] = (gnt_value){.id = "epsilon", .type = GNT_TYPE_REAL, .r = epsilon};
    a.value[1] = (gnt_value){.id = "clip", .type = GNT_TYPE_REAL, .r = clip};
    a.value[2] = (gnt_value){.id = "delta", .type = GNT_TYPE_REAL, .r = 1e-5};
    a.seen.defense = "fedre";
    a.seen.defense_values = a.value;
    a.seen.n_defense_values = 3;
    a.seen.defense_artefacts = &public_scores;
    a.seen.granted |= GNT_KNOWS_DEFENSE;
    const double known = recovered(&a, "dlg-whitened", "{}");
    print_message("unknown %.1f dB, known %.1f dB, noise %g to %g\n", unknown, known,
                  fact_of(&a, "noise_least"), fact_of(&a, "noise_most"));
    assert_true(fact_of(&a, "noise_known") == 1);
    assert_true(fabs(fact_of(&a, "noise_most") / fact_of(&a, "noise_least") - 100) < 1e-3);
    assert_true(known > 20 && known > unknown + 5);
    forget(&a);
}

/* Noise that drowns the dense layer alone, as dp-gaussian with `layers` adds it: who is granted that reads
 * the image off the others, whatever the attack. */
static void granted_noise_in_some_layers_is_passed_over(void **state) {
    (void)state;
    static const char *const attacks[][2] = {
        {"dlg-whitened", "{}"}, {"dlg", "{\"steps\": 60}"}, {"invert-gradients", "{\"steps\": 1000}"}};
    for (int k = 0; k < 3; k++) {
        attacked a;
        gnt_value value[5];
        open_client(&a, lenet_json, 1, 1);
        observe(&a, &a.seen, ROUNDS, a.x, a.y, 1, 0);
        drown(&a, ROUNDS, DENSE_LAYER, 2);
        a.seen.labels = a.y;
        const double without = recovered(&a, attacks[k][0], k ? attacks[k][1] : "{\"cost\": \"plain\"}");
        grant_gaussian(&a, 2);
        memcpy(value, a.value, sizeof a.value);
        value[4] = (gnt_value){.id = "layers", .type = GNT_TYPE_TEXT, .text = "fc"};
        a.seen.defense_values = value;
        a.seen.n_defense_values = 5;
        const double with = recovered(&a, attacks[k][0], attacks[k][1]);
        print_message("%s: without the grant %.1f dB, with it %.1f dB\n", attacks[k][0], without, with);
        assert_true(fact_of(&a, "tensors_with_noise") == 2);
        assert_true(with > 28 && with > without + 10);
        forget(&a);
    }
}

/* Four rounds of the same sample reveal more than one. */
static void earlier_rounds_join_in(void **state) {
    (void)state;
    attacked a;
    open_client(&a, lenet_json, 1, 1);
    observe(&a, &a.seen, ROUNDS, a.x, a.y, 1, 0);
    drown(&a, ROUNDS, -1, 0.01);
    a.seen.labels = a.y;
    const double alone = recovered(&a, "dlg-whitened", "{\"steps\": 600}");
    assert_true(fact_of(&a, "rounds") == 1);
    for (int k = 0; k < ROUNDS; k++) {
        observe(&a, &a.past[k], k, a.x, a.y, 1, 0);
        drown(&a, k, -1, 0.01);
        a.past_list[k] = &a.past[k];
    }
    a.seen.history = a.past_list;
    a.seen.n_history = ROUNDS;
    const double joint = recovered(&a, "dlg-whitened", "{\"steps\": 600}");
    print_message("alone %.1f dB, joint %.1f dB\n", alone, joint);
    assert_true(fact_of(&a, "rounds") == ROUNDS + 1);
    assert_true(joint > alone + 2);
    forget(&a);
}

/* Two steps on two samples are unrolled. */
static void local_steps_are_unrolled(void **state) {
    (void)state;
    static const float rates[2] = {0.02f, 0.02f};
    attacked a;
    open_client(&a, lenet_json, 4, 2);
    observe(&a, &a.seen, ROUNDS, a.x, a.y, 2, 0);
    const gnt_model_service *s = gnt_service_table(a.own);
    const gnt_views *u;
    gnt_function_spec spec = {
        .size = sizeof spec, .kind = GNT_FN_UPDATE, .n = 2, .training = -1, .steps = 2, .batch = 1};
    gnt_function_args args = {
        .size = sizeof args, .x = a.x, .y = a.y, .weights = a.weights, .buffers = a.buffers, .rates = rates};
    gnt_function *f = s->prepare(s->context, &spec);
    assert_int_equal(s->eval(s->context, f, &args, &u), GNT_OK);
    for (int64_t t = 0; t < u->n; t++)
        memcpy(a.entry[ROUNDS][t], u->view[t].data, (size_t)u->view[t].count * sizeof(float));
    s->release(s->context, f);
    a.seen.steps = 2;
    a.seen.batch = 1;
    a.seen.update_kind = GNT_UPDATE_DELTA;
    a.seen.labels = a.y;
    const double first = recovered(&a, "dlg-whitened", "{\"restarts\": 2}");
    print_message("%.1f dB\n", first);
    assert_true(a.count == 2 && first > 25);
    forget(&a);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(without_noise_it_is_dlg),
        cmocka_unit_test(a_drowned_layer_is_passed_over),
        cmocka_unit_test(noise_is_read_off_what_is_left),
        cmocka_unit_test(a_granted_defense_is_used),
        cmocka_unit_test(granted_noise_in_some_layers_is_passed_over),
        cmocka_unit_test(earlier_rounds_join_in),
        cmocka_unit_test(local_steps_are_unrolled),
    };
    return cmocka_run_group_tests(tests, open_glyphs, close_glyphs);
}
