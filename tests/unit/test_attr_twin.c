/* attr-nn as the paper trains it (RecUP-FL, section 5.4) compared with the same attack in PyTorch, on
 * undefended updates of model recup_adult: tests/golden/attr_nn.py made the numbers, from many
 * initialisations. Accuracy and cross entropy on fresh updates, and cross entropy on those it learnt from,
 * must lie within what initialisations of PyTorch's leave open; and the interval must be narrow enough to
 * refuse other rates. The two draw from different streams, so no number is the same. After 3 epochs the rows'
 * order shows, after 80 how good the attack is. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "formula.h"
#include "metric/stats.h"
#include "nn/io/safetensors.h"
#include "nn/model/recipe.h"
#include "try_plugin.h"

/* As in attr_nn.py. */
enum { SHADOW = 320, FRESH = 400, FEATURES = 103, SHIFTED = 20, SIZE = 5251, COLUMNS = 1313 };
static const double shift = 0.125;

enum { ACCURACY, FRESH_LOSS, LEARNT_LOSS, MEASURES, MOST_SEEDS = 20 };
static const char *const measure_name[MEASURES] = {"accuracy", "cross entropy on fresh updates",
                                                   "cross entropy on the updates that it learnt from"};

/* Updates with the attribute behind each. */
typedef struct world {
    int64_t n;
    float data[FRESH][SIZE];
    int32_t a[FRESH];
    int64_t id[FRESH];
    gnt_view view[FRESH];
    gnt_views update[FRESH];
    gnt_observation seen[FRESH];
    gnt_samples truth[FRESH];
    const gnt_observation *seen_list[FRESH];
    const gnt_samples *truth_list[FRESH];
} world;

static world shadow, fresh;
static gnt_st golden;
static const char golden_path[] = "tests/golden/attr_nn.safetensors";

/* ---- updates ---- */

static void tie(world *w, int64_t i) {
    w->id[i] = i;
    w->view[i] = (gnt_view){.name = "all", .rank = 1, .dim = {SIZE}, .count = SIZE, .data = w->data[i]};
    w->update[i] = (gnt_views){1, &w->view[i]};
    w->seen[i] = (gnt_observation){.size = sizeof(gnt_observation),
                                   .surface = GNT_SURFACE_UPDATE,
                                   .attribute_values = 2,
                                   .n = 1,
                                   .update = &w->update[i]};
    w->truth[i] =
        (gnt_samples){.size = sizeof(gnt_samples), .n = 1, .id = &w->id[i], .n_attributes = 1, .a = &w->a[i]};
    w->seen_list[i] = &w->seen[i];
    w->truth_list[i] = &w->truth[i];
}

static void compute(world *w, int64_t n, uint64_t stream, const gnt_param *list, gnt_recipe *r) {
    float *x = r->x, *y = r->y;
    w->n = n;
    for (int64_t i = 0; i < n; i++) {
        w->a[i] = (int32_t)(formula_bits(stream + 1, (uint64_t)i) & 1);
        y[0] = (float)(~formula_bits(stream + 2, (uint64_t)i) & 1);
        y[1] = 1 - y[0];
        for (int64_t k = 0; k < FEATURES; k++)
            x[k] = (float)(formula_unit(stream, (uint64_t)(i * FEATURES + k)) / 2 + 0.5 +
                           (k < SHIFTED ? shift * (2 * w->a[i] - 1) : 0));
        gnt_recipe_run(r);
        for (int32_t k = 0; k < r->n_params; k++)
            memcpy(w->data[i] + list[k].offset, gnt_program_output(r->program, r->first + k),
                   (size_t)gnt_nn_count(&list[k].shape) * sizeof *x);
        tie(w, i);
    }
}

