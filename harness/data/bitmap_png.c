#include "data/bitmap_png.h"

#include <png.h>
#include <setjmp.h>
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "data/exif.h"

/* The first chunk, which has the size: its length, 13, and name come after the signature. */
enum { SIGNATURE = 8, SIZE_AT = 16, HEADER = 33 };
/* Bytes of a chunk besides its data: length, name, checksum. */
enum { CHUNK = 12, MOST_CHUNK = 8 << 20 };

/* What decoding has made so far; it outlives a jump out of libpng. */
typedef struct work {
    png_structp png;
    png_infop info;
    const uint8_t *at; /* what is not read yet */
    size_t left;
    jmp_buf to;
    char said[120]; /* by libpng, of what is wrong */
    uint8_t *raw;   /* the rows as libpng gives them: indices of a palette, or 1 to 4 channels */
    png_bytepp rows;
    int channels;
} work;

int data_is_png(const uint8_t *at, size_t size) {
    return size >= SIGNATURE && png_sig_cmp(at, 0, SIGNATURE) == 0;
}

static void leave(png_structp png, png_const_charp what) {
    work *w = png_get_error_ptr(png);
    snprintf(w->said, sizeof w->said, "%s", what);
    longjmp(w->to, 1);
}

/* libpng warns of chunks that do not change the pixels, such as a colour profile that it does not know. */
static void pass_over(png_structp png, png_const_charp what) {
    (void)png, (void)what;
}

static void take(png_structp png, png_bytep to, size_t n) {
    work *w = png_get_io_ptr(png);
    if (n > w->left)
        png_error(png, "the file ends too early");
    memcpy(to, w->at, n);
    w->at += n;
    w->left -= n;
}

static uint32_t big_endian(const uint8_t *at) {
    return (uint32_t)at[0] << 24 | (uint32_t)at[1] << 16 | (uint32_t)at[2] << 8 | at[3];
}

/* Returns the orientation of the chunk eXIf. libpng passes over it, as it would allocate what the chunk
 * claims. */
static int orientation_of(const uint8_t *at, size_t size) {
    for (size_t from = SIGNATURE; size - from >= CHUNK;) {
        const size_t length = big_endian(at + from);
        if (length > size - from - CHUNK)
            return 1;
        if (memcmp(at + from + 4, "eXIf", 4) == 0)
            return data_exif_orientation(at + from + 8, length);
        from += length + CHUNK;
    }
    return 1;
}

/* Reads all rows into w->raw. Returns −1 without a sentence where libpng finds a fault or memory ends;
 * w->said has it. */
static int read_rows(work *w) {
    if (setjmp(w->to))
        return -1;
    png_set_read_fn(w->png, w, take);
    png_set_user_limits(w->png, DATA_BITMAP_MOST_SIDE, DATA_BITMAP_MOST_SIDE);
    png_set_chunk_malloc_max(w->png, MOST_CHUNK);
    png_set_keep_unknown_chunks(w->png, PNG_HANDLE_CHUNK_NEVER, NULL, -1);
    png_read_info(w->png, w->info);
    if (png_get_color_type(w->png, w->info) == PNG_COLOR_TYPE_PALETTE)
        png_set_packing(w->png);
    else {
        png_set_expand_gray_1_2_4_to_8(w->png);
        png_set_tRNS_to_alpha(w->png);
        png_set_scale_16(w->png);
    }
    png_set_interlace_handling(w->png);
    png_read_update_info(w->png, w->info);
    const size_t high = png_get_image_height(w->png, w->info), row = png_get_rowbytes(w->png, w->info);
    w->channels = png_get_channels(w->png, w->info);
    w->raw = gnt_array(high, row);
    w->rows = gnt_array(high, sizeof *w->rows);
    if (!w->raw || !w->rows)
        png_error(w->png, "out of memory");
    for (size_t y = 0; y < high; y++)
        w->rows[y] = w->raw + y * row;
    png_read_image(w->png, w->rows);
    png_read_end(w->png, w->info);
    return 0;
}

