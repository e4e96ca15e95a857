/* queue: which jobs of a name Slurm has now, by squeue, and how those ended that are no more, by sacct where
 * the site keeps accounts.
 *
 * Owner and lifetime: the lists are the caller's. Thread: any. Errors: NULL with a sentence. */
#ifndef GNT_CLUSTER_QUEUE_H
#define GNT_CLUSTER_QUEUE_H

#include <jansson.h>

#include "base/err.h"
#include "cluster/submission.h"

/* [{"id", "node", "reason", "shown", "state"}]: of each job, and of each task of an array, that waits or
 * runs. "id" is what SLURM_JOB_ID is in the job, "shown" what people write, such as 12_3. */
json_t *gnt_queue_read(const char *name, gnt_err *err);
/* [{"node", "shown", "state"}] of those that ended in another way than COMPLETED; empty where sacct tells
 * nothing. */
json_t *gnt_queue_ended(const gnt_submission *s, gnt_err *err);
/* Cancels both jobs of a submission. */
int gnt_queue_cancel(const gnt_submission *s, gnt_err *err);

/* Lines of fields with '|' between them, as both programs print them: an object for each line that has as
 * many as there are names. For tests. */
json_t *gnt_queue_parse(const char *text, const char *const *names, size_t n);

#endif
