/* update_columns: whether a sample is in the update of a dense layer, as its input f and the
 * derivatives δ that its label gives it say.
 *
 * The update is U = Σ_s c_s δ_s f̃_sᵀ, f̃ = [f; 1], with as many samples as it has dimensions. So
 * δ_s is a combination of U's columns, f̃_s one of its rows, and c_s = 1/(f̃_sᵀ U⁺ δ_s): only
 * c_s takes a dimension away (Wedderburn's rank reduction). None of this needs another sample. */
#ifndef GRADIENT_UPDATE_COLUMNS_H
#define GRADIENT_UPDATE_COLUMNS_H

#include "linear/row_space.h"

typedef struct update_columns {
    const gnt_host *host;
    int64_t units, features;
    float *w, *b;    /* units × features, units: the update less the samples that were taken away */
    layer_rows rows; /* these, with the weights as given to update_columns_open; no weight decay is left */
    row_space space;
    double *q, *r;    /* an orthonormal basis of the columns, units × rank; space.at = q·r, rank × rank */
    double *z, *part; /* rank each */
    double *row;      /* features + 1 */
} update_columns;

/* Takes the update, times sign, and finds its columns. most: samples that it has at most. Memory is scratch
 * of the hook. GNT_OK, GNT_STOPPED, or a status after host->fail. */
gnt_status update_columns_open(update_columns *c, const gnt_host *host, const layer_rows *l, double sign,
                               int64_t most);

/* Returns the share of the squares of δ, units entries, that is no combination of the columns; 1 of
 * zeros. */
double update_columns_apart(update_columns *c, const double *delta);

/* Returns c_s; 0 if it is not positive. */
double update_columns_scale(update_columns *c, const float *f, const double *delta);

/* Returns the share of the squares of f̃ that is no combination of the rows. */
double update_columns_apart_row(update_columns *c, const float *f);

/* Takes c_s·δ·f̃ᵀ away, as far as rows and columns have f̃ and δ, and finds the columns of what
 * is left. An error of f̃ does not change the rows that are left, nor one of δ the columns. GNT_OK or
 * GNT_STOPPED. */
gnt_status update_columns_take(update_columns *c, const float *f, const double *delta);

#endif
