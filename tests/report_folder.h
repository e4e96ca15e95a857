/* A run folder of a test's own, and the report on it. Included after cmocka.h. */
#ifndef TESTS_REPORT_FOLDER_H
#define TESTS_REPORT_FOLDER_H

#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/file.h"
#include "base/mem.h"
#include "report/report_impl.h"

typedef struct bench {
    char folder[64];
} bench;

static inline int make_folder(void **state) {
    bench *b = calloc(1, sizeof *b);
    if (!b)
        return -1;
    snprintf(b->folder, sizeof b->folder, "/tmp/gauntlet-report-XXXXXX");
    *state = b;
    return mkdtemp(b->folder) ? 0 : -1;
}

static inline int remove_one(const char *path, const struct stat *st, int kind, struct FTW *walk) {
    (void)st, (void)kind, (void)walk;
    return remove(path);
}

static inline int remove_folder(void **state) {
    bench *b = *state;
    nftw(b->folder, remove_one, 16, FTW_DEPTH | FTW_PHYS);
    free(b);
    return 0;
}

static inline char *read_text(const char *folder, const char *name, size_t *size) {
    char path[1024];
    uint8_t *bytes;
    size_t n;
    gnt_err err;
    snprintf(path, sizeof path, "%s/%s", folder, name);
    if (gnt_file_read(path, 1 << 28, &bytes, &n, &err))
        fail_msg("%s", err.text);
    if (size)
        *size = n;
    return (char *)bytes;
}

static inline void write_results(const bench *b, const char *text) {
    char path[1024];
    snprintf(path, sizeof path, "%s/results.json", b->folder);
    assert_int_equal(gnt_file_write(path, text, strlen(text), NULL), 0);
}

static inline void make(const bench *b, const char *out, int formats, gnt_text *notices) {
    gnt_report_options options = {.folder = out, .formats = formats};
    gnt_err err = {""};
    if (gnt_report_make(b->folder, &options, notices, &err))
        fail_msg("%s", err.text);
}

/* A file of the report's plots/. */
static inline char *plotted(const bench *b, const char *name) {
    char plots[128];
    snprintf(plots, sizeof plots, "%s/report/plots", b->folder);
    return read_text(plots, name, NULL);
}

static inline int is_drawn(const bench *b, const char *name) {
    char path[128];
    snprintf(path, sizeof path, "%s/report/%s", b->folder, name);
    return gnt_file_exists(path);
}

#define IN_FOLDER(test) cmocka_unit_test_setup_teardown(test, make_folder, remove_folder)

#endif
