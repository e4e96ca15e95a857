/* What hooks of this program are expected to take: by which of their parameters it grows, and how. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "gauntlet/plugin.h"
#include "run/hook_work.h"

static double learning(const char *id, const char *params, double rows, double entries) {
    const gnt_request_plugin p = {.id = id, .params = params};
    return run_cost_of_learning(&p, rows, entries);
}

static void is_about(double got, double expected) {
    if (!(fabs(got / expected - 1) < 1e-6))
        fail_msg("%g, expected %g", got, expected);
}

/* Epochs and rows count in proportion; weights by the entries that pooling leaves. */
static void networks_take_what_their_weights_do(void **state) {
    (void)state;
    const double one = learning("attr-nn",
                                "{\"architecture\": \"custom\", \"hidden\": [100], \"epochs\": 10, "
                                "\"batch\": 32, \"window\": 4, \"inputs\": 1024}",
                                500, 4000);
    /* 10 epochs of 500 rows: 1,000 entries, 100,000 weights */
    is_about(one, 5000 * (6e5 / 60e9 + 12e5 / 32 / 10e9 + 3e-5));
    const char *const same[] = {
        "{\"hidden\": [100], \"epochs\": 10, \"batch\": 32, \"window\": 1}",
        "{\"hidden\": 100, \"epochs\": 10, \"batch\": 32, \"window\": 0, \"inputs\": 1000}"};
    is_about(learning("attr-nn", same[0], 500, 1000), one);
    is_about(learning("fresh", same[1], 500, 4000), one);
    is_about(learning("attr-nn", same[0], 1000, 1000), 2 * one);
    const double stru = learning("attr-nn", "{\"architecture\": \"stru\", \"epochs\": 80, \"batch\": 32}",
                                 100, 1000),
                 unkwn = learning("attr-nn", "{\"architecture\": \"unkwn\", \"epochs\": 80, \"batch\": 32}",
                                  100, 1000);
    assert_true(unkwn > 2 * stru && unkwn < 5 * stru);
    assert_true(learning("dp-gaussian", "{\"sigma\": 0.1}", 1e6, 1e6) == 0);
}

static void zoos_take_what_their_networks_do(void **state) {
    (void)state;
    static const char zoo[] = "{\"zoo\": 12, \"widest\": 512, \"epochs\": 40, \"batch\": 32, \"window\": 4}",
                      nets[] = "{\"zoos\": 3, \"nets\": 4, \"widest\": 512, \"epochs\": 40, \"batch\": 32, "
                               "\"window\": 4}",
                      one[] = "{\"nets\": 1, \"widest\": 512, \"epochs\": 40, \"batch\": 32, \"window\": 4}";
    const double all = learning("recup", zoo, 1000, 8000);
    assert_true(all > 1);
    is_about(learning("attr-nn-adaptive", nets, 1000, 8000), all);
    is_about(learning("rank1", one, 1000, 8000), all / 12);
}

static double training(const char *id, const char *params, int image) {
    const gnt_request_plugin p = {.id = id, .params = params};
    const hook_work w = {.gradient = 1e-3, .layers = 20, .features = 100, .update = 1000, .image = image};
    const gnt_request_federated g = {.clients = 10, .rounds = 50, .local_steps = 10, .batch = 8};
    return run_cost_of_training(&p, &w, &g, 500, 2000);
}

static void defenses_take_what_they_compute(void **state) {
    (void)state;
    /* a probe of two samples in each of 20 layers, for each client once, or in each of 500 turns */
    is_about(training("fedre", "{\"samples\": 2, \"probes\": 3, \"measured\": \"once\"}", 1),
             10 * 2 * 3 * 20 * 3e-3);
    is_about(training("fedre", "{\"samples\": 2, \"probes\": 3, \"measured\": \"each_round\"}", 1),
             500 * 2 * 3 * 20 * 3e-3);
    is_about(training("loda", "{\"steps\": 500}", 1), 0.4 * 2000 * 500 * 1e-3);
    assert_true(training("tappfl", "{\"width\": 0.1}", 0) >
                2 * training("adversarial", "{\"width\": 0.1}", 0));
    assert_true(training("tappfl", "{\"width\": 1}", 1) > 5 * training("tappfl", "{\"width\": 0.1}", 1));
    assert_true(training("prune", "{\"p\": 0.9}", 1) == 0);
}

static double evaluations(const char *params, int64_t budget) {
    const gnt_request_attacker a = {.plugin = {.id = "a", .params = params}, .budget = budget};
    return run_evaluations_of(&a);
}

static void searches_take_their_budget(void **state) {
    (void)state;
    is_about(evaluations("{\"steps\": 300}", 0), 300);
    is_about(evaluations("{\"steps\": 300}", 20), 20);
    is_about(evaluations("{\"steps\": 300, \"inner\": 40}", 20), 240);
    is_about(evaluations("{\"steps\": 800, \"search\": \"cmaes\", \"population\": 50}", 20), 300);
    const hook_work w = {.gradient = 1e-3, .update = 1e6};
    const gnt_request_attacker plain = {.plugin = {.id = "linear-layer", .params = "{}"}},
                               knows = {.plugin = plain.plugin, .granted = GNT_KNOWS_DEFENSE};
    assert_true(run_cost_of_reading(&plain, &w, 1, 0) == 0);
    assert_true(run_cost_of_reading(&plain, &w, 8, 0) > 0.5 && run_cost_of_reading(&knows, &w, 1, 0) > 0.5);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(networks_take_what_their_weights_do),
        cmocka_unit_test(zoos_take_what_their_networks_do),
        cmocka_unit_test(defenses_take_what_they_compute),
        cmocka_unit_test(searches_take_their_budget),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
