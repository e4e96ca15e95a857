/* The defense prune: exactly ⌊p·n⌋ entries become zero, the least by magnitude, ties by position, the rest
 * untouched; over the whole update or tensor by tensor. Judged against a sort. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "../../plugins/defenses/prune.c" /* before cmocka, which has a macro `fail` */
#include <cmocka.h>

#include "plain_host.h"
#include "plugin/host.h"

enum { TENSORS = 3, MOST_ENTRIES = 4000 };
static const int64_t counts[TENSORS] = {1000, 7, 1993};

typedef struct entry {
    float magnitude;
    int64_t position;
} entry;

static int by_magnitude(const void *a, const void *b) {
    const entry *x = a, *y = b;
    if (x->magnitude != y->magnitude)
        return x->magnitude < y->magnitude ? -1 : 1;
    return x->position < y->position ? -1 : x->position > y->position;
}

/* Zeroes the k least of n by sorting. */
static void prune_by_sorting(float *u, int64_t n, int64_t k) {
    static entry e[MOST_ENTRIES];
    for (int64_t i = 0; i < n; i++)
        e[i] = (entry){fabsf(u[i]), i};
    qsort(e, (size_t)n, sizeof *e, by_magnitude);
    for (int64_t i = 0; i < k; i++)
        u[e[i].position] = 0;
}

static int64_t fill(float *u, uint64_t seed, int levels) {
    gnt_key key = gnt_key_of_seed(seed);
    gnt_stream s = gnt_stream_open(&key, "update");
    int64_t n = 0;
    for (int t = 0; t < TENSORS; t++)
        for (int64_t i = 0; i < counts[t]; i++) { /* few levels: many ties, of both signs */
            double x = gnt_random_normal(&s) * pow(10, t - 1);
            u[n++] = (float)(levels ? floor(x * levels) / levels : x);
        }
    return n;
}

static void run_prune(float *u, double p_value, const char *scope, double *fact) {
    gnt_params params;
    gnt_err err = {0};
    char json[100];
    gnt_tensor tensor[TENSORS] = {{0}};
    gnt_tensors update = {TENSORS, tensor};
    int64_t at = 0;
    for (int t = 0; t < TENSORS; t++) {
        tensor[t] =
            (gnt_tensor){.name = "t", .rank = 1, .dim = {counts[t]}, .count = counts[t], .data = u + at};
        at += counts[t];
    }
    snprintf(json, sizeof json, "{\"p\": %.17g, \"scope\": \"%s\"}", p_value, scope);
    const gnt_descriptor *d = gauntlet_entry()->descriptor(0);
    assert_int_equal(gnt_params_parse(&params, d->parameters, d->n_parameters, "p", json, NULL), 0);
    gnt_instance_spec spec = {.descriptor = d, .params = &params};
    gnt_instance *i;
    assert_int_equal(gnt_instance_new(&i, &spec, NULL, NULL), 0);
    gnt_client client = {.size = sizeof client};
    gnt_instance_enter(i, "transform_update");
    gnt_status s = gnt_instance_defense(i)->transform_update(gnt_instance_self(i), &client, &update);
    assert_int_equal(gnt_instance_leave(i, s, &err), GNT_OK);
    const gnt_fact *facts;
    assert_int_equal(gnt_instance_facts(i, &facts), 1);
    assert_string_equal(facts[0].name, "pruned_fraction");
    *fact = facts[0].mean;
    gnt_instance_free(i);
    gnt_params_free(&params);
}

static void judged_by_a_sort(void **state) {
    (void)state;
    static const double ps[] = {0, 0.001, 0.29, 0.5, 0.9, 0.99, 0.99999};
    static float u[MOST_ENTRIES], expected[MOST_ENTRIES];
    for (size_t k = 0; k < sizeof ps / sizeof ps[0]; k++)
        for (int levels = 0; levels <= 4; levels += 2)
            for (int whole = 0; whole < 2; whole++) {
                double fact;
                int64_t n = fill(u, 3, levels), zeros = 0, at = 0;
                memcpy(expected, u, sizeof u);
                for (int t = 0; t < (whole ? 1 : TENSORS); t++) {
                    int64_t count = whole ? n : counts[t], m = (int64_t)floor(ps[k] * (double)count + 1e-9);
                    prune_by_sorting(expected + at, count, m);
                    zeros += m;
                    at += count;
                }
                run_prune(u, ps[k], whole ? "update" : "tensor", &fact);
                for (int64_t i = 0; i < n; i++)
                    if (u[i] != expected[i])
                        fail_msg("p %g, entry %lld: %g, expected %g", ps[k], (long long)i, u[i], expected[i]);
                assert_true(fabs(fact - (double)zeros / (double)n) < 1e-12);
            }
}

