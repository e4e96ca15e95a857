/* worker: the other end of a child process: takes up the request, walls itself in where the job opens a
 * plugin, runs the job, reports. */
#ifndef GNT_CLI_WORKER_H
#define GNT_CLI_WORKER_H

/* The whole life of `gauntlet worker`; returns the exit code. Request: the job's own members and "sandbox" of
 * gnt_sandbox_request. */
int gnt_worker_main(void);

#endif
