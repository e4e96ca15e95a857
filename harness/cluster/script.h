/* script: the shell script of a Slurm job.
 *
 * A minute before the time limit Slurm sends the script USR1: the run stops in order, and the script requeues
 * the job. TERM is sent when the job is cancelled or preempted: the run stops in the same way, and Slurm
 * decides whether to queue the job again.
 *
 * Owner and lifetime: the text is the caller's. Thread: any. */
#ifndef GNT_CLUSTER_SCRIPT_H
#define GNT_CLUSTER_SCRIPT_H

#include "base/text.h"

/* Adds the arguments as words of a shell command, quoted if needed. argv: NULL-terminated. */
void gnt_shell_words(gnt_text *to, const char *const *argv);
/* Adds the script that runs `program` with these arguments, followed by `last`. */
void gnt_slurm_script(gnt_text *to, const char *program, const char *const *run, const char *last);

#endif
