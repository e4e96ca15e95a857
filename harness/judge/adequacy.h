/* adequacy: whether the attacks of a section are strong enough to judge defenses by. If an attack fails even
 * where no defense is applied, its failure against a defense shows nothing. Pure; returned pointers belong to
 * the results. */
#ifndef GNT_JUDGE_ADEQUACY_H
#define GNT_JUDGE_ADEQUACY_H

#include "judge/measure_text.h"
#include "judge/judge.h"

typedef enum gnt_adequacy_state {
    /* no attack on an undefended group gave a number for the measure */
    GNT_ADEQUACY_UNKNOWN,
    GNT_INADEQUATE,
    GNT_ADEQUATE
} gnt_adequacy_state;

typedef struct gnt_adequacy {
    gnt_adequacy_state state;
    /* the undefended group that leaks most by the measure; NULL where unknown */
    const gnt_outcome *best;
} gnt_adequacy;

/* Returns whether an attack (NULL: the strongest) is adequate at a stage or GNT_EVERY_STAGE, by the task's
 * limits (gnt_adequate_limits). For measures of recovered data it has to identify the true sample often
 * enough, or to reach a PSNR far enough above the baseline. For other measures the score has to lie far
 * enough on the way from the baseline to the best possible, and its interval beyond the baseline. */
gnt_adequacy gnt_adequacy_of(const gnt_results *r, const char *task, int64_t stage, const char *attack,
                             const gnt_measure *m);
/* True if a group that has a number for the measure recovers enough by the limits of its task. */
int gnt_is_adequate(const gnt_results *r, const gnt_outcome *group, const gnt_measure *m);
/* Writes what an adequate attack has to reach: "90 % identified, or PSNR 10 dB above the floor". */
void gnt_adequacy_write(const gnt_results *r, const char *task, const gnt_measure *m, gnt_text *out);

#endif
