/* redrawn: compares a run with a rerun of some of its cells with another seed. */
#ifndef GNT_CLI_REDRAWN_H
#define GNT_CLI_REDRAWN_H

#include <stddef.h>

#include "base/err.h"

typedef struct cli_redrawn {
    const char *folder; /* of the run */
    size_t different;   /* number of comparisons that differ */
} cli_redrawn;

/* Prints a line for each comparison. `user` is a cli_redrawn, `fresh_folder` the folder of the rerun. */
int cli_compare_redrawn(void *user, const char *fresh_folder, gnt_err *err);

#endif
