/* invert-gradients with grants: priors of public images and of batch statistics, group consistency, earlier
 * rounds, and the choice by trial. Its likelihood has tests in test_likelihood.c; what it does without grants
 * is tested in test_plugin_attacks.c. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "../../plugins/attacks/gradient/prior/image_prior.c"
#include "../../plugins/attacks/gradient/cost/statistics.c"
#include <cmocka.h>

#include "../attacked.h"
#include "nn/model/train.h"

static const char norm_json[] =
    "{\"init\": \"kaiming\", \"layers\": [{\"type\": \"conv\", \"name\": \"c1\", \"out\": 6, \"kernel\": 3, "
    "\"stride\": 2, \"pad\": 1}, {\"type\": \"batch_norm\", \"name\": \"b1\"}, {\"type\": \"tanh\"},"
    "{\"type\": \"conv\", \"name\": \"c2\", \"out\": 6, \"kernel\": 3, \"stride\": 2, \"pad\": 1},"
    "{\"type\": \"batch_norm\", \"name\": \"b2\"}, {\"type\": \"relu\"}, {\"type\": \"flatten\"},"
    "{\"type\": \"dense\", \"name\": \"fc\", \"out\": \"classes\"}]}";

/* ---- the Gaussian of public images ---- */

static void *kept[16];
static int n_kept;

static void *scratch(void *context, size_t bytes) {
    (void)context;
    assert_true(n_kept < 16);
    return kept[n_kept++] = calloc(1, bytes);
}

static int32_t go_on(void *context) {
    (void)context;
    return 0;
}

static void free_kept(void) {
    while (n_kept)
        free(kept[--n_kept]);
}

/* x(w) has mean m, and the covariance (1 − ρ)·S + ρ·τ·1: its diagonal is (1 − ρ)·S_ii + ρ·τ, where S is that
 * of the images, so its trace is that of S for any ρ. */
static void the_gaussian_is_that_of_the_images(void **state) {
    (void)state;
    enum { N = 40, D = FEATURES };
    const gnt_host host = {.scratch = scratch, .should_stop = go_on};
    int64_t row[N];
    image_gaussian g;
    double trace = 0, own = 0;
    for (int k = 0; k < N; k++)
        row[k] = 3 * k;
    assert_int_equal(image_gaussian_fit(&g, &host, images, D, row, N), GNT_OK);
    for (int i = 0; i < D; i++) {
        double sum = 0, squares = 0;
        for (int k = 0; k < N; k++) {
            double v = (double)images[row[k] * D + i];
            sum += v;
            squares += v * v;
            own += (double)g.spread[k * D + i] * (double)g.spread[k * D + i];
        }
        assert_true(fabs((double)g.mean[i] - sum / N) < 1e-5);
        trace += squares / N - sum * sum / (N * N);
    }
    assert_true(g.own > 0 && own < trace);
    assert_true(fabs(own + D * (double)g.own * (double)g.own - trace) < 1e-3 * trace);
    free_kept();
}

/* Its derivative by w, where the image lies inside [0, 1]. */
static void the_gaussian_has_its_gradient(void **state) {
    (void)state;
    enum { N = 2, D = 3 };
    const float mean[D] = {0.5f, 0.4f, 0.6f}, spread[N * D] = {0.1f, -0.2f, 0.05f, 0.02f, 0.1f, -0.1f},
                c[D] = {1, -2, 3};
    const image_gaussian g = {N, D, mean, spread, 0.05f};
    float w[N + D] = {0.3f, -0.4f, 0.5f, 0.1f, -0.6f}, x[D], d_w[N + D];
    image_gaussian_image(&g, w, x);
    image_gaussian_vjp(&g, x, c, d_w);
    for (int k = 0; k < N + D; k++) {
        float was = w[k];
        double slope = 0;
        w[k] = was + 0.1f;
        image_gaussian_image(&g, w, x);
        for (int i = 0; i < D; i++)
            slope += (double)(c[i] * x[i]);
        w[k] = was - 0.1f;
        image_gaussian_image(&g, w, x);
        for (int i = 0; i < D; i++)
            slope -= (double)(c[i] * x[i]);
        w[k] = was;
        assert_true(fabs(slope / 0.2 - (double)d_w[k]) < 1e-4);
    }
    /* beyond the box only the way back counts */
    const float edge[D] = {0, 1, 0.5f}, out[D] = {1, -1, 1}, back[D] = {-1, 1, 1};
    image_gaussian_vjp(&g, edge, out, d_w);
    assert_true(d_w[N] == 0 && d_w[N + 1] == 0 && d_w[N + 2] != 0);
    image_gaussian_vjp(&g, edge, back, d_w);
    assert_true(d_w[N] != 0 && d_w[N + 1] != 0);
}

