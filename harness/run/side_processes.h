/* side_processes: the processes, in addition to a job's own, in which a defense's hooks run, one for each
 * side of the protocol: "client", "server", "query" (job/side). The request names them under "sides". If it
 * wants the influence of updates, there are further ones of the server, "server.1" and so on. Each is a child
 * like any other, in the job's sandbox, with the limits of the job, the job's artefacts, models and public
 * data, and a socket to the job's process. A side gets nothing else of the job's inputs, keys and request.
 *
 * Owner and lifetime: the job's `processes`. Thread: the one that handles the children. Errors: −1 with a
 * sentence. */
#ifndef GNT_RUN_SIDE_PROCESSES_H
#define GNT_RUN_SIDE_PROCESSES_H

#include "run/run_impl.h"

/* Starts the sides that the job's request names. sockets, RUN_MOST_SIDES at most, are the job's own ends: the
 * caller hands them to the job's process and then closes them, after a failure too. */
int run_sides_start(run *r, run_job *j, const gnt_sandbox_spec *sandbox, const gnt_child_input *inputs,
                    size_t n_inputs, gnt_child_socket *sockets, size_t *n_sockets, gnt_err *err);
/* Returns how process `which` ended: 0 the job's own, i its i-th side; NULL while it runs. */
const gnt_child_result *run_process_result(const run_job *j, size_t which);
/* True if all of the job's processes have ended. Once its own has ended badly, sides that go on are
 * stopped. */
int run_sides_have_ended(run_job *j);
/* Returns the verdict of the first side that ended badly, else of the job's own process, with its reason. */
const char *run_sides_verdict(const run_job *j, gnt_err *reason);
/* Returns the process that the verdict is of. */
const gnt_child *run_sides_verdict_child(const run_job *j);
/* Returns the facts of the job and its sides, further processes of the server left out, as a new object. */
json_t *run_sides_facts(const run_job *j);
/* Returns the times of the hooks of the same processes (plugin/hook_times.h), as a new list. */
json_t *run_sides_hooks(const run_job *j);
/* Returns the lowest level among the sides' sandboxes; without sides that of the job's own process. */
const char *run_sides_sandbox(const run_job *j);

#endif
