/* fedre and uniform: how ε is split, the law of the noise, what is reported of it, what a client keeps. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* before cmocka, which has a macro `fail` */
#include "../../plugins/shared/region/seeded_draws.c"
#include "../../plugins/shared/region/layers.c"
#include "../../plugins/shared/region/psi.c"
#include <cmocka.h>

#include "gauntlet/dp.h"
#include "region_net.h"
#include "try_plugin.h"

enum { DRAWS = 1000000 };

typedef struct bench {
    tried t;
    net n;
    gnt_view psi; /* scores = public: what `prepare` is to have left */
    gnt_artefacts artefacts;
    gnt_client client;
    gnt_err err;
} bench;

static void open_bench(bench *b, const char *id, const char *json) {
    char where[4096];
    *b = (bench){.artefacts = {.size = sizeof b->artefacts}};
    net_open(&b->n, net_json, 1, 7);
    if (try_load(&b->t, built("plugins/defenses/region.so", where), GNT_PLUGIN_DEFENSE, id, json, &b->err) ||
        try_start(&b->t, 1, (gnt_instance_spec){.model = b->n.service}, &b->err))
        fail_msg("%s", b->err.text);
    b->client = (gnt_client){.size = sizeof b->client,
                             .n_clients = 2,
                             .n_samples = NET_ROWS,
                             .rate = 0.1,
                             .rounds = 1,
                             .samples = &b->n.samples,
                             .weights = b->n.weights,
                             .artefacts = &b->artefacts};
}

static void close_bench(bench *b) {
    try_close(&b->t);
    net_close(&b->n);
}

static void give_scores(bench *b, const float *score, int64_t n) {
    b->psi = (gnt_view){.name = "psi", .rank = 1, .dim = {n}, .count = n, .data = score};
    b->artefacts.tensors = (gnt_views){1, &b->psi};
}

static gnt_status transform(bench *b, gnt_tensors *update) {
    gnt_instance_enter(b->t.instance, "transform_update");
    return gnt_instance_leave(b->t.instance,
                              gnt_instance_defense(b->t.instance)
                                  ->transform_update(gnt_instance_self(b->t.instance), &b->client, update),
                              &b->err);
}

static void must_transform(bench *b, gnt_tensors *update) {
    if (transform(b, update) != GNT_OK)
        fail_msg("%s", b->err.text);
}

static void is_near(double got, double expected, double share) {
    if (!(fabs(got - expected) <= share * fabs(expected)))
        fail_msg("%.12g, expected %.12g", got, expected);
}

/* Zeros in as many tensors as the network has, of which the weights hold n entries; what comes out is noise
 * alone. The standard deviation in each layer. */
static void noise_of(bench *b, int64_t n, double out[NET_LAYERS]) {
    static float room[2][DRAWS];
    float bias[2][1] = {{0}};
    gnt_tensor t[NET_TENSORS];
    gnt_tensors update = {NET_TENSORS, t};
    memset(room, 0, sizeof room);
    for (int k = 0; k < NET_TENSORS; k++) {
        t[k] = try_tensor(b->n.tensor[k].name, k % 2 ? bias[k / 2] : room[k / 2], k % 2 ? 1 : n);
        t[k].layer = b->n.tensor[k].layer;
    }
    must_transform(b, &update);
    for (int l = 0; l < NET_LAYERS; l++) {
        double sum = 0;
        for (int64_t i = 0; i < n; i++)
            sum += (double)room[l][i] * (double)room[l][i];
        out[l] = sqrt(sum / (double)n);
    }
}

/* Eq. 9 with C: what the noise in a layer is to be. */
static double deviation(double clip, double rounds, double delta, double epsilon_l) {
    return clip * sqrt(2 * rounds * log(NET_LAYERS / delta)) / epsilon_l;
}

static void noise_has_the_printed_variance(void **state) {
    (void)state;
    static bench b;
    double got[NET_LAYERS];
    open_bench(&b, "uniform", "{\"epsilon\": 3, \"clip\": 0.3, \"delta\": 1e-4}");
    b.client.rounds = 5;
    noise_of(&b, DRAWS, got);
    const double expected = deviation(0.3, 5, 1e-4, 1.5);
    for (int l = 0; l < NET_LAYERS; l++)
        is_near(got[l] * got[l], expected * expected, 0.02);
    close_bench(&b);
    /* ε is split by 1/S: 4 to 1 */
    static const float scores[] = {0.5f, 2};
    open_bench(&b, "fedre", "{\"epsilon\": 3, \"clip\": 0.3, \"delta\": 1e-4, \"scores\": \"public\"}");
    give_scores(&b, scores, 2);
    noise_of(&b, DRAWS, got);
    for (int l = 0; l < NET_LAYERS; l++) {
        const double of_layer = deviation(0.3, 1, 1e-4, 3 * (l ? 0.2 : 0.8));
        is_near(got[l] * got[l], of_layer * of_layer, 0.02);
    }
    close_bench(&b);
}

