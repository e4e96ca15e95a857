/* soteria: which columns it zeroes, against scores computed by hand from the weights: r_i and ‖∂r_i/∂x‖ of
 * dense layers have closed forms. That nothing else changes, and who is refused. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "base/random.h"
#include "plugin/model_service.h"
#include "try_plugin.h"

enum { FEATURES = 2, CLASSES = 3, MOST_PARAMS = 16, MOST_WEIGHTS = 200, MOST_ROWS = 40, MOST_WIDTH = 8 };

static const char relu_json[] =
    "{\"layers\": [{\"type\": \"dense\", \"name\": \"fc1\", \"out\": 7}, {\"type\": \"relu\"}, "
    "{\"type\": \"dense\", \"name\": \"fc2\", \"out\": \"classes\"}]}";
/* Both representations have one width, so that a mask or a Jacobian of the wrong layer fits. */
static const char deep_json[] =
    "{\"layers\": [{\"type\": \"dense\", \"name\": \"fc1\", \"out\": 5}, {\"type\": \"sigmoid\"}, "
    "{\"type\": \"dense\", \"name\": \"fc2\", \"out\": 5}, {\"type\": \"sigmoid\"}, "
    "{\"type\": \"dense\", \"name\": \"fc3\", \"out\": \"classes\"}]}";
/* q reads the ReLU's output; that of p, which is as wide, is between them. */
static const char forked_json[] =
    "{\"layers\": [{\"type\": \"dense\", \"name\": \"fc1\", \"out\": 4}, {\"type\": \"relu\"}, "
    "{\"type\": \"concat\", \"branches\": [[{\"type\": \"dense\", \"name\": \"p\", \"out\": 4}], "
    "[{\"type\": \"dense\", \"name\": \"q\", \"out\": 4}]]}, "
    "{\"type\": \"dense\", \"name\": \"fc2\", \"out\": \"classes\"}]}";
static const char alone_json[] =
    "{\"layers\": [{\"type\": \"dense\", \"name\": \"only\", \"out\": \"classes\"}]}";

typedef struct bench {
    gnt_model *model;
    gnt_service *service;
    const gnt_model_info *info;
    float weights[MOST_WEIGHTS], x[MOST_ROWS * FEATURES], update[MOST_WEIGHTS];
    gnt_tensor tensor[MOST_PARAMS];
    gnt_samples samples;
    tried t;
    gnt_err err;
} bench;

static float *weights_of(bench *b, const char *name) {
    int64_t at = 0;
    for (int64_t i = 0; i < b->info->params.n; at += b->info->params.view[i++].count)
        if (strcmp(b->info->params.view[i].name, name) == 0)
            return b->weights + at;
    fail_msg("no parameter %s", name);
    return NULL;
}

/* A model with random weights, `rows` random samples, and the defense set to `json`. */
static void open_bench(bench *b, const char *model, int64_t rows, const char *json) {
    const gnt_nn_shape sample = {1, {FEATURES}};
    char where[4096];
    memset(b, 0, sizeof *b);
    assert_true(rows <= MOST_ROWS);
    if (gnt_model_parse(&b->model, "test", model, &sample, CLASSES, NULL, NULL, &b->err))
        fail_msg("%s", b->err.text);
    const gnt_service_spec of = {.model = b->model, .name = "test"};
    assert_int_equal(gnt_service_new(&b->service, &of, &b->err), 0);
    b->info = gnt_service_table(b->service)->info;
    assert_true(b->info->n_params <= MOST_WEIGHTS && b->info->params.n <= MOST_PARAMS);
    const gnt_key key = gnt_key_of_seed(5);
    gnt_stream random = gnt_stream_open(&key, "test");
    for (int64_t i = 0; i < b->info->n_params; i++)
        b->weights[i] = (float)gnt_random_normal(&random);
    for (int64_t i = 0; i < rows * FEATURES; i++)
        b->x[i] = (float)gnt_random_uniform(&random);
    b->samples = (gnt_samples){.size = sizeof b->samples,
                               .kind = GNT_KIND_TABULAR,
                               .n = rows,
                               .rank = 1,
                               .classes = CLASSES,
                               .dim = {FEATURES},
                               .features = FEATURES,
                               .x = b->x};
    if (try_load(&b->t, built("plugins/defenses/soteria.so", where), GNT_PLUGIN_DEFENSE, "soteria", json,
                 &b->err) ||
        try_start(&b->t, 1, (gnt_instance_spec){.model = b->service}, &b->err))
        fail_msg("%s", b->err.text);
}

