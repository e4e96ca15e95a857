/* update_features: reduces an update to a short vector from which a linear map can predict the sample.
 *
 *  - Its principal row, where the first layer is dense: the greatest right singular vector v of that layer's
 *    weight gradient, which for one sample is the sample itself times a number; with the sign of the
 *    bias's gradient, and of length 1, or of length ρ, the share of the layer's energy that it explains:
 *    short if the update is mostly noise.
 *  - A sketch of every tensor, relative to the norm of the whole update: each entry is added to one of a few
 *    sums, with a sign, both by a fixed hash of its place (Charikar, Chen and Farach-Colton, 2002). */
#ifndef LEARNT_UPDATE_FEATURES_H
#define LEARNT_UPDATE_FEATURES_H

#include "gauntlet/plugin.h"

enum { UPDATE_ROW = 1, UPDATE_ROW_SHRUNK = 2, UPDATE_SKETCH = 4 }; /* parts, joined by | */

typedef struct update_layout {
    int64_t tensors, entries; /* of the update */
    int64_t row;              /* entries of the principal row; 0: the first layer is not dense */
    int64_t weight, bias;     /* tensors of that layer; bias −1 where it has none */
    int64_t units;
    int64_t each; /* sums for a tensor */
} update_layout;

/* Returns the layout of the first observation; all others must have its shape (update_fits). */
update_layout update_layout_of(const gnt_model_info *info, const gnt_views *update);
int update_fits(const update_layout *l, const gnt_views *update);

/* Returns the number of features of these parts; parts that the layout lacks have none. */
int64_t update_features_count(const update_layout *l, int parts);
/* Computes the features. room: l->units + l->row numbers. Allocates nothing. */
void update_features(const update_layout *l, const gnt_views *update, int parts, double *room, float *out);

#endif
