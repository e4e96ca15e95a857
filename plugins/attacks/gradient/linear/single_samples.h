/* single_samples: samples that are found one by one, each without the others.
 *
 * Candidates are points of the row space (row_space.h), scaled so that the bias's entry is 1:
 *  - Rows that agree. A unit that was active for one sample alone has that sample as its quotient, and two
 *    such units have the same one. (Behind a two-class head mixtures agree too, of the same samples.)
 *  - Points at which many pixels are exactly 0, or exactly 1, which no mixture has (vertices.h): of digits
 *    on a black ground, of records with entries that are either. They need no ReLU, and no unit of their own.
 * A candidate is a sample if it lies in the range of inputs, and after ReLU if the units that are off for it
 * do not need it: their rows are then sums of the other samples alone. Local steps can switch units on, so
 * that a point whose features are 0 beyond doubt needs no such units. */
#ifndef GRADIENT_SINGLE_SAMPLES_H
#define GRADIENT_SINGLE_SAMPLES_H

#include "linear/column_choice.h"
#include "linear/input_range.h"
#include "linear/sparse_columns.h"

typedef struct single_samples {
    const gnt_host *host;
    const row_space *space;
    const input_range *range;
    const column_choice *layer; /* NULL: the activation is not ReLU */
    const float *alike;         /* n_alike × width − 1: inputs of the same kind; may be NULL */
    int64_t n_alike;
    int64_t least_zeros; /* entries on the lower bound that a sample has */
    int64_t rank, n;     /* n: samples found, at most the rank */
    double *sample;      /* n × rank: coordinates; the last entry of the point is 1 */
    double *error;       /* n: deviation of its entries */
    double *work;        /* rank × (rank + 1) + width + units */
    double spent;        /* floating-point operations so far, about */
} single_samples;

/* Prepares. GNT_OK, or a status after host->fail. */
gnt_status single_samples_start(single_samples *s, const gnt_host *host, const row_space *space,
                                const input_range *range, const column_choice *layer);

/* Expects samples like these n inputs: with entries on the lower bound where one of these has them, and about
 * as many as that with the fewest. alike: n × width − 1, outlives s. */
void single_samples_compare(single_samples *s, const float *alike, int64_t n);

/* Takes those of the known samples that lie in the row space: no mixture of others does by chance. */
gnt_status single_samples_of_known(single_samples *s, const gnt_samples *known);

/* If all samples but one are known, and the units that are off for each say what it added, takes the one
 * that is left. */
gnt_status single_samples_of_rest(single_samples *s);

/* Takes the rows that agree. */
void single_samples_of_rows(single_samples *s, const unit_rows *units);

/* Searches for points whose pixels are the lower bound of the range, or if `upper` the upper one, until all
 * samples are found or `most` operations were spent; not if there is no such bound. GNT_OK, GNT_STOPPED, or a
 * status after host->fail. */
gnt_status single_samples_of_pixels(single_samples *s, int upper, double most);

/* Takes a point of the row space if it is a sample that is not yet there. error: deviation of the point in
 * its length. is_certain: that it is no mixture, whatever units are off for it. */
void single_samples_take(single_samples *s, const double *point, double error, int is_certain);

#endif
