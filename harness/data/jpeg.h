/* jpeg: photographs and scans as shades of grey, read by libjpeg, which is opened only when one is. A file
 * that ends too early, or whose data libjpeg has to guess, is an error. */
#ifndef GNT_DATA_JPEG_H
#define GNT_DATA_JPEG_H

#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

enum { DATA_JPEG_MOST_SIDE = 10000, DATA_JPEG_MOST_PIXELS = 64000000 };

typedef struct data_grey {
    int wide, high;
    uint8_t *at; /* high × wide, 0 black; of colours the luminance */
} data_grey;

int data_jpeg_read(data_grey *out, const char *path, gnt_err *err);
void data_grey_free(data_grey *g);

#endif