/* ---- batch statistics ---- */

static const char *no_error(void *context) {
    (void)context;
    return "";
}

static gnt_status fail_here(void *context, const char *text) {
    (void)context;
    print_message("%s\n", text);
    return GNT_FAILED;
}

/* m² + (s − 1)² of (y − β)/γ, by hand: two samples, one channel that counts, one whose γ is 0. */
static void the_statistics_cost_is_what_the_formula_says(void **state) {
    (void)state;
    const float y[4] = {3, 9, 7, -9}, scale[2] = {2, 0}, shift[2] = {1, 5};
    float d_y[4];
    /* ŷ = 1 and 3: mean 2, unbiased variance 2; one of two channels, one of three layers */
    assert_true(fabs(statistics_cost(y, 2, 2, 1, scale, shift, 3, d_y) - (4 + 1) / 6.0) < 1e-9);
    assert_true(d_y[1] == 0 && d_y[3] == 0);
    /* one value has a mean alone */
    assert_true(fabs(statistics_cost(y, 1, 1, 1, scale, shift, 1, d_y) - 1) < 1e-9);
}

/* At the batch whose statistics are the target the cost vanishes; elsewhere its gradient by x is that of
 * central differences. */
static void statistics_have_their_gradient(void **state) {
    (void)state;
    attacked a;
    statistics_function of = {0};
    statistics s;
    gnt_trainer *t;
    float stats[64];
    open_client(&a, norm_json, 30, 2);
    float *grad = gnt_array((size_t)gnt_model_size(a.model), sizeof *grad);
    assert_int_equal(gnt_trainer_new(&t, a.model, 2, 1, &a.err), 0);
    assert_int_equal(gnt_trainer_gradient(t, a.weights, a.buffers, a.x, a.y, grad, NULL, stats, &a.err), 0);
    gnt_trainer_free(t);
    gnt_free(grad);
    gnt_host host = {.size = sizeof host,
                     .scratch = scratch,
                     .fail = fail_here,
                     .last_error = no_error,
                     .model = gnt_service_table(a.own)};
    gnt_observation seen = {.size = sizeof seen, .n = 2, .weights = a.weights};
    assert_int_equal(statistics_layers(host.model->info), 2);
    assert_int_equal(statistics_open(&s, &of, &host, &seen, stats), GNT_OK);
    double cost, up, down;
    const float *d_x;
    assert_int_equal(statistics_eval(&s, a.x, &cost, &d_x), GNT_OK);
    print_message("cost at the batch itself %g\n", cost);
    assert_true(cost < 1e-4);
    for (int64_t i = 0; i < 2 * FEATURES; i++)
        a.x[i] = 0.7f * a.x[i] + 0.3f * (float)gnt_random_uniform(&a.noise);
    assert_int_equal(statistics_eval(&s, a.x, &cost, &d_x), GNT_OK);
    assert_true(cost > 1e-2);
    float *exact = gnt_array(2 * FEATURES, sizeof *exact),
          *direction = gnt_array(2 * FEATURES, sizeof *exact);
    memcpy(exact, d_x, 2 * FEATURES * sizeof *exact);
    for (int k = 0; k < 5; k++) {
        double along = 0, h = 1e-3;
        for (int64_t i = 0; i < 2 * FEATURES; i++) {
            direction[i] = (float)gnt_random_normal(&a.noise);
            along += (double)direction[i] * (double)exact[i];
            a.x[i] += (float)h * direction[i];
        }
        assert_int_equal(statistics_eval(&s, a.x, &up, &d_x), GNT_OK);
        for (int64_t i = 0; i < 2 * FEATURES; i++)
            a.x[i] -= (float)(2 * h) * direction[i];
        assert_int_equal(statistics_eval(&s, a.x, &down, &d_x), GNT_OK);
        for (int64_t i = 0; i < 2 * FEATURES; i++)
            a.x[i] += (float)h * direction[i];
        if (fabs((up - down) / (2 * h) - along) > 0.005 * (0.1 + fabs(along)))
            fail_msg("%g by differences, %g", (up - down) / (2 * h), along);
    }
    gnt_free(exact);
    gnt_free(direction);
    free_kept();
    forget(&a);
}

