#include "render/png.h"

#include <png.h>

#include "base/file.h"
#include "base/mem.h"

int gnt_png_write(const char *path, const uint8_t *rgb, int64_t width, int64_t height, gnt_err *err) {
    enum { MOST_SIDE = 32768 };
    if (width < 1 || height < 1 || width > MOST_SIDE || height > MOST_SIDE)
        return gnt_fail(err, "%s: a picture of %lld by %lld pixels; sides from 1 to %d are possible", path,
                        (long long)width, (long long)height, MOST_SIDE);
    png_image image = {.version = PNG_IMAGE_VERSION,
                       .width = (png_uint_32)width,
                       .height = (png_uint_32)height,
                       .format = PNG_FORMAT_RGB};
    int rc = -1;
    png_alloc_size_t size = PNG_IMAGE_PNG_SIZE_MAX(image);
    uint8_t *bytes = gnt_array(size, 1);
    if (!bytes) {
        gnt_fail(err, "%s: out of memory for %zu bytes", path, (size_t)size);
        goto cleanup;
    }
    if (!png_image_write_to_memory(&image, bytes, &size, 0, rgb, 0, NULL)) {
        gnt_fail(err, "%s: cannot make the picture: %s", path, image.message);
        goto cleanup;
    }
    rc = gnt_file_write(path, bytes, size, err);
cleanup:
    png_image_free(&image);
    gnt_free(bytes);
    return rc;
}
