/* A folder of data files made by a test: putting files there, opening sets from it, and refusals. */
#ifndef GNT_TESTS_DATA_FILES_H
#define GNT_TESTS_DATA_FILES_H

#include <dirent.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>
#include <jansson.h>
#include <zlib.h>

#include "base/file.h"
#include "base/mem.h"
#include "data/data.h"

static char folder[64];

static inline int make_folder(void **state) {
    (void)state;
    snprintf(folder, sizeof folder, "/tmp/gauntlet-test-XXXXXX");
    return mkdtemp(folder) ? 0 : -1;
}

static inline void in_folder(char *path, size_t size, const char *name) {
    assert_true(snprintf(path, size, "%s/%s", folder, name) < (int)size);
}

static inline void empty_folder(void) {
    DIR *dir = opendir(folder);
    struct dirent *e;
    char path[512];
    while (dir && (e = readdir(dir)))
        if (e->d_name[0] != '.') {
            in_folder(path, sizeof path, e->d_name);
            unlink(path);
        }
    if (dir)
        closedir(dir);
}

static inline int remove_folder(void **state) {
    (void)state;
    empty_folder();
    return rmdir(folder);
}

static inline void put(const char *name, const void *bytes, size_t n) {
    char path[512];
    in_folder(path, sizeof path, name);
    assert_int_equal(gnt_file_write(path, bytes, n, NULL), 0);
}

static inline void put_gz(const char *name, const void *bytes, size_t n) {
    char path[512];
    in_folder(path, sizeof path, name);
    gzFile f = gzopen(path, "wb");
    assert_non_null(f);
    assert_int_equal(gzwrite(f, bytes, (unsigned)n), (int)n);
    assert_int_equal(gzclose(f), Z_OK);
}

static inline gnt_data *open_here(const char *name) {
    gnt_data *d = NULL;
    gnt_err err = {{0}};
    gnt_data_spec spec = {.name = name};
    if (gnt_data_open(&d, &spec, folder, &err))
        fail_msg("%s", err.text);
    return d;
}

/* The set has to be refused with a sentence that holds each of the three. */
static inline void refuse(const char *name, const char *a, const char *b, const char *c) {
    gnt_data *d = NULL;
    gnt_err err = {{0}};
    gnt_data_spec spec = {.name = name};
    assert_int_equal(gnt_data_open(&d, &spec, folder, &err), -1);
    assert_null(d);
    if (!strstr(err.text, a) || !strstr(err.text, b) || !strstr(err.text, c))
        fail_msg("\"%s\" lacks \"%s\", \"%s\" or \"%s\"", err.text, a, b, c);
}

#endif
