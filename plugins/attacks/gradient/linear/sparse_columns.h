/* sparse_columns: the columns of Δ, found by their zeros.
 *
 * In coordinates of the row space the update is U = Δ·M, Δ units × samples, M unknown and invertible. After
 * ReLU unit i has δ_is = 0 for each sample s for which it was not active, so for the right q the column
 * δ_s = U q has many zeros, and a wrong one has none but those that it was made for (Dimitrov et al., SPEAR,
 * NeurIPS 2024). As many rows as the rank are drawn, and the columns looked at that are 0 in all but one or
 * two of them: a single one is given; two are combined so that two of a few probed rows become 0 as well.
 * Such a set of rows succeeds far more often than one that has to be 0 throughout: with half of the units
 * active and a rank of 16, one of 3,000 sets does, not one of 65,000. (Of codes, this is the search of Lee
 * and Brickell, 1988, for words of low weight.) */
#ifndef GRADIENT_SPARSE_COLUMNS_H
#define GRADIENT_SPARSE_COLUMNS_H

#include "linear/row_space.h"

/* Rows of length 1, and the deviation of their coordinates. */
typedef struct unit_rows {
    int64_t n, rank;
    double *row, *noise; /* n × rank, n */
    double typical;      /* noise of a row */
    int64_t certain;     /* the first so many are single samples: 0 in each column but their own */
} unit_rows;

enum { COLUMNS_FRESH = 16 };

typedef struct sparse_columns {
    const gnt_host *host;
    int64_t rows, rank;           /* rows: those above the noise */
    const double *row;            /* rows × rank, each of length 1 */
    const double *noise;          /* rows: deviation of a coordinate of it */
    double typical;               /* noise of a row */
    int64_t certain;              /* of unit_rows */
    double spent;                 /* floating-point operations so far, about */
    double *fresh;                /* what the last draw found: n × rank, each q of length 1 */
    int64_t zeros[COLUMNS_FRESH]; /* how many entries of row·q are 0 */
    double error[COLUMNS_FRESH];  /* deviation of q */
    int64_t n;
    double sets;    /* in how many ways so many rows as the rank can be chosen */
    double in_vain; /* draws since the last that found a column */
    double *seen;   /* the last that were found, so that none is found twice in a row */
    int64_t n_seen;
    /* room for one set */
    double *column, *length, *probe, *work, *tried;
    int64_t *order;
} sparse_columns;

/* Prepares the search over these rows; rank ≥ 2. GNT_OK, or a status after host->fail. */
gnt_status sparse_columns_start(sparse_columns *c, const gnt_host *host, const unit_rows *r);

/* Draws one set of rows, and sets what it found. */
void sparse_columns_draw(sparse_columns *c);

/* True if so many draws in a row found nothing that those columns are known which can be found. */
int sparse_columns_are_all_found(const sparse_columns *c);

/* True if an entry of row·q, of a row of that noise and a q of length 1, is 0. */
static inline int sparse_columns_is_zero(double entry, double noise) {
    return entry <= 10 * noise && entry >= -10 * noise;
}

#endif
