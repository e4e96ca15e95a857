/* dp-gaussian, dp-laplace and clip: the noise's distribution, its streams, the clip, and the epsilons; and
 * that every defense of the update surface distorts more the stronger it is turned, which one that ignores
 * its strength is caught not to do. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "monotone.h"

enum { N = 100000 };

static char where[4096];

static const char *dp_so(void) {
    return built("plugins/defenses/dp.so", where);
}

static tried open_dp(const char *id, const char *json, uint64_t seed) {
    tried t;
    gnt_err err = {0};
    if (try_open(&t, dp_so(), GNT_PLUGIN_DEFENSE, id, json, seed, &err) != 0)
        fail_msg("%s", err.text);
    return t;
}

static void send_two(tried *t, float *a, int64_t na, float *b, int64_t nb) {
    gnt_tensor list[] = {try_tensor("a", a, na), try_tensor("b", b, nb)};
    gnt_tensors update = {2, list};
    gnt_err err = {0};
    if (try_transform(t, &update, &err) != GNT_OK)
        fail_msg("%s", err.text);
}

static void send_one(tried *t, float *a, int64_t n) {
    float none[1] = {0};
    send_two(t, a, n, none, 1);
}

static double mean_power(const float *x, int64_t n, double about, int power) {
    double sum = 0;
    for (int64_t i = 0; i < n; i++)
        sum += pow(fabs((double)x[i] - about), power);
    return sum / (double)n;
}

/* Gaussian: E|z| = σ√(2/π), E z² = σ², E z⁴ = 3σ⁴. The deviations of their estimates from N draws are
 * σ·0.60/√N, σ²√2/√N and σ⁴√96/√N; five of each are allowed. Laplace: E|z| = b, E z² = 2b², E z⁴ = 24b⁴, with
 * b/√N, b²√20/√N and b⁴√(8! − 24²)/√N. */
static void noise_has_the_stated_scale(void **state) {
    (void)state;
    float *x = calloc(N, sizeof *x);
    tried t = open_dp("dp-gaussian", "{\"sigma\": 0.2, \"mu\": 0.5}", 1);
    const double five = 5 / sqrt(N), s = 0.2, b = 0.3;
    double mean = 0;
    send_one(&t, x, N);
    for (int i = 0; i < N; i++)
        mean += (double)x[i] / N;
    assert_true(fabs(mean - 0.5) < s * five);
    assert_true(fabs(mean_power(x, N, 0.5, 1) - s * sqrt(2 / M_PI)) < 0.6 * s * five);
    assert_true(fabs(mean_power(x, N, 0.5, 2) - s * s) < s * s * sqrt(2) * five);
    assert_true(fabs(mean_power(x, N, 0.5, 4) - 3 * pow(s, 4)) < pow(s, 4) * sqrt(96) * five);
    try_close(&t);

    t = open_dp("dp-laplace", "{\"b\": 0.3}", 1);
    memset(x, 0, N * sizeof *x);
    send_one(&t, x, N);
    assert_true(fabs(mean_power(x, N, 0, 1) - b) < b * five);
    assert_true(fabs(mean_power(x, N, 0, 2) - 2 * b * b) < b * b * sqrt(20) * five);
    assert_true(fabs(mean_power(x, N, 0, 4) - 24 * pow(b, 4)) < pow(b, 4) * sqrt(40320 - 576) * five);
    try_close(&t);
    free(x);
}

static double correlation(const float *a, const float *b, int64_t n) {
    double ab = 0, aa = 0, bb = 0;
    for (int64_t i = 0; i < n; i++) {
        ab += (double)a[i] * (double)b[i];
        aa += (double)a[i] * (double)a[i];
        bb += (double)b[i] * (double)b[i];
    }
    return ab / sqrt(aa * bb);
}

/* Between tensors, between calls, between keys: no correlation beyond chance (1/√N); the same key: the same
 * bytes, for a tensor longer than the chunks that noise is drawn in too. */
