/* narrow: convolution in float on AVX-512 over few places and many weights, such as 512 channels of 4×4, where the time
 * goes into reading the weights. The caller asks first whether a shape fits. */
#ifndef GNT_NN_NARROW_H
#define GNT_NN_NARROW_H

#include "nn/kernels/kernels.h"

int gnt_narrow_fits(const gnt_conv *s);
size_t gnt_narrow_scratch(const gnt_conv *s); /* bytes */
void gnt_narrow_conv(float *y, const float *x, const float *w, float *scratch, const gnt_conv *s);
void gnt_narrow_conv_dx(float *dx, const float *dy, const float *w, float *scratch, const gnt_conv *s);
void gnt_narrow_conv_dw(float *dw, const float *x, const float *dy, float *scratch, const gnt_conv *s);

#endif
