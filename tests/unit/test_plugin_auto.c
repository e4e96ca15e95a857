/* auto: which member answers, that the answer is the member's, and that no truth is needed to know it. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "../attacked.h"

static const char smooth_json[] =
    "{\"init\": \"kaiming\", \"layers\": [{\"type\": \"conv\", \"name\": \"c\", \"out\": 4, \"kernel\": 5},"
    "{\"type\": \"sigmoid\"}, {\"type\": \"flatten\"},"
    "{\"type\": \"dense\", \"name\": \"fc\", \"out\": \"classes\"}]}";

/* Zeroes the entries below a magnitude. */
static void prune_round(attacked *a, float least) {
    const gnt_views *u = a->seen.update;
    for (int64_t t = 0; t < u->n; t++)
        for (int64_t i = 0; i < u->view[t].count; i++)
            if (fabsf(a->entry[ROUNDS][t][i]) < least)
                a->entry[ROUNDS][t][i] = 0;
}

static void open_seen(attacked *a, const char *json, int64_t row, int64_t n, double sigma) {
    open_client(a, json, row, n);
    a->id = "auto";
    observe(a, &a->seen, ROUNDS, a->x, a->y, n, sigma);
    a->seen.goals |= GNT_GOAL_LABEL;
}

/* The first layer gives the samples exactly: no search runs, and labels are found by the cost. */
static void what_is_exact_ends_it(void **state) {
    (void)state;
    for (int64_t n = 1; n <= 2; n++) {
        attacked a;
        open_seen(&a, mlp_json, 11, n, 0);
        assert_int_equal(attack(&a, NULL), GNT_OK);
        assert_true(psnr(&a) > 50 || n > 1);
        assert_true(fact_of(&a, "by_linear_layer") == 1);
        assert_true(fact_of(&a, "unexplained") < 1e-9);
        assert_true(isnan(fact_of(&a, "outer_steps")) && isnan(fact_of(&a, "zeros_masked")));
        assert_int_equal(a.ending.reason, GNT_ENDED_TOLERANCE);
        for (int64_t c = 0; n == 1 && c < CLASSES; c++)
            assert_true(a.scores[c] == a.y[c]);
        forget(&a);
    }
}

/* A convolution comes first: only the searches apply, and the better one answers, as good as if alone. */
static void a_search_answers_where_nothing_is_exact(void **state) {
    (void)state;
    attacked a;
    open_seen(&a, smooth_json, 21, 1, 0);
    a.seen.budget = 200;
    assert_int_equal(attack(&a, NULL), GNT_OK);
    const double all = psnr(&a), unexplained = fact_of(&a, "unexplained");
    assert_true(isnan(fact_of(&a, "delta_norm")) && fact_of(&a, "by_linear_layer") == 0);
    a.id = "idlg";
    a.seen.budget = 20;
    assert_int_equal(attack(&a, NULL), GNT_OK);
    print_message("auto %.1f dB, idlg %.1f dB, unexplained %.2g\n", all, psnr(&a), unexplained);
    assert_true(all > psnr(&a) - 1 && all > 15);
    assert_true(unexplained < 0.01);
    forget(&a);
}

/* More than one result explains a pruned update: the first one, which reads it exactly, stays. */
static void a_result_that_is_not_clearly_better_does_not_replace_one(void **state) {
    (void)state;
    static const gnt_value values[] = {{.id = "p", .r = 0.98}, {.id = "scope", .text = "update"}};
    attacked a;
    open_seen(&a, mlp_json, 31, 1, 0);
    prune_round(&a, 0.1f);
    a.seen.granted = GNT_KNOWS_DEFENSE | GNT_KNOWS_PUBLIC;
    a.seen.defense = "prune";
    a.seen.defense_values = values;
    a.seen.n_defense_values = 2;
    a.seen.public_data = &a.public_data;
    a.seen.budget = 50;
    assert_int_equal(attack(&a, NULL), GNT_OK);
    const double all = psnr(&a);
    assert_true(fact_of(&a, "by_linear_layer") == 1);
    a.id = "linear-layer";
    assert_int_equal(attack(&a, NULL), GNT_OK);
    assert_float_equal(all, psnr(&a), 1e-9);
    forget(&a);
}

/* Noise of a known law: the cost is its likelihood, of which the truth would have half an entry each. */
static void known_noise_is_the_cost(void **state) {
    (void)state;
    attacked a;
    const double sigma = 0.01;
    open_seen(&a, mlp_json, 41, 1, sigma);
    grant_gaussian(&a, sigma);
    a.seen.budget = 60;
    assert_int_equal(attack(&a, NULL), GNT_OK);
    double entries = 0;
    for (int64_t t = 0; t < a.seen.update->n; t++)
        entries += (double)a.seen.update->view[t].count;
    print_message("%.1f dB, cost of an entry %.3f\n", psnr(&a), fact_of(&a, "unexplained") / entries);
    assert_true(fact_of(&a, "unexplained") > 0.45 * entries && fact_of(&a, "unexplained") < 0.55 * entries);
    assert_true(psnr(&a) > 10);
    forget(&a);
}

/* A factor that nobody granted is left out of the comparison; a granted clip is part of it. */
static void factors_are_granted_or_left_out(void **state) {
    (void)state;
    attacked a;
    open_seen(&a, mlp_json, 51, 1, 0);
    for (int64_t t = 0; t < a.seen.update->n; t++)
        for (int64_t i = 0; i < a.seen.update->view[t].count; i++)
            a.entry[ROUNDS][t][i] *= 0.01f;
    assert_int_equal(attack(&a, NULL), GNT_OK);
    assert_true(psnr(&a) > 50 && fact_of(&a, "unexplained") < 1e-9);
    a.value[0] = (gnt_value){.id = "bound", .type = GNT_TYPE_REAL, .r = 1e6};
    a.value[1] = (gnt_value){.id = "clip_mode", .type = GNT_TYPE_CHOICE, .text = "global"};
    a.seen.defense = "clip";
    a.seen.defense_values = a.value;
    a.seen.n_defense_values = 2;
    a.seen.granted |= GNT_KNOWS_DEFENSE;
    a.seen.budget = 10;
    assert_int_equal(attack(&a, NULL), GNT_OK);
    assert_true(fact_of(&a, "unexplained") > 1); /* such a clip does not shorten: 99 times too long */
    forget(&a);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_exact_ends_it),
        cmocka_unit_test(a_search_answers_where_nothing_is_exact),
        cmocka_unit_test(a_result_that_is_not_clearly_better_does_not_replace_one),
        cmocka_unit_test(known_noise_is_the_cost),
        cmocka_unit_test(factors_are_granted_or_left_out),
    };
    return cmocka_run_group_tests(tests, open_glyphs, close_glyphs);
}
