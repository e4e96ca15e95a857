/* worker_blas: configures OpenBLAS as in workers, for commands that compute in this process. */
#ifndef GNT_CLI_WORKER_BLAS_H
#define GNT_CLI_WORKER_BLAS_H

/* Restarts this process with these arguments of its subcommand, if its environment lacks the variables of
 * workers: OpenBLAS chooses its kernels when it is loaded, before main. */
void cli_start_with_worker_blas(int argc, char **argv);

#endif
