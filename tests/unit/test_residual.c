/* What an update that was pruned or clipped says to dlg and idlg: the truth costs nothing, and what lies
 * beyond a bound costs what it exceeds it by. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include "../../plugins/attacks/gradient/defense/granted_defense.c"
#include "../../plugins/shared/choose/choose_layers.c"
#include "../../plugins/attacks/gradient/defense/covered.c"
#include "../../plugins/attacks/gradient/defense/noise_law.c"
#include "../../plugins/attacks/gradient/defense/outliers.c"
#include "../../plugins/attacks/gradient/defense/perturbed.c"
#include "../../plugins/attacks/gradient/cost/residual.c"
#include "../../plugins/attacks/gradient/defense/seen_clip.c"
#include "../../plugins/attacks/gradient/defense/survivors.c"
#include "../../plugins/attacks/gradient/defense/zeroed_columns.c"
#include <cmocka.h>

enum { ENTRIES = 4, TENSORS = 2 };

typedef struct trial {
    float seen[TENSORS][ENTRIES], candidate[TENSORS][ENTRIES];
    gnt_view seen_view[TENSORS], candidate_view[TENSORS];
    gnt_views seen_all, candidate_all;
    gnt_model_info info;
    gnt_model_service model;
    gnt_host host;
    gnt_observation observation;
    residual r;
    void *kept[8];
    int n_kept;
} trial;

static void *scratch(void *context, size_t bytes) {
    trial *t = context;
    assert_true(t->n_kept < 8);
    return t->kept[t->n_kept++] = calloc(1, bytes);
}

static void keep_fact(void *context, const char *name, double value) {
    (void)context, (void)name, (void)value;
}

static gnt_status keep_sentence(void *context, const char *text) {
    (void)context, (void)text;
    return GNT_FAILED;
}

static void start(trial *t) {
    *t = (trial){.info = {.size = sizeof t->info}, .model = {.size = sizeof t->model}};
    for (int k = 0; k < TENSORS; k++) {
        t->seen_view[k] = (gnt_view){.rank = 1, .dim = {ENTRIES}, .count = ENTRIES, .data = t->seen[k]};
        t->candidate_view[k] = t->seen_view[k];
        t->candidate_view[k].data = t->candidate[k];
    }
    t->seen_all = (gnt_views){TENSORS, t->seen_view};
    t->candidate_all = (gnt_views){TENSORS, t->candidate_view};
    t->info.params = t->seen_all;
    t->model.info = &t->info;
    t->host = (gnt_host){.size = sizeof t->host,
                         .context = t,
                         .scratch = scratch,
                         .fact = keep_fact,
                         .fail = keep_sentence,
                         .model = &t->model};
    t->observation = (gnt_observation){.size = sizeof t->observation, .update = &t->seen_all};
}

static void finish(trial *t) {
    for (int i = 0; i < t->n_kept; i++)
        free(t->kept[i]);
}

static void see(trial *t, const float *a, const float *b) {
    memcpy(t->seen[0], a, sizeof t->seen[0]);
    memcpy(t->seen[1], b, sizeof t->seen[1]);
}

static void give(trial *t, const float *a, const float *b) {
    memcpy(t->candidate[0], a, sizeof t->candidate[0]);
    memcpy(t->candidate[1], b, sizeof t->candidate[1]);
}

/* The gradient is (3, −0.5, 2, 0.1 | 1, −4, 0.2, 0); the entries of least magnitude are pruned. */
static void the_truth_costs_nothing(void **state) {
    (void)state;
    static const float a[] = {3, -0.5f, 2, 0.1f}, b[] = {1, -4, 0.2f, 0};
    trial t;
    start(&t);
    see(&t, (float[]){3, 0, 2, 0}, (float[]){1, -4, 0, 0});
    give(&t, a, b);
    for (int want = SURVIVORS_AUTO; want <= SURVIVORS_ALWAYS; want++) {
        assert_int_equal(residual_open(&t.r, &t.host, &t.observation, want, OUTLIERS_KEEP), GNT_OK);
        double cost = residual_squares(&t.r, &t.candidate_all);
        /* matched as zeros they cost their squares: 0.25 + 0.01 + 0.04 */
        assert_float_equal(cost, want == SURVIVORS_NEVER ? 0.3 : 0, 1e-7);
        for (int k = 0; want != SURVIVORS_NEVER && k < TENSORS; k++)
            for (int i = 0; i < ENTRIES; i++)
                assert_true(t.r.cotangent[k][i] == 0);
        finish(&t);
        t.n_kept = 0;
    }
}

