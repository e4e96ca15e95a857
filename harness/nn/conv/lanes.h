/* lanes: convolution in float on AVX-512 for small layers over many samples. Activations are in GNT_LAYOUT_SAMPLES,
 * whose sixteen lanes are samples; weights and their gradients are in rows. The planner asks first whether a shape fits. */
#ifndef GNT_NN_LANES_H
#define GNT_NN_LANES_H

#include "nn/kernels/kernels.h"

enum { GNT_NN_LANES = 16 };

int gnt_lanes_fits(int op, const gnt_conv *s);
size_t gnt_lanes_scratch(int op, const gnt_conv *s); /* bytes */
void gnt_lanes_conv(float *y, const float *x, const float *w, float *scratch, const gnt_conv *s);
void gnt_lanes_conv_dx(float *dx, const float *dy, const float *w, float *scratch, const gnt_conv *s);
void gnt_lanes_conv_dw(float *dw, const float *x, const float *dy, float *scratch, const gnt_conv *s);

#endif
