/* Two builds timed in turns: here two shell scripts that speak as `gauntlet pace` does. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "finished/time_builds.h"

/* Writes its arguments to SCRIPT.said, is ready for two jobs, and gives 0.25 and 0.5 s for each round. */
static const char answering[] = "#!/bin/sh\n"
                                "echo \"$*\" >\"$0.said\"\n"
                                "read -r line && echo '{\"ready\": 2}'\n"
                                "while read -r line; do echo '{\"seconds\": [0.25, 0.5]}'; done\n";

typedef struct place {
    char folder[64], script[96], said[96];
} place;

static void open_place(place *p, const char *text) {
    snprintf(p->folder, sizeof p->folder, "/tmp/gauntlet-time-XXXXXX");
    assert_non_null(mkdtemp(p->folder));
    snprintf(p->script, sizeof p->script, "%s/build", p->folder);
    snprintf(p->said, sizeof p->said, "%s/build.said", p->folder);
    FILE *f = fopen(p->script, "w");
    assert_non_null(f);
    assert_true(fputs(text, f) >= 0 && fclose(f) == 0 && chmod(p->script, 0700) == 0);
}

static void close_place(place *p) {
    unlink(p->said);
    unlink(p->script);
    assert_int_equal(rmdir(p->folder), 0);
}

static const gnt_timed_job jobs[] = {{"t/r1/none/a/s1", 1}, {"t/r1/none/a/s1", 0}};

static gnt_time_builds_options options_of(const place *p, const char *const *arguments) {
    return (gnt_time_builds_options){
        .program = {p->script, p->script}, .arguments = arguments, .job = jobs, .n = 2, .rounds = 3};
}

static void test_seconds(void **state) {
    (void)state;
    static const char *const arguments[] = {"runs/a", "--data", "d", NULL};
    double seconds[2 * 2 * 3];
    char said[64] = "";
    gnt_err err = {0};
    place p;
    open_place(&p, answering);
    const gnt_time_builds_options o = options_of(&p, arguments);
    assert_int_equal(gnt_time_builds(&o, seconds, &err), 0);
    for (size_t i = 0; i < 12; i++)
        assert_true(seconds[i] == (i / 3 % 2 ? 0.5 : 0.25));
    FILE *f = fopen(p.said, "r");
    assert_non_null(f);
    assert_non_null(fgets(said, sizeof said, f));
    fclose(f);
    assert_string_equal(said, "pace runs/a --data d\n");
    close_place(&p);
}

/* As many arguments as there is room for are passed on; one more is refused, not left out. */
static void test_arguments(void **state) {
    (void)state;
    const char *arguments[GNT_TIME_BUILDS_MOST_ARGUMENTS + 2] = {0};
    double seconds[2 * 2 * 3];
    char said[128] = "";
    gnt_err err = {0};
    place p;
    open_place(&p, answering);
    for (size_t i = 0; i < GNT_TIME_BUILDS_MOST_ARGUMENTS; i++)
        arguments[i] = "x";
    const gnt_time_builds_options o = options_of(&p, arguments);
    assert_int_equal(gnt_time_builds(&o, seconds, &err), 0);
    FILE *f = fopen(p.said, "r");
    assert_non_null(f);
    assert_non_null(fgets(said, sizeof said, f));
    fclose(f);
    assert_int_equal(strlen(said), strlen("pace") + 2 * GNT_TIME_BUILDS_MOST_ARGUMENTS + 1);
    arguments[GNT_TIME_BUILDS_MOST_ARGUMENTS] = "x";
    assert_int_equal(gnt_time_builds(&o, seconds, &err), -1);
    assert_non_null(strstr(err.text, "more than 16 arguments"));
    close_place(&p);
}

static void fails(const char *text, const char *part) {
    static const char *const arguments[] = {"runs/a", NULL};
    double seconds[2 * 2 * 3];
    gnt_err err = {0};
    place p;
    open_place(&p, text);
    const gnt_time_builds_options o = options_of(&p, arguments);
    assert_int_equal(gnt_time_builds(&o, seconds, &err), -1);
    if (!strstr(err.text, part))
        fail_msg("\"%s\" lacks \"%s\"", err.text, part);
    close_place(&p);
}

static void test_failures(void **state) {
    (void)state;
    fails("#!/bin/sh\n", "ends without an answer");
    fails("#!/bin/sh\nread -r line; echo '{\"ready\": 1}'\n", "made 1 of 2 jobs ready");
    fails("#!/bin/sh\nread -r line; echo '{\"error\": \"no such run\"}'\n", "no such run");
    fails("#!/bin/sh\nread -r line; echo '{\"ready\": 2}'\nread -r line; echo '{\"seconds\": [0.25]}'\n",
          "tells no seconds for t/r1/none/a/s1");
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_seconds), cmocka_unit_test(test_arguments),
                                       cmocka_unit_test(test_failures)};
    return cmocka_run_group_tests_name("time_builds", tests, NULL, NULL);
}
