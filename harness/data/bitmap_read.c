#include "data/bitmap_read.h"

#include <string.h>

#include "base/file.h"
#include "base/mem.h"
#include "data/jpeg.h"
#include "data/bitmap_png.h"

enum { MOST_BYTES = 64 << 20, MOST_SCANS = 100 };

/* Forms of pictures that are not read, by their first bytes. */
static const struct {
    size_t at, n;
    const char *bytes, *name;
} others[] = {{0, 4, "GIF8", "GIF"},
              {0, 2, "BM", "BMP"},
              {0, 4, "II*\0", "TIFF"},
              {0, 4, "MM\0*", "TIFF"},
              {8, 4, "WEBP", "WebP"},
              {4, 8, "ftypavif", "AVIF"},
              {4, 8, "ftypheic", "HEIC"},
              {4, 8, "ftypmif1", "HEIF"},
              {0, 4, "8BPS", "Photoshop"},
              {4, 4, "jP  ", "JPEG 2000"},
              {0, 2, "P5", "PGM"},
              {0, 2, "P6", "PPM"},
              {0, 4, "\xff\x4f\xff\x51", "JPEG 2000"}};

int data_bitmap_decode(data_bitmap *out, const char *path, const uint8_t *at, size_t size, gnt_err *err) {
    *out = (data_bitmap){.wide = 0};
    if (size == 0)
        return gnt_fail(err, "%s: is empty; expected a PNG or JPEG file", path);
    if (data_is_png(at, size))
        return data_png_decode(out, path, at, size, err);
    if (size >= 2 && memcmp(at, "\xff\xd8", 2) == 0)
        return data_jpeg_decode(out, path, at, size, 0, MOST_SCANS, err);
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (size >= others[i].at + others[i].n &&
            memcmp(at + others[i].at, others[i].bytes, others[i].n) == 0)
            return gnt_fail(err, "%s: is a %s file; expected PNG or JPEG, convert it", path, others[i].name);
    return gnt_fail(err, "%s: is no picture, by its first bytes; expected a PNG or JPEG file", path);
}

int data_bitmap_read(data_bitmap *out, const char *path, gnt_err *err) {
    uint8_t *at = NULL;
    size_t size = 0;
    *out = (data_bitmap){.wide = 0};
    int rc = gnt_file_read(path, MOST_BYTES, &at, &size, err);
    if (rc == 0)
        rc = data_bitmap_decode(out, path, at, size, err);
    gnt_free(at);
    return rc;
}