/* Eq. 7 and 8 with C_l: each layer has its own bound, and noise in proportion to it. */
static void each_layer_has_its_own_bound(void **state) {
    (void)state;
    static bench b;
    double got[NET_LAYERS];
    open_bench(&b, "uniform", "{\"epsilon\": 3, \"clip\": 9, \"clips\": [0.3, 1.2], \"delta\": 1e-4}");
    noise_of(&b, DRAWS, got);
    for (int l = 0; l < NET_LAYERS; l++)
        is_near(got[l], deviation(l ? 1.2 : 0.3, 1, 1e-4, 1.5), 0.01);
    close_bench(&b);
    open_bench(&b, "uniform", "{\"epsilon\": 1e9, \"clips\": [0.3, 1.2]}");
    net_fill(&b.n, 3, 5);
    must_transform(&b, &b.n.tensors);
    for (int k = 0; k < NET_TENSORS; k += 2) {
        double sum = 0;
        for (int t = k; t < k + 2; t++)
            for (int64_t i = 0; i < b.n.tensor[t].count; i++)
                sum += pow((double)b.n.tensor[t].data[i], 2);
        is_near(sqrt(sum), k ? 1.2 : 0.3, 1e-4);
    }
    close_bench(&b);
    open_bench(&b, "uniform", "{\"clips\": [0.3, 1.2, 1]}");
    assert_int_equal(transform(&b, &b.n.tensors), GNT_UNSUPPORTED);
    assert_non_null(strstr(b.err.text, "clips has 3 bounds"));
    close_bench(&b);
}

/* The noise of one of 40 samples is a twentieth of the noise of a whole client, whose epsilon it raises. */
static void noise_of_one_sample(void **state) {
    (void)state;
    static bench b;
    double whole[NET_LAYERS], one[NET_LAYERS];
    const double per_layer = deviation(1, 4, 1e-5, 25);
    open_bench(&b, "uniform", "{\"epsilon\": 50, \"sensitivity\": \"clip\"}");
    b.client.n_samples = 40;
    b.client.rounds = 4;
    noise_of(&b, 1000, whole);
    is_near(try_fact(&b.t, "epsilon_release_add"),
            gnt_dp_gaussian_epsilon(1, 1e-5, sqrt(NET_LAYERS) / per_layer), 1e-9);
    close_bench(&b);
    open_bench(&b, "uniform", "{\"epsilon\": 50, \"sensitivity\": \"sample\"}");
    b.client.n_samples = 40;
    b.client.rounds = 4;
    noise_of(&b, 1000, one);
    is_near(one[0] / whole[0], 2.0 / 40, 1e-5);
    is_near(one[1] / whole[1], 2.0 / 40, 1e-5);
    is_near(try_fact(&b.t, "epsilon_claimed"), 50, 1e-9);
    is_near(try_fact(&b.t, "epsilon_release_add"),
            gnt_dp_gaussian_epsilon(1, 1e-5, 20 * sqrt(NET_LAYERS) / per_layer), 1e-9);
    close_bench(&b);
}

/* Factors of ε are dealt to the clients in turn: of two, the third client has the first. */
static void each_client_has_its_own_budget(void **state) {
    (void)state;
    static const float scores[] = {0.5f, 2};
    static const char *const ids[] = {"uniform", "fedre"};
    for (int k = 0; k < 2; k++) {
        static bench b;
        double got[3][NET_LAYERS];
        for (int32_t client = 0; client < 3; client++) {
            open_bench(&b, ids[k],
                       k ? "{\"epsilon\": 8, \"preferences\": [0.5, 2], \"scores\": \"public\"}"
                         : "{\"epsilon\": 8, \"preferences\": [0.5, 2]}");
            give_scores(&b, scores, 2);
            b.client.index = client;
            noise_of(&b, 1000, got[client]);
            is_near(try_fact(&b.t, "epsilon_claimed"), client == 1 ? 16 : 4, 1e-9);
            close_bench(&b);
        }
        for (int l = 0; l < NET_LAYERS; l++) {
            is_near(got[0][l] / got[1][l], 4, 1e-5); /* the same draws, longer */
            is_near(got[2][l], got[0][l], 1e-9);
        }
    }
}

