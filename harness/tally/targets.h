/* targets: what the scores of a cell's targets come to. Who scores a cell and who checks one call it. */
#ifndef GNT_TALLY_TARGETS_H
#define GNT_TALLY_TARGETS_H

#include <jansson.h>

#include "base/err.h"

/* Adds to `measures` the statistics of every measure that the first of the targets has; those of a cell as a
 * whole are not among them. */
int gnt_targets_measures(json_t *measures, const json_t *targets, gnt_err *err);

#endif
