/* Memory that is freed together: blocks are zeroed and aligned, and running out is remembered. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "base/arena.h"

static void blocks_are_zeroed_and_aligned(void **state) {
    static const unsigned char zeros[64];
    gnt_arena a = {0};
    unsigned char *before = NULL;
    (void)state;
    for (size_t size = 1; size <= sizeof zeros; size++) {
        unsigned char *block = gnt_arena_array(&a, 1, size);
        assert_non_null(block);
        assert_int_equal((uintptr_t)block % _Alignof(max_align_t), 0);
        assert_memory_equal(block, zeros, size);
        memset(block, 0xff, size);
        /* blocks do not overlap, and stay where they are */
        assert_true(!before || before[size - 2] == 0xff);
        before = block;
    }
    assert_non_null(gnt_arena_array(&a, 0, 8));
    assert_non_null(gnt_arena_array(&a, 8, 0));
    assert_false(a.failed);
    gnt_arena_free(&a);
    assert_null(a.last);
    gnt_arena_free(&a);
}

static void copies_are_their_own(void **state) {
    gnt_arena a = {0};
    int64_t numbers[] = {1, 2, 3};
    char text[] = "text";
    (void)state;
    int64_t *copy = gnt_arena_copy(&a, numbers, 3, sizeof *numbers);
    char *word = gnt_arena_text(&a, text);
    numbers[1] = 9;
    text[0] = 'n';
    assert_true(copy[0] == 1 && copy[1] == 2 && copy[2] == 3);
    assert_string_equal(word, "text");
    assert_string_equal(gnt_arena_text(&a, ""), "");
    assert_null(gnt_arena_text(&a, NULL));
    assert_non_null(gnt_arena_copy(&a, NULL, 0, 8));
    assert_false(a.failed);
    gnt_arena_free(&a);
}

static void running_out_is_remembered(void **state) {
    gnt_arena a = {0};
    (void)state;
    char *word = gnt_arena_text(&a, "kept");
    assert_null(gnt_arena_array(&a, SIZE_MAX / 4, 8));
    assert_true(a.failed);
    assert_null(gnt_arena_copy(&a, word, SIZE_MAX, SIZE_MAX));
    assert_non_null(gnt_arena_array(&a, 1, 8));
    assert_true(a.failed);
    assert_string_equal(word, "kept");
    gnt_arena_free(&a);
    assert_false(a.failed);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(blocks_are_zeroed_and_aligned),
        cmocka_unit_test(copies_are_their_own),
        cmocka_unit_test(running_out_is_remembered),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
