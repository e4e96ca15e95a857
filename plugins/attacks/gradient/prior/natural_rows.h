/* natural_rows: the samples from which an attack learns what samples look like. */
#ifndef GRADIENT_NATURAL_ROWS_H
#define GRADIENT_NATURAL_ROWS_H

#include "gauntlet/plugin.h"

/* Returns the samples of `prior_data` if they are granted, of `features` entries and more than the public
 * ones; else the public ones if these have as many entries, else NULL. Borrowed from the observation. */
const gnt_samples *natural_rows(const gnt_observation *seen, int64_t features);

#endif
