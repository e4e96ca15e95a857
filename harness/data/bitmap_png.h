/* bitmap_png: PNG files from memory, by libpng, whose errors end here. */
#ifndef GNT_DATA_BITMAP_PNG_H
#define GNT_DATA_BITMAP_PNG_H

#include <stddef.h>

#include "data/bitmap.h"

/* True if the bytes begin as a PNG file does. */
int data_is_png(const uint8_t *at, size_t size);
int data_png_decode(data_bitmap *out, const char *path, const uint8_t *at, size_t size, gnt_err *err);

#endif
