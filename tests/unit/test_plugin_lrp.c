/* lrp, ada-lrp and scheme-one: the law of the rates that clients draw, what they take from the secure sum,
 * who is refused, and that the plain mean of updates from scaled losses is the mean weighted by samples. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "fl/federate.h"
#include "fl/secure_sum.h"
#include "must_work.h"
#include "sides.h"

enum { CLIENTS = 4, DRAWS = 10000 };

static const double rate = 0.01;
static const int64_t n_samples[CLIENTS] = {5, 3, 2, 14}, n_labels[CLIENTS] = {1, 3, 2, 8};
static const double all_samples = 24, mean_labels = 3.5;

static gnt_client client_of(int32_t k) {
    return (gnt_client){.size = sizeof(gnt_client),
                        .index = k,
                        .n_clients = CLIENTS,
                        .n_samples = n_samples[k],
                        .n_labels = n_labels[k],
                        .rate = rate,
                        .steps = 1,
                        .batch = 1,
                        .rounds = 1,
                        .per_round = CLIENTS};
}

static tried open_lrp(const char *id, const char *json, uint64_t seed) {
    static char where[4096];
    tried t;
    gnt_err err = {0};
    if (try_open(&t, built("plugins/defenses/lrp.so", where), GNT_PLUGIN_DEFENSE, id, json, seed, &err) != 0)
        fail_msg("%s", err.text);
    return t;
}

static const gnt_defense *hooks_of(const tried *t) {
    return gnt_instance_defense(t->instance);
}

static void *self_of(const tried *t) {
    return gnt_instance_self(t->instance);
}

/* The secure sum of all clients, through the hooks and the protocol; `vector` takes what each gave. */
static void add_up(tried *t, double *vector, int64_t *entries) {
    uint64_t masked[CLIENTS * 2];
    double sum[2];
    gnt_err err = {0};
    const gnt_key key = gnt_key_of_seed(9);
    const int64_t n = hooks_of(t)->contribute_size(self_of(t));
    assert_true(n == 1 || n == 2);
    for (int32_t k = 0; k < CLIENTS; k++) {
        const gnt_client c = client_of(k);
        gnt_instance_enter(t->instance, "contribute");
        assert_int_equal(
            gnt_instance_leave(t->instance, hooks_of(t)->contribute(self_of(t), &c, vector + k * n), &err),
            GNT_OK);
    }
    assert_int_equal(gnt_secure_sum(vector, CLIENTS, n, &key, masked, sum, &err), 0);
    gnt_instance_enter(t->instance, "receive_sum");
    assert_int_equal(gnt_instance_leave(t->instance, hooks_of(t)->receive_sum(self_of(t), sum, n), &err),
                     GNT_OK);
    assert_true(sum[0] == all_samples && (n == 1 || sum[1] == CLIENTS * mean_labels)); /* exactly */
    *entries = n;
}

static tried open_summed(const char *id, const char *json, uint64_t seed) {
    double vector[CLIENTS * 2];
    int64_t n;
    tried t = open_lrp(id, json, seed);
    add_up(&t, vector, &n);
    return t;
}

static gnt_status draw(tried *t, int32_t k, double *out, gnt_err *err) {
    const gnt_client c = client_of(k);
    gnt_instance_enter(t->instance, "local_rate");
    return gnt_instance_leave(t->instance, hooks_of(t)->local_rate(self_of(t), &c, 0, out), err);
}

static double must_draw(tried *t, int32_t k) {
    double r = NAN;
    gnt_err err = {0};
    if (draw(t, k, &r, &err) != GNT_OK)
        fail_msg("%s", err.text);
    return r;
}

