/* Pictures and lists made by a test, in folders of its folder of data files. */
#ifndef GNT_TESTS_IMAGE_FILES_H
#define GNT_TESTS_IMAGE_FILES_H

#include "data_files.h"

#include <ftw.h>
#include <png.h>

/* The pictures of put_picture. */
enum { WIDE = 4, HIGH = 3, AREA = WIDE * HIGH };

static char text[8192];

static inline int remove_one(const char *path, const struct stat *st, int kind, struct FTW *walk) {
    (void)st, (void)kind;
    return walk->level ? remove(path) : 0;
}

static inline void empty(void) {
    nftw(folder, remove_one, 8, FTW_DEPTH | FTW_PHYS);
}

static inline int remove_all(void **state) {
    (void)state;
    empty();
    return rmdir(folder);
}

static inline void make(const char *name) {
    char path[512];
    in_folder(path, sizeof path, name);
    assert_int_equal(gnt_make_dirs(path, NULL), 0);
}

/* Appends to a text of `size` bytes. */
static inline void append(char *words, size_t size, const char *more) {
    const size_t n = strlen(words);
    assert_true((size_t)snprintf(words + n, size - n, "%s", more) < size - n);
}

static inline void put_text(const char *name, const char *words) {
    put(name, words, strlen(words));
}

/* Puts `from`, which may be what was put last (`text`), with the first `old` replaced by `new` (NULL: as it
 * is). */
static inline void put_changed(const char *name, const char *from, const char *old, const char *new) {
    static char before[sizeof text];
    snprintf(before, sizeof before, "%s", from);
    from = before;
    const char *at = old ? strstr(from, old) : from;
    assert_non_null(at);
    const int n = snprintf(text, sizeof text, "%.*s%s%s", (int)(at - from), from, old ? new : "",
                           at + (old ? strlen(old) : 0));
    assert_true(n > 0 && n < (int)sizeof text);
    put(name, text, (size_t)n);
}

static inline void put_png(const char *name, int wide, int high, int format, const uint8_t *pixels) {
    char path[512];
    png_image image = {.version = PNG_IMAGE_VERSION,
                       .width = (png_uint_32)wide,
                       .height = (png_uint_32)high,
                       .format = (png_uint_32)format};
    in_folder(path, sizeof path, name);
    assert_true(png_image_write_to_file(&image, path, 0, pixels, 0, NULL));
}

static inline uint8_t pixel(int picture, int c, int i) {
    return (uint8_t)(40 * picture + 13 * c + 3 * i);
}

/* Puts picture `number` as an RGB file. */
static inline void put_picture(const char *name, int number) {
    uint8_t rgb[3 * AREA];
    for (int i = 0; i < 3 * AREA; i++)
        rgb[i] = pixel(number, i % 3, i / 3);
    put_png(name, WIDE, HIGH, PNG_FORMAT_RGB, rgb);
}

#endif
