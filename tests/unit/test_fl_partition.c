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
static double labels_present(const gnt_partition *p) {
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
    assert_true(labels_present(&p) > 9.9);
    gnt_partition_free(&p);
}

/* Two shards of 50 of one label each (100 samples a label): a client holds at most two labels. */
static void shards_hold_few_labels(void **state) {
    (void)state;
    gnt_partition p = deal((gnt_partition_spec){.kind = GNT_PARTITION_SHARDS, .clients = 10, .shards = 2}, 1);
    assert_int_equal(count_once(&p), N);
    assert_true(labels_present(&p) <= 2);
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
    assert_true(labels_present(&skewed) < 5);
    assert_true(labels_present(&even) > 9.5);
    gnt_partition_free(&skewed);
    gnt_partition_free(&even);
}

/* ---- shards of a fixed size ---- */

static gnt_partition_spec sized(int32_t clients, int64_t size, int32_t least, int32_t most) {
    return (gnt_partition_spec){
        .kind = GNT_PARTITION_SIZED_SHARDS, .clients = clients, .size = size, .least = least, .most = most};
}

/* 100 samples a label, shards of 25: none crosses from one label to the next, so that in a client's rows each
 * run of 25 has one label. Over many draws every number of shards comes up, and no other one. */
static void sized_shards_are_whole_and_drawn(void **state) {
    (void)state;
    int drawn[8] = {0};
    for (uint64_t seed = 1; seed <= 50; seed++) {
        gnt_partition p = deal(sized(5, 25, 2, 5), seed);
        assert_int_equal(count_once(&p), p.start[5]);
        for (int32_t k = 0; k < 5; k++) {
            const int64_t rows = p.start[k + 1] - p.start[k];
            assert_int_equal(rows % 25, 0);
            assert_in_range(rows / 25, 2, 5);
            drawn[rows / 25]++;
            for (int64_t i = 0; i < rows; i++)
                assert_int_equal(label[p.index[p.start[k] + i]], label[p.index[p.start[k] + i / 25 * 25]]);
        }
        gnt_partition_free(&p);
    }
    /* 250 draws of 4 numbers: 62.5 of each, with a deviation of 6.8 */
    for (int shards = 2; shards <= 5; shards++)
        assert_in_range(drawn[shards], 62 - 5 * 7, 62 + 5 * 7);
}

/* What fills no shard is dealt to nobody: 1,000 samples make 3 shards of 300, of which rows 900 … 999 by
 * label are no part. With as many shards as are wanted all are dealt. */
static void sized_shards_leave_the_rest(void **state) {
    (void)state;
    gnt_partition p = deal(sized(3, 300, 1, 1), 1);
    assert_int_equal(count_once(&p), 900);
    for (int64_t i = 0; i < 900; i++)
        assert_true(label[p.index[i]] < 9); /* 900 … 999 are those of label 9 */
    gnt_partition_free(&p);
    p = deal(sized(4, 125, 2, 2), 1);
    assert_int_equal(count_once(&p), N);
    gnt_partition_free(&p);
}

/* 10 shards for 4 clients with 1 … 4: half the draws have a sum above 10. All that are dealt fit. */
static void counts_are_drawn_again_until_they_fit(void **state) {
    (void)state;
    int64_t least = N, most = 0;
    for (uint64_t seed = 1; seed <= 40; seed++) {
        gnt_partition p = deal(sized(4, 100, 1, 4), seed);
        const int64_t dealt = count_once(&p);
        least = dealt < least ? dealt : least;
        most = dealt > most ? dealt : most;
        gnt_partition_free(&p);
    }
    assert_int_equal(most, N);
    assert_true(least < 800);
}

/* The setting of a paper that does not add up: 1 … 9 shards of 100 clients are 500 on average. */
static void counts_that_never_fit_are_refused(void **state) {
    (void)state;
    const gnt_partition_spec spec = sized(100, 3, 1, 9);
    const gnt_key key = gnt_key_of_seed(1);
    gnt_partition p;
    gnt_err err = {0};
    assert_int_equal(gnt_partition_make(&p, &spec, label, N, CLASSES, &key, &err), -1);
    assert_non_null(strstr(err.text, "make 333 shards of 3"));
    assert_non_null(strstr(err.text, "100 clients with 1 … 9 each want 500 on average"));
}

/* ---- labels by name ---- */

static int count_label(const gnt_partition *p, int32_t client, int32_t which) {
    int n = 0;
    for (int64_t i = p->start[client]; i < p->start[client + 1]; i++)
        n += label[p->index[i]] == which;
    return n;
}

