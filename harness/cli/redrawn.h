/* redrawn: what a run says against what came out when some of its cells were run again with another seed. */
#ifndef GNT_CLI_REDRAWN_H
#define GNT_CLI_REDRAWN_H

#include <stddef.h>

#include "base/err.h"

typedef struct cli_redrawn {
    const char *folder; /* of the run */
    size_t different;   /* comparisons that came out so */
} cli_redrawn;

/* Prints a line for each comparison. `user` is a cli_redrawn, `fresh_folder` that of what was run again. */
int cli_compare_redrawn(void *user, const char *fresh_folder, gnt_err *err);

#endif
