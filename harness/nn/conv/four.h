/* four: 3×3 convolutions of one image of 4×4 with many channels, in float on AVX-512: activations in rows, weights
 * rewritten beforehand. The planner asks first whether a shape fits. */
#ifndef GNT_NN_FOUR_H
#define GNT_NN_FOUR_H

#include "nn/kernels/kernels.h"

int gnt_four_fits(int op, const gnt_conv *s); /* conv or conv_dx */

/* The weights u, as many as before, in the order in which conv, or conv_dx, reads them; from rows. */
void gnt_four_weights(int op, float *u, const float *w, int64_t o, int64_t c);
void gnt_four_conv(float *y, const float *x, const float *u, const gnt_conv *s);
void gnt_four_conv_dx(float *dx, const float *dy, const float *u, const gnt_conv *s);

#endif
