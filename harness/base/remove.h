/* remove: removes a folder and all that is in it. */
#ifndef GNT_BASE_REMOVE_H
#define GNT_BASE_REMOVE_H

#include <stdint.h>

#include "base/err.h"

typedef struct gnt_removed {
    uint64_t files;
    uint64_t bytes; /* that they took on the disk */
} gnt_removed;

/* Removes what is at the path; links are removed, not followed. Nothing there is no error. *removed (may be
 * NULL) counts regular files. −1: something could not be removed, and the rest was. One thread at a time. */
int gnt_remove_tree(const char *path, gnt_removed *removed, gnt_err *err);

#endif