static void close_bench(bench *b) {
    try_close(&b->t);
    gnt_service_free(b->service);
    gnt_model_free(b->model);
}

/* Lets the defense change an update of ones; `without`: no tensor of that name is shared. */
static gnt_status defend(bench *b, int32_t steps, const char *without) {
    gnt_tensors update = {0, b->tensor};
    int64_t at = 0;
    for (int64_t i = 0; i < b->info->params.n; at += b->info->params.view[i++].count) {
        const gnt_view *v = &b->info->params.view[i];
        gnt_tensor *t = &b->tensor[update.n];
        for (int64_t k = 0; k < v->count; k++)
            b->update[at + k] = 1;
        *t = (gnt_tensor){
            .name = v->name, .rank = v->rank, .layer = v->layer, .count = v->count, .data = b->update + at};
        memcpy(t->dim, v->dim, sizeof t->dim);
        update.n += !without || strcmp(v->name, without) != 0;
    }
    const gnt_client client = {.size = sizeof client,
                               .n_clients = 1,
                               .n_samples = b->samples.n,
                               .rate = 0.1,
                               .steps = steps,
                               .batch = 1,
                               .samples = &b->samples,
                               .weights = b->weights};
    gnt_instance_enter(b->t.instance, "transform_update");
    return gnt_instance_leave(b->t.instance,
                              gnt_instance_defense(b->t.instance)
                                  ->transform_update(gnt_instance_self(b->t.instance), &client, &update),
                              &b->err);
}

/* Columns of `name` that hold zeros, as bits. Each column must be all zeros or all ones, and every other
 * tensor all ones, the layer's bias among them. */
static unsigned zeroed(const bench *b, const char *name) {
    unsigned columns = 0;
    for (int64_t i = 0; i < b->info->params.n; i++) {
        const gnt_tensor *t = &b->tensor[i];
        const int defended = strcmp(t->name, name) == 0;
        for (int64_t k = 0; defended && k < t->dim[1]; k++)
            columns |= (unsigned)(t->data[k] == 0) << k;
        for (int64_t k = 0; k < t->count; k++)
            assert_true(t->data[k] == (defended && columns >> k % t->dim[1] & 1 ? 0 : 1));
    }
    return columns;
}

static unsigned must_zero(bench *b, const char *name) {
    if (defend(b, 0, NULL) != GNT_OK)
        fail_msg("%s", b->err.text);
    return zeroed(b, name);
}

static unsigned bits(const int *list, int n) {
    unsigned all = 0;
    for (int i = 0; i < n; i++)
        all |= 1u << list[i];
    return all;
}

/* ---- by hand ---- */

/* x = (1, 0), r = max(0, w·x + b), ‖∂r/∂x‖ = ‖w‖ where the unit is alive:
 *
 *   unit          0     1    2      3      4     5     6
 *   r             2     1    dead   0.15   12    6     0.01
 *   g = ‖w‖       5     1           0.5    10    2     0.02
 *   r/g           0.4   1           0.3    1.2   3     0.5
 *   g/(r + 0.1)   2.38  0.91        2      0.83  0.33  0.18 */
static void set_by_hand(bench *b) {
    static const float w[7][2] = {{3, 4}, {0, 1}, {-1, 0}, {0, 0.5f}, {6, 8}, {0, 2}, {0, 0.02f}},
                       bias[7] = {-1, 1, -1, 0.15f, 6, 6, 0.01f};
    memcpy(weights_of(b, "fc1.weight"), w, sizeof w);
    memcpy(weights_of(b, "fc1.bias"), bias, sizeof bias);
    b->x[0] = 1;
    b->x[1] = 0;
}

static const struct {
    const char *ranking;
    int first[6];
} by_hand[] = {
    {"paper", {5, 4, 1, 6, 0, 3}}, {"reference", {6, 5, 4, 1, 3, 0}}, {"reciprocal", {3, 0, 6, 1, 4, 5}}};

static void the_mask_is_the_one_by_hand(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof by_hand / sizeof *by_hand; i++)
        for (int k = 0; k < 6; k++) {
            bench b;
            char json[100];
            snprintf(json, sizeof json, "{\"p\": %.3f, \"ranking\": \"%s\"}", k / 6.0 + 0.001,
                     by_hand[i].ranking);
            open_bench(&b, relu_json, 1, json);
            set_by_hand(&b);
            assert_int_equal(must_zero(&b, "fc2.weight"), bits(by_hand[i].first, k));
            assert_true(fabs(try_fact(&b.t, "masked_share") - k / 6.0) < 1e-12);
            assert_true(fabs(try_fact(&b.t, "dead_share") - 1.0 / 7) < 1e-12);
            close_bench(&b);
        }
}