/* Returns how many of n entries the share p zeroes. */
static int64_t pruned(double p, int64_t n) {
    static int64_t count[GNT_LEAST_BINS];
    static float u[1000];
    int64_t total = 0;
    gnt_tensor tensor = {.name = "t", .rank = 1, .dim = {n}, .count = n, .data = u};
    for (int64_t i = 0; i < n; i++)
        u[i] = 1 + (float)i;
    const int64_t zeros = prune_together(&tensor, 1, p, count, &total);
    assert_int_equal(total, n);
    for (int64_t i = 0; i < n; i++)
        assert_int_equal(u[i] == 0, i < zeros);
    return zeros;
}

static void shares_are_what_people_mean(void **state) {
    (void)state;
    assert_int_equal(pruned(0.29, 100), 29);
    assert_int_equal(pruned(0.7, 10), 7);
    assert_int_equal(pruned(0.999, 1000), 999);
    assert_int_equal(pruned(0.5, 7), 3);
    assert_int_equal(pruned(0.99999, 10), 9);
    assert_int_equal(pruned(0, 10), 0);
}

/* Denormals are ordered, infinities and NaN are the last to go. */
static void odd_floats_keep_their_order(void **state) {
    (void)state;
    float u[6] = {NAN, -INFINITY, 1e-42f, -3e-42f, 0, 1};
    gnt_tensor tensor = {.count = 6, .data = u};
    int64_t *room = calloc(GNT_LEAST_BINS, sizeof *room), entries = 0;
    assert_int_equal(prune_together(&tensor, 1, 0.5, room, &entries), 3);
    assert_true(isnan(u[0]) && isinf(u[1]) && u[2] == 0 && u[3] == 0 && u[4] == 0 && u[5] == 1);
    assert_int_equal(prune_together(&tensor, 1, 0.9, room, &entries), 5);
    assert_int_equal(entries, 12);
    assert_true(isnan(u[0]) && u[1] == 0 && u[5] == 0);
    free(room);
}

/* Zeroes the least half of the parameters W + u that are sent; a parameter that clients keep to
 * themselves counts in neither. A client that shares a gradient has none. */
static void parameters_become_zero(void **state) {
    (void)state;
    static const gnt_view params[3] = {{.count = 2}, {.count = 3}, {.count = 2}};
    static const uint8_t shared[3] = {1, 0, 1};
    static const float weights[7] = {1, -0.25f, 9, 9, 9, 0.5f, -2};
    static const float sent[4] = {1.5f, 0, 0, -2.125f}; /* of 1.5, 0.25, −0.75 and −2.125 */
    float u[4] = {0.5f, 0.5f, -1.25f, -0.125f};
    gnt_tensor tensor[2] = {{.count = 2, .data = u}, {.count = 2, .data = u + 2}};
    gnt_tensors update = {2, tensor};
    const gnt_model_info info = {.size = sizeof info, .params = {3, (gnt_view *)params}, .federated = shared};
    const gnt_model_service model = {.size = sizeof model, .info = &info};
    gnt_client client = {.size = sizeof client, .steps = 1, .weights = weights};
    plain_host p;
    plain_open(&p, 1);
    p.host.model = &model;
    prune s = {.host = &p.host, .p = 0.5, .scope = SCOPE_UPDATE, .of = OF_PARAMETERS};
    assert_int_equal(transform_update(&s, &client, &update), GNT_OK);
    for (int i = 0; i < 4; i++)
        assert_true(u[i] + weights[i < 2 ? i : i + 3] == sent[i]);
    client.steps = 0;
    assert_int_equal(transform_update(&s, &client, &update), GNT_UNSUPPORTED);
    assert_non_null(strstr(p.said, "local_steps"));
    plain_close(&p);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(parameters_become_zero), cmocka_unit_test(judged_by_a_sort),
        cmocka_unit_test(shares_are_what_people_mean), cmocka_unit_test(odd_floats_keep_their_order)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