/* The bound is the least survivor of each tensor, or of all where they are known to be pruned together. */
static void beyond_its_bound_a_zero_costs_the_excess(void **state) {
    (void)state;
    static const gnt_value values[] = {{.id = "p", .type = GNT_TYPE_REAL, .r = 0.5},
                                       {.id = "scope", .type = GNT_TYPE_CHOICE, .text = "update"}};
    trial t;
    start(&t);
    see(&t, (float[]){3, 0, 2, 0}, (float[]){1, -4, 0, 0});
    give(&t, (float[]){3, -2.5f, 2, 1.75f}, (float[]){1, -4, 1.5f, -0.75f});
    assert_int_equal(residual_open(&t.r, &t.host, &t.observation, SURVIVORS_AUTO, OUTLIERS_KEEP), GNT_OK);
    assert_float_equal(residual_squares(&t.r, &t.candidate_all), 0.25 + 0.25, 1e-7);
    assert_float_equal(t.r.cotangent[0][1], 2 * -0.5, 1e-7);
    assert_float_equal(t.r.cotangent[1][2], 2 * 0.5, 1e-7);
    assert_true(t.r.cotangent[0][3] == 0 && t.r.cotangent[1][3] == 0);
    finish(&t);
    t.n_kept = 0;
    t.observation.defense = "prune";
    t.observation.defense_values = values;
    t.observation.n_defense_values = 2;
    assert_int_equal(residual_open(&t.r, &t.host, &t.observation, SURVIVORS_AUTO, OUTLIERS_KEEP), GNT_OK);
    assert_float_equal(residual_squares(&t.r, &t.candidate_all), 2.25 + 0.5625 + 0.25, 1e-7);
    finish(&t);
}

/* A dead unit leaves zeros in an update that nobody pruned, whose least entry is next to nothing: they are
 * matched. */
static void zeros_of_dead_units_are_matched(void **state) {
    (void)state;
    trial t;
    start(&t);
    see(&t, (float[]){0, 0, 0, 0}, (float[]){1, -4, 1e-6f, 0.5f});
    give(&t, (float[]){0.5f, 0, 0, 0}, (float[]){1, -4, 1e-6f, 0.5f});
    assert_int_equal(residual_open(&t.r, &t.host, &t.observation, SURVIVORS_AUTO, OUTLIERS_KEEP), GNT_OK);
    assert_float_equal(residual_squares(&t.r, &t.candidate_all), 0.25, 1e-5);
    finish(&t);
}

/* Columns of the last layer that a defense zeroed are free where `auto` sees it, and cost what they are where
 * zeros are matched. */
static void zeroed_columns_cost_nothing(void **state) {
    (void)state;
    static const gnt_layer_info layers[] = {{.name = "a", .type = "conv", .dim = {9}},
                                            {.name = "b", .type = "sigmoid"},
                                            {.name = "c", .type = "dense", .dim = {2}}};
    trial t;
    start(&t);
    t.info.layer = layers;
    t.info.n_layers = 3;
    t.seen_view[1] = (gnt_view){.layer = 2, .rank = 2, .dim = {2, 2}, .count = 4, .data = t.seen[1]};
    see(&t, (float[]){3, 1, 2, 1}, (float[]){1, 0, -4, 0});
    give(&t, (float[]){3, 1, 2, 1}, (float[]){1, 5, -4, -7});
    for (int want = SURVIVORS_AUTO; want <= SURVIVORS_NEVER; want++) {
        assert_int_equal(residual_open(&t.r, &t.host, &t.observation, want, OUTLIERS_KEEP), GNT_OK);
        t.r.shrink = 0.1;
        assert_float_equal(residual_squares(&t.r, &t.candidate_all), want == SURVIVORS_NEVER ? 74 : 0, 1e-5);
        assert_float_equal(t.r.cotangent[1][1], want == SURVIVORS_NEVER ? 10 : 0, 1e-5);
        finish(&t);
        t.n_kept = 0;
    }
}