static int by_size(const void *a, const void *b) {
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* p of Kolmogorov's and Smirnov's test of n sorted numbers against U(least, most): 2 Σ (−1)^(j−1)·e^(−2j²λ²),
 * λ = D·(√n + 0.12 + 0.11/√n) (Stephens, 1970). */
static double uniform_p(const double *x, int n, double least, double most) {
    double d = 0, p = 0;
    for (int i = 0; i < n; i++) {
        const double f = fmin(1, fmax(0, (x[i] - least) / (most - least)));
        const double off = fmax((i + 1.0) / n - f, f - (double)i / n);
        d = off > d ? off : d;
    }
    const double lambda = d * (sqrt(n) + 0.12 + 0.11 / sqrt(n));
    if (lambda < 0.2)
        return 1;
    for (int j = 1; j <= 100; j++)
        p += (j % 2 ? 2 : -2) * exp(-2.0 * j * j * lambda * lambda);
    return p;
}

/* ---- the law of the rates ---- */

/* The seeds are fixed, so that a law that holds passes always; one that is off by a twentieth fails. */
static void rates_have_the_stated_law(void **state) {
    (void)state;
    const struct {
        const char *id, *json;
        double zeta, spread, share; /* share 0: that of the samples */
    } cases[] = {
        {"lrp", NULL, 0, 1, 0},
        {"lrp", "{\"spread\": 0.3}", 0, 0.3, 0},
        {"lrp", "{\"share\": 2}", 0, 1, 2},
        {"ada-lrp", "{\"zeta\": 0.16666666666666666}", 1.0 / 6, 1, 0},
        {"ada-lrp", "{\"zeta\": 0.16666666666666666, \"spread\": 0.5}", 1.0 / 6, 0.5, 0},
        {"ada-lrp", "{\"zeta\": 0.1, \"share\": 2}", 0.1, 1, 2},
    };
    double *x = calloc(DRAWS, sizeof *x);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        for (int32_t k = 0; k < CLIENTS; k++) {
            tried t = open_summed(cases[i].id, cases[i].json, 10 * i + (uint64_t)k);
            const double share = cases[i].share > 0 ? cases[i].share : n_samples[k] * CLIENTS / all_samples,
                         big_k = cases[i].zeta * ((double)n_labels[k] - mean_labels) + 1,
                         mean = big_k * share * rate, s = cases[i].spread;
            for (int j = 0; j < DRAWS; j++)
                x[j] = must_draw(&t, k);
            qsort(x, DRAWS, sizeof *x, by_size);
            const double p = uniform_p(x, DRAWS, mean * (1 - s), mean * (1 + s));
            print_message("# %s %s, client %d: p %.3f\n", cases[i].id, cases[i].json ? cases[i].json : "", k,
                          p);
            assert_true(p > 1e-3 && x[0] >= mean * (1 - s) && x[DRAWS - 1] <= mean * (1 + s));
            assert_true(uniform_p(x, DRAWS, 1.05 * mean * (1 - s), 1.05 * mean * (1 + s)) < 1e-3);
            assert_true(uniform_p(x, DRAWS, 0.95 * mean * (1 - s), 0.95 * mean * (1 + s)) < 1e-3);
            assert_true(fabs(try_fact(&t, "share") - share) < 1e-12);
            assert_true(fabs(try_fact(&t, "rate_factor") - big_k * share) < 0.03 * big_k * share);
            try_close(&t);
        }
    free(x);
}

/* Distribution functions of 1 + x, x of deviation s. */
static double normal_below(double at, double s) {
    return erfc(-(at - 1) / (s * sqrt(2))) / 2;
}

static double laplace_below(double at, double s) {
    const double b = s / sqrt(2), x = at - 1;
    return x < 0 ? exp(x / b) / 2 : 1 - exp(-x / b) / 2;
}

/* By Kolmogorov's and Smirnov's test against the law that is cut at 0 and divided by its mean, which is
 * computed here as ∫ (1 − F); a law a twentieth off, or one that is not divided, fails. */
static void other_laws_are_cut_at_zero(void **state) {
    (void)state;
    static const struct {
        const char *id, *json;
        double (*below)(double at, double s);
        double spread;
        int shows_division; /* by a mean that is a twentieth off 1 */
    } cases[] = {
        {"lrp", "{\"law\": \"gaussian\"}", normal_below, 1, 1},
        {"lrp", "{\"law\": \"gaussian\", \"spread\": 0.5}", normal_below, 0.5, 0},
        {"ada-lrp", "{\"law\": \"laplace\", \"zeta\": 0}", laplace_below, 1, 1},
        {"lrp", "{\"law\": \"laplace\", \"spread\": 0.4}", laplace_below, 0.4, 0},
    };
    double *x = calloc(DRAWS, sizeof *x), *f = calloc(DRAWS, sizeof *f);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const double s = cases[i].spread / sqrt(3), none = cases[i].below(0, s), step = 1e-4;
        const double mean = n_samples[3] * CLIENTS / all_samples * rate;
        double c = 0, sum = 0, most = 0;
        for (double at = step / 2; at < 20; at += step)
            c += step * (1 - (cases[i].below(at, s) - none) / (1 - none));
        tried t = open_summed(cases[i].id, cases[i].json, 70 + i);
        for (int j = 0; j < DRAWS; j++) {
            x[j] = must_draw(&t, 3) / mean;
            sum += x[j] / DRAWS;
            most = fmax(most, x[j]);
            assert_true(x[j] >= 0);
        }
        for (int off = -1; off <= 2; off++) {
            const double by = off == 2 ? 1 : c * (1 + 0.05 * off);
            for (int j = 0; j < DRAWS; j++)
                f[j] = (cases[i].below(x[j] * by, s) - none) / (1 - none);
            qsort(f, DRAWS, sizeof *f, by_size);
            const double p = uniform_p(f, DRAWS, 0, 1);
            if (off == 0)
                assert_true(p > 1e-3);
            else if (off != 2 || cases[i].shows_division)
                assert_true(p < 1e-3);
        }
        assert_true(fabs(sum - 1) < 5 * s / sqrt(DRAWS) && most > 1 + cases[i].spread);
        try_close(&t);
    }
    free(x);
    free(f);
}

