/* queue: the jobs of a name that Slurm has now, by squeue, and how earlier ones ended, by sacct if the site
 * keeps accounts.
 *
 * Owner and lifetime: the lists are the caller's. Thread: any. Errors: NULL with a sentence. */
#ifndef GNT_CLUSTER_QUEUE_H
#define GNT_CLUSTER_QUEUE_H

#include <jansson.h>

#include "base/err.h"
#include "cluster/submission.h"

/* Returns [{"id", "node", "reason", "shown", "state"}]: each job, and each task of an array, that waits or
 * runs. "id" is what SLURM_JOB_ID is in the job, "shown" what people write, such as 12_3. */
json_t *gnt_queue_read(const char *name, gnt_err *err);
/* Returns [{"node", "shown", "state"}] of jobs that ended in another state than COMPLETED; empty without
 * accounting. */
json_t *gnt_queue_ended(const gnt_submission *s, gnt_err *err);
/* Cancels both jobs of a submission. */
int gnt_queue_cancel(const gnt_submission *s, gnt_err *err);

/* Parses lines of fields separated by '|', as both programs print them: an object for each line that has as
 * many fields as there are names. */
json_t *gnt_queue_parse(const char *text, const char *const *names, size_t n);

#endif
