/* columns: what lies under a window at each place, as columns of a matrix, and the way back.
 *
 * Of one group's c channels of some images: row (channel, tap) of col holds the places of the first image,
 * then those of the next: (c·kh·kw) × (images·oh·ow). In the padding it is 0. The images lie x_step entries
 * apart. */
#ifndef GNT_NN_COLUMNS_H
#define GNT_NN_COLUMNS_H

#include "nn/conv/conv.h"
#include "nn/kernels/real.h"

/* Entries that either way needs as scratch. */
int64_t NAME(columns_room)(const gnt_general_conv *s, int64_t images);
void NAME(im2col)(real *col, const real *x, real *room, const gnt_general_conv *s, int64_t images,
                  int64_t x_step);
/* Of one image: x becomes the sums of what stands in col for each of its entries. col is overwritten. */
void NAME(col2im)(real *x, real *col, real *room, const gnt_general_conv *s);

#endif
