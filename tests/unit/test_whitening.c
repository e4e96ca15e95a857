/* The noise of each layer as it is read off an update or given by a grant, the likelihood with a clip in each
 * layer and its derivative, and labels as unknowns. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include "../../plugins/attacks/gradient/defense/granted_defense.c"
#include "../../plugins/attacks/gradient/defense/covered.c"
#include "../../plugins/shared/choose/choose_layers.c"
#include "../../plugins/attacks/gradient/defense/kth_entry.c"
#include "../../plugins/attacks/gradient/cost/kept_entries.c"
#include "../../plugins/attacks/gradient/defense/layer_noise.c"
#include "../../plugins/attacks/gradient/defense/noise_law.c"
#include "../../plugins/attacks/gradient/label/soft_labels.c"
#include "../../plugins/attacks/gradient/cost/whitening.c"
#include <cmocka.h>

#include "../plain_host.h"

enum { TENSORS = 5, MOST = 4000, LAYERS = 3 };
/* A matrix and its bias, a matrix and its bias, a matrix. */
static const int64_t rows[TENSORS] = {40, 40, 25, 25, 30}, columns[TENSORS] = {50, 1, 40, 1, 30};
static const int32_t layer_of[TENSORS] = {0, 0, 2, 2, 5};

typedef struct made {
    plain_host p;
    gnt_stream random;
    float u[TENSORS][MOST], o[TENSORS][MOST], d[TENSORS][MOST];
    gnt_view view[TENSORS], candidate[TENSORS];
    gnt_views update, other;
    const float *observed[TENSORS];
    float *slope[TENSORS];
    gnt_observation seen;
    gnt_value value[3];
    gnt_view psi;
    float score[LAYERS];
    gnt_artefacts artefacts;
} made;

/* Gradients as networks have them: each row the same input times a number, a few of which are large. */
static made *make(uint64_t seed) {
    made *m = calloc(1, sizeof *m);
    assert_non_null(m);
    plain_open(&m->p, seed);
    m->random = gnt_stream_open(&m->p.key, "test");
    for (int t = 0; t < TENSORS; t++) {
        const int64_t n = rows[t] * columns[t];
        for (int64_t r = 0; r < rows[t]; r++) {
            const double size = pow(gnt_random_normal(&m->random), 3);
            for (int64_t c = 0; c < columns[t]; c++) {
                m->o[t][r * columns[t] + c] = (float)(0.01 * size * (1 + sin(0.3 * (double)c)));
                m->u[t][r * columns[t] + c] = (float)(0.1 * gnt_random_normal(&m->random));
            }
        }
        m->view[t] = (gnt_view){.name = "t", .rank = columns[t] > 1 ? 2 : 1, .layer = layer_of[t]};
        m->view[t].dim[0] = rows[t];
        m->view[t].dim[1] = columns[t];
        m->view[t].count = n;
        m->candidate[t] = m->view[t];
        m->view[t].data = m->o[t];
        m->candidate[t].data = m->u[t];
        m->observed[t] = m->o[t];
        m->slope[t] = m->d[t];
    }
    m->update = (gnt_views){TENSORS, m->view};
    m->other = (gnt_views){TENSORS, m->candidate};
    m->seen = (gnt_observation){.size = sizeof m->seen, .update = &m->update};
    return m;
}

static void add_noise(made *m, int32_t layer, double sigma) {
    for (int t = 0; t < TENSORS; t++)
        for (int64_t i = 0; layer_of[t] == layer && i < m->view[t].count; i++)
            m->o[t][i] += (float)(sigma * gnt_random_normal(&m->random));
}

static void drop(made *m) {
    plain_close(&m->p);
    free(m);
}

