/* public: compares the utilities of a run with that of public data alone (metric/public_only.h). */
#ifndef GNT_JUDGE_PUBLIC_H
#define GNT_JUDGE_PUBLIC_H

#include "metric/public_only.h"
#include "judge/judge.h"

/* Judges whether a matched defense is more useful than public data alone, by the facts `of` of the task,
 * which come from another run if this one did not record them. */
gnt_public_verdict gnt_beats_public(const gnt_results *r, const gnt_task_facts *of, const char *task,
                                    const char *defense);

#endif
