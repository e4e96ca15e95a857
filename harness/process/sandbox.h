/* sandbox: the walls a worker puts round itself before it opens a plugin.
 *
 * What was open stays open (inherited descriptors are how a job gets its inputs); what is not open can no longer be
 * reached. The walls, in the order in which they go up:
 *   1. user, network, IPC and mount namespaces where the kernel gives them: an empty network and a root that holds
 *      only the files below; capabilities dropped; no new privileges; not dumpable
 *   2. Landlock: read access to the files below and to nothing else, no writing anywhere, no TCP, no signals to others
 *   3. a system-call filter that refuses (EPERM) what is not listed and kills on calls that only an attack would make:
 *      no sockets, no new processes or threads, no execve, no ptrace or process_vm_*, no opening for writing
 * A limit of no further processes stands beside them; it does not hold for root, whom the filter alone stops.
 *
 * Readable files: those of the specification, libgauntlet-nn, every library that is loaded already, the system's
 * library folders and the loader's cache. Nothing is executable as a program. A worker must have one thread when it
 * enters. */
#ifndef GNT_PROCESS_SANDBOX_H
#define GNT_PROCESS_SANDBOX_H

#include <stddef.h>

#include "base/err.h"
#include "request/fields.h"

enum { GNT_SANDBOX_NAMESPACES = 1, GNT_SANDBOX_LANDLOCK = 2, GNT_SANDBOX_SECCOMP = 4 };

/* How much the walls close, in rising order. */
typedef enum gnt_sandbox_level { GNT_SANDBOX_WEAK, GNT_SANDBOX_PARTIAL, GNT_SANDBOX_FULL } gnt_sandbox_level;

/* What the user asked of the walls; zero is: as many as the kernel gives, and whatever comes of it. */
typedef struct gnt_sandbox_wish {
    /* GNT_SANDBOX_* bits of layers to leave out; they are reported as missing. */
    uint32_t without;
    /* A cap on the Landlock ABI; 0: none. */
    int64_t landlock_most;
    gnt_sandbox_level least;
} gnt_sandbox_wish;

typedef struct gnt_sandbox_spec {
    /* Absolute paths, files or folders: the plugin's. */
    gnt_texts files;
    gnt_sandbox_wish wish;
    int may_fork; /* threads and copies of this process are let through, to see whether a plugin leaves any */
} gnt_sandbox_spec;

enum { GNT_SANDBOX_WORDS = 500 };

typedef struct gnt_sandbox_report {
    unsigned walls; /* GNT_SANDBOX_* bits that stand */
    int landlock;   /* the ABI in force; 0 = none */
    /* "full": files are closed (by Landlock or a mount namespace) and calls are filtered. "partial: no …": one of the
     * two is missing; "weak: no …": both are. The words say which wall is missing and why, and all that is open. */
    char level[GNT_SANDBOX_WORDS];
    char remark[200]; /* the walls that stand, and what a build with sanitizers relaxes */
} gnt_sandbox_report;

/* Of the words in a report's level; words that are none are weak. */
gnt_sandbox_level gnt_sandbox_level_of(const char *words);

/* Enters as far as the kernel and the wish let it. A wall that the kernel lacks is no failure but a line in the report,
 * unless the level then is below wish.least; a file that cannot be found is a failure. After a failure the worker must
 * end. There is no way out again. */
int gnt_sandbox_enter(const gnt_sandbox_spec *spec, gnt_sandbox_report *report, gnt_err *err);

/* Where processes are let through: from here on this one makes no process or thread, and signals none. Nothing happens on a
 * kernel without system-call filters. */
void gnt_sandbox_alone(void);

#endif
