/* Libraries that are opened when they are needed: which file is taken, and what is said of one that is not
 * there or lacks a function. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "base/library.h"

static void the_first_that_is_there_is_taken(void **state) {
    (void)state;
    static const char *const files[] = {"libno-such-library.so.1", "libm.so.6", NULL};
    double (*root)(double) = NULL, (*power)(double, double) = NULL;
    const gnt_symbol wanted[] = {{"sqrt", &root}, {"pow", &power}};
    assert_int_equal(gnt_library_open(files, wanted, 2, "libm,", "libc6", NULL), 0);
    assert_true(root(9) == 3 && power(2, 10) == 1024);
}

static void what_is_missing_is_named(void **state) {
    (void)state;
    static const char *const none[] = {"libno-such-library.so.1", NULL}, *const lacks[] = {"libm.so.6", NULL};
    void (*function)(void) = NULL;
    const gnt_symbol wanted = {"no_such_function", &function};
    gnt_err err = {{0}};
    assert_int_equal(gnt_library_open(none, &wanted, 1, "libm, which computes roots,", "libc6", &err), -1);
    assert_string_equal(err.text, "libm, which computes roots, is not installed; install libc6");
    err = (gnt_err){{0}};
    assert_int_equal(gnt_library_open(lacks, &wanted, 1, "libm, which computes roots,", "libc6", &err), -1);
    assert_string_equal(err.text, "libm, which computes roots, is not installed; install libc6");
    assert_null(function);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_first_that_is_there_is_taken),
        cmocka_unit_test(what_is_missing_is_named),
    };
    return cmocka_run_group_tests_name("library", tests, NULL, NULL);
}
