/* jpeg: photographs and scans, read by libjpeg, which is opened only when one is. A file that ends too early,
 * or whose data libjpeg has to guess, is an error, and ends here. */
#ifndef GNT_DATA_JPEG_H
#define GNT_DATA_JPEG_H

#include <stddef.h>

#include "data/bitmap.h"

/* Reads a file of one scan as shades of grey, of colours the luminance that the file has. */
int data_jpeg_read(data_bitmap *out, const char *path, gnt_err *err);
/* Decodes the bytes of a file: grey or RGB as it is, turned upright; with `grey` as data_jpeg_read does.
 * most_scans bounds the work, since a few bytes of another scan can cause all of it again. */
int data_jpeg_decode(data_bitmap *out, const char *path, const uint8_t *at, size_t size, int grey,
                     int most_scans, gnt_err *err);

#endif
