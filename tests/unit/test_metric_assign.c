/* The least-cost assignment, against every permutation of small cases. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "base/random.h"
#include "metric/assign_impl.h"

enum { MOST = 6 };

/* Least cost over all ways to give min(rows, columns) rows distinct columns: tries every choice for row r. */
static double brute(const double *cost, size_t rows, size_t columns, size_t r, unsigned taken,
                    size_t to_place) {
    if (to_place == 0)
        return 0;
    if (r == rows)
        return INFINITY;
    double best = rows - r > to_place ? brute(cost, rows, columns, r + 1, taken, to_place) : INFINITY;
    for (size_t c = 0; c < columns; c++) {
        if (taken & 1u << c)
            continue;
        double rest = brute(cost, rows, columns, r + 1, taken | 1u << c, to_place - 1);
        best = fmin(best, cost[r * columns + c] + rest);
    }
    return best;
}

static double check_one_to_one(const int64_t *column_of_r, const double *cost, size_t rows, size_t columns) {
    unsigned taken = 0;
    size_t placed = 0;
    double sum = 0;
    for (size_t r = 0; r < rows; r++) {
        if (column_of_r[r] < 0)
            continue;
        assert_true((size_t)column_of_r[r] < columns);
        assert_false(taken & 1u << column_of_r[r]);
        taken |= 1u << column_of_r[r];
        sum += cost[r * columns + (size_t)column_of_r[r]];
        placed++;
    }
    assert_int_equal(placed, rows < columns ? rows : columns);
    return sum;
}

static void equals_brute_force(void **state) {
    (void)state;
    gnt_key key = gnt_key_of_seed(11);
    gnt_stream s = gnt_stream_open(&key, "cost");
    for (int round = 0; round < 400; round++) {
        size_t rows = 1 + gnt_random_below(&s, MOST), columns = 1 + gnt_random_below(&s, MOST);
        double cost[MOST * MOST];
        int64_t column[MOST];
        gnt_err err = {{0}};
        for (size_t i = 0; i < rows * columns; i++) /* every second case has many ties and negative costs */
            cost[i] = round % 2 ? gnt_random_normal(&s) : (double)gnt_random_below(&s, 4) - 1;
        assert_int_equal(gnt_metric_assign(column, cost, rows, columns, &err), 0);
        double sum = check_one_to_one(column, cost, rows, columns);
        double best = brute(cost, rows, columns, 0, 0, rows < columns ? rows : columns);
        assert_true(fabs(sum - best) < 1e-12);
    }
}

static void undoes_a_permutation(void **state) {
    (void)state;
    enum { N = 40 };
    static double cost[N * N];
    uint32_t order[N];
    int64_t column[N];
    gnt_key key = gnt_key_of_seed(12);
    gnt_stream s = gnt_stream_open(&key, "permutation");
    for (uint32_t i = 0; i < N; i++)
        order[i] = i;
    gnt_random_shuffle(&s, order, N);
    for (size_t r = 0; r < N; r++)
        for (size_t c = 0; c < N; c++)
            cost[r * N + c] = c == order[r] ? 0.1 : 0.2 + gnt_random_uniform(&s);
    assert_int_equal(gnt_metric_assign(column, cost, N, N, NULL), 0);
    for (size_t r = 0; r < N; r++)
        assert_int_equal(column[r], order[r]);
}

static void empty_sides_and_bad_costs(void **state) {
    (void)state;
    int64_t column[2] = {7, 7};
    gnt_err err = {{0}};
    assert_int_equal(gnt_metric_assign(column, NULL, 2, 0, &err), 0);
    assert_int_equal(column[0], -1);
    assert_int_equal(column[1], -1);
    assert_int_equal(gnt_metric_assign(column, NULL, 0, 2, &err), 0);
    double cost[4] = {1, 2, NAN, 3};
    assert_int_equal(gnt_metric_assign(column, cost, 2, 2, &err), -1);
    assert_string_equal(err.text, "the cost of row 1 and column 0 is not finite");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(equals_brute_force),
        cmocka_unit_test(undoes_a_permutation),
        cmocka_unit_test(empty_sides_and_bad_costs),
    };
    return cmocka_run_group_tests_name("metric assign", tests, NULL, NULL);
}