static void grant(made *m, const char *id, double epsilon, double clip) {
    m->value[0] = (gnt_value){.id = "epsilon", .type = GNT_TYPE_REAL, .r = epsilon};
    m->value[1] = (gnt_value){.id = "clip", .type = GNT_TYPE_REAL, .r = clip};
    m->value[2] = (gnt_value){.id = "delta", .type = GNT_TYPE_REAL, .r = 1e-3};
    m->seen.defense = id;
    m->seen.defense_values = m->value;
    m->seen.n_defense_values = 3;
}

static void publish(made *m, float a, float b, float c) {
    m->score[0] = a, m->score[1] = b, m->score[2] = c;
    m->psi = (gnt_view){.name = "fedre/psi", .rank = 1, .dim = {LAYERS}, .count = LAYERS, .data = m->score};
    m->artefacts = (gnt_artefacts){.size = sizeof m->artefacts, .tensors = {1, &m->psi}};
    m->seen.defense_artefacts = &m->artefacts;
}

static whitening open_whitening(made *m, int plain) {
    whitening w;
    const granted_defense granted = granted_defense_of(&m->seen);
    assert_int_equal(whitening_open(&w, &m->p.host, &m->seen, &granted, plain), GNT_OK);
    return w;
}

static int is_near(double a, double b, double share) {
    return fabs(a - b) <= share * fabs(b);
}

/* Without noise all layers count alike: the squared distance, in one unit. */
static void layers_without_noise_count_alike(void **state) {
    (void)state;
    made *m = make(1);
    whitening w = open_whitening(m, 0);
    double squares = 0;
    assert_int_equal(w.n, LAYERS);
    assert_false(w.is_known);
    for (int k = 0; k < LAYERS; k++) {
        assert_true(w.part[k].law.scale == w.part[0].law.scale);
        assert_int_equal(w.part[k].law.clip_mode, NOISE_CLIP_NONE);
    }
    for (int t = 0; t < TENSORS; t++)
        for (int64_t i = 0; i < m->view[t].count; i++)
            squares += pow((double)m->u[t][i] - (double)m->o[t][i], 2);
    const double cost = whitening_cost(&w, &m->other, m->observed, NULL, m->slope);
    assert_true(is_near(cost, squares / (2 * w.part[0].law.scale * w.part[0].law.scale), 1e-9));
    drop(m);
}

/* The spread is the noise's, to the sampling error of a median of 1025 entries, and of no other layer. */
static void the_noise_of_a_layer_is_found(void **state) {
    (void)state;
    for (uint64_t seed = 1; seed <= 5; seed++) {
        made *m = make(seed);
        add_noise(m, 2, 0.5);
        whitening w = open_whitening(m, 0);
        assert_true(is_near(w.part[1].law.scale, 0.5, 0.12));
        assert_true(w.part[0].law.scale < 1e-3 && w.part[2].law.scale == w.part[0].law.scale);
        w = open_whitening(m, 1);
        assert_int_equal(w.n, 1);
        /* 0.5 in 1025 of 3965 entries */
        assert_true(is_near(w.part[0].law.scale, 0.5 * sqrt(1025.0 / 3965), 0.12));
        drop(m);
    }
}

/* What a candidate leaves of a layer: of the truth, its noise. */
static void a_candidate_reveals_the_noise(void **state) {
    (void)state;
    made *m = make(3);
    for (int t = 0; t < TENSORS; t++)
        memcpy(m->u[t], m->o[t], sizeof m->u[t]);
    add_noise(m, 0, 0.02);
    add_noise(m, 5, 2);
    whitening w = open_whitening(m, 0);
    const double floor = w.floor;
    whitening_refit(&w, &m->other, m->observed, NULL, m->slope);
    assert_true(is_near(w.part[0].law.scale, 0.02, 0.06));
    assert_true(w.part[1].law.scale == floor);
    assert_true(is_near(w.part[2].law.scale, 2, 0.08));
    drop(m);
}

/* (s_l/s)², s as it is in one round: the number of rounds that was found. Of 9 a standard error of a third:
 * that of a median of 3965 entries. */
