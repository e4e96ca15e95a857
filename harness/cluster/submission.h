/* submission: what `gauntlet slurm` asks of Slurm, and what was submitted. In the run's folder:
 *
 *   slurm/worker.sh, gather.sh   the scripts that Slurm runs
 *   slurm/submission.json        {"array", "format", "gather", "jobs", "name", "workers"}
 *   slurm/log/                   what the jobs said
 *
 * An array of workers (`gauntlet run --share`), then one job that gathers (`gauntlet run --gather`). Both
 * have the name "gauntlet-SUITE-" and a digest of the folder's path, by which they are found in the queue.
 *
 * Owner and lifetime: a submission owns its texts until gnt_submission_free; what is asked is borrowed.
 * Thread: any. Errors: −1 or NULL with a sentence. */
#ifndef GNT_CLUSTER_SUBMISSION_H
#define GNT_CLUSTER_SUBMISSION_H

#include <stdint.h>

#include "base/err.h"

typedef struct gnt_slurm_ask {
    /* Of the run, without links; where commands are run; this program. */
    const char *folder, *working_folder, *program;
    const char *suite_name;
    /* Arguments of `gauntlet run` before --share or --gather, NULL-terminated: the suite, -o DIR, … */
    const char *const *run;
    /* NULL: Slurm's own. */
    const char *partition;
    /* As sbatch takes them. */
    const char *time, *mem;
    int64_t workers, jobs;
    /* For sbatch, as they are; NULL-terminated. */
    const char *const *options;
} gnt_slurm_ask;

typedef struct gnt_submission {
    /* Job numbers as text, and the name of both. gather NULL: it was not submitted. */
    char *array, *gather, *name;
    int64_t workers, jobs;
} gnt_submission;

/* The name of a folder's jobs; the caller frees. */
char *gnt_slurm_name(const char *suite_name, const char *folder);
/* What would be written and run, as text for a person; the caller frees. */
char *gnt_slurm_dry(const gnt_slurm_ask *ask, gnt_err *err);
/* Writes the scripts, submits both jobs, and writes submission.json. Where the second cannot be submitted the
 * first is cancelled. */
int gnt_slurm_submit(const gnt_slurm_ask *ask, gnt_submission *done, gnt_err *err);

/* *there 0, and no error, where the folder has none. */
int gnt_submission_load(const char *folder, gnt_submission *s, int *there, gnt_err *err);
void gnt_submission_free(gnt_submission *s);

#endif