static void more_rounds_are_more_noise(void **state) {
    (void)state;
    static bench b;
    double one[NET_LAYERS], many[NET_LAYERS];
    open_bench(&b, "uniform", NULL);
    noise_of(&b, 100000, one);
    close_bench(&b);
    open_bench(&b, "uniform", NULL);
    b.client.rounds = 16;
    noise_of(&b, 100000, many);
    is_near(many[0] / one[0], 4, 1e-5); /* the same draws, longer */
    is_near(many[1] / one[1], 4, 1e-5);
    close_bench(&b);
}

/* A score of 0 takes neither all of ε nor a division by it. */
static void budgets_are_reversed_and_add_up(void **state) {
    (void)state;
    static const float cases[][2] = {{1, 3}, {3, 1}, {1e-20f, 1e20f}, {0, 2}, {0, 0}, {1e-30f, 1e-30f}};
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        static bench b;
        double got[NET_LAYERS];
        open_bench(&b, "fedre", "{\"epsilon\": 7, \"scores\": \"public\"}");
        give_scores(&b, cases[k], 2);
        noise_of(&b, 1000, got);
        is_near(try_fact(&b.t, "epsilon_claimed"), 7, 1e-9);
        assert_true(isfinite(got[0]) && isfinite(got[1]));
        if (cases[k][0] != cases[k][1])
            assert_true((got[0] < got[1]) == (cases[k][0] < cases[k][1]));
        else
            is_near(got[0] / got[1], 1, 0.2);
        close_bench(&b);
    }
}

static void epsilons_are_those_of_dp_h(void **state) {
    (void)state;
    static bench b;
    static const float scores[] = {1, 3};
    double got[NET_LAYERS], inverse = 0;
    open_bench(&b, "fedre", "{\"epsilon\": 20, \"delta\": 1e-6, \"scores\": \"public\"}");
    give_scores(&b, scores, 2);
    b.client.rounds = 9;
    noise_of(&b, 10, got);
    for (int l = 0; l < NET_LAYERS; l++)
        inverse += pow(deviation(1, 9, 1e-6, l ? 5 : 15), -2);
    static const struct {
        const char *fact;
        double times; /* √9 of nine rounds, 2 where a client's data are exchanged */
    } expected[] = {{"epsilon_release_add", 1},
                    {"epsilon_release_replace", 2},
                    {"epsilon_rounds_add", 3},
                    {"epsilon_rounds_replace", 6}};
    for (int i = 0; i < 4; i++)
        is_near(try_fact(&b.t, expected[i].fact),
                gnt_dp_gaussian_epsilon(1, 1e-6, expected[i].times * sqrt(inverse)), 1e-9);
    close_bench(&b);
}

/* The first layer is longer than the clip, the second one is not. */
static void layers_are_clipped_by_themselves(void **state) {
    (void)state;
    static bench b;
    float first[4] = {3, 0, 0, 0}, bias[1] = {4}, second[2] = {0.6f, 0}, none[1] = {0.8f};
    open_bench(&b, "uniform", "{\"epsilon\": 1e9, \"clip\": 2}");
    gnt_tensor t[] = {try_tensor("a", first, 4), try_tensor("b", bias, 1), try_tensor("c", second, 2),
                      try_tensor("d", none, 1)};
    t[2].layer = t[3].layer = 1;
    gnt_tensors update = {4, t};
    must_transform(&b, &update);
    is_near(first[0], 3 * 2.0 / 5, 1e-5);
    is_near(bias[0], 4 * 2.0 / 5, 1e-5);
    is_near(second[0], 0.6, 1e-5);
    is_near(none[0], 0.8, 1e-5);
    is_near(try_fact(&b.t, "clipped"), 0.5, 1e-12);
    /* 8 entries of one deviation, over the norm of what 2 and 1 are the norms of */
    is_near(try_fact(&b.t, "noise_to_signal"), sqrt(8) * deviation(2, 1, 1e-5, 5e8) / sqrt(5), 1e-6);
    first[0] = NAN;
    assert_int_equal(transform(&b, &update), GNT_FAILED);
    assert_non_null(strstr(b.err.text, "NaN"));
    close_bench(&b);
}

static void without_a_bound_all_are_undefended(void **state) {
    (void)state;
    static const char *const ids[] = {"fedre", "uniform"};
    for (int k = 0; k < 2; k++) {
        static bench b;
        float plain[NET_MOST];
        open_bench(&b, ids[k], "{\"epsilon\": 1e9, \"clip\": 1}");
        net_fill(&b.n, 3, 0.05);
        memcpy(plain, b.n.update, sizeof plain);
        must_transform(&b, &b.n.tensors);
        assert_true(try_fact(&b.t, "clipped") == 0);
        for (int64_t i = 0; i < b.n.params; i++)
            assert_true(fabs((double)b.n.update[i] - (double)plain[i]) < 1e-6);
        assert_memory_not_equal(plain, b.n.update, sizeof plain);
        close_bench(&b);
    }
}

