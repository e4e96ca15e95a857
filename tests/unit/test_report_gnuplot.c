/* Reports with another program as gnuplot: one that leaves nothing, and one that cannot write PNG. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/stat.h>

#include <cmocka.h>

#include "report/plot/shrink.h"
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

/* The picture stays the same: what is drawn, in the same order, with the same attributes, and labels to the
 * byte. */
static void pictures_take_fewer_bytes(void **state) {
    (void)state;
    static const char svg[] =
        "<svg>\n<g id=\"canvas\">\n<g fill=\"none\">\n</g>\n<g fill=\"none\">\n"
        "\t<defs>\n\t\t<pattern id='gpPat1' width='8'>\n\t\t</pattern>\n\t</defs>\n"
        "\t<g stroke='none'>\n\t\t<polygon fill = 'url(#gpPat1)' points = '149.00,172.06 "
        "-0.01,3.14\n7.50,8.00 '/>\n\t</g>\n\t<path stroke='rgb(  8,  48, 107)' d='M1.00,2.99 "
        "Z'/></g>\n<g fill=\"none\">\n"
        "\t<defs>\n\t\t<pattern id='gpPat2' width='8'>\n\t\t</pattern>\n\t</defs>\n"
        "\t<defs>\n\t\t<pattern id='gpPat3' width='9'>\n\t\t</pattern>\n\t</defs>\n"
        "\t<rect fill='url(#gpPat2)'/><g transform='translate(1.25,2.00) scale(2.68)'>\n"
        "\t\t<text>rgb(1,2,3) url(#gpPat2) d='1.00' <g </text>\n\t</g>\n"
        "\t<rect fill='url(#gpPat3)' width='1.00'/>\n</g>\n</g>\n</svg>\n",
                      smaller[] =
                          "<svg>\n<g id=\"canvas\">\n<g fill=\"none\">\n"
                          "<defs>\n<pattern id='gpPat1' width='8'>\n</pattern>\n</defs>\n"
                          "<g stroke='none'>\n<polygon fill = 'url(#gpPat1)' points = '149,172.1 0,3.1\n"
                          "7.5,8 '\n/>\n</g>\n<path stroke='#08306b' d='M1,3 Z'/>\n"
                          "<defs>\n<pattern id='gpPat3' width='9'>\n</pattern>\n</defs>\n"
                          "<rect fill='url(#gpPat1)'/>\n<g transform='translate(1.3,2) scale(2.68)'>\n"
                          "<text>rgb(1,2,3) url(#gpPat2) d='1.00' <g </text>\n</g>\n"
                          "<rect fill='url(#gpPat3)' width='1.00'/>\n</g>\n</g>\n</svg>\n";
    static const char *const broken[] = {"<g fill='none'>\n", "</g>\n"};
    gnt_text out;
    gnt_text_init(&out, 1 << 16);
    gnt_svg_shrink(svg, &out);
    assert_false(out.failed);
    assert_string_equal(gnt_text_get(&out), smaller);
    gnt_text_free(&out);
    for (size_t i = 0; i < sizeof broken / sizeof *broken; i++) { /* it is left as it is */
        gnt_text_init(&out, 1 << 16);
        gnt_svg_shrink(broken[i], &out);
        assert_true(out.failed);
        gnt_text_free(&out);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        IN_FOLDER(gnuplot_is_judged_by_its_files),
        cmocka_unit_test(pictures_take_fewer_bytes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
