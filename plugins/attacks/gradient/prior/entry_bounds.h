/* entry_bounds: bounds of values under a normal law: entry k lies in [lower[k], upper[k]], and is known
 * where the two are equal. zeros and ones: the shares of samples whose entry k is exactly 0, or 1, as black
 * pixels are, which no normal law has; they count where the bound is that end. */
#ifndef GRADIENT_ENTRY_BOUNDS_H
#define GRADIENT_ENTRY_BOUNDS_H

#include "gauntlet/plugin.h"

typedef struct entry_bounds {
    double *lower, *upper, *zeros, *ones; /* one for each entry */
} entry_bounds;

/* Allocates it, scratch of the hook, with zeros throughout. Returns 0 when memory ran out. */
int entry_bounds_make(entry_bounds *e, const gnt_host *host, int64_t n);
/* Sets zeros and ones to the shares among x, n rows of `features` entries, with half a row of each added. */
void entry_bounds_count(entry_bounds *e, const float *x, int64_t n, int64_t features);

#endif
