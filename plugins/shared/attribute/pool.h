/* pool: reduces an update, or a representation, to the short vector that classifiers read: max pooling of the
 * flat entries (Melis et al., 2019; RecUP-FL, 2023, section 5.4), then standardisation by the mean and
 * deviation of the training observations. */
#ifndef ATTRIBUTE_POOL_H
#define ATTRIBUTE_POOL_H

#include <stdint.h>

#include "gauntlet/plugin.h"

/* Returns the entries of all tensors together. */
int64_t attr_update_size(const gnt_views *update);
/* Copies all tensors in a row; out: attr_update_size entries. */
void attr_flatten(const gnt_views *update, float *out);
/* Computes the mean of n samples' representations, n × …; out: entries of one. */
void attr_mean_representation(const gnt_view *of, int64_t n, float *out);
/* Returns the number of earlier stages that are read in addition to the last: none if shadow observations are
 * granted, which have no history to learn from. */
int64_t attr_earlier(const gnt_observation *o);
/* Returns the size of an observation of either surface, 0 if it is neither; attr_seen_flatten copies it,
 * earlier stages first. */
int64_t attr_seen_size(const gnt_observation *seen);
void attr_seen_flatten(const gnt_observation *seen, float *out);
/* Does the same for an update that may be changed. */
int64_t attr_tensors_size(const gnt_tensors *update);
void attr_flatten_tensors(const gnt_tensors *update, float *out);

/* Returns `window`, or if it is 0 the least one that leaves at most `inputs` pooled entries. */
int64_t attr_window(int64_t window, int64_t inputs, int64_t update_size);
int64_t attr_pooled_size(int64_t update_size, int64_t window);
/* Computes out[j] = the largest of entries j·window … (j+1)·window − 1 with its sign (the last window may be
 * shorter); where[j], unless NULL: the place of the first such entry. */
void attr_pool(const float *update, int64_t size, int64_t window, float *out, int64_t *where);

/* Computes mean and scale = 1/deviation of each column over the given rows; scale 0 if it does not vary. */
void attr_statistics(const float *x, int64_t columns, const int32_t *row, int64_t rows, float *mean,
                     float *scale);
/* Replaces x by (x − mean)·scale, clipped to ±10 deviations; values that are not finite become 0. */
void attr_standardise(float *x, int64_t columns, const float *mean, const float *scale);

#endif
