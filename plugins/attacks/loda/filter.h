/* filter: a linear map from encodings to images, learnt from pairs: each value of an image from the 3×3
 * neighbourhood of all channels of its encoding, by ridge regression. A rough start for a search. */
#ifndef LODA_FILTER_H
#define LODA_FILTER_H

#include "loda_attack.h"

/* Returns the entries of the filter for images of C channels: C × (9C + 1), the last of each row a
 * constant. */
int64_t filter_size(const int64_t dim[3]);
/* Learns it from n pairs. Returns −1 when out of memory, or if the normal equations cannot be solved. */
int filter_learn(const int64_t dim[3], const attack_pair *pair, int64_t n, double ridge, float *filter);
/* Computes the image of an encoding, within the box. */
void filter_apply(const int64_t dim[3], const float *filter, const float *encoded, float *x);

#endif
