/* status: how far a submission is, from the reports of its runs in the folder (run/lease/share.h) and from
 * Slurm's queue. The reports come first, so that a site without accounting shows the same.
 *
 * Owner and lifetime: the text is the caller's; everything else is borrowed. Thread: any. Errors: −1 with
 * a sentence. */
#ifndef GNT_CLUSTER_STATUS_H
#define GNT_CLUSTER_STATUS_H

#include <jansson.h>

#include "base/err.h"
#include "base/text.h"

/* Adds the status as text. reports: of all runs (gnt_share_read_all). queue: gnt_queue_read's list, or NULL
 * if Slurm did not answer; ended: gnt_queue_ended's. *bad: true if a cell failed, a run refused to begin, or
 * results are missing though no job is left. */
int gnt_status_text(gnt_text *out, const json_t *reports, const json_t *queue, const json_t *ended, int *bad,
                    gnt_err *err);

#endif
