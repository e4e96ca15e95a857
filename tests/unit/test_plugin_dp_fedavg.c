/* dp-fedavg: clients clip and add nothing; the server's noise on the mean is z·C over their number, whatever
 * the shares; epsilons depend on z alone; equal keys give equal bytes, whatever the clients sent. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "region_net.h"
#include "try_plugin.h"

enum { N = 100000, CLIENTS = 5 };

static char where[4096];

static tried open_fedavg(const char *json, uint64_t seed, gnt_service *model) {
    tried t;
    gnt_err err = {0};
    if (try_load(&t, built("plugins/defenses/dp.so", where), GNT_PLUGIN_DEFENSE, "dp-fedavg", json, &err) ||
        try_start(&t, seed, (gnt_instance_spec){.model = model}, &err))
        fail_msg("%s", err.text);
    return t;
}

static void transform(tried *t, gnt_tensors *update, gnt_tensors *statistics, int32_t rounds) {
    const gnt_client c = {.size = sizeof c,
                          .n_clients = 9,
                          .n_samples = 7,
                          .rate = 0.1,
                          .rounds = rounds,
                          .sent_buffers = statistics};
    gnt_err err = {0};
    gnt_instance_enter(t->instance, "transform_update");
    const gnt_status s =
        gnt_instance_defense(t->instance)->transform_update(gnt_instance_self(t->instance), &c, update);
    if (gnt_instance_leave(t->instance, s, &err) != GNT_OK)
        fail_msg("%s", err.text);
}

static void aggregate(tried *t, const gnt_aggregate *in, float *next) {
    gnt_err err = {0};
    gnt_instance_enter(t->instance, "aggregate");
    const gnt_status s =
        gnt_instance_defense(t->instance)->aggregate(gnt_instance_self(t->instance), in, next);
    if (gnt_instance_leave(t->instance, s, &err) != GNT_OK)
        fail_msg("%s", err.text);
}

/* Updates of norm 13 become half as long at a bound of 6.5, under noise that would drown them; shorter ones
 * stay to the bit. Statistics are a part of the vector, unless they are left out. */
static void clients_clip_and_add_nothing(void **state) {
    (void)state;
    const double factor = 0.5 * (1 - 0x1p-23);
    for (int with = 0; with < 2; with++) {
        float a[] = {3, 0, -4}, b[] = {0, 12}, c[] = {3, 0, -4};
        gnt_tensor of_update = try_tensor("a", a, 3), of_statistics = try_tensor("n.running_mean", b, 2),
                   alone = try_tensor("a", c, 3);
        gnt_tensors update = {1, &of_update}, statistics = {1, &of_statistics}, one = {1, &alone};
        tried t = open_fedavg(with ? "{\"noise_multiplier\": 100, \"clip\": 6.5}"
                                   : "{\"noise_multiplier\": 100, \"clip\": 6.5, \"statistics\": false}",
                              1, NULL);
        transform(&t, &update, &statistics, 1);
        assert_true(a[0] == (float)(with ? 3 * factor : 3) && a[1] == 0);
        assert_true(a[2] == (float)(with ? -4 * factor : -4));
        assert_true(b[0] == 0 && b[1] == (float)(with ? 12 * factor : 12));
        assert_true(try_fact(&t, "norm") == (with ? 13 : 5) && try_fact(&t, "clipped") == with);
        assert_true(try_fact(&t, "epsilon_covers_statistics") == with);
        transform(&t, &one, NULL, 1); /* of norm 5 */
        assert_true(c[0] == 3 && c[1] == 0 && c[2] == -4);
        try_close(&t);
    }
}

/* tests/golden/dp.py has these of σ 1 at sensitivity 1 (add) and 2 (replace), of one release and of 60. */
static void epsilons_depend_on_the_multiplier_alone(void **state) {
    (void)state;
    static const char *const json[] = {"{\"noise_multiplier\": 1}",
                                       "{\"noise_multiplier\": 1, \"clip\": 0.01}"};
    for (int i = 0; i < 2; i++) {
        static const struct {
            const char *fact;
            double of_60;
        } expected[] = {{"epsilon_release_add", 4.37717809568122461},
                        {"epsilon_release_replace", 9.99725614643430036},
                        {"epsilon_rounds_add", 62.2407048922263786},
                        {"epsilon_rounds_replace", 185.188791815726072}};
        float x[] = {1, 2, 3};
        gnt_tensor list = try_tensor("a", x, 3);
        gnt_tensors update = {1, &list};
        tried t = open_fedavg(json[i], 1, NULL);
        transform(&t, &update, NULL, 60);
        for (int k = 0; k < 4; k++)
            assert_true(fabs(try_fact(&t, expected[k].fact) / expected[k].of_60 - 1) < 1e-9);
        assert_true(try_fact(&t, "epsilon_covers_updates") == 0);
        assert_true(isnan(try_fact(&t, "epsilon_covers_statistics")));
        try_close(&t);
    }
    float x[] = {1};
    gnt_tensor list = try_tensor("a", x, 1);
    gnt_tensors update = {1, &list};
    tried t = open_fedavg("{\"delta\": 0}", 1, NULL);
    transform(&t, &update, NULL, 60);
    assert_true(isnan(try_fact(&t, "epsilon_release_add")) && isnan(try_fact(&t, "epsilon_covers_updates")));
    try_close(&t);
}