static void the_uniform_law_is_the_default(void **state) {
    (void)state;
    tried a = open_summed("lrp", NULL, 1), b = open_summed("lrp", "{\"law\": \"uniform\"}", 1),
          still = open_summed("lrp", "{\"law\": \"laplace\", \"spread\": 0}", 1);
    const double mean = n_samples[3] * CLIENTS / all_samples * rate;
    for (int j = 0; j < 20; j++) {
        assert_true(must_draw(&a, 3) == must_draw(&b, 3));
        assert_true(fabs(must_draw(&still, 3) / mean - 1) < 1e-12);
    }
    try_close(&a), try_close(&b), try_close(&still);
}

/* Under one key: a rate's way from its expectation is in proportion to the spread. */
static void spread_scales_the_width(void **state) {
    (void)state;
    static const char *const ids[] = {"lrp", "ada-lrp"};
    for (int i = 0; i < 2; i++) {
        tried whole = open_summed(ids[i], NULL, 3), third = open_summed(ids[i], "{\"spread\": 0.375}", 3),
              plain = open_summed(ids[i], "{\"spread\": 0}", 3);
        int apart = 0;
        for (int j = 0; j < 100; j++) {
            const double mean = must_draw(&plain, 3), a = must_draw(&whole, 3) - mean,
                         b = must_draw(&third, 3) - mean;
            assert_true(fabs(b - 0.375 * a) < 1e-14);
            apart += fabs(a) > mean / 2;
        }
        assert_true(apart > 30 && apart < 70);
        try_close(&whole), try_close(&third), try_close(&plain);
    }
}

static void one_key_one_row_of_rates(void **state) {
    (void)state;
    tried a = open_summed("lrp", NULL, 1), b = open_summed("lrp", NULL, 1), c = open_summed("lrp", NULL, 2);
    double last = 0;
    for (int j = 0; j < 20; j++) {
        const double x = must_draw(&a, 0);
        assert_true(x == must_draw(&b, 0) && x != must_draw(&c, 0) && x != last);
        last = x;
    }
    try_close(&a), try_close(&b), try_close(&c);
}

static void fixed_rates_of_each_client(void **state) {
    (void)state;
    static const double fixed[CLIENTS] = {0.005, 0.02, 0.01, 0};
    tried t = open_lrp("lrp", "{\"spread\": 0, \"rates\": [0.005, 0.02, 0.01, 0]}", 1);
    gnt_err err = {0};
    double r;
    for (int32_t k = 0; k < CLIENTS; k++)
        assert_true(must_draw(&t, k) == fixed[k]); /* whatever is announced, and without a sum */
    try_close(&t);
    t = open_lrp("lrp", "{\"rates\": [0.005, 0.02, 0.01, 0]}", 1);
    double most = 0, sum = 0;
    for (int j = 0; j < DRAWS; j++) {
        r = must_draw(&t, 1);
        most = fmax(most, r);
        sum += r / DRAWS;
    }
    assert_true(most < 0.04 && most > 0.0399 && fabs(sum - 0.02) < 5 * 0.02 / sqrt(3.0 * DRAWS));
    try_close(&t);

    t = open_lrp("lrp", "{\"rates\": [0.005, 0.02]}", 1);
    assert_int_equal(draw(&t, 0, &r, &err), GNT_UNSUPPORTED);
    assert_non_null(strstr(err.text, "rates has 2 entries for 4 clients"));
    try_close(&t);
    char where[4096];
    assert_int_equal(try_open(&t, built("plugins/defenses/lrp.so", where), GNT_PLUGIN_DEFENSE, "lrp",
                              "{\"rates\": [0.1], \"share\": 2}", 1, &err),
                     -1);
    assert_non_null(strstr(err.text, "share and rates are both given"));
    try_close(&t);
}