static void assert_rounds(double scale, double one_round, double *rounds) {
    const double found = pow(scale / one_round, 2);
    assert_true(found > 7.5 && found < 10.5 && fabs(found - round(found)) < 1e-6);
    assert_true(*rounds == 0 || fabs(found - *rounds) < 1e-6); /* the same in all layers */
    *rounds = found;
}

/* s_l = C·√(2·T·ln(L/δ))/ε_l, T = 9. */
static void grants_give_the_noise(void **state) {
    (void)state;
    made *m = make(4);
    const double C = 0.3, one = C * sqrt(2 * log(LAYERS / 1e-3)) / 20, unit = 3 * one;
    double rounds = 0;
    grant(m, "uniform", 20, C);
    for (int k = 0; k < LAYERS; k++)
        add_noise(m, layer_of[2 * k], LAYERS * unit);
    whitening w = open_whitening(m, 0);
    assert_true(w.is_known && w.n == LAYERS);
    for (int k = 0; k < LAYERS; k++) {
        assert_rounds(w.part[k].law.scale, LAYERS * one, &rounds);
        assert_true(w.part[k].law.clip == C && w.part[k].law.clip_mode == NOISE_CLIP_GLOBAL);
    }
    drop(m);
    /* ε_l by 1/S: shares 1/2, 1/4, 1/4 */
    m = make(5);
    grant(m, "none+fedre", 20, C);
    publish(m, 1, 2, 2);
    add_noise(m, 0, 2 * unit);
    add_noise(m, 2, 4 * unit);
    add_noise(m, 5, 4 * unit);
    w = open_whitening(m, 0);
    assert_true(w.is_known);
    rounds = 0;
    assert_rounds(w.part[0].law.scale, 2 * one, &rounds);
    assert_rounds(w.part[1].law.scale, 4 * one, &rounds);
    assert_rounds(w.part[2].law.scale, 4 * one, &rounds);
    /* scores that the client keeps: the clip alone is known */
    m->seen.defense_artefacts = NULL;
    w = open_whitening(m, 0);
    assert_false(w.is_known);
    assert_true(w.part[1].law.clip == C && is_near(w.part[1].law.scale, 4 * unit, 0.12));
    drop(m);
}

/* A law of the whole update is one part. */
static void the_law_of_dp_gaussian_is_taken(void **state) {
    (void)state;
    made *m = make(6);
    m->value[0] = (gnt_value){.id = "sigma", .type = GNT_TYPE_REAL, .r = 0.25};
    m->value[1] = (gnt_value){.id = "clip", .type = GNT_TYPE_REAL, .r = 2};
    m->value[2] = (gnt_value){.id = "clip_mode", .type = GNT_TYPE_CHOICE, .text = "global"};
    m->seen.defense = "dp-gaussian";
    m->seen.defense_values = m->value;
    m->seen.n_defense_values = 3;
    const whitening w = open_whitening(m, 0);
    assert_true(w.n == 1 && w.is_known && w.part[0].n == TENSORS);
    assert_true(w.part[0].law.scale == 0.25 && w.part[0].law.clip == 2);
    drop(m);
}

/* Gives the host a model of six layers, of which "two" is the second with parameters. */
static void name_layers(made *m, gnt_model_service *service, gnt_model_info *info, gnt_layer_info layer[6]) {
    static const char *const names[6] = {"one", "a", "two", "b", "c", "three"};
    for (int i = 0; i < 6; i++)
        layer[i] = (gnt_layer_info){.name = names[i], .type = "dense"};
    *info = (gnt_model_info){.size = sizeof *info, .name = "test", .n_layers = 6, .layer = layer};
    *service = (gnt_model_service){.size = sizeof *service, .info = info};
    m->p.host.model = service;
}

