/* fedre-sample: local steps by hand, where each layer of each sample's gradient is clipped; how often a
 * sample is in a batch; the deviation of the noise; its epsilons. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "gauntlet/dp.h"
#include "region_net.h"
#include "try_plugin.h"

static const double rate = 0.2;

typedef struct bench {
    tried t;
    net n;
    gnt_view psi;
    gnt_artefacts artefacts;
    gnt_client client;
    gnt_err err;
} bench;

static void open_bench(bench *b, const char *json, int32_t steps, int64_t batch) {
    static const float scores[] = {0.5f, 2}; /* ε is split 4 to 1 */
    char where[4096];
    *b = (bench){.artefacts = {.size = sizeof b->artefacts}};
    net_open(&b->n, net_json, 1, 7);
    if (try_load(&b->t, built("plugins/defenses/region.so", where), GNT_PLUGIN_DEFENSE, "fedre-sample", json,
                 &b->err) ||
        try_start(&b->t, 3, (gnt_instance_spec){.model = b->n.service}, &b->err))
        fail_msg("%s", b->err.text);
    b->psi = (gnt_view){.name = "psi", .rank = 1, .dim = {2}, .count = 2, .data = scores};
    b->artefacts.tensors = (gnt_views){1, &b->psi};
    b->client = (gnt_client){.size = sizeof b->client,
                             .n_clients = 1,
                             .n_samples = NET_ROWS,
                             .rate = rate,
                             .rounds = 3,
                             .steps = steps,
                             .batch = batch,
                             .samples = &b->n.samples,
                             .weights = b->n.weights,
                             .artefacts = &b->artefacts};
}

static void close_bench(bench *b) {
    try_close(&b->t);
    net_close(&b->n);
}

static void update_of(bench *b) {
    gnt_instance_enter(b->t.instance, "client_update");
    const gnt_status s = gnt_instance_defense(b->t.instance)
                             ->client_update(gnt_instance_self(b->t.instance), &b->client, &b->n.tensors);
    if (gnt_instance_leave(b->t.instance, s, &b->err) != GNT_OK)
        fail_msg("%s", b->err.text);
}

static void is_near(double got, double expected, double share) {
    if (!(fabs(got - expected) <= share * fabs(expected)))
        fail_msg("%.12g, expected %.12g", got, expected);
}

static double norm_of(const double *g, int64_t n) {
    double sum = 0;
    for (int64_t i = 0; i < n; i++)
        sum += g[i] * g[i];
    return sqrt(sum);
}

/* Where the second layer begins. */
static int64_t second(const net *n) {
    return NET_HIDDEN * (n->in + 1);
}

/* Adds factor·Σ over all samples of the gradients at w, each layer of each clipped; returns the share of
 * layers that were. `layer` clip: of each, else of the whole gradient. */
static double add_clipped(const net *n, const double *w, double clip, double factor, int by_layer,
                          double *out) {
    double share = 0;
    for (int s = 0; s < NET_ROWS; s++) {
        double g[NET_MOST];
        net_gradient(n, w, s, g);
        for (int l = 0; l < NET_LAYERS; l++) {
            const int64_t from = l ? second(n) : 0, end = l ? n->params : second(n);
            const double norm = by_layer ? norm_of(g + from, end - from) : norm_of(g, n->params);
            share += (norm > clip) / (double)(NET_ROWS * NET_LAYERS);
            for (int64_t i = from; i < end; i++)
                out[i] += factor * (norm > clip ? clip / norm : 1) * g[i];
        }
    }
    return share;
}

/* With next to no noise: one gradient, and two steps on all samples. One bound for both layers together gives
 * something else. */
static void each_layer_of_each_sample_is_clipped(void **state) {
    (void)state;
    static bench b;
    for (int32_t steps = 0; steps <= 2; steps += 2) {
        double w[NET_MOST], expected[NET_MOST] = {0}, whole[NET_MOST] = {0}, off = 0, apart = 0, share = 0;
        open_bench(&b, "{\"epsilon\": 1e9, \"clip\": 1.2, \"scores\": \"public\"}", steps, NET_ROWS);
        update_of(&b);
        for (int64_t i = 0; i < b.n.params; i++)
            w[i] = (double)b.n.weights[i];
        if (steps == 0) {
            share = add_clipped(&b.n, w, 1.2, 1.0 / NET_ROWS, 1, expected);
            add_clipped(&b.n, w, 1.2, 1.0 / NET_ROWS, 0, whole);
        }
        for (int s = 0; s < steps; s++) {
            double d[NET_MOST] = {0};
            share += add_clipped(&b.n, w, 1.2, -rate / NET_ROWS, 1, d) / steps;
            for (int64_t i = 0; i < b.n.params; i++) {
                w[i] += d[i];
                expected[i] += d[i];
            }
            add_clipped(&b.n, w, 1.2, -rate / NET_ROWS, 0, whole);
        }
        for (int64_t i = 0; i < b.n.params; i++) {
            off = fmax(off, fabs((double)b.n.update[i] - expected[i]));
            apart = fmax(apart, fabs(expected[i] - whole[i]));
        }
        assert_true(off < 1e-5 && apart > 1e-3);
        assert_true(share > 0.1 && share < 0.9);
        is_near(try_fact(&b.t, "clipped"), share, 1e-6);
        close_bench(&b);
    }
}

