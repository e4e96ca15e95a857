/* ending: why the search of an attack ended, as the attack says, and what contradicts that. */
#ifndef GNT_PLUGIN_ENDING_H
#define GNT_PLUGIN_ENDING_H

#include "base/err.h"
#include "gauntlet/plugin.h"

/* The word on one call of `run`; start from {0}. */
typedef struct gnt_ending {
    /* As the attack said: a GNT_ENDED_*, and the steps of the last call of `ended`. */
    int32_t reason;
    int64_t steps;
    /* How often it called `ended`, and recorded a cost. */
    int64_t calls, costs;
} gnt_ending;

/* Notes a call of `ended`. */
void gnt_ending_note(gnt_ending *e, int32_t reason, int64_t steps);
/* Returns "budget", "tolerance" or "stall"; NULL for any other reason. */
const char *gnt_ending_name(int32_t reason);
/* −1, with a sentence in `why`, if what the attack said cannot be. budget: steps that it was allowed; 0:
 * those of its own default, which the host does not know. */
int gnt_ending_check(const gnt_ending *e, int64_t budget, gnt_err *why);

#endif
