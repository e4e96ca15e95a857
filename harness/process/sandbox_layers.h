/* sandbox_walls: the three walls one by one. Private to run/sandbox*.c.
 *
 * Each returns 0 when the wall stands, 1 when the kernel does not give it (errno says why and nothing has changed that
 * matters), -1 on a failure after which the worker must end. */
#ifndef GNT_RUN_SANDBOX_WALLS_H
#define GNT_RUN_SANDBOX_WALLS_H

#include <stddef.h>

#include "base/err.h"
#include "process/sandbox.h"

/* Absolute paths that stay readable: folders first, so that a file within one is met after it. */
typedef struct gnt_readable {
    char **paths;
    size_t n, room;
} gnt_readable;

/* files_closed: whether the old root is out of reach; without it (errno says why) the network and the ids are still
 * apart. */
int gnt_wall_namespaces(const gnt_readable *readable, int *files_closed, gnt_err *err);
int gnt_wall_landlock(const gnt_readable *readable, int most, int *abi, gnt_err *err);
/* may_fork: threads and copies of the process are let through; the filter holds for them too, and they share no memory that
 * one could write and another read. */
int gnt_wall_filter(int may_fork, gnt_err *err);

enum { GNT_LEFT_OUT = -1 };

/* What stands besides the report, and why the rest does not: an errno, or GNT_LEFT_OUT. */
typedef struct gnt_standing {
    int root; /* a root of its own, without the system's files */
    int no_namespaces, no_root, no_landlock, no_filter;
    int may_fork; /* processes can be made though none was asked for */
} gnt_standing;

/* Fills level and remark from the walls that stand. */
void gnt_wall_words(gnt_sandbox_report *report, const gnt_standing *s);

#endif