/* ---- what comes from the sum ---- */

static void clients_reveal_only_what_is_needed(void **state) {
    (void)state;
    double vector[CLIENTS * 2];
    int64_t n;
    tried t = open_lrp("lrp", NULL, 1);
    add_up(&t, vector, &n);
    assert_true(n == 1);
    for (int k = 0; k < CLIENTS; k++)
        assert_true(vector[k] == (double)n_samples[k]);
    try_close(&t);
    t = open_lrp("ada-lrp", NULL, 1);
    add_up(&t, vector, &n);
    assert_true(n == 2);
    for (int k = 0; k < CLIENTS; k++)
        assert_true(vector[2 * k] == (double)n_samples[k] && vector[2 * k + 1] == (double)n_labels[k]);
    try_close(&t);
    const char *ids[] = {"lrp", "ada-lrp", "scheme-one"};
    for (int i = 0; i < 3; i++) { /* and none draws a rate without it */
        gnt_err err = {0};
        double r;
        t = open_lrp(ids[i], NULL, 1);
        assert_int_equal(draw(&t, 0, &r, &err), GNT_FAILED);
        assert_non_null(strstr(err.text, "secure sum did not arrive"));
        try_close(&t);
    }
}

static void k_is_beta_on_average(void **state) {
    (void)state;
    for (int i = 1; i <= 3; i++) {
        char json[100];
        double sum = 0, shares = 0;
        const double beta = 0.7 * i;
        snprintf(json, sizeof json, "{\"zeta\": %.17g, \"beta\": %.17g, \"spread\": 0}", 0.07 * i, beta);
        tried t = open_summed("ada-lrp", json, 1);
        tried share = open_summed("scheme-one", NULL, 1);
        for (int32_t k = 0; k < CLIENTS; k++) {
            const double plain = must_draw(&share, k);
            sum += must_draw(&t, k) / plain;
            shares += plain / rate;
        }
        assert_true(fabs(sum / CLIENTS - beta) < 1e-14 * CLIENTS && fabs(shares - CLIENTS) < 1e-14 * CLIENTS);
        assert_true(fabs(try_fact(&t, "k") - beta) < 1e-14 * CLIENTS);
        try_close(&t), try_close(&share);
    }
}

/* Client 0 has one label where the mean is 3.5: K = 1 − 2.5·ζ. */
static void a_k_that_is_not_positive_is_refused(void **state) {
    (void)state;
    gnt_err err = {0};
    double r;
    tried t = open_summed("ada-lrp", "{\"zeta\": 0.5}", 1);
    assert_int_equal(draw(&t, 0, &r, &err), GNT_UNSUPPORTED);
    print_message("# %s\n", err.text);
    assert_non_null(strstr(err.text, "client 0: K = "));
    assert_non_null(strstr(err.text, "= 0.5*(1 - 3.5) + 1 = -0.25,"));
    assert_non_null(strstr(err.text, "lower zeta below 0.4, or raise beta above 1.25"));
    assert_true(must_draw(&t, 3) >= 0); /* one with more labels than the mean goes on */
    try_close(&t);
    const char *heeded[] = {"{\"zeta\": 0.3999}", "{\"zeta\": 0.5, \"beta\": 1.2501}"};
    for (int i = 0; i < 2; i++) {
        t = open_summed("ada-lrp", heeded[i], 1);
        must_draw(&t, 0);
        try_close(&t);
    }
    t = open_summed("ada-lrp", "{\"zeta\": 0, \"beta\": 0}", 1); /* no zeta would help */
    assert_int_equal(draw(&t, 0, &r, &err), GNT_UNSUPPORTED);
    assert_non_null(strstr(err.text, "must be above 0: raise beta above 0"));
    try_close(&t);
}