/* ---- the server ---- */

typedef struct made_round {
    float *old, *next;
    float *of_client[CLIENTS];
    double share[CLIENTS];
    gnt_aggregate in;
} made_round;

static void make_round(made_round *r, int32_t is_gradient) {
    r->old = calloc(N, sizeof *r->old);
    r->next = calloc(N, sizeof *r->next);
    for (int k = 0; k < CLIENTS; k++) {
        r->of_client[k] = calloc(N, sizeof **r->of_client);
        r->share[k] = k == 0 ? 0.9 : 0.1 / (CLIENTS - 1);
    }
    r->in = (gnt_aggregate){.size = sizeof r->in,
                            .n_clients = CLIENTS,
                            .n_params = N,
                            .old_weights = r->old,
                            .update = (const float *const *)r->of_client,
                            .share = r->share,
                            .rate = 0.25,
                            .is_gradient = is_gradient};
}

static void free_round(made_round *r) {
    for (int k = 0; k < CLIENTS; k++)
        free(r->of_client[k]);
    free(r->old);
    free(r->next);
}

static double deviation_of(const float *x, double *fourth) {
    double square = 0;
    *fourth = 0;
    for (int i = 0; i < N; i++) {
        square += (double)x[i] * (double)x[i] / N;
        *fourth += pow((double)x[i], 4) / N;
    }
    return sqrt(square);
}

/* z·C/m = 3·0.5/5 on a mean of zeros, and the rate times that where it is a gradient. Deviations of the
 * estimates from N draws are σ/√(2N) and σ⁴√(96/N); five of each are allowed. */
static void noise_of_the_mean_has_its_scale(void **state) {
    (void)state;
    for (int32_t is_gradient = 0; is_gradient < 2; is_gradient++) {
        const double sigma = 0.3 * (is_gradient ? 0.25 : 1);
        double fourth;
        made_round r;
        make_round(&r, is_gradient);
        tried t = open_fedavg("{\"noise_multiplier\": 3, \"clip\": 0.5}", 4, NULL);
        aggregate(&t, &r.in, r.next);
        assert_true(fabs(deviation_of(r.next, &fourth) / sigma - 1) < 5 / sqrt(2 * N));
        assert_true(fabs(fourth / pow(sigma, 4) - 3) < 5 * sqrt(96) / sqrt(N));
        assert_true(fabs(try_fact(&t, "noise_of_mean") - 0.3) < 1e-12);
        /* one client alone: five times that */
        r.in.n_clients = 1;
        aggregate(&t, &r.in, r.next);
        assert_true(fabs(deviation_of(r.next, &fourth) / sigma - 5) < 25 / sqrt(2 * N));
        try_close(&t);
        free_round(&r);
    }
}

/* The mean is plain: a client with nine tenths of the samples counts as any other. */
static void clients_count_alike(void **state) {
    (void)state;
    made_round r;
    make_round(&r, 0);
    r.in.n_params = 2;
    for (int k = 0; k < CLIENTS; k++) {
        r.of_client[k][0] = (float)(k == 0 ? 5 : 1);
        r.of_client[k][1] = -2;
    }
    r.old[0] = 1;
    tried t = open_fedavg("{\"noise_multiplier\": 1e-5, \"clip\": 1e-3}", 4, NULL);
    aggregate(&t, &r.in, r.next);
    assert_true(fabs((double)r.next[0] - (1 + 1.8)) < 1e-6 && fabs((double)r.next[1] + 2) < 1e-6);
    try_close(&t);
    free_round(&r);
}

/* The same key gives the same bytes; another key, and the next round, other noise. It does not depend on what
 * clients sent: a client more changes a model by its update over the number, and by nothing else. */
