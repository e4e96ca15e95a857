/* worker_main: the main function of a worker process: reads a request, enters the sandbox if the job opens a
 * plugin, runs the job (including vet and describe), reports the result. */
#ifndef GNT_CLI_WORKER_MAIN_H
#define GNT_CLI_WORKER_MAIN_H

/* Runs `gauntlet worker`; returns the exit code. */
int gnt_worker_main(void);
/* Runs `gauntlet worker --job DIR`; returns the exit code. */
int gnt_worker_job(const char *folder);

#endif
