/* Partitions: every sample with one client, sizes, label skew, refusals. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "base/mem.h"
#include "fl/partition.h"

enum { N = 1000, CLASSES = 10 };

static int32_t label[N];

static int make_labels(void **state) {
    (void)state;
    for (int i = 0; i < N; i++)
        label[i] = (i * 7) % CLASSES;
    return 0;
}

static gnt_partition deal(gnt_partition_spec spec, uint64_t seed) {
    gnt_partition p;
    gnt_err err = {0};
    gnt_key key = gnt_key_of_seed(seed);
    if (gnt_partition_make(&p, &spec, label, N, CLASSES, &key, &err) != 0)
        fail_msg("%s", err.text);
    return p;
}

/* Each sample at most once; returns how many were dealt. */
static int count_once(const gnt_partition *p) {
    uint8_t seen[N] = {0};
    int n = 0;
    assert_int_equal(p->start[0], 0);
    for (int32_t k = 0; k < p->clients; k++)
        for (int64_t i = p->start[k]; i < p->start[k + 1]; i++) {
            assert_true(p->index[i] < N);
            assert_int_equal(seen[p->index[i]], 0);
            seen[p->index[i]] = 1;
            n++;
        }
    return n;
}

/* Mean number of different labels a client holds. */
static double labels_held(const gnt_partition *p) {
    int sum = 0;
    for (int32_t k = 0; k < p->clients; k++) {
        int has[CLASSES] = {0};
        for (int64_t i = p->start[k]; i < p->start[k + 1]; i++)
            has[label[p->index[i]]] = 1;
        for (int c = 0; c < CLASSES; c++)
            sum += has[c];
    }
    return (double)sum / p->clients;
}

static void iid_deals_all_evenly(void **state) {
    (void)state;
    gnt_partition p = deal((gnt_partition_spec){.kind = GNT_PARTITION_IID, .clients = 7}, 1);
    assert_int_equal(count_once(&p), N);
    for (int32_t k = 0; k < 7; k++)
        assert_in_range(p.start[k + 1] - p.start[k], N / 7, N / 7 + 1);
    assert_true(labels_held(&p) > 9.9);
    gnt_partition_free(&p);
}

/* Two shards of 50 of one label each (100 samples a label): a client holds at most two labels. */
static void shards_hold_few_labels(void **state) {
    (void)state;
    gnt_partition p = deal((gnt_partition_spec){.kind = GNT_PARTITION_SHARDS, .clients = 10, .shards = 2}, 1);
    assert_int_equal(count_once(&p), N);
    assert_true(labels_held(&p) <= 2);
    gnt_partition_free(&p);
    p = deal((gnt_partition_spec){.kind = GNT_PARTITION_SHARDS, .clients = 3, .shards = 2}, 1);
    assert_int_equal(count_once(&p), 6 * (N / 6)); /* what fills no shard is left over */
    gnt_partition_free(&p);
}

static void dirichlet_is_skewed_by_a_small_alpha(void **state) {
    (void)state;
    gnt_partition_spec spec = {.kind = GNT_PARTITION_DIRICHLET, .clients = 10, .alpha = 0.05};
    gnt_partition skewed = deal(spec, 2);
    spec.alpha = 1000;
    gnt_partition even = deal(spec, 2);
    assert_int_equal(count_once(&skewed), N);
    assert_int_equal(count_once(&even), N);
    assert_true(labels_held(&skewed) < 5);
    assert_true(labels_held(&even) > 9.5);
    gnt_partition_free(&skewed);
    gnt_partition_free(&even);
}

static void the_key_decides(void **state) {
    (void)state;
    gnt_partition_spec spec = {.kind = GNT_PARTITION_IID, .clients = 4};
    gnt_partition a = deal(spec, 1), b = deal(spec, 1), c = deal(spec, 2);
    assert_memory_equal(a.index, b.index, N * sizeof *a.index);
    assert_int_not_equal(memcmp(a.index, c.index, N * sizeof *a.index), 0);
    gnt_partition_free(&a);
    gnt_partition_free(&b);
    gnt_partition_free(&c);
}

static void what_cannot_be_dealt_is_refused(void **state) {
    (void)state;
    static const gnt_partition_spec bad[] = {{.kind = GNT_PARTITION_IID, .clients = 0},
                                             {.kind = GNT_PARTITION_IID, .clients = N + 1},
                                             {.kind = GNT_PARTITION_SHARDS, .clients = 10, .shards = 0},
                                             {.kind = GNT_PARTITION_SHARDS, .clients = 10, .shards = 101},
                                             {.kind = GNT_PARTITION_DIRICHLET, .clients = 2, .alpha = 0},
                                             {.kind = GNT_PARTITION_DIRICHLET, .clients = 2, .alpha = NAN}};
    gnt_key key = gnt_key_of_seed(1);
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        gnt_partition p;
        gnt_err err = {0};
        assert_int_equal(gnt_partition_make(&p, &bad[i], label, N, CLASSES, &key, &err), -1);
        assert_true(err.text[0]);
    }
    int32_t wrong[2] = {0, CLASSES};
    gnt_partition p;
    assert_int_equal(
        gnt_partition_make(&p, &(gnt_partition_spec){.clients = 1}, wrong, 2, CLASSES, &key, NULL), -1);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(iid_deals_all_evenly),
        cmocka_unit_test(shards_hold_few_labels),
        cmocka_unit_test(dirichlet_is_skewed_by_a_small_alpha),
        cmocka_unit_test(the_key_decides),
        cmocka_unit_test(what_cannot_be_dealt_is_refused),
    };
    return cmocka_run_group_tests_name("fl partition", tests, make_labels, NULL);
}