/* ⌊0.8·6⌋ of the living; ⌊0.8·7⌋ would be one more, and one of them might be the dead one. */
static void the_preset_is_the_papers(void **state) {
    (void)state;
    bench b;
    open_bench(&b, relu_json, 1, NULL);
    set_by_hand(&b);
    assert_int_equal(must_zero(&b, "fc2.weight"), bits(by_hand[0].first, 4));
    close_bench(&b);
}

/* At x = (0, 0) unit 0 is dead too, r/g is 0.6 of unit 4, and the others' is as it was. Of both samples the
 * means are 0.4, 1, dead, 0.3, 0.9, 3, 0.5; by the sums unit 3, with 0.6, would pass unit 0. */
static void a_score_is_the_mean_over_the_samples_of_its_life(void **state) {
    (void)state;
    static const int first[] = {5, 1, 4, 6, 0, 3};
    for (int k = 0; k < 6; k++) {
        bench b;
        char json[100];
        snprintf(json, sizeof json, "{\"p\": %.3f}", k / 6.0 + 0.001);
        open_bench(&b, relu_json, 2, json);
        set_by_hand(&b);
        b.x[2] = b.x[3] = 0;
        assert_int_equal(must_zero(&b, "fc2.weight"), bits(first, k));
        close_bench(&b);
    }
}

/* All columns go at 1, those of dead units too, which local steps may have moved. */
static void the_ends_of_the_strength(void **state) {
    (void)state;
    static const char *const models[] = {relu_json, deep_json}, *const last[] = {"fc2.weight", "fc3.weight"};
    static const unsigned all[] = {0x7f, 0x1f};
    for (int i = 0; i < 2; i++) {
        bench b;
        open_bench(&b, models[i], 3, "{\"p\": 0}");
        assert_int_equal(must_zero(&b, last[i]), 0);
        close_bench(&b);
        open_bench(&b, models[i], 3, "{\"p\": 1}");
        if (i == 0)
            set_by_hand(&b), b.samples.n = 1;
        assert_int_equal(must_zero(&b, last[i]), all[i]);
        assert_true(try_fact(&b.t, "masked_share") == 1);
        close_bench(&b);
    }
}

/* A delta of local steps gets the mask of the broadcast weights. */
static void steps_change_nothing(void **state) {
    (void)state;
    bench b;
    open_bench(&b, relu_json, 1, "{\"p\": 0.5}");
    set_by_hand(&b);
    for (int32_t steps = 0; steps < 6; steps += 5) {
        assert_int_equal(defend(&b, steps, NULL), GNT_OK);
        assert_int_equal(zeroed(&b, "fc2.weight"), bits(by_hand[0].first, 3));
    }
    close_bench(&b);
}

/* ---- by a formula, of several samples ---- */

/* out = a(W·in + bias), and its Jacobian times that of `in` (by x): diag(a')·W·J. */
static void forward(const float *w, const float *bias, int64_t n_in, int64_t n_out, int relu,
                    const double *in, const double *jacobian, double *out, double *next) {
    for (int64_t o = 0; o < n_out; o++) {
        double sum = bias[o];
        for (int64_t i = 0; i < n_in; i++)
            sum += (double)w[o * n_in + i] * in[i];
        out[o] = relu ? fmax(0, sum) : 1 / (1 + exp(-sum));
        const double slope = relu ? sum > 0 : out[o] * (1 - out[o]);
        for (int f = 0; f < FEATURES; f++) {
            next[o * FEATURES + f] = 0;
            for (int64_t i = 0; i < n_in; i++)
                next[o * FEATURES + f] += slope * w[o * n_in + i] * jacobian[i * FEATURES + f];
        }
    }
}

/* Mean of the paper's score over the samples in which a unit lives; −1: in none. */
static void mean_scores(bench *b, const char *const *names, int depth, int relu, double *score) {
    double lived[MOST_WIDTH] = {0};
    int64_t width = FEATURES;
    memset(score, 0, MOST_WIDTH * sizeof *score);
    for (int64_t row = 0; row < b->samples.n; row++) {
        double r[MOST_WIDTH] = {b->x[row * FEATURES], b->x[row * FEATURES + 1]}, to[MOST_WIDTH];
        double j[MOST_WIDTH * FEATURES] = {1, 0, 0, 1}, next[MOST_WIDTH * FEATURES];
        width = FEATURES;
        for (int l = 0; l < depth; l++) {
            const float *w = weights_of(b, names[2 * l]), *bias = weights_of(b, names[2 * l + 1]);
            const int64_t n_out = (bias - w) / width;
            forward(w, bias, width, n_out, relu, r, j, to, next);
            memcpy(r, to, sizeof r);
            memcpy(j, next, sizeof j);
            width = n_out;
        }
        for (int64_t i = 0; i < width; i++) {
            const double g = hypot(j[i * FEATURES], j[i * FEATURES + 1]);
            if (r[i] != 0 || g != 0) {
                score[i] += r[i] / g;
                lived[i]++;
            }
        }
    }
    for (int64_t i = 0; i < width; i++)
        score[i] = lived[i] > 0 ? score[i] / lived[i] : -1;
    for (int64_t i = width; i < MOST_WIDTH; i++)
        score[i] = -1;
}

