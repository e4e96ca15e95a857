/* sandbox: how a worker confines itself before it opens a plugin.
 *
 * What was open stays open: inherited descriptors are how a job gets its inputs. What is not open can no
 * longer be reached. The layers, in the order in which they are entered:
 *   1. User, network, IPC and mount namespaces, where the kernel gives them: an empty
 *       network, and a root that holds
 *      only the files below. Capabilities are dropped, no new privileges can be had, the
 *          process is not dumpable.
 *   2. Landlock: read access to the files below and to nothing else, no writing, no
 *       TCP, no signals to others.
 *   3. A seccomp filter of system calls: what is not listed is refused (EPERM), and calls
 *       that only an attack would
 *      make kill the process. No sockets, no new processes or threads, no execve, no
 *          ptrace or process_vm_*, no
 *      opening for writing.
 * A limit of no further processes stands beside them. It does not hold for root, whom the filter alone stops.
 *
 * Readable files: those of the specification, libgauntlet-nn, every library that is loaded already, the
 * system's library folders and the loader's cache. Nothing is executable as a program.
 *
 * Owner and lifetime: what a specification points to is borrowed for the call; a report holds copies.
 * Thread: a worker has one thread when it enters.
 * Errors: −1 with a sentence; the worker must then end. There is no way out of a sandbox. */
#ifndef GNT_PROCESS_SANDBOX_H
#define GNT_PROCESS_SANDBOX_H

#include <stddef.h>

#include "base/err.h"
#include "base/fields.h"

/* Layers, as bits. */
enum { GNT_SANDBOX_NAMESPACES = 1, GNT_SANDBOX_LANDLOCK = 2, GNT_SANDBOX_SECCOMP = 4 };

/* How much is closed, in rising order. */
typedef enum gnt_sandbox_level { GNT_SANDBOX_WEAK, GNT_SANDBOX_PARTIAL, GNT_SANDBOX_FULL } gnt_sandbox_level;

/* What the user asks of the sandbox. Zero: every layer that the kernel gives, at whatever level results. */
typedef struct gnt_sandbox_options {
    /* GNT_SANDBOX_* bits of layers to leave out. They are reported as missing. */
    uint32_t without;
    /* A cap on the Landlock ABI; 0: none. */
    int64_t landlock_most;
    /* Below this level entering fails. */
    gnt_sandbox_level least;
} gnt_sandbox_options;

typedef struct gnt_sandbox_spec {
    /* Absolute paths, files or folders: the plugin's. */
    gnt_texts files;
    gnt_sandbox_options options;
    /* Threads and copies of this process are let through, to see whether a plugin leaves any. */
    int may_fork;
} gnt_sandbox_spec;

enum { GNT_SANDBOX_WORDS = 500 };

typedef struct gnt_sandbox_report {
    /* GNT_SANDBOX_* bits of the layers in force. */
    unsigned layers;
    /* The Landlock ABI in force; 0: none. */
    int landlock;
    /* "full": files are closed (by Landlock or a mount namespace) and calls are filtered. "partial: no
     * …": one of the two is missing. "weak: no …": both are. The words say which layer is missing and
     * why, and all that is open. */
    char level[GNT_SANDBOX_WORDS];
    /* The layers in force, and what a build with sanitizers relaxes. */
    char remark[200];
} gnt_sandbox_report;

/* Of the words in a report's level. Words that are none are weak. */
gnt_sandbox_level gnt_sandbox_level_of(const char *words);

/* Enters every layer that the kernel and the options allow. A layer that the kernel lacks is no
 * failure but stands in the report, unless the level then is below options.least. A file that
 * cannot be found is a failure. */
int gnt_sandbox_enter(const gnt_sandbox_spec *spec, gnt_sandbox_report *report, gnt_err *err);

/* Where may_fork let processes through: from here on this one makes no process or thread, and signals none.
 * Nothing happens on a kernel without seccomp filters. */
void gnt_sandbox_forbid_processes(void);

#endif