/* ---- whose scores ---- */

static void expected_scores(bench *b, double out[NET_LAYERS]) {
    plain_host p;
    layers l;
    const gnt_host *host = plain_open(&p, 1);
    p.host.model = gnt_service_table(b->n.service);
    const psi_request in = {
        .samples = &b->n.samples, .row = b->n.row, .n = NET_ROWS, .weights = b->n.weights};
    assert_int_equal(layers_of_model(host, &l), GNT_OK);
    assert_int_equal(psi_scores(host, &l, &in, out), GNT_OK);
    plain_close(&p);
}

static void save(bench *b, int32_t client, kept *out) {
    *out = (kept){.artefacts = {.size = sizeof(gnt_artefacts)}};
    out->artefacts.tensors.view = out->view;
    const gnt_sink sink = {.size = sizeof sink, .context = out, .tensor = try_keep};
    assert_int_equal(
        gnt_instance_defense(b->t.instance)->save(gnt_instance_self(b->t.instance), client, &sink), GNT_OK);
}

static void load(bench *b, int32_t client, const kept *from) {
    assert_int_equal(
        gnt_instance_defense(b->t.instance)->load(gnt_instance_self(b->t.instance), client, &from->artefacts),
        GNT_OK);
}

static const char exactly[] = "{\"probes\": 0, \"samples\": 1000}";

/* The scores of the first round stay in later ones, whatever the weights are then. */
static void a_client_keeps_its_scores(void **state) {
    (void)state;
    static bench b, c;
    kept first, again;
    double expected[NET_LAYERS], got[NET_LAYERS];
    open_bench(&b, "fedre", exactly);
    open_bench(&c, "fedre", exactly);
    expected_scores(&b, expected);
    save(&b, 0, &first);
    assert_int_equal(first.artefacts.tensors.n, 0); /* it has none yet */
    noise_of(&b, 100000, got);
    save(&b, 0, &first);
    assert_int_equal(first.artefacts.tensors.n, 1);
    for (int l = 0; l < NET_LAYERS; l++)
        is_near(first.view[0].data[l], expected[l], 1e-6);
    is_near(got[0] / got[1], expected[0] / expected[1], 0.01); /* σ_l goes with S_l */
    for (int64_t i = 0; i < c.n.params; i++)
        c.n.weights[i] *= 3;
    load(&c, 0, &first);
    noise_of(&c, 10, got);
    save(&c, 0, &again);
    assert_memory_equal(again.view[0].data, first.view[0].data, NET_LAYERS * sizeof(float));
    try_drop(&again);
    c.client.index = 1; /* another client: its own, at these weights */
    noise_of(&c, 10, got);
    save(&c, 0, &again);
    assert_int_equal(again.artefacts.tensors.n, 0);
    save(&c, 1, &again);
    expected_scores(&c, expected);
    is_near(again.view[0].data[0], expected[0], 1e-6);
    assert_true(fabs((double)again.view[0].data[0] / (double)first.view[0].data[0] - 1) > 0.1);
    first.view[0].count = 1;
    load(&c, 1, &first);
    assert_int_equal(transform(&c, &c.n.tensors), GNT_FAILED);
    assert_non_null(strstr(c.err.text, "of another model"));
    try_drop(&again);
    try_drop(&first);
    close_bench(&b);
    close_bench(&c);
}

/* With each_round, scores follow the weights, and nothing is kept. */
static void scores_of_each_round(void **state) {
    (void)state;
    static bench b;
    kept state_of_client;
    double expected[NET_LAYERS], got[NET_LAYERS];
    open_bench(&b, "fedre", "{\"measured\": \"each_round\", \"probes\": 0, \"samples\": 1000}");
    for (int round = 0; round < 2; round++) {
        expected_scores(&b, expected);
        noise_of(&b, 100000, got);
        is_near(got[0] / got[1], expected[0] / expected[1], 0.01);
        save(&b, 0, &state_of_client);
        assert_int_equal(state_of_client.artefacts.tensors.n, 0);
        const double before = expected[0] / expected[1];
        for (int64_t i = 0; i < b.n.params / 2; i++)
            b.n.weights[i] *= 3;
        expected_scores(&b, expected);
        assert_true(fabs(expected[0] / expected[1] / before - 1) > 0.1);
    }
    close_bench(&b);
}

