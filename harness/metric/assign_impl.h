/* assign: the one-to-one assignment of rows to columns with the least total cost, by shortest augmenting
 * paths (Jonker and Volgenant 1987), O(k² m) for k = the smaller side, m = the larger. Ties are settled the
 * same way on every run: by the order of rows and columns. */
#ifndef GNT_METRIC_ASSIGN_IMPL_H
#define GNT_METRIC_ASSIGN_IMPL_H

#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

/* Solves the assignment problem of least cost. cost_rc: rows × columns, finite. column_of_r[r] is the
 * column of row r; −1 for the rows left over when there are more rows than columns. An empty side is
 * allowed. */
int gnt_metric_assign(int64_t *column_of_r, const double *cost_rc, size_t rows, size_t columns, gnt_err *err);

#endif
