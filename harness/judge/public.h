/* public: utilities of a run held against those of public data alone (metric/public_only.h). */
#ifndef GNT_JUDGE_PUBLIC_H
#define GNT_JUDGE_PUBLIC_H

#include "metric/public_only.h"
#include "judge/judge.h"

/* Of a matched defense's utility, by the task's facts of `of` (of another run where this one did not record
 * them). */
gnt_public_verdict gnt_beats_public(const gnt_results *r, const gnt_task_facts *of, const char *task,
                                    const char *defense);

#endif
