/* treated_rounds: does a defense do the same in a round of which every update is observed as in others?
 *
 * Such a round has no other updates to compare with (treatment.h), only those of the rounds before and after
 * it. From these it may differ without any defense: norms change from round to round, most of all in a
 * training on few samples. So a difference counts that is beyond chance and large, as in treatment.h, and
 * more than three times what three quarters of the other rounds differ by from the rounds next to them. */
#ifndef GNT_JOB_TREATED_ROUNDS_H
#define GNT_JOB_TREATED_ROUNDS_H

#include "job/record/treatment.h"

/* Looks at all updates of a training, in the order of their rounds; stratum: the round. Returns 1 with a
 * sentence in `says` if a round that is observed as a whole is treated differently; 0 if not, also if there
 * are too few other rounds to say; −1 when memory ran out. */
int gnt_treated_rounds_differ(const gnt_treatment *t, size_t n, gnt_err *says);

#endif