/* 80 of two labels, and 83 of three labels in another order: 28, 28, 27. Two clients share label 1. */
static void labels_are_shared_evenly(void **state) {
    (void)state;
    static const int64_t rows[] = {80, 83}, n_labels[] = {2, 3}, labels[] = {0, 1, 9, 1, 4};
    gnt_partition p = deal(
        (gnt_partition_spec){
            .kind = GNT_PARTITION_LABELS, .clients = 2, .rows = rows, .n_labels = n_labels, .labels = labels},
        3);
    assert_int_equal(count_once(&p), 163);
    assert_int_equal(p.start[1], 80);
    assert_int_equal(count_label(&p, 0, 0), 40);
    assert_int_equal(count_label(&p, 0, 1), 40);
    assert_int_equal(count_label(&p, 1, 9), 28);
    assert_int_equal(count_label(&p, 1, 1), 28);
    assert_int_equal(count_label(&p, 1, 4), 27);
    gnt_partition_free(&p);
}

/* All 100 samples of a label may be wanted, by two clients together; one more may not. */
static void a_label_gives_what_it_has(void **state) {
    (void)state;
    int64_t rows[] = {60, 40};
    static const int64_t n_labels[] = {1, 1}, last[] = {9, 9}, outside[] = {9, 10};
    gnt_partition_spec spec = {
        .kind = GNT_PARTITION_LABELS, .clients = 2, .rows = rows, .n_labels = n_labels, .labels = last};
    gnt_partition p = deal(spec, 1);
    assert_int_equal(count_once(&p), 100);
    assert_int_equal(count_label(&p, 0, 9) + count_label(&p, 1, 9), 100);
    gnt_partition_free(&p);
    const gnt_key key = gnt_key_of_seed(1);
    gnt_err err = {0};
    rows[1] = 41;
    assert_int_equal(gnt_partition_make(&p, &spec, label, N, CLASSES, &key, &err), -1);
    assert_non_null(strstr(err.text, "label 9 has 100 samples, but the clients that name it want 101"));
    rows[1] = 40;
    spec.labels = outside;
    assert_int_equal(gnt_partition_make(&p, &spec, label, N, CLASSES, &key, &err), -1);
    assert_non_null(strstr(err.text, "label 10, outside 0 … 9"));
}

/* ---- groups ---- */

/* Group g has 2g + 1 samples, the last one fewer: the first 31 have 31² = 961, the next one the rest. */
static void make_groups(int32_t *group) {
    int n = 0;
    for (int32_t g = 0; n < N; g++)
        for (int i = 0; i < 2 * g + 1 && n < N; i++, n++)
            group[(n * 7) % N] = 5 * g + 3; /* 7 and N have no common divisor */
}

static int64_t rows_of_client(const gnt_partition *p, int32_t k) {
    return p->start[k + 1] - p->start[k];
}

/* 32 groups of 1 to 61 samples among 8 clients: every group is with one client, and as each goes to who has
 * least, no two clients differ by more than a group. */
static void groups_stay_whole(void **state) {
    (void)state;
    static int32_t group[N];
    make_groups(group);
    for (uint64_t seed = 1; seed <= 20; seed++) {
        gnt_partition p =
            deal((gnt_partition_spec){.kind = GNT_PARTITION_GROUP, .clients = 8, .group = group, .whole = 1},
                 seed);
        int owner[64 * 5] = {0};
        int64_t least = N, most = 0;
        assert_int_equal(count_once(&p), N);
        for (int32_t k = 0; k < 8; k++) {
            least = rows_of_client(&p, k) < least ? rows_of_client(&p, k) : least;
            most = rows_of_client(&p, k) > most ? rows_of_client(&p, k) : most;
            for (int64_t i = p.start[k]; i < p.start[k + 1]; i++) {
                int *of = &owner[group[p.index[i]]];
                assert_true(*of == 0 || *of == k + 1);
                *of = k + 1;
            }
        }
        /* largest first: the last ones to be dealt have 1, 3, 5 … samples, so they even out what is before */
        assert_true(most - least <= 9);
        gnt_partition_free(&p);
    }
}

/* The client with the largest group is another one by another key. */
static void no_client_is_first(void **state) {
    (void)state;
    static int32_t group[N];
    int of[4] = {0};
    for (int i = 0; i < N; i++)
        group[i] = i < 400 ? 0 : 1 + i % 3;
    for (uint64_t seed = 1; seed <= 40; seed++) {
        gnt_partition p =
            deal((gnt_partition_spec){.kind = GNT_PARTITION_GROUP, .clients = 4, .group = group, .whole = 1},
                 seed);
        for (int32_t k = 0; k < 4; k++)
            of[k] += rows_of_client(&p, k) == 400;
        gnt_partition_free(&p);
    }
    for (int k = 0; k < 4; k++) /* 10 each, with a deviation of 2.7 */
        assert_in_range(of[k], 1, 24);
}

