/* Reports with another program as gnuplot: one that leaves nothing, and one that cannot write PNG. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/stat.h>

#include <cmocka.h>

#include "report_folder.h"
#include "synthetic_run.h"

/* Makes a report with this shell script as gnuplot; *page is its index.html. The caller frees both. */
static char *notices_with(bench *b, const char *script, char **page) {
    synthetic s = {.folder = b->folder, .spoil = "", .tasks = 1, .stages = 1};
    char file[160], report[128], path[4200], *before = gnt_strdup(getenv("PATH"));
    gnt_text notices;
    assert_int_equal(synthetic_write(&s), 0);
    snprintf(file, sizeof file, "%s/gnuplot", b->folder);
    assert_int_equal(gnt_file_write(file, script, strlen(script), NULL), 0);
    assert_int_equal(chmod(file, 0755), 0);
    snprintf(path, sizeof path, "%s:%s", b->folder, before);
    gnt_text_init(&notices, 1 << 16);
    assert_int_equal(setenv("PATH", path, 1), 0);
    make(b, NULL, GNT_FORMAT_SVG | GNT_FORMAT_PNG, &notices);
    assert_int_equal(setenv("PATH", before, 1), 0);
    gnt_free(before);
    snprintf(report, sizeof report, "%s/report", b->folder);
    *page = read_text(report, "index.html", NULL);
    char *said = gnt_strdup(gnt_text_get(&notices));
    gnt_text_free(&notices);
    return said;
}

static int count_lines(const char *text) {
    int n = 0;
    for (; *text; text++)
        n += *text == '\n';
    return n;
}

/* What gnuplot left counts, not how it ended; one sentence for all plots that fail alike. */
static void gnuplot_is_judged_by_its_files(void **state) {
    bench *b = *state;
    char *page, *said = notices_with(b, "#!/bin/sh\nexit 0\n", &page);
    assert_int_equal(count_lines(said), 1);
    assert_non_null(strstr(said, "has no picture; the first: plots/"));
    assert_non_null(strstr(said, "left no picture"));
    assert_null(strstr(page, "matrix-task0-r0-psnr."));
    gnt_free(page);
    gnt_free(said);
    said =
        notices_with(b,
                     "#!/bin/sh\nfor a; do :; done\n[ \"$a\" = --version ] && exit 0\n"
                     "a=${a#plots/} && printf '<svg></svg>\\n' >\"${a%.gp}.svg\"\necho no pngcairo\nexit 1\n",
                     &page);
    assert_int_equal(count_lines(said), 1);
    assert_non_null(strstr(said, "has no PNG picture; the first: plots/"));
    assert_non_null(strstr(page, ".svg"));
    assert_null(strstr(page, "psnr.png"));
    gnt_free(page);
    gnt_free(said);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        IN_FOLDER(gnuplot_is_judged_by_its_files),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
