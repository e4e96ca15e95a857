/* columns: im2col, the entries under a window at each place as columns of a matrix, and col2im, its adjoint.
 *
 * For one group's c channels of some images: row (channel, tap) of col has the places of the first image,
 * then those of the next: (c·kh·kw) × (images·oh·ow); 0 in the padding. The images are x_step entries
 * apart. */
#ifndef GNT_NN_COLUMNS_H
#define GNT_NN_COLUMNS_H

#include "nn/conv/conv.h"
#include "nn/kernels/real.h"

/* Returns the entries of scratch that either function needs. */
int64_t NAME(columns_room)(const gnt_general_conv *s, int64_t images);
void NAME(im2col)(real *col, const real *x, real *room, const gnt_general_conv *s, int64_t images,
                  int64_t x_step);
/* Sets each entry of one image x to the sum of its entries in col, which is overwritten. */
void NAME(col2im)(real *x, real *col, real *room, const gnt_general_conv *s);

#endif
