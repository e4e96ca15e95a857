/* dp-gaussian and dp-laplace in some layers alone: these are clipped and noised as one vector, the others
 * stay to the bit, and an epsilon is reported only where all are named. */
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

/* The network's layers are "one" and "two", dense, with a weight and a bias each. */
enum { TENSORS = 4, FIRST_OF_TWO = 2 };

typedef struct bench {
    tried t;
    net n;
    gnt_err err;
} bench;

static void open_bench(bench *b, const char *id, const char *json) {
    char where[4096];
    memset(b, 0, sizeof *b);
    net_open(&b->n, net_json, 1, 7);
    net_fill(&b->n, 20, 0.5);
    if (try_load(&b->t, built("plugins/defenses/dp.so", where), GNT_PLUGIN_DEFENSE, id, json, &b->err) ||
        try_start(&b->t, 3, (gnt_instance_spec){.model = b->n.service}, &b->err))
        fail_msg("%s", b->err.text);
}

static void close_bench(bench *b) {
    try_close(&b->t);
    net_close(&b->n);
}

static void send_update(bench *b) {
    if (try_transform(&b->t, &b->n.tensors, &b->err) != GNT_OK)
        fail_msg("%s", b->err.text);
}

static double norm_of(const net *n, int first, int end, int l1) {
    double sum = 0;
    for (int k = first; k < end; k++)
        for (int64_t i = 0; i < n->tensor[k].count; i++) {
            const double u = (double)n->tensor[k].data[i];
            sum += l1 ? fabs(u) : u * u;
        }
    return l1 ? sum : sqrt(sum);
}

static int64_t entries(const net *n, int first, int end) {
    int64_t all = 0;
    for (int k = first; k < end; k++)
        all += n->tensor[k].count;
    return all;
}

/* The norm of layer two becomes the bound, though that of the whole update is larger; layer one stays. */
static void only_named_layers_are_clipped(void **state) {
    (void)state;
    static bench b;
    for (int laplace = 0; laplace < 2; laplace++) {
        char json[200];
        float before[NET_MOST];
        open_bench(&b, "dp-gaussian", NULL);
        const double norm = norm_of(&b.n, FIRST_OF_TWO, TENSORS, laplace);
        close_bench(&b);
        snprintf(json, sizeof json, "{\"%s\": 1e-8, \"clip\": %.17g, \"layers\": \"two\"}",
                 laplace ? "b" : "sigma", norm / 2);
        open_bench(&b, laplace ? "dp-laplace" : "dp-gaussian", json);
        memcpy(before, b.n.update, sizeof before);
        send_update(&b);
        const int64_t ones = entries(&b.n, 0, FIRST_OF_TWO);
        assert_memory_equal(b.n.update, before, (size_t)ones * sizeof *before);
        for (int64_t i = ones; i < b.n.params; i++)
            assert_true(fabsf(b.n.update[i] - before[i] / 2) < 1e-6f);
        assert_true(fabs(try_fact(&b.t, "norm") / norm - 1) < 1e-9 && try_fact(&b.t, "clipped") == 1);
        assert_true(fabs(try_fact(&b.t, "covered_share") - (double)(b.n.params - ones) / (double)b.n.params) <
                    1e-12);
        close_bench(&b);
    }
}

/* Noise of the stated deviation in layer one, none in layer two; no epsilon. */
static void only_named_layers_are_noised(void **state) {
    (void)state;
    static bench b;
    float before[NET_MOST];
    double square = 0;
    int64_t n = 0;
    open_bench(&b, "dp-gaussian", "{\"sigma\": 0.2, \"clip\": 1000, \"delta\": 1e-5, \"layers\": \"one\"}");
    const int64_t ones = entries(&b.n, 0, FIRST_OF_TWO);
    for (int turn = 0; turn < 50; turn++, n += ones) {
        memcpy(before, b.n.update, sizeof before);
        send_update(&b);
        for (int64_t i = 0; i < ones; i++)
            square += pow((double)b.n.update[i] - (double)before[i], 2);
        assert_memory_equal(b.n.update + ones, before + ones, (size_t)(b.n.params - ones) * sizeof *before);
    }
    assert_true(fabs(sqrt(square / (double)n) / 0.2 - 1) < 5 / sqrt(2 * (double)n));
    assert_true(isnan(try_fact(&b.t, "epsilon_release_add")) && isnan(try_fact(&b.t, "epsilon_rounds_add")));
    close_bench(&b);
}

/* All layers by name are all layers: the same bytes, and the same epsilons. */
static void all_layers_by_name_are_all(void **state) {
    (void)state;
    static const char *const layers[] = {"", "one+two", "dense", "two, one"};
    static bench b;
    float plain[NET_MOST] = {0};
    double epsilon = 0;
    for (int i = 0; i < 4; i++) {
        char json[200];
        snprintf(json, sizeof json, "{\"sigma\": 1, \"clip\": 1, \"delta\": 1e-5, \"layers\": \"%s\"}",
                 layers[i]);
        open_bench(&b, "dp-gaussian", json);
        send_update(&b);
        if (i == 0) {
            memcpy(plain, b.n.update, sizeof plain);
            epsilon = try_fact(&b.t, "epsilon_release_replace");
            assert_true(fabs(epsilon / 9.99725614643430036 - 1) < 1e-9 &&
                        isnan(try_fact(&b.t, "covered_share")));
        } else {
            assert_memory_equal(plain, b.n.update, (size_t)b.n.params * sizeof *plain);
            assert_true(try_fact(&b.t, "epsilon_release_replace") == epsilon);
            assert_true(try_fact(&b.t, "covered_share") == 1);
        }
        close_bench(&b);
    }
}

static void other_names_are_refused(void **state) {
    (void)state;
    static bench b;
    open_bench(&b, "dp-gaussian", "{\"layers\": \"ones\"}");
    assert_int_equal(try_transform(&b.t, &b.n.tensors, &b.err), GNT_UNSUPPORTED);
    assert_non_null(strstr(b.err.text, "has no layer \"ones\"; the nearest is \"one\""));
    char json[200];
    snprintf(json, sizeof json, "{\"layers\": \"%s\"}",
             gnt_service_table(b.n.service)->info->layer[0].name); /* flatten */
    close_bench(&b);
    open_bench(&b, "dp-laplace", json);
    assert_int_equal(try_transform(&b.t, &b.n.tensors, &b.err), GNT_UNSUPPORTED);
    assert_non_null(strstr(b.err.text, "have no parameters that clients share"));
    close_bench(&b);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(only_named_layers_are_clipped),
        cmocka_unit_test(only_named_layers_are_noised),
        cmocka_unit_test(all_layers_by_name_are_all),
        cmocka_unit_test(other_names_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
