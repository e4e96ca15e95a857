#include "plugin/ending.h"

#include <inttypes.h>
#include <stddef.h>

void gnt_ending_note(gnt_ending *e, int32_t reason, int64_t steps) {
    e->reason = reason;
    e->steps = steps;
    e->calls++;
}

const char *gnt_ending_name(int32_t reason) {
    switch (reason) {
    case GNT_ENDED_BUDGET:
        return "budget";
    case GNT_ENDED_TOLERANCE:
        return "tolerance";
    case GNT_ENDED_STALL:
        return "stall";
    default:
        return NULL;
    }
}

/* Compares the reason with the steps and the budget. */
static int check_budget(const gnt_ending *e, int64_t budget, gnt_err *why) {
    if (e->reason == GNT_ENDED_BUDGET && e->steps < budget - budget / 2)
        return gnt_fail(why,
                        "it says that the budget ended its search, but of %" PRId64 " steps it took %" PRId64
                        ": expected at least half; say GNT_ENDED_TOLERANCE or GNT_ENDED_STALL if it ends by "
                        "itself, and give the steps of all restarts",
                        budget, e->steps);
    if (e->reason == GNT_ENDED_STALL && e->steps >= budget)
        return gnt_fail(why,
                        "it says that its search stalled, but it took %" PRId64 " steps of %" PRId64
                        ": expected fewer; say GNT_ENDED_BUDGET if none was left",
                        e->steps, budget);
    return 0;
}

int gnt_ending_check(const gnt_ending *e, int64_t budget, gnt_err *why) {
    if (e->calls == 0)
        return 0;
    if (e->calls > 1)
        return gnt_fail(why, "it says %" PRId64 " times why its search ended: expected once for each answer",
                        e->calls);
    if (e->reason != GNT_ENDED_UNKNOWN && !gnt_ending_name(e->reason))
        return gnt_fail(why, "it says that its search ended by %" PRId32 ": expected a GNT_ENDED_*",
                        e->reason);
    if (e->steps < 0)
        return gnt_fail(why, "it says that its search took %" PRId64 " steps: expected 0 or more", e->steps);
    /* one more is the cost before the first step */
    if (e->reason != GNT_ENDED_UNKNOWN && e->steps < e->costs - 1)
        return gnt_fail(why,
                        "it says that its search took %" PRId64 " steps, but recorded %" PRId64
                        " costs: expected a step for each; give the steps of all restarts",
                        e->steps, e->costs);
    return budget > 0 ? check_budget(e, budget, why) : 0;
}