static void noise_hangs_on_the_key_alone(void **state) {
    (void)state;
    made_round r;
    float *first = calloc(N, sizeof *first), *second = calloc(N, sizeof *second);
    double apart = 0, fourth;
    make_round(&r, 0);
    tried t = open_fedavg(NULL, 4, NULL), again = open_fedavg(NULL, 4, NULL),
          other = open_fedavg(NULL, 5, NULL);
    aggregate(&t, &r.in, first);
    aggregate(&again, &r.in, r.next);
    assert_memory_equal(first, r.next, N * sizeof *first);
    aggregate(&t, &r.in, second);
    aggregate(&other, &r.in, r.next);
    double later = 0, elsewhere = 0;
    const double s = deviation_of(first, &fourth);
    for (int i = 0; i < N; i++) {
        later += (double)first[i] * (double)second[i] / (N * s * s);
        elsewhere += (double)first[i] * (double)r.next[i] / (N * s * s);
    }
    assert_true(fabs(later) < 5 / sqrt(N) && fabs(elsewhere) < 5 / sqrt(N));
    for (int i = 0; i < N; i++)
        r.of_client[2][i] = (float)(i % 7 - 3);
    aggregate(&again, &r.in, r.next); /* its second round */
    for (int i = 0; i < N; i++)
        apart = fmax(apart, fabs((double)r.next[i] - (double)second[i] - (i % 7 - 3) / (double)CLIENTS));
    assert_true(apart < 1e-6);
    try_close(&t), try_close(&again), try_close(&other);
    free(first);
    free(second);
    free_round(&r);
}

/* Running statistics: their plain mean with noise of the same scale, where variances stay at least 0; or the
 * host's average as it is. */
static void statistics_are_noised_too(void **state) {
    (void)state;
    static const char bn_json[] =
        "{\"layers\": [{\"type\": \"conv\", \"name\": \"c\", \"out\": 1, \"kernel\": 3, \"pad\": 1},"
        " {\"type\": \"batch_norm\", \"name\": \"n\"}, {\"type\": \"sigmoid\"}, {\"type\": \"flatten\"},"
        " {\"type\": \"dense\", \"name\": \"d\", \"out\": \"classes\"}]}";
    static net n;
    net_open(&n, bn_json, 1, 7);
    for (int left_out = 0; left_out < 2; left_out++) {
        enum { ROUNDS = 400 };
        const float before[2] = {1, 0.5f}, a[2] = {2, 0.25f}, b[2] = {4, 0.25f}, average[2] = {9, 9};
        const float *const sent[2] = {a, b}, *const updates[2] = {n.update, n.update};
        double mean = 0, square = 0, share[2] = {0.9, 0.1};
        int at_zero = 0;
        float statistics[2], next[NET_MOST];
        tried t = open_fedavg(left_out ? "{\"noise_multiplier\": 2, \"clip\": 0.5, \"statistics\": false}"
                                       : "{\"noise_multiplier\": 2, \"clip\": 0.5}",
                              4, n.service);
        for (int round = 0; round < ROUNDS; round++) {
            memcpy(statistics, average, sizeof average);
            const gnt_aggregate in = {.size = sizeof in,
                                      .n_clients = 2,
                                      .n_params = n.params,
                                      .old_weights = n.weights,
                                      .update = updates,
                                      .share = share,
                                      .rate = 1,
                                      .buffers = before,
                                      .client_buffers = sent,
                                      .new_buffers = statistics,
                                      .n_buffers = 2};
            aggregate(&t, &in, next);
            mean += ((double)statistics[0] - 3) / ROUNDS;
            square += pow((double)statistics[0] - 3, 2) / ROUNDS;
            at_zero += statistics[1] == 0;
            assert_true(statistics[1] >= 0);
        }
        if (left_out)
            assert_true(statistics[0] == 9 && statistics[1] == 9);
        else { /* deviation 2·0.5/2; the variance 0.25 lies half of one above 0 */
            assert_true(fabs(mean) < 5 * 0.5 / sqrt(ROUNDS));
            assert_true(fabs(sqrt(square) / 0.5 - 1) < 5 / sqrt(2 * ROUNDS));
            assert_true(fabs(at_zero / (double)ROUNDS - 0.3085) < 5 * 0.462 / sqrt(ROUNDS));
        }
        try_close(&t);
    }
    net_close(&n);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(clients_clip_and_add_nothing),
        cmocka_unit_test(epsilons_depend_on_the_multiplier_alone),
        cmocka_unit_test(noise_of_the_mean_has_its_scale),
        cmocka_unit_test(clients_count_alike),
        cmocka_unit_test(noise_hangs_on_the_key_alone),
        cmocka_unit_test(statistics_are_noised_too),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