static void streams_differ_and_keys_decide(void **state) {
    (void)state;
    const char *ids[] = {"dp-gaussian", "dp-laplace"};
    float *x = calloc(6 * N, sizeof *x), *a = x, *b = x + N, *later = x + 2 * N, *same_a = x + 3 * N,
          *same_b = x + 4 * N, *other = x + 5 * N;
    for (int k = 0; k < 2; k++) {
        memset(x, 0, 6 * N * sizeof *x);
        tried t = open_dp(ids[k], NULL, 7), again = open_dp(ids[k], NULL, 7),
              else_ = open_dp(ids[k], NULL, 8);
        send_two(&t, a, N, b, N);
        send_one(&t, later, N);
        send_two(&again, same_a, N, same_b, N);
        send_one(&else_, other, N);
        assert_memory_equal(a, same_a, N * sizeof *a);
        assert_memory_equal(b, same_b, N * sizeof *b);
        /* a name's stream is its own: the noise of b does not depend on what came before it */
        tried shorter = open_dp(ids[k], NULL, 7);
        float one[1] = {0};
        memset(same_b, 0, N * sizeof *same_b);
        send_two(&shorter, one, 1, same_b, N);
        assert_memory_equal(b, same_b, N * sizeof *b);
        try_close(&shorter);
        const float *fresh[] = {b, later, other};
        for (int i = 0; i < 3; i++)
            assert_true(fabs(correlation(a, fresh[i], N)) < 5 / sqrt(N));
        assert_true(fabs(correlation(a, a + 1, N - 1)) < 5 / sqrt(N));
        try_close(&t), try_close(&again), try_close(&else_);
    }
    free(x);
}

/* Noise of 1e-8 is below what the comparisons can see. */
static void clips_to_the_bound(void **state) {
    (void)state;
    float a[] = {3, 0, -4}, b[] = {0, 12}; /* norms 5 and 12, together 13; sums 7 and 12 */
    tried t = open_dp("dp-gaussian", "{\"sigma\": 1e-8, \"clip\": 6.5}", 1);
    send_two(&t, a, 3, b, 2);
    const float half[] = {1.5f, 0, -2, 0, 6};
    for (int i = 0; i < 5; i++)
        assert_true(fabsf((i < 3 ? a[i] : b[i - 3]) - half[i]) < 2e-6f);
    assert_true(fabs(try_fact(&t, "norm") - 13) < 1e-12);
    assert_true(try_fact(&t, "clipped") == 1);
    send_two(&t, a, 3, b, 2); /* it is at the bound now, but for the noise: nothing more to take off */
    assert_true(fabsf(a[0] - 1.5f) < 2e-6f && fabsf(b[1] - 6) < 4e-6f);
    try_close(&t);

    float c[] = {3, 0, -4}, d[] = {0, 12};
    t = open_dp("dp-gaussian", "{\"sigma\": 1e-8, \"clip\": 6, \"clip_mode\": \"per_tensor\"}", 1);
    send_two(&t, c, 3, d, 2); /* 5 is below the bound and stays */
    assert_true(fabsf(c[0] - 3) < 1e-6f && fabsf(c[2] + 4) < 1e-6f && fabsf(d[1] - 6) < 2e-6f);
    assert_true(try_fact(&t, "clipped") == 0.5);
    try_close(&t);

    float e[] = {3, 0, -4}, f[] = {0, 12};
    t = open_dp("dp-laplace", "{\"b\": 1e-8, \"clip\": 9.5}", 1); /* L1: 19 becomes 9.5 */
    send_two(&t, e, 3, f, 2);
    assert_true(fabsf(e[2] + 2) < 2e-6f && fabsf(f[1] - 6) < 2e-6f);
    assert_true(fabs(try_fact(&t, "norm") - 19) < 1e-12);
    try_close(&t);

    float g[] = {3, 0, -4}, h[] = {0, 12};
    t = open_dp("dp-laplace", "{\"b\": 1e-8, \"clip\": 1e-10, \"clip_mode\": \"none\"}", 1);
    send_two(&t, g, 3, h, 2);
    assert_true(fabsf(g[2] + 4) < 1e-6f && fabsf(h[1] - 12) < 2e-6f);
    try_close(&t);
}

