/* column_choice: which of the sparse columns are those of the samples.
 *
 * Columns of two samples can have a sparse combination: of two classes, where each unit sees the samples in
 * the same proportion, the difference of two columns is 0 in all units that see both or neither. What
 * distinguishes a sample is that its column is 0 exactly where the broadcast layer, applied to it, is below
 * 0. So a column is considered only if there is any point of the row space to which the layer answers so;
 * and of a choice of as many columns as the rank, which gives the samples, columns are exchanged until each
 * of them agrees. */
#ifndef GRADIENT_COLUMN_CHOICE_H
#define GRADIENT_COLUMN_CHOICE_H

#include "linear/row_space.h"

typedef struct column_choice {
    int64_t rank, units, most, n; /* n: columns considered, at most `most` */
    double *q;                    /* n × rank, each of length 1 */
    double *fit;                  /* n: how well a point of the row space explains the zeros, at most 1 */
    int64_t *pick;                /* rank: columns chosen */
    double *sample; /* rank × rank: coordinates in the row space of each x̃, whose last entry is 1 */
    double *agrees; /* rank: share of the units whose zeros agree with the layer; −1: no sample */
    uint8_t *zero;  /* rank × units: the sample's column is 0 there */
    /* units × rank: products of the layer with the basis, at the start and at the end of the steps */
    double *score, *score_end;
    double spent; /* floating-point operations so far, about */
    const row_space *space;
    double *work;   /* 2 × rank² + 3 × rank */
    double *target; /* units */
} column_choice;

/* Computes the products of the layer. is_delta: there were local steps. GNT_OK, or a status after
 * host->fail. */
gnt_status column_choice_start(column_choice *c, const gnt_host *host, const row_space *s,
                               const layer_rows *l, int is_delta);

/* Considers a column; it may take the place of one that fits less. Returns 0 if it does not fit. */
int column_choice_consider(column_choice *c, const double *q);

/* Chooses among the columns considered. Returns how many of the samples agree; 0 if there are not yet as
 * many independent columns as samples. */
int64_t column_choice_make(column_choice *c);

/* True if so many units agree that this is a sample. */
int column_choice_is_sample(const column_choice *c, int64_t which);

#endif