/* Two values, 700 and 300 samples, among 10 clients: 7 and 3 clients of 100 samples of one value. */
static void values_are_shared_by_clients_in_proportion(void **state) {
    (void)state;
    static int32_t value[N];
    for (int i = 0; i < N; i++)
        value[i] = i % 10 < 3;
    gnt_partition p =
        deal((gnt_partition_spec){.kind = GNT_PARTITION_GROUP, .clients = 10, .group = value}, 4);
    int clients[2] = {0};
    assert_int_equal(count_once(&p), N);
    for (int32_t k = 0; k < 10; k++) {
        assert_int_equal(rows_of_client(&p, k), 100);
        for (int64_t i = p.start[k]; i < p.start[k + 1]; i++)
            assert_int_equal(value[p.index[i]], value[p.index[p.start[k]]]);
        clients[value[p.index[p.start[k]]]]++;
    }
    assert_int_equal(clients[0], 7);
    assert_int_equal(clients[1], 3);
    gnt_partition_free(&p);
    p = deal((gnt_partition_spec){.kind = GNT_PARTITION_GROUP, .clients = N, .group = value}, 4);
    for (int32_t k = 0; k < N; k++)
        assert_int_equal(rows_of_client(&p, k), 1);
    gnt_partition_free(&p);
}

static void too_few_groups_are_refused(void **state) {
    (void)state;
    static int32_t group[N];
    make_groups(group);
    gnt_partition_spec spec = {.kind = GNT_PARTITION_GROUP, .clients = 33, .group = group, .whole = 1};
    const gnt_key key = gnt_key_of_seed(1);
    gnt_partition p;
    gnt_err err = {0};
    assert_int_equal(gnt_partition_make(&p, &spec, label, N, CLASSES, &key, &err), -1);
    assert_non_null(strstr(err.text, "1000 samples are of 32 groups"));
    assert_non_null(strstr(err.text, "take at most 32 clients"));
    spec.group = NULL;
    assert_int_equal(gnt_partition_make(&p, &spec, label, N, CLASSES, &key, &err), -1);
    assert_non_null(strstr(err.text, "needs the group of each sample"));
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
    static const int64_t nothing[] = {0}, one[] = {1};
    static const gnt_partition_spec bad[] = {
        {.kind = GNT_PARTITION_IID, .clients = 0},
        {.kind = GNT_PARTITION_IID, .clients = N + 1},
        {.kind = GNT_PARTITION_SHARDS, .clients = 10, .shards = 0},
        {.kind = GNT_PARTITION_SHARDS, .clients = 10, .shards = 101},
        {.kind = GNT_PARTITION_DIRICHLET, .clients = 2, .alpha = 0},
        {.kind = GNT_PARTITION_DIRICHLET, .clients = 2, .alpha = NAN},
        {.kind = GNT_PARTITION_SIZED_SHARDS, .clients = 2, .least = 1, .most = 1},
        {.kind = GNT_PARTITION_SIZED_SHARDS, .clients = 2, .size = N + 1, .least = 1, .most = 1},
        {.kind = GNT_PARTITION_SIZED_SHARDS, .clients = 2, .size = 1, .most = 1},
        {.kind = GNT_PARTITION_SIZED_SHARDS, .clients = 2, .size = 1, .least = 2, .most = 1},
        {.kind = GNT_PARTITION_LABELS, .clients = 1, .rows = nothing, .n_labels = one, .labels = nothing},
        {.kind = GNT_PARTITION_LABELS, .clients = 1, .rows = one, .n_labels = nothing, .labels = nothing}};
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
        cmocka_unit_test(sized_shards_are_whole_and_drawn),
        cmocka_unit_test(sized_shards_leave_the_rest),
        cmocka_unit_test(counts_are_drawn_again_until_they_fit),
        cmocka_unit_test(counts_that_never_fit_are_refused),
        cmocka_unit_test(labels_are_shared_evenly),
        cmocka_unit_test(a_label_gives_what_it_has),
        cmocka_unit_test(groups_stay_whole),
        cmocka_unit_test(no_client_is_first),
        cmocka_unit_test(values_are_shared_by_clients_in_proportion),
        cmocka_unit_test(too_few_groups_are_refused),
        cmocka_unit_test(the_key_decides),
        cmocka_unit_test(what_cannot_be_dealt_is_refused),
    };
    return cmocka_run_group_tests_name("fl partition", tests, make_labels, NULL);
}