static gnt_status prepare(bench *b, const gnt_samples *public_data, kept *out) {
    const gnt_defense_prepare in = {
        .size = sizeof in, .stage = -1, .public_data = public_data, .weights = b->n.weights};
    *out = (kept){.artefacts = {.size = sizeof(gnt_artefacts)}};
    out->artefacts.tensors.view = out->view;
    const gnt_sink sink = {.size = sizeof sink, .context = out, .tensor = try_keep};
    gnt_instance_enter(b->t.instance, "prepare");
    return gnt_instance_leave(
        b->t.instance,
        gnt_instance_defense(b->t.instance)->prepare(gnt_instance_self(b->t.instance), &in, &sink), &b->err);
}

static void public_scores_are_those_of_public_samples(void **state) {
    (void)state;
    static bench b;
    kept left;
    double expected[NET_LAYERS], got[NET_LAYERS];
    open_bench(&b, "fedre", "{\"scores\": \"public\", \"probes\": 0, \"samples\": 1000}");
    expected_scores(&b, expected);
    assert_int_equal(prepare(&b, &b.n.samples, &left), GNT_OK);
    assert_string_equal(left.view[0].name, "psi");
    for (int l = 0; l < NET_LAYERS; l++)
        is_near(left.view[0].data[l], expected[l], 1e-6);
    b.client.artefacts = &left.artefacts;
    b.client.samples = NULL; /* its own samples have no part in it */
    noise_of(&b, 100000, got);
    is_near(got[0] / got[1], expected[0] / expected[1], 0.01);
    try_drop(&left);
    assert_int_equal(prepare(&b, NULL, &left), GNT_UNSUPPORTED);
    assert_non_null(strstr(b.err.text, "public samples of the model's shape"));
    gnt_samples other = b.n.samples;
    other.classes = 2;
    assert_int_equal(prepare(&b, &other, &left), GNT_UNSUPPORTED);
    close_bench(&b);
    open_bench(&b, "fedre", NULL);
    assert_int_equal(prepare(&b, NULL, &left), GNT_OK); /* own scores need nothing of it */
    assert_int_equal(left.artefacts.tensors.n, 0);
    close_bench(&b);
}

static void without_a_region_the_budget_is_even(void **state) {
    (void)state;
    static bench b;
    double got[NET_LAYERS];
    open_bench(&b, "fedre", NULL);
    memset(b.n.mask, 0, sizeof b.n.mask);
    noise_of(&b, 100000, got);
    is_near(got[0] / got[1], 1, 0.01);
    assert_non_null(strstr(b.t.said, "no sample has a sensitive region"));
    close_bench(&b);
}

static void refuses_in_words(void **state) {
    (void)state;
    static bench b;
    open_bench(&b, "fedre", "{\"scores\": \"public\"}");
    assert_int_equal(transform(&b, &b.n.tensors), GNT_FAILED);
    assert_non_null(strstr(b.err.text, "are not there"));
    b.n.tensors.n--;
    assert_int_equal(transform(&b, &b.n.tensors), GNT_FAILED);
    assert_non_null(strstr(b.err.text, "other layers"));
    close_bench(&b);
    open_bench(&b, "fedre", NULL);
    b.n.weights[3] = NAN;
    assert_int_equal(transform(&b, &b.n.tensors), GNT_FAILED);
    assert_non_null(strstr(b.err.text, "cannot be scored"));
    b.client.samples = NULL;
    assert_int_equal(transform(&b, &b.n.tensors), GNT_UNSUPPORTED);
    assert_non_null(strstr(b.err.text, "found none"));
    close_bench(&b);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(noise_has_the_printed_variance),
        cmocka_unit_test(each_layer_has_its_own_bound),
        cmocka_unit_test(noise_of_one_sample),
        cmocka_unit_test(each_client_has_its_own_budget),
        cmocka_unit_test(more_rounds_are_more_noise),
        cmocka_unit_test(budgets_are_reversed_and_add_up),
        cmocka_unit_test(epsilons_are_those_of_dp_h),
        cmocka_unit_test(layers_are_clipped_by_themselves),
        cmocka_unit_test(without_a_bound_all_are_undefended),
        cmocka_unit_test(a_client_keeps_its_scores),
        cmocka_unit_test(scores_of_each_round),
        cmocka_unit_test(public_scores_are_those_of_public_samples),
        cmocka_unit_test(without_a_region_the_budget_is_even),
        cmocka_unit_test(refuses_in_words),
    };
    return cmocka_run_group_tests_name("region", tests, NULL, NULL);
}
