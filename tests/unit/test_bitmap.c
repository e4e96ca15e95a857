/* Pictures: what is read from PNG and JPEG files and what resizing makes is what Pillow gives
 * (tests/golden/pictures.py); files that are cut, broken, too large or of another kind are refused in a
 * sentence. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/mem.h"
#include "data/exif.h"
#include "data/bitmap_read.h"
#include "data/resample.h"
#include "nn/io/safetensors.h"

static gnt_st golden;

static int load_golden(void **state) {
    (void)state;
    gnt_err err;
    gnt_st_init(&golden);
    return gnt_st_load(&golden, "tests/golden/pictures.safetensors", &err);
}

static int free_golden(void **state) {
    (void)state;
    gnt_st_free(&golden);
    return 0;
}

static const gnt_st_tensor *find(const char *format, const char *name) {
    char whole[128];
    snprintf(whole, sizeof whole, "%s%s", format, name);
    const gnt_st_tensor *t = gnt_st_find(&golden, whole);
    if (!t)
        fail_msg("the golden file lacks %s", whole);
    return t;
}

/* The picture has to be as the golden one of this name. */
static void expect(const data_bitmap *p, const gnt_st_tensor *want) {
    const int channels = want->rank == 3 ? (int)want->dim[2] : 1;
    if (p->high != want->dim[0] || p->wide != want->dim[1] || p->channels != channels)
        fail_msg("%s: %d by %d with %d channels; expected %d by %d with %d", want->name, p->wide, p->high,
                 p->channels, (int)want->dim[1], (int)want->dim[0], channels);
    for (size_t i = 0; i < want->bytes; i++)
        if (p->at[i] != ((const uint8_t *)want->data)[i])
            fail_msg("%s: byte %zu is %d, expected %d", want->name, i, p->at[i],
                     ((const uint8_t *)want->data)[i]);
}

static void files_are_read_as_pillow_reads_them(void **state) {
    (void)state;
    int files = 0;
    for (size_t i = 0; i < golden.n; i++) {
        const gnt_st_tensor *file = &golden.tensor[i];
        data_bitmap p;
        gnt_err err = {{0}};
        if (strncmp(file->name, "file.", 5) != 0 || strncmp(file->name, "file.refused", 12) == 0)
            continue;
        if (data_bitmap_decode(&p, file->name, file->data, file->bytes, &err))
            fail_msg("%s", err.text);
        expect(&p, find("want.", file->name + 5));
        data_bitmap_free(&p);
        files++;
    }
    assert_int_equal(files, 25);
}

/* The bytes have to be refused, with the name and `what` in the sentence. */
static void refuse(const char *name, const uint8_t *at, size_t size, const char *what) {
    data_bitmap p;
    gnt_err err = {{0}};
    assert_int_equal(data_bitmap_decode(&p, name, at, size, &err), -1);
    assert_null(p.at);
    if (!strstr(err.text, name) || !strstr(err.text, what))
        fail_msg("\"%s\" lacks \"%s\" or \"%s\"", err.text, name, what);
}

static void other_files_are_refused(void **state) {
    (void)state;
    static const char *const of[][2] = {
        {"refused.rgba", "has a transparent pixel, in column 3 of row 2; expected an opaque picture"},
        {"refused.key", "has a transparent pixel, in column 2 of row 1"},
        {"refused.palette", "has a transparent pixel"},
        {"refused.index", "has colour 2 in column 0 of row 0; its palette ends at 1"},
        {"refused.cmyk", "the colours of print (CMYK); expected grey or RGB, convert it"},
        {"refused.huge", "is a picture of 100000 by 100000 pixels; expected at most 10000 either way"}};
    static const struct {
        const char *bytes;
        size_t n;
        const char *what;
    } first[] = {
        {"", 0, "is empty; expected a PNG or JPEG file"},
        {"GIF89a\1\0", 8, "is a GIF file; expected PNG or JPEG, convert it"},
        {"BM\0\0\0\0", 6, "is a BMP file"},
        {"II*\0\0\0\0\0", 8, "is a TIFF file"},
        {"MM\0*\0\0\0\0", 8, "is a TIFF file"},
        {"RIFF\0\0\0\0WEBPVP8 ", 16, "is a WebP file"},
        {"\0\0\0\x20"
         "ftypheic",
         12, "is a HEIC file"},
        {"\0\0\0\x20"
         "ftypavif",
         12, "is a AVIF file"},
        {"P6 1 1 255\n", 11, "is a PPM file"},
        {"<html>", 6, "is no picture, by its first bytes"},
        {"\x89PNG\r\n\x1a\n", 8, "has no header"},
        {"\x89PNG\r\n\x1a\n\0\0\0\rIDAT\0\0\0\1\0\0\0\1\10\0\0\0\0\0\0\0\0", 33, "has no header"},
        {"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\0\0\0\0\1\10\0\0\0\0\0\0\0\0", 33,
         "is a picture of 0 by 1 pixels"},
        {"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\x20\0\0\0\x20\0\10\0\0\0\0\0\0\0\0", 33, "8192 by 8192 pixels"},
        {"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\1\0\0\0\1\10\0\0\0\0\0\0\0\0", 33, "libpng says"},
        {"\xff\xd8", 2, "libjpeg says"},
        {"\xff\xd8\xff\xe0", 4, "libjpeg says"}};
    for (size_t i = 0; i < sizeof of / sizeof *of; i++) {
        const gnt_st_tensor *file = find("file.", of[i][0]);
        refuse(of[i][0], file->data, file->bytes, of[i][1]);
    }
    for (size_t i = 0; i < sizeof first / sizeof *first; i++)
        refuse("x.png", (const uint8_t *)first[i].bytes, first[i].n, first[i].what);
}

