/* png: pictures out, 8-bit RGB, the same bytes for the same pixels (no time stamp). */
#ifndef GNT_RENDER_PNG_H
#define GNT_RENDER_PNG_H

#include <stdint.h>

#include "base/err.h"

/* Writes an image, whole or not at all. rgb: height × width × 3, rows from the top. */
int gnt_png_write(const char *path, const uint8_t *rgb, int64_t width, int64_t height, gnt_err *err);

#endif
