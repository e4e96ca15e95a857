/* script: the shell script of a Slurm job of ours.
 *
 * At the end of its time Slurm sends the script USR1, a minute before: the run stops in order, and the script
 * asks for the job to be queued again. TERM is sent where the job is cancelled or has to make room: the run
 * stops likewise, and whether the job is queued again is Slurm's to decide.
 *
 * Owner and lifetime: the text is the caller's. Thread: any. */
#ifndef GNT_CLUSTER_SCRIPT_H
#define GNT_CLUSTER_SCRIPT_H

#include "base/text.h"

/* argv: NULL-terminated; a word for a shell, whatever it holds. */
void gnt_shell_words(gnt_text *to, const char *const *argv);
/* The script that runs `program` with these arguments and, behind them, `last`. */
void gnt_slurm_script(gnt_text *to, const char *program, const char *const *run, const char *last);

#endif
