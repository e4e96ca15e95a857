/* The report of a run folder, whole, but for gnuplot itself. Input: results.json, a line "%%", tensors as
 * work.h describes them for images/c.safetensors, which seeds name. */
#include "report/plot/gnuplot.h"
#include "report/report.h"
#include "work.h"

/* In place of the program: what it would be given has been written. */
int gnt_gnuplot_present(void) {
    return 1;
}

int gnt_gnuplot_run(const char *folder, const char *script, gnt_err *err) {
    (void)folder, (void)script, (void)err;
    return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static const char *const names[] = {"private", "observed", "recovered"};
    static const gnt_report_options options = {.formats = GNT_FORMAT_SVG};
    char path[512];
    fuzz_bytes all = {data, size}, results = fuzz_text(&all);
    gnt_st images;
    gnt_text notices;
    gnt_err err = {0};
    fuzz_subfolder("images");
    fuzz_file("results.json", results);
    gnt_st_init(&images);
    fuzz_tensors(&images, &all, names, 3);
    MUST(gnt_st_save(&images, fuzz_path(path, "images/c.safetensors"), &err) == 0);
    gnt_text_init(&notices, 1 << 20);
    int rc = gnt_report_make(fuzz_folder(), &options, &notices, &err);
    if (rc != GNT_REPORT_UNREADABLE)
        MUST(rc == 0);
    fuzz_ok(rc, &err);
    gnt_text_free(&notices);
    gnt_st_free(&images);
    return 0;
}
