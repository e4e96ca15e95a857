/* sample_columns: what each sample found added to the update, its column δ of units (row_space.h).
 *
 * The update is U = Δ·M in coordinates of the row space, so that δ_s = U q for the q that is 1 at sample
 * s and 0 at all others. Where others are not known, q is 0 too in the rows of units that are off for s. */
#ifndef GRADIENT_SAMPLE_COLUMNS_H
#define GRADIENT_SAMPLE_COLUMNS_H

#include "linear/column_choice.h"

typedef struct sample_columns {
    const row_space *space;
    const column_choice *layer; /* the products of a layer with ReLU; NULL: there is none */
    double *normal, *inverse;   /* rank² */
    double *q;                  /* rank: of the last sample */
    int64_t off;                /* units that are off for it */
} sample_columns;

/* Prepares. GNT_OK, or a status after host->fail. */
gnt_status sample_columns_start(sample_columns *c, const gnt_host *host, const row_space *s,
                                const column_choice *layer);

/* Finds q of a sample (rank coordinates); others: n × rank, further samples. Returns 0 if too little is
 * known to say. */
int sample_columns_find(sample_columns *c, const double *sample, const double *others, int64_t n);

/* Sets delta, n × units, to the columns of n samples, n × rank coordinates; to 0 of a sample for which too
 * little is known. GNT_OK, GNT_STOPPED, or a status after host->fail. */
gnt_status sample_columns_of(const gnt_host *host, const row_space *s, const column_choice *layer,
                             double *sample, int64_t n, double *delta);

#endif
