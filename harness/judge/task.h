/* task: what results.json says of how a task was observed, and of utility on public data alone. What an older
 * run did not record is absent: it was probed, at fixed rounds, and nobody trained on the public data
 * alone. */
#ifndef GNT_JUDGE_TASK_H
#define GNT_JUDGE_TASK_H

#include <stddef.h>
#include <stdint.h>

#include "metric/adequate.h"
#include "metric/public_only.h"
#include "result/result.h"

enum { GNT_MOST_PUBLIC_ONLY = 256 }; /* seeds of a task */

typedef struct gnt_task_facts {
    const char *id;
    int in_round; /* the update seen is one that training aggregated; 0: a probe, made to be looked at */
    /* representations of samples are seen, and no hook gets these samples */
    int of_representations;
    int drawn;       /* the host drew the observed rounds; 0: the suite fixed them */
    int seed_public; /* the run's key came from a seed that everybody may read */
    const gnt_public_only *only;
    size_t n_only;
    /* of one training over seeds: what is matched, undefended, and public data alone */
    gnt_seed_scatter scatter;
    gnt_adequate_limits adequate; /* (judge/adequacy.h) */
} gnt_task_facts;

/* Returns the mean over seeds of what public data alone leave; NAN if unknown. */
double gnt_public_only_mean(const gnt_task_facts *t);

#endif
