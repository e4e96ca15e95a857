/* clipped_cosine: the cosine distance between the clipped update of a candidate and the observed one.
 *
 * It is 1 − ⟨c(u), o⟩/(‖c(u)‖‖o‖) over all tensors together, where c is a granted clip (seen_clip.h). A
 * clip of the whole update does not change a cosine. One of each tensor on its own changes the direction of
 * the whole: with all tensors shortened to one length this is the mean of the tensors' own 1 − cos. */
#ifndef GRADIENT_CLIPPED_COSINE_H
#define GRADIENT_CLIPPED_COSINE_H

#include "gauntlet/plugin.h"
#include "defense/seen_clip.h"

/* Returns the distance over the entries whose mask is 1 (NULL: all); 1 if nothing is left of either update.
 * d_u, one tensor for each of u's, becomes its derivative by u, the clip's included. */
double clipped_cosine(const seen_clip *clip, const gnt_views *u, const float *const *observed,
                      const float *const *mask, float *const *d_u);

#endif