/* ---- whole attacks ---- */

/* Noise that hides the image from the cosine: the likelihood with images like it sees more. */
static void a_granted_defense_helps(void **state) {
    (void)state;
    double plain = 0, granted = 0;
    for (int64_t row = 0; row < 3; row++) {
        attacked a;
        open_client(&a, mlp_json, row, 1);
        observe(&a, &a.seen, ROUNDS, a.x, a.y, 1, 0.05);
        assert_int_equal(attack(&a, "{\"steps\": 200}"), GNT_OK);
        plain += psnr(&a) / 3;
        assert_true(isnan(fact_of(&a, "likelihood")));
        grant_gaussian(&a, 0.05);
        a.seen.public_data = &a.public_data;
        assert_int_equal(attack(&a, "{\"steps\": 200, \"prior\": \"gaussian\", \"prior_weight\": 1}"),
                         GNT_OK);
        granted += psnr(&a) / 3;
        assert_true(fact_of(&a, "likelihood") == 1 && fact_of(&a, "noise") == 0.05);
        forget(&a);
    }
    print_message("cosine %.2f dB, likelihood and Gaussian %.2f dB\n", plain, granted);
    assert_true(granted > plain + 2);
}

/* Nothing is chosen where nothing can be simulated, the same twice where it can, and run takes it. */
static void the_prior_is_chosen_by_trial(void **state) {
    (void)state;
    attacked a;
    open_client(&a, mlp_json, 7, 1);
    observe(&a, &a.seen, ROUNDS, a.x, a.y, 1, 0.1);
    float first[2] = {0};
    for (int which = 0; which < 5; which++) {
        if (which == 1)
            grant_gaussian(&a, 0.1);
        gnt_observation setting = a.seen;
        setting.update = NULL;
        gnt_attack_prepare in = {.size = sizeof in,
                                 .weights = a.weights,
                                 .attribute = -1,
                                 .public_data = which != 1 ? &a.public_data : NULL,
                                 .setting = &setting};
        gnt_sink sink = {.size = sizeof sink, .context = &a, .tensor = take_tensor};
        gnt_instance *instance =
            open_attack(&a, which < 4 ? "{\"steps\": 60}" : "{\"steps\": 60, \"aim\": \"identity\"}");
        a.n_left = 0;
        gnt_instance_enter(instance, "prepare");
        gnt_status status = gnt_instance_attack(instance)->prepare(gnt_instance_self(instance), &in, &sink);
        assert_int_equal(gnt_instance_leave(instance, status, &a.err), GNT_OK);
        gnt_instance_free(instance);
        assert_int_equal(a.n_left, which >= 2);
        if (which == 2)
            memcpy(first, a.left, sizeof first);
        if (which == 3)
            assert_memory_equal(first, a.left, sizeof first);
    }
    gnt_view view = {.name = "prior", .rank = 1, .dim = {2}, .count = 2, .data = first};
    gnt_artefacts own = {.size = sizeof own, .tensors = {1, &view}};
    a.seen.public_data = &a.public_data;
    assert_int_equal(attack_with(&a, "{\"steps\": 10}", &own), GNT_OK);
    assert_true(fact_of(&a, "prior_kind") == (double)first[0]);
    assert_true(fact_of(&a, "prior_weight") == (double)first[1]);
    forget(&a);
}

static void impossible_requests_are_refused(void **state) {
    (void)state;
    attacked a;
    open_client(&a, mlp_json, 8, 1);
    observe(&a, &a.seen, ROUNDS, a.x, a.y, 1, 0);
    assert_int_equal(attack(&a, "{\"cost\": \"likelihood\"}"), GNT_UNSUPPORTED);
    assert_non_null(strstr(a.err.text, "knows: defense"));
    assert_int_equal(attack(&a, "{\"prior\": \"gaussian\"}"), GNT_UNSUPPORTED);
    assert_non_null(strstr(a.err.text, "knows: public"));
    grant_gaussian(&a, 0.1);
    assert_int_equal(attack(&a, "{\"cost\": \"cosine\"}"), GNT_UNSUPPORTED);
    assert_non_null(strstr(a.err.text, "a defense that adds noise is granted"));
    forget(&a);
}

