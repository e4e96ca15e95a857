/* sparse: keeps the entries of greatest magnitude of an update, and sets the others to 0. */
#ifndef REGION_SPARSE_H
#define REGION_SPARSE_H

#include "gauntlet/plugin.h"

/* Keeps n − ⌊(1 − keep)·n⌋ of n entries, over all tensors together: those of greatest magnitude, and among
 * equal ones those that come first. GNT_STOPPED leaves the update as it was. */
gnt_status sparse_keep(const gnt_host *host, gnt_tensors *update, double keep);

#endif