/* Four batches of five are all samples once, eight are all twice: to first order in the rate the delta is the
 * sum of their gradients. */
static void a_pass_has_each_sample_once(void **state) {
    (void)state;
    static bench b;
    for (int32_t passes = 1; passes <= 2; passes++) {
        double w[NET_MOST], sum[NET_MOST] = {0}, off = 0;
        open_bench(&b, "{\"epsilon\": 1e9, \"clip\": 100, \"scores\": \"public\"}", 4 * passes, 5);
        b.client.rate = 1e-3;
        update_of(&b);
        for (int64_t i = 0; i < b.n.params; i++)
            w[i] = (double)b.n.weights[i];
        add_clipped(&b.n, w, 100, passes / 5.0, 1, sum);
        for (int64_t i = 0; i < b.n.params; i++)
            off = fmax(off, fabs((double)b.n.update[i] / -1e-3 - sum[i]));
        assert_true(off < 0.01 * passes * norm_of(sum, b.n.params));
        close_bench(&b);
    }
}

/* σ_l of Eq. 9 for T′ noisy means. */
static double sigma(double releases, int layer, double epsilon) {
    return sqrt(2 * releases * log(NET_LAYERS / 1e-5)) / (epsilon * (layer ? 0.2 : 0.8));
}

/* So much noise that gradients are nothing to it. In batches of five of twenty samples six steps are two
 * passes: T′ is 3·2 for one sample, 3·6 for all of a client, in three rounds. */
static void noise_and_epsilons_follow_the_releases(void **state) {
    (void)state;
    static const struct {
        const char *json;
        int32_t steps;
        int by_sample;
        double releases, of_round, batch, uses;
    } cases[] = {
        {"{\"epsilon\": 0.01, \"clip\": 0.5, \"scores\": \"public\"}", 0, 1, 3, 1, NET_ROWS, 1},
        {"{\"epsilon\": 0.01, \"clip\": 0.5, \"scores\": \"public\"}", 6, 1, 6, 6, 5, 2},
        {"{\"epsilon\": 0.01, \"clip\": 0.5, \"scores\": \"public\", \"sensitivity\": \"clip\"}", 6, 0, 18, 6,
         5, 2},
    };
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        enum { TURNS = 60 };
        static bench b;
        double square[NET_LAYERS] = {0}, inverse = 0;
        open_bench(&b, cases[c].json, cases[c].steps, 5);
        const double share = cases[c].by_sample ? 2 / cases[c].batch : 1;
        for (int turn = 0; turn < TURNS; turn++) {
            update_of(&b);
            for (int64_t i = 0; i < b.n.params; i++)
                square[i >= second(&b.n)] += pow((double)b.n.update[i], 2);
        }
        for (int l = 0; l < NET_LAYERS; l++) {
            const double n = (double)TURNS * (double)(l ? b.n.params - second(&b.n) : second(&b.n));
            const double s = share * sigma(cases[c].releases, l, 0.01);
            is_near(sqrt(square[l] / n), 0.5 * s * sqrt(cases[c].of_round) * (cases[c].steps ? rate : 1),
                    5 / sqrt(2 * n));
            inverse += 1 / (s * s);
        }
        is_near(try_fact(&b.t, "epsilon_claimed"), 0.01, 1e-9);
        is_near(try_fact(&b.t, "epsilon_release_add"),
                gnt_dp_gaussian_epsilon(1, 1e-5, sqrt(cases[c].of_round * inverse)), 1e-9);
        is_near(try_fact(&b.t, "epsilon_rounds_replace"),
                gnt_dp_gaussian_epsilon(1, 1e-5, 2 * sqrt(3 * cases[c].of_round * inverse)), 1e-9);
        is_near(try_fact(&b.t, "epsilon_sample_replace"),
                gnt_dp_gaussian_epsilon(1, 1e-5, 2 / cases[c].batch * sqrt(3 * cases[c].uses * inverse)),
                1e-9);
        close_bench(&b);
    }
}

static void one_key_one_update(void **state) {
    (void)state;
    static bench a, b;
    open_bench(&a, "{\"scores\": \"public\"}", 6, 5);
    open_bench(&b, "{\"scores\": \"public\"}", 6, 5);
    update_of(&a);
    update_of(&b);
    assert_memory_equal(a.n.update, b.n.update, (size_t)a.n.params * sizeof *a.n.update);
    update_of(&b);
    assert_memory_not_equal(a.n.update, b.n.update, (size_t)a.n.params * sizeof *a.n.update);
    close_bench(&a);
    close_bench(&b);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_layer_of_each_sample_is_clipped),
        cmocka_unit_test(a_pass_has_each_sample_once),
        cmocka_unit_test(noise_and_epsilons_follow_the_releases),
        cmocka_unit_test(one_key_one_update),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
