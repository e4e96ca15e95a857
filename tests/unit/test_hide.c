/* Clients that hide different attributes: how many each group has, which they are, and what their samples
 * weigh. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "job/work/hidden.h"

static void counts(int32_t clients, const double *share, size_t n, const int32_t *expected) {
    for (size_t k = 0; k < n; k++)
        assert_int_equal(gnt_hide_count(clients, share, k), expected[k]);
}

/* The first k groups together are as near to their shares as whole clients can be, halves upwards. */
static void shares_are_rounded_together(void **state) {
    (void)state;
    counts(10, (double[]){0.5, 0.5}, 2, (int32_t[]){5, 5});
    counts(100, (double[]){0.5, 0.25}, 2, (int32_t[]){50, 25});
    counts(3, (double[]){0.5, 0.5}, 2, (int32_t[]){2, 1});
    counts(10, (double[]){1.0 / 3, 1.0 / 3, 1.0 / 3}, 3, (int32_t[]){3, 4, 3});
    counts(10, (double[]){0.05, 0.04}, 2, (int32_t[]){1, 0});
    counts(7, (double[]){0.3, 0.2}, 2, (int32_t[]){2, 2}); /* 2.1, then 3.5 */
    counts(1, (double[]){1}, 1, (int32_t[]){1});
}

static void groups_are_drawn_by_the_key_alone(void **state) {
    enum { CLIENTS = 10, SEEDS = 200 };
    static const double share[] = {0.5, 0.3};
    int32_t first[CLIENTS], other[CLIENTS], of_first[CLIENTS] = {0};
    int different = 0;
    (void)state;
    for (uint64_t seed = 0; seed < SEEDS; seed++) {
        const gnt_key key = gnt_key_of_seed(seed);
        int32_t n[3] = {0};
        assert_int_equal(gnt_hide_deal(first, CLIENTS, share, 2, &key), 0);
        assert_int_equal(gnt_hide_deal(other, CLIENTS, share, 2, &key), 0);
        assert_memory_equal(first, other, sizeof first);
        for (int k = 0; k < CLIENTS; k++) {
            assert_in_range(first[k] + 1, 0, 2);
            n[first[k] + 1]++;
            of_first[k] += first[k] == 0;
        }
        assert_true(n[1] == 5 && n[2] == 3 && n[0] == 2);
        const gnt_key next = gnt_key_of_seed(seed + SEEDS);
        gnt_hide_deal(other, CLIENTS, share, 2, &next);
        different += memcmp(first, other, sizeof first) != 0;
    }
    assert_true(different > SEEDS * 9 / 10);
    for (int k = 0; k < CLIENTS; k++) /* each client in half of the draws: 100 ± 7.1, within 5 of these */
        assert_in_range(of_first[k], 65, 135);
}

/* ---- what a job makes of a request ---- */

static const gnt_request_hidden race[] = {{"race", 1}}, sex[] = {{"sex", 0.25}, {"race", 0.5}};
static const gnt_request_hider groups[] = {{0.5, {race, 1}}, {0.25, {sex, 2}}};

static gnt_sampleset two_attributes(void) {
    gnt_sampleset s = {.view = {.size = sizeof s.view, .n = 4, .n_attributes = 2}};
    s.attribute[0] = (gnt_attribute){.name = "sex", .values = 2, .weight = 0.25f};
    s.attribute[1] = (gnt_attribute){.name = "race", .values = 5, .weight = 1};
    return s;
}

static void a_clients_samples_weigh_what_its_group_says(void **state) {
    (void)state;
    const gnt_request_hiders all = {{groups, 2}, gnt_key_of_seed(3)};
    const gnt_request_samples of = {.hiders = &all};
    gnt_sampleset s = two_attributes();
    s.view.attribute = s.attribute;
    int32_t group[8], seen[3] = {0};
    gnt_work_hidden h;
    gnt_err err = {0};
    assert_int_equal(gnt_work_hidden_open(&h, &of, 8, &s, &err), 0);
    assert_int_equal(gnt_hide_deal(group, 8, (double[]){0.5, 0.25}, 2, &all.key), 0);
    for (int32_t k = 0; k < 8; k++) {
        static const float weight[3][2] = {{0, 0}, {0, 1}, {0.25f, 0.5f}};
        gnt_samples own = s.view;
        gnt_hide_for(&h.view, k, &own);
        for (int a = 0; a < 2; a++) {
            assert_true(own.attribute[a].weight == weight[group[k] + 1][a]);
            assert_int_equal(own.attribute[a].values, s.attribute[a].values);
            assert_string_equal(own.attribute[a].name, s.attribute[a].name);
        }
        seen[group[k] + 1]++;
    }
    assert_true(seen[1] == 4 && seen[2] == 2 && seen[0] == 2);
    /* no client, and samples of another shape: they stay as they are */
    gnt_samples other = s.view;
    gnt_hide_for(&h.view, 8, &other);
    gnt_hide_for(&h.view, -1, &other);
    assert_ptr_equal(other.attribute, s.attribute);
    other.n_attributes = 1;
    gnt_hide_for(&h.view, 0, &other);
    assert_ptr_equal(other.attribute, s.attribute);
    gnt_work_hidden_free(&h);
}

static void clients_alike_need_no_tables(void **state) {
    (void)state;
    const gnt_request_samples of = {0};
    gnt_sampleset s = two_attributes();
    gnt_work_hidden h;
    gnt_err err = {0};
    s.view.attribute = s.attribute;
    assert_int_equal(gnt_work_hidden_open(&h, &of, 8, &s, &err), 0);
    gnt_samples own = s.view;
    gnt_hide_for(&h.view, 0, &own);
    assert_ptr_equal(own.attribute, s.attribute);
    gnt_work_hidden_free(&h);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(shares_are_rounded_together),
        cmocka_unit_test(groups_are_drawn_by_the_key_alone),
        cmocka_unit_test(a_clients_samples_weigh_what_its_group_says),
        cmocka_unit_test(clients_alike_need_no_tables),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