/* ---- the server ---- */

/* Old weights count once, whichever clients take part: weights scaled by shares, in place of losses, would
 * not give them back where nobody moves. `share` and `samples` say how much each client has, and change
 * nothing. */
static void the_server_takes_the_plain_mean(void **state) {
    (void)state;
    static const float old[3] = {1, 2, 3}, a[3] = {1, 0, -4}, b[3] = {3, 2, 0}, still[3] = {0};
    static const float *const both[2] = {a, b}, *const none[2] = {still, still};
    static const double share[2] = {0.9, 0.1};
    static const int64_t samples[2] = {9, 1};
    static const int32_t index[2] = {0, 3};
    tried t = open_lrp("scheme-one", NULL, 1);
    for (int known = 0; known < 2; known++) {
        gnt_aggregate in = {.size = sizeof in,
                            .n_clients = 2,
                            .n_params = 3,
                            .old_weights = old,
                            .update = both,
                            .rate = 0.5,
                            .share = known ? share : NULL,
                            .client = known ? index : NULL,
                            .samples = known ? samples : NULL};
        float next[3];
        assert_int_equal(hooks_of(&t)->aggregate(self_of(&t), &in, next), GNT_OK);
        assert_true(next[0] == 3 && next[1] == 3 && next[2] == 1);
        in.update = none;
        assert_int_equal(hooks_of(&t)->aggregate(self_of(&t), &in, next), GNT_OK);
        assert_memory_equal(next, old, sizeof old);
        in.update = both;
        in.is_gradient = 1;
        assert_int_equal(hooks_of(&t)->aggregate(self_of(&t), &in, next), GNT_OK);
        assert_true(next[0] == 0 && next[1] == 1.5f && next[2] == 4);
    }
    try_close(&t);
}

/* One gradient is multiplied by what the rate would have been multiplied by; a delta stays as it is. */
static void one_gradient_is_scaled(void **state) {
    (void)state;
    for (int steps = 0; steps < 2; steps++) {
        float x[4] = {1, -2, 0, 8};
        gnt_tensor list[] = {try_tensor("a", x, 1), try_tensor("b", x + 1, 3)};
        gnt_tensors update = {2, list};
        gnt_client c = client_of(3);
        gnt_err err = {0};
        tried t = open_summed("lrp", NULL, 4), same = open_summed("lrp", NULL, 4);
        const double factor = steps ? 1 : must_draw(&same, 3) / rate;
        c.steps = steps;
        gnt_instance_enter(t.instance, "transform_update");
        assert_int_equal(
            gnt_instance_leave(t.instance, hooks_of(&t)->transform_update(self_of(&t), &c, &update), &err),
            GNT_OK);
        assert_true(x[0] == (float)factor && x[1] == (float)(-2 * factor) && x[2] == 0 &&
                    x[3] == (float)(8 * factor) && factor > 0 && (steps || factor != 1));
        try_close(&t), try_close(&same);
    }
}

/* ---- scheme one is scheme two ---- */

enum { MOST_WEIGHTS = 1024, ROWS = 24 };

static void begin(void *owner, const char *hook) {
    gnt_instance_enter(((tried *)owner)->instance, hook);
}

static int done(void *owner, gnt_status status, gnt_err *err) {
    return gnt_instance_leave(((tried *)owner)->instance, status, err) == GNT_OK ? 0 : -1;
}

static int keep_going(void *context) {
    (void)context;
    return 0;
}

static int go_on(void *context, int32_t rounds, const float *weights, const float *buffers, gnt_err *err) {
    (void)context, (void)rounds, (void)weights, (void)buffers, (void)err;
    return 0;
}