static int is_transparent(const char *path, size_t i, size_t wide, gnt_err *err) {
    return gnt_fail(
        err,
        "%s: has a transparent pixel, in column %zu of row %zu; expected an opaque picture, put it on "
        "a background and save it without alpha",
        path, i % wide, i / wide);
}

/* Looks up the colours of a palette. */
static int put_palette(data_bitmap *out, const work *w, const char *path, gnt_err *err) {
    const size_t n = (size_t)out->wide * (size_t)out->high;
    png_colorp colour = NULL;
    png_bytep alpha = NULL;
    int colours = 0, alphas = 0;
    if (!png_get_PLTE(w->png, w->info, &colour, &colours))
        return gnt_fail(err, "%s: has no palette; fetch or write it again", path);
    png_get_tRNS(w->png, w->info, &alpha, &alphas, NULL);
    for (size_t i = 0; i < n; i++) {
        const int k = w->raw[i];
        if (k >= colours)
            return gnt_fail(err, "%s: has colour %d in column %zu of row %zu; its palette ends at %d", path,
                            k, i % (size_t)out->wide, i / (size_t)out->wide, colours - 1);
        if (alpha && k < alphas && alpha[k] != 255)
            return is_transparent(path, i, (size_t)out->wide, err);
        memcpy(out->at + 3 * i, (const uint8_t[]){colour[k].red, colour[k].green, colour[k].blue}, 3);
    }
    return 0;
}

/* Copies the channels but alpha, which has to be 255. */
static int put_channels(data_bitmap *out, const work *w, const char *path, gnt_err *err) {
    const size_t n = (size_t)out->wide * (size_t)out->high, from = (size_t)w->channels,
                 to = (size_t)out->channels;
    for (size_t i = 0; i < n; i++) {
        if (from > to && w->raw[from * i + to] != 255)
            return is_transparent(path, i, (size_t)out->wide, err);
        memcpy(out->at + to * i, w->raw + from * i, to);
    }
    return 0;
}

static int put_picture(data_bitmap *out, const work *w, int orientation, const char *path, gnt_err *err) {
    const int is_palette = png_get_color_type(w->png, w->info) == PNG_COLOR_TYPE_PALETTE,
              wide = (int)png_get_image_width(w->png, w->info),
              high = (int)png_get_image_height(w->png, w->info);
    if (data_bitmap_make(out, path, wide, high, is_palette || w->channels > 2 ? 3 : 1, err))
        return -1;
    if (is_palette ? put_palette(out, w, path, err) : put_channels(out, w, path, err))
        return -1;
    return data_bitmap_turn(out, path, orientation, err);
}

int data_png_decode(data_bitmap *out, const char *path, const uint8_t *at, size_t size, gnt_err *err) {
    work w = {.at = at, .left = size};
    *out = (data_bitmap){.wide = 0};
    if (size < HEADER || memcmp(at + SIGNATURE, "\0\0\0\rIHDR", 8) != 0)
        return gnt_fail(err, "%s: is no sound PNG file: it has no header; fetch or write it again", path);
    if (data_bitmap_fits(path, big_endian(at + SIZE_AT), big_endian(at + SIZE_AT + 4), err))
        return -1;
    w.png = png_create_read_struct(PNG_LIBPNG_VER_STRING, &w, leave, pass_over);
    w.info = w.png ? png_create_info_struct(w.png) : NULL;
    int rc = w.info ? 0 : gnt_fail(err, "%s: out of memory", path);
    if (rc == 0 && read_rows(&w))
        rc = gnt_fail(err, "%s: is no sound PNG file: libpng says \"%s\"; fetch or write it again", path,
                      w.said);
    if (rc == 0)
        rc = put_picture(out, &w, orientation_of(at, size), path, err);
    png_destroy_read_struct(&w.png, &w.info, NULL);
    gnt_free(w.raw);
    gnt_free(w.rows);
    if (rc != 0)
        data_bitmap_free(out);
    return rc;
}