/* The paper's g / max(1, ‖g‖/S), exactly what dp-gaussian clips, and no noise. */
static void clip_alone_adds_nothing(void **state) {
    (void)state;
    float a[] = {3, 0, -4}, b[] = {0, 12}, c[] = {3, 0, -4}, d[] = {0, 12}, e[] = {3, 0, -4}, f[] = {0, 12};
    tried t = open_dp("clip", "{\"bound\": 13.0001}", 1); /* the norm is 13 */
    send_two(&t, a, 3, b, 2);
    assert_true(a[0] == 3 && a[1] == 0 && a[2] == -4 && b[0] == 0 && b[1] == 12);
    assert_true(try_fact(&t, "clipped") == 0 && isnan(try_fact(&t, "epsilon_release_add")));
    try_close(&t);
    t = open_dp("clip", NULL, 1); /* 4, the paper's */
    send_two(&t, c, 3, d, 2);
    const double factor = 4.0 / 13 * (1 - 0x1p-23);
    assert_true(c[0] == (float)(3 * factor) && c[1] == 0 && c[2] == (float)(-4 * factor));
    assert_true(d[0] == 0 && d[1] == (float)(12 * factor) && try_fact(&t, "clipped") == 1);
    try_close(&t);
    t = open_dp("clip", "{\"bound\": 6, \"clip_mode\": \"per_tensor\"}", 1);
    send_two(&t, e, 3, f, 2); /* norms 5 and 12 */
    assert_true(e[0] == 3 && e[2] == -4 && fabsf(f[1] - 6) < 2e-6f && f[1] <= 6);
    try_close(&t);
}

/* As a client of a model with batch norm sends it: an update a, and b of its running statistics. */
static void send_with_statistics(tried *t, float *a, int64_t na, float *b, int64_t nb) {
    gnt_tensor of_update = try_tensor("a", a, na), of_statistics = try_tensor("n.running_mean", b, nb);
    gnt_tensors update = {1, &of_update}, sent = {1, &of_statistics};
    const gnt_client client = {.size = sizeof client, .n_clients = 1, .n_samples = 1, .sent_buffers = &sent};
    gnt_err err = {0};
    gnt_instance_enter(t->instance, "transform_update");
    const gnt_status s =
        gnt_instance_defense(t->instance)->transform_update(gnt_instance_self(t->instance), &client, &update);
    if (gnt_instance_leave(t->instance, s, &err) != GNT_OK)
        fail_msg("%s", err.text);
    assert_int_equal(sent.n, 1);
}

/* The norm of both is 13; the noise of each is the same as that of two tensors of one update, so that one
 * epsilon holds for both. */
static void statistics_are_a_part_of_what_is_released(void **state) {
    (void)state;
    static const char clipped[] = "{\"sigma\": 1e-8, \"clip\": 6.5, \"delta\": 1e-5}";
    float a[] = {3, 0, -4}, b[] = {0, 12};
    tried t = open_dp("dp-gaussian", clipped, 1);
    send_with_statistics(&t, a, 3, b, 2);
    assert_true(fabsf(a[0] - 1.5f) < 2e-6f && fabsf(b[1] - 6) < 2e-6f);
    assert_true(try_fact(&t, "epsilon_covers_statistics") == 1);
    const double both = try_fact(&t, "epsilon_release_replace");
    try_close(&t);
    float c[] = {3, 0, -4}, d[] = {0, 12};
    t = open_dp("dp-gaussian", clipped, 1);
    send_two(&t, c, 3, d, 2);
    assert_true(try_fact(&t, "epsilon_release_replace") == both &&
                isnan(try_fact(&t, "epsilon_covers_statistics")));
    try_close(&t);

    float *x = calloc(2 * N, sizeof *x);
    t = open_dp("dp-laplace", "{\"b\": 0.3}", 1);
    send_with_statistics(&t, x, N, x + N, N);
    for (int k = 0; k < 2; k++)
        assert_true(fabs(mean_power(x + k * N, N, 0, 1) - 0.3) < 0.3 * 5 / sqrt(N));
    assert_true(fabs(correlation(x, x + N, N)) < 5 / sqrt(N));
    try_close(&t);
    free(x);
}

/* Left out, they are what they were, and so is the update's norm alone what is clipped. */
static void statistics_may_be_left_in_the_clear(void **state) {
    (void)state;
    float a[] = {3, 0, -4}, b[] = {0, 12};
    tried t =
        open_dp("dp-gaussian", "{\"sigma\": 0.5, \"clip\": 6.5, \"delta\": 1e-5, \"statistics\": false}", 1);
    send_with_statistics(&t, a, 3, b, 2);
    assert_true(b[0] == 0 && b[1] == 12 && a[0] != 3 && try_fact(&t, "norm") == 5);
    assert_true(try_fact(&t, "epsilon_covers_statistics") == 0);
    try_close(&t);
    t = open_dp("clip", "{\"bound\": 1}", 1);
    send_with_statistics(&t, a, 3, b, 2);
    assert_true(b[0] == 0 && b[1] == 12);
    try_close(&t);
}

