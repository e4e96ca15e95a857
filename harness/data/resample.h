/* resample: resizes a picture by a filter that is widened where the picture becomes smaller, so that each
 * pixel of the result is a mean of all pixels that it covers.
 *
 * The definition is that of Pillow's Image.resize with Resampling.BOX and Resampling.BILINEAR
 * (https://pillow.readthedocs.io/en/stable/handbook/concepts.html#filters), to the last bit: first along the
 * rows, then along the columns. Let s be the size before divided by the size after and r = max(s, 1). Pixel i
 * of the result is the mean of the pixels k with the weights f((k + 1/2 − c) / r), where c = (i + 1/2) s is
 * the pixel's centre; f is 1 from −1/2 to 1/2 (box), or 1 − |x| from −1 to 1 (bilinear), and 0 elsewhere. The
 * weights of a pixel, scaled to the sum 1, are rounded to 22 bits, the pixel to 8 bits after each of the two
 * steps. */
#ifndef GNT_DATA_RESAMPLE_H
#define GNT_DATA_RESAMPLE_H

#include "data/bitmap.h"

enum { DATA_BILINEAR, DATA_BOX };

int data_bitmap_resize(data_bitmap *p, const char *path, int wide, int high, int filter, gnt_err *err);

#endif
