/* bitmap_read: pictures from PNG and JPEG files, which are recognised by their first bytes, not their names.
 *
 * A PNG file may have any colour type, depth and interlacing. 16 bits are rounded to 8, palettes looked up;
 * gamma and colour profiles are not applied. Transparency is refused where a pixel has any. A JPEG file is
 * grey or of three colours, baseline or progressive. Pictures are turned upright as their EXIF data say. A
 * file that ends too early, or of which a library had to guess something, is an error. */
#ifndef GNT_DATA_BITMAP_READ_H
#define GNT_DATA_BITMAP_READ_H

#include <stddef.h>

#include "data/bitmap.h"

int data_bitmap_read(data_bitmap *out, const char *path, gnt_err *err);
/* As above, from the bytes of the file. */
int data_bitmap_decode(data_bitmap *out, const char *path, const uint8_t *at, size_t size, gnt_err *err);

#endif
