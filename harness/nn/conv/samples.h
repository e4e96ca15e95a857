/* samples: convolution in float on AVX-512 for small layers over many samples. Activations are in GNT_LAYOUT_SAMPLES,
 * whose sixteen lanes are samples; weights and their gradients are in rows. The planner asks first whether a shape fits. */
#ifndef GNT_NN_SAMPLES_H
#define GNT_NN_SAMPLES_H

#include "nn/kernels/kernels.h"

enum { GNT_SAMPLES = 16 };

int gnt_samples_fits(int op, const gnt_conv *s);
size_t gnt_samples_scratch(int op, const gnt_conv *s); /* bytes */
void gnt_samples_conv(float *y, const float *x, const float *w, float *scratch, const gnt_conv *s);
void gnt_samples_conv_dx(float *dx, const float *dy, const float *w, float *scratch, const gnt_conv *s);
void gnt_samples_conv_dw(float *dw, const float *x, const float *dy, float *scratch, const gnt_conv *s);

#endif
