/* direct: convolution in float on AVX-512 without im2col. The caller asks first whether a shape fits; where it does
 * not, or the processor cannot, there is im2col and BLAS. */
#ifndef GNT_NN_DIRECT_H
#define GNT_NN_DIRECT_H

#include "nn/kernels/kernels.h"

int gnt_direct_fits(int op, const gnt_conv *s);
size_t gnt_direct_scratch(int op, const gnt_conv *s); /* bytes */
void gnt_direct_conv(float *y, const float *x, const float *w, float *scratch, const gnt_conv *s);
void gnt_direct_conv_dx(float *dx, const float *dy, const float *w, float *scratch, const gnt_conv *s);
void gnt_direct_conv_dw(float *dw, const float *x, const float *dy, float *scratch, const gnt_conv *s);

#endif