static int open_worlds(void **state) {
    (void)state;
    const gnt_nn_shape sample = {1, {FEATURES}};
    const gnt_param *list;
    gnt_model *m = NULL;
    gnt_recipe *r = NULL;
    gnt_err err = {0};
    if (gnt_st_load(&golden, golden_path, &err) ||
        gnt_model_load(&m, "models/recup_adult.json", &sample, 2, NULL, NULL, &err) ||
        gnt_recipe_new(&r, m, GNT_RECIPE_GRADIENT, 1, 4, &err))
        fail_msg("%s", err.text);
    assert_int_equal(gnt_model_size(m), SIZE);
    gnt_model_params(m, &list);
    for (int32_t k = 0; k < r->n_params; k++) {
        const gnt_nn_shape *s = &list[k].shape;
        const double scale = s->rank > 1 ? formula_bound((double)s->dim[1]) : 0x1p-4;
        for (int64_t i = 0; i < gnt_nn_count(s); i++)
            ((float *)r->params)[list[k].offset + i] =
                (float)(scale * formula_unit((uint64_t)(FORMULA_WEIGHTS + k), (uint64_t)i));
    }
    compute(&shadow, SHADOW, 300, list, r);
    compute(&fresh, FRESH, 310, list, r);
    gnt_recipe_free(r);
    gnt_model_free(m);
    return 0;
}

static int close_worlds(void **state) {
    (void)state;
    gnt_st_free(&golden);
    return 0;
}

/* ---- attr-nn ---- */

static gnt_status take_scores(void *context, int32_t values, const float *scores) {
    memcpy(context, scores, (size_t)values * sizeof *scores);
    return GNT_OK;
}

/* Accuracy, and mean cross entropy. */
static void judge(tried *t, const kept *own, const world *w, double *accuracy, double *loss) {
    gnt_err err = {0};
    *accuracy = *loss = 0;
    for (int64_t i = 0; i < w->n; i++) {
        float z[2];
        gnt_answer answer = {.size = sizeof answer, .context = z, .attribute = take_scores};
        gnt_instance_enter(t->instance, "run");
        gnt_status s = gnt_instance_attack(t->instance)
                           ->run(gnt_instance_self(t->instance), &w->seen[i], &own->artefacts, &answer);
        if (gnt_instance_leave(t->instance, s, &err) != GNT_OK)
            fail_msg("%s", err.text);
        const double wrong = (double)z[1 - w->a[i]] - (double)z[w->a[i]];
        *accuracy += (wrong < 0) / (double)w->n;
        *loss += (wrong > 0 ? wrong + log1p(exp(-wrong)) : log1p(exp(wrong))) / (double)w->n;
    }
}

static void learn(tried *t, kept *own, int epochs, double rate, uint64_t seed) {
    char path[4096], json[200];
    gnt_err err = {0};
    const gnt_attack_prepare in = {.size = sizeof in,
                                   .n_shadow = SHADOW,
                                   .shadow = shadow.seen_list,
                                   .shadow_truth = shadow.truth_list,
                                   .attribute_values = 2};
    snprintf(json, sizeof json,
             "{\"rate\": %g, \"epochs\": %d, \"momentum\": 0, \"validation\": 0, \"window\": 4}", rate,
             epochs);
    if (try_open(t, built("plugins/attacks/attribute.so", path), GNT_PLUGIN_ATTACK, "attr-nn", json, seed,
                 &err) != 0 ||
        try_prepare(t, &in, own, &err) != GNT_OK)
        fail_msg("%s", err.text);
}

static void measure(int epochs, double rate, int seeds, double got[MEASURES][MOST_SEEDS]) {
    for (int i = 0; i < seeds; i++) {
        tried t;
        kept own;
        double unused;
        learn(&t, &own, epochs, rate, (uint64_t)i + 1);
        assert_true(try_fact(&t, "rate") == rate); /* it did not diverge and start again with less */
        judge(&t, &own, &fresh, &got[ACCURACY][i], &got[FRESH_LOSS][i]);
        judge(&t, &own, &shadow, &unused, &got[LEARNT_LOSS][i]);
        try_drop(&own);
        try_close(&t);
    }
}

/* ---- compared with PyTorch ---- */

static void moments(const double *x, int64_t step, int64_t n, double *mean, double *squares) {
    *mean = *squares = 0;
    for (int64_t i = 0; i < n; i++)
        *mean += x[i * step] / (double)n;
    for (int64_t i = 0; i < n; i++)
        *squares += (x[i * step] - *mean) * (x[i * step] - *mean);
}