/* Noise in layer "two" alone, clipped on its own; the others are known to a thousandth of their size. */
static void noise_in_some_layers_counts_there(void **state) {
    (void)state;
    made *m = make(9);
    gnt_model_service service;
    gnt_model_info info;
    gnt_layer_info layer[6];
    gnt_value value[4] = {{.id = "sigma", .type = GNT_TYPE_REAL, .r = 0.25},
                          {.id = "clip", .type = GNT_TYPE_REAL, .r = 2},
                          {.id = "clip_mode", .type = GNT_TYPE_CHOICE, .text = "global"},
                          {.id = "layers", .type = GNT_TYPE_TEXT, .text = "two"}};
    name_layers(m, &service, &info, layer);
    m->seen.defense = "dp-gaussian";
    m->seen.defense_values = value;
    m->seen.n_defense_values = 4;
    whitening w = open_whitening(m, 0);
    double clear = 0, entries = 0, squares = 0, norm = 0, expected = 0;
    for (int t = 0; t < TENSORS; t++)
        for (int64_t i = 0; i < m->view[t].count; i++) {
            const int is_noisy = layer_of[t] == 2;
            norm += is_noisy ? pow((double)m->u[t][i], 2) : 0;
            squares += is_noisy ? 0 : pow((double)m->o[t][i], 2);
            entries += !is_noisy;
        }
    clear = 1e-3 * sqrt(squares / entries);
    assert_true(w.is_known && norm > 4);
    for (int t = 0; t < TENSORS; t++)
        for (int64_t i = 0; i < m->view[t].count; i++) {
            const double s = layer_of[t] == 2 ? 0.25 : clear, f = layer_of[t] == 2 ? 2 / sqrt(norm) : 1;
            expected += pow((f * (double)m->u[t][i] - (double)m->o[t][i]) / s, 2) / 2;
        }
    assert_true(is_near(whitening_cost(&w, &m->other, m->observed, NULL, m->slope), expected, 1e-6));
    /* the slope along u itself, by central differences: of layer two it is only of the direction */
    double along = 0, cost[2];
    for (int t = 0; t < TENSORS; t++)
        for (int64_t i = 0; i < m->view[t].count; i++)
            along += (double)m->slope[t][i] * (layer_of[t] == 2 ? (double)m->o[t][i] : 0);
    for (int side = 0; side < 2; side++) {
        for (int t = 2; t < 4; t++)
            for (int64_t i = 0; i < m->view[t].count; i++)
                m->u[t][i] += (side ? -2 : 1) * 1e-2f * m->o[t][i];
        cost[side] = whitening_cost(&w, &m->other, m->observed, NULL, m->slope);
    }
    const double base = expected; /* differences of what the noisy layer costs alone */
    assert_true(fabs((cost[0] - cost[1]) / 2e-2 - along) < 1e-2 * fabs(along) + 1e-9 * base);
    drop(m);
}

/* fedre-sample: the clip is that of one gradient of one sample; the factor of all layers is estimated. */
static void clips_of_samples_are_of_one_gradient(void **state) {
    (void)state;
    for (int steps = 0; steps < 2; steps++) {
        made *m = make(10);
        const double clips[LAYERS] = {0.3, 0.6, 0.3}, factor = 0.37;
        const double one = 0.3 * sqrt(2 * log(LAYERS / 1e-3)) / 20;
        gnt_value value[4];
        grant(m, "fedre-sample", 20, 0.1);
        memcpy(value, m->value, sizeof m->value);
        value[3] = (gnt_value){.id = "clips", .type = GNT_TYPE_REAL_LIST, .n = LAYERS, .list = clips};
        m->seen.defense_values = value;
        m->seen.n_defense_values = 4;
        m->seen.n = 1;
        m->seen.steps = steps;
        publish(m, 1, 2, 2); /* shares 1/2, 1/4, 1/4; the second has twice the bound */
        add_noise(m, 0, factor * 2 * one);
        add_noise(m, 2, factor * 8 * one);
        add_noise(m, 5, factor * 4 * one);
        const whitening w = open_whitening(m, 0);
        assert_true(w.is_known && w.n == LAYERS);
        for (int k = 0; k < LAYERS; k++) {
            assert_true(is_near(w.part[k].law.scale, factor * (k == 1 ? 8 : k ? 4 : 2) * one, 0.1));
            assert_int_equal(w.part[k].law.clip_mode, steps ? NOISE_CLIP_NONE : NOISE_CLIP_GLOBAL);
            assert_true(steps || w.part[k].law.clip == clips[k]);
        }
        drop(m);
    }
}