/* The released update, not the intended one, must lie within the bound: rounded entries included. */
static void released_norms_never_pass_the_bound(void **state) {
    (void)state;
    float *x = malloc(N * sizeof *x);
    gnt_key key = gnt_key_of_seed(3);
    gnt_stream s = gnt_stream_open(&key, "x");
    for (int repeat = 0; repeat < 20; repeat++) {
        /* clipped entries are above 400: noise of 1e-8 is below half of their last place */
        for (int i = 0; i < N; i++)
            x[i] = (float)(1e7 * (2 + gnt_random_uniform(&s)));
        double bound = 1e6 / (1 + repeat / 7.0), sum = 0;
        char json[100];
        snprintf(json, sizeof json, "{\"sigma\": 1e-8, \"clip\": %.17g}", bound);
        tried t = open_dp("dp-gaussian", json, 1);
        send_one(&t, x, N);
        for (int i = 0; i < N; i++)
            sum += (double)x[i] * (double)x[i];
        assert_true(sqrt(sum) <= bound && sqrt(sum) > bound * (1 - 3e-7));
        try_close(&t);
    }
    free(x);
}

static void zero_update_and_odd_updates(void **state) {
    (void)state;
    float zero[50] = {0}, bad[3] = {1, INFINITY, 2};
    tried t = open_dp("dp-gaussian", "{\"sigma\": 0.01, \"delta\": 1e-5}", 1);
    send_one(&t, zero, 50);
    for (int i = 0; i < 50; i++)
        assert_true(isfinite(zero[i]) && zero[i] != 0 && fabsf(zero[i]) < 0.1f);
    assert_true(try_fact(&t, "clipped") == 0 && try_fact(&t, "norm") == 0);
    gnt_tensor list[] = {try_tensor("a", bad, 3)};
    gnt_tensors update = {1, list}, nothing = {0, list};
    gnt_err err = {0};
    assert_int_equal(try_transform(&t, &update, &err), GNT_FAILED);
    assert_non_null(strstr(err.text, "NaN or infinite"));
    assert_int_equal(try_transform(&t, &nothing, &err), GNT_OK);
    try_close(&t);
}

static int close_to(double got, double expected) {
    return fabs(got - expected) <= 1e-9 * expected;
}

/* Sends two tensors as a client of a task that trains for that many rounds. */
static void send_of_rounds(tried *t, int32_t rounds) {
    float a[4] = {1, 2, 3, 4}, b[9] = {5};
    gnt_tensor list[] = {try_tensor("a", a, 4), try_tensor("b", b, 9)};
    gnt_tensors update = {2, list};
    gnt_client client = {
        .size = sizeof client, .n_clients = 1, .n_samples = 1, .rate = 0.1, .rounds = rounds};
    gnt_err err = {0};
    gnt_instance_enter(t->instance, "transform_update");
    const gnt_defense *d = gnt_instance_defense(t->instance);
    const gnt_status s = d->transform_update(gnt_instance_self(t->instance), &client, &update);
    assert_int_equal(gnt_instance_leave(t->instance, s, &err), GNT_OK);
}

