/* Places among many rows: what others bring changes neither the places of the first contributor's rows nor
 * makes a comparison too strict to distinguish a row of theirs from these. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "judge/places.h"
#include "metric/measure.h"

enum { HONEST = 2, MANY = 40, ROWS = HONEST + MANY, TRAININGS = 5 };

typedef struct bench {
    struct {
        gnt_rank_state state;
        gnt_leak_place place;
    } row[ROWS + 1];
    double value[(ROWS + 1) * TRAININGS];
    int less[(ROWS + 1) * (ROWS + 1)];
} bench;

/* Row 1 leaks 1, 2, 3, 4, 5 more than row 0 in the five training runs, each further row a little more than
 * that, and no defense twice as much. A pair that differs by a multiple of 1, 2, 3, 4, 5 has p = .0132 by
 * itself (test_metric_compare.c): with Holm's method .040 among three pairs, .079 among six. */
static gnt_rank_list fill(bench *b, int guests) {
    memset(b, 0, sizeof *b);
    for (size_t i = 0; i <= ROWS; i++) {
        const double more = i == ROWS ? 2 : i ? 1 + 1e-3 * (double)(i - 1) : 0;
        for (size_t s = 0; s < TRAININGS; s++)
            b->value[i * TRAININGS + s] = 20 + more * (double)(s + 1);
        b->row[i].state = i < ROWS ? GNT_RANKED : GNT_UNRANKED_UNDEFENDED;
        b->row[i].place.leak.mean = 20 + 3 * more;
        b->row[i].place.guest = guests && i >= HONEST;
    }
    return (gnt_rank_list){.state = &b->row[0].state,
                           .place = &b->row[0].place,
                           .stride = sizeof *b->row,
                           .n = ROWS + 1,
                           .value = b->value,
                           .trainings = TRAININGS,
                           .measure = gnt_measure_find("psnr")};
}

static void many_rows_of_a_guest_hide_nothing(void **state) {
    (void)state;
    static bench b;
    const gnt_rank_list l = fill(&b, 1);
    assert_int_equal(gnt_rank_settle_last(&l, ROWS), 0);
    assert_int_equal(gnt_rank_count(&l), ROWS); /* each surely leaks less than no defense */
    assert_int_equal(gnt_rank_places(&l, b.less), 0);
    assert_true(b.row[0].place.rank == 1 && b.row[0].place.tied == GNT_NOT_TIED);
    for (size_t i = 1; i < ROWS; i++) {
        assert_int_equal(b.row[i].state, GNT_RANKED);
        assert_true(b.less[0 * ROWS + i] && !b.less[i * ROWS + 0]);
        assert_int_equal(b.row[i].place.rank, i < HONEST ? 2 : 3);
    }
    assert_true(!b.less[2 * ROWS + 3]); /* two guests are compared as if no other had come */
}

/* All of one contributor are one family, in which 861 comparisons distinguish no pair. */
static void rows_of_one_contributor_are_one_family(void **state) {
    (void)state;
    static bench b;
    const gnt_rank_list l = fill(&b, 0);
    assert_int_equal(gnt_rank_places(&l, b.less), 0);
    for (size_t i = 0; i < ROWS; i++)
        assert_true(b.row[i].place.rank == 1 && b.row[i].place.tied == GNT_TIED_BY_CHANCE);
    assert_int_equal(gnt_rank_settle_last(&l, ROWS), 0);
    assert_int_equal(b.row[0].state, GNT_RANKED_AS_NONE);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(many_rows_of_a_guest_hide_nothing),
                                       cmocka_unit_test(rows_of_one_contributor_are_one_family)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
