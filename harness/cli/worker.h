/* worker: the whole life of a worker process: takes up a request, enters the sandbox where the job opens a
 * plugin, runs the job, reports. It is where the kinds of job, vet and descriptions come together. */
#ifndef GNT_CLI_WORKER_H
#define GNT_CLI_WORKER_H

/* `gauntlet worker`; returns the exit code. */
int gnt_worker_main(void);
/* `gauntlet worker --job DIR`; returns the exit code. */
int gnt_worker_job(const char *folder);

#endif