/* How far the means of PyTorch's seeds and of these lie apart, over half the width of Student's interval of
 * that distance (pooled deviation) at `level`. */
static double apart(int epochs, int measure_id, const double *got, int seeds, double level) {
    char name[40];
    gnt_err err = {0};
    snprintf(name, sizeof name, "epochs.%d", epochs);
    const gnt_st_tensor *t = gnt_st_need(&golden, golden_path, name, GNT_ST_F64, -1, NULL, &err);
    if (!t)
        fail_msg("%s", err.text);
    const int64_t n = t->dim[0];
    double mean, squares, own, own_squares;
    assert_true(n >= 5 && t->rank == 2 && t->dim[1] == MEASURES);
    moments((const double *)t->data + measure_id, MEASURES, n, &mean, &squares);
    moments(got, 1, seeds, &own, &own_squares);
    const double freedom = (double)(n + seeds - 2);
    const double deviation = sqrt((squares + own_squares) / freedom * (1 / (double)n + 1 / (double)seeds));
    const double x = (own - mean) / (gnt_metric_student_quantile((1 + level) / 2, freedom) * deviation);
    print_message("%d epochs, %s: %.5f, PyTorch %.5f: %.2f of the interval\n", epochs,
                  measure_name[measure_id], own, mean, x);
    return fabs(x);
}

static void reads_what_pytorch_reads(void **state) {
    (void)state;
    tried t;
    gnt_err err = {0};
    kept own;
    learn(&t, &own, 1, 0.01, 1);
    for (int k = 0; k < 2; k++) {
        const gnt_st_tensor *of = gnt_st_need(&golden, golden_path, k ? "scale" : "mean", GNT_ST_F64, 1,
                                              (int64_t[]){COLUMNS}, &err);
        assert_non_null(of);
        assert_string_equal(own.view[k].name, of->name);
        assert_int_equal(own.view[k].count, COLUMNS);
        for (int64_t j = 0; j < COLUMNS; j++) {
            const double want = ((const double *)of->data)[j], got = (double)own.view[k].data[j];
            if (!(fabs(got - want) <= 1e-4 * fabs(want) + (k ? 0 : 1e-9)))
                fail_msg("%s of column %lld: %.9g, PyTorch %.9g", of->name, (long long)j, got, want);
        }
    }
    try_drop(&own);
    try_close(&t);
}

/* Six comparisons: three numbers after 80 epochs, three after 3. Together they lie within with 95 %. */
#define LEVEL (1 - 0.05 / 6)

static void does_as_well_as_pytorch(void **state) {
    (void)state;
    double got[MEASURES][MOST_SEEDS];
    enum { SEEDS = 5 };
    measure(80, 0.01, SEEDS, got);
    assert_true(apart(80, ACCURACY, got[ACCURACY], SEEDS, 0.95) <= 1);
    for (int k = 0; k < MEASURES; k++)
        assert_true(apart(80, k, got[k], SEEDS, LEVEL) <= 1);
}

static void comes_there_the_same_way(void **state) {
    (void)state;
    double got[MEASURES][MOST_SEEDS];
    enum { SEEDS = 10 };
    measure(3, 0.01, SEEDS, got);
    for (int k = 0; k < MEASURES; k++)
        assert_true(apart(3, k, got[k], SEEDS, LEVEL) <= 1);
}

/* Twice and half the rate lie outside. */
static void another_rate_is_distinguished(void **state) {
    (void)state;
    double got[MEASURES][MOST_SEEDS];
    enum { SEEDS = 3 };
    for (int k = 0; k < 2; k++) {
        measure(3, k ? 0.02 : 0.005, SEEDS, got);
        assert_true(apart(3, LEARNT_LOSS, got[LEARNT_LOSS], SEEDS, LEVEL) > 1);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reads_what_pytorch_reads),
        cmocka_unit_test(does_as_well_as_pytorch),
        cmocka_unit_test(comes_there_the_same_way),
        cmocka_unit_test(another_rate_is_distinguished),
    };
    return cmocka_run_group_tests(tests, open_worlds, close_worlds);
}