/* Epsilons of one release do not change with the number of rounds; tests/golden/dp.py has those of 60. */
static void epsilons_of_all_rounds(void **state) {
    (void)state;
    const struct {
        const char *id, *json;
        double release, replace, rounds, rounds_replace;
    } cases[] = {
        {"dp-gaussian", "{\"sigma\": 1, \"clip\": 1, \"delta\": 1e-5}", 4.37717809568122461,
         9.99725614643430036, 62.2407048922263786, 185.188791815726072},
        {"dp-laplace", "{\"b\": 0.5, \"clip\": 3}", 6, 12, 360, 720},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        for (int32_t rounds = 1; rounds <= 60; rounds += 59) {
            tried t = open_dp(cases[i].id, cases[i].json, 1);
            send_of_rounds(&t, rounds);
            const double all = rounds == 1 ? cases[i].release : cases[i].rounds;
            const double all_replace = rounds == 1 ? cases[i].replace : cases[i].rounds_replace;
            assert_true(close_to(try_fact(&t, "epsilon_release_add"), cases[i].release));
            assert_true(close_to(try_fact(&t, "epsilon_release_replace"), cases[i].replace));
            assert_true(close_to(try_fact(&t, "epsilon_rounds_add"), all));
            assert_true(close_to(try_fact(&t, "epsilon_rounds_replace"), all_replace));
            try_close(&t);
        }
}

/* tests/golden/dp.py: σ = 1, δ = 1e-5: 4.37717809568122461 at sensitivity 1, 9.99725614643430036 at 2 (which
 * is σ = 0.5 at 1). */
static void gaussian_epsilons(void **state) {
    (void)state;
    float a[4] = {1, 2, 3, 4}, b[9] = {5};
    const struct {
        const char *json;
        double add, replace; /* NaN: none may be reported */
    } cases[] = {
        {"{\"sigma\": 1, \"clip\": 1, \"delta\": 1e-5}", 4.37717809568122461, 9.99725614643430036},
        {"{\"sigma\": 0.01, \"clip\": 0.01, \"delta\": 1e-5}", 4.37717809568122461, 9.99725614643430036},
        {"{\"sigma\": 1, \"clip\": 0.70710678118654752, \"delta\": 1e-5, \"clip_mode\": \"per_tensor\"}",
         4.37717809568122461, 9.99725614643430036}, /* two tensors: √2 times the bound */
        {"{\"sigma\": 1, \"clip\": 1}", NAN, NAN},
        {"{\"sigma\": 1, \"clip\": 1, \"delta\": 1e-5, \"clip_mode\": \"none\"}", NAN, NAN},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        tried t = open_dp("dp-gaussian", cases[i].json, 1);
        send_two(&t, a, 4, b, 9);
        double add = try_fact(&t, "epsilon_release_add"), replace = try_fact(&t, "epsilon_release_replace");
        if (isnan(cases[i].add))
            assert_true(isnan(add) && isnan(replace));
        else
            assert_true(close_to(add, cases[i].add) && close_to(replace, cases[i].replace));
        /* a delta that cannot be honoured is answered in words */
        assert_int_equal(strstr(t.said, "no differential privacy") != NULL, i == 4);
        try_close(&t);
    }
}

/* sensitivity / b. L1: C, or C a tensor. L2 of n entries: √n·C; of tensors with 4 and 9: (2 + 3)·C. */
static void laplace_epsilons(void **state) {
    (void)state;
    float a[4] = {1, 2, 3, 4}, b[9] = {5};
    const struct {
        const char *json;
        double add;
    } cases[] = {
        {"{\"b\": 0.5, \"clip\": 3}", 6},
        {"{\"b\": 0.5, \"clip\": 3, \"clip_mode\": \"per_tensor\"}", 12},
        {"{\"b\": 0.5, \"clip\": 3, \"norm\": \"l2\"}", 6 * sqrt(13)},
        {"{\"b\": 0.5, \"clip\": 3, \"norm\": \"l2\", \"clip_mode\": \"per_tensor\"}", 30},
        {"{\"b\": 0.5, \"clip\": 3, \"clip_mode\": \"none\"}", NAN},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        tried t = open_dp("dp-laplace", cases[i].json, 1);
        send_two(&t, a, 4, b, 9);
        double add = try_fact(&t, "epsilon_release_add"), replace = try_fact(&t, "epsilon_release_replace");
        if (isnan(cases[i].add))
            assert_true(isnan(add) && isnan(replace));
        else
            assert_true(close_to(add, cases[i].add) && close_to(replace, 2 * cases[i].add));
        try_close(&t);
    }
}

/* RecUP-FL, section 5.3 and 5.5: σ 5e-6 … 0.5, b 2e-6 … 0.5, bounds 1e-8 … 22. */
static void the_ranges_of_papers_are_allowed(void **state) {
    (void)state;
    const char *gaussian[] = {"{\"sigma\": 5e-6, \"clip\": 1e-8}", "{\"sigma\": 0.5, \"clip\": 22}"};
    const char *laplace[] = {"{\"b\": 2e-6, \"clip\": 1e-8, \"norm\": \"l2\"}",
                             "{\"b\": 0.5, \"clip\": 22, \"norm\": \"l2\"}"};
    for (int i = 0; i < 2; i++) {
        tried g = open_dp("dp-gaussian", gaussian[i], 1), l = open_dp("dp-laplace", laplace[i], 1);
        try_close(&g), try_close(&l);
    }
}

static int stop_now;

static int stop_requested(void *context) {
    (void)context;
    return stop_now;
}

/* The host drops what comes after a stop; that the plugin itself looked is seen from the update without
 * noise. */
static void stops_on_request(void **state) {
    (void)state;
    float x[] = {1, 2};
    tried t;
    gnt_err err = {0};
    stop_now = 0;
    assert_int_equal(try_load(&t, dp_so(), GNT_PLUGIN_DEFENSE, "dp-gaussian", NULL, &err), 0);
    assert_int_equal(try_start(&t, 1, (gnt_instance_spec){.should_stop = stop_requested}, &err), 0);
    gnt_tensor list[] = {try_tensor("a", x, 2)};
    gnt_tensors update = {1, list};
    stop_now = 1;
    assert_int_equal(try_transform(&t, &update, &err), GNT_STOPPED);
    assert_true(x[0] == 1 && x[1] == 2);
    try_close(&t);
}

static void distortion_rises_with_strength(void **state) {
    (void)state;
    const struct {
        const char *file, *id, *json;
        double strength[5];
    } defenses[] = {
        {"plugins/defenses/dp.so", "dp-gaussian", NULL, {1e-4, 1e-3, 1e-2, 0.1, 1}},
        {"plugins/defenses/dp.so", "dp-gaussian", "{\"clip_mode\": \"none\"}", {1e-4, 1e-3, 1e-2, 0.1, 1}},
        {"plugins/defenses/dp.so", "dp-laplace", "{\"clip\": 1e3}", {1e-4, 1e-3, 1e-2, 0.1, 1}},
        {"plugins/defenses/dp.so", "clip", NULL, {1e4, 3, 1, 0.1, 1e-3}},
        {"plugins/defenses/lrp.so", "lrp", "{\"share\": 1}", {0, 0.25, 0.5, 0.75, 1}},
        {"plugins/defenses/prune.so", "prune", NULL, {0, 0.3, 0.6, 0.9, 0.99}},
        {"plugins/defenses/prune.so", "prune", "{\"scope\": \"tensor\"}", {0, 0.3, 0.6, 0.9, 0.99}},
    };
    for (size_t i = 0; i < sizeof defenses / sizeof *defenses; i++) {
        gnt_err err = {0};
        if (monotone_check(built(defenses[i].file, where), defenses[i].id, defenses[i].json,
                           defenses[i].strength, 5, &err) != 0)
            fail_msg("%s", err.text);
    }
}

static void one_that_ignores_its_strength_is_caught(void **state) {
    (void)state;
    const double up[] = {1e-4, 1e-2, 1}, down[] = {1, 1e-2, 1e-4};
    gnt_err err = {0};
    built("tests/so/ignores_strength.so", where);
    assert_int_equal(monotone_check(where, "ignores-strength", NULL, up, 3, &err), -1);
    assert_non_null(strstr(err.text, "the strength is ignored"));
    /* and one whose strength works the wrong way round */
    assert_int_equal(monotone_check(dp_so(), "dp-gaussian", NULL, down, 3, &err), -1);
    assert_non_null(strstr(err.text, "distortion fell"));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(noise_has_the_stated_scale),
        cmocka_unit_test(streams_differ_and_keys_decide),
        cmocka_unit_test(clips_to_the_bound),
        cmocka_unit_test(clip_alone_adds_nothing),
        cmocka_unit_test(statistics_are_a_part_of_what_is_released),
        cmocka_unit_test(statistics_may_be_left_in_the_clear),
        cmocka_unit_test(released_norms_never_pass_the_bound),
        cmocka_unit_test(zero_update_and_odd_updates),
        cmocka_unit_test(gaussian_epsilons),
        cmocka_unit_test(epsilons_of_all_rounds),
        cmocka_unit_test(laplace_epsilons),
        cmocka_unit_test(the_ranges_of_papers_are_allowed),
        cmocka_unit_test(stops_on_request),
        cmocka_unit_test(distortion_rises_with_strength),
        cmocka_unit_test(one_that_ignores_its_strength_is_caught),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
