/* sandbox_layers: the files and the three layers of a sandbox. Private to process/sandbox*.c.
 *
 * Ownership: everything is borrowed for the call. Threads: the worker's only one. Errors: GNT_LAYER_FAILED
 * with a message in err. */
#ifndef GNT_PROCESS_SANDBOX_LAYERS_H
#define GNT_PROCESS_SANDBOX_LAYERS_H

#include <stddef.h>

#include "base/err.h"
#include "process/sandbox.h"

/* The outcome of entering a layer. */
typedef enum gnt_layer_outcome {
    /* The worker must end. */
    GNT_LAYER_FAILED = -1,
    GNT_LAYER_ENTERED = 0,
    /* The kernel lacks it or refuses it (errno); nothing relevant has changed. */
    GNT_LAYER_MISSING = 1
} gnt_layer_outcome;

/* Absolute paths of files that remain readable. */
typedef struct gnt_readable {
    char **paths;
    size_t n;
} gnt_readable;

/* ---- sandbox_files.c ---- */

/* Adds the path of a regular file once; others are left out. Returns −1 if out of memory. */
int gnt_readable_add(gnt_readable *readable, const char *path);
/* Collects the system's files that remain readable, and has the kernel read them. */
int gnt_sandbox_collect(gnt_readable *readable, gnt_err *err);

/* ---- sandbox_private.c: copies of the specification's files, of which a process has one set ---- */

typedef struct gnt_own_bytes {
    const char *path;
    const uint8_t *bytes;
    size_t size;
} gnt_own_bytes;

/* Reads the files, before any layer is entered. whole: as in gnt_sandbox_spec. */
int gnt_sandbox_read_files(const gnt_texts *paths, int whole, gnt_err *err);
size_t gnt_sandbox_n_files(void);
/* Returns the path and the bytes of file i, which are borrowed. */
gnt_own_bytes gnt_sandbox_file(size_t i);
/* Writes the bytes of file i to a descriptor, which remains open for gnt_sandbox_renew_files. */
int gnt_sandbox_write_file(size_t i, int fd);
/* Makes a memory file of each, which no other process has. */
int gnt_sandbox_make_memory_files(gnt_err *err);
/* Releases what gnt_sandbox_renew_files needs. */
void gnt_sandbox_keep_files(void);
/* Closes the descriptors that gnt_sandbox_renew_files writes to, in a fork. */
void gnt_sandbox_close_files(void);

/* ---- the layers ---- */

/* Enters new namespaces. The new root has the readable files and the process's own copies of the
 * specification's. *files_closed: 1 if the old root is unreachable; otherwise (errno) network and ids are
 * still separate. */
gnt_layer_outcome gnt_sandbox_enter_namespaces(const gnt_readable *readable, int *files_closed, gnt_err *err);
/* Enters Landlock. most: maximum ABI; 0: no maximum. *abi: the one in force. */
gnt_layer_outcome gnt_sandbox_enter_landlock(const gnt_readable *readable, int most, int *abi, gnt_err *err);
/* Enters the seccomp filter. may_fork: threads and forks are allowed. The filter applies to them too, and
 * they share no memory that one could write and another read. */
gnt_layer_outcome gnt_sandbox_enter_filter(int may_fork, gnt_err *err);

/* Replaces an errno: the user left the layer out. */
enum { GNT_SANDBOX_LEFT_OUT = -1 };

/* State that is not in the report, and why layers are missing: an errno, or GNT_SANDBOX_LEFT_OUT. */
typedef struct gnt_sandbox_layers {
    /* The process has its own root, without the system's files. */
    int root;
    int no_namespaces, no_root, no_landlock, no_filter;
    /* Processes can be created although may_fork is not set. */
    int may_fork;
} gnt_sandbox_layers;

/* Sets level and remark from report->layers, report->landlock and `s`. */
void gnt_sandbox_describe(gnt_sandbox_report *report, const gnt_sandbox_layers *s);

#endif
