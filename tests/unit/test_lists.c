/* Lists that grow by one entry at a time, and sorted numbers. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "base/mem.h"
#include "base/sort.h"

static void a_list_keeps_what_it_holds_as_it_grows(void **state) {
    (void)state;
    int64_t *list = NULL;
    for (int32_t n = 0; n < 1000; n++) {
        assert_int_equal(GNT_GROW(list, n), 0);
        list[n] = 3 * n;
    }
    for (int64_t i = 0; i < 1000; i++)
        assert_int_equal(list[i], 3 * i);
    gnt_free(list);
}

static void entries_may_go_again(void **state) {
    (void)state;
    int64_t *list = NULL, n = 0;
    for (int round = 0; round < 3; round++) {
        while (n < 70) {
            assert_int_equal(GNT_GROW(list, n), 0);
            list[n] = n;
            n++;
        }
        n = round == 0 ? 16 : 0;
    }
    for (int64_t i = 0; i < 70; i++)
        assert_int_equal(list[i], i);
    gnt_free(list);
}

/* Sizes are checked before they are multiplied. */
static void a_list_that_cannot_grow_stays(void **state) {
    (void)state;
    char kept[] = "kept", *list = kept;
    assert_int_equal(gnt_grow(&list, (size_t)1 << 62, 8), -1);
    assert_int_equal(gnt_grow(&list, ~(SIZE_MAX >> 1), 1), -1);
    assert_ptr_equal(list, kept);
}

static void numbers_come_in_rising_order(void **state) {
    (void)state;
    double real[] = {2, -1e300, 0.5, 1e-300, 2};
    const double rising[] = {-1e300, 1e-300, 0.5, 2, 2};
    gnt_sort_reals(real, 5);
    assert_memory_equal(real, rising, sizeof real);
    int64_t number[] = {0, INT64_MAX, INT64_MIN, -1};
    gnt_sort_ints(number, 4);
    assert_true(number[0] == INT64_MIN && number[1] == -1 && number[2] == 0 && number[3] == INT64_MAX);
    uint64_t word[] = {UINT64_MAX, 1, (uint64_t)1 << 63};
    gnt_sort_words(word, 3);
    assert_true(word[0] == 1 && word[1] == (uint64_t)1 << 63 && word[2] == UINT64_MAX);
    assert_true(gnt_has_word(word, 3, UINT64_MAX) && gnt_has_word(word, 3, 1));
    assert_false(gnt_has_word(word, 3, 2) || gnt_has_word(word, 0, 1));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_list_keeps_what_it_holds_as_it_grows),
        cmocka_unit_test(entries_may_go_again),
        cmocka_unit_test(a_list_that_cannot_grow_stays),
        cmocka_unit_test(numbers_come_in_rising_order),
    };
    return cmocka_run_group_tests_name("lists", tests, NULL, NULL);
}