static void every_cost_finds_the_image(void **state) {
    (void)state;
    static const char *const cost[] = {"cosine", "l2", "l1", "scale_free"};
    for (int k = 0; k < 4; k++) {
        attacked a;
        char json[96];
        open_client(&a, mlp_json, 9, 1);
        observe(&a, &a.seen, ROUNDS, a.x, a.y, 1, 0);
        snprintf(json, sizeof json, "{\"steps\": 300, \"cost\": \"%s\", \"tv\": 0}", cost[k]);
        assert_int_equal(attack(&a, json), GNT_OK);
        print_message("%s: %.2f dB\n", cost[k], psnr(&a));
        assert_true(psnr(&a) > 20);
        forget(&a);
    }
}

/* Batch statistics of one image, granted, are matched; with a weight of 0 they are not looked at. */
static void granted_statistics_are_matched(void **state) {
    (void)state;
    double result[2];
    for (int which = 0; which < 2; which++) {
        attacked a;
        open_client(&a, norm_json, 11, 1);
        float stats[64];
        for (int64_t i = 0; i < gnt_model_buffer_size(a.model); i++)
            stats[i] = a.buffers[i] + 0.1f;
        observe(&a, &a.seen, ROUNDS, a.x, a.y, 1, 0);
        a.seen.batch_mean = stats;
        a.seen.granted = GNT_KNOWS_BN_STATS;
        assert_int_equal(attack(&a, which ? "{\"steps\": 20, \"bn\": 0}" : "{\"steps\": 20, \"bn\": 0.1}"),
                         GNT_OK);
        result[which] = a.chosen_cost;
        assert_true(which ? isnan(fact_of(&a, "bn")) : fact_of(&a, "bn") == 0.1);
        a.seen.batch_mean = NULL; /* running ones count only where a parameter says so */
        assert_int_equal(attack(&a, "{\"steps\": 2}"), GNT_OK);
        assert_true(isnan(fact_of(&a, "bn")));
        forget(&a);
    }
    assert_true(result[0] > result[1]);
}

static const char smooth_json[] =
    "{\"init\": \"kaiming\", \"layers\": [{\"type\": \"flatten\"},"
    "{\"type\": \"dense\", \"name\": \"fc1\", \"out\": 16}, {\"type\": \"sigmoid\"},"
    "{\"type\": \"dense\", \"name\": \"fc2\", \"out\": \"classes\"}]}";

/* Compares what a search of so many steps finds with what it finds with `signed` always, and with never. */
static void compare_signed(const char *model, int steps, int *as_always, int *as_never) {
    static const char *const choice[] = {"auto", "always", "never"};
    float found[3][FEATURES];
    for (int which = 0; which < 3; which++) {
        attacked a;
        char json[100];
        open_client(&a, model, 21, 1);
        observe(&a, &a.seen, ROUNDS, a.x, a.y, 1, 0);
        snprintf(json, sizeof json, "{\"steps\": %d, \"signed\": \"%s\"}", steps, choice[which]);
        assert_int_equal(attack(&a, json), GNT_OK);
        memcpy(found[which], a.found, sizeof found[which]);
        forget(&a);
    }
    *as_always = memcmp(found[0], found[1], sizeof found[0]) == 0;
    *as_never = memcmp(found[0], found[2], sizeof found[0]) == 0;
}

/* Long searches of a cost without kinks go by the gradient itself, all others by its signs. */
static void signs_are_left_where_the_cost_is_smooth(void **state) {
    (void)state;
    int always, never;
    compare_signed(smooth_json, 1000, &always, &never);
    assert_true(never && !always);
    compare_signed(smooth_json, 999, &always, &never);
    assert_true(always && !never);
    compare_signed(mlp_json, 1000, &always, &never);
    assert_true(always && !never);
}

