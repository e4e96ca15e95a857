/* adequacy: whether the attacks of a section are strong enough for it to say anything of defenses. An attack
 * that does not recover what is sent without a defense says nothing of a defense that it does not defeat
 * either. Pure; what is returned belongs to the results. */
#ifndef GNT_JUDGE_ADEQUACY_H
#define GNT_JUDGE_ADEQUACY_H

#include "judge/measure_text.h"
#include "judge/judge.h"

typedef enum gnt_adequacy_state {
    /* nothing undefended was attacked with a number of the measure */
    GNT_ADEQUACY_UNKNOWN,
    GNT_INADEQUATE,
    GNT_ADEQUATE
} gnt_adequacy_state;

typedef struct gnt_adequacy {
    gnt_adequacy_state state;
    /* the undefended group that leaks most by the measure; NULL where unknown */
    const gnt_outcome *best;
} gnt_adequacy;

/* Of an attack (NULL: the strongest), at a stage or GNT_EVERY_STAGE, with the task's limits
 * (gnt_adequate_limits). Of measures of recovered data: it names the right sample often enough, or its PSNR
 * is far enough above the floor. Of other measures: it goes far enough from the floor to the best possible,
 * and its interval lies beyond the floor. */
gnt_adequacy gnt_adequacy_of(const gnt_results *r, const char *task, int64_t stage, const char *attack,
                             const gnt_measure *m);
/* Whether a group with a number of the measure recovers enough by the limits of its task. */
int gnt_is_adequate(const gnt_results *r, const gnt_outcome *group, const gnt_measure *m);
/* "identified 90 % or PSNR 10 dB above the floor": what is asked of a measure. */
void gnt_adequacy_write(const gnt_results *r, const char *task, const gnt_measure *m, gnt_text *out);

#endif
