/* plan_fit: does an attack fit a defense on a task, as the suite grants? Private to this room. */
#ifndef GNT_SUITE_PLAN_FIT_H
#define GNT_SUITE_PLAN_FIT_H

#include "suite/plan.h"

/* Sets surface, goals, grants and, where the pair does not fit, reason of a cell whose coordinates are set.
 * -1: out of memory. */
int plan_fit(const gnt_suite *suite, gnt_cell *cell);

#endif
