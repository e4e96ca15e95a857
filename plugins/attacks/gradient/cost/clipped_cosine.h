/* clipped_cosine: how far the clipped update of a candidate points away from one that was observed,
 * 1 − ⟨c(u), o⟩/(‖c(u)‖‖o‖) over all tensors together, c what a granted clip makes of u (seen_clip.h).
 *
 * A clip of the whole update is nothing to a cosine. One of each tensor on its own turns the whole: with all
 * tensors shortened to one length this is the mean of the tensors' own 1 − cos. */
#ifndef GRADIENT_CLIPPED_COSINE_H
#define GRADIENT_CLIPPED_COSINE_H

#include "gauntlet/plugin.h"
#include "defense/seen_clip.h"

/* Over the entries whose mask is 1 (NULL: all); 1 where nothing is left of either. d_u, one tensor for each
 * of u's, becomes its derivative by u, the clip's included. */
double clipped_cosine(const seen_clip *clip, const gnt_views *u, const float *const *observed,
                      const float *const *mask, float *const *d_u);

#endif
