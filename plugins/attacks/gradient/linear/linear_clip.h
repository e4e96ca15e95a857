/* linear_clip: the scale of linear-layer's quotients if a granted clip shortened the layer's tensors
 * separately.
 *
 * Such a clip leaves s_w·δ x̃ᵀ of the weights and s_b·δ of the bias, x̃ the sample as the layer sees it:
 * the quotient of a row by its bias is (s_w/s_b)·x̃. Its direction is exact; one factor, common to all
 * rows, is unknown. The sample is x̃ = t·quotient for some t > 0:
 *  - For one sample t is inferred from the whole update. The gradients of later layers change their
 *    direction with the norm of the input: t is where the clipped update of that sample is nearest to the
 *    observed one.
 *  - Else t is inferred from the range of samples, by how far they can be scaled before a value leaves
 *    [0, 1]: the median over the rows, scaled as public samples are if there are any, else up to the edge. */
#ifndef GRADIENT_LINEAR_CLIP_H
#define GRADIENT_LINEAR_CLIP_H

#include "linear/linear_layer.h"

/* Sets *scaled to 1 if a granted clip, without noise, may have scaled the layer's weights and its bias by
 * different factors. GNT_OK, or a status after host->fail. */
gnt_status linear_is_scaled(const linear_layer *s, const gnt_observation *seen, const dense_layer *l,
                            int *scaled);

/* Sets *t; 1 if no row reveals it. quotient: rows × features, of the rows of largest bias gradient. GNT_OK,
 * GNT_STOPPED, or a status after host->fail. */
gnt_status linear_scale(const linear_layer *s, const gnt_observation *seen, const double *quotient,
                        int64_t rows, int64_t features, double *t);

#endif