/* Central differences in a direction, clipped layers (norm 4.5 and 3 against 1) and open ones. */
static void the_cost_has_its_derivative(void **state) {
    (void)state;
    const double clips[] = {1, 1e3};
    for (int k = 0; k < 2; k++) {
        made *m = make(7);
        grant(m, "uniform", 50, clips[k]);
        add_noise(m, 0, 0.1);
        whitening w = open_whitening(m, 0);
        const double h = 1e-3;
        double along = 0, up, down;
        assert_true(whitening_cost(&w, &m->other, m->observed, NULL, m->slope) > 0);
        static float way[TENSORS][MOST];
        for (int t = 0; t < TENSORS; t++)
            for (int64_t i = 0; i < m->view[t].count; i++) {
                way[t][i] = m->u[t][i] * (float)(1 + 0.5 * gnt_random_normal(&m->random));
                along += (double)way[t][i] * (double)m->d[t][i];
                m->u[t][i] += (float)h * way[t][i];
            }
        up = whitening_cost(&w, &m->other, m->observed, NULL, m->slope);
        for (int t = 0; t < TENSORS; t++)
            for (int64_t i = 0; i < m->view[t].count; i++)
                m->u[t][i] -= (float)(2 * h) * way[t][i];
        down = whitening_cost(&w, &m->other, m->observed, NULL, m->slope);
        if (fabs((up - down) / (2 * h) - along) > 5e-3 * fabs(along))
            fail_msg("%g by differences, %g", (up - down) / (2 * h), along);
        drop(m);
    }
}

static void soft_labels_have_their_derivative(void **state) {
    (void)state;
    enum { N = 2, C = 3 };
    const float c[N * C] = {1, -2, 0.5f, 0.3f, 4, -1};
    const int32_t outputs[] = {GNT_OUTPUT_CLASSES, GNT_OUTPUT_MAP};
    for (int k = 0; k < 2; k++) {
        float logits[N * C] = {0.2f, -0.4f, 1, 0.7f, -1.5f, 0}, y[N * C], grad[N * C];
        soft_labels_set(outputs[k], logits, N, C, y);
        soft_labels_vjp(outputs[k], y, c, N, C, 2, grad);
        for (int i = 0; i < N * C; i++) {
            const float was = logits[i];
            double slope = 0;
            for (int side = 1; side >= -1; side -= 2) {
                logits[i] = was + (float)side * 0.01f;
                soft_labels_set(outputs[k], logits, N, C, y);
                for (int j = 0; j < N * C; j++)
                    slope += side * 2 * (double)(c[j] * y[j]) / 0.02;
            }
            logits[i] = was;
            assert_true(fabs(slope - (double)grad[i]) < 1e-3);
        }
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(layers_without_noise_count_alike),
        cmocka_unit_test(the_noise_of_a_layer_is_found),
        cmocka_unit_test(a_candidate_reveals_the_noise),
        cmocka_unit_test(grants_give_the_noise),
        cmocka_unit_test(noise_in_some_layers_counts_there),
        cmocka_unit_test(clips_of_samples_are_of_one_gradient),
        cmocka_unit_test(the_law_of_dp_gaussian_is_taken),
        cmocka_unit_test(the_cost_has_its_derivative),
        cmocka_unit_test(soft_labels_have_their_derivative),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
