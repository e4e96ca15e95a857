/* linear_clip: what linear-layer divides by where a granted clip shortened the layer's tensors one by one.
 *
 * Such a clip leaves s_w·δ x̃ᵀ of the weights and s_b·δ of the bias, x̃ the sample as the layer sees it: the
 * quotient of a row by its bias is (s_w/s_b)·x̃, its direction exact, one factor for all rows unknown. The
 * sample is x̃ = t·quotient for the t > 0 that is looked for:
 *  - Of one sample the whole update tells t. Later layers' gradients change their direction with the length
 *    of the input: t is where the clipped update of that sample is nearest to the one observed.
 *  - Else by the range of samples: how far they can be stretched before a value leaves [0, 1], as the rows by
 *    their median, and as public samples where there are any; without, up to the edge. */
#ifndef GRADIENT_LINEAR_CLIP_H
#define GRADIENT_LINEAR_CLIP_H

#include "linear/linear_layer.h"

/* Sets *scaled: may a granted clip, and no noise, have scaled the layer's weights by another factor than its
 * bias? GNT_OK, or a status after host->fail. */
gnt_status linear_is_scaled(const linear_layer *s, const gnt_observation *seen, const dense_layer *l,
                            int *scaled);

/* quotient: rows × features, the loudest rows by their bias. Sets *t; 1 where no row tells anything. GNT_OK,
 * GNT_STOPPED, or a status after host->fail. */
gnt_status linear_scale(const linear_layer *s, const gnt_observation *seen, const double *quotient,
                        int64_t rows, int64_t features, double *t);

#endif