/* Against differences of the cost: with bounds, the weight of what lies within them, and each kind of
 * clip. */
static void the_cotangent_is_the_derivative(void **state) {
    (void)state;
    trial t;
    start(&t);
    see(&t, (float[]){3, 0, 2, 0}, (float[]){1, -4, 0, 0});
    for (int which = 0; which < 5; which++) {
        give(&t, (float[]){2.5f, -2.5f, 1.5f, 0.75f}, (float[]){1.25f, -3, 1.5f, -0.5f});
        assert_int_equal(residual_open(&t.r, &t.host, &t.observation, SURVIVORS_AUTO, OUTLIERS_KEEP), GNT_OK);
        t.r.shrink = 0.1;
        if (which > 0)
            t.r.clip.law = (noise_law){.clip = 2.5,
                                       .clip_mode = which % 2 ? NOISE_CLIP_PER_TENSOR : NOISE_CLIP_GLOBAL,
                                       .l1 = which > 2};
        residual_squares(&t.r, &t.candidate_all);
        float kept[TENSORS][ENTRIES];
        for (int k = 0; k < TENSORS; k++)
            memcpy(kept[k], t.r.cotangent[k], sizeof kept[k]);
        for (int k = 0; k < TENSORS; k++)
            for (int i = 0; i < ENTRIES; i++) {
                const float at = t.candidate[k][i], step = 0x1p-8f;
                t.candidate[k][i] = at + step;
                double up = residual_squares(&t.r, &t.candidate_all);
                t.candidate[k][i] = at - step;
                double down = residual_squares(&t.r, &t.candidate_all);
                t.candidate[k][i] = at;
                assert_float_equal(kept[k][i], (up - down) / (2 * (double)step), 2e-3);
            }
        finish(&t);
        t.n_kept = 0;
    }
}

/* The clipped gradient itself is an exact match of a candidate whose gradient is longer. */
static void a_known_clip_is_made_on_the_candidate_too(void **state) {
    (void)state;
    static const gnt_value values[] = {{.id = "sigma", .type = GNT_TYPE_REAL, .r = 0.01},
                                       {.id = "clip", .type = GNT_TYPE_REAL, .r = 2.5},
                                       {.id = "clip_mode", .type = GNT_TYPE_CHOICE, .text = "global"}};
    trial t;
    start(&t);
    see(&t, (float[]){1.5f, 0, 0, 0}, (float[]){0, 2, 0, 0});
    give(&t, (float[]){3, 0, 0, 0}, (float[]){0, 4, 0, 0});
    t.observation.defense = "dp-gaussian";
    t.observation.defense_values = values;
    t.observation.n_defense_values = 3;
    assert_int_equal(residual_open(&t.r, &t.host, &t.observation, SURVIVORS_NEVER, OUTLIERS_KEEP), GNT_OK);
    assert_float_equal(noise_deviation(&t.r.clip.law), 0.01, 1e-12);
    assert_float_equal(residual_squares(&t.r, &t.candidate_all), 0, 1e-12);
    finish(&t);
    t.n_kept = 0;
    t.observation.defense = NULL; /* not granted */
    assert_int_equal(residual_open(&t.r, &t.host, &t.observation, SURVIVORS_NEVER, OUTLIERS_KEEP), GNT_OK);
    assert_float_equal(residual_squares(&t.r, &t.candidate_all), 6.25, 1e-6);
    finish(&t);
}

