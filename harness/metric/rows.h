/* rows: a set of images that is read one at a time, so that a large set need not lie in memory as floats. */
#ifndef GNT_METRIC_ROWS_H
#define GNT_METRIC_ROWS_H

#include <stddef.h>

#include "base/err.h"

typedef struct gnt_metric_rows {
    void (*read)(const void *context, size_t row, float *x); /* writes `features` floats */
    const void *context;
    size_t n, features; /* each at least 1 */
} gnt_metric_rows;

#endif
