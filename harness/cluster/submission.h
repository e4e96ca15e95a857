/* submission: what `gauntlet slurm` requests from Slurm, and what was submitted. In the run's folder:
 *
 *   slurm/worker.sh, gather.sh   the scripts that Slurm runs
 *   slurm/submission.json        {"array", "format", "gather", "jobs", "name", "workers"}
 *   slurm/log/                   output of the jobs
 *
 * An array of workers (`gauntlet run --share`), then one job that gathers (`gauntlet run --gather`). Both
 * have the name "gauntlet-SUITE-" and a digest of the folder's path, by which they are found in the queue.
 *
 * Owner and lifetime: a submission owns its texts until gnt_submission_free; requests are borrowed.
 * Thread: any. Errors: −1 or NULL with a sentence. */
#ifndef GNT_CLUSTER_SUBMISSION_H
#define GNT_CLUSTER_SUBMISSION_H

#include <stdint.h>

#include "base/err.h"

typedef struct gnt_slurm_request {
    /* The run's folder, without links; the folder in which commands are run; this program. */
    const char *folder, *working_folder, *program;
    const char *suite_name;
    /* Arguments of `gauntlet run` before --share or --gather, NULL-terminated: the suite, -o DIR, … */
    const char *const *run;
    /* NULL: Slurm's own. */
    const char *partition;
    /* Passed to sbatch. */
    const char *time, *mem;
    int64_t workers, jobs;
    /* More options of sbatch; NULL-terminated. */
    const char *const *options;
} gnt_slurm_request;

typedef struct gnt_submission {
    /* Job numbers as text, and the name of both. gather NULL: it was not submitted. */
    char *array, *gather, *name;
    int64_t workers, jobs;
} gnt_submission;

/* Returns the name of a folder's jobs; the caller frees. */
char *gnt_slurm_name(const char *suite_name, const char *folder);
/* Returns what would be written and run, as text for a person; the caller frees. */
char *gnt_slurm_dry(const gnt_slurm_request *request, gnt_err *err);
/* Writes the scripts, submits both jobs, and writes submission.json. The first is cancelled if the second
 * cannot be submitted. */
int gnt_slurm_submit(const gnt_slurm_request *request, gnt_submission *done, gnt_err *err);

/* Reads submission.json. *there: false, and no error, if the folder has none. */
int gnt_submission_load(const char *folder, gnt_submission *s, int *there, gnt_err *err);
void gnt_submission_free(gnt_submission *s);

#endif
