/* sides: the processes beside a job's own in which a defense's hooks run, one for each side of the protocol:
 * "client", "server", "query" (job/side). The request names them under "sides". Each is a child like any
 * other, in the sandbox, with the limits of the job, the job's artefacts, models and public data, and a
 * socket to the job's process. Of the job's other inputs, keys and request a side gets nothing.
 *
 * Owner and lifetime: the job owns its sides from run_sides_start until run_sides_free, after a failure too.
 * Thread: the one that handles the children.
 * Errors: −1 with a sentence. */
#ifndef GNT_RUN_SIDES_H
#define GNT_RUN_SIDES_H

#include "run/run_impl.h"

/* Starts the sides that the job's request names, in the job's sandbox. sockets, RUN_MOST_SIDES at most, are
 * the job's own ends: the caller hands them to its process and then closes them, after a failure too. */
int run_sides_start(run *r, run_job *j, const gnt_sandbox_spec *sandbox, const gnt_child_input *inputs,
                    size_t n_inputs, gnt_child_socket *sockets, size_t *n_sockets, gnt_err *err);
/* 1 when all of the job's processes have ended. Where its own has ended badly, sides that
 * go on are asked to stop. */
int run_sides_have_ended(run_job *j);
/* Of the processes together: the verdict and reason of the first side that ended
 * badly, else of the job's own. */
const char *run_sides_verdict(const run_job *j, gnt_err *reason);
/* The process that the verdict is of. */
const gnt_child *run_sides_verdict_child(const run_job *j);
/* Facts of the job and of all its sides, as a fresh object. */
json_t *run_sides_facts(const run_job *j);
/* What the hooks of the job and of all its sides took (plugin/hook_times.h), as a fresh list. */
json_t *run_sides_hooks(const run_job *j);
/* The lowest level among the sides' sandboxes; without sides that of the job's own process. */
const char *run_sides_sandbox(const run_job *j);
void run_sides_free(run_job *j);

#endif
