/* status: how far a submission is, from what its runs tell in the folder (run/lease/share.h) and what Slurm
 * has in its queue. What the runs tell comes first, so that a site without accounts shows the same.
 *
 * Owner and lifetime: the text is the caller's; everything else is borrowed. Thread: any. Errors: −1 with
 * a sentence. */
#ifndef GNT_CLUSTER_STATUS_H
#define GNT_CLUSTER_STATUS_H

#include <jansson.h>

#include "base/err.h"
#include "base/text.h"

/* told: of all runs (gnt_share_read_all). queue: gnt_queue_read's list, or NULL where Slurm did not
 * answer; ended: gnt_queue_ended's. *bad: whether a cell failed, a run refused to begin, or results are
 * missing though no job is left. */
int gnt_status_text(gnt_text *out, const json_t *told, const json_t *queue, const json_t *ended, int *bad,
                    gnt_err *err);

#endif
