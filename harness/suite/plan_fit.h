/* plan_fit: decides whether an attack fits a defense on a task, with the suite's grants. Private to this
 * room. */
#ifndef GNT_SUITE_PLAN_FIT_H
#define GNT_SUITE_PLAN_FIT_H

#include "suite/plan.h"

/* Sets surface, goals, grants and, if the pair does not fit, the reason of a cell whose coordinates are set.
 * Returns −1 if out of memory. */
int plan_fit(const gnt_suite *suite, gnt_cell *cell);
/* Returns why a planned cell has not the knowledge of this bit, which the suite grants; constant text. */
const char *plan_why_absent(const gnt_suite *suite, const gnt_cell *cell, uint32_t bit);

#endif
