/* asked: what a suite asks for, as results.json repeats it: its tasks, defenses and attacks, and the
 * coordinates of a cell. Who writes the file and who checks it take it from here. The caller owns what is
 * returned. */
#ifndef GNT_TALLY_ASKED_H
#define GNT_TALLY_ASKED_H

#include <jansson.h>

#include "suite/plan.h"

json_t *gnt_asked_tasks(const gnt_suite *suite);
json_t *gnt_asked_defenses(const gnt_suite *suite);
json_t *gnt_asked_attacks(const gnt_suite *suite);
/* What is known of a cell before it runs; "strength", "status", "reason" and "matched" are null. */
/* The strengths of the baseline that the run was given; NULL for none. */
json_t *gnt_asked_baseline(const gnt_suite *s);
json_t *gnt_asked_cell(const gnt_suite *suite, const gnt_cell *cell);

#endif