/* A file that ends anywhere is refused; one with a changed byte is read or refused, and nothing is out of
 * bounds. */
static void files_cut_and_changed_anywhere(void **state) {
    (void)state;
    static const char *const names[] = {"png.rgb",  "png.palette4",     "png.interlaced", "png.turned",
                                        "jpeg.420", "jpeg.progressive", "jpeg.turned6"};
    static const uint8_t other[] = {0, 1, 0x7f, 0x80, 0xff};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        const gnt_st_tensor *file = find("file.", names[i]);
        uint8_t *bytes = gnt_array(file->bytes, 1);
        assert_non_null(bytes);
        memcpy(bytes, file->data, file->bytes);
        for (size_t n = 1; n < file->bytes - 1; n += n < 100 ? 1 : 13)
            refuse(names[i], bytes, n, names[i]);
        for (size_t at = 2; at < file->bytes; at += at < 300 ? 1 : 17)
            for (size_t k = 0; k < sizeof other; k++) {
                data_bitmap p;
                gnt_err err = {{0}};
                bytes[at] = other[k];
                const int rc = data_bitmap_decode(&p, "x", bytes, file->bytes, &err);
                assert_true(rc == 0 ? p.wide >= 1 && p.high >= 1 && p.at : !p.at && strlen(err.text) > 20);
                data_bitmap_free(&p);
                bytes[at] = ((const uint8_t *)file->data)[at];
            }
        gnt_free(bytes);
    }
}

static data_bitmap copy_of(const gnt_st_tensor *t) {
    data_bitmap p;
    gnt_err err;
    assert_int_equal(
        data_bitmap_make(&p, "copy", (int)t->dim[1], (int)t->dim[0], t->rank == 3 ? (int)t->dim[2] : 1, &err),
        0);
    memcpy(p.at, t->data, t->bytes);
    return p;
}

static void sizes_and_colours_are_as_pillow_makes_them(void **state) {
    (void)state;
    static const char *const filters[] = {[DATA_BILINEAR] = "bilinear", [DATA_BOX] = "box"};
    gnt_err err;
    int cases = 0;
    for (size_t i = 0; i < golden.n; i++)
        for (int filter = 0; filter < 2; filter++) {
            const gnt_st_tensor *want = &golden.tensor[i];
            const size_t n = strlen(filters[filter]);
            if (strncmp(want->name, filters[filter], n) != 0 || want->name[n] != '.')
                continue;
            data_bitmap p = copy_of(find("resize.", want->name[n + 1] == '3' ? "3" : "1"));
            assert_int_equal(data_bitmap_resize(&p, "p", (int)want->dim[1], (int)want->dim[0], filter, &err),
                             0);
            expect(&p, want);
            data_bitmap_free(&p);
            cases++;
        }
    assert_int_equal(cases, 24);
    data_bitmap p = copy_of(find("convert.", "rgb"));
    assert_int_equal(data_bitmap_convert(&p, "p", 1, &err), 0);
    expect(&p, find("convert.", "grey"));
    const uint8_t first = p.at[0];
    assert_int_equal(data_bitmap_convert(&p, "p", 3, &err), 0);
    assert_int_equal(p.at[0], first);
    assert_int_equal(p.at[2], first);
    data_bitmap_free(&p);
}

static void a_box_is_cut_out(void **state) {
    (void)state;
    const gnt_st_tensor *t = find("convert.", "rgb");
    data_bitmap p = copy_of(t);
    data_bitmap_crop(&p, (data_box){.left = 5, .top = 7, .wide = 20, .high = 30});
    assert_int_equal(p.wide, 20);
    assert_int_equal(p.high, 30);
    for (int y = 0; y < 30; y++)
        assert_memory_equal(p.at + 60 * y, (const uint8_t *)t->data + 3 * ((7 + y) * t->dim[1] + 5), 60);
    data_bitmap_free(&p);
}

static void orientations_that_are_not_stated_are_upright(void **state) {
    (void)state;
    static const struct {
        const char *bytes;
        size_t n;
        int want;
    } cases[] = {
        {"II*\0\10\0\0\0\1\0\x12\1\3\0\1\0\0\0\6\0\0\0", 22, 6},
        {"MM\0*\0\0\0\10\0\1\1\x12\0\3\0\0\0\1\0\10\0\0", 22, 8},
        {"MM\0*\0\0\0\10\0\1\1\x12\0\3\0\0\0\1\0\x9\0\0", 22, 1}, /* no orientation has this number */
        {"MM\0*\0\0\0\10\0\1\1\x12\0\4\0\0\0\1\0\10\0\0", 22, 1}, /* of another type */
        {"MM\0*\0\0\0\10\0\1\1\x12\0\3\0\0\0\1\0\10", 20, 1},     /* cut */
        {"MM\0*\xff\xff\xff\xff\0\1", 10, 1},                     /* a directory behind the end */
        {"MM\0*\0\0\0\11\0\1", 10, 1},
        {"XX*\0\0\0\0\0", 8, 1},
        {"II", 2, 1},
        {"", 0, 1}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        assert_int_equal(data_exif_orientation((const uint8_t *)cases[i].bytes, cases[i].n), cases[i].want);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(files_are_read_as_pillow_reads_them),
        cmocka_unit_test(other_files_are_refused),
        cmocka_unit_test(files_cut_and_changed_anywhere),
        cmocka_unit_test(sizes_and_colours_are_as_pillow_makes_them),
        cmocka_unit_test(a_box_is_cut_out),
        cmocka_unit_test(orientations_that_are_not_stated_are_upright),
    };
    return cmocka_run_group_tests(tests, load_golden, free_golden);
}
