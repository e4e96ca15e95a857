/* bitmap: a photograph or a drawing in memory, 8 bits for each channel, grey or RGB. The functions here
 * change a picture that exists; bitmap_read.h reads one from a file, resample.h resizes one. */
#ifndef GNT_DATA_BITMAP_H
#define GNT_DATA_BITMAP_H

#include <stdint.h>

#include "base/err.h"

enum { DATA_BITMAP_MOST_SIDE = 10000, DATA_BITMAP_MOST_PIXELS = 64000000 };

typedef struct data_bitmap {
    int wide, high, channels; /* 1: grey, 3: red, green and blue */
    uint8_t *at;              /* high × wide × channels, rows from the top */
} data_bitmap;

/* A rectangle, in pixels from the top left corner. */
typedef struct data_box {
    int32_t left, top, wide, high;
} data_box;

/* Refuses sizes out of bounds, which a file may give without having the pixels. */
int data_bitmap_fits(const char *path, uint32_t wide, uint32_t high, gnt_err *err);
/* Makes a picture of zeros; `path` names it in errors. */
int data_bitmap_make(data_bitmap *out, const char *path, int wide, int high, int channels, gnt_err *err);
void data_bitmap_free(data_bitmap *p);

/* Converts to 1 or 3 channels. Grey is the luminance of ITU-R BT.601 in fixed point,
 * (19595 R + 38470 G + 7471 B + 32768) / 65536 rounded down; grey becomes RGB of three equal channels. */
int data_bitmap_convert(data_bitmap *p, const char *path, int channels, gnt_err *err);
/* Keeps what is in the box, which lies within the picture. */
void data_bitmap_crop(data_bitmap *p, data_box box);
/* Turns and mirrors a picture so that it is upright. orientation: 1 to 8, as EXIF defines them. */
int data_bitmap_turn(data_bitmap *p, const char *path, int orientation, gnt_err *err);

#endif