/* A clip without noise: the gradient behind it is an exact match of a candidate of any length where it
 * shortened it, and where it did not, of the one that it is. */
static void a_clip_alone_compares_directions_where_it_bound(void **state) {
    (void)state;
    static gnt_value values[] = {{.id = "bound", .type = GNT_TYPE_REAL, .r = 2.5},
                                 {.id = "clip_mode", .type = GNT_TYPE_CHOICE, .text = "global"}};
    static const struct {
        double bound;
        const char *mode;
        double squares;
    } cases[] = {{2.5, "global", 0},         /* of (1.5, 0 … 2, 0 …) */
                 {2.6, "global", 6.25},      /* nothing was shortened: (3, 0 … 4, 0 …) is twice it */
                 {2, "per_tensor", 2.25},    /* of the second tensor alone */
                 {1.5, "per_tensor", 0.25}}; /* of the first; the second is longer than the bound */
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        trial t;
        start(&t);
        see(&t, (float[]){1.5f, 0, 0, 0}, (float[]){0, 2, 0, 0});
        give(&t, (float[]){3, 0, 0, 0}, (float[]){0, 4, 0, 0});
        values[0].r = cases[i].bound;
        values[1].text = cases[i].mode;
        t.observation.defense = "clip";
        t.observation.defense_values = values;
        t.observation.n_defense_values = 2;
        assert_int_equal(residual_open(&t.r, &t.host, &t.observation, SURVIVORS_NEVER, OUTLIERS_KEEP),
                         GNT_OK);
        assert_true(noise_deviation(&t.r.clip.law) == 0);
        assert_float_equal(residual_squares(&t.r, &t.candidate_all), cases[i].squares, 1e-9);
        finish(&t);
    }
}

/* Behind pruning the clip bounds the norm of what pruning left: the candidate is not shortened by it. */
static void a_clip_behind_pruning_is_not_the_candidate_s(void **state) {
    (void)state;
    static const gnt_value values[] = {{.id = "p", .type = GNT_TYPE_REAL, .r = 0.5},
                                       {.id = "scope", .type = GNT_TYPE_CHOICE, .text = "update"},
                                       {.id = "sigma", .type = GNT_TYPE_REAL, .r = 0.01},
                                       {.id = "clip", .type = GNT_TYPE_REAL, .r = 2.5},
                                       {.id = "clip_mode", .type = GNT_TYPE_CHOICE, .text = "global"}};
    trial t;
    start(&t);
    see(&t, (float[]){1.5f, 0, 0, 0}, (float[]){0, 2, 0, 0});
    give(&t, (float[]){3, 0, 0, 0}, (float[]){0, 4, 0, 0});
    t.observation.defense = "prune+dp-gaussian";
    t.observation.defense_values = values;
    t.observation.n_defense_values = 5;
    assert_int_equal(residual_open(&t.r, &t.host, &t.observation, SURVIVORS_AUTO, OUTLIERS_KEEP), GNT_OK);
    assert_float_equal(residual_squares(&t.r, &t.candidate_all), 6.25, 1e-6);
    /* an attack that knows of zeros uses it */
    assert_int_equal(residual_open(&t.r, &t.host, &t.observation, SURVIVORS_NEVER, OUTLIERS_KEEP),
                     GNT_UNSUPPORTED);
    finish(&t);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_truth_costs_nothing),
        cmocka_unit_test(beyond_its_bound_a_zero_costs_the_excess),
        cmocka_unit_test(zeros_of_dead_units_are_matched),
        cmocka_unit_test(zeroed_columns_cost_nothing),
        cmocka_unit_test(the_cotangent_is_the_derivative),
        cmocka_unit_test(a_known_clip_is_made_on_the_candidate_too),
        cmocka_unit_test(a_clip_alone_compares_directions_where_it_bound),
        cmocka_unit_test(a_clip_behind_pruning_is_not_the_candidate_s),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
