/* sandbox: confines a worker before it opens a plugin.
 *
 * Descriptors that are open remain open: a job gets its inputs on inherited descriptors. Nothing else can be
 * reached afterwards. The layers, in the order in which they are entered:
 *   1. User, network, IPC and mount namespaces, if the kernel allows them: an empty network, and a root with
 *      only the files below. Capabilities are dropped, new privileges are disabled, the process is not
 *      dumpable.
 *   2. Landlock: read access to the files below and to nothing else, no writing, no TCP, no signals to
 *      others.
 *   3. A seccomp filter of system calls: unlisted calls fail (EPERM), and calls that only an attack would
 *      make kill the process. No sockets, no new processes or threads, no execve, no ptrace or process_vm_*,
 *      no opening for writing.
 * In addition the number of processes is limited, which has no effect on root; there only the filter applies.
 *
 * Readable files: those of the specification, as copies of this process's own; every library that is loaded
 * already, those of the system that the specification's files are linked with, and the loader's cache. All
 * but the copies are read ahead, so that a process cannot find out what another has read. Nothing can be
 * executed as a program.
 *
 * Ownership: what a specification points to is borrowed for the call; a report holds copies. Threads: a
 * worker has one thread when it enters. Errors: −1 with a message; the worker must then end. A sandbox cannot
 * be left. */
#ifndef GNT_PROCESS_SANDBOX_H
#define GNT_PROCESS_SANDBOX_H

#include <stddef.h>

#include "base/err.h"
#include "base/fields.h"

/* Layers, as bits. */
enum { GNT_SANDBOX_NAMESPACES = 1, GNT_SANDBOX_LANDLOCK = 2, GNT_SANDBOX_SECCOMP = 4 };

/* How much is closed, in ascending order. */
typedef enum gnt_sandbox_level { GNT_SANDBOX_WEAK, GNT_SANDBOX_PARTIAL, GNT_SANDBOX_FULL } gnt_sandbox_level;

/* The user's requirements. Zero: every layer that the kernel allows, at any resulting level. */
typedef struct gnt_sandbox_options {
    /* GNT_SANDBOX_* bits of layers to leave out, which are reported as missing. */
    uint32_t without;
    /* Maximum Landlock ABI; 0: no maximum. */
    int64_t landlock_most;
    /* Minimum level; below it, entering fails. */
    gnt_sandbox_level least;
} gnt_sandbox_options;

typedef struct gnt_sandbox_spec {
    /* Absolute paths of the plugin's files, the toolkit among them. */
    gnt_texts files;
    gnt_sandbox_options options;
    /* Allow threads and forks, to detect whether a plugin leaves any. */
    int may_fork;
    /* The copies of the files have all bytes, for their digests; else zeros where names for debuggers are. */
    int whole;
} gnt_sandbox_spec;

enum { GNT_SANDBOX_WORDS = 500 };

typedef struct gnt_sandbox_report {
    /* GNT_SANDBOX_* bits of the layers in force. */
    unsigned layers;
    /* The Landlock ABI in force; 0: none. */
    int landlock;
    /* "full": files are closed (by Landlock or a mount namespace) and calls are filtered. "partial: no …":
     * one of the two is missing. "weak: no …": both are. The text lists the missing layers with reasons, and
     * everything that is open. */
    char level[GNT_SANDBOX_WORDS];
    /* The layers in force, and the relaxations of a build with sanitizers. */
    char remark[200];
} gnt_sandbox_report;

/* Returns the level of a report's text; weak if it is unknown. */
gnt_sandbox_level gnt_sandbox_level_of(const char *words);

/* Enters every layer that the kernel and the options allow. A layer that the kernel lacks is reported, and is
 * an error only if the level falls below options.least. A missing file is an error. */
int gnt_sandbox_enter(const gnt_sandbox_spec *spec, gnt_sandbox_report *report, gnt_err *err);

/* Returns the path from which a process in a sandbox opens that file of its specification: the process's own
 * copy. Other paths are returned as they are. */
const char *gnt_sandbox_place(const char *path);
/* Makes the own copies again, if forks are allowed, so that the next fork finds nothing in them of the
 * last one. */
int gnt_sandbox_renew_files(gnt_err *err);

/* Forbids processes, threads and signals that may_fork allowed, and closes what gnt_sandbox_renew_files
 * writes to; without effect on calls on a kernel without seccomp filters. */
void gnt_sandbox_forbid_processes(void);

#endif