/* The k highest. */
static unsigned highest(const double *score, int k) {
    unsigned taken = 0;
    while (k-- > 0) {
        int best = -1;
        for (int i = 0; i < MOST_WIDTH; i++)
            if (!(taken >> i & 1) && (best < 0 || score[i] > score[best]))
                best = i;
        taken |= 1u << best;
    }
    return taken;
}

/* 1 sample, several, and more than are computed at once, the last of them few. */
static void the_jacobian_is_that_of_the_layer(void **state) {
    (void)state;
    static const char *const names[] = {"fc1.weight", "fc1.bias", "fc2.weight", "fc2.bias"};
    static const struct {
        const char *model, *layer, *defended;
        int depth, relu;
    } cases[] = {
        {deep_json, "", "fc3.weight", 2, 0},    {deep_json, "fc3", "fc3.weight", 2, 0},
        {deep_json, "fc2", "fc2.weight", 1, 0}, {relu_json, "fc2", "fc2.weight", 1, 1},
        {forked_json, "p", "p.weight", 1, 1},   {forked_json, "q", "q.weight", 1, 1},
    };
    static const int64_t rows[] = {1, 3, 16, 19, 35};
    int compared = 0;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        for (int n = 0; n < 5; n++)
            for (int tenths = 1; tenths < 10; tenths++) {
                bench b;
                double score[MOST_WIDTH];
                int living = 0;
                char json[100];
                snprintf(json, sizeof json, "{\"p\": 0.%d, \"layer\": \"%s\"}", tenths, cases[i].layer);
                open_bench(&b, cases[i].model, rows[n], json);
                mean_scores(&b, names, cases[i].depth, cases[i].relu, score);
                for (int u = 0; u < MOST_WIDTH; u++)
                    living += score[u] >= 0;
                const int k = living * tenths / 10;
                assert_int_equal(must_zero(&b, cases[i].defended), highest(score, k));
                compared += k > 0;
                close_bench(&b);
            }
    assert_true(compared > 150);
}

/* ---- who is refused ---- */

static void models_that_do_not_fit(void **state) {
    (void)state;
    static const struct {
        const char *model, *json, *without, *says;
    } cases[] = {
        {alone_json, NULL, NULL, "only reads the sample, not a representation of it"},
        {relu_json, "{\"layer\": \"fc1\"}", NULL, "fc1 reads the sample, not a representation of it"},
        {relu_json, "{\"layer\": \"fc9\"}", NULL, "layer: fc9 is no layer of the model; name a dense layer"},
        {relu_json, "{\"layer\": \"relu\"}", NULL, "is no"},
        {relu_json, NULL, "fc2.weight", "clients keep fc2 for themselves"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        bench b;
        open_bench(&b, cases[i].model, 1, cases[i].json);
        assert_int_equal(defend(&b, 0, cases[i].without), GNT_UNSUPPORTED);
        print_message("# %s\n", b.err.text);
        assert_non_null(strstr(b.err.text, cases[i].says));
        close_bench(&b);
    }
}

static void weights_that_are_no_numbers_fail(void **state) {
    (void)state;
    bench b;
    open_bench(&b, relu_json, 1, NULL);
    weights_of(&b, "fc1.weight")[3] = NAN;
    assert_int_equal(defend(&b, 0, NULL), GNT_FAILED);
    assert_non_null(strstr(b.err.text, "NaN or infinite entries"));
    close_bench(&b);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_mask_is_the_one_by_hand),
        cmocka_unit_test(the_preset_is_the_papers),
        cmocka_unit_test(a_score_is_the_mean_over_the_samples_of_its_life),
        cmocka_unit_test(the_ends_of_the_strength),
        cmocka_unit_test(steps_change_nothing),
        cmocka_unit_test(the_jacobian_is_that_of_the_layer),
        cmocka_unit_test(models_that_do_not_fit),
        cmocka_unit_test(weights_that_are_no_numbers_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
