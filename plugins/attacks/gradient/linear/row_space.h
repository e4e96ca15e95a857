/* row_space: the space of few dimensions in which the rows of a first dense layer's update lie.
 *
 * The update of weights and bias is G = Σ_s δ_s x̃_sᵀ, x̃_s = [x_s; 1], over the samples of all
 * local steps: δ sums what each step had of a sample, at whatever rate and momentum, as x̃ is the
 * same in all of them. So its rank is at most the number of samples, and what a basis of that many rows
 * leaves is noise: rounding, or a defense's. Weight decay adds a multiple of the broadcast weights, the
 * same for all rows. */
#ifndef GRADIENT_ROW_SPACE_H
#define GRADIENT_ROW_SPACE_H

#include "gauntlet/plugin.h"

typedef struct layer_rows {
    const float *w, *b;         /* the update's: units × features, units */
    const float *weight, *bias; /* as broadcast, of the same shapes */
    int64_t units, features;
    double kept; /* how much of the broadcast weights the update has through weight decay, and is taken off */
} layer_rows;

/* Returns the product of row `row` of G with v, features + 1 entries. */
double layer_rows_dot(const layer_rows *l, int64_t row, const double *v);
/* Sets out, features + 1 entries, to row `row` of G. */
void layer_rows_get(const layer_rows *l, int64_t row, double *out);

typedef struct row_space {
    int64_t units, width, rank;
    double *basis;     /* rank × width, orthonormal */
    double *at;        /* units × most: coordinates, rank of them used */
    double *norm;      /* units: of each row */
    double *left;      /* units: root mean square of what the basis leaves of a row's entries */
    double noise;      /* median of left/norm */
    double full_noise; /* the same, before directions that are no more than noise were left out */
    double *error;     /* rank: deviation of the entries of each basis vector */
    int64_t most;      /* stride of `at` */
    int64_t limit;     /* of dimensions, at most `most`: the owner may lower it */
    double *room;
} row_space;

/* Takes memory for a space of at most `most` dimensions, fewer than units: scratch of the hook. GNT_OK, or a
 * status after host->fail. */
gnt_status row_space_make(row_space *s, const gnt_host *host, const layer_rows *l, int64_t most);

/* Finds the space; the rank is 0 where nothing is above the noise. GNT_OK or GNT_STOPPED. */
gnt_status row_space_find(row_space *s, const gnt_host *host, const layer_rows *l);

#endif