/* Weights after three rounds in which all clients take part; t: NULL: FedAvg weighted by samples. */
static void train(tried *t, int steps, const gnt_model *model, const gnt_samples *data,
                  float weights[MOST_WEIGHTS]) {
    int64_t start[CLIENTS + 1] = {0};
    uint32_t order[ROWS];
    gnt_member m = {.begin = begin, .done = done, .owner = t};
    if (t) {
        m.hooks = hooks_of(t);
        m.self = self_of(t);
    }
    const gnt_chain chain = {.member = &m, .n = t != NULL, .n_params = gnt_model_size(model)};
    const gnt_fl_config config = {
        .rounds = 3, .steps = steps, .batch = 2, .rate = 0.1, .participation = 1, .clients = CLIENTS};
    const gnt_key key = gnt_key_of_seed(4);
    const gnt_fl_watch watch = {.after_round = go_on, .should_stop = keep_going};
    const gnt_partition part = {CLIENTS, start, order};
    gnt_stream random = gnt_stream_open(&key, "weights");
    float none[1] = {0}; /* running statistics, of which the model has none */
    gnt_fl *fl;
    for (int k = 0; k < CLIENTS; k++)
        start[k + 1] = start[k] + n_samples[k];
    for (uint32_t i = 0; i < ROWS; i++)
        order[i] = (i * 7 + 3) % ROWS;
    assert_true(start[CLIENTS] == ROWS && gnt_model_size(model) <= MOST_WEIGHTS);
    gnt_model_init(model, &random, weights, NULL);
    MUST_WORK(gnt_fl_new(&fl, model, &config, &chain, &key, err));
    MUST_WORK(gnt_fl_train(fl, data, &part, NULL, weights, none, NULL, &watch, err));
    gnt_fl_free(fl);
}

static double most_apart(const float *a, const float *b, int64_t n) {
    double most = 0;
    for (int64_t i = 0; i < n; i++)
        most = fmax(most, fabs((double)a[i] - (double)b[i]));
    return most;
}

/* W − Σ_k (1/N)·(p_k·N)·η·g_k = W − η·Σ_k p_k·g_k, where all take part with one plain step each, or share one
 * gradient; and no such thing where the losses are not scaled. */
static void scheme_one_is_scheme_two_of_single_steps(void **state) {
    static const char json[] =
        "{\"layers\": [{\"type\": \"conv\", \"name\": \"c\", \"out\": 2, \"kernel\": 3, \"pad\": 1}, "
        "{\"type\": \"relu\"}, {\"type\": \"flatten\"}, "
        "{\"type\": \"dense\", \"name\": \"d\", \"out\": \"classes\"}]}";
    const gnt_nn_shape sample = {3, {1, 4, 4}};
    gnt_model *model;
    gnt_sampleset data;
    gnt_st st;
    (void)state;
    gnt_st_init(&st);
    fuzz_samples(&st, ROWS);
    MUST_WORK(gnt_samples_unpack(&data, &st, "samples", err));
    gnt_st_free(&st);
    MUST_WORK(gnt_model_parse(&model, "small", json, &sample, FUZZ_CLASSES, NULL, NULL, err));
    const int64_t n = gnt_model_size(model);
    for (int steps = 0; steps < 2; steps++) {
        float one[MOST_WEIGHTS], two[MOST_WEIGHTS], unscaled[MOST_WEIGHTS];
        tried t = open_summed("scheme-one", NULL, 1),
              plain = open_lrp("lrp", "{\"share\": 1, \"spread\": 0}", 1);
        train(&t, steps, model, &data.view, one);
        train(NULL, steps, model, &data.view, two);
        train(&plain, steps, model, &data.view, unscaled);
        print_message("# %d steps: schemes one and two are %.2g apart, without scaled losses %.2g\n", steps,
                      most_apart(one, two, n), most_apart(unscaled, two, n));
        assert_true(most_apart(one, two, n) < 1e-6 && most_apart(unscaled, two, n) > 1e-3);
        try_close(&t), try_close(&plain);
    }
    gnt_sampleset_free(&data);
    gnt_model_free(model);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rates_have_the_stated_law),
        cmocka_unit_test(other_laws_are_cut_at_zero),
        cmocka_unit_test(the_uniform_law_is_the_default),
        cmocka_unit_test(spread_scales_the_width),
        cmocka_unit_test(one_key_one_row_of_rates),
        cmocka_unit_test(fixed_rates_of_each_client),
        cmocka_unit_test(clients_reveal_only_what_is_needed),
        cmocka_unit_test(k_is_beta_on_average),
        cmocka_unit_test(a_k_that_is_not_positive_is_refused),
        cmocka_unit_test(the_server_takes_the_plain_mean),
        cmocka_unit_test(one_gradient_is_scaled),
        cmocka_unit_test(scheme_one_is_scheme_two_of_single_steps),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
