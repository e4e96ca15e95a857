/* winograd: 3×3 convolutions with stride 1 in float on AVX-512, by F(2×2, 3×3), with activations in blocks of 16
 * channels and weights that were rewritten before. The planner asks first whether a shape fits.
 *
 * Its factors are 0, ±1 and ±1/2 and its sums are shorter than the direct ones, so its rounding error is no larger than
 * theirs, and forward passes may take it as well. */
#ifndef GNT_NN_WINOGRAD_H
#define GNT_NN_WINOGRAD_H

#include "nn/kernels/kernels.h"

/* Whether it is there for a conv or conv_dx, and faster than oneDNN: `held` says that the weights are rewritten once for
 * many calls, `exact` that oneDNN would compute directly. */
int gnt_winograd_fits(int op, const gnt_conv *s, int held, int exact);

/* The rewritten weights u, 16 entries for each of the o·c pairs of channels, from weights in rows. `op`: the face that
 * reads them. */
void gnt_winograd_weights(int op, float *u, const float *w, int64_t o, int64_t c);

size_t gnt_winograd_scratch(const gnt_conv *s); /* bytes */
void gnt_winograd_conv(float *y, const float *x, const float *u, float *scratch, const gnt_conv *s);
void gnt_winograd_conv_dx(float *dx, const float *dy, const float *u, float *scratch, const gnt_conv *s);

#endif
