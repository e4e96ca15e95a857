/* sandbox: the walls a worker puts round itself before it opens a plugin.
 *
 * What was open stays open (inherited descriptors are how a job gets its inputs); what is not open can no longer be
 * reached. The walls, in the order in which they go up:
 *   1. user, network, IPC and mount namespaces where the kernel gives them: an empty network and a root that holds
 *      only the files below; capabilities dropped; no new privileges; not dumpable
 *   2. Landlock: read access to the files below and to nothing else, no writing anywhere, no TCP, no signals to others
 *   3. a system-call filter that refuses (EPERM) what is not listed and kills on calls that only an attack would make:
 *      no sockets, no new processes or threads, no execve, no ptrace or process_vm_*, no opening for writing
 *
 * Readable files: those of the specification, libgauntlet-nn, every library that is loaded already, the system's
 * library folders and the loader's cache. Nothing is executable as a program. A worker must have one thread when it
 * enters. */
#ifndef GNT_RUN_SANDBOX_H
#define GNT_RUN_SANDBOX_H

#include <stddef.h>

#include "base/err.h"

enum { GNT_SANDBOX_NAMESPACES = 1, GNT_SANDBOX_LANDLOCK = 2, GNT_SANDBOX_SECCOMP = 4 };

typedef struct gnt_sandbox_spec {
    const char *const *files; /* absolute paths, files or folders: the plugin's */
    size_t n_files;
    unsigned without; /* GNT_SANDBOX_* bits of walls to leave out, for tests; they are reported as missing */
    int may_fork; /* threads and copies of this process are let through, to see whether a plugin leaves any */
    int landlock_most; /* a cap on the Landlock ABI, for tests; 0 = none */
} gnt_sandbox_spec;

typedef struct gnt_sandbox_report {
    unsigned walls; /* GNT_SANDBOX_* bits that stand */
    int landlock;   /* the ABI in force; 0 = none */
    /* "full": files are closed (by Landlock or a mount namespace) and calls are filtered. "partial: no …":
     * one of the two is missing. "weak: no …": both are. */
    char level[160];
    char remark[160]; /* the walls that stand, and what a build with sanitizers relaxes */
} gnt_sandbox_report;

/* Enters as far as the kernel and `without` let it. A wall that the kernel lacks is no failure but a line in
 * the report; a file that cannot be found is a failure, and the worker must then end. There is no way out
 * again. */
int gnt_sandbox_enter(const gnt_sandbox_spec *spec, gnt_sandbox_report *report, gnt_err *err);

#endif
