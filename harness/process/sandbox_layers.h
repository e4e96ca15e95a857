/* sandbox_layers: the three layers of a sandbox one by one. Private to process/sandbox*.c.
 *
 * Owner and lifetime: everything is borrowed for the call.
 * Thread: that of the worker, its only one.
 * Errors: GNT_LAYER_FAILED comes with a sentence in err. */
#ifndef GNT_PROCESS_SANDBOX_LAYERS_H
#define GNT_PROCESS_SANDBOX_LAYERS_H

#include <stddef.h>

#include "base/err.h"
#include "process/sandbox.h"

/* What came of entering a layer. */
typedef enum gnt_layer_outcome {
    /* The worker must end. */
    GNT_LAYER_FAILED = -1,
    GNT_LAYER_ENTERED = 0,
    /* The kernel does not give it: errno says why, and nothing has changed that matters. */
    GNT_LAYER_MISSING = 1
} gnt_layer_outcome;

/* Absolute paths that stay readable: folders first, so that a file within one is met after it. */
typedef struct gnt_readable {
    char **paths;
    size_t n;
} gnt_readable;

/* *files_closed: whether the old root is out of reach. Without it (errno says why) the network and
 * the ids are still apart. */
gnt_layer_outcome gnt_sandbox_enter_namespaces(const gnt_readable *readable, int *files_closed, gnt_err *err);
/* most: a cap on the ABI; 0: none. *abi: the one in force. */
gnt_layer_outcome gnt_sandbox_enter_landlock(const gnt_readable *readable, int most, int *abi, gnt_err *err);
/* may_fork: threads and copies of the process are let through. The filter holds for them too, and they share
 * no memory that one could write and another read. */
gnt_layer_outcome gnt_sandbox_enter_filter(int may_fork, gnt_err *err);

/* In place of an errno: the user left the layer out. */
enum { GNT_SANDBOX_LEFT_OUT = -1 };

/* What is in force besides the report, and why the rest is not: an errno, or GNT_SANDBOX_LEFT_OUT. */
typedef struct gnt_sandbox_layers {
    /* A root of its own, without the system's files. */
    int root;
    int no_namespaces, no_root, no_landlock, no_filter;
    /* Processes can be made though none was asked for. */
    int may_fork;
} gnt_sandbox_layers;

/* Fills level and remark from report->layers, report->landlock and `s`. */
void gnt_sandbox_describe(gnt_sandbox_report *report, const gnt_sandbox_layers *s);

#endif
