/* granted_sparse: the defense blur-lus, which attacks on a region read in addition to granted_defense.h:
 * only the share `keep` of the update's entries of greatest magnitude stays, the whole of it is clipped to C,
 * and every entry gets noise of one strength. What its regulariser does to local steps is not read. */
#ifndef GRADIENT_GRANTED_SPARSE_H
#define GRADIENT_GRANTED_SPARSE_H

#include "defense/granted_defense.h"

/* Fills `layered` if blur-lus alone was granted. */
void granted_sparse_read(granted_defense *granted, const gnt_observation *seen);

#endif
