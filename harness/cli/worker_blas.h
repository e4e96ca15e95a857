/* worker_blas: OpenBLAS as workers have it, for commands that compute in this process. */
#ifndef GNT_CLI_WORKER_BLAS_H
#define GNT_CLI_WORKER_BLAS_H

/* OpenBLAS chooses its kernels when it is loaded, before main. Where this process was started without what
 * workers are told, it starts over with these arguments of its subcommand; else it returns. */
void cli_start_with_worker_blas(int argc, char **argv);

#endif
