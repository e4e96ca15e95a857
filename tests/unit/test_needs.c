/* What a run says beforehand that it will take, and what of that is not there. */
#include <ftw.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include <cmocka.h>

#include "base/file.h"
#include "base/mem.h"
#include "base/memory_limit.h"
#include "run/needs.h"

static const gnt_needs some = {.jobs = 40,
                               .seconds = 2.5 * 3600,
                               .disk = 1e9,
                               .disk_most = 3e9,
                               .memory = 2e9,
                               .largest = "train t/none@none/s1"};

static void is_said(double disk, double memory, int at_once, const char *said) {
    gnt_text text;
    gnt_text_init(&text, 4096);
    gnt_needs_lacks(&some, "out", disk, memory, at_once, &text);
    assert_string_equal(gnt_text_get(&text), said);
    gnt_text_free(&text);
}

static void one_line_says_all(void **state) {
    (void)state;
    gnt_text text;
    gnt_text_init(&text, 4096);
    gnt_needs_text(&some, &text);
    assert_string_equal(gnt_text_get(&text),
                        "about 2 h of a processor, 3.0 GB of disk, 2.0 GB of memory for the largest job "
                        "(train t/none@none/s1)\n");
    gnt_text_free(&text);
}

static void what_fits_is_not_mentioned(void **state) {
    (void)state;
    is_said(3e9, 8e9, 4, "");
    is_said(INFINITY, INFINITY, 256, "");
}

static void what_does_not_fit_is_said_with_what_to_do(void **state) {
    (void)state;
    is_said(2.5e9, INFINITY, 4,
            "out: needs about 3.0 GB of disk, of which some may be there already, and 2.5 GB are free; fewer "
            "targets, seeds or strengths need less, or choose a folder elsewhere (--output)\n");
    is_said(INFINITY, 7e9, 4,
            "4 jobs at once may need 8.0 GB of memory, and 7.0 GB are there; --jobs 3 fits\n");
    is_said(INFINITY, 1.5e9, 4,
            "the job train t/none@none/s1 needs about 2.0 GB of memory, and 1.5 GB are there; fewer targets, "
            "shadow observations or rows need less\n");
}

static int remove_one(const char *path, const struct stat *st, int kind, struct FTW *where) {
    (void)st, (void)kind, (void)where;
    return remove(path);
}

static void put(const char *root, const char *path, const char *text) {
    char *file = gnt_format("%s/%s", root, path), *folder = gnt_strdup(file);
    *strrchr(folder, '/') = 0;
    assert_int_equal(gnt_make_dirs(folder, NULL), 0);
    assert_int_equal(gnt_file_write(file, text, strlen(text), NULL), 0);
    gnt_free(file);
    gnt_free(folder);
}

/* The least of the limits of a control group and of those around it. */
static void limits_of_control_groups_count(void **state) {
    (void)state;
    char root[] = "/tmp/gauntlet-needs-XXXXXX";
    assert_non_null(mkdtemp(root));
    assert_true(isinf(gnt_memory_limit(root)));
    put(root, "proc/self/cgroup", "12:cpu:/x\n0::/a/b\n");
    assert_true(isinf(gnt_memory_limit(root)));
    put(root, "sys/fs/cgroup/a/b/memory.max", "max\n");
    assert_true(isinf(gnt_memory_limit(root)));
    put(root, "sys/fs/cgroup/a/memory.max", "2000000\n");
    assert_true(gnt_memory_limit(root) == 2e6);
    put(root, "sys/fs/cgroup/a/b/memory.max", "1000000\n");
    assert_true(gnt_memory_limit(root) == 1e6);
    put(root, "proc/self/cgroup", "0::/\n");
    put(root, "sys/fs/cgroup/memory.max", "500000\n");
    assert_true(gnt_memory_limit(root) == 5e5);
    const double here = gnt_memory_limit("/");
    assert_true(here > 1e8 && isfinite(here));
    nftw(root, remove_one, 8, FTW_DEPTH | FTW_PHYS);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_line_says_all),
        cmocka_unit_test(what_fits_is_not_mentioned),
        cmocka_unit_test(what_does_not_fit_is_said_with_what_to_do),
        cmocka_unit_test(limits_of_control_groups_count),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