/* Side by side the restarts take turns, and a strong pull leaves them closer in cost. */
static void restarts_are_drawn_together(void **state) {
    (void)state;
    double apart[2];
    for (int which = 0; which < 2; which++) {
        attacked a;
        open_client(&a, mlp_json, 12, 2);
        observe(&a, &a.seen, ROUNDS, a.x, a.y, 2, 0);
        assert_int_equal(
            attack(&a, which ? "{\"steps\": 60, \"restarts\": 3, \"signed\": \"never\", \"group\": 1e5}"
                             : "{\"steps\": 60, \"restarts\": 3, \"signed\": \"never\"}"),
            GNT_OK);
        assert_int_equal(a.n_costs, 180);
        assert_int_equal(a.restart[1], which ? 1 : 0);
        double last[3] = {0};
        for (int64_t k = 0; k < a.n_costs; k++)
            last[a.restart[k]] = a.cost[k];
        double mean = (last[0] + last[1] + last[2]) / 3;
        apart[which] = fabs(last[0] - mean) + fabs(last[1] - mean) + fabs(last[2] - mean);
        forget(&a);
    }
    print_message("costs %g apart alone, %g together\n", apart[0], apart[1]);
    assert_true(apart[1] < 0.5 * apart[0]);
}

/* Three rounds of the same image under noise reveal more than one; rounds of another are left out. */
static void earlier_rounds_are_matched_where_data_stay(void **state) {
    (void)state;
    double alone, same;
    attacked a;
    open_client(&a, mlp_json, 14, 1);
    observe(&a, &a.seen, ROUNDS, a.x, a.y, 1, 0.1);
    assert_int_equal(attack(&a, "{\"steps\": 400}"), GNT_OK);
    alone = psnr(&a);
    for (int k = 0; k < ROUNDS; k++) {
        observe(&a, &a.past[k], k, a.x, a.y, 1, 0.1);
        a.past_list[k] = &a.past[k];
    }
    a.seen.history = a.past_list;
    a.seen.n_history = ROUNDS;
    assert_int_equal(attack(&a, "{\"steps\": 400}"), GNT_OK);
    same = psnr(&a);
    print_message("one round %.2f dB, with three more %.2f dB\n", alone, same);
    assert_true(same > alone + 1 && a.warnings == 0 && fact_of(&a, "rounds") == ROUNDS + 1);
    assert_true(a.n_costs <= 400);
    forget(&a);
}

static void earlier_rounds_of_other_data_are_not_matched(void **state) {
    (void)state;
    for (int other_class = 0; other_class < 2; other_class++) {
        attacked a;
        int64_t row = 20;
        open_client(&a, mlp_json, 14, 1);
        while ((glyphs->label[row] != glyphs->label[14]) != other_class)
            row++;
        observe(&a, &a.seen, ROUNDS, a.x, a.y, 1, 0);
        observe(&a, &a.past[0], 0, images + row * FEATURES, labels + row * CLASSES, 1, 0);
        a.past_list[0] = &a.past[0];
        a.seen.history = a.past_list;
        a.seen.n_history = 1;
        assert_int_equal(attack(&a, "{\"steps\": 600}"), GNT_OK);
        print_message("%s: %.2f dB\n", other_class ? "another class" : "another image", psnr(&a));
        assert_int_equal(a.warnings, 1);
        assert_true(psnr(&a) > 20);
        forget(&a);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_gaussian_is_that_of_the_images),
        cmocka_unit_test(the_gaussian_has_its_gradient),
        cmocka_unit_test(the_statistics_cost_is_what_the_formula_says),
        cmocka_unit_test(statistics_have_their_gradient),
        cmocka_unit_test(a_granted_defense_helps),
        cmocka_unit_test(the_prior_is_chosen_by_trial),
        cmocka_unit_test(impossible_requests_are_refused),
        cmocka_unit_test(every_cost_finds_the_image),
        cmocka_unit_test(granted_statistics_are_matched),
        cmocka_unit_test(restarts_are_drawn_together),
        cmocka_unit_test(signs_are_left_where_the_cost_is_smooth),
        cmocka_unit_test(earlier_rounds_are_matched_where_data_stay),
        cmocka_unit_test(earlier_rounds_of_other_data_are_not_matched),
    };
    return cmocka_run_group_tests(tests, open_glyphs, close_glyphs);
}
